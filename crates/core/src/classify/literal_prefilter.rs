//! Finds the literals of all rules in one pass. Four bytes of each literal (a gram) are hashed. A table lists for each
//! hash which bytes may follow the gram.
//!
//! An Aho-Corasick automaton for thousands of literals exceeds the cache and waits for memory at every byte. This
//! prefilter looks up every second position independently, and compares the text with a literal only at positions that
//! the table marks. HTTP statuses such as ` 404` are too short for the table (at odd positions each would need 128
//! grams), so `status_literals` finds them by their shape.

use super::{literal_match::LiteralMatch, status_literals::StatusLiterals};
use wide::u8x16;

/// Length of a gram. Every literal has at least this length.
pub(super) const GRAM_BYTES: usize = 4;
/// Distance between two positions that are looked up. The table contains two grams of each literal, so that a literal
/// is found at even and at odd offsets.
const STRIDE_BYTES: usize = 2;
/// Positions to look up before comparing any of them.
const BLOCK_POSITIONS: usize = 16;
/// Length of a block in bytes, including the byte after the last gram.
const BLOCK_BYTES: usize = (BLOCK_POSITIONS - 1) * STRIDE_BYTES + GRAM_BYTES + 1;
/// Bits of the hash. The table takes 128 KiB with a word per hash, and 1.25 % of the bits are set. A larger table costs
/// little because a text repeats the same few grams, which stay in the cache; a smaller table would cause more false
/// matches.
const HASH_BITS: u32 = 15;
/// Bits of the hash that select a bucket of probes; there are some thousands of probes.
const BUCKET_BITS: u32 = 13;
/// Converts letters to lower case. Other bytes may change too, but in the same way in literals and in the text.
const FOLD_MASK: u32 = 0x2020_2020;
/// 2^32 divided by the golden ratio, which spreads neighboring values (Knuth's multiplicative hash).
const HASH_MULTIPLIER: u32 = 0x9e37_79b1;
/// Number of bytes before a gram that are compared together with the gram. In total, eight bytes are compared.
const COMPARED_BYTES_BEFORE_GRAM: usize = 2;
/// Number of bytes of a literal that are compared in one step.
const COMPARED_BYTES_PER_STEP: usize = 16;

/// Words that most failure texts contain. The grams in the table are rare in these words, because otherwise nearly
/// every line would be compared with literals.
const COMMON_WORDS: &str = "expected exception errors: failed: failure java.lang. org.apache.commons assertion received connection \
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

#[derive(Debug)]
pub(super) struct LiteralPrefilter {
    literals: Vec<Literal>,
    /// For each hash, the bytes that may follow the gram. Each bit stands for a value of a byte's lowest five bits,
    /// which distinguish letters.
    followers: Box<[u32; 1 << HASH_BITS]>,
    /// Index of each bucket's first probe; the next entry is the end.
    starts: Box<[u16; (1 << BUCKET_BITS) + 1]>,
    probes: Vec<Probe>,
    statuses: StatusLiterals,
}

#[derive(Debug)]
struct Literal {
    bytes: &'static [u8],
    /// The first bytes of the literal, padded with zeros.
    first: u8x16,
    /// Mask of the bits that must be equal in the text: all bits except the bit for letter case, and no bits in the
    /// padding.
    compared: u8x16,
}

/// A folded gram of a literal and the bytes around it, which distinguish the literal from others in the same bucket.
#[derive(Clone, Copy, Debug)]
struct Probe {
    mask: u64,
    wanted: u64,
    id: u16,
    /// Offset of the gram in the literal, or -1 if the gram starts one byte before the literal.
    offset: i16,
}

