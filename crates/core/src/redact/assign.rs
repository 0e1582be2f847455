//! Finds secrets by the name that they are assigned to: `NAME=x`, `"name": "x"`, `--name x`, `?name=x`,
//! `<name>x</name>`. `judge` decides what a name or value means; `finders::headers` reads header schemes.

pub(super) mod assignment;
pub(super) mod nested;
mod next_line;
pub(super) mod redact_value;
mod spans;
mod table;

use super::{
    finders::{headers, sentences},
    judge::names::{self, Tier},
    scan::{BLANK, DIGIT, Scan, Set},
};
use assignment::{MAX_NAME_BYTES, NAME, NameSpan, Separator, ValueSpan, is_value_label, skip_quote, value_at};
use redact_value::redact_value;

static NAME_END: Set = Set::new("A-Za-z0-9_-");

/// Checks the name around a hit of a name keyword.
pub(super) fn find(scan: &mut Scan<'_>, hit: usize) {
    if hit < scan.names_done {
        return;
    }
    let name_end = scan.run(hit, &NAME_END, MAX_NAME_BYTES);
    scan.names_done = name_end;
    if !may_separate(scan.at(name_end)) {
        return;
    }
    let name_start = name_start(scan, hit);
    if scan.text[..name_start].ends_with(b"[REDACTED:") {
        return;
    }
    let query = matches!(scan.before(name_start), b'?' | b'&' | b';') || scan.text[..name_start].ends_with(b"&amp;");
    if table::column(scan, name_start, name_end)
        || table::row(scan, name_start, name_end)
        || table::comma_column(scan, name_start, name_end)
    {
        return;
    }
    let Some((separator, at)) = separator(scan, name_start, name_end) else {
        if let Some(tier) = names::name_tier(&scan.text[name_start..name_end], query) {
            sentences::quoted_key(scan, NameSpan { start: name_start, end: name_end, tier });
        }
        sentences::expectation(scan, name_start, name_end);
        return sentences::below(scan, name_start, name_end);
    };
    // `--- PASS: TestUser2` of test runners.
    if matches!(&scan.text[name_start..name_end], b"PASS") && separator != Separator::Tight {
        return;
    }
    let Some(tier) = names::name_tier(&scan.text[name_start..name_end], query) else { return };
    if is_position(scan, name_start, separator, at) {
        return;
    }
    look_at_value(scan, NameSpan { start: name_start, end: name_end, tier }, separator, at);
}

/// `/src/passwd:12:5`, `token:88: error`: a file, its line and its column.
fn is_position(scan: &Scan<'_>, name_start: usize, separator: Separator, at: usize) -> bool {
    let end = scan.run(at, &DIGIT, 8);
    let is_file = matches!(scan.before(name_start), b'/' | b'\\') || scan.at(end) == b':';
    let is_number = end > at && !scan.at(end).is_ascii_alphanumeric();
    separator == Separator::TightColon && is_number && is_file
}

/// A cheap first test, because most hits are words of a sentence.
fn may_separate(byte: u8) -> bool {
    matches!(
        byte,
        b'=' | b':'
            | b'"'
            | b'\''
            | b'`'
            | b'\\'
            | b' '
            | b'\t'
            | b'>'
            | b'%'
            | b'\n'
            | b'\r'
            | b')'
            | b']'
            | b'('
            | b'<'
            | b','
            | b'}'
            | b'*'
            | b'|'
    )
}

/// Returns the start of the name; `api key` and `access key` are names of two words.
fn name_start(scan: &Scan<'_>, hit: usize) -> usize {
    let start = scan.run_back(hit, &NAME, MAX_NAME_BYTES);
    // `\npassword`: the `n` belongs to the escape.
    let escape = scan.before(start) == b'\\' && matches!(scan.at(start), b'n' | b'r' | b't');
    let start = if escape { start + 1 } else { start };
    let bare_key = start == hit && scan.text[hit..].get(..3).is_some_and(|key| key.eq_ignore_ascii_case(b"key"));
    if bare_key && scan.before(start) == b' ' { scan.run_back(start - 1, &NAME_END, 16) } else { start }
}

pub(super) fn look_at_value(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, at: usize) {
    match name.tier {
        Tier::Authorization if separator != Separator::Word => headers::authorization(scan, at),
        Tier::Cookie if separator != Separator::Word => {
            let set = scan.slice(name.start, name.end).get(..3).is_some_and(|first| first.eq_ignore_ascii_case(b"set"));
            headers::cookie(scan, at, set);
        }
        Tier::Authorization | Tier::Cookie => {}
        _ if nested::find(scan, name, separator, at) => {}
        _ => {
            let at = nested::skip_wrapper(scan, at);
            let value = value_at(scan, at).map(|found| after_type(scan, found, separator));
            let told = value.is_some_and(|found| redact_value(scan, name, separator, found));
            if separator == Separator::Word || (!told && separator == Separator::Colon) {
                sentences::after_name(scan, name);
            }
            if !told {
                sentences::quoted_key(scan, name);
            }
        }
    }
}

