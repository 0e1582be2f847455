//! Texts as bytes and words, how long they may be, objects and URLs printed in them, and patterns that do not compile.

pub mod bound;
pub(crate) mod bytes;
pub mod file_url;
pub(crate) mod inspected;
pub(crate) mod pattern_error;
