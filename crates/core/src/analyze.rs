//! Analyzes a raw failure: redact, bound, classify, normalize, sign. The result does not depend on earlier failures.

use crate::{
    classify::{Classification, Classifier, PatternError, UserRule},
    failure::event::FailureEvent,
    identity::sign::{self, Signatures},
    normalize::{self, NormalizedFailure},
    redact::{RedactedText, Redactor, SecretPattern},
    text::{bound, printed_objects::shorten_printed_objects},
};

/// The results of the analysis of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The text without secrets, at most `MAX_TEXT_BYTES` bytes long, plus a note about omitted bytes. Store and show
    /// only this text.
    pub redacted: String,
    /// Kinds of secrets that were replaced.
    pub redactions: Vec<&'static str>,
    /// Category, rule and evidence. The evidence is a byte range of `redacted`.
    pub classification: Classification,
    /// The stable part of the text.
    pub normalized: NormalizedFailure,
    /// The text from which the signature is computed: the stable part, plus the place if the stable part is too
    /// generic.
    pub normalized_error: String,
    /// The signature and the family of the failure.
    pub signatures: Signatures,
}

/// Analyzes failures with the rules and secrets of the project.
#[derive(Debug)]
pub struct Analyzer {
    classifier: Classifier,
    redactor: Redactor,
}

impl Analyzer {
    /// Compiles the project's own rules and secrets.
    pub fn new(rules: &[UserRule], secrets: &[SecretPattern]) -> Result<Self, PatternError> {
        Ok(Self { classifier: Classifier::new(rules)?, redactor: Redactor::new(secrets)? })
    }

    /// Redacts and bounds a text that is not an error text, so that it can be stored.
    pub fn redact(&self, text: &str) -> RedactedText {
        self.redactor.redact_text(text).bounded_to(bound::MAX_TEXT_BYTES)
    }

    /// Redacts a text without bounding it. For text that the host created.
    pub fn redact_without_limit(&self, text: &str) -> RedactedText {
        self.redactor.redact_text(text)
    }

    /// Runs all steps in order. `case_name` is the full name of the case.
    pub fn analyze(&self, event: FailureEvent, case_name: &str) -> Analysis {
        let clean = self.redact_and_bound(event);
        let classification = self.classifier.classify(&clean.event);
        let normalized = normalize::normalize(&clean.event.text);
        clean.normalize_and_sign(classification, normalized, case_name)
    }

    /// Analyzes many failures with the names of their cases. Each step runs for [`BATCH_FAILURES`] failures before the
    /// next step runs, so that the data of a step stays in the processor's cache.
    pub fn analyze_all(&self, failures: Vec<(FailureEvent, String)>) -> Vec<Analysis> {
        let mut analyses = Vec::with_capacity(failures.len());
        let mut failures = failures.into_iter();
        while failures.len() > 0 {
            let (clean, names): (Vec<_>, Vec<_>) = failures
                .by_ref()
                .take(BATCH_FAILURES)
                .map(|(event, name)| (self.redact_and_bound(event), name))
                .unzip();
            let classified: Vec<_> = clean.iter().map(|clean| self.classifier.classify(&clean.event)).collect();
            let normalized: Vec<_> = clean.iter().map(|clean| normalize::normalize(&clean.event.text)).collect();
            let steps = clean.into_iter().zip(classified).zip(normalized).zip(names);
            analyses.extend(steps.map(|(((clean, class), text), name)| clean.normalize_and_sign(class, text, &name)));
        }
        analyses
    }

    fn redact_and_bound(&self, event: FailureEvent) -> CleanFailure {
        let text = shorten_printed_objects(&event.text);
        let mut clean = self.redactor.redact(&text);
        let redactions = std::mem::take(&mut clean.kinds);
        let text = RedactedText::from_redaction(clean).bounded_to(bound::MAX_TEXT_BYTES).into_string();
        let redact = |name: Option<String>| name.map(|name| self.redact(&name).into_string());
        let (exception_type, signal, runner) =
            (redact(event.exception_type), redact(event.signal), redact(event.runner));
        let container_status = redact(event.container_status);
        CleanFailure {
            event: FailureEvent { text, exception_type, signal, container_status, runner, ..event },
            redactions,
        }
    }
}

/// Number of failures for which a step runs before the next step.
pub const BATCH_FAILURES: usize = 64;

/// A redacted and bounded failure.
struct CleanFailure {
    event: FailureEvent,
    redactions: Vec<&'static str>,
}

impl CleanFailure {
    fn normalize_and_sign(
        self,
        classification: Classification,
        normalized: NormalizedFailure,
        case_name: &str,
    ) -> Analysis {
        let normalized_error = normalized.signature_input().into_owned();
        let signatures = sign::sign(classification.category, case_name, &self.event, &normalized);
        let Self { event, redactions } = self;
        Analysis { redacted: event.text, redactions, classification, normalized, normalized_error, signatures }
    }
}

#[cfg(test)]
mod tests {
    use super::{Analyzer, BATCH_FAILURES};
    use crate::{failure::event::FailureEvent, identity::sign::sha256_hex};
    use serde::Deserialize;
    use std::collections::HashSet;

    /// A row of `tests/vectors/identity.jsonl`: failures of one test, or of the cases named, that are all the same or
    /// all different.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct IdentityRow {
        kind: String,
        same: bool,
        texts: Vec<String>,
        #[serde(default)]
        cases: Vec<String>,
    }

    #[test]
    fn matches_identity_vectors() {
        let analyzer = Analyzer::new(&[], &[]).unwrap();
        let mut wrong = Vec::new();
        for line in include_str!("../../../tests/vectors/identity.jsonl").lines() {
            let IdentityRow { kind, same, texts, cases } = serde_json::from_str(line).unwrap();
            let case = |at: usize| cases.get(at).map_or("test/cart.test > adds", String::as_str);
            let event = |text: &String| FailureEvent { text: text.clone(), ..FailureEvent::default() };
            let signed: Vec<_> =
                texts.iter().enumerate().map(|(at, text)| analyzer.analyze(event(text), case(at)).signatures).collect();
            assert!(signed.iter().all(|one| one.signature == sha256_hex(&one.signature_text)), "{kind}");
            let patterns: HashSet<&str> = signed.iter().map(|one| one.signature_text.as_str()).collect();
            if patterns.len() != if same { 1 } else { texts.len() } {
                wrong.push(format!("{kind}: {patterns:#?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn batch_matches_single() {
        let analyzer = Analyzer::new(&[], &[]).unwrap();
        let texts = ["Error: connect ECONNREFUSED 10.0.0.1:5432", "expected 1 to equal 2", "password=hunter2x left"];
        let failures: Vec<_> = (0..=2 * BATCH_FAILURES)
            .map(|at| {
                let text = format!("{} {at}", texts[at % texts.len()]);
                (FailureEvent { text, exit_code: Some(1), ..FailureEvent::default() }, format!("case {at}"))
            })
            .collect();
        let each: Vec<_> = failures.iter().map(|(event, name)| analyzer.analyze(event.clone(), name)).collect();
        assert_eq!(analyzer.analyze_all(failures), each);
        assert_eq!(analyzer.analyze_all(Vec::new()), []);
    }
}
