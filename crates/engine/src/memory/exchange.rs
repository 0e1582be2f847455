//! Incidents and patterns as lines of a file: written out, and read in again.

pub mod export;
pub mod import;
pub mod patterns;
pub mod sharing;
