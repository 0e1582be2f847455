//! Predicates about names and values. `judge` and `told` combine them.

use super::value;
use crate::redact::{
    assign::assignment::NameSpan,
    scan::{BLANK, Scan, Set},
};

/// `SESSION_SECRET=...`: upper-case names get values instead of expressions.
pub(super) fn is_environment(scan: &Scan<'_>, name: NameSpan) -> bool {
    !scan.text[name.start..name.end].iter().any(u8::is_ascii_lowercase)
}

/// `password=db_password`, `password=get_secret()`: an expression instead of a value.
pub(super) fn speaks_of_itself(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let path = text.contains(&b'.') && !text.iter().any(u8::is_ascii_digit) && !value::has_odd_case(text);
    path || text.contains(&b'(')
        || ["pass", "pwd", "secret", "token", "config", "env"]
            .iter()
            .any(|word| lower.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// `api key`, `auth_token`: more than the bare word, so that even a value that looks like a digest is a secret.
pub(super) fn is_known_key(scan: &Scan<'_>, name: NameSpan) -> bool {
    let name = scan.slice(name.start, name.end);
    !["key", "keys", "token", "secret", "jwt"].iter().any(|bare| name.eq_ignore_ascii_case(bare.as_bytes()))
}

/// Words for a change of a password: `db_password changed`.
pub(super) fn is_state(text: &[u8]) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const STATES: &[&[u8]] = &[
        b"changed", b"updated", b"rotated", b"created", b"deleted", b"reset", b"found", b"used", b"builtin",
        b"accepted", b"matches", b"differs", b"provided", b"given", b"ignored", b"encrypted", b"hashed", b"skipped",
        b"exists", b"verified", b"checked", b"saved", b"cleared", b"stored", b"prompt", b"policy", b"field", b"login",
        b"auth",
    ];
    STATES.contains(&text)
}

/// Random upper and lower case, and neither a digest nor a UUID.
pub(super) fn is_very_random(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    // A digest or an ID after a word is not a key.
    let is_drawn = |part: &[u8]| value::is_random(part) && !value::is_hex(part);
    !value::is_hex(text)
        && !value::is_uuid(text)
        && (text.split(|byte| !byte.is_ascii_alphanumeric()).any(is_drawn) || value::is_url_safe(text))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !text.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>'))
}

/// Checks that only blanks follow on the line.
pub(super) fn ends_line(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.at(scan.run(at, &BLANK, 16)), 0 | b'\n' | b'\r')
}

/// Checks that the name starts a line. Marks of a diff or a list, and words for the owner of the value, may precede it.
pub(in crate::redact) fn is_own_line(scan: &Scan<'_>, name_start: usize) -> bool {
    #[rustfmt::skip] // One word per line would fill a page.
    const OWNERS: &[&str] = &[
        "expected", "actual", "received", "got", "want", "new", "old", "current", "temporary", "default", "initial",
        "root", "admin", "generated", "your", "the",
    ];
    let mut start = scan.run_back(name_start, &INDENT, 80);
    for _ in 0..3 {
        let word = scan.run_back(start, &LETTERS, 16);
        let owner = scan.slice(word, start).to_ascii_lowercase();
        if !OWNERS.iter().any(|known| known.as_bytes() == owner) {
            break;
        }
        start = scan.run_back(word, &INDENT, 80);
    }
    start == 0 || scan.text[start - 1] == b'\n'
}

static LETTERS: Set = Set::new("A-Za-z");
static INDENT: Set = Set::new(" \t\"'+>|-");
