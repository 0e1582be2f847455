//! Recognizes text that is not part of a message: prefixes of CI systems, control sequences, dates and times.

pub(crate) mod ci_prefix;
pub(super) mod control;
pub(crate) mod time;
