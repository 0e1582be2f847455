//! Finds values that are nested: in an object, a list, a constructor, an XML element, or on the next line. `judge`
//! decides which values are secrets.

use super::{
    assignment::{NAME_BYTES, NameSpan, Separator, ValueSpan, is_value_label, skip_quote, value_at},
    is_quote, next_line,
    redact_value::redact_value,
};
use crate::redact::{
    finders::sentences,
    judge::{may_be_generated, names::Tier, prose::mixes_letters_with_digits_or_marks, value::has_odd_case},
    scan::{BLANK, ByteSet, Scan},
};

/// Maximum length of an object that contains a value and its description.
const MAX_OBJECT_BYTES: usize = 512;
const MAX_ITEMS: usize = 64;
static SPACE: ByteSet = ByteSet::new(" \t\r\n");

/// Redacts nested values. Returns `false` if the value at `at` is not nested.
pub(super) fn redact_nested(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, at: usize) -> bool {
    if separator == Separator::Word {
        return false;
    }
    match scan.byte_at(at) {
        b'{' if starts_object(scan, at + 1) => {
            if let Some(found) = find_value_member(scan, at).or_else(|| find_host_member(scan, name, at)) {
                redact_value(scan, name, Separator::Pair, found);
            }
            true
        }
        b'[' | b'(' if is_quote(scan.byte_at(scan.run_end(at + 1, &SPACE, 80))) => {
            redact_list(scan, name, at);
            true
        }
        b'\n' | b'\r' | b'|' | b'>' => next_line::redact_next_line(scan, name, separator, at),
        b'\\' if next_line::is_continuation(scan, at) => next_line::redact_next_line(scan, name, separator, at),
        _ => false,
    }
}

/// Checks for an object such as `{"type": ..`, `{ type: ..` or `{}`, as opposed to a value that starts with a brace.
fn starts_object(scan: &Scan<'_>, at: usize) -> bool {
    let first = scan.run_end(at, &SPACE, 80);
    let open = skip_quote(scan, first);
    let end = scan.run_end(open, &NAME_BYTES, 40);
    let closed = skip_quote(scan, end);
    let colon = scan.run_end(closed, &BLANK, 8);
    scan.byte_at(first) == b'}' || (end > open && matches!(scan.byte_at(colon), b':' | b'='))
}