impl LiteralPrefilter {
    /// Builds the tables. `literals` must be in lower case. A match contains the index of the literal.
    pub(super) fn new(literals: &[&'static str]) -> Self {
        let common = GramFrequencies::new(literals);
        let mut grams = GramTables::new();
        let mut statuses = StatusLiterals::new();
        for (index, literal) in literals.iter().enumerate() {
            let id = u16::try_from(index).expect("there are fewer than 65536 literals");
            let literal = literal.as_bytes();
            if !statuses.add(id, literal) {
                grams.add_rarest_grams(id, literal, &common);
            }
        }
        let GramTables { followers, mut probes } = grams;
        probes.sort_unstable_by_key(|(bucket, Probe { id, offset, .. })| (*bucket, *id, *offset));
        let starts = std::array::from_fn(|bucket| {
            let start = probes.partition_point(|probe| probe.0 < bucket);
            u16::try_from(start).expect("there are fewer than 65536 probes")
        });
        Self {
            literals: literals.iter().map(|literal| Literal::new(literal.as_bytes())).collect(),
            followers,
            starts: Box::new(starts),
            probes: probes.into_iter().map(|(_, probe)| probe).collect(),
            statuses,
        }
    }

    /// Calls `found` once for every occurrence of every literal, ignoring case.
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(LiteralMatch)) {
        let mut at = 0;
        while let Some(block) = text[at..].first_chunk::<BLOCK_BYTES>() {
            let mut marks = 0;
            for position in 0..BLOCK_POSITIONS {
                let gram = &block[position * STRIDE_BYTES..][..=GRAM_BYTES];
                marks |= self.follower_bit(hash_gram(fold_gram(gram)), gram[GRAM_BYTES]) << position;
            }
            while marks != 0 {
                self.compare_bucket(text, at + STRIDE_BYTES * marks.trailing_zeros() as usize, &mut found);
                marks &= marks - 1;
            }
            at += BLOCK_POSITIONS * STRIDE_BYTES;
        }
        for at in (at..text.len().saturating_sub(GRAM_BYTES - 1)).step_by(STRIDE_BYTES) {
            let follower = text.get(at + GRAM_BYTES).copied().unwrap_or_default();
            if self.follower_bit(hash_gram(fold_gram(&text[at..])), follower) != 0 {
                self.compare_bucket(text, at, &mut found);
            }
        }
        self.statuses.find(text, found);
    }

    /// Returns 1 if some literal has this gram followed by this byte.
    #[inline]
    fn follower_bit(&self, hash: usize, follower: u8) -> u32 {
        self.followers[hash] >> (follower & 31) & 1
    }

    #[inline]
    fn compare_bucket(&self, text: &[u8], at: usize, found: &mut impl FnMut(LiteralMatch)) {
        let around = folded_bytes_around(text, at);
        let [_, _, gram @ .., _, _] = around.to_le_bytes();
        let bucket = bucket_index(hash_gram(u32::from_le_bytes(gram)));
        for probe in &self.probes[usize::from(self.starts[bucket])..usize::from(self.starts[bucket + 1])] {
            if (around ^ probe.wanted) & probe.mask == 0 {
                self.verify_probe(text, at, probe, found);
            }
        }
    }

    #[inline(never)]
    fn verify_probe(&self, text: &[u8], at: usize, probe: &Probe, found: &mut impl FnMut(LiteralMatch)) {
        let (id, literal) = (usize::from(probe.id), &self.literals[usize::from(probe.id)]);
        let Some(start) = at.checked_add_signed(-isize::from(probe.offset)) else { return };
        if literal.occurs_at(text, start) {
            found(LiteralMatch { id, start, end: start + literal.bytes.len() });
        }
    }
}

impl Literal {
    fn new(bytes: &'static [u8]) -> Self {
        let byte = |index: usize| bytes.get(index).copied();
        let compared = |byte: u8| if byte.is_ascii_lowercase() { !0x20 } else { u8::MAX };
        Self {
            bytes,
            first: u8x16::new(std::array::from_fn(|index| byte(index).unwrap_or_default())),
            compared: u8x16::new(std::array::from_fn(|index| byte(index).map_or(0, compared))),
        }
    }

