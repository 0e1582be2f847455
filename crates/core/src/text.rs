//! Utilities for text: bytes and words, length limits, printed objects, URLs, and errors of regular expressions.

pub mod bound;
pub(crate) mod bytes;
pub mod file_url;
pub(crate) mod pattern_error;
pub(crate) mod printed_objects;
