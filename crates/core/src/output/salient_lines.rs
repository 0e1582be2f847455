//! Chooses the lines of the failure from the remaining lines: the message and the causes, without earlier output and
//! printed data. `lines` has already removed the output of runners.

use crate::text::{
    bytes::literals::LiteralFinder,
    bytes::{PrefixList, Words, byte_at, digits_end, is_word_byte, run_end},
};
use memchr::memmem;
use std::{cmp::Ordering, sync::LazyLock};

/// Words and parts of words, in any case. A line before the headline that contains one of them belongs to the error.
static FAILURE_WORDS: LazyLock<LiteralFinder> =
    LazyLock::new(|| LiteralFinder::new(&["fail", "error", "exception", "panic", "fatal", "abort", "crash"], true));

/// Minimum length of a line that counts as data if it has few letters.
const MIN_DATA_LINE_BYTES: usize = 48;

/// Removes the lines that are not part of the failure; returns whether any line was removed. `text` returns a line
/// without blanks around it, and `is_reported` checks for a line that the runner printed as the message of a
/// failed test.
pub(super) fn remove_unrelated_lines<L>(
    lines: &mut Vec<L>,
    text: impl Fn(&L) -> &[u8],
    is_reported: impl Fn(&L) -> bool,
) -> bool {
    let count = lines.len();
    if count < 2 {
        return false;
    }
    // assert_cmd prints this message above the output of a program that failed.
    if text(&lines[0]) == b"Unexpected failure." {
        lines.remove(0);
    }
    // Lines before the runner's message are output of the program, unless the program panicked.
    let reported =
        lines.iter().position(is_reported).filter(|_| !lines.iter().any(|line| text(line).starts_with(b"panic: ")));
    lines.drain(..reported.unwrap_or(0));
    let first_error = || lines.iter().position(|line| looks_like_error(text(line)));
    let headline = reported.map(|_| 0).or_else(first_error);
    let expectation = || lines.iter().position(|line| is_expectation(text(line)));
    // A test that was killed or timed out may have printed any text before.
    let ended = || lines.iter().position(|line| is_end_of_process(text(line)));
    let Some(headline) = headline.or_else(expectation).or_else(ended) else { return lines.len() < count };
    let may_follow_message = is_expectation(text(&lines[headline]));
    let without_error = is_end_of_process(text(&lines[headline]));
    let (mut index, mut quoted) = (0, false);
    lines.retain(|line| {
        let line = text(line);
        index += 1;
        match (index - 1).cmp(&headline) {
            Ordering::Less => may_follow_message || leads_to_headline(line),
            Ordering::Equal => true,
            Ordering::Greater if without_error => FAILURE_WORDS.occur_in(line),
            Ordering::Greater => {
                let ends_quoted = quoted && is_string_literal(line);
                quoted = is_quoted_output(line);
                !(ends_quoted || quoted || is_prometheus_metric(line) || is_data_line(line))
            }
        }
    });
    // The last line of a truncated text is incomplete.
    let cut_off = lines.last().is_some_and(|line| text(line).ends_with(b"..."));
    let within_stamp = |last: &L, above: &L| is_truncated_timestamp(text(last)) && !text(above).ends_with(b":");
    if let [.., above, last] = lines.as_slice()
        && within_stamp(last, above)
    {
        lines.pop();
    }
    if cut_off && lines.len() > 1 && !looks_like_error(text(&lines[lines.len() - 1])) {
        lines.pop();
    }
    lines.len() < count
}

/// Checks for a time stamp or the start of a time stamp, which remains of a truncated line.
fn is_truncated_timestamp(line: &[u8]) -> bool {
    let digits = || line.iter().all(|byte| byte.is_ascii_digit() || b"-:.TZ".contains(byte));
    line == b"<TIMESTAMP>" || byte_at(line, 0).is_ascii_digit() && line.len() < 30 && digits()
}

/// Checks for a line about an expectation. A message of the test may be before this line.
fn is_expectation(line: &[u8]) -> bool {
    static STARTS: PrefixList<3> = PrefixList::new(["Failed asserting that ", "expected: ", "expected "]);
    STARTS.matches_start(line)
}

fn is_end_of_process(line: &[u8]) -> bool {
    line.starts_with(b"killed by SIG") || line == b"timeout"
}

