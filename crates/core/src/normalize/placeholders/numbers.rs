//! Decides by the words before a number whether the number identifies the failure: an exit code or an HTTP status does,
//! a count does not. The table tries dates and addresses earlier.

use super::duration;
use crate::text::bytes::{
    ByteSet, WORD, Words, byte_at, digits_end, ends_with_ignoring_case, is_one_of, is_word_byte, parse_digits, run_end,
    starts_with_ignoring_case,
};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Words before a number that make it a code, which identifies the failure.
static CODE_WORDS: Words<28> = Words::new([
    "code",
    "errno",
    "error",
    "err",
    "errcode",
    "errorcode",
    "error_code",
    "exitcode",
    "exit",
    "exited",
    "exitstatus",
    "signal",
    "sig",
    "rc",
    "retcode",
    "returncode",
    "sqlstate",
    "sqlcode",
    "winerror",
    "hresult",
    "ntstatus",
    "curl",
    "warning",
    "fatal",
    "ret",
    "reason",
    "smtp",
    "ftp",
]);

/// Words before a three-digit number that make it an HTTP status.
static STATUS_WORDS: Words<8> = Words::new([
    "http",
    "status",
    "statuscode",
    "status_code",
    "httpstatus",
    "http_status",
    "response",
    "responsecode",
]);

/// Words before a three-digit number that make it an HTTP status if the line mentions HTTP.
static RESPONSE_WORDS: Words<13> = Words::new([
    "returned",
    "returns",
    "got",
    "received",
    "responded",
    "answered",
    "with",
    "code",
    "error",
    "replied",
    "gave",
    "failed",
    "was",
]);

/// Prefixes of the reason phrases of error statuses.
static REASON_PHRASES: Words<28> = Words::new([
    "bad request",
    "unauthorized",
    "forbidden",
    "not found",
    "method not allowed",
    "not acceptable",
    "request timeout",
    "conflict",
    "gone",
    "precondition",
    "payload too large",
    "request entity",
    "uri too long",
    "unsupported media",
    "unprocessable",
    "too many requests",
    "internal server",
    "not implemented",
    "bad gateway",
    "service unavailable",
    "gateway time",
    "http version",
    "client error",
    "server error",
    "payment required",
    "locked",
    "ok",
    "no content",
]);
const HTTP_METHODS: [&str; 9] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"];

static EQUALS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"=="));
static EXPECTED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"expected"));

pub(in crate::normalize) fn is_http_method(word: &[u8]) -> bool {
    matches!(word.len(), 3..=7) && HTTP_METHODS.iter().any(|method| method.as_bytes() == word)
}

/// Returns the last word of `before` and the text before that word. Up to five marks may follow the word.
#[inline(always)]
pub(super) fn split_last_word(before: &[u8]) -> (&[u8], &[u8]) {
    static MARKS: ByteSet = ByteSet::of_classes(0, " =:([\"'#,{");
    static NAME: ByteSet = ByteSet::of_classes(WORD, "_/.");
    let end = before.len() - before.iter().rev().take(5).take_while(|&&byte| MARKS.has(byte)).count();
    let start = end - before[..end].iter().rev().take_while(|&&byte| NAME.has(byte)).count();
    (&before[start..end], &before[..start])
}

/// The meaning of a number, according to the words before the number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberRole {
    /// Identifies the failure, so the number stays.
    Code,
    /// An HTTP status, of which only the class stays.
    Status,
    /// Changes from run to run.
    Plain,
}

/// Returns the role of the digits at `start..end`, given the text before them in the line.
#[expect(clippy::inline_always, reason = "asked of every number: a call in wasm costs as much as this does")]
#[inline(always)]
pub(super) fn find_number_role(line: &[u8], start: usize, end: usize, before: &[u8]) -> NumberRole {
    let length = end - start;
    let fraction = byte_at(line, end) == b'.' && byte_at(line, end + 1).is_ascii_digit();
    // Excludes the process ID that Spring logs after the level: `ERROR 812 --- [main]`.
    let process = line[end..].starts_with(b" --- [");
    if length > 6 || fraction || process {
        return NumberRole::Plain;
    }
    let (word, earlier) = split_last_word(before);
    if word.is_empty() && length != 3 {
        return NumberRole::Plain;
    }
    if length == 3 && is_status(line, start, end, word, earlier) {
        return NumberRole::Status;
    }
    if is_code(word, earlier, before) { NumberRole::Code } else { NumberRole::Plain }
}

