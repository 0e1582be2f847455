//! Holds failed cases until the end of their suite, because a retry may follow, and the suite's output may contain the
//! reason. Passed cases are not held, except for the last passed case.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use super::{
    Suite,
    dialect::{AttemptStyle, Dialect},
};
use crate::{
    formats::go_test::remove_explained_parents,
    intake::{Intake, clean_names},
    model::{CaseStatus, ReportCase, SUITE_FAILURE_NAME},
    reading::bounded_text::{self, BoundedText},
    retries::{Retries, add_optional, is_same_case},
};

#[derive(Default)]
pub(super) struct HeldCases {
    retries: Retries,
    /// pytest-rerunfailures reports a failed attempt as a case without any error, followed by the next attempt.
    last: Option<ReportCase>,
    /// Number of cases per name in the suite, by hash. Only for [`AttemptStyle::CasesOrRepeats`].
    runs: HashMap<u64, u32>,
}

impl HeldCases {
    pub(super) fn len(&self) -> usize {
        self.retries.len()
    }

    /// Takes a complete case and emits cases that need not wait.
    pub(super) fn push(&mut self, mut case: ReportCase, dialect: Dialect, intake: &mut Intake<'_>) {
        clean_names(&mut case);
        let mut case = match self.last.take() {
            Some(last) if is_same_case(&last, &case) => merge_rerun(&last, case),
            Some(last) => {
                intake.emit_case(last);
                case
            }
            None => case,
        };
        if self.merge_into_earlier(&case, dialect) {
            return;
        }
        let attempts = dialect.attempts();
        match (case.status, attempts) {
            (CaseStatus::Passed, AttemptStyle::WithoutError) if self.retries.find(&case).is_none() => {
                intake.assign_position(&mut case);
                self.last = Some(case);
                return;
            }
            (_, AttemptStyle::CasesOrRepeats) => *self.runs.entry(name_hash(&case)).or_insert(0) += 1,
            _ => {}
        }
        self.retries.push(case, matches!(attempts, AttemptStyle::Cases | AttemptStyle::CasesOrRepeats), intake);
    }

    /// Returns true if the case is not a separate attempt, but adds to an earlier case.
    fn merge_into_earlier(&mut self, case: &ReportCase, dialect: Dialect) -> bool {
        let Some(earlier) = self.retries.find(case) else { return false };
        // jest-junit repeats the error of a broken file with the fields of the error object.
        if case.name == SUITE_FAILURE_NAME {
            return true;
        }
        let teardown = dialect == Dialect::Pytest && case.runner_status.as_deref() == Some("error");
        if teardown {
            let texts: Vec<String> = [earlier.error.take(), case.error.clone()].into_iter().flatten().collect();
            earlier.error = bounded_text::bound_error(&texts.join("\n\n"));
            earlier.duration_ms = add_optional(earlier.duration_ms, case.duration_ms);
        }
        teardown
    }

    pub(super) fn push_failed(&mut self, case: ReportCase, intake: &mut Intake<'_>) {
        self.retries.push(case, false, intake);
    }

    /// Emits the last case if it was held back.
    pub(super) fn emit_held_case(&mut self, intake: &mut Intake<'_>) {
        if let Some(case) = self.last.take() {
            intake.emit_case(case);
        }
    }

    /// Emits the failed cases of a suite. If only a single case failed, it gets the suite's output.
    pub(super) fn close_suite(&mut self, suite: &mut Suite, dialect: Dialect, intake: &mut Intake<'_>) {
        // `-count=2` repeats all tests, but gotestsum only failed tests.
        if dialect.attempts() == AttemptStyle::CasesOrRepeats && self.runs.drain().all(|(_, count)| count > 1) {
            self.retries.separate_attempts_since(suite.first);
        }
        let mut waiting = self.retries.take_since(suite.first);
        if dialect == Dialect::Go {
            remove_explained_parents(&mut waiting);
        }
        if let [only] = waiting.as_mut_slice() {
            let output = suite.output.take().and_then(BoundedText::finish);
            let errors = suite.errors.take().and_then(BoundedText::finish);
            only.stdout_tail = only.stdout_tail.take().or(output);
            only.stderr_tail = only.stderr_tail.take().or(errors);
        }
        for case in waiting {
            intake.emit_case(case);
        }
    }
}

fn name_hash(case: &ReportCase) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&case.suite, &case.name).hash(&mut hasher);
    hasher.finish()
}

/// The first attempt has no error, but it must have failed because the test ran again.
fn merge_rerun(first: &ReportCase, last: ReportCase) -> ReportCase {
    ReportCase {
        attempts: first.attempts + last.attempts,
        flaky: last.status == CaseStatus::Passed,
        duration_ms: add_optional(first.duration_ms, last.duration_ms),
        place: first.place,
        ..last
    }
}
