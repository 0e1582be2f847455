//! The debug memory: one file per tool, and shared helpers. `argus_core` computes rankings, environments and
//! similarity.

mod environment;
pub mod exchange;
pub mod finding;
mod index;
pub(crate) mod input;
mod next;
pub mod recording;
mod resolve;
mod side;
