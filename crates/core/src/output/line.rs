//! Classifies a single line: of a runner, of a runtime, or the name of a test.

pub(super) mod line_kind;
pub(super) mod runner_lines;
pub(crate) mod runtime_lines;
pub(crate) mod test_title;
mod upper_case_lines;
