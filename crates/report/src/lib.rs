//! Test reports in, cases out: one streaming parser per format.
//!
//! Messy input gives what could be read plus the problems; an error only when nothing could.
//! Does not: open files, classify, redact, or know SQL.

pub mod model;

pub use model::{CaseStatus, Format, Problem, ReportCase};
