//! Finds secrets by the name that they are assigned to: `NAME=x`, `"name": "x"`, `--name x`, `?name=x`,
//! `<name>x</name>`. `judge` decides the meaning of a name or value; `finders::headers` reads header schemes.

pub(super) mod assignment;
pub(super) mod nested;
mod next_line;
pub(super) mod redact_value;
mod spans;
mod table;

use super::{
    finders::{headers, sentences},
    judge::names::{self, Tier},
    scan::{BLANK, ByteSet, DIGIT, Scan},
};
use assignment::{MAX_NAME_BYTES, NAME_BYTES, NameSpan, Separator, ValueSpan, is_value_label, skip_quote, value_at};
use redact_value::redact_value;

static NAME_END: ByteSet = ByteSet::new("A-Za-z0-9_-");

/// Redacts the value of the name around a keyword. `hit` is the position of the keyword.
pub(super) fn redact_after_name(scan: &mut Scan<'_>, hit: usize) {
    if hit < scan.names_done {
        return;
    }
    let name_end = scan.run_end(hit, &NAME_END, MAX_NAME_BYTES);
    scan.names_done = name_end;
    if !may_end_name(scan.byte_at(name_end)) {
        return;
    }
    let name_start = find_name_start(scan, hit);
    if scan.text[..name_start].ends_with(b"[REDACTED:") {
        return;
    }
    let query =
        matches!(scan.byte_before(name_start), b'?' | b'&' | b';') || scan.text[..name_start].ends_with(b"&amp;");
    if table::redact_column(scan, name_start, name_end)
        || table::redact_row(scan, name_start, name_end)
        || table::redact_csv_column(scan, name_start, name_end)
    {
        return;
    }
    let Some((separator, at)) = find_separator(scan, name_start, name_end) else {
        if let Some(tier) = names::classify_name(&scan.text[name_start..name_end], query) {
            sentences::redact_quoted_key(scan, NameSpan { start: name_start, end: name_end, tier });
        }
        sentences::redact_expectation(scan, name_start, name_end);
        return sentences::redact_token_below(scan, name_start, name_end);
    };
    // Excludes `--- PASS: TestUser2` of test runners.
    if matches!(&scan.text[name_start..name_end], b"PASS") && separator != Separator::Tight {
        return;
    }
    let Some(tier) = names::classify_name(&scan.text[name_start..name_end], query) else { return };
    if is_source_position(scan, name_start, separator, at) {
        return;
    }
    redact_after_separator(scan, NameSpan { start: name_start, end: name_end, tier }, separator, at);
}

/// Checks for a file with its line and column: `/src/passwd:12:5`, `token:88: error`.
fn is_source_position(scan: &Scan<'_>, name_start: usize, separator: Separator, at: usize) -> bool {
    let end = scan.run_end(at, &DIGIT, 8);
    let is_file = matches!(scan.byte_before(name_start), b'/' | b'\\') || scan.byte_at(end) == b':';
    let is_number = end > at && !scan.byte_at(end).is_ascii_alphanumeric();
    separator == Separator::TightColon && is_number && is_file
}

