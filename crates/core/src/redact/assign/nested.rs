//! Values inside something: a member of an object, a list, a constructor, an XML element, the next line. `judge`
//! decides which are secrets.

use super::{
    assignment::{NAME, NameSpan, Separator, ValueSpan, is_value_label, skip_quote, value_at},
    is_quote, next_line,
    redact_value::redact_value,
};
use crate::redact::{
    finders::sentences,
    judge::{is_drawn, names::Tier, told::is_mixed, value::has_odd_case},
    scan::{BLANK, Scan, Set},
};

/// Limit for an object that contains a value and its description.
const MAX_OBJECT_BYTES: usize = 512;
const MAX_ITEMS: usize = 64;
static SPACE: Set = Set::new(" \t\r\n");

/// Redacts nested values. Returns `false` if the value itself is at `at`.
pub(super) fn find(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, at: usize) -> bool {
    if separator == Separator::Word {
        return false;
    }
    match scan.at(at) {
        b'{' if is_structure(scan, at + 1) => {
            if let Some(found) = member(scan, at) {
                redact_value(scan, name, Separator::Pair, found);
            }
            true
        }
        b'[' | b'(' if is_quote(scan.at(scan.run(at + 1, &SPACE, 80))) => {
            list(scan, name, at);
            true
        }
        b'\n' | b'\r' | b'|' | b'>' => next_line::on_next_line(scan, name, separator, at),
        b'\\' if next_line::is_continuation(scan, at) => next_line::on_next_line(scan, name, separator, at),
        _ => false,
    }
}

/// `{"type": ..`, `{ type: ..`, `{\n`, `{}`: a structure, unlike a value that merely starts with a brace.
fn is_structure(scan: &Scan<'_>, at: usize) -> bool {
    let first = scan.run(at, &SPACE, 80);
    let open = skip_quote(scan, first);
    let end = scan.run(open, &NAME, 40);
    let closed = skip_quote(scan, end);
    let colon = scan.run(closed, &BLANK, 8);
    scan.at(first) == b'}' || (end > open && matches!(scan.at(colon), b':' | b'='))
}

