//! Predicates about names and values, which `judge` and `prose` combine.

use super::value;
use crate::redact::{
    assign::assignment::NameSpan,
    scan::{BLANK, ByteSet, Scan},
};

/// Checks for a name without lower-case letters, such as `SESSION_SECRET`. After such a name comes a value and not an
/// expression.
pub(super) fn has_upper_case_name(scan: &Scan<'_>, name: NameSpan) -> bool {
    !scan.text[name.start..name.end].iter().any(u8::is_ascii_lowercase)
}

/// Checks for an expression in place of a value: `password=db_password`, `password=get_secret()`.
pub(super) fn is_expression(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let path = text.contains(&b'.') && !text.iter().any(u8::is_ascii_digit) && !value::has_odd_case(text);
    path || text.contains(&b'(')
        || ["pass", "pwd", "secret", "token", "config", "env"]
            .iter()
            .any(|word| lower.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// Checks for a name such as `api key` or `auth_token` that is more than `key` or `token`. For these names, a value
/// that looks like a digest is a secret too.
pub(super) fn has_specific_name(scan: &Scan<'_>, name: NameSpan) -> bool {
    let name = scan.slice(name.start, name.end);
    !["key", "keys", "token", "secret", "jwt"].iter().any(|bare| name.eq_ignore_ascii_case(bare.as_bytes()))
}

/// Checks for a word about the state of a password: `db_password changed`.
pub(super) fn is_state_word(text: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const STATE_WORDS: &[&[u8]] = &[
        b"changed", b"updated", b"rotated", b"created", b"deleted", b"reset", b"found", b"used", b"builtin",
        b"accepted", b"matches", b"differs", b"provided", b"given", b"ignored", b"encrypted", b"hashed", b"skipped",
        b"exists", b"verified", b"checked", b"saved", b"cleared", b"stored", b"prompt", b"policy", b"field", b"login",
        b"auth",
    ];
    STATE_WORDS.contains(&text)
}

/// Checks for a text with random upper and lower case that is neither a digest nor a UUID.
pub(super) fn is_very_random(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    // A digest or an ID after a word, as in `job-3f9a..`, is not a key.
    let is_random_but_not_hex = |part: &[u8]| value::is_random(part) && !value::is_hex(part);
    !value::is_hex(text)
        && !value::is_uuid(text)
        && (text.split(|byte| !byte.is_ascii_alphanumeric()).any(is_random_but_not_hex)
            || value::is_random_base64url(text))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !text.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>'))
}

/// Checks that only blanks follow on the line.
pub(super) fn ends_line(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.byte_at(scan.run_end(at, &BLANK, 16)), 0 | b'\n' | b'\r')
}

/// Checks that the name starts a line. Marks of a diff or a list and some words, such as `new` or `your`, may be before
/// the name.
pub(in crate::redact) fn starts_line(scan: &Scan<'_>, name_start: usize) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const WORDS_BEFORE_NAME: &[&str] = &[
        "expected", "actual", "received", "got", "want", "new", "old", "current", "temporary", "default", "initial",
        "root", "admin", "generated", "your", "the",
    ];
    let mut start = scan.run_start(name_start, &INDENT, 80);
    for _ in 0..3 {
        let word = scan.run_start(start, &LETTERS, 16);
        let owner = scan.slice(word, start).to_ascii_lowercase();
        if !WORDS_BEFORE_NAME.iter().any(|known| known.as_bytes() == owner) {
            break;
        }
        start = scan.run_start(word, &INDENT, 80);
    }
    start == 0 || scan.text[start - 1] == b'\n'
}

static LETTERS: ByteSet = ByteSet::new("A-Za-z");
static INDENT: ByteSet = ByteSet::new(" \t\"'+>|-");
