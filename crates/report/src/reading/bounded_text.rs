//! Collects text in bounded memory, and joins a message with its body. Escape codes are kept, because the normalizer
//! removes them.

use std::borrow::Cow;

use argus_core::{bound, display::strip_escapes, summary::is_error_line};

/// Number of bytes to keep from the beginning of an error text, which has the message and the innermost frames.
pub(crate) const ERROR_HEAD_BYTES: usize = 44 * 1024;
/// Number of bytes to keep from the end of an error text, which has the root cause of a chain.
pub(crate) const ERROR_TAIL_BYTES: usize = 16 * 1024;
/// Number of bytes to keep of errors from the middle of the text, because a log may surround the error. Beginning,
/// middle and end together have less than 64 KiB.
const ERROR_MIDDLE_BYTES: usize = 3 * 1024;
/// Number of lines to keep below an error in the middle: its values or its innermost frames.
const LINES_BELOW_ERROR: usize = 4;
/// Number of bytes to keep of each line from the middle of an error text.
const MIDDLE_LINE_BYTES: usize = 512;
/// Number of bytes to keep of a test's output. This is eight times the stored size, because secrets are recognized by
/// the text before them, and the text is redacted before it is cut to the stored size.
pub(crate) const OUTPUT_TAIL_BYTES: usize = 64 * 1024;
/// Maximum length of a name in bytes. The longest legitimate names are parametrized tests with a value in the name.
pub(crate) const MAX_NAME_BYTES: usize = 2 * 1024;

/// Keeps the beginning and the end of a text in bounded memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct BoundedText {
    text: String,
    head: usize,
    tail: usize,
    /// Number of bytes removed between the beginning and the end.
    dropped: u64,
    /// Errors among the removed lines.
    errors: ErrorLines,
}

/// Collects the errors of a text that arrives in pieces.
#[derive(Debug, Default, Clone)]
struct ErrorLines {
    /// Beginning of the line that is not complete yet.
    line: String,
    kept: String,
    /// Number of following lines that still belong to the newest error.
    below: usize,
}

