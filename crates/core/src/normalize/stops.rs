//! Finds where in a line something may have to be done, 64 bytes at a time; all between is copied as it is.
//! Does not: decide: a stop too many costs time only, and `scan` looks at each. One too few would be an error, so a
//! test compares with a walk that stops at every byte.

use super::bytes::{is_word, within};
use wide::u8x16;

/// The bytes of a block that matter, one bit for each.
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
    #[inline]
    fn read(line: &[u8]) -> Self {
        let mut block = Self::default();
        let (chunks, rest) = line.as_chunks::<16>();
        let mut shift = 0;
        for chunk in chunks.iter().take(4) {
            block.add(chunk, shift);
            shift += 16;
        }
        if shift < 64 && !rest.is_empty() {
            let mut padded = [0; 16];
            for (to, from) in padded.iter_mut().zip(rest) {
                *to = *from;
            }
            block.add(&padded, shift);
        }
        block
    }

    #[inline]
    fn add(&mut self, chunk: &[u8; 16], shift: u32) {
        let bytes = u8x16::new(*chunk);
        let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
        let mark = |to: &mut u64, found: u8x16| *to |= u64::from(found.to_bitmask()) << shift;
        let digit = within(bytes, b'0', b'9');
        let letter = within(bytes | u8x16::splat(0x20), b'a', b'z');
        let space = is(b' ');
        // The bytes themselves too: the highest bit counts, and those beyond ASCII have it.
        mark(&mut self.word, letter | digit | bytes);
        mark(&mut self.digit, digit);
        mark(&mut self.upper, within(bytes, b'A', b'Z'));
        mark(&mut self.space, space);
        mark(&mut self.space_or_comma, space | is(b','));
        mark(&mut self.r, is(b'r'));
        mark(&mut self.mark, is(b':') | is(b'.') | is(b'-'));
        mark(&mut self.underscore, is(b'_'));
        mark(&mut self.slash, is(b'/'));
        mark(&mut self.rare, is(b'=') | is(b'@') | is(b'\t'));
    }

    /// The stops, given the byte before the block. What lies beyond the block's end counts as whatever makes a stop.
    #[inline]
    fn stops(&self, before: u8) -> u64 {
        const LAST: u64 = 1 << 63;
        let word = self.word;
        let after_word = word << 1 | u64::from(is_word(before));
        let starts = word & !after_word;
        let ends = after_word & !word;
        let across = after_word & 1;
        // Adding a bit to a run of ones moves it past the run's end: what begins a word becomes what ends it.
        let capitals = word.wrapping_add(starts & self.upper) & !word | across;
        let lower = word & !self.upper;
        let with_upper = ends & !lower.wrapping_add(starts & lower);
        let five_letters = starts & (word >> 1 & word >> 2 & word >> 3 & word >> 4 & !(word >> 5) | 0x1f << 59);
        let after_r = self.r << 1 | u64::from(before == b'r');
        let after_mark = self.mark << 1 | u64::from(before == b'-');
        self.digit
            | self.rare
            | word & (self.rare << 1 | across | u64::from(before == b'='))
            // Days, months, HTTP methods, accounts.
            | self.space_or_comma & capitals
            // `for user bob`: the word after it is looked at.
            | starts & (self.space & after_r) << 1
            | starts & u64::from(before == b' ')
            | self.space & ((self.space | self.rare) >> 1 | LAST)
            | self.mark & (after_word | self.mark >> 1 | LAST)
            | five_letters & after_mark
            | self.underscore & with_upper
            | self.slash & !after_word
    }
}

/// The stops of a line, in order.
pub(super) struct Stops<'a> {
    line: &'a [u8],
    /// Where the block begins that `bits` is about.
    base: usize,
    bits: u64,
}

impl<'a> Stops<'a> {
    #[inline]
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { line, base: 0, bits: Block::read(line).stops(0) }
    }

    /// The first stop at `position` or after it; `position` never goes back.
    #[inline]
    pub(super) fn from(&mut self, position: usize) -> Option<usize> {
        let mut skip = position.saturating_sub(self.base);
        loop {
            if skip < 64 {
                let left = self.bits & u64::MAX << skip;
                if left != 0 {
                    return Some(self.base + left.trailing_zeros() as usize);
                }
                skip = 64;
            }
            self.base += skip & !63;
            skip &= 63;
            let rest = self.line.get(self.base..).filter(|rest| !rest.is_empty())?;
            self.bits = Block::read(rest).stops(self.line[self.base - 1]);
        }
    }
}
