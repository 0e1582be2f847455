//! Searches incidents and solutions that match a text, best first.

pub mod browse;
mod claim_texts;
pub(super) mod find;
pub(crate) mod foreign;
pub mod incident;
pub(super) mod listed;
pub mod ranked_solutions;
pub(super) mod ranking;
pub(crate) mod related_incidents;
pub mod search;
pub(crate) mod shared;
