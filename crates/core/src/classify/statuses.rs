//! Finds the hints that are an HTTP error's status after a blank or a bracket: ` 404`, `(503`, `[429`.
//! Does not: find any other hint (`hints` does).
//!
//! They are many, short and alike, so looking for their shape at every position beats looking each of them up.

use super::hints::Hit;

/// Bytes of such a hint.
const LENGTH: usize = 4;
/// Positions looked at together.
const BLOCK: usize = 32;
const MARKS: [u8; 3] = *b" ([";
/// Statuses of an error begin here, and there are as many of them.
const FIRST: usize = 400;
const COUNT: usize = 200;
const NONE: u16 = u16::MAX;

/// The hints of this shape, ready to be found.
#[derive(Debug)]
pub(super) struct Statuses {
    /// For each mark and status, the hint or `NONE`.
    ids: [[u16; COUNT]; MARKS.len()],
}

impl Statuses {
    /// Without hints.
    pub(super) const fn new() -> Self {
        Self { ids: [[NONE; COUNT]; MARKS.len()] }
    }

    /// Takes the hint if it is one of these.
    pub(super) fn add(&mut self, id: u16, hint: &[u8]) -> bool {
        let place = <[u8; LENGTH]>::try_from(hint).ok().and_then(place);
        place.map(|(mark, status)| self.ids[mark][status] = id).is_some()
    }

    /// Calls `found` once for every occurrence of every hint.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Hit)) {
        let mut start = 0;
        while let Some(block) = text[start..].first_chunk::<{ BLOCK + LENGTH - 1 }>() {
            if has_status(block) {
                self.find_each(block, start, &mut found);
            }
            start += BLOCK;
        }
        self.find_each(&text[start..], start, &mut found);
    }

    #[inline(never)]
    fn find_each(&self, part: &[u8], offset: usize, found: &mut impl FnMut(Hit)) {
        for (at, gram) in part.array_windows().enumerate() {
            let Some((mark, status)) = place(*gram) else { continue };
            let (id, start) = (self.ids[mark][status], offset + at);
            if id != NONE {
                found(Hit { id: usize::from(id), start, end: start + LENGTH });
            }
        }
    }
}

/// Whether a status starts at one of the first positions.
#[inline]
fn has_status(block: &[u8; BLOCK + LENGTH - 1]) -> bool {
    (0..BLOCK).fold(0, |any, at| any | is_status([block[at], block[at + 1], block[at + 2], block[at + 3]])) != 0
}

/// 1 where it is. Without a branch, so that the compiler can look at sixteen positions at a time.
#[inline]
fn is_status([mark, class, tens, ones]: [u8; LENGTH]) -> u8 {
    let marked = u8::from(mark == MARKS[0]) | u8::from(mark == MARKS[1]) | u8::from(mark == MARKS[2]);
    let digit = |byte: u8| u8::from(byte.wrapping_sub(b'0') < 10);
    marked & u8::from(class | 1 == b'5') & digit(tens) & digit(ones)
}

/// Mark and status, as indices into the table.
fn place(gram: [u8; LENGTH]) -> Option<(usize, usize)> {
    // Most bytes are told apart by the digit alone.
    if gram[1] | 1 != b'5' || is_status(gram) == 0 {
        return None;
    }
    let mark = MARKS.iter().position(|mark| *mark == gram[0])?;
    let status = gram[1..].iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0'));
    Some((mark, status - FIRST))
}
