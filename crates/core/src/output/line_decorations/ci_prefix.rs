//! Finds the prefix that CI systems and container engines print before each log line: a time stamp and other fields.
//! Time stamps that the program itself prints are not part of the prefix. They have fewer digits or no brackets.

use super::time;
use crate::text::bytes::{byte_at, digits_end, run_end};

/// U+FEFF, which GitHub prints before the first line of a step.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Length of a time stamp before the fraction of a second: `2006-01-02T15:04:05`.
const SECONDS_BYTES: usize = 19;
/// Number of bytes in which the names of job and step are searched.
const MAX_COLUMN_SEARCH_BYTES: usize = 512;

/// Checks whether two of the first three lines have time stamps. The first line may be cut.
pub(crate) fn has_prefixes(text: &[u8]) -> bool {
    let mut lines = crate::output::lines_of(text).map(|line| prefix_length_of_line(line) > 0);
    let mut next = || lines.next().unwrap_or(false);
    match (next(), next()) {
        (true, true) => true,
        (false, false) => false,
        _ => next(),
    }
}

/// Returns the length of the prefix of the text's first line.
pub(crate) fn prefix_length(text: &[u8]) -> usize {
    prefix_length_of_line(&text[..memchr::memchr(b'\n', text).unwrap_or(text.len())])
}

fn prefix_length_of_line(line: &[u8]) -> usize {
    let start = byte_order_mark_end(line, columns_end(line));
    let mut end = jenkins_stamp_end(line, start).or_else(|| gitlab_stamp_end(line, start)).unwrap_or(start);
    // The log of a container inside the log of a job has two time stamps.
    while let Some(after) = timestamp_end(line, end) {
        end = after;
    }
    if end == start { 0 } else { stream_end(line, end) }
}

