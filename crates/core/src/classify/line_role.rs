//! Finds the role of the line that contains a literal: a message, a log line, or context, such as quoted source code.

use super::literal_match::Candidate;
use crate::{
    output::{
        access_log,
        line::{runtime_lines, test_title},
        log_level, stack_frame,
    },
    text::bytes::line_above,
};
use memchr::{memchr, memmem, memrchr};
use std::cell::Cell;

/// Maximum distance between a literal and the start or end of its line. Longer lines are minified code or base64.
const MAX_LINE_REACH_BYTES: usize = 2048;
/// Maximum distance of a nearby line before or after a literal, in bytes and in lines.
const MAX_NEARBY_BYTES: usize = 1200;
const MAX_NEARBY_LINES: usize = 8;

/// Words that announce a retry. `retry ` and `attempt ` count only before a number.
pub(super) const RETRY_WORDS: &[&str] = &["will retry", "retrying", "retry ", "attempt ", "deprecationwarning"];

/// The mark that pytest prints before the lines of an error, in lower case.
pub(super) const PYTEST_ERROR_MARK: &str = "\ne   ";

/// Words that help to find the role of a line. The pass that finds the literals of rules also finds these words.
#[derive(Debug, Default)]
pub(super) struct LineRoleHints {
    /// Start and end of each of [`RETRY_WORDS`] in the text.
    pub(super) retries: Vec<(usize, usize)>,
    /// Set if a line after the first starts with [`PYTEST_ERROR_MARK`].
    pub(super) has_pytest_marks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRole {
    /// A line that reports what happened.
    Message,
    /// An HTTP server's record of a request, whose path may contain any word.
    Access,
    /// A log line below error level, a line that announces a retry, or a line that may be a test title.
    Log,
    /// Source code, a stack frame or the name of a test. The words in such a line do not describe the failure.
    Context,
}

/// Initial capacity, enough for most texts.
const EXPECTED_LINES: usize = 8;

/// The lines of a text that contain literals. The role of a line is computed when it is first needed.
#[derive(Debug)]
pub(super) struct LinesWithLiterals<'a> {
    text: &'a [u8],
    /// The lines in the order of their first request. The list is short because one of the first rules decides most
    /// texts.
    all: Vec<LineWithLiteral>,
    /// Start and end of each of [`RETRY_WORDS`] in the text, sorted by start.
    retries: Vec<(usize, usize)>,
    /// Set if pytest marks error lines with `E`. All other lines are then source and local variables.
    pytest: bool,
}

#[derive(Debug)]
struct LineWithLiteral {
    from: usize,
    to: usize,
    role: Cell<Option<LineRole>>,
    group_cache: GroupCache,
}

/// Caches whether each group of rules matches on the line, with a bit per group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupCache {
    asked: Cell<u8>,
    matches: Cell<u8>,
}

impl GroupCache {
    /// Returns the cached result of the group and calls `ask` only for the first request.
    pub(super) fn get_or_compute(&self, group: usize, ask: impl FnOnce() -> bool) -> bool {
        let bit = 1 << group;
        if self.asked.get() & bit == 0 {
            self.asked.set(self.asked.get() | bit);
            self.matches.set(self.matches.get() | if ask() { bit } else { 0 });
        }
        self.matches.get() & bit != 0
    }
}

impl<'a> LinesWithLiterals<'a> {
    pub(super) fn new(text: &'a [u8], marks: LineRoleHints) -> Self {
        let LineRoleHints { mut retries, has_pytest_marks: pytest } = marks;
        retries.sort_unstable();
        let all = Vec::with_capacity(EXPECTED_LINES);
        Self { text, all, retries, pytest: pytest || text.starts_with(b"E   ") }
    }

