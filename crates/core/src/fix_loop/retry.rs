//! Rules for another attempt: the approach, the delay, and the reasons to stop.

pub(super) mod approach;
pub(super) mod backoff;
pub(super) mod circuit;
pub(super) mod stagnation;
