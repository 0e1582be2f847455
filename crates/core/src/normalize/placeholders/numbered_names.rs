//! Decides about numbers in names: whether a number identifies the failure, and otherwise by which placeholder to
//! replace it.

use super::{
    machines,
    numbers::{self, NumberRole},
};
use crate::{
    normalize::word_context::{Replacement, WordContext},
    text::bytes::{
        DIGIT, LOWER, LOWER_HEX, NON_ASCII, Words, byte_at, count_class_changes, digits_end, ends_with_ignoring_case,
        is_word_byte, parse_digits, scan_word,
    },
};

pub(super) fn replace_number(here: &WordContext<'_>) -> Option<Replacement> {
    if here.byte_classes != DIGIT {
        // `1e5`
        let end = numbers::decimal_number_end(here.line, here.start);
        return (end >= here.end).then(|| Replacement::new(end, "<NUM>"));
    }
    if is_number_in_name(here) {
        let dotted = byte_at(here.line, here.end) == b'.' && byte_at(here.line, here.end + 1).is_ascii_digit();
        return Some(Replacement::keep_until(
            here,
            if dotted { digits_end(here.line, here.end + 1) } else { here.end },
        ));
    }
    match numbers::find_number_role(here.line, here.start, here.end, here.before) {
        NumberRole::Code => return Some(Replacement::keep_until(here, here.end)),
        NumberRole::Status => {
            return Some(Replacement::new(here.end, numbers::status_class(byte_at(here.line, here.start))));
        }
        NumberRole::Plain => {}
    }
    let joined = skip_digit_groups(here.line, here.end);
    if joined > here.end {
        return Some(Replacement::new(joined, "<ID>"));
    }
    // Digit groups and fractions continue only after these bytes.
    let more = matches!(here.next(), b'.' | b',');
    let end = if more { numbers::decimal_number_end(here.line, here.start) } else { here.end };
    Some(Replacement::new(end, number_placeholder(here)))
}

/// Skips digit groups such as `_0020_01_000002` after digits. Also skips the kind in the ID of a Hadoop task, for
/// example `_0020_m_000002_0`.
fn skip_digit_groups(line: &[u8], end: usize) -> usize {
    let mut end = end;
    while byte_at(line, end) == b'_' {
        let kind = matches!(byte_at(line, end + 1), b'm' | b'r') && byte_at(line, end + 2) == b'_';
        let start = if kind { end + 3 } else { end + 1 };
        let (stop, mask) = scan_word(line, start);
        if mask != DIGIT {
            break;
        }
        end = stop;
    }
    end
}

