//! The debug memory: one file per tool, and what they share.
//! Does not: rank, match environments or score likeness; core does.

pub mod add_incident;
pub mod add_solution;
pub mod browse;
mod duplicate;
mod environment;
pub mod export;
mod find;
pub(crate) mod foreign;
pub mod import;
pub mod incident;
mod index;
mod input;
mod next;
pub mod ranked_solutions;
mod ranking;
pub mod record_outcome;
pub(crate) mod related;
mod resolve;
pub mod search;
mod side;
