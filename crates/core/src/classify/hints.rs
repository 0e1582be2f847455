//! Finds all hints of all rules in one pass: four bytes of each hint, hashed into a bitmap that stays in the cache.
//! Does not: know what a hint is for.
//!
//! An Aho-Corasick automaton of these many hints is larger than the cache and waits for memory at every byte; here
//! every second position is looked up on its own, and only where the bitmap says so is the text compared with a hint.
//! HTTP statuses are too short for that (at odd positions they would stand under 128 grams each): `statuses` finds
//! them by their shape.

use super::statuses::Statuses;

/// Bytes of a hint that are hashed; every hint has at least as many.
pub(super) const GRAM: usize = 4;
/// Only every second position is looked up, so a hint is entered with two neighbouring grams.
const STRIDE: usize = 2;
/// Positions looked up before any of them is compared.
const BLOCK: usize = 16;
const BLOCK_BYTES: usize = (BLOCK - 1) * STRIDE + GRAM;
/// Bits of the hash: a bitmap of 16 KiB, of which the hints fill about one bit in twenty.
const HASH_BITS: u32 = 17;
/// Lower case for letters; what it does to other bytes it does to hint and text alike.
const FOLD: u32 = 0x2020_2020;
/// 2^32 divided by the golden ratio: spreads neighbouring values (Knuth's multiplicative hash).
const SPREAD: u32 = 0x9e37_79b1;
/// Bytes before a gram that are compared with it at once; eight bytes are in all.
const BEFORE: usize = 2;
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
    element array item list data key user order path field format schema option property constraint ing ion ent ers    \
    in package container client: running database config build execute thread async socket matching pending handler \
    apache stack trace cache task 2026-0 2026-1 2025-0 2025-1 +0000 exception assert call script payments invoke \
    /api/ repository retry gateway handle resolve example authentication location commit curl post accept dispatch \
    download progress schedule kube record profile token invoice body pool page reset factory protocol event \
    content transport statement operator column selector import export cannot \
    http/1.1\" http/1.0\" http/2.0\" error: error:  \n    )\n    --- backtrace: exists the and retrying ";

/// All hints, ready to be found.
#[derive(Debug)]
pub(super) struct HintFinder {
    hints: Vec<Hint>,
    bitmap: Box<[u32; 1 << (HASH_BITS - 5)]>,
    /// For each word of the bitmap, how many bits are set in the words before it.
    ranks: Box<[u16; 1 << (HASH_BITS - 5)]>,
    /// For each bit that is set, where its probes start; those of the next bit end them.
    starts: Vec<u16>,
    probes: Vec<Probe>,
    /// For each probe, what it stands for.
    targets: Vec<Target>,
    /// For each hint as short as a gram, the next one that differs in its last byte only, or `NONE`.
    alike: Vec<u16>,
    statuses: Statuses,
}

#[derive(Debug)]
struct Hint {
    bytes: &'static [u8],
    /// For each byte the bit that may differ in the text: that of letter case, or none.
    case: Box<[u8]>,
}

/// The bytes around a gram, folded: they tell the hints of one hash, and other words, apart.
#[derive(Clone, Copy, Debug)]
struct Probe {
    mask: u64,
    wanted: u64,
}

