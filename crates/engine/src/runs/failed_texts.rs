//! What a failed case says, redacted and cut to what a run may keep.

use crate::{Engine, limits::MAX_ANALYZED_FAILURES};
use argus_core::redact::Redacted;

/// A run may keep this much text of its failures; once it is used up, each further one keeps little.
const RUN_BUDGET_BYTES: usize = 64 * 1024 * 1024;
const OVER_BUDGET_BYTES: usize = 2 * 1024;
/// An error text of this size is kept whole.
const WHOLE_ERROR_BYTES: usize = 32 * 1024;
/// Of each output stream of a failed case.
const OUTPUT_BYTES: usize = 8 * 1024;

/// What a failed case says, as it was read.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) error: Option<String>,
    pub(crate) stdout: Option<String>,
    pub(crate) stderr: Option<String>,
    pub(crate) kind: Option<String>,
}

/// The same, fit for being kept.
pub(crate) struct CleanTexts {
    pub(crate) error: Option<Redacted>,
    pub(crate) stdout: Option<Redacted>,
    pub(crate) stderr: Option<Redacted>,
    pub(crate) kind: Option<Redacted>,
}

/// What texts a run may still keep.
#[derive(Default)]
pub(crate) struct TextBudget {
    failures: u32,
    used: usize,
}

impl TextBudget {
    /// Counts a failed case; false after `MAX_ANALYZED_FAILURES`, whose texts are not kept.
    pub(crate) const fn takes_failure(&mut self) -> bool {
        self.failures += 1;
        self.failures <= MAX_ANALYZED_FAILURES
    }

    /// The texts of a case, redacted before they are cut to what is left.
    pub(crate) fn clean(&mut self, engine: &Engine, texts: Texts) -> CleanTexts {
        let is_spent = self.used >= RUN_BUDGET_BYTES;
        let (most, output) =
            if is_spent { (OVER_BUDGET_BYTES, OVER_BUDGET_BYTES) } else { (WHOLE_ERROR_BYTES, OUTPUT_BYTES) };
        let clean = |text: Option<String>| text.map(|text| engine.analyzer.redact_whole(&text));
        let tail = |text: Option<String>| clean(text).map(|text| text.tail(output));
        let error = clean(texts.error).map(|error| error.bounded_to(most));
        let (stdout, stderr) = (tail(texts.stdout), tail(texts.stderr));
        self.used += [&error, &stdout, &stderr].into_iter().flatten().map(|text| text.len()).sum::<usize>();
        CleanTexts { error, stdout, stderr, kind: clean(texts.kind) }
    }
}
