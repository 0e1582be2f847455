//! Exports incidents and patterns as JSON lines and imports them again.

pub mod export;
pub mod import;
pub mod patterns;
pub mod sharing;
