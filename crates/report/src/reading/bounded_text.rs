//! Collects text in bounded memory, and joins a message with its body. Escape codes are kept, because the normalizer
//! removes them.

use argus_core::{bound, display::without_escapes};

/// Number of bytes to keep from the beginning of an error text, which has the message and the innermost frames.
pub(crate) const ERROR_HEAD_BYTES: usize = 44 * 1024;
/// Number of bytes to keep from the end of an error text, which has the root cause of a chain. Together with the
/// beginning it stays under 64 KiB.
pub(crate) const ERROR_TAIL_BYTES: usize = 20 * 1024;
/// Number of bytes to keep of a test's output. This is eight times the stored size, because secrets are recognized by
/// the text before them, and the text is redacted before it is cut to the stored size.
pub(crate) const OUTPUT_TAIL_BYTES: usize = 64 * 1024;
/// Maximum length of a name in bytes. The longest legitimate names are parametrized tests with a value in the name.
pub(crate) const MAX_NAME_BYTES: usize = 2 * 1024;

/// Keeps the beginning and the end of a text in bounded memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bounded {
    text: String,
    head: usize,
    tail: usize,
    /// Number of bytes removed between the beginning and the end.
    dropped: u64,
}

impl Bounded {
    pub(crate) fn error() -> Self {
        Self { head: ERROR_HEAD_BYTES, tail: ERROR_TAIL_BYTES, ..Self::default() }
    }

    pub(crate) fn output() -> Self {
        Self { head: 0, tail: OUTPUT_TAIL_BYTES, ..Self::default() }
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        let room = self.head + 3 * self.tail;
        if self.text.len() + text.len() <= room {
            self.text.push_str(text);
            return;
        }
        let wanted = self.head.saturating_sub(self.text.len());
        let cut = text.floor_char_boundary(wanted);
        self.text.push_str(&text[..cut]);
        let rest = &text[cut..];
        let kept = &rest[rest.ceil_char_boundary(rest.len().saturating_sub(self.tail))..];
        self.dropped += (rest.len() - kept.len()) as u64;
        self.text.push_str(kept);
        self.compact();
    }

    /// Removes bytes between the beginning and the end.
    fn compact(&mut self) {
        let head = self.text.floor_char_boundary(self.head.min(self.text.len()));
        let tail = self.text.ceil_char_boundary(self.text.len().saturating_sub(self.tail).max(head));
        self.dropped += (tail - head) as u64;
        self.text.drain(head..tail);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The bounded text, or `None` if there was only white space.
    pub(crate) fn finish(mut self) -> Option<String> {
        if self.text.len() > self.head + self.tail {
            self.compact();
        }
        if self.is_blank() {
            return None;
        }
        if self.dropped > 0 && self.head > 0 {
            let at = self.text.floor_char_boundary(self.head);
            self.text.insert_str(at, &format!("\n[... {} bytes left out ...]\n", self.dropped));
        } else if self.dropped > 0 {
            // The text starts in the middle of a word, which is removed.
            self.text = bound::tail(&self.text, self.text.len() - 1).to_owned();
        }
        let trimmed = self.text.trim_end();
        Some(trimmed.trim_start_matches(['\r', '\n']).to_owned())
    }
}

/// Limits the length of an error text.
pub(crate) fn bound_error(text: &str) -> Option<String> {
    let mut bounded = Bounded::error();
    bounded.push_str(text);
    bounded.finish()
}

/// Keeps the end of an output.
pub(crate) fn bound_output(text: &str) -> Option<String> {
    let mut bounded = Bounded::output();
    bounded.push_str(text);
    bounded.finish()
}

/// Limits the length of a name.
pub(crate) fn bound_name(mut name: String) -> String {
    name.truncate(bound::head(&name, MAX_NAME_BYTES).len());
    name
}

/// Joins message and body, without the message if the body already contains it.
pub(crate) fn join_message(message: Option<&str>, body: Option<&str>) -> Option<String> {
    let message = message.map(str::trim).filter(|text| !text.is_empty());
    let body = body.filter(|text| !text.trim().is_empty());
    match (message, body) {
        // Deno writes `Uncaught` from V8 in the message, but not in the body.
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
/// escape codes (attributes lose their line breaks). If the message occurs only later, after frames or source, it must
/// still come first.
fn contains_message(body: &str, message: &str) -> bool {
    let start = squeeze_blanks(&body[..body.floor_char_boundary(body.len().min(2 * message.len() + 400))]);
    let message = squeeze_blanks(message);
    let end = start.find(&message).map(|at| at + message.len());
    end.is_some_and(|end| end - message.len() <= 200)
}

/// The visible characters of a text.
fn squeeze_blanks(text: &str) -> String {
    let visible = |character: &char| !character.is_whitespace() && !character.is_control();
    without_escapes(text).chars().filter(visible).collect()
}