impl ErrorLines {
    fn push_str(&mut self, text: &str) {
        for part in text.split_inclusive('\n') {
            let room = MIDDLE_LINE_BYTES.saturating_sub(self.line.len()).min(part.len());
            self.line.push_str(&part[..part.floor_char_boundary(room)]);
            if part.ends_with('\n') {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = self.line.trim_end();
        self.below = if is_error_line(line) { LINES_BELOW_ERROR + 1 } else { self.below };
        if self.below > 0 && self.kept.len() + line.len() < ERROR_MIDDLE_BYTES {
            self.below -= 1;
            self.kept.extend([line, "\n"]);
        }
        self.line.clear();
    }
}

impl BoundedText {
    pub(crate) fn error() -> Self {
        Self { head: ERROR_HEAD_BYTES, tail: ERROR_TAIL_BYTES, ..Self::default() }
    }

    pub(crate) fn output() -> Self {
        Self { head: 0, tail: OUTPUT_TAIL_BYTES, ..Self::default() }
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        let room = self.head + 3 * self.tail;
        let mut rest = text;
        while self.text.len() + rest.len() > room {
            let piece = rest.floor_char_boundary(room.saturating_sub(self.text.len()).min(rest.len()));
            self.text.push_str(&rest[..piece]);
            rest = &rest[piece..];
            self.compact();
        }
        self.text.push_str(rest);
    }

    /// Removes bytes between the beginning and the end.
    fn compact(&mut self) {
        let head = self.text.floor_char_boundary(self.head.min(self.text.len()));
        let tail = self.text.ceil_char_boundary(self.text.len().saturating_sub(self.tail).max(head));
        self.dropped += (tail - head) as u64;
        if self.head > 0 {
            self.errors.push_str(&self.text[head..tail]);
        }
        self.text.drain(head..tail);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Returns the bounded text, or `None` if there was only white space.
    pub(crate) fn finish(mut self) -> Option<String> {
        if self.text.len() > self.head + self.tail {
            self.compact();
        }
        if self.is_blank() {
            return None;
        }
        if self.dropped > 0 && self.head > 0 {
            let at = self.text.floor_char_boundary(self.head);
            self.text.insert_str(at, &format!("\n[... {} bytes left out ...]\n{}", self.dropped, self.errors.kept));
        } else if self.dropped > 0 {
            // The text starts in the middle of a word, which is removed.
            self.text = bound::tail(&self.text, self.text.len() - 1).to_owned();
        }
        let text = restore_escapes(&self.text);
        Some(text.trim_end().trim_start_matches(['\r', '\n']).to_owned())
    }
}

/// How writers spell the escape character, which XML 1.0 forbids, before the `[` of a control sequence:
///
/// | text | writer |
/// |---|---|
/// | `#x1B` | pytest: `bin_xml_escape` in `_pytest/junitxml.py` |
/// | `&#27;` | Surefire, in attributes: `escapeXml` in `StatelessXmlReporter` |
/// | `&amp#27;` | Surefire, in text |
/// | `[NON-XML-CHAR-0x1B]` | `CTest`: `cmXMLSafe` |
/// | U+FFFD | Go: `EscapeText` of `encoding/xml` |
/// | `\u{241b}` | the control picture |
const ESCAPE_SPELLINGS: [&str; 6] = ["#x1B[", "&#27;[", "&amp#27;[", "[NON-XML-CHAR-0x1B][", "\u{FFFD}[", "\u{241B}["];

/// Restores escape characters that a writer spelled as text.
pub(crate) fn restore_escapes(text: &str) -> Cow<'_, str> {
    let mut restored = Cow::Borrowed(text);
    if !text.contains('[') {
        return restored;
    }
    for spelled in ESCAPE_SPELLINGS {
        if restored.contains(spelled) {
            restored = Cow::Owned(restored.replace(spelled, "\u{1b}["));
        }
    }
    restored
}

/// Limits the length of an error text.
pub(crate) fn bound_error(text: &str) -> Option<String> {
    let mut bounded = BoundedText::error();
    bounded.push_str(text);
    bounded.finish()
}

/// Keeps the end of an output.
pub(crate) fn bound_output(text: &str) -> Option<String> {
    let mut bounded = BoundedText::output();
    bounded.push_str(text);
    bounded.finish()
}

/// Limits the length of a name.
pub(crate) fn bound_name(mut name: String) -> String {
    name.truncate(bound::head(&name, MAX_NAME_BYTES).len());
    name
}

/// Messages that a writer uses for every failure, beside the error in the body: nose2's `junitxml` plugin,
/// `go-junit-report` (`Failed` in version 1) and `gotestsum`.
const FIXED_MESSAGES: [&str; 5] = ["test failure", "Failed", "Runtime error", "Build error", "Error"];

/// Joins message and body, without the message if the body already contains it.
pub(crate) fn join_message(message: Option<&str>, body: Option<&str>) -> Option<String> {
    let restored = message.map(|text| restore_escapes(text.trim()));
    let message = restored.as_deref().filter(|text| !text.is_empty());
    let body = body.filter(|text| !text.trim().is_empty());
    // `junit_formatter` of Elixir writes `error: ` before ExUnit's message.
    let message = message.map(|text| text.strip_prefix("error: ").filter(|_| body.is_some()).unwrap_or(text));
    let message = message.filter(|text| body.is_none() || !FIXED_MESSAGES.contains(text));
    match (message, body) {
        // Deno writes V8's prefix `Uncaught` in the message, but not in the body.
        (Some(message), Some(body)) if contains_message(body, message.strip_prefix("Uncaught ").unwrap_or(message)) => {
            Some(body.to_owned())
        }
        (Some(message), Some(body)) if contains_message(message, body) => Some(message.to_owned()),
        (Some(message), Some(body)) => Some(format!("{message}\n{body}")),
        (Some(text), None) | (None, Some(text)) => Some(text.to_owned()),
        (None, None) => None,
    }
}

/// Returns true if `body` begins with `message`, apart from a prefix such as the exception's type, white space and
/// escape codes (attributes lose their line breaks). If the body has the message only later, after
/// frames or source, the message is still needed at the beginning.
fn contains_message(body: &str, message: &str) -> bool {
    let start = remove_blanks(&body[..body.floor_char_boundary(body.len().min(2 * message.len() + 400))]);
    let message = remove_blanks(message);
    let end = start.find(&message).map(|at| at + message.len());
    end.is_some_and(|end| end - message.len() <= 200)
}

/// Removes white space from a text.
fn remove_blanks(text: &str) -> String {
    let visible = |character: &char| !character.is_whitespace() && !character.is_control();
    strip_escapes(text).chars().filter(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::{BoundedText, ERROR_HEAD_BYTES, bound_error, join_message};

    #[test]
    fn error_in_the_middle_of_a_long_log_is_kept() {
        let log = |word: &str| format!("INFO {word} of a long log with some words\n").repeat(4000);
        let error = "java.net.ConnectException: Connection refused\n\tat com.acme.A.b(A.java:3)\n";
        let text = [&log("step"), error, &log("after")].concat();
        let whole = bound_error(&text).unwrap();
        assert!(whole.contains(error) && whole.len() < 64 * 1024, "{}", whole.len());
        let mut pieces = BoundedText::error();
        text.as_bytes().chunks(1000).for_each(|piece| pieces.push_str(std::str::from_utf8(piece).unwrap()));
        assert!(pieces.finish().unwrap().contains(error));
        assert!(!bound_error(&log("step")).unwrap()[ERROR_HEAD_BYTES..].contains("Exception"));
    }

    #[test]
    fn fixed_message_of_a_writer_is_dropped() {
        let rows = [
            ("test failure", "AssertionError: I failed", "AssertionError: I failed"),
            (
                "error: Expected truthy, got false",
                "  1) test c\n     Expected truthy, got false",
                "  1) test c\n     Expected truthy, got false",
            ),
            ("Failed", "cart_test.go:3: no", "cart_test.go:3: no"),
            ("no cart", "at a.js:1:2", "no cart\nat a.js:1:2"),
        ];
        for (message, body, joined) in rows {
            assert_eq!(join_message(Some(message), Some(body)).as_deref(), Some(joined));
        }
        assert_eq!(join_message(Some("Failed"), None).as_deref(), Some("Failed"));
    }
}