/// `password: string = "x"`: the value comes after the type.
fn after_type(scan: &Scan<'_>, found: ValueSpan, separator: Separator) -> ValueSpan {
    if found.quoted || separator != Separator::Colon {
        return found;
    }
    let next = scan.run(found.end, &BLANK, 4);
    let assigned = scan.at(next) == b'=' && !matches!(scan.at(next + 1), b'=' | b'>');
    if assigned { value_at(scan, scan.run(next + 1, &BLANK, 8)).unwrap_or(found) } else { found }
}

fn separator(scan: &Scan<'_>, name_start: usize, name_end: usize) -> Option<(Separator, usize)> {
    let closed = skip_quote(scan, name_end);
    let quoted = closed > name_end;
    let closed = if quoted || scan.before(name_start) == b'[' { skip_visibility(scan, closed) } else { closed };
    // `["password"] => `, `[password] => ` of PHP.
    let bracket = scan.at(closed) == b']' && (quoted || scan.before(name_start) == b'[');
    let closed = if bracket { closed + 1 } else { skip_bold(scan, closed) };
    let closed = skip_default(scan, closed);
    let at = scan.run(closed, &BLANK, 40);
    let blanks = at > closed;
    let skip = |from: usize| scan.run(from, &BLANK, 40);
    match scan.at(at) {
        b'-' if blanks && scan.starts_with(at, b"-> ") => Some((Separator::Spaced, skip(at + 2))),
        b'\xe2' if blanks && scan.starts_with(at, "→ ".as_bytes()) => Some((Separator::Spaced, skip(at + 3))),
        b'=' => {
            let end = scan.run(at, &EQUALS, 3);
            let value = skip(end);
            // `var_dump` prints the value and its type on the next line.
            let below = scan.run(value, &SPACE, 80);
            let value = if bracket && quoted && scan.starts_with(below, b"string(") { below } else { value };
            let php = bracket && scan.slice(at, end) == b"=>";
            let spaced = blanks || value > end;
            Some((
                if php {
                    Separator::Pair
                } else if spaced {
                    Separator::Spaced
                } else {
                    Separator::Tight
                },
                value,
            ))
        }
        b':' if scan.starts_with(at, b"://") => None,
        // `console.log('password:', password)`: the quote ends the name's own text.
        b':' if !quoted && is_quote(scan.before(name_start)) && scan.at(at + 1) == scan.before(name_start) => None,
        b':' => {
            let end = skip_bold(scan, scan.run(at, &COLONS, 3));
            let value = skip(end);
            // `ModulePass::run` of C++.
            if end == at + 2 && scan.at(at + 1) == b':' && value == end && !quoted {
                return Some((Separator::Word, value));
            }
            let spaced = value > end || matches!(scan.at(value), b'\n' | b'\r');
            Some((if spaced { Separator::Colon } else { Separator::TightColon }, value))
        }
        b'%' if scan.starts_with(at, b"%22%3A%22") => Some((Separator::Tight, at + 9)),
        b'%' if scan.starts_with(at, b"%3D") || scan.starts_with(at, b"%3A") => Some((Separator::Tight, at + 3)),
        b'%' if scan.starts_with(at, b"%253D") || scan.starts_with(at, b"%253A") => Some((Separator::Tight, at + 5)),
        b'\\' if scan.starts_with(at, b"\\u003d") => Some((Separator::Tight, at + 6)),
        b'>' if !quoted && !blanks && nested::opens_element(scan, name_start) => Some((Separator::Pair, at + 1)),
        b'>' if quoted => nested::element(scan, name_start, at),
        b'<' if !quoted && !blanks => nested::after_element(scan, at),
        b'(' if !quoted && !blanks => nested::argument(scan, name_start, at),
        b',' if !quoted && !blanks && scan.before(name_start) == b'{' => {
            // `{password, "x"}`, `{password, <<"x">>}` of Erlang.
            let value = skip(at + 1);
            let value = if scan.starts_with(value, b"<<\"") { value + 2 } else { value };
            Some((Separator::Pair, quote_at(scan, value)?))
        }
        b',' if !quoted && !blanks => {
            named_pair(scan, at + 1).or_else(|| sentences::equal_argument(scan, name_start, at))
        }
        b')' if !quoted => sentences::compared_value(scan, at),
        b',' if quoted => named_pair(scan, at + 1)
            .or_else(|| nested::before_label(scan, name_start))
            .or_else(|| Some((Separator::Tuple, quote_at(scan, skip(at + 1))?))),
        b'}' if quoted => nested::before_label(scan, name_start),
        b'\n' | b'\r' => nested::connection_string_part(scan, name_start, at)
            .or_else(|| named_pair(scan, at))
            .or_else(|| next_line::under_heading(scan, name_start, at)),
        // `variable "password" { default = "x" }` of Terraform.
        b'{' if quoted && blanks => Some((Separator::Pair, at)),
        _ if quoted && blanks => {
            let is_variable = !scan.text[name_start..name_end].iter().any(u8::is_ascii_lowercase);
            named_pair(scan, at).or_else(|| is_variable.then(|| (Separator::Word, skip_verb(scan, at))))
        }
        _ if blanks && nested::opens_element(scan, name_start) => nested::after_attributes(scan, at),
        _ if blanks && (scan.before(name_start) == b'-' || scan.at(name_start) == b'-') => {
            Some((Separator::Flag, if scan.starts_with(at, b"<<<") { skip(at + 3) } else { at }))
        }
        _ if blanks && is_configured(scan, name_start, name_end) => Some((Separator::Flag, at)),
        _ if blanks => Some((Separator::Word, skip_verb(scan, at))),
        _ => None,
    }
}

