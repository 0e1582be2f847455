//! The debug memory: one file per tool, and what they share.
//! Ranking, environments and likeness are computed by core.

mod environment;
pub mod exchange;
pub mod finding;
mod index;
pub(crate) mod input;
mod next;
pub mod recording;
mod resolve;
mod side;
