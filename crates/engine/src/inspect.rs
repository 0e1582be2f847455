//! Everything that can be concluded from one failure text, with nothing stored.
//! Does not: know a database.

use crate::contract::{Evidence, Inspection};
use argus_core::{Analyzer, FailureEvent, classify::Span};

/// Concludes all of it.
pub fn inspect(analyzer: &Analyzer, event: FailureEvent, case_name: &str) -> Inspection {
    let analysis = analyzer.analyze(event, case_name);
    let evidence = analysis.classification.evidence.and_then(|span| evidence(&analysis.redacted, &span));
    Inspection {
        category: analysis.classification.category,
        rule: analysis.classification.rule,
        evidence,
        redacted: analysis.redacted,
        redactions: analysis.redactions.into_iter().map(ToOwned::to_owned).collect(),
        normalized: analysis.normalized.text,
        signature: analysis.signatures.exact,
        family_signature: analysis.signatures.family,
        signature_pattern: analysis.signatures.pattern,
    }
}

fn evidence(text: &str, span: &Span) -> Option<Evidence> {
    let words = text.get(span.start..span.end)?;
    let start = units(text.get(..span.start)?);
    Some(Evidence { start, end: start.saturating_add(units(words)), text: words.to_owned() })
}

fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::evidence;
    use argus_core::classify::Span;

    #[test]
    fn counts_evidence_in_utf16() {
        let found = evidence("😀 é boom", &Span { start: 8, end: 12 }).unwrap();
        assert_eq!((found.start, found.end, found.text.as_str()), (5, 9, "boom"));
        assert!(evidence("é", &Span { start: 1, end: 2 }).is_none());
    }
}
