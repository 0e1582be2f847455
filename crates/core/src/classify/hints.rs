//! Finds all hints of all rules in one pass: four bytes of each hint, hashed into a bitmap that stays in the cache.
//! Does not: know what a hint is for.
//!
//! An Aho-Corasick automaton of these many hints is larger than the cache and waits for memory at every byte; here
//! every position is looked up on its own, and only where the bitmap says so is the text compared with a hint.

/// Bytes of a hint that are hashed; every hint has at least as many.
pub(super) const GRAM: usize = 4;
/// Bits of the hash: a bitmap of 8 KiB, of which the hints fill about one bit in a hundred.
const HASH_BITS: u32 = 16;
/// Lower case for letters; what it does to other bytes it does to hint and text alike.
const FOLD: u32 = 0x2020_2020;
/// 2^32 divided by the golden ratio: spreads neighbouring values (Knuth's multiplicative hash).
const SPREAD: u32 = 0x9e37_79b1;
const NONE: u16 = u16::MAX;

/// Words that stand in most failure texts: their grams would send every line to the comparison.
const COMMON: &str = "expected exception errors: failed: failure java.lang. org.apache.commons assertion received connection \
    timeout timed out http https status code with from test_tests object value line return file.py: file.go: node_modules \
    site-packages python3 internal string the not found for this that and was but is has info warn debug junit com. main run \
    name message type function class module version request response host port server network worker child connect score \
    setting address operation configuration client password interrupt condition disconnect task request read validate wait \
    broken check contain compare initialize register command called calling result mock backend go expect binding implement \
    method runtime true parameter loading parse project session process system service local start stop create update \
    delete number default null undefined at index .js: .ts: .java: .rs: src/ tests/ https://github.com/ /usr/lib/ /home/ \
    unexpected actual should which does while when there more than after before been other during handling above \
    would have must only could into your them over each between under where what level output input event state \
    element array item list data key user order path field format schema option property constraint ing ion ent ers    ";

/// All hints, ready to be found.
#[derive(Debug)]
pub(super) struct HintFinder {
    bitmap: Box<[u64; 1 << (HASH_BITS - 6)]>,
    /// First entry of the chain of each hash, or `NONE`.
    first: Box<[u16]>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    hint: &'static [u8],
    /// Where in the hint its hashed bytes stand.
    offset: usize,
    /// The hint's last bytes, folded: they tell most hints of one hash apart.
    tail: u32,
    id: usize,
    next: u16,
}

/// A hint in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) id: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl HintFinder {
    /// `hints` are in lower case; a hit names one by its index.
    pub(super) fn new(hints: &[&'static str]) -> Self {
        let mut finder = Self {
            bitmap: Box::new([0; 1 << (HASH_BITS - 6)]),
            first: vec![NONE; 1 << HASH_BITS].into_boxed_slice(),
            entries: Vec::with_capacity(hints.len()),
        };
        for (id, hint) in hints.iter().enumerate() {
            finder.add(id, hint.as_bytes());
        }
        finder
    }

    fn add(&mut self, id: usize, hint: &'static [u8]) {
        let offset = rarest(hint);
        let slot = hash(&hint[offset..offset + GRAM]);
        let entry = u16::try_from(self.entries.len()).expect("there are fewer than 65535 hints");
        self.entries.push(Entry { hint, offset, tail: fold(&hint[hint.len() - GRAM..]), id, next: self.first[slot] });
        self.first[slot] = entry;
        self.bitmap[slot >> 6] |= 1 << (slot & 63);
    }

    /// Calls `found` for every occurrence of every hint, letter case aside.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Hit)) {
        for (at, gram) in text.windows(GRAM).enumerate() {
            let slot = hash(gram);
            if self.bitmap[slot >> 6] >> (slot & 63) & 1 == 1 {
                self.compare(text, at, slot, &mut found);
            }
        }
    }

    #[inline(never)]
    fn compare(&self, text: &[u8], at: usize, slot: usize, found: &mut impl FnMut(Hit)) {
        let mut next = self.first[slot];
        while let Some(entry) = self.entries.get(usize::from(next)) {
            next = entry.next;
            let Some(start) = at.checked_sub(entry.offset) else { continue };
            let end = start + entry.hint.len();
            let Some(part) = text.get(start..end) else { continue };
            if fold(&part[part.len() - GRAM..]) == entry.tail && part.eq_ignore_ascii_case(entry.hint) {
                found(Hit { id: entry.id, start, end });
            }
        }
    }
}

#[inline]
fn hash(gram: &[u8]) -> usize {
    (fold(gram).wrapping_mul(SPREAD) >> (32 - HASH_BITS)) as usize
}

#[inline]
fn fold(gram: &[u8]) -> u32 {
    u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]) | FOLD
}

/// Where the four bytes of `hint` stand that are least likely in a failure text.
fn rarest(hint: &[u8]) -> usize {
    let cost = |offset: usize| {
        let gram = &hint[offset..offset + GRAM];
        let common = COMMON.as_bytes().windows(GRAM).filter(|window| *window == gram).count();
        common * 1000 + gram.iter().map(|&byte| frequency(byte)).sum::<usize>()
    };
    (0..=hint.len() - GRAM).min_by_key(|&offset| cost(offset)).unwrap_or(0)
}

/// Roughly how often a byte stands in a thousand bytes of failure text.
const fn frequency(byte: u8) -> usize {
    match byte {
        b' ' => 120,
        b'e' => 90,
        b't' | b'a' | b'o' | b'n' | b'i' | b'r' | b's' => 60,
        b'l' | b'c' | b'd' | b'u' | b'm' | b'p' | b'h' | b'.' => 30,
        b'0'..=b'9' | b'f' | b'g' | b'b' | b'/' | b':' | b'(' | b')' | b'_' | b'-' | b'"' | b'\'' => 15,
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_plain_search_finds() {
        let hints = ["timed out", "time", "out of memory", "e   assert", "connection refused", "refused"];
        let finder = HintFinder::new(&hints);
        let texts =
            ["", "tim", "TIME", "it Timed Out: connection REFUSED", "xtimed outout of memorytime", "E   assert time"];
        for text in texts {
            let lower = text.to_lowercase();
            let mut wanted: Vec<(usize, usize)> = Vec::new();
            for (id, hint) in hints.iter().enumerate() {
                wanted.extend((0..lower.len()).filter(|&at| lower[at..].starts_with(hint)).map(|at| (id, at)));
            }
            let mut got = Vec::new();
            finder.find(text.as_bytes(), |hit| got.push((hit.id, hit.start)));
            got.sort_unstable();
            assert_eq!(got, wanted, "{text}");
        }
    }
}
