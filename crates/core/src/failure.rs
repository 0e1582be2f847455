//! The input of the analysis: a failure as it arrives, and the names of categories and kinds.

pub mod category;
pub mod event;
pub mod failure_kind;