/// Checks whether the byte may follow a name that has a value. This cheap test rejects most keywords, because they are
/// words of a sentence.
fn may_end_name(byte: u8) -> bool {
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
fn find_name_start(scan: &Scan<'_>, hit: usize) -> usize {
    let start = scan.run_start(hit, &NAME_BYTES, MAX_NAME_BYTES);
    // In `\npassword`, the `n` belongs to the escape sequence.
    let escape = scan.byte_before(start) == b'\\' && matches!(scan.byte_at(start), b'n' | b'r' | b't');
    let start = if escape { start + 1 } else { start };
    let bare_key = start == hit && scan.text[hit..].get(..3).is_some_and(|key| key.eq_ignore_ascii_case(b"key"));
    let word =
        if bare_key && scan.byte_before(start) == b' ' { scan.run_start(start - 1, &NAME_END, 16) } else { start };
    // In `event=evt_01KH key=cus_f1`, the ID before `key` is not part of the name.
    if scan.slice(word, start).iter().any(u8::is_ascii_digit) { start } else { word }
}

pub(super) fn redact_after_separator(scan: &mut Scan<'_>, name: NameSpan, separator: Separator, at: usize) {
    match name.tier {
        Tier::Authorization if separator != Separator::Word => headers::redact_authorization(scan, at),
        Tier::Cookie if separator != Separator::Word => {
            let set = scan.slice(name.start, name.end).get(..3).is_some_and(|first| first.eq_ignore_ascii_case(b"set"));
            headers::redact_cookies(scan, at, set);
        }
        Tier::Authorization | Tier::Cookie => {}
        _ if nested::redact_nested(scan, name, separator, at) => {}
        _ => {
            let at = nested::skip_wrapper(scan, at);
            let value = value_at(scan, skip_pointer(scan, at)).map(|found| skip_type(scan, found, separator));
            let told = value.is_some_and(|found| redact_value(scan, name, separator, found));
            if let Some(changed) = value.and_then(|found| find_new_value(scan, found)) {
                redact_value(scan, name, separator, changed);
            }
            if separator == Separator::Word || (!told && separator == Separator::Colon) {
                sentences::redact_in_sentence(scan, name);
            }
            if !told {
                sentences::redact_quoted_key(scan, name);
            }
        }
    }
}

/// Skips the pointer that gdb prints before a text: `pass=0x5555555b3340 "x"`.
fn skip_pointer(scan: &Scan<'_>, at: usize) -> usize {
    let end = scan.run_end(at, &NAME_END, 20);
    let is_text = scan.starts_with(at, b"0x") && scan.starts_with(end, b" \"");
    if is_text { end + 1 } else { at }
}

/// Returns the second value of `"old" -> "new"` in a Terraform plan.
fn find_new_value(scan: &Scan<'_>, found: ValueSpan) -> Option<ValueSpan> {
    const ARROW: &[u8] = b" -> ";
    let end = found.end + usize::from(found.quoted);
    (found.quoted && scan.starts_with(end, ARROW)).then(|| value_at(scan, end + ARROW.len()))?
}

/// Skips the type in `password: string = "x"`.
fn skip_type(scan: &Scan<'_>, found: ValueSpan, separator: Separator) -> ValueSpan {
    if found.quoted || separator != Separator::Colon {
        return found;
    }
    let next = scan.run_end(found.end, &BLANK, 4);
    let assigned = scan.byte_at(next) == b'=' && !matches!(scan.byte_at(next + 1), b'=' | b'>');
    if assigned { value_at(scan, scan.run_end(next + 1, &BLANK, 8)).unwrap_or(found) } else { found }
}

fn find_separator(scan: &Scan<'_>, name_start: usize, name_end: usize) -> Option<(Separator, usize)> {
    let closed = skip_quote(scan, name_end);
    let quoted = closed > name_end;
    let closed = if quoted || scan.byte_before(name_start) == b'[' { skip_visibility(scan, closed) } else { closed };
    // PHP prints `["password"] => ` and `[password] => `.
    let bracket = scan.byte_at(closed) == b']' && (quoted || scan.byte_before(name_start) == b'[');
    let closed = if bracket { closed + 1 } else { skip_bold(scan, closed) };
    let closed = skip_prompt_default(scan, closed);
    let at = scan.run_end(closed, &BLANK, 40);
    let blanks = at > closed;
    let skip = |from: usize| scan.run_end(from, &BLANK, 40);
    match scan.byte_at(at) {
        b'-' if blanks && scan.starts_with(at, b"-> ") => Some((Separator::Spaced, skip(at + 2))),
        b'\xe2' if blanks && scan.starts_with(at, "→ ".as_bytes()) => Some((Separator::Spaced, skip(at + 3))),
        b'=' => {
            let end = scan.run_end(at, &EQUALS_OR_ARROW, 3);
            let value = skip(end);
            // PHP's `var_dump` prints the type and the value on the next line.
            let below = scan.run_end(value, &SPACE, 80);
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
        // In `console.log('password:', password)`, the quote ends the printed text, so no value follows.
        b':' if !quoted
            && is_quote(scan.byte_before(name_start))
            && scan.byte_at(at + 1) == scan.byte_before(name_start) =>
        {
            None
        }
        b':' => {
            let end = skip_bold(scan, scan.run_end(at, &COLON_OR_ARROW, 3));
            let value = skip(end);
            // Excludes `ModulePass::run` of C++.
            if end == at + 2 && scan.byte_at(at + 1) == b':' && value == end && !quoted {
                return Some((Separator::Word, value));
            }
            let spaced = value > end || matches!(scan.byte_at(value), b'\n' | b'\r');
            Some((if spaced { Separator::Colon } else { Separator::TightColon }, value))
        }
        b'%' if scan.starts_with(at, b"%22%3A%22") => Some((Separator::Tight, at + 9)),
        b'%' if scan.starts_with(at, b"%3D") || scan.starts_with(at, b"%3A") => Some((Separator::Tight, at + 3)),
        b'%' if scan.starts_with(at, b"%253D") || scan.starts_with(at, b"%253A") => Some((Separator::Tight, at + 5)),
        b'\\' if scan.starts_with(at, b"\\u003d") => Some((Separator::Tight, at + 6)),
        // Excludes the placeholder in `https://user:<password>@host`.
        b'>' if scan.byte_at(at + 1) == b'@' => None,
        b'>' if !quoted && !blanks && nested::opens_element(scan, name_start) => Some((Separator::Pair, at + 1)),
        b'>' if quoted => nested::find_element_text(scan, name_start, at),
        b'<' if !quoted && !blanks => nested::find_next_element_text(scan, at),
        b'(' if !quoted && !blanks => nested::find_argument(scan, name_start, at),
        b',' if !quoted && !blanks && scan.byte_before(name_start) == b'{' => {
            // Erlang prints `{password, "x"}` and `{password, <<"x">>}`.
            let value = skip(at + 1);
            let value = if scan.starts_with(value, b"<<\"") { value + 2 } else { value };
            Some((Separator::Pair, find_quote(scan, value)?))
        }
        b',' if !quoted && !blanks => {
            find_value_member(scan, at + 1).or_else(|| sentences::find_equal_argument(scan, name_start, at))
        }
        b')' if !quoted => sentences::find_compared_value(scan, at),
        b',' if quoted => find_value_member(scan, at + 1)
            .or_else(|| nested::find_value_before_name(scan, name_start))
            .or_else(|| Some((Separator::Tuple, find_quote(scan, skip(at + 1))?))),
        b'}' if quoted => nested::find_value_before_name(scan, name_start),
        b'\n' | b'\r' => nested::find_multipart_value(scan, name_start, at)
            .or_else(|| find_value_member(scan, at))
            .or_else(|| next_line::find_value_under_heading(scan, name_start, at)),
        // Terraform defines `variable "password" { default = "x" }`.
        b'{' if quoted && blanks => Some((Separator::Pair, at)),
        _ if quoted && blanks => {
            let is_variable = !scan.text[name_start..name_end].iter().any(u8::is_ascii_lowercase);
            find_value_member(scan, at).or_else(|| is_variable.then(|| (Separator::Word, skip_verb(scan, at))))
        }
        _ if blanks && nested::opens_element(scan, name_start) => nested::skip_attributes(scan, at),
        _ if blanks && (scan.byte_before(name_start) == b'-' || scan.byte_at(name_start) == b'-') => {
            Some((Separator::Flag, if scan.starts_with(at, b"<<<") { skip(at + 3) } else { at }))
        }
        _ if blanks && is_config_command(scan, name_start, name_end) => Some((Separator::Flag, at)),
        _ if blanks => next_line::find_command_output(scan, name_start, at)
            .or_else(|| Some((Separator::Word, skip_verb(scan, at)))),
        _ => None,
    }
}

/// Skips the default or the hint in a program's prompt: `Secret Access Key [None]: `, `Password (at least 8
/// characters): `.
fn skip_prompt_default(scan: &Scan<'_>, at: usize) -> usize {
    let text = scan.slice(at, at + MAX_DEFAULT_BYTES);
    if !text.starts_with(b" [") && !text.starts_with(b" (") {
        return at;
    }
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let close = line.windows(3).position(|three| matches!(three, b"]: " | b"): "));
    close.map_or(at, |close| at + close + 1)
}

const MAX_DEFAULT_BYTES: usize = 40;

/// Checks for a command that sets an option: `git config github.token x`, `npm config set //host/:_authToken x`.
fn is_config_command(scan: &Scan<'_>, name_start: usize, name_end: usize) -> bool {
    let before = scan.slice(name_start.saturating_sub(64), name_start);
    let line = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    let compound =
        scan.slice(name_start, name_end).iter().any(|byte| matches!(byte, b'.' | b'_') || byte.is_ascii_uppercase());
    compound
        && (memchr::memmem::find(line, b"config ").is_some() || memchr::memmem::find(line, b"configure set ").is_some())
}

/// Skips the visibility of a PHP property: `["password":protected]`, `["secret":"App\Client":private]`.
fn skip_visibility(scan: &Scan<'_>, at: usize) -> usize {
    let end = scan.run_end(at, &PHP_VISIBILITY, 120);
    let text = scan.slice(at, end);
    let is_visibility = text.ends_with(b":private") || text.ends_with(b":protected");
    if is_visibility && scan.byte_at(end) == b']' { end } else { at }
}

static PHP_VISIBILITY: ByteSet = ByteSet::new("A-Za-z0-9_\\:\"");

/// Skips the marks of bold text in Markdown: `**Password:**`, `**Password**:`.
fn skip_bold(scan: &Scan<'_>, at: usize) -> usize {
    if scan.starts_with(at, b"**") || scan.starts_with(at, b"__") { at + 2 } else { at }
}

static SPACE: ByteSet = ByteSet::new(" \t\r\n");
static EQUALS_OR_ARROW: ByteSet = ByteSet::new("=>~");
static COLON_OR_ARROW: ByteSet = ByteSet::new(":=>");
static MEMBER_SEPARATOR: ByteSet = ByteSet::new(" \t\r\n,\"'\\");

/// Finds the value in `"name": "DB_PASSWORD", "value": "x"`, also in YAML and XML. Up to two other members may be
/// between the name and the value.
fn find_value_member(scan: &Scan<'_>, at: usize) -> Option<(Separator, usize)> {
    let mut at = at;
    for _ in 0..3 {
        let label = scan.run_end(at, &MEMBER_SEPARATOR, 40);
        let word = scan.run_end(label, &NAME_END, 24);
        let closed = skip_quote(scan, word);
        let colon = scan.run_end(closed, &BLANK, 8);
        if word == label || !matches!(scan.byte_at(colon), b':' | b'=') {
            return None;
        }
        let value = scan.run_end(colon + 1, &BLANK, 8);
        if is_value_label(scan.slice(label, word)) {
            return Some((Separator::Pair, value));
        }
        let found = value_at(scan, value).filter(|found| found.end - found.start <= 64)?;
        at = found.end + usize::from(found.quoted);
    }
    None
}

/// Skips the verb in `token is x` and `password set to x`.
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

fn find_quote(scan: &Scan<'_>, at: usize) -> Option<usize> {
    (skip_quote(scan, at) > at).then_some(at)
}
