//! Encodes the documents of a term as bytes: for each document, the distance to the previous document in LEB128, then
//! the weight as one byte.

/// A term in a document, packed into 64 bits: hash of the term, position of the document in its segment, weight. Sorts
/// by hash and position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting(u64);

/// Maximum number of documents in a segment, so that a posting fits into 64 bits.
pub(super) const MAX_SEGMENT_DOCUMENTS: i64 = 1 << 24;

impl Posting {
    pub(super) fn new(term: u32, place: u32, weight: u8) -> Self {
        Self(u64::from(term) << 32 | u64::from(place & 0x00ff_ffff) << 8 | u64::from(weight))
    }

    pub(super) const fn term(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[allow(clippy::cast_possible_truncation, reason = "the mask leaves 24 bits")]
    const fn place(self) -> u32 {
        (self.0 >> 8 & 0x00ff_ffff) as u32
    }

    #[allow(clippy::cast_possible_truncation, reason = "the mask leaves 8 bits")]
    const fn weight(self) -> u8 {
        (self.0 & 0xff) as u8
    }
}

/// The lists of several terms, concatenated in one buffer.
#[derive(Debug, Default)]
pub(super) struct PostingLists {
    bytes: Vec<u8>,
    /// For each term: hash, number of documents, and end of its list in `bytes`.
    ends: Vec<(u32, u32, usize)>,
    last_place: u32,
}

impl PostingLists {
    /// Creates lists from sorted postings.
    pub(super) fn from_sorted(sorted: &[Posting]) -> Self {
        let mut lists = Self { bytes: Vec::with_capacity(sorted.len() * 3), ..Self::default() };
        for posting in sorted {
            lists.push(posting.term(), posting.place(), posting.weight());
        }
        lists
    }

    /// Appends a posting. Terms must arrive in order, and positions in order within a term.
    pub(super) fn push(&mut self, term: u32, place: u32, weight: u8) {
        if self.ends.last().is_none_or(|(last, _, _)| *last != term) {
            self.ends.push((term, 0, 0));
            self.last_place = 0;
        }
        let mut gap = place.wrapping_sub(self.last_place);
        self.last_place = place;
        while gap >= 0x80 {
            self.bytes.push((gap & 0x7f) as u8 | 0x80);
            gap >>= 7;
        }
        #[allow(clippy::cast_possible_truncation, reason = "seven bits are left")]
        self.bytes.extend([gap as u8, weight]);
        if let Some(end) = self.ends.last_mut() {
            (end.1, end.2) = (end.1 + 1, self.bytes.len());
        }
    }

    /// Returns for each term: hash, number of documents, and list.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, _, end)| *end));
        self.ends.iter().zip(starts).map(|((term, count, end), start)| (*term, *count, &self.bytes[start..*end]))
    }
}

/// Calls `each` with position and weight of each posting. Damaged bytes end the list.
pub(super) fn decode(bytes: &[u8], mut each: impl FnMut(u32, u8)) {
    let mut place: u32 = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (mut gap, mut shift) = (0_u32, 0);
        loop {
            let Some(&byte) = bytes.get(at) else { return };
            at += 1;
            gap |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
            if shift > 28 {
                return;
            }
        }
        let Some(&weight) = bytes.get(at) else { return };
        at += 1;
        place = place.wrapping_add(gap);
        each(place, weight);
    }
}

#[cfg(test)]
mod tests {
    use super::{Posting, PostingLists, decode};

    #[test]
    fn decoding_reverses_encoding() {
        let mut sorted = vec![
            Posting::new(7, 0, 1),
            Posting::new(7, 200, 255),
            Posting::new(u32::MAX, 0x00ff_ffff, 9),
            Posting::new(9, 3, 4),
        ];
        sorted.sort_unstable();
        let lists = PostingLists::from_sorted(&sorted);
        let mut read = Vec::new();
        for (term, count, list) in lists.iter() {
            let before = read.len();
            decode(list, |place, weight| read.push((term, place, weight)));
            assert_eq!(read.len() - before, count as usize);
        }
        assert_eq!(read, [(7, 0, 1), (7, 200, 255), (9, 3, 4), (u32::MAX, 0x00ff_ffff, 9)]);
    }

    #[test]
    fn decode_stops_at_damaged_bytes() {
        for damaged in [&[0x80][..], &[1], &[0xff; 9], &[1, 2, 0x80, 0x80]] {
            let mut read = 0;
            decode(damaged, |_, _| read += 1);
            assert!(read <= 1);
        }
    }
}
