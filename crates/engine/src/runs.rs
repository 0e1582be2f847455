//! Test runs: reads their reports, records them, and summarizes what failed and why.

pub(super) mod case_name;
pub(super) mod cause;
pub(super) mod claims;
pub(super) mod collect;
mod containers;
mod failure_selection;
mod failure_texts;
pub mod history;
pub mod import_run;
pub mod known_failures;
pub(super) mod known_names;
pub mod prepare_run;
mod read_reports;
pub mod record_run;
mod recovered_errors;
pub mod run_errors;
mod run_order;
