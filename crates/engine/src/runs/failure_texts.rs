//! Redacts the texts of failed cases and cuts them to the size that a run may store.

use crate::{Engine, limits::MAX_ANALYZED_FAILURES};
use argus_core::redact::RedactedText;

/// Maximum size of the failure texts of a run. Once it is used up, each further text is cut to `MAX_OVER_BUDGET_BYTES`.
const MAX_RUN_TEXT_BYTES: usize = 64 * 1024 * 1024;
const MAX_OVER_BUDGET_BYTES: usize = 2 * 1024;
/// Maximum size of an error text.
const MAX_ERROR_BYTES: usize = 32 * 1024;
/// Maximum size of each output stream of a failed case.
const MAX_OUTPUT_BYTES: usize = 8 * 1024;

/// Texts of a failed case as they were read.
#[derive(Default)]
pub(crate) struct FailureTexts {
    pub(crate) error: Option<String>,
    pub(crate) stdout: Option<String>,
    pub(crate) stderr: Option<String>,
    pub(crate) kind: Option<String>,
}

/// Texts of a failed case, redacted and cut for storing.
pub(crate) struct CleanFailureTexts {
    pub(crate) error: Option<RedactedText>,
    pub(crate) stdout: Option<RedactedText>,
    pub(crate) stderr: Option<RedactedText>,
    pub(crate) kind: Option<RedactedText>,
}

/// Tracks how much text a run may still store.
#[derive(Default)]
pub(crate) struct TextBudget {
    failures: u32,
    used: usize,
}

impl TextBudget {
    /// Counts a failed case. Returns false after `MAX_ANALYZED_FAILURES`; the texts of further failures are not
    /// stored.
    pub(crate) const fn count_failure(&mut self) -> bool {
        self.failures += 1;
        self.failures <= MAX_ANALYZED_FAILURES
    }

    /// Redacts the texts of a case, then cuts them to the remaining budget. Redaction comes first, because half of a
    /// secret is not recognized.
    pub(crate) fn clean_texts(&mut self, engine: &Engine, texts: FailureTexts) -> CleanFailureTexts {
        let is_spent = self.used >= MAX_RUN_TEXT_BYTES;
        let (most, output) =
            if is_spent { (MAX_OVER_BUDGET_BYTES, MAX_OVER_BUDGET_BYTES) } else { (MAX_ERROR_BYTES, MAX_OUTPUT_BYTES) };
        let clean = |text: Option<String>| text.map(|text| engine.analyzer.redact_without_limit(&text));
        let tail = |text: Option<String>| clean(text).map(|text| text.tail(output));
        let error = clean(texts.error).map(|error| error.bounded_to(most));
        let (stdout, stderr) = (tail(texts.stdout), tail(texts.stderr));
        self.used += [&error, &stdout, &stderr].into_iter().flatten().map(|text| text.len()).sum::<usize>();
        CleanFailureTexts { error, stdout, stderr, kind: clean(texts.kind) }
    }
}
