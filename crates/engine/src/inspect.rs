//! Analyzes a failure text without a database.

use crate::{
    contract::{Evidence, Inspection},
    errors::{EngineError, ErrorCode},
};
use argus_core::{Analysis, Analyzer, FailureEvent, classify::Span, failure_kind::failure_kind, summary::Summary};
use serde::{Deserialize, Serialize};

/// Classifies, redacts, normalizes and signs a failure text.
pub fn inspect(analyzer: &Analyzer, event: FailureEvent, case_name: &str) -> Inspection {
    let exit_code = event.exit_code;
    convert_analysis(analyze_with_redacted_name(analyzer, event, case_name), exit_code)
}

/// Analyzes a failure. The signature depends on the case name, so the name is redacted in the same way as when a run is
/// recorded. Otherwise the signatures would differ.
pub(crate) fn analyze_with_redacted_name(analyzer: &Analyzer, event: FailureEvent, case_name: &str) -> Analysis {
    analyzer.analyze(event, &analyzer.redact(case_name).into_string())
}

/// Converts an analysis to the type of the answer.
pub(crate) fn convert_analysis(analysis: Analysis, exit_code: Option<i32>) -> Inspection {
    let (category, summary) = (analysis.classification.category, Summary::read(&analysis.redacted));
    let failure_kind = failure_kind(category, &analysis.redacted, &summary, exit_code);
    let evidence = analysis.classification.evidence.and_then(|span| find_evidence(&analysis.redacted, &span));
    Inspection {
        category: analysis.classification.category,
        failure_kind,
        rule: analysis.classification.rule,
        evidence,
        redacted: analysis.redacted,
        redactions: analysis.redactions.into_iter().map(ToOwned::to_owned).collect(),
        normalized: analysis.normalized_error,
        signature: analysis.signatures.signature,
        family_signature: analysis.signatures.family,
        signature_pattern: analysis.signatures.signature_text,
    }
}

/// Inspects JSON lines. Returns a JSON line for each non-empty input line, in order. An invalid line gives an error
/// line.
pub fn inspect_jsonl(analyzer: &Analyzer, chunk: &str) -> String {
    let (mut failures, mut errors) = (Vec::new(), Vec::new());
    for line in chunk.lines().filter(|line| !line.trim().is_empty()) {
        match parse_line(line) {
            Ok(failure) => {
                failures.push(failure);
                errors.push(None);
            }
            Err(reason) => errors.push(Some(build_line_error(&reason))),
        }
    }
    let exit_codes: Vec<_> = failures.iter().map(|(event, _)| event.exit_code).collect();
    let mut analyses = analyzer.analyze_all(failures).into_iter().zip(exit_codes);
    let mut answers = String::with_capacity(chunk.len());
    for error in errors {
        let answer = match error {
            None => analyses
                .next()
                .and_then(|(analysis, code)| serde_json::to_string(&convert_analysis(analysis, code)).ok()),
            Some(error) => serde_json::to_string(&error).ok(),
        };
        answers.push_str(&answer.unwrap_or_default());
        answers.push('\n');
    }
    answers
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InputLine {
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
struct LineError {
    error: LineErrorDetails,
}

#[derive(Serialize)]
struct LineErrorDetails {
    code: ErrorCode,
    message: String,
}

/// Parses a line. If this fails, replaces lone surrogates and retries, because tools that cut texts write lone
/// surrogates, which JSON does not allow.
fn parse_line(line: &str) -> Result<(FailureEvent, String), serde_json::Error> {
    let line: InputLine = match serde_json::from_str(line) {
        Ok(line) => line,
        Err(error) => match replace_lone_surrogates(line) {
            Some(repaired) => serde_json::from_str(&repaired)?,
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

fn build_line_error(reason: &serde_json::Error) -> LineError {
    let message = format!("not a JSON object with a string \"text\": {reason}");
    let EngineError { code, message, .. } = EngineError::invalid_input(message);
    LineError { error: LineErrorDetails { code, message } }
}

/// Replaces each lone surrogate with U+FFFD. Returns `None` if there are no lone surrogates.
fn replace_lone_surrogates(line: &str) -> Option<String> {
    let mut repaired = String::with_capacity(line.len());
    let mut rest = line;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (parse_unicode_escape(rest), rest.get(6..).and_then(parse_unicode_escape)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                found = true;
                repaired.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => rest.char_indices().nth(2).map_or(rest.len(), |(end, _)| end),
        };
        repaired.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    repaired.push_str(rest);
    found.then_some(repaired)
}

/// Returns the UTF-16 unit of the `\uXXXX` escape at the beginning of `text`.
fn parse_unicode_escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

fn find_evidence(text: &str, span: &Span) -> Option<Evidence> {
    let words = text.get(span.start..span.end)?;
    let start = count_utf16_units(text.get(..span.start)?);
    Some(Evidence { start, end: start.saturating_add(count_utf16_units(words)), text: words.to_owned() })
}

pub(crate) fn count_utf16_units(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{find_evidence, inspect_jsonl};
    use argus_core::{Analyzer, classify::Span};

    #[test]
    fn inspect_jsonl_returns_an_answer_or_error_for_each_line_in_order() {
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
    fn evidence_positions_count_utf16_units() {
        let found = find_evidence("😀 é boom", &Span { start: 8, end: 12 }).unwrap();
        assert_eq!((found.start, found.end, found.text.as_str()), (5, 9, "boom"));
        assert!(find_evidence("é", &Span { start: 1, end: 2 }).is_none());
    }
}
