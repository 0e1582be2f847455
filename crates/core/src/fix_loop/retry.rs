//! Decides about another attempt: the approach of the fix, the delay, and the reasons to stop.

pub(super) mod approach;
pub(super) mod backoff;
pub(super) mod circuit;
pub(super) mod stagnation;
