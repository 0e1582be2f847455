//! Recording and deleting runs.

mod brief;
mod known_names;
mod recording;
mod retention;
mod run_errors;
