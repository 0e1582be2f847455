//! Single failures: which pattern a failure matches, which fix helped before, and what a reported fix teaches.

pub mod diagnose;
pub(super) mod lookup;
pub(super) mod matching;
pub(super) mod recompute_signatures;
pub(super) mod related;
pub mod report_fix;
pub(super) mod suggestion;
pub(super) mod trial;
