//! The parts of an assignment, and the end of a value. `assign` finds assignments.

use crate::redact::{
    judge::names::Tier,
    scan::{Scan, Set},
};

/// The text between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::redact) enum Separator {
    /// `=`, `=>`, `:=` without blanks.
    Tight,
    /// ` = `.
    Spaced,
    /// `:` directly followed by the value.
    TightColon,
    /// `: `.
    Colon,
    /// `--name value`.
    Flag,
    /// `<name>value`, `name: "X", value: "y"`.
    Pair,
    /// `("name", "value")`, or a list that contains the name.
    Tuple,
    /// `name value`, `name is value`, `NAME 'value'`.
    Word,
}

/// The span of a name and its tier.
#[derive(Clone, Copy, Debug)]
pub(in crate::redact) struct NameSpan {
    pub(in crate::redact) start: usize,
    pub(in crate::redact) end: usize,
    pub(in crate::redact) tier: Tier,
}

/// The span of a value without its quotes.
#[derive(Clone, Copy, Debug)]
pub(in crate::redact) struct ValueSpan {
    pub(in crate::redact) start: usize,
    pub(in crate::redact) end: usize,
    pub(in crate::redact) quoted: bool,
}

/// Enough for a JWT with many claims, but shorter than a line of a minified bundle.
pub(super) const MAX_VALUE_BYTES: usize = 4096;
pub(super) const MAX_NAME_BYTES: usize = 64;
pub(in crate::redact) static NAME: Set = Set::new("A-Za-z0-9_.$-");

pub(super) fn is_value_label(label: &[u8]) -> bool {
    [&b"value"[..], b"content", b"parametervalue", b"secretvalue", b"stringvalue", b"plaintext", b"val"]
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known))
}

/// Returns the end of a quote, escaped or not, or `at` if there is no quote.
pub(in crate::redact) fn skip_quote(scan: &Scan<'_>, at: usize) -> usize {
    let slashes = scan.run(at, &BACKSLASH, 8);
    if matches!(scan.at(slashes), b'"' | b'\'' | b'`') { slashes + 1 } else { at }
}

pub(super) static BACKSLASH: Set = Set::new("\\");
static STRING_PREFIX: Set = Set::new("brufBRUF@$N");

/// Returns the value at `at`: up to the closing quote, or up to the end of an unquoted value.
pub(in crate::redact) fn value_at(scan: &Scan<'_>, at: usize) -> Option<ValueSpan> {
    if let Some(mark) = [b"\"\"\"", b"'''"].into_iter().find(|mark| scan.starts_with(at, *mark)) {
        return multi_line(scan, at + mark.len(), mark);
    }
    if scan.starts_with(at, b"[[")
        && scan.at(at + 2).is_ascii_graphic()
        && !matches!(scan.at(at + 2), b'[' | b'"' | b'\'')
    {
        return long_bracket(scan, at + 2);
    }
    let prefixed = scan.run(at, &STRING_PREFIX, 2);
    let at = if prefixed > at && matches!(scan.at(prefixed), b'"' | b'\'') { prefixed } else { at };
    let open = skip_quote(scan, at);
    let (start, end) = match scan.at(at) {
        _ if open > at => (open, closing_quote(scan, open, open - at)),
        // `Header:[value]` as Go and Java print it.
        b'[' if scan.at(at + 1).is_ascii_alphanumeric() => (at + 1, bracket_end(scan, at + 1)),
        _ => (at, unquoted_end(scan, at)),
    };
    (start < end).then_some(ValueSpan { start, end, quoted: open > at })
}

/// A `"""` string of TOML and Python, without the line break at its start and the white space at its end.
fn multi_line(scan: &Scan<'_>, open: usize, mark: &[u8]) -> Option<ValueSpan> {
    let start = scan.run(open, &FOLD, 80);
    let text = scan.slice(start, start + MAX_VALUE_BYTES);
    let close = memchr::memmem::find(text, mark).unwrap_or(text.len());
    let end = scan.run_back(start + close, &FOLD, 80).max(start);
    (start < end).then_some(ValueSpan { start, end, quoted: true })
}

static FOLD: Set = Set::new("\\ \t\r\n");

