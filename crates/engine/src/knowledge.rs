//! What a database holds: counted, listed, by id, and copied as a whole.

pub mod overview;
pub mod patterns;
pub mod resources;
pub mod snapshot;
