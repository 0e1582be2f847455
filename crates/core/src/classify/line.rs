//! What kind of line a hint stands in: one that reports, one that logs, or one that only quotes.
//! Does not: decide a category.

use memchr::{memchr, memmem, memrchr};
use regex::bytes::Regex;
use std::{cell::OnceCell, sync::LazyLock};

/// How far a line is followed to either side of a hint. Longer ones are minified code or base64.
const LINE_REACH: usize = 2048;
/// How far and how many lines the neighbourhood of a hint reaches.
const NEAR_REACH: usize = 1200;
const NEAR_LINES: usize = 8;

/// How a line may speak about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Says what happened.
    Report,
    /// A log line below error level, or one that says that something will be tried again.
    Log,
    /// Source code, a stack frame or a test's name: words in it are not the failure.
    Quote,
}

/// Reads lines of one text.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    text: &'a [u8],
    pytest: OnceCell<bool>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a [u8]) -> Self {
        Self { text, pytest: OnceCell::new() }
    }

    pub(super) const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The kind of the line that `start..end` stands in.
    pub(super) fn kind(&self, start: usize, end: usize) -> Kind {
        let (from, to) = bounds(self.text, start, end);
        let line = &self.text[from..to];
        if is_frame(line) || is_code(line) || is_title(line) || self.is_python_source(line, from) {
            return Kind::Quote;
        }
        if self.is_pytest() {
            return pytest_kind(line);
        }
        if is_log(line) { Kind::Log } else { Kind::Report }
    }

    /// pytest marks the lines of an error with `E`; with such lines there, the others are source and locals.
    fn is_pytest(&self) -> bool {
        *self.pytest.get_or_init(|| self.text.starts_with(b"E   ") || memmem::find(self.text, b"\nE   ").is_some())
    }

    /// The line under `File "x.py", line 3, in f` is source, and so are the marks under it.
    fn is_python_source(&self, line: &[u8], from: usize) -> bool {
        if !line.starts_with(b"    ") || from == 0 {
            return false;
        }
        let (before, end) = bounds(self.text, from - 1, from - 1);
        let above = self.text[before..end].trim_ascii_start();
        above.starts_with(b"File \"") && memmem::find(above, b", line ").is_some()
    }
}

/// Start and end of the line that `start..end` stands in, without its line break, as far as `LINE_REACH`.
pub(super) fn bounds(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let floor = start.saturating_sub(LINE_REACH);
    let ceil = text.len().min(end + LINE_REACH);
    let from = memrchr(b'\n', &text[floor..start]).map_or(floor, |at| floor + at + 1);
    let to = memchr(b'\n', &text[end..ceil]).map_or(ceil, |at| end + at);
    let to = if to > from && to > end && text[to - 1] == b'\r' { to - 1 } else { to };
    (from, to)
}

/// The lines around `start..end`.
pub(super) fn around(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let floor = start.saturating_sub(NEAR_REACH);
    let ceil = text.len().min(end + NEAR_REACH);
    let from = memchr::memrchr_iter(b'\n', &text[floor..start]).nth(NEAR_LINES).map_or(floor, |at| floor + at + 1);
    let to = memchr::memchr_iter(b'\n', &text[end..ceil]).nth(NEAR_LINES).map_or(ceil, |at| end + at);
    (from, to)
}

/// `at f (file:1:2)`, `❯ f file:1:2`, `# ./spec.rb:1:in`, `from a.rb:1:in`, `File "x", line 1`, `/a/b.go:12 +0x1f`.
fn is_frame(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii_start();
    let indented = trimmed.len() < line.len();
    (trimmed.starts_with(b"at ") && (indented || memchr(b'(', trimmed).is_some()))
        || trimmed.starts_with("❯ ".as_bytes())
        || (trimmed.starts_with(b"# ") && memmem::find(trimmed, b":in ").is_some())
        || (trimmed.starts_with(b"from ") && memmem::find(trimmed, b":in ").is_some())
        || (trimmed.starts_with(b"File \"") && memmem::find(trimmed, b", line ").is_some())
        || (indented && memmem::find(trimmed, b".go:").is_some() && memmem::find(trimmed, b" +0x").is_some())
}

