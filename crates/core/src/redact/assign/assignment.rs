//! The parts of an assignment, and where a value ends.
//! `assign` looks for assignments.

use crate::redact::{
    judge::names::Tier,
    scan::{Scan, Set},
};

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::redact) enum Separator {
    /// `=`, `=>`, `:=` without blanks around.
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
    /// `("name", "value")`, or a list that holds the name.
    Tuple,
    /// `name value`, `name is value`, `NAME 'value'`.
    Word,
}

/// A name and what it says.
#[derive(Clone, Copy, Debug)]
pub(in crate::redact) struct NameSpan {
    pub(in crate::redact) start: usize,
    pub(in crate::redact) end: usize,
    pub(in crate::redact) tier: Tier,
}

/// A value without its quotes.
#[derive(Clone, Copy, Debug)]
pub(in crate::redact) struct ValueSpan {
    pub(in crate::redact) start: usize,
    pub(in crate::redact) end: usize,
    pub(in crate::redact) quoted: bool,
}

/// Long enough for a JWT with many claims; one line of a minified bundle is longer.
pub(super) const MAX_VALUE_BYTES: usize = 4096;
pub(super) const MAX_NAME_BYTES: usize = 64;
pub(in crate::redact) static NAME: Set = Set::new("A-Za-z0-9_.$-");

pub(super) fn is_value_label(label: &[u8]) -> bool {
    [&b"value"[..], b"content", b"parametervalue", b"secretvalue", b"stringvalue", b"plaintext", b"val"]
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known))
}

/// End of a quote, escaped or not; `at` itself where there is none.
pub(in crate::redact) fn skip_quote(scan: &Scan<'_>, at: usize) -> usize {
    let slashes = scan.run(at, &BACKSLASH, 8);
    if matches!(scan.at(slashes), b'"' | b'\'' | b'`') { slashes + 1 } else { at }
}

pub(super) static BACKSLASH: Set = Set::new("\\");
static STRING_PREFIX: Set = Set::new("brufBRUF@$N");

/// The value at `at`: quoted to its closing quote, else to where it must end.
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

/// `"""` of TOML and Python: without the line break at its beginning and the white space at its end.
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

/// The quote is `size` bytes long with its backslashes; another as long and no longer ends the value.
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

/// The last byte closes a bracket that the value opened: `<password>`, `[REDACTED:x]`, `${NAME}`, `f()`.
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
        // A quote that a letter follows belongs to the password: `ab'c1`.
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

/// `name=` follows, so the value before it has ended.
fn names_follow(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run(at, &NAME, MAX_NAME_BYTES);
    end > at && matches!(scan.at(end), b'=' | b':')
}

/// `&grant_type=`, `&useSSL=`: a name of several small letters, or a longer one of words; in a password `&K=` may stand.
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
