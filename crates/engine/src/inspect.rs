//! Analyzes a failure text without a database.

use crate::{
    contract::{Evidence, Inspection},
    errors::{EngineError, ErrorCode},
};
use argus_core::{Analysis, Analyzer, FailureEvent, classify::Span, failure_kind::failure_kind, summary::Summary};
use serde::{Deserialize, Serialize};

/// Returns all conclusions about a failure.
pub fn inspect(analyzer: &Analyzer, event: FailureEvent, case_name: &str) -> Inspection {
    let exit_code = event.exit_code;
    shown(analyzed(analyzer, event, case_name), exit_code)
}

/// Analyzes a failure. The case name is part of the signed text, so it is redacted as when a run is recorded;
/// otherwise the signatures would differ.
pub(crate) fn analyzed(analyzer: &Analyzer, event: FailureEvent, case_name: &str) -> Analysis {
    analyzer.analyze(event, &analyzer.redact(case_name).into_string())
}

/// Converts an analysis for the contract.
pub(crate) fn shown(analysis: Analysis, exit_code: Option<i32>) -> Inspection {
    let (category, summary) = (analysis.classification.category, Summary::read(&analysis.redacted));
    let failure_kind = failure_kind(category, &analysis.redacted, &summary, exit_code);
    let evidence = analysis.classification.evidence.and_then(|span| evidence(&analysis.redacted, &span));
    Inspection {
        category: analysis.classification.category,
        failure_kind,
        rule: analysis.classification.rule,
        evidence,
        redacted: analysis.redacted,
        redactions: analysis.redactions.into_iter().map(ToOwned::to_owned).collect(),
        normalized: analysis.normalized_error,
        signature: analysis.signatures.exact,
        family_signature: analysis.signatures.family,
        signature_pattern: analysis.signatures.pattern,
    }
}

/// Inspects JSON lines. Returns a JSON line for each non-empty input line, in order. An invalid line gives an error
/// line.
pub fn inspect_jsonl(analyzer: &Analyzer, chunk: &str) -> String {
    let (mut failures, mut refusals) = (Vec::new(), Vec::new());
    for line in chunk.lines().filter(|line| !line.trim().is_empty()) {
        match parse(line) {
            Ok(failure) => {
                failures.push(failure);
                refusals.push(None);
            }
            Err(reason) => refusals.push(Some(refusal(&reason))),
        }
    }
    let exit_codes: Vec<_> = failures.iter().map(|(event, _)| event.exit_code).collect();
    let mut analyses = analyzer.analyze_all(failures).into_iter().zip(exit_codes);
    let mut answers = String::with_capacity(chunk.len());
    for refusal in refusals {
        let answer = match refusal {
            None => analyses.next().and_then(|(analysis, code)| serde_json::to_string(&shown(analysis, code)).ok()),
            Some(refusal) => serde_json::to_string(&refusal).ok(),
        };
        answers.push_str(&answer.unwrap_or_default());
        answers.push('\n');
    }
    answers
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    text: String,
    #[serde(default)]
    case_name: Option<String>,
    #[serde(default)]
    exception_type: Option<String>,
    #[serde(default)]
    exit_code: Option<i32>,
    #[serde(default)]
    signal: Option<String>,
    #[serde(default)]
    http_status: Option<u16>,
    #[serde(default)]
    container_status: Option<String>,
    #[serde(default)]
    oom_killed: Option<bool>,
    #[serde(default)]
    runner: Option<String>,
}

#[derive(Serialize)]
struct Refusal {
    error: RefusalText,
}

#[derive(Serialize)]
struct RefusalText {
    code: ErrorCode,
    message: String,
}

/// Parses a line. Lone surrogates are replaced first if needed: they are invalid in JSON, but tools that cut texts
/// write them.
fn parse(line: &str) -> Result<(FailureEvent, String), serde_json::Error> {
    let line: Line = match serde_json::from_str(line) {
        Ok(line) => line,
        Err(error) => match without_lone_surrogates(line) {
            Some(mended) => serde_json::from_str(&mended)?,
            None => return Err(error),
        },
    };
    let event = FailureEvent {
        text: line.text,
        exception_type: line.exception_type,
        exit_code: line.exit_code,
        signal: line.signal,
        http_status: line.http_status,
        container_status: line.container_status,
        oom_killed: line.oom_killed,
        runner: line.runner,
    };
    Ok((event, line.case_name.unwrap_or_default()))
}

fn refusal(reason: &serde_json::Error) -> Refusal {
    let message = format!("not a JSON object with a string \"text\": {reason}");
    let EngineError { code, message, .. } = EngineError::invalid(message);
    Refusal { error: RefusalText { code, message } }
}

/// Replaces each lone surrogate with U+FFFD. None if there are no lone surrogates.
fn without_lone_surrogates(line: &str) -> Option<String> {
    let mut mended = String::with_capacity(line.len());
    let mut rest = line;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found = true;
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// Returns the UTF-16 unit of a `\uXXXX` escape at the beginning.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

fn evidence(text: &str, span: &Span) -> Option<Evidence> {
    let words = text.get(span.start..span.end)?;
    let start = units(text.get(..span.start)?);
    Some(Evidence { start, end: start.saturating_add(units(words)), text: words.to_owned() })
}

pub(crate) fn units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{evidence, inspect_jsonl};
    use argus_core::{Analyzer, classify::Span};

    #[test]
    fn inspect_jsonl_answers_each_line_in_order() {
        let analyzer = Analyzer::new(&[], &[]).unwrap();
        let chunk =
            "{\"text\":\"boom\",\"exitCode\":3}\n\nnot json\n{\"text\":7}\n{\"text\":\"b\\ud83d \\ud83d\\ude00\"}\n";
        let answers: Vec<serde_json::Value> =
            inspect_jsonl(&analyzer, chunk).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), 4);
        assert_eq!(answers[0]["redacted"], "boom");
        assert_eq!(answers[1]["error"]["code"], "INVALID_INPUT");
        assert_eq!(answers[2]["error"]["code"], "INVALID_INPUT");
        assert_eq!(answers[3]["redacted"], "b\u{fffd} 😀");
    }

    #[test]
    fn evidence_counts_utf16_units() {
        let found = evidence("😀 é boom", &Span { start: 8, end: 12 }).unwrap();
        assert_eq!((found.start, found.end, found.text.as_str()), (5, 9, "boom"));
        assert!(evidence("é", &Span { start: 1, end: 2 }).is_none());
    }
}