/// Numbered source (`  12 | code`, `> 13 | code`), the lines of `^` under it, and the `Failure/Error: code` of Ruby specs.
fn is_code(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii_start();
    if trimmed.starts_with(b"Failure/Error:") {
        return true;
    }
    let number = trimmed.strip_prefix(b">").unwrap_or(trimmed).trim_ascii_start();
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && number[digits..].trim_ascii_start().starts_with(b"|")
}

/// Test names: what a test is called is not what happened to it.
fn is_title(line: &[u8]) -> bool {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^(?-u:\s*--- FAIL: \S+ \(\d[\d.]*s\)", // Go
            r"|---- \S+ stdout ----",                // Rust
            r"|(?:FAIL|ERROR): \w+ \([\w.]+\)",      // unittest
            r"|_{3,} [^\n]* _{3,}",                  // pytest
            r"|[\w.$]+(?:::|#)[\w\[\]]+",            // Java, Class::method
            r"|\s*\d+\) [^\n:]{1,200}:?",            // Mocha, RSpec
            r"|\s*(?:FAIL|×|✕|✗)\s+\S+ > [^\n]*)\s*$",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    // The first byte tells most lines apart without the regex.
    let first = line.trim_ascii_start().first().copied().unwrap_or(b' ');
    matches!(first, b'-' | b'F' | b'E' | b'_' | b'a'..=b'z' | b'0'..=b'9' | 0xc3 | 0xe2) && TITLE.is_match(line)
}

fn pytest_kind(line: &[u8]) -> Kind {
    if line.starts_with(b"E  ") || line.starts_with(b"FAILED ") || line.starts_with(b"ERROR ") {
        Kind::Report
    } else if line.starts_with(b" ") || line.starts_with(b">") || memmem::find(line, b": in ").is_some() {
        Kind::Quote
    } else {
        Kind::Log
    }
}

fn is_log(line: &[u8]) -> bool {
    static LOG: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"(?-u)^.{0,90}?(?:(?:^|[\[\s|(])(?:INFO|WARN|WARNING|DEBUG|TRACE|NOTICE)(?:[\]\s:|)]|$)",
            r#"|\blevel\\?"?[=:]\s?\\?"?(?:info|warn|warning|debug|trace)\b)"#,
            r"|(?i:\b(?:will retry|retrying|(?:retry|attempt) #?\d+|deprecationwarning)\b)",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    LOG.is_match(line)
}

#[cfg(test)]
mod tests {
    use super::{Kind, Reader};

    fn kind(text: &str, hint: &str) -> Kind {
        let at = text.find(hint).expect("the hint stands in the text");
        Reader::new(text.as_bytes()).kind(at, at + hint.len())
    }

    #[test]
    fn quotes_are_told_from_reports() {
        let rows = [
            ("    at connect (net.js:12:3) timeout", "timeout", Kind::Quote),
            ("\tat java.net.PlainSocketImpl.timeout(Native Method)", "timeout", Kind::Quote),
            ("  > 12 | expect(timeout).toBe(1)", "timeout", Kind::Quote),
            ("  File \"a.py\", line 3, in f\n    raise TimeoutError()\nValueError: x", "Timeout", Kind::Quote),
            ("    def f():\n>       raise TimeoutError\nE   ValueError: x", "Timeout", Kind::Quote),
            ("E   TimeoutError: x", "Timeout", Kind::Report),
            ("--- FAIL: TestTimeout (0.00s)", "Timeout", Kind::Quote),
            ("a.b.TimeoutTest::testTimeout", "testTimeout", Kind::Quote),
            ("2024-01-01 10:00:00 WARN pool timeout, retrying", "timeout", Kind::Log),
            ("2024-01-01 10:00:00 ERROR pool timeout", "timeout", Kind::Report),
            ("Error: connect ETIMEDOUT", "ETIMEDOUT", Kind::Report),
            ("time=x level=info msg=\"timeout\"", "timeout", Kind::Log),
        ];
        for (text, hint, wanted) in rows {
            assert_eq!(kind(text, hint), wanted, "{text}");
        }
    }
}
