//! Texts as bytes and words, how long they may be, and patterns for them that do not compile.

pub mod bound;
pub(crate) mod bytes;
pub(crate) mod pattern_error;