    /// Returns the index of the candidate's line. A line break at the end of a literal belongs to the line before the
    /// break.
    pub(super) fn find_or_add_line(&mut self, candidate: Candidate) -> usize {
        let start = candidate.start();
        let end = start + self.text[start..candidate.end()].trim_ascii_end().len();
        let known = self.all.iter().rposition(|line| line.from <= start && end <= line.to);
        known.unwrap_or_else(|| {
            let (from, to) = line_bounds(self.text, start, end);
            self.all.push(LineWithLiteral { from, to, role: Cell::new(None), group_cache: GroupCache::default() });
            self.all.len() - 1
        })
    }

    pub(super) const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the start and end of the line, without its line break.
    pub(super) fn bounds(&self, line: usize) -> (usize, usize) {
        let LineWithLiteral { from, to, .. } = self.all[line];
        (from, to)
    }

    pub(super) fn role(&self, line: usize) -> LineRole {
        let LineWithLiteral { from, to, role, .. } = &self.all[line];
        role.get().unwrap_or_else(|| {
            let found = self.find_role(*from, *to);
            role.set(Some(found));
            found
        })
    }

    pub(super) fn group_cache(&self, line: usize) -> &GroupCache {
        &self.all[line].group_cache
    }

    fn find_role(&self, from: usize, to: usize) -> LineRole {
        let line = &self.text[from..to];
        if access_log::status_class(line).is_some() {
            return LineRole::Access;
        }
        if is_context_line(line)
            || self.is_python_source(line, from)
            || test_title::is_title_continuation(self.text, from, to)
        {
            return LineRole::Context;
        }
        if self.pytest {
            return role_in_pytest_output(line);
        }
        let doubtful = log_level::has_level_below_error(line)
            || self.announces_retry(from, to)
            || test_title::may_be_test_title(line);
        if doubtful { LineRole::Log } else { LineRole::Message }
    }

    fn announces_retry(&self, from: usize, to: usize) -> bool {
        let first = self.retries.partition_point(|&(start, _)| start < from);
        let inside = self.retries[first..].iter().take_while(|&&(start, _)| start < to);
        inside.filter(|&&(_, end)| end <= to).any(|&(_, end)| {
            let numbered = self.text[end..to].trim_ascii_start();
            self.text[end - 1] != b' '
                || numbered.strip_prefix(b"#").unwrap_or(numbered).first().is_some_and(u8::is_ascii_digit)
        })
    }

    /// Checks for source code, or markers under source code, below `File "x.py", line 3, in f` of a traceback.
    fn is_python_source(&self, line: &[u8], from: usize) -> bool {
        if !line.starts_with(b"    ") || from == 0 {
            return false;
        }
        let above = line_above(self.text, from).trim_ascii_start();
        above.starts_with(b"File \"") && memmem::find(above, b", line ").is_some()
    }
}

/// Returns the bounds of the line that contains `start..end`, without its line break and within `MAX_LINE_REACH_BYTES`.
pub(super) fn line_bounds(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let floor = start.saturating_sub(MAX_LINE_REACH_BYTES);
    let ceil = text.len().min(end + MAX_LINE_REACH_BYTES);
    let from = memrchr(b'\n', &text[floor..start]).map_or(floor, |at| floor + at + 1);
    let to = memchr(b'\n', &text[end..ceil]).map_or(ceil, |at| end + at);
    let to = if to > from && to > end && text[to - 1] == b'\r' { to - 1 } else { to };
    (from, to)
}

/// Returns the bounds of the lines near `start..end`.
pub(super) fn bounds_of_nearby_lines(text: &[u8], start: usize, end: usize) -> (usize, usize) {
    let floor = start.saturating_sub(MAX_NEARBY_BYTES);
    let ceil = text.len().min(end + MAX_NEARBY_BYTES);
    let from =
        memchr::memrchr_iter(b'\n', &text[floor..start]).nth(MAX_NEARBY_LINES).map_or(floor, |at| floor + at + 1);
    let to = memchr::memchr_iter(b'\n', &text[end..ceil]).nth(MAX_NEARBY_LINES).map_or(ceil, |at| end + at);
    (from, to)
}

