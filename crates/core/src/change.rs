//! Reads a change of the project: its diff, the tests and symbols that it touches, and whether the change is a fix.

pub mod commit_message;
pub(crate) mod declared_tests;
pub(crate) mod diff;
mod digest;
pub(crate) mod files;
pub mod fix_description;
pub mod mined_fix;
pub(crate) mod source_items;
mod symbols;
pub(crate) mod test_markers;
pub(crate) mod tokens;

pub use digest::change_digest;
