//! Digits that may be a key though no word says so. They are not replaced: a digest, a UUID without its dashes and the id
//! of a trace read the same, and tell what failed. Whoever gives a text away can be told to look.

use regex::Regex;
use std::sync::LazyLock;

/// A commit has so many digits.
const COMMIT_DIGITS: usize = 40;

/// The digits, and before them the word that names them as something else.
static DIGITS: LazyLock<Regex> = LazyLock::new(|| {
    let words = "sha-?[0-9]{1,3}|md5|etag|hash|digest|checksum|fingerprint|signature|revision|commit|id|uuid|guid";
    let named = format!(r#"(?:^|[^A-Za-z])(?i:{words})[\\"' :=]{{1,6}}|[a-z](?:Id|Uuid|Hash|Digest)[\\"' :=]{{1,6}}"#);
    let pattern = format!(r"(?:({named})|^|[^\w-])([0-9a-f]{{32,}}|[0-9A-F]{{32,}})(?:$|[^\w-])");
    Regex::new(&pattern).expect("the pattern is sound")
});

/// The first of them: at least as long as a key of 128 bits, no part of a longer name, and no commit.
pub fn unnamed_key(text: &str) -> Option<&str> {
    let mut found = DIGITS.captures_iter(text).filter(|captures| captures.get(1).is_none());
    found.find_map(|captures| captures.get(2).map(|digits| digits.as_str()).filter(|digits| may_be_key(digits)))
}

fn may_be_key(digits: &str) -> bool {
    let has_digit = digits.bytes().any(|byte| byte.is_ascii_digit());
    digits.len() != COMMIT_DIGITS && has_digit && digits.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::unnamed_key;

    const KEY: &str = "3f9a0c1d2e4b5a69788f90a1b2c3d4e5";

    #[test]
    fn digits_that_nothing_names_may_be_a_key() {
        for text in [
            format!("using {KEY}"),
            format!("invalid {KEY}"),
            format!("AssertionError: '{KEY}' == ''"),
            format!("{KEY}{KEY} was refused"),
            format!("put it in the header: {}", KEY.to_uppercase()),
            format!("sha256:{KEY}{KEY}, then {KEY}"),
        ] {
            assert!(unnamed_key(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_named_or_has_another_form_is_none() {
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
            assert_eq!(unnamed_key(&text), None, "{text}");
        }
    }
}
