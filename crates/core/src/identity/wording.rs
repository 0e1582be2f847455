//! What an error says beyond where it came from: the same sentence may be printed from another place in the code, and is
//! the same mistake there unless its words are those of the test, of the runner, or of the code around it.

use super::sign::{placeholder_end, sha256_hex};
use crate::failure::{category::Category, failure_kind::FailureKind};
use memchr::memchr;
use regex::Regex;
use std::collections::HashSet;

/// A shorter text is no sentence.
const MIN_SENTENCE_CHARS: usize = 12;
/// Hex digits of the hash of a sentence.
const HASH_DIGITS: usize = 32;
/// Words by which an error is looked for in an output.
const MAX_WORDS: usize = 12;
const MIN_WORD_CHARS: usize = 4;

/// The error says what was expected and not why it was not met: another test with the same words may be broken otherwise.
pub const fn is_of_test(kind: FailureKind) -> bool {
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

/// The same words elsewhere in the code are another mistake.
const fn is_of_code(kind: FailureKind) -> bool {
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

/// Hash of the lines that were found to be the error, as they were printed, values included; none where they do not
/// say the same elsewhere.
pub fn sentence_hash(category: Category, kind: FailureKind, normalized: &str, redacted: &str) -> Option<String> {
    if is_of_test(kind) || is_of_code(kind) || normalized.chars().count() < MIN_SENTENCE_CHARS {
        return None;
    }
    if !normalized.contains(' ') {
        return None;
    }
    let printed: Option<Vec<&str>> = normalized.split('\n').map(|line| printed_as(line, redacted)).collect();
    let sentence = printed?.join("\n");
    let mut hash = sha256_hex(&[category.as_str(), "\0", without_class(&sentence)].concat());
    hash.truncate(HASH_DIGITS);
    Some(hash)
}

/// Removes the class `Error`, which carries no information and which Jest omits in its console output.
fn without_class(error: &str) -> &str {
    ["Uncaught Error: ", "Error: "].iter().find_map(|prefix| error.strip_prefix(prefix)).unwrap_or(error)
}

/// Where a normalized line stands in the text; a placeholder stands for a value without spaces.
fn printed_as<'t>(line: &str, text: &'t str) -> Option<&'t str> {
    let parts: Vec<String> = between_placeholders(line).into_iter().map(regex::escape).collect();
    // A line of any length is a pattern; one that is too long for that is found nowhere.
    let pattern = Regex::new(&parts.join(r"\S+")).ok()?;
    pattern.find(text).map(|found| found.as_str())
}

/// Words that stand in the error wherever it comes up, in lower case: placeholders stand for another value each time.
pub fn words(normalized: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    between_placeholders(without_class(normalized))
        .into_iter()
        .flat_map(|part| part.split(|char: char| !(char.is_alphanumeric() || char == '_')))
        .map(|word| word.trim_start_matches(char::is_numeric))
        .filter(|word| word.chars().count() >= MIN_WORD_CHARS)
        .map(str::to_lowercase)
        .filter(|word| seen.insert(word.clone()))
        .take(MAX_WORDS)
        .collect()
}

fn between_placeholders(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(offset) = memchr(b'<', &text.as_bytes()[at..]) {
        let start = at + offset;
        at = match placeholder_end(&text.as_bytes()[start..]) {
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
    use super::{between_placeholders, sentence_hash, words};
    use crate::{Category, FailureKind};

    fn hash(normalized: &str, redacted: &str) -> Option<String> {
        sentence_hash(Category::ConnectionRefused, FailureKind::ConnectionRefused, normalized, redacted)
    }

    #[test]
    fn a_sentence_is_the_same_with_and_without_its_frames_and_its_prefix() {
        let plain = hash("connect ECONNREFUSED <IP>:<PORT>", "connect ECONNREFUSED 127.0.0.1:4100");
        let framed = "Error: connect ECONNREFUSED 127.0.0.1:4100\n    at load (src/load.mjs:3:7)";
        assert!(plain.is_some());
        assert_eq!(hash("Error: connect ECONNREFUSED <IP>:<PORT>", framed), plain);
        assert_eq!(hash("Uncaught Error: connect ECONNREFUSED <IP>:<PORT>", &format!("Uncaught {framed}")), plain);
        assert_ne!(hash("connect ECONNREFUSED <IP>:<PORT>", "connect ECONNREFUSED 127.0.0.1:4200"), plain);
    }

    #[test]
    fn what_says_too_little_has_no_hash() {
        assert_eq!(hash("boom failed", "boom failed"), None);
        assert_eq!(hash("one-long-word-alone", "one-long-word-alone"), None);
        assert_eq!(hash("a line that is not in it", "another text"), None);
        let of =
            |kind| sentence_hash(Category::Unknown, kind, "the stock ledger is closed", "the stock ledger is closed");
        assert_eq!(of(FailureKind::Assertion), None);
        assert_eq!(of(FailureKind::MissingKey), None);
        assert!(of(FailureKind::Exception).is_some());
    }

    #[test]
    fn words_are_those_that_stay() {
        assert_eq!(words("Connect to <HOST>:<PORT> failed, failed at 2nd_try of été"), ["connect", "failed", "nd_try"]);
        assert_eq!(words(&"alpha bravo ".repeat(9)).len(), 2);
        assert_eq!(between_placeholders("a <b> <IP>c<"), ["a <b> ", "c<"]);
    }

    #[test]
    fn signs_of_a_pattern_are_letters() {
        assert!(hash("is it (a+b)*c? [no] <NUM>", "is it (a+b)*c? [no] 7").is_some());
    }
}
