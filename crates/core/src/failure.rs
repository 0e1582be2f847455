//! What a failure is before anything is concluded from it: how it arrives, and the names that it can be given.

pub mod category;
pub mod event;
pub mod failure_kind;
