//! What failures are found to be: judged from the runs before, in the transaction that records a run.
//! The rules are `argus_core::evidence`; their rows are kept by `argus_store::evidence`.

pub(crate) mod change;
pub mod edits;
pub(crate) mod failure_facts;
pub mod fixes;
pub(crate) mod judging;
pub mod learned_commits;
pub mod missing_tests;
mod named_things;
mod names;
mod places;
pub(crate) mod progress;
pub(crate) mod rows;
pub mod test_changes;
pub mod test_history;
mod test_lookup;
pub mod test_states;
mod wholes;
