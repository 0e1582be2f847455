//! Follows quotes along a line: which of them opens a quotation, which closes one, and which holds the value of a field.

use crate::text::bytes::{at, is_word, one_of, run};

/// The quotations that are open where the reading stands. Each kind of quote is open at most once: the next of its kind
/// closes it, and what was opened inside and never closed with it.
#[derive(Default)]
pub(super) struct Quotations {
    /// The line was read up to here.
    read: usize,
    /// Their quotes, the outermost first.
    open: [u8; KINDS.len()],
    depth: usize,
}

const KINDS: [u8; 3] = [b'\'', b'"', b'`'];
/// Longest value that is data and no text.
const MAX_VALUE_BYTES: usize = 200;

impl Quotations {
    /// Where the value ends that a field is given in quotes, `key='value'`, the first of them at `quote`, which never goes
    /// back: it is data. In a selector (`[id='x']`) it is a name. In `'key=' == 'key=='` nothing is given: the quote closes
    /// what ends with `=`.
    pub(super) fn end_of_value(&mut self, line: &[u8], quote: usize) -> Option<usize> {
        let around = self.open_before(line, quote);
        let kind = line[quote];
        if around.contains(&kind) || !is_field(line, quote) || is_telling(line, quote) {
            return None;
        }
        // What is opened inside a quotation is closed inside it.
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

/// The name of the field whose value begins with the quote, behind a `=`; empty where there is none.
fn field_name(line: &[u8], quote: usize) -> &[u8] {
    let before = &line[..quote - 1];
    let length = before.iter().rev().take_while(|&&byte| is_word(byte) || byte == b'_' || byte == b'-').count();
    &before[before.len() - length..]
}

/// Whether a name stands before the `=` that is no attribute of a selector (`[id=`, `@id=`, `a.id=`).
fn is_field(line: &[u8], quote: usize) -> bool {
    let name = field_name(line, quote);
    let left = at(line, (quote - 1 - name.len()).wrapping_sub(1));
    !name.is_empty() && !matches!(left, b'[' | b'@' | b'.')
}

/// Whether the value of the field says what the failure is.
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

/// `can't`: a quote inside a word, which `b'data'` is not.
fn is_apostrophe(line: &[u8], at: usize) -> bool {
    let inside = at > 0 && is_word(line[at - 1]) && line.get(at + 1).is_some_and(|&byte| is_word(byte));
    line[at] == b'\'' && inside && !has_prefix(line, at)
}

/// What stands right behind a word ends something (`users'`, `5"`) unless the word is a prefix of literals.
fn may_open(line: &[u8], at: usize) -> bool {
    at == 0 || !is_word(line[at - 1]) || has_prefix(line, at)
}

/// `b'data'`, `rb"data"`: how Python and Rust mark a literal.
fn has_prefix(line: &[u8], at: usize) -> bool {
    let length = line[..at].iter().rev().take(3).take_while(|&&byte| is_word(byte)).count();
    let prefix = &line[at - length..at];
    matches!(length, 1 | 2) && prefix.iter().all(|byte| matches!(byte | 0x20, b'b' | b'f' | b'r' | b'u'))
}
