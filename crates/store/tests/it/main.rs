//! Tests over whole databases, in one program because each one costs a link.
#![allow(clippy::unwrap_used, reason = "tests; clippy knows only functions marked as one")]

mod database;
mod identity;
mod postgres;
mod sameness;
mod search;
mod snapshot;