/// Checks for a number that is part of a name: `UTF-8`, `SHA-256`, `ORA-00942`, `x86_64`, `HTTP/1.1`.
fn is_number_in_name(here: &WordContext<'_>) -> bool {
    static NAMES_BEFORE_NUMBER: Words<26> = Words::new([
        "utf", "sha", "md", "iso", "iso-8859", "aes", "rsa", "ora", "tns", "pls", "rman", "cve", "cwe", "rfc", "pep",
        "es", "windows", "cp", "sqlstate", "imp", "exp", "jls", "ansi", "ieee", "jsr", "jep",
    ]);
    let before = here.before;
    match here.previous() {
        b'/' => before.ends_with(b"HTTP/") || is_protocol(before),
        b'_' => [&b"x86_"[..], b"GLIBC_", b"GLIBCXX_", b"CXXABI_"].iter().any(|name| before.ends_with(name)),
        b'.' => [&b"python2."[..], b"python3.", b"go1."].iter().any(|name| before.ends_with(name)),
        // Keeps the version in `major version 61` and `Python 3.8`, because it is the required or unsupported version.
        // A version of three numbers is already a placeholder.
        b' ' => {
            let platform = here.end - here.start <= 2 && PLATFORMS.has(numbers::split_last_word(before).0);
            platform && !machines::counts_nodes(before) || is_standard(before)
        }
        b'-' => is_dashed_name(here, &before[..before.len() - 1], &NAMES_BEFORE_NUMBER),
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

/// Checks for a protocol such as `http/1.1` that a TLS client offers, but not for a path such as `lib/http/1`.
fn is_protocol(before: &[u8]) -> bool {
    let rest = before.strip_suffix(b"http/");
    rest.is_some_and(|rest| !rest.last().is_some_and(|&byte| is_word_byte(byte) || matches!(byte, b'/' | b'.' | b'-')))
}

/// Checks for the name of a standard: `RFC 7231`, `PEP 440`, `ISO 8601`.
fn is_standard(before: &[u8]) -> bool {
    const STANDARDS: [&[u8]; 6] = [b"RFC ", b"PEP ", b"ISO ", b"IEEE ", b"JSR ", b"JEP "];
    let last = before.iter().rev().nth(1);
    last.is_some_and(u8::is_ascii_uppercase)
        && STANDARDS
            .iter()
            .filter_map(|name| before.strip_suffix(*name))
            .any(|rest| !rest.last().is_some_and(|&byte| is_word_byte(byte)))
}

/// Checks for a name with a dash: `UTF-8`, `ORA-00942`, `ABC-1234:`. `prefix` is the text before the dash.
fn is_dashed_name(here: &WordContext<'_>, prefix: &[u8], names: &Words<26>) -> bool {
    let length = prefix.iter().rev().take_while(|&&byte| is_word_byte(byte) || byte == b'-').count();
    let name = &prefix[prefix.len() - length..];
    let code = (2..=10).contains(&length)
        && name.iter().all(u8::is_ascii_uppercase)
        && (3..=6).contains(&(here.end - here.start))
        && matches!(byte_at(here.line, here.end), b':' | b']');
    names.has(name) || code || name.starts_with(b"CVE-")
}

/// Returns the most specific placeholder for a plain number.
fn number_placeholder(here: &WordContext<'_>) -> &'static str {
    let before = here.before;
    let word_before = |skip: usize| before.iter().rev().nth(skip).copied().unwrap_or(0);
    match here.previous() {
        b':' if is_file_place(before) => "<LINE>",
        b':' if matches!(word_before(1), b'>' | b']' | b':') || before.ends_with(b"localhost:") => "<PORT>",
        b'/' if is_word_byte(word_before(1)) || word_before(1) == b'>' => "<ID>",
        b'-' if here.end - here.start >= 5 => "<ID>",
        b' ' | b'=' | b':' | b'[' => placeholder_by_word_before(before),
        _ => "<NUM>",
    }
}

/// Returns the placeholder for a number by the word before it; up to two marks may separate them.
fn placeholder_by_word_before(before: &[u8]) -> &'static str {
    let marks = before.iter().rev().take(2).take_while(|&&byte| matches!(byte, b' ' | b'=' | b':' | b'[')).count();
    let text = &before[..before.len() - marks];
    match text.last().map(u8::to_ascii_lowercase) {
        Some(b't') if ends_with_ignoring_case(text, b"port") => "<PORT>",
        Some(b'e') if ends_with_ignoring_case(text, b"line") => "<LINE>",
        Some(b'd') if ends_with_ignoring_case(text, b"pid") => "<PID>",
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

/// Replaces a name that starts with digits by `<ID>`, but keeps `64bit`, `5xx` and codes such as `28P01`.
#[expect(clippy::unnecessary_wraps, reason = "the type of every entry of the table")]
pub(super) fn replace_digit_first_name(here: &WordContext<'_>) -> Option<Replacement> {
    let word = here.word();
    let leading = digits_end(word, 0);
    let state = word.len() == 5 && here.byte_classes & (LOWER | LOWER_HEX | NON_ASCII) == 0;
    let short = leading <= 2 && !word[leading..].iter().any(u8::is_ascii_digit);
    if machines::is_temperature(here, word) {
        return Some(Replacement::new(here.end, "<NUM>"));
    }
    if short || state || here.byte_classes & NON_ASCII != 0 {
        return Some(Replacement::keep_until(here, here.end));
    }
    Some(Replacement::new(here.end, "<ID>"))
}

/// Replaces the number in a name, but keeps the number of a code or of a well-known name.
#[expect(clippy::unnecessary_wraps, reason = "the type of every entry of the table")]
pub(super) fn replace_numbered_name(here: &WordContext<'_>) -> Option<Replacement> {
    let word = here.word();
    let tail = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let letters = word.len() - tail;
    let name = &word[..letters];
    // Versions such as `TLSv1.2` and `v1.2.3`.
    if tail > 0
        && name.ends_with(b"v")
        && byte_at(here.line, here.end) == b'.'
        && byte_at(here.line, here.end + 1).is_ascii_digit()
    {
        return Some(dotted_version(here, letters));
    }
    if tail > 0 && machines::is_numbered_device(here, name, tail) {
        return Some(Replacement::new(here.end, "<ID>"));
    }
    if tail == 0 || keeps_number(name, &word[letters..], here) {
        return Some(Replacement::keep_until(here, here.end));
    }
    Some(Replacement { kept_bytes: letters, ..Replacement::new(here.end, "<NUM>") })
}

fn dotted_version(here: &WordContext<'_>, letters: usize) -> Replacement {
    let end = numbers::version_end(here.line, here.start + letters)
        .unwrap_or_else(|| numbers::decimal_number_end(here.line, here.start + letters));
    if letters > 1 { Replacement::keep_until(here, end) } else { Replacement::new(end, "<VERSION>") }
}

/// Well-known names before a number that does not count items.
static NUMBERED_NAMES: Words<44> = Words::new([
    "int", "uint", "float", "utf", "ucs", "sha", "ipv", "http", "https", "ext", "log", "ecma", "python", "php", "perl",
    "ruby", "java", "jdk", "jre", "gcc", "clang", "win", "amd", "arm", "sse", "avx", "usb", "tls", "ssl", "oauth",
    "swagger", "openapi", "route", "base", "rsa", "boto", "vue", "jquery", "psycopg", "urllib", "sqlite", "bzip",
    "ssh", "jinja",
]);

fn keeps_number(name: &[u8], tail: &[u8], here: &WordContext<'_>) -> bool {
    let shouting = here.byte_classes & (LOWER | LOWER_HEX | NON_ASCII) == 0 && name.iter().all(u8::is_ascii_uppercase);
    if shouting && machines::is_machine_part(name) {
        return false;
    }
    if shouting {
        // Keeps codes such as `E0308`, `TS2345` and `CS0103`, but not `J18` and `U01`, which are places on a board.
        return tail.len() <= 6 && !(name.len() == 1 && name != b"X" && (tail.len() == 2 || here.previous() == b'-'));
    }
    let value = parse_digits(tail);
    let width = matches!(value, 8 | 16 | 32 | 64 | 86 | 128 | 256 | 384 | 512 | 224 | 1252 | 509);
    // Keeps types such as `Point2` and `Int32`, but not the number of an item such as `worker7` or `rand3`.
    let type_name = name.iter().any(u8::is_ascii_uppercase) && tail.len() == 1;
    let known = tail.len() <= 2 && (name.len() <= 2 || NUMBERED_NAMES.has(name));
    // Keeps the names of a Python version: `cp312`, `py310`.
    let python = tail.len() == 3 && tail[0] == b'3' && matches!(name, b"cp" | b"py");
    // Excludes the workers of pytest-xdist: `gw0`, `gw1`.
    if name == b"gw" {
        return false;
    }
    type_name || known || python || width && tail[0] != b'0' || count_class_changes(name) > 1
}
