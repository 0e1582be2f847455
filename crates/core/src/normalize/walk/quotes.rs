//! Tracks quotes along a line: which quote opens a quotation, which closes it, and which contains the value of a field.

use crate::text::bytes::{at, is_word, one_of, run};

/// The open quotations at a position. Each kind of quote is open at most once: the next quote of the same kind closes
/// it, together with all unclosed quotations inside it.
#[derive(Default)]
pub(super) struct Quotations {
    /// End of the part of the line that was read.
    read: usize,
    /// The quotes of the open quotations, outermost first.
    open: [u8; KINDS.len()],
    depth: usize,
}

const KINDS: [u8; 3] = [b'\'', b'"', b'`'];
/// Maximum length of a value that is data instead of text.
const MAX_VALUE_BYTES: usize = 200;

impl Quotations {
    /// Returns the end of a quoted value of a field (`key='value'`), which is data. `quote` is the opening quote and
    /// must not decrease between calls. A selector (`[id='x']`) contains a name instead of a value. In
    /// `'key=' == 'key=='` the quote after `=` closes a quotation, so it does not start a value.
    pub(super) fn end_of_value(&mut self, line: &[u8], quote: usize) -> Option<usize> {
        let around = self.open_before(line, quote);
        let kind = line[quote];
        if around.contains(&kind) || !is_field(line, quote) || is_telling(line, quote) {
            return None;
        }
        // A quotation that opens inside another quotation closes inside it.
        let ends = |byte| byte == kind || matches!(byte, b'\\' | b'<') || around.contains(&byte);
        let close = run(line, quote + 1, |byte| !ends(byte));
        (at(line, close) == kind && close - quote <= MAX_VALUE_BYTES).then_some(close + 1)
    }

    fn open_before(&mut self, line: &[u8], position: usize) -> &[u8] {
        let unread = self.read.min(position)..position;
        for at in memchr::memchr3_iter(KINDS[0], KINDS[1], KINDS[2], &line[unread.clone()]) {
            self.pass(line, unread.start + at);
        }
        self.read = unread.end;
        &self.open[..self.depth]
    }

    fn pass(&mut self, line: &[u8], at: usize) {
        if is_escaped(line, at) || is_apostrophe(line, at) {
            return;
        }
        let quote = line[at];
        if let Some(opened) = self.open[..self.depth].iter().position(|&open| open == quote) {
            self.depth = opened;
        } else if may_open(line, at) {
            self.open[self.depth] = quote;
            self.depth += 1;
        }
    }
}

/// Returns the name of the field whose value starts with the quote, or an empty slice if there is no name before the
/// `=`.
fn field_name(line: &[u8], quote: usize) -> &[u8] {
    let before = &line[..quote - 1];
    let length = before.iter().rev().take_while(|&&byte| is_word(byte) || byte == b'_' || byte == b'-').count();
    &before[before.len() - length..]
}

/// Checks for a name before the `=` that is not an attribute of a selector (`[id=`, `@id=`, `a.id=`).
fn is_field(line: &[u8], quote: usize) -> bool {
    let name = field_name(line, quote);
    let left = at(line, (quote - 1 - name.len()).wrapping_sub(1));
    !name.is_empty() && !matches!(left, b'[' | b'@' | b'.')
}

/// Checks for a field whose value identifies the failure.
pub(super) fn is_telling(line: &[u8], quote: usize) -> bool {
    one_of(
        field_name(line, quote),
        &[
            "code", "type", "kind", "status", "error", "message", "reason", "state", "class", "errno", "rule", "level",
            "msg",
        ],
    )
}

/// `\'`, but not `\\'`.
fn is_escaped(line: &[u8], at: usize) -> bool {
    line[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// `can't`: a quote inside a word; `b'data'` does not count.
fn is_apostrophe(line: &[u8], at: usize) -> bool {
    let inside = at > 0 && is_word(line[at - 1]) && line.get(at + 1).is_some_and(|&byte| is_word(byte));
    line[at] == b'\'' && inside && !has_prefix(line, at)
}

/// A quote directly after a word closes something (`users'`, `5"`) unless the word is a prefix of literals.
fn may_open(line: &[u8], at: usize) -> bool {
    at == 0 || !is_word(line[at - 1]) || has_prefix(line, at)
}

/// `b'data'`, `rb"data"`: prefixes of literals in Python and Rust.
fn has_prefix(line: &[u8], at: usize) -> bool {
    let length = line[..at].iter().rev().take(3).take_while(|&&byte| is_word(byte)).count();
    let prefix = &line[at - length..at];
    matches!(length, 1 | 2) && prefix.iter().all(|byte| matches!(byte | 0x20, b'b' | b'f' | b'r' | b'u'))
}
