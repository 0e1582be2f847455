//! Failures one by one: which pattern one is, what helped against it, and what is learned from a reported fix.

pub mod diagnose;
pub(super) mod lookup;
pub(super) mod matching;
pub(super) mod recompute_signatures;
pub(super) mod related;
pub mod report_fix;
pub(super) mod suggestion;
pub(super) mod trial;
