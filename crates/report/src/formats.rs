//! One file for each report format: what it holds becomes the cases of a run.

pub(super) mod ctrf;
pub(super) mod go_test;
mod go_text;
pub(super) mod jest;
pub(super) mod junit;
pub(super) mod playwright;
pub(super) mod tap;
