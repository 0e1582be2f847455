//! What is recorded of a run, and when it goes.

mod brief;
mod recording;
mod retention;
mod run_errors;