/// Checks whether a normalized text reports only that values differ, or only an error type. Many failures have the same
/// text.
pub(crate) fn is_generic_message(text: &[u8]) -> bool {
    let is_part = |byte: u8| is_word_byte(byte) || matches!(byte, b'_' | b'.' | b'$');
    let is_upper = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
    let kind = |word: &[u8]| word.ends_with(b"Error") || word.ends_with(b"Exception");
    let mut from = 0;
    text.split(|&byte| !is_part(byte)).all(|word| {
        let (start, end) = (from, from + word.len());
        from = end + 1;
        // A quoted name, as in `KeyError: 'API_KEY'`, describes the failure.
        let is_quoted = matches!(byte_at(text, end), b'\'' | b'"' | b'`')
            && byte_at(text, start.wrapping_sub(1)) == byte_at(text, end);
        let word = word.strip_suffix(b".").unwrap_or(word);
        word.is_empty()
            || GENERIC_WORDS.has(word)
            || GENERIC_CALLS.has(word)
            || kind(word)
            || !is_quoted && word.iter().all(is_upper)
    })
}

/// Words of generic assertion messages.
static GENERIC_WORDS: Words<59> = Words::new([
    "object.is",
    "equality",
    "object",
    "array",
    "nan",
    "a",
    "length",
    "expected",
    "actual",
    "but",
    "was",
    "found",
    "got",
    "received",
    "to",
    "be",
    "equal",
    "equals",
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "values",
    "value",
    "strictly",
    "deep",
    "deeply",
    "loosely",
    "strict",
    "not",
    "left",
    "right",
    "assertion",
    "failed",
    "failure",
    "is",
    "and",
    "or",
    "the",
    "should",
    "assert",
    "have",
    "same",
    "different",
    "than",
    "greater",
    "less",
    "truthy",
    "falsy",
    "timeout",
    "timed",
    "out",
    "of",
    "tobe",
    "toequal",
    "expect",
    "arrays",
]);

/// Further words of generic messages, and the functions that `NUnit`, `xUnit.net`, `MSTest` and `XCTest` name in them.
static GENERIC_CALLS: Words<25> = Words::new([
    "asserting",
    "that",
    "objects",
    "boolean",
    "expecting",
    "argument",
    "empty",
    "exist",
    "assert.true",
    "assert.false",
    "assert.equal",
    "assert.null",
    "assert.notnull",
    "assert.istrue",
    "assert.isfalse",
    "assert.areequal",
    "assert.isnull",
    "assert.isnotnull",
    "assert.that",
    "xctassert",
    "xctasserttrue",
    "xctassertfalse",
    "xctassertequal",
    "xctassertnil",
    "xctassertnotnil",
]);

/// Checks for a message of a runtime that names no part of the program, so that two mistakes in a test differ only in
/// their place. The list has messages of the runtimes of Go, JavaScript, Python, Java, Kotlin, C#, Rust, PHP, Ruby,
/// Swift, Dart, Elixir, Lua and Haskell. A stack overflow is not in the list, because its innermost frame is random.
pub(crate) fn is_generic_runtime_message(text: &[u8]) -> bool {
    static RUNTIME_WORDINGS: LazyLock<LiteralFinder> = LazyLock::new(|| {
        LiteralFinder::new(
            &[
                "DATA RACE",
                "nil pointer dereference",
                "assignment to entry in nil map",
                "slice bounds out of range",
                "integer divide by zero",
                "interface {} is nil",
                "properties of undefined",
                "properties of null",
                "' of undefined",
                "' of null",
                "undefined is not an object",
                "null is not an object",
                "undefined is not iterable",
                "null is not iterable",
                "Cannot convert undefined or null to object",
                "'NoneType' object",
                "index out of range",
                "pop from empty list",
                "division by zero",
                "NullPointerException",
                "out of bounds for length",
                "/ by zero",
                "No value present",
                "List is empty",
                "Object reference not set to an instance of an object",
                "Index was outside the bounds of the array",
                "Sequence contains no ",
                "Nullable object must have a value",
                "Attempted to divide by zero",
                "on a `None` value",
                "index out of bounds",
                "with overflow",
                "attempt to divide by zero",
                "RefCell already ",
                "already borrowed",
                "already mutably borrowed",
                "on null",
                "of type null",
                "for nil",
                "nil can't be coerced",
                "divided by 0",
                "unexpectedly found nil",
                "Unexpectedly found nil",
                "Index out of range",
                "Null check operator used on a null value",
                "function nil.",
                "in: nil",
                "bad argument in arithmetic expression",
                "a nil value",
                "Prelude.head: empty list",
                "Maybe.fromJust: Nothing",
            ],
            false,
        )
    });
    RUNTIME_WORDINGS.occur_in(text)
}

