//! Complaints of mock libraries for objects and functions, and for services.

pub(super) mod clients;
pub(super) mod objects;