/// Returns the end of the byte order mark at `start`, if there is a mark.
fn byte_order_mark_end(line: &[u8], start: usize) -> usize {
    start + if line[start..].starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// Returns the end of the names of job and step, each followed by a tab, as `gh run view --log` prints them.
fn columns_end(line: &[u8]) -> usize {
    let mut tabs = memchr::memchr_iter(b'\t', &line[..line.len().min(MAX_COLUMN_SEARCH_BYTES)]);
    tabs.nth(1).map_or(0, |tab| tab + 1)
}

/// Returns the end of a time stamp such as `2006-01-02T15:04:05.1234567Z ` (GitHub Actions, Azure Pipelines), also with
/// up to nine digits (Docker, Kubernetes, whose Go code omits trailing zeros).
fn timestamp_end(line: &[u8], start: usize) -> Option<usize> {
    let seconds = start + SECONDS_BYTES;
    if byte_at(line, seconds) != b'.' || byte_at(line, start + 10) != b'T' {
        return None;
    }
    let end = digits_end(line, seconds + 1);
    let exact = (7..=9).contains(&(end - seconds - 1)) && byte_at(line, end) == b'Z';
    let ends = matches!(byte_at(line, end + 1), b' ' | b'\r' | 0);
    // Require a valid time, because the normalizer leaves an invalid time stamp in the text, and a second pass would
    // then remove it.
    (exact && ends && time::timestamp_end(line, start).is_some()).then(|| line.len().min(end + 2))
}

/// Returns the end of Jenkins's `[2006-01-02T15:04:05.123Z] `.
fn jenkins_stamp_end(line: &[u8], start: usize) -> Option<usize> {
    let fraction = start + 1 + SECONDS_BYTES;
    if byte_at(line, start) != b'['
        || byte_at(line, fraction) != b'.'
        || !line[fraction..].get(4..).is_some_and(|rest| rest.starts_with(b"Z]"))
    {
        return None;
    }
    let is_stamp = digits_end(line, fraction + 1) == fraction + 4 && time::timestamp_end(line, start + 1).is_some();
    let end = fraction + 6;
    (is_stamp && matches!(byte_at(line, end), b' ' | b'\r' | 0)).then(|| line.len().min(end + 1))
}

/// Returns the end of GitLab's `2006-01-02T15:04:05.123456Z 01O `: stream number, stream letter, and a plus sign if the
/// line continues the previous line.
fn gitlab_stamp_end(line: &[u8], start: usize) -> Option<usize> {
    let zone = start + SECONDS_BYTES + 7;
    if byte_at(line, start + SECONDS_BYTES) != b'.'
        || digits_end(line, start + SECONDS_BYTES + 1) != zone
        || byte_at(line, zone) != b'Z'
    {
        return None;
    }
    let stream = matches!(line.get(zone + 1..zone + 5), Some([b' ', b'0'..=b'9', b'0'..=b'9', b'O' | b'E']));
    let end = zone + 5 + usize::from(byte_at(line, zone + 5) == b'+');
    (stream && time::timestamp_end(line, start).is_some())
        .then(|| line.len().min(end + usize::from(byte_at(line, end) == b' ')))
}

/// Returns the end of the fields that the container runtime adds: `stdout F `.
fn stream_end(line: &[u8], start: usize) -> usize {
    let rest = &line[start..];
    let name = run_end(rest, 0, |byte| byte.is_ascii_lowercase());
    let named = matches!(&rest[..name], b"stdout" | b"stderr") && matches!(rest[name..], [b' ', b'F' | b'P', b' ', ..]);
    start + if named { name + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{has_prefixes, prefix_length};

    #[test]
    fn prefix_ends_where_the_line_starts() {
        let rows = [
            ("2026-01-02T10:00:00.1234567Z ", "TypeError: no price"),
            ("2026-01-02T10:00:00.12345678Z ", "  at total (cart.js:12:3)"),
            ("2026-01-02T10:00:00.123456789Z stderr F ", "panic: no price"),
            ("2026-01-02T10:00:00.123456789Z 2026-01-02T10:00:00.123456789Z ", "panic: no price"),
            ("test\tRun npm test\t2026-01-02T10:00:00.1234567Z ", "TypeError: no price"),
            ("test\tRun npm test\t\u{feff}2026-01-02T10:00:00.1234567Z ", "TypeError: no price"),
            ("\u{feff}2026-01-02T10:00:00.1234567Z ", ""),
            ("[2026-01-02T10:00:00.123Z] ", "TypeError: no price"),
            ("[2026-01-02T10:00:00.123Z]", ""),
            ("2026-01-02T10:00:00.123456Z 01O ", "TypeError: no price"),
            ("2026-01-02T10:00:00.123456Z 00E+", "TypeError: no price"),
            ("2026-01-02T10:00:00.123456Z 01O", ""),
            ("", "[2026-01-02T10:00:00.123] no price"),
            ("", "[2026-01-02T10:00:00Z] no price"),
            ("2026-01-02T10:00:00.1234567Z", ""),
            ("", "2026-01-02T10:00:00.123Z TypeError: no price"),
            ("", "2026-01-02T10:00:00.123456Z ERROR shop: no price"),
            ("", "2026-01-02T10:00:00.1234567+01:00 no price"),
            ("", "2026-21-02T10:00:00.1234567Z no price"),
            ("", "at 2026-01-02T10:00:00.1234567Z no price"),
            ("", "a\tb\tc"),
            ("", "a\n\t\t2026-01-02T10:00:00.1234567Z no price"),
            ("", "\u{feff}no price"),
            ("", ""),
        ];
        for (before, line) in rows {
            assert_eq!(prefix_length(format!("{before}{line}").as_bytes()), before.len(), "{before}{line}");
        }
    }

    #[test]
    fn single_stamped_line_is_not_a_log() {
        let stamp = "2026-01-02T10:00:00.1234567Z ";
        assert!(has_prefixes(format!("{stamp}a\n{stamp}b").as_bytes()));
        assert!(has_prefixes(format!("02T10:00:00.1234567Z a\n{stamp}b\n{stamp}c").as_bytes()));
        assert!(!has_prefixes(format!("{stamp}a\nb\nc\n{stamp}d").as_bytes()));
        assert!(!has_prefixes(b""));
    }
}
