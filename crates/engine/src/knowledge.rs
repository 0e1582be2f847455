//! Reads the knowledge of a database: counts, lists, single entries, and a copy.

pub mod overview;
pub mod patterns;
pub mod resources;
pub mod snapshot;
