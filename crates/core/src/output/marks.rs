//! What stands around the words of a line: what CI systems put before it, control sequences, dates and times.

pub(crate) mod ci_prefix;
pub(super) mod control;
pub(crate) mod time;
