//! Defines a word with the text around it, and the replacement of a word.

use crate::text::bytes::{DIGIT, byte_at};

/// A word at which a placeholder may start, with the text around it.
#[derive(Clone, Copy)]
pub(super) struct WordContext<'a> {
    /// The line without control characters.
    pub(super) line: &'a [u8],
    /// Start offset of the word.
    pub(super) start: usize,
    /// End offset of the word, exclusive.
    pub(super) end: usize,
    /// Classes of the word's bytes.
    pub(super) byte_classes: u8,
    /// The normalized line up to the word.
    pub(super) before: &'a [u8],
}

impl WordContext<'_> {
    pub(super) fn word(&self) -> &[u8] {
        &self.line[self.start..self.end]
    }

    /// Returns the kind of word as an index into the table: digits only, first byte is a digit, contains a digit, no
    /// digit.
    pub(super) fn kind(&self) -> usize {
        match self.line[self.start] {
            _ if self.byte_classes == DIGIT => 0,
            b'0'..=b'9' => 1,
            _ if self.byte_classes & DIGIT != 0 => 2,
            _ => 3,
        }
    }

    pub(super) fn next(&self) -> u8 {
        byte_at(self.line, self.end)
    }

    pub(super) fn previous(&self) -> u8 {
        self.before.last().copied().unwrap_or(0)
    }
}

/// Describes how to replace the text that starts at the word.
#[derive(Clone, Copy)]
pub(super) struct Replacement {
    /// End offset of the replaced text, exclusive.
    pub(super) end: usize,
    /// Number of bytes of the word that stay before the placeholder.
    pub(super) kept_bytes: usize,
    /// The placeholder; empty if the text stays.
    pub(super) text: &'static str,
    /// Number of bytes of output before the word that the placeholder also replaces.
    pub(super) replaced_bytes_before: usize,
}

impl Replacement {
    pub(super) fn new(end: usize, text: &'static str) -> Self {
        Self { end, kept_bytes: 0, text, replaced_bytes_before: 0 }
    }

    pub(super) fn keep_until(here: &WordContext<'_>, end: usize) -> Self {
        Self { end, kept_bytes: end - here.start, text: "", replaced_bytes_before: 0 }
    }
}
