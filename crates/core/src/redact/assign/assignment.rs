//! Defines the parts of an assignment and finds the end of a value. `assign` finds the assignments.

use crate::redact::{
    judge::names::Tier,
    scan::{ByteSet, Scan},
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
    /// `--name value` of a command line.
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

/// Maximum length of a value: enough for a JWT with many claims, but shorter than a line of a minified bundle.
pub(super) const MAX_VALUE_BYTES: usize = 4096;
pub(super) const MAX_NAME_BYTES: usize = 64;
pub(in crate::redact) static NAME_BYTES: ByteSet = ByteSet::new("A-Za-z0-9_.$-");

pub(super) fn is_value_label(label: &[u8]) -> bool {
    [&b"value"[..], b"content", b"parametervalue", b"secretvalue", b"stringvalue", b"plaintext", b"val"]
        .iter()
        .any(|known| label.eq_ignore_ascii_case(known))
}

/// Returns the position after the quote at `at`, escaped or not. Returns `at` if there is no quote.
pub(in crate::redact) fn skip_quote(scan: &Scan<'_>, at: usize) -> usize {
    let slashes = scan.run_end(at, &BACKSLASH, 8);
    if matches!(scan.byte_at(slashes), b'"' | b'\'' | b'`') { slashes + 1 } else { at }
}

pub(super) static BACKSLASH: ByteSet = ByteSet::new("\\");
static STRING_PREFIX: ByteSet = ByteSet::new("brufBRUF@$N");

/// Returns the value at `at`: up to the closing quote, or up to the end of an unquoted value.
pub(in crate::redact) fn value_at(scan: &Scan<'_>, at: usize) -> Option<ValueSpan> {
    if let Some(mark) = [b"\"\"\"", b"'''"].into_iter().find(|mark| scan.starts_with(at, *mark)) {
        return multi_line_string(scan, at + mark.len(), mark);
    }
    if scan.starts_with(at, b"[[")
        && scan.byte_at(at + 2).is_ascii_graphic()
        && !matches!(scan.byte_at(at + 2), b'[' | b'"' | b'\'')
    {
        return lua_string(scan, at + 2);
    }
    let prefixed = scan.run_end(at, &STRING_PREFIX, 2);
    let at = if prefixed > at && matches!(scan.byte_at(prefixed), b'"' | b'\'') { prefixed } else { at };
    let open = skip_quote(scan, at);
    let (start, end) = match scan.byte_at(at) {
        _ if open > at => (open, find_closing_quote(scan, open, open - at)),
        // Go and Java print headers as `Header:[value]`.
        b'[' if scan.byte_at(at + 1).is_ascii_alphanumeric() => (at + 1, bracket_end(scan, at + 1)),
        _ => (at, unquoted_end(scan, at)),
    };
    (start < end).then_some(ValueSpan { start, end, quoted: open > at })
}

/// Returns the content of a `"""` string of TOML or Python, without the first line break and without white space at the
/// end.
fn multi_line_string(scan: &Scan<'_>, open: usize, mark: &[u8]) -> Option<ValueSpan> {
    let start = scan.run_end(open, &LINE_FOLD, 80);
    let text = scan.slice(start, start + MAX_VALUE_BYTES);
    let close = memchr::memmem::find(text, mark).unwrap_or(text.len());
    let end = scan.run_start(start + close, &LINE_FOLD, 80).max(start);
    (start < end).then_some(ValueSpan { start, end, quoted: true })
}

static LINE_FOLD: ByteSet = ByteSet::new("\\ \t\r\n");

/// Returns the content of a Lua string `[[x]]`.
fn lua_string(scan: &Scan<'_>, start: usize) -> Option<ValueSpan> {
    let close = memchr::memmem::find(scan.slice(start, start + MAX_VALUE_BYTES), b"]]")?;
    Some(ValueSpan { start, end: start + close, quoted: true })
}

/// Returns the position of the closing quote. The opening quote is `size` bytes long including its backslashes; only a
/// quote of the same length closes the value.
fn find_closing_quote(scan: &Scan<'_>, start: usize, size: usize) -> usize {
    let quote = scan.byte_at(start - 1);
    let limit = scan.text.len().min(start + MAX_VALUE_BYTES);
    let mut at = start;
    while at < limit {
        match scan.text[at] {
            b'\\' => {
                let slashes = scan.run_end(at, &BACKSLASH, 16);
                if scan.byte_at(slashes) == quote && slashes - at < size && size > 1 {
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
    while end < limit && !ends_unquoted_value(scan, end) && !(is_bold && scan.starts_with(end, b"**")) {
        end += 1;
    }
    while end > start
        && matches!(scan.text[end - 1], b',' | b';' | b':' | b'.' | b')' | b'>')
        && !is_bracket_closed(scan, start, end)
    {
        end -= 1;
    }
    while end > start && matches!(scan.text[end - 1], b']' | b'}') && !is_bracket_closed(scan, start, end) {
        end -= 1;
    }
    end
}

/// Checks whether the last byte closes a bracket of the value: `<password>`, `[REDACTED:x]`, `${NAME}`, `f()`.
fn is_bracket_closed(scan: &Scan<'_>, start: usize, end: usize) -> bool {
    let open = match scan.text[end - 1] {
        b')' => b'(',
        b'>' => b'<',
        b']' => b'[',
        b'}' => b'{',
        _ => return false,
    };
    scan.text[start..end].contains(&open)
}

pub(super) fn ends_unquoted_value(scan: &Scan<'_>, at: usize) -> bool {
    let next = scan.byte_at(at + 1);
    match scan.text[at] {
        b' ' | b'\t' | b'\n' | b'\r' | b';' | b'<' | 0 => scan.text[at] != b'<' || next == b'/',
        // A quote before a letter is a part of the password: `ab'c1`.
        b'"' | b'\'' | b'`' => !next.is_ascii_alphanumeric(),
        b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\'' | b'0'),
        b',' => matches!(next, b' ' | b'"' | b'\'' | b'\n' | 0) || starts_assignment(scan, at + 1),
        // In `test[auth=false](org.example.Test)`, the bracket ends the value.
        b']' => next == b'(',
        b'&' => starts_parameter(scan, at + 1) || scan.starts_with(at, b"&amp;"),
        b'%' => scan.starts_with(at, b"%26") || scan.starts_with(at, b"%20") || scan.starts_with(at, b"%22"),
        _ => false,
    }
}

/// Checks for `name=`, which ends the value before it.
fn starts_assignment(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run_end(at, &NAME_BYTES, MAX_NAME_BYTES);
    end > at && matches!(scan.byte_at(end), b'=' | b':')
}

/// Checks for a parameter such as `&grant_type=` or `&useSSL=`, which ends the value before it. A short name with
/// capital letters, such as `&K=`, may be a part of a password.
fn starts_parameter(scan: &Scan<'_>, at: usize) -> bool {
    let end = scan.run_end(at, &NAME_BYTES, MAX_NAME_BYTES);
    let name = scan.slice(at, end);
    scan.byte_at(end) == b'='
        && !name.is_empty()
        && (name.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-' | b'.'))
            || name.len() >= 5 && name[0].is_ascii_lowercase() && name.iter().all(u8::is_ascii_alphabetic)
            || name.starts_with(b"X-")
            || name.starts_with(b"Key-Pair-Id"))
}