    /// Checks for the literal at `start`, ignoring case.
    #[inline]
    fn occurs_at(&self, text: &[u8], start: usize) -> bool {
        let rest = &text[start..];
        let Some(lane) = rest.first_chunk::<COMPARED_BYTES_PER_STEP>() else { return self.matches_rest(rest) };
        let other = (u8x16::new(*lane) ^ self.first) & self.compared;
        other == u8x16::ZERO && (self.bytes.len() <= COMPARED_BYTES_PER_STEP || self.matches_rest(rest))
    }

    #[inline(never)]
    fn matches_rest(&self, rest: &[u8]) -> bool {
        rest.get(..self.bytes.len()).is_some_and(|part| part.eq_ignore_ascii_case(self.bytes))
    }
}

/// Collects the grams of the literals.
struct GramTables {
    followers: Box<[u32; 1 << HASH_BITS]>,
    /// Each probe with its bucket.
    probes: Vec<(usize, Probe)>,
}

impl GramTables {
    fn new() -> Self {
        let followers = vec![0; 1 << HASH_BITS].try_into().expect("as long as the table");
        Self { followers, probes: Vec::new() }
    }

    /// Adds the rarest gram at an even offset and the rarest gram at an odd offset.
    fn add_rarest_grams(&mut self, id: u16, literal: &[u8], common: &GramFrequencies) {
        for first in 0..STRIDE_BYTES {
            let offsets = (first..=literal.len() - GRAM_BYTES).step_by(STRIDE_BYTES);
            if let Some(offset) = common.rarest_offset(literal, offsets) {
                let probe = Probe::new(id, literal, i16::try_from(offset).expect("literals are short"));
                self.add(&literal[offset..], probe);
            } else {
                self.add_grams_before_start(id, literal);
            }
        }
    }

    /// Adds all grams that start one byte before the literal, with any first byte, because a literal of four bytes has
    /// no gram at an odd offset.
    fn add_grams_before_start(&mut self, id: u16, literal: &[u8]) {
        for before in (0..=u8::MAX).filter(|byte| byte & 0x20 != 0) {
            self.add(&[&[before], literal].concat(), Probe::new(id, literal, -1));
        }
    }

    /// Adds the gram at the start of `part`.
    fn add(&mut self, part: &[u8], probe: Probe) {
        let followers = part.get(GRAM_BYTES).map_or(0..32, |&byte| byte & 31..(byte & 31) + 1);
        let hash = hash_gram(fold_gram(part));
        for follower in followers {
            self.followers[hash] |= 1 << follower;
        }
        self.probes.push((bucket_index(hash), probe));
    }
}

impl Probe {
    fn new(id: u16, literal: &[u8], offset: i16) -> Self {
        let (mut mask, mut wanted) = ([0; 8], [0; 8]);
        for index in 0..mask.len() {
            let byte = (index.checked_add_signed(isize::from(offset)))
                .and_then(|at| literal.get(at.checked_sub(COMPARED_BYTES_BEFORE_GRAM)?));
            if let Some(byte) = byte {
                mask[index] = u8::MAX;
                wanted[index] = byte | 0x20;
            }
        }
        Self { mask: u64::from_le_bytes(mask), wanted: u64::from_le_bytes(wanted), id, offset }
    }
}

/// Returns eight folded bytes of `text`, from `COMPARED_BYTES_BEFORE_GRAM` bytes before `at`. Bytes outside the text
/// are zero before folding.
#[inline]
fn folded_bytes_around(text: &[u8], at: usize) -> u64 {
    const FOLD_MASK_8: u64 = 0x2020_2020_2020_2020;
    let whole = at.checked_sub(COMPARED_BYTES_BEFORE_GRAM).and_then(|from| text[from..].first_chunk().copied());
    u64::from_le_bytes(whole.unwrap_or_else(|| bytes_around_at_text_end(text, at))) | FOLD_MASK_8
}

#[cold]
fn bytes_around_at_text_end(text: &[u8], at: usize) -> [u8; 8] {
    let byte = |index: usize| text.get((at + index).checked_sub(COMPARED_BYTES_BEFORE_GRAM)?).copied();
    std::array::from_fn(|index| byte(index).unwrap_or_default())
}

