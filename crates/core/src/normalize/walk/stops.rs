//! Finds the positions in a line at which a match may start (stops), 64 bytes at a time. The bytes between stops are
//! copied. `walk` checks each stop, so an unneeded stop only costs time. A missing stop would be an error, so a test
//! compares the result with that of stopping at every byte.

use crate::text::bytes::{is_word_byte, range_mask};
use wide::u8x16;

/// Bit masks of the relevant bytes of a block, with a bit per byte.
#[derive(Default)]
struct Block {
    word: u64,
    digit: u64,
    upper: u64,
    space: u64,
    space_or_comma: u64,
    r: u64,
    /// `:`, `.`, `-`.
    mark: u64,
    underscore: u64,
    slash: u64,
    /// `=`, `@` and tabs.
    rare: u64,
}

impl Block {
    /// Reads the block of the line that starts at `base`.
    #[inline]
    fn read_block(line: &[u8], base: usize) -> Self {
        let mut block = Self::default();
        let (chunks, rest) = line[base..].as_chunks::<16>();
        let mut shift = 0;
        for chunk in chunks.iter().take(4) {
            block.add(chunk, 0, shift);
            shift += 16;
        }
        if shift < 64 && !rest.is_empty() {
            if let Some(last) = line.last_chunk() {
                block.add(last, 16 - rest.len(), shift);
            } else {
                let mut padded = [0; 16];
                for (to, from) in padded.iter_mut().zip(rest) {
                    *to = *from;
                }
                block.add(&padded, 0, shift);
            }
        }
        block
    }

    /// Adds the bytes of the chunk from byte `skip` on. They start at byte `shift` of the block.
    #[inline]
    fn add(&mut self, chunk: &[u8; 16], skip: usize, shift: u32) {
        let bytes = u8x16::new(*chunk);
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
        let mark = |to: &mut u64, found: u8x16| *to |= u64::from(found.to_bitmask() >> skip) << shift;
        let digit = range_mask(bytes, b'0', b'9');
        let letter = range_mask(bytes | u8x16::splat(0x20), b'a', b'z');
        let space = is(b' ');
        // Include `bytes`, because `to_bitmask` reads the highest bit, which is set in bytes outside ASCII.
        mark(&mut self.word, letter | digit | bytes);
        mark(&mut self.digit, digit);
        mark(&mut self.upper, range_mask(bytes, b'A', b'Z'));
        mark(&mut self.space, space);
        mark(&mut self.space_or_comma, space | is(b','));
        mark(&mut self.r, is(b'r'));
        mark(&mut self.mark, is(b':') | range_mask(bytes, b'-', b'.'));
        mark(&mut self.underscore, is(b'_'));
        mark(&mut self.slash, is(b'/'));
        mark(&mut self.rare, is(b'=') | is(b'@') | is(b'\t'));
    }

    /// Returns the stops of the block. `before` is the byte before the block. Bytes after the block are treated as if
    /// they made a stop.
    #[inline]
    fn stops(&self, before: u8) -> u64 {
        const LAST_BIT: u64 = 1 << 63;
        let word = self.word;
        let after_word = word << 1 | u64::from(is_word_byte(before));
        let starts = word & !after_word;
        let ends = after_word & !word;
        let across = after_word & 1;
        // Adding the bit of a word's start to the bits of the word carries to the bit after the word.
        let capitals = word.wrapping_add(starts & self.upper) & !word | across;
        let lower = word & !self.upper;
        let with_upper = ends & !lower.wrapping_add(starts & lower);
        let five_letters = starts & (word >> 1 & word >> 2 & word >> 3 & word >> 4 & !(word >> 5) | 0x1f << 59);
        let after_r = self.r << 1 | u64::from(before == b'r');
        let after_mark = self.mark << 1 | u64::from(before == b'-');
        self.digit
            | self.rare
            | word & (self.rare << 1 | across | u64::from(matches!(before, b'=' | b'@' | b'\t')))
            // Days, months, HTTP methods, accounts.
            | self.space_or_comma & capitals
            // In `for bob` and `user bob`, the word after a word of three or four letters, if the start of the first
            // word is in this block.
            | starts & (self.space & after_r & (starts << 3 | starts << 4 | 0x0f)) << 1
            | starts & u64::from(before == b' ')
            | self.space & ((self.space | self.rare) >> 1 | LAST_BIT)
            | self.mark & (after_word | self.mark >> 1 | LAST_BIT)
            | five_letters & after_mark
            | self.underscore & with_upper
            | self.slash & !after_word
    }
}

/// Returns the stops and the words of the block that starts at `base`. Not inlined, so that the compared constants stay
/// in registers and are not loaded again for each stop.
#[inline(never)]
fn read_block(line: &[u8], base: usize) -> (u64, u64) {
    let block = Block::read_block(line, base);
    let before = if base > 0 { line[base - 1] } else { 0 };
    (block.stops(before), block.word)
}

/// A position at which a match may start.
pub(super) struct Stop {
    pub(super) position: usize,
    /// Start of the word that contains `position` or ends there. Equal to `position` if there is no word.
    pub(super) word: usize,
}

/// The stops of a line, in order.
pub(super) struct Stops<'a> {
    line: &'a [u8],
    /// Start of the block that `bits` and `words` describe.
    base: usize,
    bits: u64,
    words: u64,
    /// Start of the word that continues from the block before.
    open: usize,
}

impl<'a> Stops<'a> {
    #[inline]
    pub(super) fn new(line: &'a [u8]) -> Self {
        let (bits, words) = read_block(line, 0);
        Self { line, base: 0, bits, words, open: 0 }
    }

    /// Returns the first stop at or after `position`, which must not decrease between calls.
    #[inline]
    pub(super) fn next_from(&mut self, position: usize) -> Option<Stop> {
        let mut skip = position.saturating_sub(self.base);
        loop {
            if skip < 64 {
                let left = self.bits & u64::MAX << skip;
                if left != 0 {
                    let bit = left.trailing_zeros();
                    let word = self.word_start(!(u64::MAX << bit));
                    return Some(Stop { position: self.base + bit as usize, word });
                }
                skip = 64;
            }
            // Blocks before `position` need no data, because they are already processed.
            self.open = self.word_start(u64::MAX);
            self.base += skip & !63;
            skip &= 63;
            if self.base >= self.line.len() {
                return None;
            }
            (self.bits, self.words) = read_block(self.line, self.base);
        }
    }

    /// Returns the start of the word that ends with the last bit of `bits`, a mask of the block's first bits.
    #[inline]
    fn word_start(&self, bits: u64) -> usize {
        let other = !self.words & bits;
        if other == 0 { self.open } else { self.base + 64 - other.leading_zeros() as usize }
    }
}
