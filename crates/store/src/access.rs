//! Who may use the memories of a server, and what was done with that.

pub mod audit;
pub mod tokens;