#[inline]
const fn bucket_index(hash: usize) -> usize {
    hash >> (HASH_BITS - BUCKET_BITS)
}

/// Hashes a folded gram.
#[inline]
fn hash_gram(gram: u32) -> usize {
    (gram.wrapping_mul(HASH_MULTIPLIER) >> (32 - HASH_BITS)) as usize
}

#[inline]
fn fold_gram(gram: &[u8]) -> u32 {
    u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]) | FOLD_MASK
}

/// All grams in the common words and in the literals, each with the byte after it, sorted. Used to count how many
/// literals share a gram, because each occurrence of a gram is compared with all of these literals.
struct GramFrequencies(Vec<u64>);

impl GramFrequencies {
    fn new(literals: &[&'static str]) -> Self {
        let parts = |text: &'static str| (0..text.len()).map(|at| sort_key(&text.as_bytes()[at..]));
        let mut parts: Vec<u64> =
            parts(COMMON_WORDS).chain(literals.iter().flat_map(|literal| parts(literal))).collect();
        parts.sort_unstable();
        Self(parts)
    }

    /// Returns the offset whose gram (with the byte after it, if there is a byte) is least likely in a failure text.
    fn rarest_offset(&self, literal: &[u8], offsets: impl Iterator<Item = usize>) -> Option<usize> {
        let chances = offsets.map(|offset| {
            (self.estimate_probability(&literal[offset..literal.len().min(offset + GRAM_BYTES + 1)]), offset)
        });
        chances.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, offset)| offset)
    }

    /// Estimates the probability that `part` is at a position of a text: the probability of its bytes, plus that of a
    /// common word or a literal that contains it.
    fn estimate_probability(&self, part: &[u8]) -> f64 {
        const WORD_PROBABILITY: f64 = 1e-5;
        let first = sort_key(part);
        let beyond = first + (1 << (64 - 8 * part.len()));
        let before = |limit: u64| self.0.partition_point(|&other| other < limit);
        let words =
            u32::try_from(before(beyond) - before(first)).map_or(1.0, |count| f64::from(count) * WORD_PROBABILITY);
        // For a gram at the end of its literal, the table contains all 32 bytes that may follow.
        let followers = if part.len() > GRAM_BYTES { 1.0 } else { 32.0 };
        words * followers + part.iter().map(|&byte| byte_frequency(byte)).product::<f64>()
    }
}

/// Packs a folded gram and the byte after it into a number that sorts like the text.
fn sort_key(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text.iter().take(GRAM_BYTES + 1)) {
        *to = from | 0x20;
    }
    u64::from_be_bytes(bytes)
}

/// Returns the approximate frequency of a byte in failure texts.
const fn byte_frequency(byte: u8) -> f64 {
    match byte {
        b' ' => 0.12,
        b'e' => 0.09,
        b't' | b'a' | b'o' | b'n' | b'i' | b'r' | b's' => 0.06,
        b'l' | b'c' | b'd' | b'u' | b'm' | b'p' | b'h' | b'.' => 0.03,
        b'0'..=b'9' | b'f' | b'g' | b'b' | b'/' | b':' | b'(' | b')' | b'_' | b'-' | b'"' | b'\'' => 0.015,
        _ => 0.007,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_equal_plain_search() {
        let literals = [
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
        let finder = LiteralPrefilter::new(&literals);
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
        // The padding makes the text long enough for whole blocks and puts every literal at even and odd positions.
        for text in texts.iter().flat_map(|text| (0..80).map(move |blanks| format!("{:blanks$}{text}", ""))) {
            let lower = text.to_lowercase();
            let mut wanted: Vec<(usize, usize)> = Vec::new();
            for (id, literal) in literals.iter().enumerate() {
                wanted.extend((0..lower.len()).filter(|&at| lower[at..].starts_with(literal)).map(|at| (id, at)));
            }
            let mut got = Vec::new();
            finder.find(text.as_bytes(), |found| got.push((found.id, found.start)));
            got.sort_unstable();
            assert_eq!(got, wanted, "{text}");
        }
    }
}
