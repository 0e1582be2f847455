//! Complaints of libraries that stand in for something: for objects and functions, and for services.

pub(super) mod clients;
pub(super) mod objects;