/// Checks whether the form of the line marks it as an error: `TypeError: message`, `fatal: message`, `E0308`.
pub(crate) fn looks_like_error(line: &[u8]) -> bool {
    static ERROR_LABELS: PrefixList<18> = PrefixList::new([
        "assertion `left ",
        "assertion failed: ",
        "called `",
        "# Assertion failed",
        "# Check failed",
        "# Debug check failed",
        "error: ",
        "error[",
        "Error: ",
        "ERROR: ",
        "fatal: ",
        "fatal error: ",
        "FATAL: ",
        "panic: ",
        "# Fatal error in ",
        "Assertion failed",
        "Fatal error: ",
        "AssertionError",
    ]);
    ERROR_LABELS.matches_start(line) || starts_with_error_type(line)
}

/// Checks whether the line starts with the name of an error type, alone or with a message.
pub(super) fn starts_with_error_type(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"Uncaught ").unwrap_or(line);
    let end = run_end(line, 0, |byte| is_word_byte(byte) || matches!(byte, b'_' | b'.' | b'$' | b':' | b'\\'));
    let name = line[..end].strip_suffix(b":").unwrap_or(&line[..end]);
    let named = [&b"Error"[..], b"Exception", b"Failure", b"Panic", b"Throwable"].iter().any(|end| name.ends_with(end));
    let separate = end == line.len() || line[..end].ends_with(b":") || line[end..].starts_with(b" [");
    named && separate && byte_at(line, 0).is_ascii_alphabetic()
}

/// Checks whether a line before the headline is part of the failure.
fn leads_to_headline(line: &[u8]) -> bool {
    let warning = memmem::find(line, b"arning").is_some_and(|at| at < 64);
    !warning && FAILURE_WORDS.occur_in(line)
}

/// Checks for a line of Prometheus metrics: `# TYPE http_requests_total counter`, `http_requests_total{code="200"} 3`.
fn is_prometheus_metric(line: &[u8]) -> bool {
    if line.starts_with(b"# TYPE ") || line.starts_with(b"# HELP ") {
        return true;
    }
    // Check the last byte first, because it rules out nearly every line.
    if !matches!(line.last(), Some(b'0'..=b'9' | b'N' | b'f' | b'>')) {
        return false;
    }
    let name = run_end(line, 0, |byte| is_word_byte(byte) || matches!(byte, b'_' | b':'));
    let labels =
        if byte_at(line, name) == b'{' { memchr::memrchr(b'}', line).map_or(name, |end| end + 1) } else { name };
    let value = line[labels..].strip_prefix(b" ").unwrap_or_default();
    let number = matches!(value, b"NaN" | b"+Inf" | b"-Inf" | b"<NUM>")
        || !value.is_empty() && value.iter().all(|byte| byte.is_ascii_digit() || b".-+eE".contains(byte));
    name > 0 && line[..name].contains(&b'_') && number
}

/// Checks for output of another program that an assertion prints as strings: `'ready\n' +`.
fn is_quoted_output(line: &[u8]) -> bool {
    let Some(string) = line.strip_suffix(b" +") else { return false };
    is_string_literal(
        string.strip_prefix(b"+").or_else(|| string.strip_prefix(b"-")).unwrap_or(string).trim_ascii_start(),
    )
}

fn is_string_literal(line: &[u8]) -> bool {
    matches!((byte_at(line, 0), line.last()), (b'\'', Some(b'\'')) | (b'"', Some(b'"')) | (b'`', Some(b'`')))
}

/// Checks for a line with few letters, such as columns of numbers or hexadecimal data.
fn is_data_line(line: &[u8]) -> bool {
    if line.len() < MIN_DATA_LINE_BYTES {
        return false;
    }
    let (mut letters, mut position) = (0, 0);
    while position < line.len() {
        let end = run_end(line, position, is_word_byte);
        // A number, or its placeholder.
        let placeholder = byte_at(line, position.wrapping_sub(1)) == b'<' && byte_at(line, end) == b'>';
        let number = digits_end(line, position) > position
            || line[position..end].iter().all(u8::is_ascii_hexdigit)
            || line[position..end].starts_with(b"0x");
        if !placeholder && !number {
            letters += end - position;
            // Check the first words first, because they rule out nearly every line.
            if letters * 4 >= line.len() {
                return false;
            }
        }
        position = end.max(position) + 1;
    }
    true
}
