//! Searches incidents and solutions that match a text, best first.

pub mod browse;
pub(crate) mod foreign;
mod foreign_texts;
pub mod incident;
pub(super) mod memory_search;
pub mod ranked_solutions;
pub(super) mod ranking;
pub(crate) mod related_incidents;
pub mod search;
pub(super) mod search_results;
pub(crate) mod shared;