/// `Secret Access Key [None]: `, `Password (at least 8 characters): `: the prompt of a program.
fn skip_default(scan: &Scan<'_>, at: usize) -> usize {
    let text = scan.slice(at, at + MAX_DEFAULT_BYTES);
    if !text.starts_with(b" [") && !text.starts_with(b" (") {
        return at;
    }
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let close = line.windows(3).position(|three| matches!(three, b"]: " | b"): "));
    close.map_or(at, |close| at + close + 1)
}

const MAX_DEFAULT_BYTES: usize = 40;

/// `git config github.token x`, `npm config set //host/:_authToken x`.
fn is_configured(scan: &Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let before = scan.slice(name_start.saturating_sub(64), name_start);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let compound =
        scan.slice(name_start, name_end).iter().any(|byte| matches!(byte, b'.' | b'_') || byte.is_ascii_uppercase());
    compound
        && (memchr::memmem::find(line, b"config ").is_some() || memchr::memmem::find(line, b"configure set ").is_some())
}

/// `["password":protected]`, `["secret":"App\Client":private]` of PHP.
fn skip_visibility(scan: &Scan<'_>, at: usize) -> usize {
    let end = scan.run(at, &VISIBILITY, 120);
    let text = scan.slice(at, end);
    let is_visibility = text.starts_with(b":") && (text.ends_with(b":private") || text.ends_with(b":protected"));
    if is_visibility && scan.at(end) == b']' { end } else { at }
}

static VISIBILITY: Set = Set::new("A-Za-z0-9_\\:\"");

/// `**Password:**`, `**Password**:` of Markdown.
fn skip_bold(scan: &Scan<'_>, at: usize) -> usize {
    if scan.starts_with(at, b"**") || scan.starts_with(at, b"__") { at + 2 } else { at }
}

static SPACE: Set = Set::new(" \t\r\n");
static EQUALS: Set = Set::new("=>~");
static COLONS: Set = Set::new(":=>");
static BETWEEN: Set = Set::new(" \t\r\n,\"'\\");

/// `"name": "DB_PASSWORD", "value": "x"`, also in YAML and XML: the text after `value` is the value. Up to two other
/// members may precede it.
fn named_pair(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let mut at = at;
    for _ in 0..3 {
        let label = scan.run(at, &BETWEEN, 40);
        let word = scan.run(label, &NAME_END, 24);
        let closed = skip_quote(scan, word);
        let colon = scan.run(closed, &BLANK, 8);
        if word == label || !matches!(scan.at(colon), b':' | b'=') {
            return None;
        }
        let value = scan.run(colon + 1, &BLANK, 8);
        if is_value_label(scan.slice(label, word)) {
            return Some((Separator::Pair, value));
        }
        let found = value_at(scan, value).filter(|found| found.end - found.start <= 64)?;
        at = found.end + usize::from(found.quoted);
    }
    None
}

/// `token is x`, `password set to x`.
fn skip_verb(scan: &Scan<'_>, at: usize) -> usize {
    #[rustfmt::skip] // One word per line would fill a page.
    const VERBS: &[&[u8]] = &[
        b"was provided: ", b"was: ", b"used: ", b"should be ", b"is: ", b"is ", b"ist ", b"lautet: ", b"lautet ", b"est ", b"es ", "é ".as_bytes(),
        b"was set to ", b"was changed to ", b"was ", b"set to ", b"changed to ", b"used was ", b"to equal ",
        b"to be ", b"to eq ", b"to ", b"of ", b"provided: ", b"provided ", b"value ", b"(",
    ];
    VERBS.iter().find(|verb| scan.starts_with(at, verb)).map_or(at, |verb| at + verb.len())
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn quote_at(scan: &Scan<'_>, at: usize) -> Option<usize> {
    (skip_quote(scan, at) > at).then_some(at)
}
