//! The calls and edits of the viewer, on a real store.

mod editing;
mod health;
mod merging;
mod now;
mod pattern_pages;
mod random_edits;
mod runs;
mod wrong_fixes;

use crate::tests::prelude::*;

/// A rule that changes the category of [`UNKNOWN_ERROR`](super::UNKNOWN), so that learned patterns are signed again.
pub(super) fn flux_rule() -> UserRule {
    UserRule { name: "flux".to_owned(), category: Category::ConfigError, pattern: "flux capacitor".to_owned() }
}

impl World {
    pub(super) fn view_rows(&self, params: &ViewPatternsParams) -> ViewPatternsResult {
        self.call(view_patterns, params).unwrap()
    }

    pub(super) fn view_page(&self, id: &str) -> ViewPatternResult {
        let params = ViewPatternParams { id: id.to_owned(), ..ViewPatternParams::default() };
        self.call(view_pattern, &params).unwrap()
    }

    pub(super) fn edit(&self, params: &EditPatternParams) -> Result<PatternTableRow, EngineError> {
        self.call(edit_pattern, params)
    }

    /// Sets category, description and fix.
    pub(super) fn set(&self, id: &str, category: Category, description: &str, fix: &str) -> PatternTableRow {
        let params = EditPatternParams {
            id: id.to_owned(),
            category: Change::Set(category),
            description: Change::Set(description.to_owned()),
            suggested_fix: Change::Set(fix.to_owned()),
        };
        self.edit(&params).unwrap()
    }

    pub(super) fn join(&self, from: &str, into: &str) -> Result<PatternTableRow, EngineError> {
        let params = MergePatternsParams { from: from.to_owned(), into: into.to_owned() };
        self.call(merge_patterns, &params)
    }

    pub(super) fn part(&self, pattern: &str, part: &str) -> Result<PatternTableRow, EngineError> {
        let params = SplitPatternParams { pattern: pattern.to_owned(), part: part.to_owned() };
        self.call(split_pattern, &params)
    }

    pub(super) fn judge(&self, fix_id: &str, wrong: bool) -> Result<MarkFixResult, EngineError> {
        let params = MarkFixParams { fix_id: Some(fix_id.to_owned()), solution_id: None, wrong };
        self.call(mark_fix, &params)
    }

    /// Returns the id of the pattern that a diagnosis shows or has just learned.
    pub(super) fn learn(&self, run_id: &str, case: &str) -> String {
        self.diagnose(run_id, case).unwrap();
        self.diagnose(run_id, case).unwrap().pattern.unwrap().id
    }
}