#[derive(Clone, Copy, Debug)]
struct Target {
    id: u16,
    /// Where in the hint the gram stands, plus one: the gram may begin one byte before the hint.
    offset: u16,
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
        let common = Common::new();
        let mut entries = Vec::new();
        let mut alike = vec![NONE; hints.len()];
        let mut statuses = Statuses::new();
        for (index, hint) in hints.iter().enumerate() {
            let id = u16::try_from(index).expect("there are fewer than 65535 hints");
            let hint = hint.as_bytes();
            if statuses.add(id, hint) {
                continue;
            }
            if hint.len() > GRAM {
                enter(id, hint, common.rarest_pair(hint), &mut entries);
                continue;
            }
            add(id, hint, hint, 1, &mut entries);
            let same = |&before: &usize| hints[before].len() == GRAM && hints[before].as_bytes()[..3] == hint[..3];
            match (0..index).rev().find(same) {
                Some(before) => alike[before] = id,
                None => enter_short(id, &hint[..3], &mut entries),
            }
        }
        entries.sort_unstable_by_key(|&(slot, _, Target { id, offset })| (slot, id, offset));
        let mut bitmap = Box::new([0; 1 << (HASH_BITS - 5)]);
        let mut starts = Vec::new();
        for (index, &(slot, ..)) in entries.iter().enumerate() {
            if index == 0 || entries[index - 1].0 != slot {
                bitmap[slot >> 5] |= 1 << (slot & 31);
                starts.push(u16::try_from(index).expect("there are fewer than 65536 probes"));
            }
        }
        starts.push(u16::try_from(entries.len()).expect("there are fewer than 65536 probes"));
        Self {
            hints: hints.iter().map(|hint| Hint::new(hint.as_bytes())).collect(),
            ranks: Box::new(ranks(&bitmap)),
            bitmap,
            starts,
            probes: entries.iter().map(|entry| entry.1).collect(),
            targets: entries.iter().map(|entry| entry.2).collect(),
            alike,
            statuses,
        }
    }

    /// Calls `found` once for every occurrence of every hint, letter case aside.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(Hit)) {
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk::<BLOCK_BYTES>() {
            let mut marks = 0;
            for position in 0..BLOCK {
                marks |= self.marked(hash(&block[position * STRIDE..position * STRIDE + GRAM])) << position;
            }
            while marks != 0 {
                self.compare(text, at + STRIDE * marks.trailing_zeros() as usize, &mut found);
                marks &= marks - 1;
            }
            at += BLOCK * STRIDE;
        }
        for at in (at..text.len().saturating_sub(GRAM - 1)).step_by(STRIDE) {
            if self.marked(hash(&text[at..at + GRAM])) == 1 {
                self.compare(text, at, &mut found);
            }
        }
        self.statuses.find(text, found);
    }

    #[inline]
    fn marked(&self, slot: usize) -> u32 {
        self.bitmap[slot >> 5] >> (slot & 31) & 1
    }

    #[inline]
    fn compare(&self, text: &[u8], at: usize, found: &mut impl FnMut(Hit)) {
        let slot = hash(&text[at..at + GRAM]);
        let around = around(text, at);
        let before = self.bitmap[slot >> 5] & ((1 << (slot & 31)) - 1);
        let rank = usize::from(self.ranks[slot >> 5]) + before.count_ones() as usize;
        let (from, to) = (usize::from(self.starts[rank]), usize::from(self.starts[rank + 1]));
        for (probe, target) in self.probes[from..to].iter().zip(&self.targets[from..to]) {
            if (around ^ probe.wanted) & probe.mask == 0 {
                self.verify(text, at, *target, found);
            }
        }
    }

    #[inline(never)]
    fn verify(&self, text: &[u8], at: usize, target: Target, found: &mut impl FnMut(Hit)) {
        let Some(start) = (at + 1).checked_sub(usize::from(target.offset)) else { return };
        let mut next = target.id;
        while let Some(hint) = self.hints.get(usize::from(next)) {
            let (id, end) = (usize::from(next), start + hint.bytes.len());
            if text.get(start..end).is_some_and(|part| hint.is(part)) {
                found(Hit { id, start, end });
            }
            next = if target.offset == 0 { self.alike[id] } else { NONE };
        }
    }
}

impl Hint {
    fn new(bytes: &'static [u8]) -> Self {
        let case = bytes.iter().map(|byte| if byte.is_ascii_lowercase() { 0x20 } else { 0 }).collect();
        Self { bytes, case }
    }

    /// Whether a part of the text that is as long is this hint, letter case aside.
    fn is(&self, part: &[u8]) -> bool {
        let same = |part: &[u8; 8], hint: &[u8; 8], case: &[u8; 8]| {
            (u64::from_le_bytes(*part) ^ u64::from_le_bytes(*hint)) & !u64::from_le_bytes(*case) == 0
        };
        // The last bytes first: what differs is seldom near the gram that was found.
        let (Some(last), Some(wanted), Some(case)) =
            (part.last_chunk(), self.bytes.last_chunk(), self.case.last_chunk())
        else {
            return part.iter().zip(self.bytes).zip(&self.case).all(|((part, hint), case)| (part ^ hint) & !case == 0);
        };
        let (parts, hints, cases) = (part.as_chunks().0, self.bytes.as_chunks().0, self.case.as_chunks().0);
        same(last, wanted, case)
            && parts.iter().zip(hints).zip(cases).all(|((part, hint), case)| same(part, hint, case))
    }
}

type Entry = (usize, Probe, Target);

/// For each word, how many bits are set in those before it.
fn ranks<const WORDS: usize>(bitmap: &[u32; WORDS]) -> [u16; WORDS] {
    let mut ranks = [0; WORDS];
    let mut sum = 0;
    for (rank, word) in ranks.iter_mut().zip(bitmap) {
        *rank = sum;
        sum += u16::try_from(word.count_ones()).expect("a word has 32 bits");
    }
    ranks
}

