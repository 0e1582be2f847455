//! Numbers in names and names with numbers: which of them identify the failure, and which placeholder the others get.
//! The table defines their order.

use super::{
    machines,
    numbers::{self, NumberRole},
};
use crate::{
    normalize::word::{Replacement, WordContext},
    text::bytes::{
        DIGIT, HIGH, LOWER, LOWER_HEX, Words, at, class_changes, digits, ends_ignoring_case, is_word, number, word,
    },
};

pub(super) fn number_or_code(here: &WordContext<'_>) -> Option<Replacement> {
    if here.mask != DIGIT {
        // `1e5`
        let end = numbers::plain(here.line, here.start);
        return (end >= here.end).then(|| Replacement::new(end, "<NUM>"));
    }
    if is_named_number(here) {
        let dotted = at(here.line, here.end) == b'.' && at(here.line, here.end + 1).is_ascii_digit();
        return Some(Replacement::kept(here, if dotted { digits(here.line, here.end + 1) } else { here.end }));
    }
    match numbers::role(here.line, here.start, here.end, here.before) {
        NumberRole::Code => return Some(Replacement::kept(here, here.end)),
        NumberRole::Status => {
            return Some(Replacement::new(here.end, numbers::status_class(at(here.line, here.start))));
        }
        NumberRole::Plain => {}
    }
    let joined = joined_digits(here.line, here.end);
    if joined > here.end {
        return Some(Replacement::new(joined, "<ID>"));
    }
    // A number continues only after these bytes.
    let more = matches!(here.next(), b'.' | b',');
    let end = if more { numbers::plain(here.line, here.start) } else { here.end };
    Some(Replacement::new(end, plain_name(here)))
}

/// Returns the end of `_0020_01_000002` after digits. Also accepts both kinds of Hadoop task, for example
/// `_0020_m_000002_0`.
fn joined_digits(line: &[u8], end: usize) -> usize {
    let mut end = end;
    while at(line, end) == b'_' {
        let kind = matches!(at(line, end + 1), b'm' | b'r') && at(line, end + 2) == b'_';
        let start = if kind { end + 3 } else { end + 1 };
        let (stop, mask) = word(line, start);
        if mask != DIGIT {
            break;
        }
        end = stop;
    }
    end
}

/// Checks for a number that is part of a name: `UTF-8`, `SHA-256`, `ORA-00942`, `x86_64`, `HTTP/1.1`.
fn is_named_number(here: &WordContext<'_>) -> bool {
    static NAMES: Words<26> = Words::new([
        "utf", "sha", "md", "iso", "iso-8859", "aes", "rsa", "ora", "tns", "pls", "rman", "cve", "cwe", "rfc", "pep",
        "es", "windows", "cp", "sqlstate", "imp", "exp", "jls", "ansi", "ieee", "jsr", "jep",
    ]);
    let before = here.before;
    match here.previous() {
        b'/' => before.ends_with(b"HTTP/") || is_protocol(before),
        b'_' => [&b"x86_"[..], b"GLIBC_", b"GLIBCXX_", b"CXXABI_"].iter().any(|name| before.ends_with(name)),
        b'.' => [&b"python2."[..], b"python3.", b"go1."].iter().any(|name| before.ends_with(name)),
        // `major version 61`, `Python 3.8`: these report a required or unsupported version. A version of three numbers
        // is already a placeholder.
        b' ' => {
            let platform = here.end - here.start <= 2 && PLATFORMS.has(numbers::last_word(before).0);
            platform && !machines::counts_nodes(before) || is_standard(before)
        }
        b'-' => is_dashed_name(here, &before[..before.len() - 1], &NAMES),
        _ => false,
    }
}

static PLATFORMS: Words<11> = Words::new([
    "version",
    "java",
    "jdk",
    "node",
    "node.js",
    "python",
    "ruby",
    "php",
    "windows",
    "postgresql",
    "gradle",
]);

/// `http/1.1` as TLS clients offer it; `lib/http/1` is a path.
fn is_protocol(before: &[u8]) -> bool {
    let rest = before.strip_suffix(b"http/");
    rest.is_some_and(|rest| !rest.last().is_some_and(|&byte| is_word(byte) || matches!(byte, b'/' | b'.' | b'-')))
}

/// `RFC 7231`, `PEP 440`, `ISO 8601`.
fn is_standard(before: &[u8]) -> bool {
    const STANDARDS: [&[u8]; 6] = [b"RFC ", b"PEP ", b"ISO ", b"IEEE ", b"JSR ", b"JEP "];
    let last = before.iter().rev().nth(1);
    last.is_some_and(u8::is_ascii_uppercase)
        && STANDARDS
            .iter()
            .filter_map(|name| before.strip_suffix(*name))
            .any(|rest| !rest.last().is_some_and(|&byte| is_word(byte)))
}

/// `UTF-8`, `ORA-00942`, `ABC-1234:`; `prefix` is the text before the dash.
fn is_dashed_name(here: &WordContext<'_>, prefix: &[u8], names: &Words<26>) -> bool {
    let length = prefix.iter().rev().take_while(|&&byte| is_word(byte) || byte == b'-').count();
    let name = &prefix[prefix.len() - length..];
    let code = (2..=10).contains(&length)
        && name.iter().all(u8::is_ascii_uppercase)
        && (3..=6).contains(&(here.end - here.start))
        && matches!(at(here.line, here.end), b':' | b']');
    names.has(name) || code || name.starts_with(b"CVE-")
}

