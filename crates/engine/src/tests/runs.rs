//! What is recorded of a run, and when it goes.

mod recording;
mod retention;
mod run_errors;
