//! How a loop tries again: in which way, after which wait, and what speaks against it.

pub(super) mod approach;
pub(super) mod backoff;
pub(super) mod circuit;
pub(super) mod stagnation;