fn is_code(word: &[u8], earlier: &[u8], before: &[u8]) -> bool {
    if word.is_empty() || before.last().is_some_and(|&byte| byte == b'-') {
        return false;
    }
    CODE_WORDS.has(word)
        || STATUS_WORDS.has(word)
        || is_camel_case_code(word)
        || before.last() == Some(&b'(') && is_code_in_parentheses(word, before)
        // Accepts `exit status 2`, `exited with 137`, `returned non-zero exit status 1`.
        || EXIT_WORDS.has(word) && starts_with_ignoring_case(split_last_word(earlier).0, b"exit")
}

static EXIT_WORDS: Words<3> = Words::new(["status", "with", "value"]);

fn is_camel_case_code(word: &[u8]) -> bool {
    match word.last() {
        Some(b'e') => word.ends_with(b"Code") || word.ends_with(b"_code"),
        Some(b'o') => word.ends_with(b"Errno"),
        Some(b'E') => word.ends_with(b"_CODE"),
        _ => false,
    }
}

fn is_code_in_parentheses(word: &[u8], before: &[u8]) -> bool {
    // The number of an error: `ConnectionResetError(104, …)`.
    let exception = word.ends_with(b"Error") || word.ends_with(b"Exception");
    // A state in parentheses after a code: `ERROR 1045 (28000)`.
    let state = || word.len() <= 6 && word.iter().all(u8::is_ascii_digit);
    // The number of a constant: `SIGSEGV (11)`, `INSTALL_FAILED_X (-25)`.
    let constant = || word.len() >= 4 && word.iter().all(|&byte| byte.is_ascii_uppercase() || byte == b'_');
    exception || before.ends_with(b" (") && (state() || constant())
}

fn is_status(line: &[u8], start: usize, end: usize, word: &[u8], earlier: &[u8]) -> bool {
    let value = parse_digits(&line[start..end]);
    if !(100..600).contains(&value) || is_word_byte(byte_at(line, end)) {
        return false;
    }
    if has_reason_phrase(line, end) && value >= 200 {
        return true;
    }
    let previous = split_last_word(earlier).0;
    if starts_with_ignoring_case(previous, b"exit") || previous.eq_ignore_ascii_case(b"process") {
        return false;
    }
    let status_code = word.eq_ignore_ascii_case(b"code") && is_one_of(previous, &["status", "response", "http"]);
    let named = STATUS_WORDS.has(word)
        || matches!(word.last(), Some(b's' | b'S' | b'e' | b'E'))
            && ["status", "statuscode", "status_code"]
                .iter()
                .any(|name| ends_with_ignoring_case(word, name.as_bytes()));
    let versioned = starts_with_ignoring_case(word, b"http/");
    let answer = RESPONSE_WORDS.has(word) && mentions_http(line);
    status_code || named || versioned || answer || is_compared_status(line, value)
}

/// Checks for a reason phrase after the status: `404 Not Found`, `500: Internal Server Error`, `(404) Not Found`.
fn has_reason_phrase(line: &[u8], end: usize) -> bool {
    static GAP: ByteSet = ByteSet::of_classes(0, " :-)\"'");
    let start = run_end(line, end, |byte| GAP.has(byte));
    let rest = &line[start.min(end + 4).min(line.len())..];
    start > end && REASON_PHRASES.begin(rest)
}

/// Checks for the expected status next to the status of a failure: `assert 404 == 200`.
fn is_compared_status(line: &[u8], value: u32) -> bool {
    const SUCCESS_STATUSES: [&str; 4] = ["200", "201", "202", "204"];
    let failed = |text: &[u8]| text.len() == 3 && matches!(text[0], b'4' | b'5') && text.iter().all(u8::is_ascii_digit);
    let other = |wanted: &dyn Fn(&[u8]) -> bool| line.split(|&byte| !is_word_byte(byte)).any(wanted);
    let marked = || EQUALS.find(line).is_some() || EXPECTED.find(line).is_some();
    match value {
        200 | 201 | 202 | 204 => marked() && other(&failed),
        400..600 => marked() && other(&|word| is_one_of(word, &SUCCESS_STATUSES)),
        _ => false,
    }
}

