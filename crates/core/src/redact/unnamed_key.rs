//! Finds hexadecimal digits that may be a key although no name is beside them. These digits are not redacted, because a
//! digest, a UUID without dashes or a trace ID looks the same and may identify a failure. Callers can ask the user to
//! check a text before sharing it.

use regex::Regex;
use std::sync::LazyLock;

/// Number of digits of a commit hash.
const COMMIT_DIGITS: usize = 40;

/// Matches the digits. Group 1 is a word before them that shows that they are not a key.
static LONG_DIGITS: LazyLock<Regex> = LazyLock::new(|| {
    let words = "sha-?[0-9]{1,3}|md5|etag|hash|digest|checksum|fingerprint|signature|revision|commit|id|uuid|guid";
    let named = format!(r#"(?:^|[^A-Za-z])(?i:{words})[\\"' :=]{{1,6}}|[a-z](?:Id|Uuid|Hash|Digest)[\\"' :=]{{1,6}}"#);
    let pattern = format!(r"(?:({named})|^|[^\w-])([0-9a-f]{{32,}}|[0-9A-F]{{32,}})(?:$|[^\w-])");
    Regex::new(&pattern).expect("the pattern is sound")
});

/// Returns the first digits that may be a key: at least 128 bits, not a part of a longer name, and not a commit hash.
pub fn find_unnamed_key(text: &str) -> Option<&str> {
    let mut found = LONG_DIGITS.captures_iter(text).filter(|captures| captures.get(1).is_none());
    found.find_map(|captures| captures.get(2).map(|digits| digits.as_str()).filter(|digits| may_be_key(digits)))
}

fn may_be_key(digits: &str) -> bool {
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    digits.len() != COMMIT_DIGITS && has_digit && digits.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::find_unnamed_key;

    const KEY: &str = "3f9a0c1d2e4b5a69788f90a1b2c3d4e5";

    #[test]
    fn digits_without_a_name_may_be_a_key() {
        for text in [
            format!("using {KEY}"),
            format!("invalid {KEY}"),
            format!("AssertionError: '{KEY}' == ''"),
            format!("{KEY}{KEY} was refused"),
            format!("put it in the header: {}", KEY.to_uppercase()),
            format!("sha256:{KEY}{KEY}, then {KEY}"),
        ] {
            assert!(find_unnamed_key(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn named_digits_and_other_forms_are_not_keys() {
        let commit = &format!("{KEY}{KEY}")[..40];
        for text in [
            format!("Commit {commit}, which changed a.js"),
            format!("reverted {commit}"),
            format!("sha256:{KEY}{KEY} is gone"),
            format!("\\\"trace_id\\\": \\\"{KEY}\\\""),
            format!("request id {KEY}"),
            format!("traceId={KEY}"),
            format!("md5={KEY}"),
            format!("pat-{KEY} of 00-{KEY}-00f067aa0ba902b7-01"),
            "3f9a0c1d-2e4b-5a69-788f-90a1b2c3d4e5".to_owned(),
            "12345678901234567890123456789012".to_owned(),
            format!("/blobs/x{KEY}"),
        ] {
            assert_eq!(find_unnamed_key(&text), None, "{text}");
        }
    }
}