/// `[[x]]` of Lua.
fn long_bracket(scan: &Scan<'_>, start: usize) -> Option<ValueSpan> {
    let close = memchr::memmem::find(scan.slice(start, start + MAX_VALUE_BYTES), b"]]")?;
    Some(ValueSpan { start, end: start + close, quoted: true })
}

/// Returns the position of the closing quote. The opening quote is `size` bytes long including its backslashes; only a
/// quote of the same length closes the value.
fn closing_quote(scan: &Scan<'_>, start: usize, size: usize) -> usize {
    let quote = scan.at(start - 1);
    let limit = scan.text.len().min(start + MAX_VALUE_BYTES);
    let mut at = start;
    while at < limit {
        match scan.text[at] {
            b'\\' => {
                let slashes = scan.run(at, &BACKSLASH, 16);
                if scan.at(slashes) == quote && slashes - at < size && size > 1 {
                    return at;
                }
                at = slashes + 1;
            }
            byte if byte == quote && size == 1 => return at,
            b'\n' | b'\r' if quote != b'`' => return at,
            _ => at += 1,
        }
    }
    limit.min(at)
}

fn bracket_end(scan: &Scan<'_>, start: usize) -> usize {
    let end = unquoted_end(scan, start);
    scan.slice(start, end).iter().position(|&byte| byte == b']').map_or(end, |bracket| start + bracket)
}

fn unquoted_end(scan: &Scan<'_>, start: usize) -> usize {
    let limit = scan.text.len().min(start + MAX_VALUE_BYTES);
    let is_bold = start >= 2 && scan.starts_with(start - 2, b"**");
    let mut end = start;
    while end < limit && !ends_unquoted(scan, end) && !(is_bold && scan.starts_with(end, b"**")) {
        end += 1;
    }
    while end > start
        && matches!(scan.text[end - 1], b',' | b';' | b':' | b'.' | b')' | b'>')
        && !is_closed(scan, start, end)
    {
        end -= 1;
    }
    while end > start && matches!(scan.text[end - 1], b']' | b'}') && !is_closed(scan, start, end) {
        end -= 1;
    }
    end
}

/// Checks whether the last byte closes a bracket of the value: `<password>`, `[REDACTED:x]`, `${NAME}`, `f()`.
fn is_closed(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let open = match scan.text[end - 1] {
        b')' => b'(',
        b'>' => b'<',
        b']' => b'[',
        b'}' => b'{',
        _ => return false,
    };
    scan.text[start..end].contains(&open)
}

pub(super) fn ends_unquoted(scan: &Scan<'_>, at: usize) -> bool {
    let next = scan.at(at + 1);
    match scan.text[at] {
        b' ' | b'\t' | b'\n' | b'\r' | b';' | b'<' | 0 => scan.text[at] != b'<' || next == b'/',
        // A quote before a letter belongs to the password: `ab'c1`.
        b'"' | b'\'' | b'`' => !next.is_ascii_alphanumeric(),
        b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'0'),
        b',' => matches!(next, b' ' | b'"' | b'\'' | b'\n' | 0) || names_follow(scan, at + 1),
        // `test[auth=false](org.example.Test)`.
        b']' => next == b'(',
        b'&' => parameter_follows(scan, at + 1) || scan.starts_with(at, b"&amp;"),
        b'%' => scan.starts_with(at, b"%26") || scan.starts_with(at, b"%20") || scan.starts_with(at, b"%22"),
        _ => false,
    }
}

/// Checks for `name=`, because then the value before it has ended.
fn names_follow(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run(at, &NAME, MAX_NAME_BYTES);
    end > at && matches!(scan.at(end), b'=' | b':')
}

/// `&grant_type=`, `&useSSL=`: a name in small letters, or a longer name of several words. A shorter name such as `&K=`
/// may be part of a password.
fn parameter_follows(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run(at, &NAME, MAX_NAME_BYTES);
    let name = scan.slice(at, end);
    scan.at(end) == b'='
        && !name.is_empty()
        && (name.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.'))
            || name.len() >= 5 && name[0].is_ascii_lowercase() && name.iter().all(u8::is_ascii_alphabetic)
            || name.starts_with(b"X-")
            || name.starts_with(b"Key-Pair-Id"))
}