fn mentions_http(line: &[u8]) -> bool {
    let mut words = line.split(|&byte| !(is_word_byte(byte) || byte == b'/')).filter(|word| !word.is_empty());
    words.any(|word| {
        is_http_method(word)
            || starts_with_ignoring_case(word, b"status")
            || starts_with_ignoring_case(word, b"http")
            || word == b"URL"
            || word == b"request"
    })
}

/// Returns the class of a status, for example `5xx`.
pub(super) fn status_class(first: u8) -> &'static str {
    match first {
        b'1' => "1xx",
        b'2' => "2xx",
        b'3' => "3xx",
        b'4' => "4xx",
        _ => "5xx",
    }
}

/// Returns the end of a plain number that starts at `start`, with groups of three digits, fraction and exponent.
pub(super) fn decimal_number_end(text: &[u8], start: usize) -> usize {
    let mut end = digits_end(text, start);
    while byte_at(text, end) == b',' && end - start <= 15 && digits_end(text, end + 1) == end + 4 {
        end += 4;
    }
    if byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit() {
        end = digits_end(text, end + 1);
    }
    let sign = usize::from(matches!(byte_at(text, end + 1), b'+' | b'-'));
    let exponent = digits_end(text, end + 1 + sign);
    let has_exponent = matches!(byte_at(text, end), b'e' | b'E')
        && exponent > end + 1 + sign
        && !is_word_byte(byte_at(text, exponent));
    if has_exponent { exponent } else { end }
}

/// Returns the end of a version of at least three numbers that starts at `start`: `1.2.3`, `2.6.0-SNAPSHOT`.
pub(super) fn version_end(text: &[u8], start: usize) -> Option<usize> {
    let mut end = digits_end(text, start);
    let mut parts = 1;
    while byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit() {
        end = digits_end(text, end + 1);
        parts += 1;
    }
    (parts >= 3 && !is_word_byte(byte_at(text, end))).then_some(end)
}

/// Checks whether a unit may follow the number whose first digits end at `end`, directly or after a space.
pub(super) fn may_have_unit(text: &[u8], end: usize) -> bool {
    let end = run_end(text, end, |byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','));
    match byte_at(text, end) {
        b' ' => SIZE_UNITS.may_start_with(byte_at(text, end + 1)) || duration::can_start_unit(byte_at(text, end + 1)),
        byte => is_word_byte(byte) || byte == b'%',
    }
}

/// Returns the end of a size that starts at `start`: `128MB`, `8.8 KiB`, `512Mi`, `20 bytes`.
pub(super) fn size_end(text: &[u8], start: usize) -> Option<usize> {
    let end = decimal_number_end(text, start);
    let glued = run_end(text, end, |byte| byte.is_ascii_alphabetic());
    if glued > end {
        let unit = &text[end..glued];
        let binary = unit[0].is_ascii_uppercase()
            && matches!(unit, b"K" | b"M" | b"G" | b"T" | b"Ki" | b"Mi" | b"Gi" | b"Ti" | b"Kbps");
        // Excludes `64bit`, which is a width.
        let width = matches!(unit, b"bit" | b"bits" | b"b");
        return ((SIZE_UNITS.has(unit) && !width || binary) && !is_word_byte(byte_at(text, glued))).then_some(glued);
    }
    if byte_at(text, end) != b' ' {
        return None;
    }
    let spaced = run_end(text, end + 1, |byte| byte.is_ascii_alphabetic());
    let unit = &text[end + 1..spaced];
    (SIZE_UNITS.has(unit) && !is_word_byte(byte_at(text, spaced)) && unit != b"b").then_some(spaced)
}

/// Bytes, bits and their multiples.
static SIZE_UNITS: Words<18> = Words::new([
    "b", "kb", "mb", "gb", "tb", "pb", "kib", "mib", "gib", "tib", "byte", "bytes", "kbytes", "mbytes", "kbit", "mbit",
    "bits", "bit",
]);
