//! Matches single failures with patterns, suggests fixes, and learns from reported fixes.

pub mod diagnose;
pub(super) mod fix_results;
pub(super) mod lookup;
pub(super) mod matching;
pub(super) mod recompute_signatures;
pub(super) mod related;
pub mod report_fix;
pub(super) mod suggestion;