/// Enters a hint with two grams, one of which stands at an even position.
fn enter(id: u16, hint: &[u8], rarest: usize, entries: &mut Vec<Entry>) {
    for offset in [rarest, rarest + 1] {
        add(id, hint, &hint[offset..offset + GRAM], offset + 1, entries);
    }
}

/// Enters the hints that start with these three bytes for odd positions: under whatever byte stands before them.
fn enter_short(id: u16, start: &[u8], entries: &mut Vec<Entry>) {
    for before in (0..=u8::MAX).filter(|byte| byte & 0x20 != 0) {
        add(id, start, &[before, start[0], start[1], start[2]], 0, entries);
    }
}

fn add(id: u16, hint: &[u8], gram: &[u8], offset: usize, entries: &mut Vec<Entry>) {
    let probe = Probe::new(hint, offset);
    let offset = u16::try_from(offset).expect("hints are short");
    entries.push((hash(gram), probe, Target { id, offset }));
}

impl Probe {
    /// What of `hint` stands in the eight bytes around its gram; `offset` as in `Target`.
    fn new(hint: &[u8], offset: usize) -> Self {
        let (mut mask, mut wanted) = ([0; 8], [0; 8]);
        for index in 0..mask.len() {
            let byte = (index + offset).checked_sub(BEFORE + 1).and_then(|at| hint.get(at));
            if let Some(byte) = byte {
                mask[index] = u8::MAX;
                wanted[index] = byte | 0x20;
            }
        }
        Self { mask: u64::from_le_bytes(mask), wanted: u64::from_le_bytes(wanted) }
    }
}

/// The eight bytes from `BEFORE` bytes before `at`, folded; blanks stand where the text does not reach.
#[inline]
fn around(text: &[u8], at: usize) -> u64 {
    const FOLD_ALL: u64 = 0x2020_2020_2020_2020;
    let whole = at.checked_sub(BEFORE).and_then(|from| text[from..].first_chunk());
    let bytes = whole.copied().unwrap_or_else(|| {
        let byte = |index: usize| (at + index).checked_sub(BEFORE).and_then(|at| text.get(at)).copied();
        std::array::from_fn(|index| byte(index).unwrap_or_default())
    });
    u64::from_le_bytes(bytes) | FOLD_ALL
}

#[inline]
fn hash(gram: &[u8]) -> usize {
    (fold(gram).wrapping_mul(SPREAD) >> (32 - HASH_BITS)) as usize
}

#[inline]
fn fold(gram: &[u8]) -> u32 {
    u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]) | FOLD
}

/// The grams of the common words, sorted.
struct Common(Vec<u32>);

impl Common {
    fn new() -> Self {
        let mut grams: Vec<u32> = COMMON.as_bytes().windows(GRAM).map(fold).collect();
        grams.sort_unstable();
        Self(grams)
    }

    /// Where the two neighbouring grams of `hint` stand that are least likely in a failure text.
    fn rarest_pair(&self, hint: &[u8]) -> usize {
        let costs: Vec<usize> = hint.windows(GRAM).map(|gram| self.cost(gram)).collect();
        (0..hint.len() - GRAM).min_by_key(|&offset| costs[offset] + costs[offset + 1]).unwrap_or(0)
    }

    fn cost(&self, gram: &[u8]) -> usize {
        let folded = fold(gram);
        let below = |bound: u32| self.0.partition_point(|&common| common < bound);
        let count = below(folded.saturating_add(1)) - below(folded);
        count * 1000 + gram.iter().map(|&byte| frequency(byte)).sum::<usize>()
    }
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
        let hints = [
            "timed out",
            "time",
            "out of memory",
            "e   assert",
            "connection refused",
            "refused",
            " 404",
            "outof",
            "(503",
            "[429",
            " 503",
            "=137",
        ];
        let finder = HintFinder::new(&hints);
        let texts = [
            "",
            "tim",
            "TIME",
            "it Timed Out: connection REFUSED",
            "xtimed outout of memorytime",
            "E   assert time 404",
            "x 404x(503) [429] 503 404",
            "(50 4042[4290=137 5033 44 504",
        ];
        // Long enough for whole blocks, and every hint at even and odd positions.
        for text in texts.iter().flat_map(|text| (0..80).map(move |blanks| format!("{:blanks$}{text}", ""))) {
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
