//! The debug memory: one file per tool, and what they share.
//! Does not: rank, match environments or score likeness; core does.

mod environment;
pub mod exchange;
pub mod finding;
mod index;
mod input;
mod next;
pub mod recording;
mod resolve;
mod side;
