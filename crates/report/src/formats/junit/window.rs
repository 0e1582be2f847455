//! Holds failed cases until the end of their suite, because a retry may follow, and the suite's output may contain the
//! reason. Passed cases are not held, except for the last one.

use super::{Suite, dialect::Dialect};
use crate::{
    formats::go_test::drop_explained_parents,
    intake::Intake,
    model::{CaseStatus, ReportCase, SUITE_FAILURE},
    reading::bounded_text::{self, Bounded},
    retries::{Retries, is_same_case, sum},
};

#[derive(Default)]
pub(super) struct Window {
    retries: Retries,
    /// pytest-rerunfailures reports a failed attempt as a case without any error, followed by the next attempt.
    last: Option<ReportCase>,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.retries.len()
    }

    /// Takes a complete case and emits cases that need not wait.
    pub(super) fn push(&mut self, mut case: ReportCase, dialect: Dialect, intake: &mut Intake<'_>) {
        intake.number(&mut case);
        let case = match self.last.take() {
            Some(last) if is_same_case(&last, &case) => fold_rerun(&last, case),
            Some(last) => {
                intake.emit_case(last);
                case
            }
            None => case,
        };
        if self.adds_to_earlier(&case, dialect) {
            return;
        }
        match (case.status, dialect) {
            (CaseStatus::Passed, Dialect::Pytest) if self.retries.find(&case).is_none() => self.last = Some(case),
            _ => self.retries.push(case, dialect.repeats_are_retries(), intake),
        }
    }

    /// Returns true if the case is not a separate attempt, but adds to an earlier case.
    fn adds_to_earlier(&mut self, case: &ReportCase, dialect: Dialect) -> bool {
        let Some(earlier) = self.retries.find(case) else { return false };
        // jest-junit repeats the error of a broken file with the fields of the error object.
        if case.name == SUITE_FAILURE {
            return true;
        }
        let teardown = dialect == Dialect::Pytest && case.runner_status.as_deref() == Some("error");
        if teardown {
            let texts: Vec<String> = [earlier.error.take(), case.error.clone()].into_iter().flatten().collect();
            earlier.error = bounded_text::bound_error(&texts.join("\n\n"));
            earlier.duration_ms = sum(earlier.duration_ms, case.duration_ms);
        }
        teardown
    }

    pub(super) fn push_failed(&mut self, case: ReportCase, intake: &mut Intake<'_>) {
        self.retries.push(case, false, intake);
    }

    /// Emits the last case if it was held back.
    pub(super) fn emit_settled(&mut self, intake: &mut Intake<'_>) {
        if let Some(case) = self.last.take() {
            intake.emit_case(case);
        }
    }

    /// Emits the failed cases of a suite. If there is only one, it gets the suite's output.
    pub(super) fn close_suite(&mut self, suite: &mut Suite, dialect: Dialect, intake: &mut Intake<'_>) {
        if dialect == Dialect::Go {
            self.retries.retain(drop_explained_parents);
        }
        if let [only] = self.retries.since(suite.first) {
            let output = suite.output.take().and_then(Bounded::finish);
            let errors = suite.errors.take().and_then(Bounded::finish);
            only.stdout_tail = only.stdout_tail.take().or(output);
            only.stderr_tail = only.stderr_tail.take().or(errors);
        }
        self.retries.release(suite.first, intake);
    }
}

/// The first attempt has no error, but it must have failed because the test ran again.
fn fold_rerun(first: &ReportCase, last: ReportCase) -> ReportCase {
    ReportCase {
        attempts: first.attempts + last.attempts,
        flaky: last.status == CaseStatus::Passed,
        duration_ms: sum(first.duration_ms, last.duration_ms),
        place: first.place,
        ..last
    }
}
