//! Matches durations in the formats of logs and runtimes.

use crate::text::bytes::{Words, byte_at, digits_end, is_word_byte, run_end};

/// Units directly after the number (`15ms`) or after one space (`15 ms`).
static UNITS: Words<27> = Words::new([
    "s",
    "ms",
    "ns",
    "us",
    "sec",
    "secs",
    "second",
    "seconds",
    "msec",
    "msecs",
    "millis",
    "millisecond",
    "milliseconds",
    "microseconds",
    "nanoseconds",
    "min",
    "mins",
    "minute",
    "minutes",
    "hour",
    "hours",
    "hr",
    "hrs",
    "day",
    "days",
    "week",
    "weeks",
]);

/// Checks whether a unit, including units with a micro sign, can start with this byte.
pub(super) fn can_start_unit(byte: u8) -> bool {
    UNITS.may_start_with(byte) || byte >= 0x80
}

fn is_unit(unit: &[u8]) -> bool {
    UNITS.has(unit) || unit == "µs".as_bytes() || unit == "μs".as_bytes()
}

/// Units that must touch the number, because `5 m` may also mean meters or a name.
fn must_touch_number(unit: &[u8]) -> bool {
    matches!(unit, b"m" | b"h" | b"d" | b"usec" | b"M" | b"H" | b"D")
}

/// Returns the end of a duration that starts at `start`: `15ms`, `1.5 seconds`, `1m32.5s`, `2h`, `1m 12s`,
/// `1 hour 5 minutes`.
pub(in crate::normalize) fn duration_end(text: &[u8], start: usize) -> Option<usize> {
    let (mut end, mut unit) = duration_part(text, start)?;
    loop {
        let part = if byte_at(text, end).is_ascii_digit() {
            Some(duration_part(text, end)?)
        } else if byte_at(text, end) == b' ' && byte_at(text, end + 1).is_ascii_digit() {
            // Each unit must be smaller than the unit before, because `5s 7s` are two durations.
            duration_part(text, end + 1).filter(|&(next, finer)| finer < unit && !is_word_byte(byte_at(text, next)))
        } else {
            None
        };
        let Some(part) = part else { break };
        (end, unit) = part;
    }
    (!is_word_byte(byte_at(text, end))).then_some(end)
}

/// Returns the end of an ISO 8601 duration such as `PT1.5S` or `P1DT2H`.
pub(super) fn iso_duration_end(text: &[u8], start: usize) -> Option<usize> {
    let parts = |from: usize| {
        run_end(text, from, |byte| {
            byte.is_ascii_digit() || matches!(byte, b'D' | b'W' | b'H' | b'M' | b'S' | b'T' | b'.')
        })
    };
    if byte_at(text, start) != b'P' {
        return None;
    }
    let end = parts(start + 1);
    let dot = end - usize::from(byte_at(text, end.wrapping_sub(1)) == b'.');
    let shaped = byte_at(text, dot.wrapping_sub(1)).is_ascii_uppercase() && dot > start + 2;
    let digit = byte_at(text, start + 1).is_ascii_digit()
        || byte_at(text, start + 1) == b'T' && byte_at(text, start + 2).is_ascii_digit();
    (shaped && digit && !is_word_byte(byte_at(text, dot))).then_some(dot)
}

/// Returns the end of a number with its unit, and the rank of the unit.
fn duration_part(text: &[u8], start: usize) -> Option<(usize, u8)> {
    let mut end = digits_end(text, start);
    if byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit() {
        end = digits_end(text, end + 1);
    }
    let glued = run_end(text, end, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    if glued > end {
        let unit = &text[end..glued];
        return (is_unit(unit) || must_touch_number(unit)).then(|| (glued, unit_rank(unit)));
    }
    if byte_at(text, end) != b' ' {
        return None;
    }
    let spaced = run_end(text, end + 1, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let unit = &text[end + 1..spaced];
    is_unit(unit).then(|| (spaced, unit_rank(unit)))
}

/// Ranks units from weeks (5) down to fractions of a second (0).
fn unit_rank(unit: &[u8]) -> u8 {
    match unit[0].to_ascii_lowercase() {
        b'w' => 5,
        b'd' => 4,
        b'h' => 3,
        b'm' if unit.len() == 1 || unit.starts_with(b"min") => 2,
        b's' => 1,
        _ => 0,
    }
}