/// Returns the value of the object's member `value`. A schema has no such member.
fn find_value_member(scan: &Scan<'_>, open: usize) -> Option<ValueSpan> {
    let limit = scan.text.len().min(open + MAX_OBJECT_BYTES);
    let mut at = open + 1;
    let mut depth = 0_u32;
    while at < limit {
        match scan.text[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return None,
            b'}' | b']' => depth -= 1,
            byte if depth == 0 && (byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$') => {
                let end = scan.run_end(at, &NAME_BYTES, 40);
                if let Some(found) = value_of_label(scan, at, end) {
                    return Some(found);
                }
                at = end.max(at + 1);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the value of a host in a file of Composer: `"bearer": {"host.example": "x"}`.
fn find_host_member(scan: &Scan<'_>, name: NameSpan, open: usize) -> Option<ValueSpan> {
    let host = value_at(scan, scan.run_end(open + 1, &SPACE, 80)).filter(|found| found.quoted)?;
    let colon = scan.run_end(host.end + 1, &BLANK, 8);
    let is_host = name.tier == Tier::Token && scan.slice(host.start, host.end).contains(&b'.');
    (is_host && scan.byte_at(colon) == b':').then(|| value_at(scan, scan.run_end(colon + 1, &SPACE, 80)))?
}

fn value_of_label(scan: &Scan<'_>, label: usize, end: usize) -> Option<ValueSpan> {
    let text = scan.slice(label, end);
    let is_value =
        is_value_label(text) || matches!(text, b"default" | b"S" | b"_text" | b"#text" | b"$" | b"current" | b"raw");
    let colon = scan.run_end(skip_quote(scan, end), &BLANK, 8);
    if !is_value || !matches!(scan.byte_at(colon), b':' | b'=') {
        return None;
    }
    value_at(scan, scan.run_end(colon + 1, &BLANK, 8)).filter(|found| found.quoted)
}

/// Judges and redacts each item of a list such as `["a", "b"]`. If the name is plural, an item counts like a value of
/// the name. If the name is singular, an item must look like a secret, because `"password": ["is required"]` is an
/// error message.
fn redact_list(scan: &mut Scan<'_>, name: NameSpan, open: usize) {
    let owner = scan.slice(name.start, name.end).to_ascii_lowercase();
    let pair = scan.byte_at(open) == b'(' && owner.ends_with(b"auth");
    // Excludes a list of words: `address_type_tokens = ['shipping', 'billing']`.
    let several = owner.ends_with(b"s") && name.tier != Tier::Token;
    let separator = if several || scan.byte_at(open) == b'(' { Separator::Pair } else { Separator::Tuple };
    let mut at = open + 1;
    for item in 0..MAX_ITEMS {
        at = scan.run_end(at, &ITEM_SEPARATOR, 80);
        if !is_quote(scan.byte_at(skip_quote(scan, at).wrapping_sub(1))) {
            return;
        }
        let Some(found) = value_at(scan, at) else { return };
        // In `auth=("user", "password")`, the second item is the password.
        if pair && item == 1 {
            let name = NameSpan { tier: Tier::Password, ..name };
            redact_value(scan, name, Separator::Pair, found);
        } else if !pair {
            redact_value(scan, name, separator, found);
        }
        at = found.end + 1;
    }
}

static ITEM_SEPARATOR: ByteSet = ByteSet::new(" \t\r\n,+");

/// Skips a wrapper: `Some("x")`, `Secret("x")`, `string(7) "x"`.
pub(super) fn skip_wrapper(scan: &Scan<'_>, at: usize) -> usize {
    #[rustfmt::skip] // One word per line would fill a page.
    const WRAPPERS: &[&[u8]] = &[
        b"Some", b"Ok", b"Just", b"Secret", b"SecretString", b"SecretStr", b"Password", b"Token", b"ApiKey",
        b"String", b"str", b"aws.String", b"ptr.To", b"Redacted", b"Sensitive", b"ApiToken", b"AccessToken",
        b"Zeroizing", b"Box",
    ];
    // Erlang prints `<<"x">>`, Markdown has `**x**`, and a printed slice has `{ x }`.
    let is_wrapped = [&b"<<\""[..], b"**", b"{ "].iter().any(|open| scan.starts_with(at, open));
    let mut at = if is_wrapped { at + 2 } else { at };
    for _ in 0..3 {
        let end = scan.run_end(at, &WRAPPER_NAME, 24);
        let word = scan.slice(at, end);
        // Haskell prints `Just "x"`.
        if WRAPPERS.contains(&word) && scan.starts_with(end, b" \"") {
            return end + 1;
        }
        if scan.byte_at(end) != b'(' {
            return at;
        }
        if WRAPPERS.contains(&word) && scan.byte_at(end + 1) != b')' {
            // Rust's `{:#?}` prints the value on the next line.
            let next = scan.run_end(end + 1, &SPACE, 80);
            at = if is_quote(scan.byte_at(next)) { next } else { end + 1 };
            continue;
        }
        // PHP prints `string(7) "x"`.
        let close = scan.run_end(end + 1, &crate::redact::scan::DIGIT, 8);
        let counted = word == b"string" && close > end + 1 && scan.slice(close, close + 2) == b") ";
        return if counted { close + 2 } else { at };
    }
    at
}

static WRAPPER_NAME: ByteSet = ByteSet::new("A-Za-z.");

/// Finds the text of an element whose attribute is the name: `<entry key="password">x</entry>`, `<property
/// name="password"><value>x</value>`.
pub(super) fn find_element_text(scan: &Scan<'_>, name_start: usize, close: usize) -> Option<(Separator, usize)> {
    let before = scan.slice(name_start.saturating_sub(6), name_start).to_ascii_lowercase();
    let named = before.ends_with(b"key=\"") || before.ends_with(b"name=\"");
    let start = scan.run_end(close + 1, &SPACE, 80);
    let start = if scan.starts_with(start, b"<value>") { start + "<value>".len() } else { start };
    (named && scan.byte_at(start) != b'<').then_some((Separator::Pair, start))
}

/// Checks for an opening tag: `<password`, `<wsse:Password`.
pub(super) fn opens_element(scan: &Scan<'_>, name_start: usize) -> bool {
    let colon = scan.byte_before(name_start) == b':';
    let start = if colon { scan.run_start(name_start - 1, &NAME_BYTES, 24) } else { name_start };
    // Excludes `static_cast<FirstPass>(x)` of C++.
    scan.byte_before(start) == b'<' && !scan.byte_before(start - 1).is_ascii_alphanumeric()
}

/// Finds the text of the element after the element with the name: `<name>password</name><value>x`,
/// `<key>password</key><string>x`.
pub(super) fn find_next_element_text(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let closing = [&b"</name>"[..], b"</key>", b"</td>", b"</th>", b"</dt>"];
    let closing = closing.into_iter().find(|tag| scan.starts_with(at, tag))?;
    let mut at = scan.run_end(at + closing.len(), &SPACE, 80);
    for tag in [&b"<value>"[..], b"<string>", b"<td>", b"<dd>"] {
        at += if scan.starts_with(at, tag) { tag.len() } else { 0 };
    }
    (scan.byte_before(at) == b'>').then_some((Separator::Pair, at))
}

/// Finds the secret among the arguments of a call: the only argument of `.password("x")` and `setPassword("x")`, and
/// the first argument of `ApiKey("x")` if it looks generated.
pub(super) fn find_argument(scan: &Scan<'_>, name_start: usize, open: usize) -> Option<(Separator, usize)> {
    let name = scan.slice(name_start, open);
    // A comparison: `getPassword()).isEqualTo("x")`.
    if scan.starts_with(open, b"())") {
        return sentences::find_compared_value(scan, open + 2);
    }
    let method = name.contains(&b'.') || name.starts_with(b"set") || name.starts_with(b"with");
    let found = value_at(scan, open + 1).filter(|found| found.quoted)?;
    let text = scan.slice(found.start, found.end);
    let password = name.to_ascii_lowercase().ends_with(b"password");
    let only = scan.byte_at(found.end + 1) == b')';
    let is_key = may_be_generated(text)
        || (only && text.len() >= 10 && has_odd_case(text))
        || (only && text.len() >= 10 && mixes_letters_with_digits_or_marks(text) && count_digits(text) >= 2);
    (if password { method && only } else { is_key }).then_some((Separator::Pair, open + 1))
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().filter(|byte| byte.is_ascii_digit()).count()
}

/// Finds the value in a part of a multipart form: `name="password"`, an empty line, then the value.
pub(super) fn find_multipart_value(scan: &Scan<'_>, name_start: usize, at: usize) -> Option<(Separator, usize)> {
    let named = scan.slice(name_start.saturating_sub(6), name_start) == b"name=\"";
    let start = scan.run_end(at, &LINE_BREAKS, 4);
    let lines = memchr::memchr_iter(b'\n', scan.slice(at, start)).count();
    (named && lines == 2).then_some((Separator::Pair, start))
}

static LINE_BREAKS: ByteSet = ByteSet::new("\r\n");

/// Skips the attributes in `<password type="plain">x</password>`.
pub(super) fn skip_attributes(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let rest = scan.slice(at, at + 80);
    let close = rest.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n'))?;
    (rest[close] == b'>' && rest[..close].contains(&b'=')).then_some((Separator::Pair, at + close + 1))
}

/// Finds the value before the name: `"value": "x", "name": "DB_PASSWORD"`.
pub(super) fn find_value_before_name(scan: &Scan<'_>, name_start: usize) -> Option<(Separator, usize)> {
    let quote = name_start.checked_sub(1).filter(|&at| is_quote(scan.text[at]))?;
    let colon = scan.run_start(quote, &BLANK, 8).checked_sub(1).filter(|&at| scan.text[at] == b':')?;
    let label = scan.slice(colon.saturating_sub(6), colon).to_ascii_lowercase();
    if !label.ends_with(b"name\"") && !label.ends_with(b"key\"") {
        return None;
    }
    let size = if label.ends_with(b"name\"") { 6 } else { 5 };
    let end = scan
        .run_start(colon.checked_sub(size)?, &ITEM_SEPARATOR, 80)
        .checked_sub(1)
        .filter(|&at| scan.text[at] == b'"')?;
    let from = end.saturating_sub(256);
    let start = scan.slice(from, end).iter().rposition(|&byte| byte == b'"').map(|at| from + at + 1)?;
    let before = scan.run_start(start - 1, &BLANK, 8);
    let labelled = scan.slice(before.saturating_sub(9), before).to_ascii_lowercase().ends_with(b"\"value\":");
    (labelled && start < end).then(|| (Separator::Pair, start - 1))
}
