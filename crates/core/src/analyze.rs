//! Raw failure in, everything that can be concluded from it out: bound, redact, classify, normalize, sign.
//! Does not: remember; nothing here depends on an earlier failure.

use crate::{
    bound,
    classify::{Classification, Classifier, PatternError, UserRule},
    event::FailureEvent,
    normalize::{self, Normalized},
    redact::{Redactor, UserSecret},
    sign::{self, Signatures},
};

/// Everything concluded from one failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The text without secrets; the only form that may be kept or shown. Bounded.
    pub redacted: String,
    /// Kinds of secrets that were replaced.
    pub redactions: Vec<&'static str>,
    /// Category, rule and evidence; the evidence is a span of `redacted`.
    pub classification: Classification,
    /// The stable part of the text.
    pub normalized: Normalized,
    /// Exact and family signature.
    pub signatures: Signatures,
}

/// Redactor and classifier with the project's own rules.
#[derive(Debug)]
pub struct Analyzer {
    classifier: Classifier,
    redactor: Redactor,
}

impl Analyzer {
    /// Compiles the project's own rules and secrets.
    pub fn new(rules: &[UserRule], secrets: &[UserSecret]) -> Result<Self, PatternError> {
        Ok(Self { classifier: Classifier::new(rules)?, redactor: Redactor::new(secrets)? })
    }

    /// Text without secrets and bounded, for everything stored that is not an error text.
    pub fn redact(&self, text: &str) -> String {
        self.redactor.redact(&bound::bound(text)).text.into_owned()
    }

    /// Text without secrets, however long it is: for what the host writes itself.
    pub fn redact_whole(&self, text: &str) -> String {
        self.redactor.redact(text).text.into_owned()
    }

    /// Concludes all of it, in order; `case_name` is the canonical qualified name.
    pub fn analyze(&self, event: FailureEvent, case_name: &str) -> Analysis {
        let text = bound::bound(&event.text);
        let clean = self.redactor.redact(&text);
        let (redacted, redactions) = (clean.text.into_owned(), clean.kinds);
        let exception_type = event.exception_type.as_deref().map(|name| self.redact(name));
        let event = FailureEvent { text: redacted, exception_type, ..event };
        let classification = self.classifier.classify(&event);
        let normalized = normalize::normalize(&event.text);
        let signatures = sign::sign(classification.category, case_name, &event, &normalized);
        Analysis { redacted: event.text, redactions, classification, normalized, signatures }
    }
}
