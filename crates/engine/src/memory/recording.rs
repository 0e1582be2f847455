//! Records incidents, solutions, and outcomes.

pub mod add_incident;
pub mod add_solution;
mod duplicate;
pub mod record_outcome;
