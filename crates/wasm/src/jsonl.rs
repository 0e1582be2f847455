//! Failure events as JSON lines, answered as JSON lines in the same order.
//! Does not: wait for the rest of a line; the host passes whole lines.

use crate::inspect::Input;
use argus_core::Category;
use argus_engine::contract::{Evidence, Inspection};
use serde::Serialize;

/// What a line answers: the part of an inspection that scripts ask for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    category: Category,
    rule: String,
    evidence: Option<Evidence>,
    redacted: String,
    normalized: String,
    signature: String,
    family_signature: String,
}

#[derive(Serialize)]
struct Failed<'m> {
    error: Reason<'m>,
}

#[derive(Serialize)]
struct Reason<'m> {
    code: &'m str,
    message: &'m str,
}

/// Answers every line that is not blank.
pub(crate) fn inspect(lines: &str, inspect: impl Fn(Input) -> Inspection) -> String {
    let mut out = Vec::with_capacity(lines.len() * 2);
    for line in lines.split('\n').filter(|line| !line.trim().is_empty()) {
        let written = match read(line) {
            Ok(input) => serde_json::to_writer(&mut out, &answer(inspect(input))),
            Err(message) => {
                let error = Reason { code: "INVALID_INPUT", message: &message };
                serde_json::to_writer(&mut out, &Failed { error })
            }
        };
        written.expect("plain values are written to memory");
        out.push(b'\n');
    }
    String::from_utf8(out).expect("serde_json writes UTF-8")
}

fn read(line: &str) -> Result<Input, String> {
    let first = serde_json::from_str(line);
    // JavaScript and Python write half a surrogate pair as an escape; serde_json refuses it.
    let second = first.or_else(|error| serde_json::from_str(&without_lone_surrogates(line)).map_err(|_| error));
    second.map_err(|error: serde_json::Error| error.to_string())
}

fn answer(inspection: Inspection) -> Answer {
    Answer {
        category: inspection.category,
        rule: inspection.rule,
        evidence: inspection.evidence,
        redacted: inspection.redacted,
        normalized: inspection.normalized,
        signature: inspection.signature,
        family_signature: inspection.family_signature,
    }
}

/// Replaces every `\uD800`-like escape that has no partner.
fn without_lone_surrogates(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(Half::High), Some(Half::Low)) => 12,
            (Some(_), _) => {
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            // Any other escape is two bytes or more, and the second belongs to it.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out + rest
}

enum Half {
    High,
    Low,
}

fn surrogate(text: &str) -> Option<Half> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{read, without_lone_surrogates};

    #[test]
    fn half_a_surrogate_pair_is_replaced_and_a_whole_one_stays() {
        let line = r#"{"text":"a\ud83d b\ud83d\ude00 c\\ud83d d\ude00"}"#;
        assert_eq!(without_lone_surrogates(line), r#"{"text":"a\ufffd b\ud83d\ude00 c\\ud83d d\ufffd"}"#);
        assert!(read(line).is_ok());
    }

    #[test]
    fn what_is_not_json_stays_an_error() {
        assert!(read("{\"text\":").is_err());
        assert!(read("\\").is_err());
        assert!(read("\\u").is_err());
    }
}