/// Checks for a stack frame, source code or a test's name, because words in such lines do not describe the failure.
pub(crate) fn is_context_line(line: &[u8]) -> bool {
    stack_frame::is_stack_frame(line) || runtime_lines::is_quoted_code(line) || test_title::is_test_title(line)
}

fn role_in_pytest_output(line: &[u8]) -> LineRole {
    if line.starts_with(b"E  ") || line.starts_with(b"FAILED ") || line.starts_with(b"ERROR ") {
        LineRole::Message
    } else if line.starts_with(b" ") || line.starts_with(b">") || memmem::find(line, b": in ").is_some() {
        LineRole::Context
    } else {
        LineRole::Log
    }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, LineRole, LineRoleHints, LinesWithLiterals};

    fn role(text: &str, literal: &str) -> LineRole {
        let at = text.find(literal).expect("the literal stands in the text");
        let candidate = Candidate::new(0, at, at + literal.len()).expect("the text is short");
        let marks = LineRoleHints { has_pytest_marks: text.contains("\nE   "), ..LineRoleHints::default() };
        let mut lines = LinesWithLiterals::new(text.as_bytes(), marks);
        let line = lines.find_or_add_line(candidate);
        lines.role(line)
    }

    #[test]
    fn quoted_lines_are_context_and_reports_are_messages() {
        let rows = [
            ("    at connect (net.js:12:3) timeout", "timeout", LineRole::Context),
            ("\tat java.net.PlainSocketImpl.timeout(Native Method)", "timeout", LineRole::Context),
            ("   4: net::Timeout::panic", "Timeout", LineRole::Context),
            ("   5: <net::Timeout as core::fmt::Display>::fmt", "Timeout", LineRole::Context),
            ("Caused by:\n    0: net::connect failed: Timeout", "Timeout", LineRole::Message),
            ("  > 12 | expect(timeout).toBe(1)", "timeout", LineRole::Context),
            ("  File \"a.py\", line 3, in f\n    raise TimeoutError()\nValueError: x", "Timeout", LineRole::Context),
            ("    def f():\n>       raise TimeoutError\nE   ValueError: x", "Timeout", LineRole::Context),
            ("E   TimeoutError: x", "Timeout", LineRole::Message),
            ("2024-01-01 10:00:00 WARN pool timeout, retrying", "timeout", LineRole::Log),
            ("2024-01-01 10:00:00 ERROR pool timeout", "timeout", LineRole::Message),
            ("Error: connect ETIMEDOUT", "ETIMEDOUT", LineRole::Message),
            ("10:00:00 INF pool timeout", "timeout", LineRole::Log),
            ("10:00:00 [DBG] pool timeout", "timeout", LineRole::Log),
            ("time=x level=info msg=\"timeout\"", "timeout", LineRole::Log),
            ("::1 - - [02/Jan/2026:10:00:00 +0000] \"GET /timeout HTTP/1.1\" 404 1", "timeout", LineRole::Access),
        ];
        for (text, literal, wanted) in rows {
            assert_eq!(role(text, literal), wanted, "{text}");
        }
    }

    #[test]
    fn retry_hint_does_not_apply_to_the_next_line() {
        let text = "tests/test_cart.py:7: AssertionError\r\nE       assert 3 == 4";
        let mut lines = LinesWithLiterals::new(text.as_bytes(), LineRoleHints::default());
        let mut line = |literal: &str| {
            let at = text.find(literal).expect("the literal stands in the text");
            let line = lines.find_or_add_line(Candidate::new(0, at, at + literal.len()).expect("the text is short"));
            let (from, to) = lines.bounds(line);
            &text[from..to]
        };
        assert_eq!(line("Error\r\n"), "tests/test_cart.py:7: AssertionError");
        assert_eq!(line("AssertionError"), "tests/test_cart.py:7: AssertionError");
        assert_eq!(line("assert 3"), "E       assert 3 == 4");
    }
}
