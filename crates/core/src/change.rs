//! A change of the project: its diff, the tests and symbols that it touches, and whether it is a fix.

pub(crate) mod declared;
pub mod described;
pub(crate) mod diff;
mod digest;
pub(crate) mod files;
pub(crate) mod markers;
pub mod message;
pub mod mined;
pub(crate) mod scan;
mod symbols;
pub(crate) mod tokens;

pub use digest::change_digest;
