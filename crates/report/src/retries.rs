//! Holds failed cases back, in bounded memory, because a later attempt of the same case may follow. Cases that pass in
//! the first attempt are emitted immediately.
//!
//! Cases with the same name are attempts only if the writer reports attempts that way (`formats::junit::dialect`), and
//! if all but the last failed, because no tool repeats a test that passed. Otherwise they are separate cases, for
//! example the repetitions of `@RepeatedTest`, and any failure counts.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::intake::{Intake, clean_names};
use crate::model::{CaseStatus, ReportCase};

/// Maximum total size of the texts of waiting cases. Above it, waiting cases are emitted, and a later retry counts as a
/// separate case.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// Holds failed cases and combines their attempts.
#[derive(Default)]
pub(crate) struct Retries {
    waiting: Vec<Attempts>,
    by_name: HashMap<u64, usize>,
    bytes: usize,
}

/// The attempts of a case, of which the first failed.
struct Attempts(Vec<ReportCase>);

impl Retries {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes a complete case. With `repeats`, a case with a known name is another attempt.
    pub(crate) fn push(&mut self, mut case: ReportCase, repeats: bool, intake: &mut Intake<'_>) {
        clean_names(&mut case);
        if repeats && let Some(at) = self.index_of(&case) {
            self.bytes += text_bytes(&case);
            self.waiting[at].0.push(case);
            return;
        }
        intake.assign_position(&mut case);
        if case.status == CaseStatus::Failed {
            self.hold_back(case, intake);
        } else {
            intake.emit_case(case);
        }
    }

    /// Returns the last attempt of the waiting case with the same name.
    pub(crate) fn find(&mut self, case: &ReportCase) -> Option<&mut ReportCase> {
        let at = self.index_of(case)?;
        self.waiting[at].0.last_mut()
    }

    fn index_of(&self, case: &ReportCase) -> Option<usize> {
        if self.waiting.is_empty() {
            return None;
        }
        let at = *self.by_name.get(&hash_name(case))?;
        let earlier = self.waiting.get(at)?.0.first()?;
        is_same_case(earlier, case).then_some(at)
    }

    fn hold_back(&mut self, case: ReportCase, intake: &mut Intake<'_>) {
        self.bytes += text_bytes(&case);
        // A case that passed before was not retried because of this failure.
        if case.place.occurrence == 1 {
            self.by_name.insert(hash_name(&case), self.waiting.len());
        }
        self.waiting.push(Attempts(vec![case]));
        if self.bytes > MAX_WAITING_BYTES {
            self.release(0, intake);
        }
    }

    /// Removes the waiting cases starting at index `first`, with their attempts combined.
    pub(crate) fn take_since(&mut self, first: usize) -> Vec<ReportCase> {
        let first = first.min(self.waiting.len());
        let taken: Vec<Attempts> = self.waiting.drain(first..).collect();
        let freed: usize = taken.iter().flat_map(|case| &case.0).map(text_bytes).sum();
        self.bytes = self.bytes.saturating_sub(freed);
        if self.waiting.is_empty() {
            self.by_name.clear();
        }
        taken.into_iter().flat_map(Attempts::combine).collect()
    }

    /// Emits the waiting cases starting at index `first`.
    pub(crate) fn release(&mut self, first: usize, intake: &mut Intake<'_>) {
        for case in self.take_since(first) {
            intake.emit_case(case);
        }
    }

    /// Treats all attempts of the waiting cases starting at index `first` as separate cases.
    pub(crate) fn separate_attempts_since(&mut self, first: usize) {
        let first = first.min(self.waiting.len());
        let attempts: Vec<Attempts> = self.waiting.drain(first..).collect();
        self.waiting.extend(attempts.into_iter().flat_map(|case| case.0).map(|case| Attempts(vec![case])));
    }
}

impl Attempts {
    fn combine(self) -> Vec<ReportCase> {
        let Some((_, before)) = self.0.split_last() else { return Vec::new() };
        if !before.iter().all(|attempt| attempt.status == CaseStatus::Failed) {
            return self.0;
        }
        self.0.into_iter().reduce(merge_retry).into_iter().collect()
    }
}

pub(crate) fn is_same_case(left: &ReportCase, right: &ReportCase) -> bool {
    left.name == right.name && left.suite == right.suite && left.file == right.file
}

fn hash_name(case: &ReportCase) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&case.file, &case.suite, &case.name).hash(&mut hasher);
    hasher.finish()
}

fn text_bytes(case: &ReportCase) -> usize {
    let texts = [&case.error, &case.stdout_tail, &case.stderr_tail];
    256 + texts.iter().map(|text| text.as_ref().map_or(0, String::len)).sum::<usize>()
}

/// Adds another attempt to a failed case.
pub(crate) fn merge_retry(earlier: ReportCase, again: ReportCase) -> ReportCase {
    let mut merged = ReportCase {
        duration_ms: add_optional(earlier.duration_ms, again.duration_ms),
        attempts: earlier.attempts + again.attempts,
        ..earlier
    };
    match again.status {
        CaseStatus::Passed => {
            merged.status = CaseStatus::Passed;
            merged.flaky = true;
        }
        CaseStatus::Failed => {
            merged.error = again.error.or(merged.error);
            merged.error_type = again.error_type.or(merged.error_type);
            merged.stdout_tail = again.stdout_tail.or(merged.stdout_tail);
            merged.stderr_tail = again.stderr_tail.or(merged.stderr_tail);
        }
        CaseStatus::Skipped => {}
    }
    merged
}

pub(crate) fn add_optional(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left + right),
        (left, right) => left.or(right),
    }
}
