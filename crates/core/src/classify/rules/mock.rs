//! Rules for complaints of mock libraries, about objects and functions, and about services.

pub(super) mod clients;
pub(super) mod objects;
