//! What is written down: an incident, a solution, and whether it worked.

pub mod add_incident;
pub mod add_solution;
mod duplicate;
pub mod record_outcome;
