//! Judges failures by the runs before them, in the transaction that records a run. The rules are in
//! `argus_core::evidence`, and `argus_store::evidence` stores their rows.

pub(crate) mod change;
mod change_words;
pub(crate) mod changed_files;
pub mod edits;
pub(crate) mod evidence_rows;
pub(crate) mod failure_facts;
pub mod fixes;
pub(crate) mod judging;
pub mod learned_commits;
pub mod missing_tests;
mod new_commits;
pub(crate) mod proof_progress;
pub mod receipt;
mod sentence_names;
mod suite_failures;
pub mod test_changes;
pub mod test_history;
mod test_lookup;
mod test_positions;
pub mod test_states;
pub mod walls;
