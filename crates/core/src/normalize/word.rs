//! A word where the walk stands, and what is to become of it.

use crate::text::bytes::{DIGIT, at};

/// A word in its place: where a placeholder may begin.
#[derive(Clone, Copy)]
pub(super) struct WordContext<'a> {
    /// The line, cleaned.
    pub(super) line: &'a [u8],
    /// First byte of the word.
    pub(super) start: usize,
    /// One past the word.
    pub(super) end: usize,
    /// Classes of the word's bytes.
    pub(super) mask: u8,
    /// The normalized line up to here.
    pub(super) before: &'a [u8],
}

impl WordContext<'_> {
    pub(super) fn word(&self) -> &[u8] {
        &self.line[self.start..self.end]
    }

    /// Of digits alone, beginning with one, holding one, or without: the bit of the table's kinds.
    pub(super) fn kind(&self) -> usize {
        match self.line[self.start] {
            _ if self.mask == DIGIT => 0,
            b'0'..=b'9' => 1,
            _ if self.mask & DIGIT != 0 => 2,
            _ => 3,
        }
    }

    /// The byte after the word.
    pub(super) fn next(&self) -> u8 {
        at(self.line, self.end)
    }

    pub(super) fn previous(&self) -> u8 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// What to do with the text from `start` to `end`.
#[derive(Clone, Copy)]
pub(super) struct Replacement {
    /// One past the last byte that is done with.
    pub(super) end: usize,
    /// How many bytes from `start` stay before the placeholder.
    pub(super) keep: usize,
    /// The placeholder; empty where the text stays as it is.
    pub(super) text: &'static str,
    /// Bytes of the output before `start` that the placeholder also replaces.
    pub(super) back: usize,
}

impl Replacement {
    pub(super) fn new(end: usize, text: &'static str) -> Self {
        Self { end, keep: 0, text, back: 0 }
    }

    pub(super) fn kept(here: &WordContext<'_>, end: usize) -> Self {
        Self { end, keep: end - here.start, text: "", back: 0 }
    }
}
