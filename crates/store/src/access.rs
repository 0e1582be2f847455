//! Access to the projects of a server: tokens and an audit log.

pub mod audit;
pub mod tokens;
