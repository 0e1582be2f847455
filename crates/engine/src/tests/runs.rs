//! Recording and deleting runs.

mod brief;
mod recording;
mod retention;
mod run_errors;
