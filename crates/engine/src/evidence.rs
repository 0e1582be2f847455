//! Judges failures by the runs before them, in the transaction that records a run. The rules are in
//! `argus_core::evidence`, and `argus_store::evidence` stores their rows.

pub(crate) mod change;
mod change_words;
pub mod edits;
pub(crate) mod failure_facts;
pub mod fixes;
pub(crate) mod judging;
pub mod learned_commits;
pub mod missing_tests;
mod names;
mod places;
pub(crate) mod progress;
pub(crate) mod rows;
mod suite_failures;
pub mod test_changes;
pub mod test_history;
mod test_lookup;
pub mod test_states;
