//! Finds the first placeholder of the table that may match at a word, by bit masks of the word's properties.

use super::{PlaceholderRule, numbered_names, numbers};
use crate::{
    normalize::word_context::{Replacement, WordContext},
    text::bytes::{DIGIT, WORD},
};

/// Words of at least this length have the same entries.
pub(super) const LONG_WORD_BYTES: usize = 31;

/// The placeholders in order, with bit masks of the entries that are possible for a word. Bit `n` represents entry `n`.
pub(in crate::normalize) struct PlaceholderTable<const N: usize> {
    pub(in crate::normalize) entries: [PlaceholderRule; N],
    /// Indexed by the kind of word.
    kinds: [u64; 4],
    /// Indexed by the byte after the word.
    after: [u64; 256],
    /// Indexed by the byte before the word.
    before: [u64; 256],
    /// Indexed by the classes of the word's bytes.
    classes: [u64; 64],
    /// Indexed by the word's length.
    lengths: [u64; LONG_WORD_BYTES + 1],
    /// The entries that require a unit.
    measures: u64,
    /// The last entry for numbers.
    number: u64,
}

/// Sets the entry's bit for each byte in `bytes`, or for all bytes if `bytes` is empty.
const fn allow_bytes(table: &mut [u64; 256], entry: usize, bytes: &str) {
    let bytes = bytes.as_bytes();
    let count = if bytes.is_empty() { 256 } else { bytes.len() };
    let mut index = 0;
    while index < count {
        table[if bytes.is_empty() { index } else { bytes[index] as usize }] |= 1 << entry;
        index += 1;
    }
}

impl<const N: usize> PlaceholderTable<N> {
    pub(super) const fn new(entries: [PlaceholderRule; N]) -> Self {
        let (bytes, classes, lengths) = ([0; 256], [0; 64], [0; LONG_WORD_BYTES + 1]);
        let mut table =
            Self { entries, kinds: [0; 4], after: bytes, before: bytes, classes, lengths, measures: 0, number: 0 };
        let mut entry = 0;
        while entry < N {
            let PlaceholderRule {
                kinds,
                after,
                before,
                length,
                classes,
                required_classes,
                needs_unit,
                is_number_fallback,
                ..
            } = entries[entry];
            table.measures |= (needs_unit as u64) << entry;
            table.number |= (is_number_fallback as u64) << entry;
            allow_bytes(&mut table.after, entry, after);
            allow_bytes(&mut table.before, entry, before);
            let mut kind = 0;
            while kind < table.kinds.len() {
                table.kinds[kind] |= ((kinds >> kind & 1) as u64) << entry;
                kind += 1;
            }
            let mut mask: u8 = 0;
            while mask <= WORD {
                if mask & !classes == 0 && (required_classes == 0 || mask & required_classes != 0) {
                    table.classes[mask as usize] |= 1 << entry;
                }
                mask += 1;
            }
            let mut bytes = length.0;
            while bytes <= length.1 {
                table.lengths[bytes] |= 1 << entry;
                bytes += 1;
            }
            entry += 1;
        }
        table
    }

    /// Returns the first placeholder that matches at this word.
    pub(in crate::normalize) fn find_first(&self, here: &WordContext<'_>) -> Option<Replacement> {
        let mut left = self.kinds[here.kind()]
            & self.after[usize::from(here.next())]
            & self.before[usize::from(here.previous())]
            & self.classes[usize::from(here.byte_classes & WORD)]
            & self.lengths[(here.end - here.start).min(LONG_WORD_BYTES)];
        if left & self.measures != 0 && here.byte_classes == DIGIT && !numbers::may_have_unit(here.line, here.end) {
            left &= !self.measures;
        }
        // A direct call instead of a call of the function pointer, so that the compiler can inline the function.
        if left == self.number && left != 0 {
            return numbered_names::replace_number(here);
        }
        while left != 0 {
            let hit = (self.entries[left.trailing_zeros() as usize].find)(here);
            if hit.is_some() {
                return hit;
            }
            left &= left - 1;
        }
        None
    }
}
