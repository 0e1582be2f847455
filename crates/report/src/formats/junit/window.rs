//! Failed cases wait for the end of their suite: a retry may follow, and the suite's output may say why.
//! Passed cases are not held, but for the very last one.

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

    /// Takes a complete case; hands out what needs not wait.
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

    /// Whether the case is no attempt of its own but says more of one before it.
    fn adds_to_earlier(&mut self, case: &ReportCase, dialect: Dialect) -> bool {
        let Some(earlier) = self.retries.find(case) else { return false };
        // jest-junit writes a broken file's error again, as the error object's fields.
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

    /// Hands out the last case if it was held back; nothing more of it follows.
    pub(super) fn emit_settled(&mut self, intake: &mut Intake<'_>) {
        if let Some(case) = self.last.take() {
            intake.emit_case(case);
        }
    }

    /// Hands out a suite's failed cases. The suite's own output goes to its failed case where there is just one.
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

/// The first attempt carried no error, yet it was run again: it failed.
fn fold_rerun(first: &ReportCase, last: ReportCase) -> ReportCase {
    ReportCase {
        attempts: first.attempts + last.attempts,
        flaky: last.status == CaseStatus::Passed,
        duration_ms: sum(first.duration_ms, last.duration_ms),
        place: first.place,
        ..last
    }
}
