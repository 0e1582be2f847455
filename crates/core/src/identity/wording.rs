//! Identifies an error by its wording, so that the same mistake is found at other places in the code. The wording does
//! not identify the mistake if the words come from the test, the runner, or the code around the error.

use super::sign::{placeholder_length, sha256_hex};
use crate::failure::{category::Category, failure_kind::FailureKind};
use memchr::memchr;
use regex::Regex;
use std::collections::HashSet;

/// Minimum length of a sentence.
const MIN_SENTENCE_CHARS: usize = 12;
/// Length of a sentence hash in hex digits.
const HASH_HEX_DIGITS: usize = 32;
/// Limits for the words with which an error is searched in an output.
const MAX_WORDS: usize = 12;
const MIN_WORD_CHARS: usize = 4;

/// Returns `true` for kinds whose message contains the expectation but not the cause. Another test with the same words
/// may have another cause.
pub const fn depends_on_test(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::Assertion
            | FailureKind::Snapshot
            | FailureKind::MockMismatch
            | FailureKind::Timeout
            | FailureKind::HttpError
            | FailureKind::NoTests
            | FailureKind::CoverageThreshold
            | FailureKind::Unknown
    )
}

/// Returns `true` for kinds whose message at another place in the code is another mistake.
const fn depends_on_place(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::NullDereference
            | FailureKind::UndefinedName
            | FailureKind::MissingKey
            | FailureKind::OutOfRange
            | FailureKind::Arithmetic
            | FailureKind::TypeError
            | FailureKind::Parse
            | FailureKind::StackOverflow
            | FailureKind::Panic
            | FailureKind::SegmentationFault
    )
}

/// Returns the hash of the error lines as printed, including values. Returns `None` if the wording does not identify
/// the mistake at other places.
pub fn sentence_hash(category: Category, kind: FailureKind, normalized: &str, redacted: &str) -> Option<String> {
    if depends_on_test(kind) || depends_on_place(kind) || normalized.chars().count() < MIN_SENTENCE_CHARS {
        return None;
    }
    if !normalized.contains(' ') {
        return None;
    }
    let printed: Option<Vec<&str>> = normalized.split('\n').map(|line| find_printed_line(line, redacted)).collect();
    let sentence = printed?.join("\n");
    let mut hash = sha256_hex(&[category.as_str(), "\0", strip_error_class(&sentence)].concat());
    hash.truncate(HASH_HEX_DIGITS);
    Some(hash)
}

/// Removes the class `Error`, which has no information and which Jest omits in its console output.
fn strip_error_class(error: &str) -> &str {
    ["Uncaught Error: ", "Error: "].iter().find_map(|prefix| error.strip_prefix(prefix)).unwrap_or(error)
}

/// Finds a normalized line in the printed text. A placeholder matches a value without spaces.
fn find_printed_line<'t>(line: &str, text: &'t str) -> Option<&'t str> {
    let parts: Vec<String> = literal_parts(line).into_iter().map(regex::escape).collect();
    // A very long line exceeds the size limit of regular expressions and counts as not found.
    let pattern = Regex::new(&parts.join(r"\S+")).ok()?;
    pattern.find(text).map(|found| found.as_str())
}

/// Returns lower-case words that every occurrence of the error contains. Skips placeholders, because their values
/// differ.
pub fn extract_search_words(normalized: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    literal_parts(strip_error_class(normalized))
        .into_iter()
        .flat_map(|part| part.split(|char: char| !(char.is_alphanumeric() || char == '_')))
        .map(|word| word.trim_start_matches(char::is_numeric))
        .filter(|word| word.chars().count() >= MIN_WORD_CHARS)
        .map(str::to_lowercase)
        .filter(|word| seen.insert(word.clone()))
        .take(MAX_WORDS)
        .collect()
}

fn literal_parts(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(offset) = memchr(b'<', &text.as_bytes()[at..]) {
        let start = at + offset;
        at = match placeholder_length(&text.as_bytes()[start..]) {
            Some(length) => {
                parts.push(&text[from..start]);
                from = start + length;
                from
            }
            None => start + 1,
        };
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::{extract_search_words, literal_parts, sentence_hash};
    use crate::{Category, FailureKind};

    fn sentence_hash_of(normalized: &str, redacted: &str) -> Option<String> {
        sentence_hash(Category::ConnectionRefused, FailureKind::ConnectionRefused, normalized, redacted)
    }

    #[test]
    fn sentence_hash_ignores_frames_and_prefix() {
        let plain = sentence_hash_of("connect ECONNREFUSED <IP>:<PORT>", "connect ECONNREFUSED 127.0.0.1:4100");
        let framed = "Error: connect ECONNREFUSED 127.0.0.1:4100\n    at load (src/load.mjs:3:7)";
        assert!(plain.is_some());
        assert_eq!(sentence_hash_of("Error: connect ECONNREFUSED <IP>:<PORT>", framed), plain);
        assert_eq!(
            sentence_hash_of("Uncaught Error: connect ECONNREFUSED <IP>:<PORT>", &format!("Uncaught {framed}")),
            plain
        );
        assert_ne!(sentence_hash_of("connect ECONNREFUSED <IP>:<PORT>", "connect ECONNREFUSED 127.0.0.1:4200"), plain);
    }

    #[test]
    fn uninformative_errors_have_no_hash() {
        assert_eq!(sentence_hash_of("boom failed", "boom failed"), None);
        assert_eq!(sentence_hash_of("one-long-word-alone", "one-long-word-alone"), None);
        assert_eq!(sentence_hash_of("a line that is not in it", "another text"), None);
        let of =
            |kind| sentence_hash(Category::Unknown, kind, "the stock ledger is closed", "the stock ledger is closed");
        assert_eq!(of(FailureKind::Assertion), None);
        assert_eq!(of(FailureKind::MissingKey), None);
        assert!(of(FailureKind::Exception).is_some());
    }

    #[test]
    fn words_exclude_placeholders() {
        assert_eq!(
            extract_search_words("Connect to <HOST>:<PORT> failed, failed at 2nd_try of été"),
            ["connect", "failed", "nd_try"]
        );
        assert_eq!(extract_search_words(&"alpha bravo ".repeat(9)).len(), 2);
        assert_eq!(literal_parts("a <b> <IP>c<"), ["a <b> ", "c<"]);
    }

    #[test]
    fn regex_metacharacters_match_literally() {
        assert!(sentence_hash_of("is it (a+b)*c? [no] <NUM>", "is it (a+b)*c? [no] 7").is_some());
    }
}
