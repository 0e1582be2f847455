//! Holds failed cases back, in bounded memory, because a later attempt of the same case may follow. Cases that pass in
//! the first attempt are emitted immediately.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::intake::Intake;
use crate::model::{CaseStatus, ReportCase};

/// Maximum total size of the texts of waiting cases. Above it, waiting cases are emitted, and a later retry counts as a
/// separate case.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// Combines the attempts of a case.
#[derive(Default)]
pub(crate) struct Retries {
    waiting: Vec<ReportCase>,
    by_name: HashMap<u64, usize>,
    bytes: usize,
}

impl Retries {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes a complete case. With `repeats`, a case with a known name is another attempt.
    pub(crate) fn push(&mut self, mut case: ReportCase, repeats: bool, intake: &mut Intake<'_>) {
        intake.number(&mut case);
        if repeats && let Some(earlier) = self.find(&case) {
            merge_retry(earlier, case);
        } else if case.status == CaseStatus::Failed {
            self.wait(case, intake);
        } else if !(repeats && case.status == CaseStatus::Passed && intake.has_case(&case)) {
            // `go test -count=2` repeats every test, so a further pass is dropped.
            intake.emit_case(case);
        }
    }

    /// The waiting case with the same name.
    pub(crate) fn find(&mut self, case: &ReportCase) -> Option<&mut ReportCase> {
        if self.waiting.is_empty() {
            return None;
        }
        let at = *self.by_name.get(&hash(case))?;
        self.waiting.get_mut(at).filter(|earlier| is_same_case(earlier, case))
    }

    fn wait(&mut self, case: ReportCase, intake: &mut Intake<'_>) {
        self.bytes += weight(&case);
        self.by_name.insert(hash(&case), self.waiting.len());
        self.waiting.push(case);
        if self.bytes > MAX_WAITING_BYTES {
            self.release(0, intake);
        }
    }

    /// The waiting cases starting at index `first`.
    pub(crate) fn since(&mut self, first: usize) -> &mut [ReportCase] {
        let first = first.min(self.waiting.len());
        &mut self.waiting[first..]
    }

    /// Lets `choose` remove waiting cases.
    pub(crate) fn retain(&mut self, choose: impl FnOnce(&mut Vec<ReportCase>)) {
        choose(&mut self.waiting);
        self.by_name = self.waiting.iter().enumerate().map(|(at, case)| (hash(case), at)).collect();
    }

    /// Emits the waiting cases starting at index `first`.
    pub(crate) fn release(&mut self, first: usize, intake: &mut Intake<'_>) {
        for case in self.waiting.drain(first.min(self.waiting.len())..) {
            self.bytes = self.bytes.saturating_sub(weight(&case));
            intake.emit_case(case);
        }
        if self.waiting.is_empty() {
            self.by_name.clear();
            self.bytes = 0;
        }
    }

    /// Emits all waiting cases.
    pub(crate) fn finish(&mut self, intake: &mut Intake<'_>) {
        self.release(0, intake);
    }
}

pub(crate) fn is_same_case(left: &ReportCase, right: &ReportCase) -> bool {
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

/// Adds another attempt to a failed case.
fn merge_retry(earlier: &mut ReportCase, again: ReportCase) {
    earlier.duration_ms = sum(earlier.duration_ms, again.duration_ms);
    earlier.attempts += again.attempts;
    match again.status {
        CaseStatus::Passed => {
            earlier.status = CaseStatus::Passed;
            earlier.flaky = true;
        }
        CaseStatus::Failed => {
            // The last attempt failed, so the case failed, even if an earlier attempt passed.
            earlier.status = CaseStatus::Failed;
            earlier.flaky = false;
            earlier.error = again.error.or(earlier.error.take());
            earlier.error_type = again.error_type.or(earlier.error_type.take());
            earlier.stdout_tail = again.stdout_tail.or(earlier.stdout_tail.take());
            earlier.stderr_tail = again.stderr_tail.or(earlier.stderr_tail.take());
        }
        CaseStatus::Skipped => {}
    }
}

pub(crate) fn sum(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left + right),
        (left, right) => left.or(right),
    }
}
