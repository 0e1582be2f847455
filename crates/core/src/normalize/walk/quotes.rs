//! Tracks the quotes in a line: which quote opens a quotation, which quote closes a quotation, and which quotation is
//! the value of a field.

use crate::text::bytes::{byte_at, is_one_of, is_word_byte, run_end};

/// The open quotations at a position. Each kind of quote is open at most once: the next quote of the same kind closes
/// the quotation and all unclosed quotations inside.
#[derive(Default)]
pub(super) struct Quotations {
    /// End of the part of the line that was read.
    read: usize,
    /// The quotes of the open quotations, outermost first.
    open: [u8; QUOTES.len()],
    depth: usize,
}

const QUOTES: [u8; 3] = [b'\'', b'"', b'`'];
/// Maximum length of a value that is data instead of text.
const MAX_VALUE_BYTES: usize = 200;

impl Quotations {
    /// Returns the end of a quoted value of a field (`key='value'`), which is data. `quote` is the offset of the
    /// opening quote and must not decrease between calls. A selector (`[id='x']`) contains a name instead of a value.
    /// In `'key=' == 'key=='` the quote after `=` closes a quotation, so it does not start a value.
    pub(super) fn find_value_end(&mut self, line: &[u8], quote: usize) -> Option<usize> {
        let around = self.open_quotes_before(line, quote);
        let kind = line[quote];
        if around.contains(&kind) || !is_field(line, quote) || is_identifying_field(line, quote) {
            return None;
        }
        // A quotation that opens inside another quotation closes inside it.
        let ends = |byte| byte == kind || matches!(byte, b'\\' | b'<') || around.contains(&byte);
        let close = run_end(line, quote + 1, |byte| !ends(byte));
        (byte_at(line, close) == kind && close - quote <= MAX_VALUE_BYTES).then_some(close + 1)
    }

    fn open_quotes_before(&mut self, line: &[u8], position: usize) -> &[u8] {
        let unread = self.read.min(position)..position;
        for at in memchr::memchr3_iter(QUOTES[0], QUOTES[1], QUOTES[2], &line[unread.clone()]) {
            self.update_at(line, unread.start + at);
        }
        self.read = unread.end;
        &self.open[..self.depth]
    }

    fn update_at(&mut self, line: &[u8], at: usize) {
        if is_escaped(line, at) || is_apostrophe(line, at) {
            return;
        }
        let quote = line[at];
        if let Some(opened) = self.open[..self.depth].iter().position(|&open| open == quote) {
            self.depth = opened;
        } else if may_open_quotation(line, at) {
            self.open[self.depth] = quote;
            self.depth += 1;
        }
    }
}

/// Returns the name of the field whose value starts with the quote, or an empty slice if there is no name before the
/// `=`.
fn field_name(line: &[u8], quote: usize) -> &[u8] {
    let before = &line[..quote - 1];
    let length = before.iter().rev().take_while(|&&byte| is_word_byte(byte) || byte == b'_' || byte == b'-').count();
    &before[before.len() - length..]
}

/// Checks for a name before the `=` that is not an attribute of a selector (`[id=`, `@id=`, `a.id=`).
fn is_field(line: &[u8], quote: usize) -> bool {
    let name = field_name(line, quote);
    let left = byte_at(line, (quote - 1 - name.len()).wrapping_sub(1));
    !name.is_empty() && !matches!(left, b'[' | b'@' | b'.')
}

/// Checks for a field whose value identifies the failure.
pub(super) fn is_identifying_field(line: &[u8], quote: usize) -> bool {
    is_one_of(
        field_name(line, quote),
        &[
            "code", "type", "kind", "status", "error", "message", "reason", "state", "class", "errno", "rule", "level",
            "msg",
        ],
    )
}

/// Checks for an escaped quote: `\'`, but not `\\'`.
fn is_escaped(line: &[u8], at: usize) -> bool {
    line[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Checks for a quote inside a word, as in `can't`, but not in `b'data'`.
fn is_apostrophe(line: &[u8], at: usize) -> bool {
    let inside = at > 0 && is_word_byte(line[at - 1]) && line.get(at + 1).is_some_and(|&byte| is_word_byte(byte));
    line[at] == b'\'' && inside && !has_literal_prefix(line, at)
}

/// Checks whether the quote may open a quotation. A quote directly after a word does not (`users'`, `5"`), unless the
/// word is the prefix of a literal.
fn may_open_quotation(line: &[u8], at: usize) -> bool {
    at == 0 || !is_word_byte(line[at - 1]) || has_literal_prefix(line, at)
}

/// Checks for the prefix of a literal of Python or Rust: `b'data'`, `rb"data"`.
fn has_literal_prefix(line: &[u8], at: usize) -> bool {
    let length = line[..at].iter().rev().take(3).take_while(|&&byte| is_word_byte(byte)).count();
    let prefix = &line[at - length..at];
    matches!(length, 1 | 2) && prefix.iter().all(|byte| matches!(byte | 0x20, b'b' | b'f' | b'r' | b'u'))
}
