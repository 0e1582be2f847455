//! Text utilities: bytes and words, length limits, printed objects and URLs, and regex errors.

pub mod bound;
pub(crate) mod bytes;
pub mod file_url;
pub(crate) mod inspected;
pub(crate) mod pattern_error;
