//! Texts as bytes and words, how long they may be, objects printed in them, and patterns that do not compile.

pub mod bound;
pub(crate) mod bytes;
pub(crate) mod inspected;
pub(crate) mod pattern_error;
