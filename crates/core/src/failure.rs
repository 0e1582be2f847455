//! The input of the analysis, and the categories and kinds of failures.

pub mod category;
pub mod event;
pub mod failure_kind;
