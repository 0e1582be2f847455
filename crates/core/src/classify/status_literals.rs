//! Finds the literals that consist of a blank or a bracket and an HTTP error status, for example ` 404`, `(503`,
//! `[429`. `literal_prefilter` finds all other literals.
//!
//! These literals are many, short and similar. Searching for their shape at sixteen positions at a time is faster than
//! a lookup at each position.

use super::literal_match::LiteralMatch;
use wide::u8x16;

/// Length of a literal of this shape.
const LITERAL_BYTES: usize = 4;
/// Positions that are searched in one step.
const BLOCK_POSITIONS: usize = 16;
const STATUS_PREFIXES: [u8; 3] = *b" ([";
/// The first error status and the number of error statuses (400 to 599).
const FIRST_STATUS: usize = 400;
const STATUS_COUNT: usize = 200;
const NO_LITERAL: u16 = u16::MAX;

#[derive(Debug)]
pub(super) struct StatusLiterals {
    /// Literal ID for each of [`STATUS_PREFIXES`] and each status, or `NO_LITERAL`.
    ids: [[u16; STATUS_COUNT]; STATUS_PREFIXES.len()],
}

impl StatusLiterals {
    pub(super) const fn new() -> Self {
        Self { ids: [[NO_LITERAL; STATUS_COUNT]; STATUS_PREFIXES.len()] }
    }

    /// Adds the literal if it has this shape; returns whether it was added.
    pub(super) fn add(&mut self, id: u16, literal: &[u8]) -> bool {
        let place = <[u8; LITERAL_BYTES]>::try_from(literal).ok().and_then(table_indices);
        place.map(|(mark, status)| self.ids[mark][status] = id).is_some()
    }

    /// Calls `found` once for every occurrence of every literal.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(LiteralMatch)) {
        let mut start = 0;
        while let Some(block) = text[start..].first_chunk::<{ BLOCK_POSITIONS + LITERAL_BYTES - 1 }>() {
            let mut marks = find_status_prefixes(block);
            while marks != 0 {
                self.report_literal_at(text, start + marks.trailing_zeros() as usize, &mut found);
                marks &= marks - 1;
            }
            start += BLOCK_POSITIONS;
        }
        for at in start..text.len() {
            self.report_literal_at(text, at, &mut found);
        }
    }

    #[inline]
    fn report_literal_at(&self, text: &[u8], start: usize, found: &mut impl FnMut(LiteralMatch)) {
        let gram = text[start..].first_chunk().copied();
        let Some((mark, status)) = gram.and_then(table_indices) else { return };
        let id = self.ids[mark][status];
        if id != NO_LITERAL {
            found(LiteralMatch { id: usize::from(id), start, end: start + LITERAL_BYTES });
        }
    }
}

/// Returns a bit mask of the positions with a status prefix, followed by the first digit of an error status.
#[inline]
fn find_status_prefixes(block: &[u8; BLOCK_POSITIONS + LITERAL_BYTES - 1]) -> u32 {
    let is = |bytes: u8x16, byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let [marks, digits] = [0, 1].map(|from| u8x16::new(*block[from..].first_chunk().expect("the block is longer")));
    // A blank differs from `(` in a single bit, and `4` differs from `5` in a single bit.
    let mark = is(marks & u8x16::splat(!(b' ' ^ b'(')), b' ') | is(marks, b'[');
    (mark & is(digits | u8x16::splat(b'4' ^ b'5'), b'5')).to_bitmask()
}

/// Returns the prefix and the status of a literal as indices into the table.
fn table_indices([mark, class, tens, ones]: [u8; LITERAL_BYTES]) -> Option<(usize, usize)> {
    let mark = STATUS_PREFIXES.iter().position(|other| *other == mark)?;
    if !matches!(class, b'4' | b'5') || !tens.is_ascii_digit() || !ones.is_ascii_digit() {
        return None;
    }
    let status = [class, tens, ones].iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    Some((mark, status - FIRST_STATUS))
}
