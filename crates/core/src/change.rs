//! Reads a change of the project: its diff, the tests and symbols that it touches, and whether the change is a fix.

pub(crate) mod declared_tests;
pub(crate) mod diff;
mod digest;
pub(crate) mod files;
pub mod fix_description;
pub(crate) mod markers;
pub mod message;
pub mod mined_fix;
pub(crate) mod scan;
mod symbols;
pub(crate) mod tokens;

pub use digest::change_digest;