/// Returns the most specific placeholder for a plain number.
fn plain_name(here: &WordContext<'_>) -> &'static str {
    let before = here.before;
    let word_before = |skip: usize| before.iter().rev().nth(skip).copied().unwrap_or(0);
    match here.previous() {
        b':' if is_file_place(before) => "<LINE>",
        b':' if matches!(word_before(1), b'>' | b']' | b':') || before.ends_with(b"localhost:") => "<PORT>",
        b'/' if is_word(word_before(1)) || word_before(1) == b'>' => "<ID>",
        b'-' if here.end - here.start >= 5 => "<ID>",
        b' ' | b'=' | b':' | b'[' => word_name(before),
        _ => "<NUM>",
    }
}

/// Returns the placeholder for a number by the word before it; one or two marks may separate them.
fn word_name(before: &[u8]) -> &'static str {
    let marks = before.iter().rev().take(2).take_while(|&&byte| matches!(byte, b' ' | b'=' | b':' | b'[')).count();
    let text = &before[..before.len() - marks];
    match text.last().map(u8::to_ascii_lowercase) {
        Some(b't') if ends_ignoring_case(text, b"port") => "<PORT>",
        Some(b'e') if ends_ignoring_case(text, b"line") => "<LINE>",
        Some(b'd') if ends_ignoring_case(text, b"pid") => "<PID>",
        _ => "<NUM>",
    }
}

/// Checks whether the output ends with `name.ext:`, or with `<LINE>` and `:`.
fn is_file_place(before: &[u8]) -> bool {
    let text = &before[..before.len() - 1];
    if text.ends_with(b"<LINE>") {
        return true;
    }
    let extension = text.iter().rev().take_while(|&&byte| byte.is_ascii_alphanumeric()).count();
    (1..=5).contains(&extension) && text.len() > extension && text[text.len() - extension - 1] == b'.'
}

/// Handles names that start with digits: `64bit` and `5xx` stay, `28P01` stays as a code, and other names become
/// `<ID>`.
#[expect(clippy::unnecessary_wraps, reason = "the type of every entry of the table")]
pub(super) fn digit_name(here: &WordContext<'_>) -> Option<Replacement> {
    let word = here.word();
    let leading = digits(word, 0);
    let state = word.len() == 5 && here.mask & (LOWER | LOWER_HEX | HIGH) == 0;
    let short = leading <= 2 && !word[leading..].iter().any(u8::is_ascii_digit);
    if machines::is_temperature(here, word) {
        return Some(Replacement::new(here.end, "<NUM>"));
    }
    if short || state || here.mask & HIGH != 0 {
        return Some(Replacement::kept(here, here.end));
    }
    Some(Replacement::new(here.end, "<ID>"))
}

/// Handles names that contain a number. The number stays if it is part of a code or of a well-known name.
#[expect(clippy::unnecessary_wraps, reason = "the type of every entry of the table")]
pub(super) fn numbered(here: &WordContext<'_>) -> Option<Replacement> {
    let word = here.word();
    let tail = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let letters = word.len() - tail;
    let name = &word[..letters];
    // `TLSv1.2`, `v1.2.3`.
    if tail > 0
        && name.ends_with(b"v")
        && at(here.line, here.end) == b'.'
        && at(here.line, here.end + 1).is_ascii_digit()
    {
        return Some(dotted_version(here, letters));
    }
    if tail > 0 && machines::is_one_of_many(here, name, tail) {
        return Some(Replacement::new(here.end, "<ID>"));
    }
    if tail == 0 || keeps_number(name, &word[letters..], here) {
        return Some(Replacement::kept(here, here.end));
    }
    Some(Replacement { keep: letters, ..Replacement::new(here.end, "<NUM>") })
}

fn dotted_version(here: &WordContext<'_>, letters: usize) -> Replacement {
    let end = numbers::version(here.line, here.start + letters)
        .unwrap_or_else(|| numbers::plain(here.line, here.start + letters));
    if letters > 1 { Replacement::kept(here, end) } else { Replacement::new(end, "<VERSION>") }
}

/// Well-known names that end with a number, which do not number one item among many.
static NUMBERED_NAMES: Words<44> = Words::new([
    "int", "uint", "float", "utf", "ucs", "sha", "ipv", "http", "https", "ext", "log", "ecma", "python", "php", "perl",
    "ruby", "java", "jdk", "jre", "gcc", "clang", "win", "amd", "arm", "sse", "avx", "usb", "tls", "ssl", "oauth",
    "swagger", "openapi", "route", "base", "rsa", "boto", "vue", "jquery", "psycopg", "urllib", "sqlite", "bzip",
    "ssh", "jinja",
]);

fn keeps_number(name: &[u8], tail: &[u8], here: &WordContext<'_>) -> bool {
    let shouting = here.mask & (LOWER | LOWER_HEX | HIGH) == 0 && name.iter().all(u8::is_ascii_uppercase);
    if shouting && machines::is_part(name) {
        return false;
    }
    if shouting {
        // `E0308`, `TS2345`, `CS0103`; but `J18`, `U01` are places on a board.
        return tail.len() <= 6 && !(name.len() == 1 && name != b"X" && (tail.len() == 2 || here.previous() == b'-'));
    }
    let value = number(tail);
    let width = matches!(value, 8 | 16 | 32 | 64 | 86 | 128 | 256 | 384 | 512 | 224 | 1252 | 509);
    // `Point2` and `Int32` are types; `worker7` and `rand3` are items among many.
    let type_name = name.iter().any(u8::is_ascii_uppercase) && tail.len() == 1;
    let known = tail.len() <= 2 && (name.len() <= 2 || NUMBERED_NAMES.has(name));
    // Wheels and environments for one Python version: `cp312`, `py310`.
    let python = tail.len() == 3 && tail[0] == b'3' && matches!(name, b"cp" | b"py");
    // pytest-xdist names its workers `gw0`, `gw1`.
    if name == b"gw" {
        return false;
    }
    type_name || known || python || width && tail[0] != b'0' || class_changes(name) > 1
}
