//! Failed cases wait here for the end of their suite: a retry may follow, and the suite's output may say why.
//! Does not: hold passed cases, but for the very last one; memory is bounded.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Suite;
use super::dialect::Dialect;
use crate::intake::Intake;
use crate::model::{CaseStatus, ReportCase, SUITE_FAILURE};

/// Texts of waiting cases; above it they leave at once, and a later retry counts as a case of its own.
const BYTES: usize = 16 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Window {
    waiting: Vec<ReportCase>,
    by_name: HashMap<u64, usize>,
    /// pytest-rerunfailures reports a failed attempt as a case without any error, followed by the next attempt.
    last: Option<ReportCase>,
    bytes: usize,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes a complete case; emits what needs not wait.
    pub(super) fn push(&mut self, case: ReportCase, dialect: Dialect, intake: &mut Intake<'_>) {
        let case = match self.last.take() {
            Some(last) if same(&last, &case) => fold_rerun(&last, case),
            Some(last) => {
                intake.emit(last);
                case
            }
            None => case,
        };
        if (dialect.repeats_are_retries() || case.name == SUITE_FAILURE)
            && let Some(earlier) = self.find(&case)
        {
            fold(earlier, case, dialect);
            return;
        }
        match (case.status, dialect) {
            (CaseStatus::Failed, _) => self.push_failed(case, intake),
            (CaseStatus::Passed, Dialect::Pytest) => self.last = Some(case),
            // `-count=2` repeats every test; one passing is enough.
            (CaseStatus::Passed, Dialect::Go) if intake.has(&case) => {}
            _ => intake.emit(case),
        }
    }

    pub(super) fn push_failed(&mut self, case: ReportCase, intake: &mut Intake<'_>) {
        self.bytes += weight(&case);
        self.by_name.insert(hash(&case), self.waiting.len());
        self.waiting.push(case);
        if self.bytes > BYTES {
            self.drain(0, intake);
        }
    }

    /// Emits the last case if it was held back; nothing more of it follows.
    pub(super) fn settle(&mut self, intake: &mut Intake<'_>) {
        if let Some(case) = self.last.take() {
            intake.emit(case);
        }
    }

    /// Emits a suite's failed cases. The suite's own output goes to its failed case where there is just one.
    pub(super) fn close_suite(&mut self, suite: &mut Suite, dialect: Dialect, intake: &mut Intake<'_>) {
        let first = suite.first.min(self.waiting.len());
        if dialect == Dialect::Go {
            drop_explained_parents(&mut self.waiting, first);
        }
        if let [only] = &mut self.waiting[first..] {
            let output = suite.output.take().and_then(crate::text::Bounded::finish);
            let errors = suite.errors.take().and_then(crate::text::Bounded::finish);
            only.stdout_tail = only.stdout_tail.take().or(output);
            only.stderr_tail = only.stderr_tail.take().or(errors);
        }
        self.drain(first, intake);
    }

    fn drain(&mut self, first: usize, intake: &mut Intake<'_>) {
        for case in self.waiting.drain(first..) {
            self.bytes = self.bytes.saturating_sub(weight(&case));
            intake.emit(case);
        }
        if self.waiting.is_empty() {
            self.by_name.clear();
            self.bytes = 0;
        }
    }

    fn find(&mut self, case: &ReportCase) -> Option<&mut ReportCase> {
        let at = *self.by_name.get(&hash(case))?;
        self.waiting.get_mut(at).filter(|earlier| same(earlier, case))
    }
}

fn same(left: &ReportCase, right: &ReportCase) -> bool {
    left.name == right.name && left.suite == right.suite && left.file == right.file
}

fn hash(case: &ReportCase) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&case.file, &case.suite, &case.name).hash(&mut hasher);
    hasher.finish()
}

fn weight(case: &ReportCase) -> usize {
    let texts = [&case.error, &case.stdout_tail, &case.stderr_tail];
    256 + texts.iter().map(|text| text.as_ref().map_or(0, String::len)).sum::<usize>()
}

/// The first attempt carried no error, yet it was run again: it failed.
fn fold_rerun(first: &ReportCase, last: ReportCase) -> ReportCase {
    ReportCase {
        attempts: first.attempts + last.attempts,
        flaky: last.status == CaseStatus::Passed,
        duration_ms: sum(first.duration_ms, last.duration_ms),
        ..last
    }
}

/// A failed case appears again: another attempt, or (pytest) its teardown failed too.
fn fold(earlier: &mut ReportCase, again: ReportCase, dialect: Dialect) {
    // jest-junit writes a broken file's error again as the error object's fields.
    if again.name == SUITE_FAILURE {
        return;
    }
    earlier.duration_ms = sum(earlier.duration_ms, again.duration_ms);
    let teardown = dialect == Dialect::Pytest && again.runner_status.as_deref() == Some("error");
    if teardown && earlier.status == CaseStatus::Failed {
        let texts: Vec<String> = [earlier.error.take(), again.error].into_iter().flatten().collect();
        earlier.error = crate::text::bound_error(&texts.join("\n\n"));
        return;
    }
    earlier.attempts += again.attempts;
    match again.status {
        CaseStatus::Passed => {
            earlier.status = CaseStatus::Passed;
            earlier.flaky = true;
        }
        CaseStatus::Failed => {
            // It failed after it had passed: that is no retry that held.
            earlier.flaky = false;
            earlier.status = CaseStatus::Failed;
            earlier.error = again.error.or(earlier.error.take());
            earlier.error_type = again.error_type.or(earlier.error_type.take());
            earlier.stdout_tail = again.stdout_tail.or(earlier.stdout_tail.take());
            earlier.stderr_tail = again.stderr_tail.or(earlier.stderr_tail.take());
        }
        CaseStatus::Skipped => {}
    }
}

fn sum(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left + right),
        (left, right) => left.or(right),
    }
}

/// A Go test fails with its subtest. Where it says nothing of its own, the subtest is the failure.
fn drop_explained_parents(waiting: &mut Vec<ReportCase>, first: usize) {
    let failed: Vec<String> = waiting[first..].iter().map(|case| case.name.clone()).collect();
    let mut at = 0;
    waiting.retain(|case| {
        at += 1;
        let parent = format!("{}/", case.name);
        at <= first
            || !crate::gotext::is_framing(case.error.as_deref())
            || !failed.iter().any(|name| name.starts_with(&parent))
    });
}