/// Returns the value of the object's member `value`. A schema has no such member.
fn member(scan: &Scan<'_>, open: usize) -> Option<ValueSpan> {
    let limit = scan.text.len().min(open + MAX_OBJECT_BYTES);
    let mut at = open + 1;
    let mut depth = 0_u32;
    while at < limit {
        match scan.text[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return None,
            b'}' | b']' => depth -= 1,
            byte if depth == 0 && (byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$') => {
                let end = scan.run(at, &NAME, 40);
                if let Some(found) = labelled(scan, at, end) {
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

fn labelled(scan: &Scan<'_>, label: usize, end: usize) -> Option<ValueSpan> {
    let text = scan.slice(label, end);
    let is_value =
        is_value_label(text) || matches!(text, b"default" | b"S" | b"_text" | b"#text" | b"$" | b"current" | b"raw");
    let colon = scan.run(skip_quote(scan, end), &BLANK, 8);
    if !is_value || !matches!(scan.at(colon), b':' | b'=') {
        return None;
    }
    value_at(scan, scan.run(colon + 1, &BLANK, 8)).filter(|found| found.quoted)
}

/// `["a", "b"]`: judges each item on its own. Items of a plural name count like values of the name. Items of a singular
/// name must look like secrets, because `"password": ["is required"]` is an error message.
fn list(scan: &mut Scan<'_>, name: NameSpan, open: usize) {
    let owner = scan.slice(name.start, name.end).to_ascii_lowercase();
    let pair = scan.at(open) == b'(' && owner.ends_with(b"auth");
    // `address_type_tokens = ['shipping', 'billing']`: a list of words.
    let several = owner.ends_with(b"s") && name.tier != Tier::Token;
    let separator = if several || scan.at(open) == b'(' { Separator::Pair } else { Separator::Tuple };
    let mut at = open + 1;
    for item in 0..MAX_ITEMS {
        at = scan.run(at, &BETWEEN, 80);
        if !is_quote(scan.at(skip_quote(scan, at).wrapping_sub(1))) {
            return;
        }
        let Some(found) = value_at(scan, at) else { return };
        // `auth=("user", "password")`.
        if pair && item == 1 {
            let name = NameSpan { tier: Tier::Password, ..name };
            redact_value(scan, name, Separator::Pair, found);
        } else if !pair {
            redact_value(scan, name, separator, found);
        }
        at = found.end + 1;
    }
}

static BETWEEN: Set = Set::new(" \t\r\n,+");

/// Skips a wrapper: `Some("x")`, `Secret("x")`, `string(7) "x"`.
pub(super) fn skip_wrapper(scan: &Scan<'_>, at: usize) -> usize {
    #[rustfmt::skip] // One word per line would fill a page.
    const WRAPPERS: &[&[u8]] = &[
        b"Some", b"Ok", b"Just", b"Secret", b"SecretString", b"SecretStr", b"Password", b"Token", b"ApiKey",
        b"String", b"str", b"aws.String", b"ptr.To", b"Redacted", b"Sensitive", b"ApiToken", b"AccessToken",
        b"Zeroizing", b"Box",
    ];
    // `<<"x">>` of Erlang, `**x**` of Markdown, `{ x }` of a printed slice.
    let is_wrapped = [&b"<<\""[..], b"**", b"{ "].iter().any(|open| scan.starts_with(at, open));
    let mut at = if is_wrapped { at + 2 } else { at };
    for _ in 0..3 {
        let end = scan.run(at, &WRAPPER, 24);
        let word = scan.slice(at, end);
        if scan.at(end) != b'(' {
            return at;
        }
        if WRAPPERS.contains(&word) && scan.at(end + 1) != b')' {
            at = end + 1;
            continue;
        }
        // `string(7) "x"` of PHP.
        let close = scan.run(end + 1, &crate::redact::scan::DIGIT, 8);
        let counted = word == b"string" && close > end + 1 && scan.slice(close, close + 2) == b") ";
        return if counted { close + 2 } else { at };
    }
    at
}

static WRAPPER: Set = Set::new("A-Za-z.");

/// `<entry key="password">x</entry>`, `<property name="password"><value>x</value>`.
pub(super) fn element(scan: &Scan<'_>, name_start: usize, close: usize) -> Option<(Separator, usize)> {
    let before = scan.slice(name_start.saturating_sub(6), name_start).to_ascii_lowercase();
    let named = before.ends_with(b"key=\"") || before.ends_with(b"name=\"");
    let start = scan.run(close + 1, &SPACE, 80);
    let start = if scan.starts_with(start, b"<value>") { start + "<value>".len() } else { start };
    (named && scan.at(start) != b'<').then_some((Separator::Pair, start))
}

/// `<password`, `<wsse:Password`.
pub(super) fn opens_element(scan: &Scan<'_>, name_start: usize) -> bool {
    let colon = scan.before(name_start) == b':';
    let start = if colon { scan.run_back(name_start - 1, &NAME, 24) } else { name_start };
    // `static_cast<FirstPass>(x)` is not an element.
    scan.before(start) == b'<' && !scan.before(start - 1).is_ascii_alphanumeric()
}

/// `<name>password</name><value>x`, `<key>password</key><string>x`.
pub(super) fn after_element(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let closing = [&b"</name>"[..], b"</key>", b"</td>", b"</th>", b"</dt>"];
    let closing = closing.into_iter().find(|tag| scan.starts_with(at, tag))?;
    let mut at = scan.run(at + closing.len(), &SPACE, 80);
    for tag in [&b"<value>"[..], b"<string>", b"<td>", b"<dd>"] {
        at += if scan.starts_with(at, tag) { tag.len() } else { 0 };
    }
    (scan.before(at) == b'>').then_some((Separator::Pair, at))
}

/// `.password("x")`, `setPassword("x")`: the only argument. `ApiKey("x")`: the first argument, if it is random.
pub(super) fn argument(scan: &Scan<'_>, name_start: usize, open: usize) -> Option<(Separator, usize)> {
    let name = scan.slice(name_start, open);
    // `getPassword()).isEqualTo("x")`.
    if scan.starts_with(open, b"())") {
        return sentences::compared_value(scan, open + 2);
    }
    let method = name.contains(&b'.') || name.starts_with(b"set") || name.starts_with(b"with");
    let found = value_at(scan, open + 1).filter(|found| found.quoted)?;
    let text = scan.slice(found.start, found.end);
    let password = name.to_ascii_lowercase().ends_with(b"password");
    let only = scan.at(found.end + 1) == b')';
    let is_key = is_drawn(text)
        || (only && text.len() >= 10 && has_odd_case(text))
        || (only && text.len() >= 10 && is_mixed(text) && count_digits(text) >= 2);
    (if password { method && only } else { is_key }).then_some((Separator::Pair, open + 1))
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().filter(|byte| byte.is_ascii_digit()).count()
}

/// A part of a multipart form: `name="password"`, an empty line, the value.
pub(super) fn connection_string_part(scan: &Scan<'_>, name_start: usize, at: usize) -> Option<(Separator, usize)> {
    let named = scan.slice(name_start.saturating_sub(6), name_start) == b"name=\"";
    let start = scan.run(at, &LINES, 4);
    let lines = memchr::memchr_iter(b'\n', scan.slice(at, start)).count();
    (named && lines == 2).then_some((Separator::Pair, start))
}

static LINES: Set = Set::new("\r\n");

/// `<password type="plain">x</password>`.
pub(super) fn after_attributes(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let rest = scan.slice(at, at + 80);
    let close = rest.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n'))?;
    (rest[close] == b'>' && rest[..close].contains(&b'=')).then_some((Separator::Pair, at + close + 1))
}

/// `"value": "x", "name": "DB_PASSWORD"`: the value comes first.
pub(super) fn before_label(scan: &Scan<'_>, name_start: usize) -> Option<(Separator, usize)> {
    let quote = name_start.checked_sub(1).filter(|&at| is_quote(scan.text[at]))?;
    let colon = scan.run_back(quote, &BLANK, 8).checked_sub(1).filter(|&at| scan.text[at] == b':')?;
    let label = scan.slice(colon.saturating_sub(6), colon).to_ascii_lowercase();
    if !label.ends_with(b"name\"") && !label.ends_with(b"key\"") {
        return None;
    }
    let size = if label.ends_with(b"name\"") { 6 } else { 5 };
    let end =
        scan.run_back(colon.checked_sub(size)?, &BETWEEN, 80).checked_sub(1).filter(|&at| scan.text[at] == b'"')?;
    let from = end.saturating_sub(256);
    let start = scan.slice(from, end).iter().rposition(|&byte| byte == b'"').map(|at| from + at + 1)?;
    let before = scan.run_back(start - 1, &BLANK, 8);
    let labelled = scan.slice(before.saturating_sub(9), before).to_ascii_lowercase().ends_with(b"\"value\":");
    (labelled && start < end).then(|| (Separator::Pair, start - 1))
}
