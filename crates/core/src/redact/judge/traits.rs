//! What a name or a value looks like, one question each.
//! `judge` and `told` draw the conclusions.

use super::value;
use crate::redact::{
    assign::assignment::NameSpan,
    scan::{BLANK, Scan, Set},
};

/// `SESSION_SECRET=...`: names in capitals are given values, not expressions.
pub(super) fn is_environment(scan: &Scan<'_>, name: NameSpan) -> bool {
    !scan.text[name.start..name.end].iter().any(u8::is_ascii_lowercase)
}

/// `password=db_password`, `password=get_secret()`: an expression, not a value.
pub(super) fn speaks_of_itself(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let path = text.contains(&b'.') && !text.iter().any(u8::is_ascii_digit) && !value::has_odd_case(text);
    path || text.contains(&b'(')
        || ["pass", "pwd", "secret", "token", "config", "env"]
            .iter()
            .any(|word| lower.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// `api key`, `auth_token`: more than the bare word, so that even what looks like a digest is one.
pub(super) fn is_known_key(scan: &Scan<'_>, name: NameSpan) -> bool {
    let name = scan.slice(name.start, name.end);
    !["key", "keys", "token", "secret", "jwt"].iter().any(|bare| name.eq_ignore_ascii_case(bare.as_bytes()))
}

/// What happens to a password: `db_password changed`.
pub(super) fn is_state(text: &[u8]) -> bool {
    #[rustfmt::skip] // One word a line would be a page.
    const STATES: &[&[u8]] = &[
        b"changed", b"updated", b"rotated", b"created", b"deleted", b"reset", b"found", b"used", b"builtin",
        b"accepted", b"matches", b"differs", b"provided", b"given", b"ignored", b"encrypted", b"hashed", b"skipped",
        b"exists", b"verified", b"checked", b"saved", b"cleared", b"stored", b"prompt", b"policy", b"field", b"login",
        b"auth",
    ];
    STATES.contains(&text)
}

/// Upper and lower case without sense, and neither a digest nor a UUID.
pub(super) fn is_very_random(text: &[u8]) -> bool {
    let has = |test: fn(&u8) -> bool| text.iter().any(test);
    // A digest or an id behind a word is no key.
    let is_drawn = |part: &[u8]| value::is_random(part) && !value::is_hex(part);
    !value::is_hex(text)
        && !value::is_uuid(text)
        && (text.split(|byte| !byte.is_ascii_alphanumeric()).any(is_drawn) || value::is_url_safe(text))
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && !text.iter().any(|byte| matches!(byte, b'(' | b')' | b'[' | b']' | b'<' | b'>'))
}

/// Whether nothing but blanks follows on the line.
pub(super) fn ends_line(scan: &Scan<'_>, at: usize) -> bool {
    matches!(scan.at(scan.run(at, &BLANK, 16)), 0 | b'\n' | b'\r')
}

/// The name begins a line, but for marks of a diff or a list and words that only say whose it is.
pub(in crate::redact) fn is_own_line(scan: &Scan<'_>, name_start: usize) -> bool {
    #[rustfmt::skip] // One word a line would be a page.
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
