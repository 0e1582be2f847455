//! Recognizes log levels as loggers print them. The caller must know that the line belongs to a log, because any word
//! may look like a level.

use crate::text::bytes::run_end;
use memchr::{memchr_iter, memchr3_iter, memmem::Finder};
use std::sync::LazyLock;

/// Number of bytes at the start of a log line in which the level is searched. The level may come after a time stamp, a
/// host, a process, a thread and a logger.
const MAX_HEADER_SEARCH_BYTES: usize = 96;
/// Maximum number of bytes between a key and its value, such as `": "`.
const MAX_GAP_BYTES: usize = 5;
/// Levels below a warning.
const LEVELS_BELOW_WARNING: [&[u8]; 8] = [b"INFO", b"INF", b"DEBUG", b"DBG", b"TRACE", b"NOTICE", b"FINE", b"VERBOSE"];
const WARNING_LEVELS: [&[u8]; 3] = [b"WARN", b"WARNING", b"WRN"];
/// Levels that report a problem, and words that loggers print in place of such a level.
#[rustfmt::skip]
const PROBLEM_LEVELS: [&[u8]; 14] = [
    b"ERROR", b"ERR", b"SEVERE", b"CRITICAL", b"CRIT", b"FATAL", b"FTL", b"PANIC", b"ALERT", b"EMERG", b"EMERGENCY",
    b"FAIL", b"FAILED", b"FAILURE",
];
/// Values of a level key below a warning in structured logs.
const VALUES_BELOW_WARNING: [&[u8]; 4] = [b"info", b"debug", b"trace", b"notice"];
/// Values of a level key for a warning.
const WARNING_VALUES: [&[u8]; 2] = [b"warn", b"warning"];

static LEVEL_KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"level"));

/// Checks an upper-case word for a level below a warning.
pub(crate) fn is_level_below_warning(word: &[u8]) -> bool {
    LEVELS_BELOW_WARNING.contains(&word)
}

/// Checks an upper-case word for the level of a warning or worse.
pub(crate) fn is_problem_level(word: &[u8]) -> bool {
    PROBLEM_LEVELS.contains(&word) || WARNING_LEVELS.contains(&word)
}

/// Checks a value for a level below a warning, ignoring case.
pub(crate) fn is_value_below_warning(value: &[u8]) -> bool {
    VALUES_BELOW_WARNING.iter().any(|known| known.eq_ignore_ascii_case(value))
}

/// Checks for a level below an error near the start of the line: `[INFO]`, ` WARN `, `level=info`, `"level":"debug"`.
pub(crate) fn has_level_below_error(line: &[u8]) -> bool {
    let warns = line.trim_ascii_start().get(..8).is_some_and(|start| start.eq_ignore_ascii_case(b"warning:"));
    let start = &line[..line.len().min(MAX_HEADER_SEARCH_BYTES)];
    warns || has_low_word(start) || has_low_value(start)
}

fn has_low_word(start: &[u8]) -> bool {
    let capitals = memchr3_iter(b'I', b'W', b'D', start).chain(memchr3_iter(b'T', b'N', b'F', start));
    let begins = |at: &usize| at.checked_sub(1).is_none_or(|before| b"[|( \t".contains(&start[before]));
    capitals.chain(memchr_iter(b'V', start)).filter(begins).any(|at| {
        let word = leading_letters(&start[at..]);
        is_level_below_warning(word) || WARNING_LEVELS.contains(&word)
    })
}

/// Checks the value of a key `level`, which structured logs write in lower case.
fn has_low_value(start: &[u8]) -> bool {
    LEVEL_KEY.find(start).is_some_and(|at| {
        let value = start[at..].iter().skip(LEVEL_KEY.needle().len()).position(u8::is_ascii_alphanumeric);
        value.filter(|&gap| gap <= MAX_GAP_BYTES).is_some_and(|gap| {
            let word = leading_letters(&start[at + LEVEL_KEY.needle().len() + gap..]);
            VALUES_BELOW_WARNING.contains(&word) || WARNING_VALUES.contains(&word)
        })
    })
}

fn leading_letters(text: &[u8]) -> &[u8] {
    &text[..run_end(text, 0, |byte| byte.is_ascii_alphabetic())]
}
