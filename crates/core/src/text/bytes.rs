//! Classifies bytes and finds words.

pub(crate) mod append;
pub(crate) mod literals;

use wide::{i8x16, u8x16};

/// `0-9`.
pub(crate) const DIGIT: u8 = 1;
/// `a-f`.
pub(crate) const LOWER_HEX: u8 = 2;
/// `A-F`.
pub(crate) const UPPER_HEX: u8 = 4;
/// `g-z`.
pub(crate) const LOWER: u8 = 8;
/// `G-Z`.
pub(crate) const UPPER: u8 = 16;
/// Any byte of a character outside ASCII, which counts as a letter.
pub(crate) const NON_ASCII: u8 = 32;
/// `.`, `-` and `_`, which join words in a name.
const WORD_JOINER: u8 = 64;
/// `:`, `/`, `+`, `=` and `@`, which occur inside addresses, paths and tokens.
const ADDRESS_JOINER: u8 = 128;
/// All bytes of words.
pub(crate) const WORD: u8 = DIGIT | LOWER_HEX | UPPER_HEX | LOWER | UPPER | NON_ASCII;
/// ASCII letters and digits.
pub(crate) const ALPHANUMERIC: u8 = WORD & !NON_ASCII;
/// All hexadecimal digits.
pub(crate) const HEXADECIMAL: u8 = DIGIT | LOWER_HEX | UPPER_HEX;
/// Letters that are not hexadecimal digits.
pub(crate) const NOT_HEX: u8 = LOWER | UPPER | NON_ASCII;

/// The class of each byte. 0 for bytes that are not in words, names, addresses, paths or tokens.
pub(crate) static BYTE_CLASSES: [u8; 256] = classify_bytes();

const fn classify_bytes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        table[byte as usize] = classify_byte(byte);
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

const fn classify_byte(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => DIGIT,
        b'a'..=b'f' => LOWER_HEX,
        b'A'..=b'F' => UPPER_HEX,
        b'g'..=b'z' => LOWER,
        b'G'..=b'Z' => UPPER,
        0x80..=0xff => NON_ASCII,
        b'.' | b'-' | b'_' => WORD_JOINER,
        b':' | b'/' | b'+' | b'=' | b'@' => ADDRESS_JOINER,
        _ => 0,
    }
}

pub(crate) fn is_word_byte(byte: u8) -> bool {
    BYTE_CLASSES[usize::from(byte)] & WORD != 0
}

/// Checks whether the byte is allowed in a name of several words.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    BYTE_CLASSES[usize::from(byte)] & (WORD | WORD_JOINER) != 0
}

/// Checks whether the byte is allowed inside an address, a path or a token.
pub(crate) fn is_run_byte(byte: u8) -> bool {
    BYTE_CLASSES[usize::from(byte)] != 0
}

/// A set of bytes as a lookup table, so that a test takes a single load. A `matches!` with many bytes would compile to
/// a jump table on targets with 32-bit words, such as wasm.
#[derive(Debug)]
pub(crate) struct ByteSet([bool; 256]);

impl ByteSet {
    /// Creates a set. `A-Z` is a range, and any other byte represents itself. A literal `-` must be last.
    pub(crate) const fn new(spec: &str) -> Self {
        let spec = spec.as_bytes();
        let (mut set, mut index) = ([false; 256], 0);
        while index < spec.len() {
            let is_range = index + 2 < spec.len() && spec[index + 1] == b'-';
            let last = if is_range { spec[index + 2] } else { spec[index] };
            let mut byte = spec[index] as usize;
            while byte <= last as usize {
                set[byte] = true;
                byte += 1;
            }
            index += if is_range { 3 } else { 1 };
        }
        Self(set)
    }

    /// Creates the set of the bytes of these classes and of these marks.
    pub(crate) const fn of_classes(classes: u8, marks: &str) -> Self {
        let (mut set, mut index) = ([false; 256], 0);
        while index < set.len() {
            set[index] = BYTE_CLASSES[index] & classes != 0;
            index += 1;
        }
        index = 0;
        while index < marks.len() {
            set[marks.as_bytes()[index] as usize] = true;
            index += 1;
        }
        Self(set)
    }

    /// Creates the set of bytes that end a path or an address in a sentence: blanks, control characters and these
    /// marks.
    pub(crate) const fn of_text_ends(marks: &str) -> Self {
        let (mut set, mut index) = (Self::of_classes(0, marks), 0);
        while index <= b' ' as usize {
            set.0[index] = true;
            index += 1;
        }
        set
    }

    #[inline]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }
}

/// Returns the byte at `index`, or 0 past the end. A zero byte belongs to no class.
pub(crate) fn byte_at(text: &[u8], index: usize) -> u8 {
    text.get(index).copied().unwrap_or(0)
}

/// Returns the end of the run of accepted bytes at `start`, or `start` if `belongs` rejects the first byte.
pub(crate) fn run_end(text: &[u8], start: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(|&byte| !belongs(byte)).unwrap_or(rest.len())
}

/// Returns the end of the name at `start`, in which `.`, `-` and `_` may join several words.
pub(crate) fn name_end(text: &[u8], start: usize) -> usize {
    let mut position = start;
    while let Some(chunk) = text.get(position..).and_then(|rest| rest.first_chunk()) {
        let found = name_mask(*chunk).to_bitmask() | !0xffff;
        if found != u32::MAX {
            return position + found.trailing_ones() as usize;
        }
        position += chunk.len();
    }
    run_end(text, position, is_name_byte)
}

/// Returns the first position of the byte. For short texts such as lines, this search is faster than a call of
/// `memchr`.
#[inline]
pub(crate) fn find_byte(text: &[u8], byte: u8) -> Option<usize> {
    let seen = |bytes: &[u8; 16]| u8x16::new(*bytes).simd_eq(u8x16::splat(byte)).to_bitmask();
    let (chunks, rest) = text.as_chunks();
    for (index, chunk) in chunks.iter().enumerate() {
        let found = seen(chunk);
        if found != 0 {
            return Some(16 * index + found.trailing_zeros() as usize);
        }
    }
    let Some(last) = text.last_chunk() else { return rest.iter().position(|&other| other == byte) };
    let found = seen(last);
    (found != 0).then(|| text.len() - last.len() + found.trailing_zeros() as usize)
}

/// Computes `is_name` for each byte. The result is in the highest bit.
#[inline]
fn name_mask(bytes: [u8; 16]) -> u8x16 {
    let bytes = u8x16::new(bytes);
    let letter = range_mask(bytes | u8x16::splat(0x20), b'a', b'z');
    let joint = range_mask(bytes, b'-', b'.') | bytes.simd_eq(u8x16::splat(b'_'));
    // `bytes` sets the highest bit for bytes outside ASCII.
    letter | range_mask(bytes, b'0', b'9') | joint | bytes
}

/// Returns a mask of the bytes between `from` and `to`, inclusive.
///
/// The range is shifted to the smallest signed value, because a signed comparison takes one instruction and an unsigned
/// comparison takes four.
#[inline]
pub(crate) fn range_mask(bytes: u8x16, from: u8, to: u8) -> u8x16 {
    let moved = (bytes - u8x16::splat(from ^ 0x80)).cast_signed();
    let end = i8x16::splat(i8::MIN + (to - from + 1).cast_signed());
    moved.simd_lt(end).cast_unsigned()
}

/// Returns the end of the digits from `start`.
pub(crate) fn digits_end(text: &[u8], start: usize) -> usize {
    run_end(text, start, |byte| byte.is_ascii_digit())
}

/// Returns the end of the word from `start`, and the classes of its bytes.
pub(crate) fn scan_word(text: &[u8], start: usize) -> (usize, u8) {
    let (mut end, mut mask) = (start, 0);
    while let Some(&byte) = text.get(end) {
        let class = BYTE_CLASSES[usize::from(byte)];
        if class & WORD == 0 {
            break;
        }
        mask |= class;
        end += 1;
    }
    (end, mask)
}

/// Returns the value of a short run of digits. Saturates.
pub(crate) fn parse_digits(text: &[u8]) -> u32 {
    text.iter().fold(0_u32, |sum, byte| sum.saturating_mul(10).saturating_add(u32::from(byte.wrapping_sub(b'0'))))
}

/// Counts the changes between letters and digits. Random names have many, real names few.
pub(crate) fn count_class_changes(text: &[u8]) -> usize {
    text.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

/// Counts the changes between upper case, lower case and digits. Random text has many, words and paths few.
pub(crate) fn count_case_changes(text: &[u8]) -> usize {
    text.windows(2).filter(|pair| byte_kind(pair[0]) != byte_kind(pair[1])).count()
}

fn byte_kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    }
}

/// Checks whether `text` starts with `prefix`, ignoring case.
pub(crate) fn starts_with_ignoring_case(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}

/// Checks whether `text` ends with `suffix`, ignoring case.
pub(crate) fn ends_with_ignoring_case(text: &[u8], suffix: &[u8]) -> bool {
    text.len() >= suffix.len() && text[text.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

/// A list of prefixes. The first two bytes reject most lines.
pub(crate) struct PrefixList<const N: usize> {
    list: [&'static str; N],
    /// Indexed by `key` of the first two bytes. Bit `n` represents entry `n`.
    entries: [u64; 64],
}

impl<const N: usize> PrefixList<N> {
    pub(crate) const fn new(list: [&'static str; N]) -> Self {
        let (mut entries, mut index) = ([0; 64], 0);
        while index < N {
            let start = list[index].as_bytes();
            entries[Self::key(start[0], start[1])] |= 1 << index;
            index += 1;
        }
        Self { list, entries }
    }

    const fn key(first: u8, second: u8) -> usize {
        (first.wrapping_mul(7).wrapping_add(second) & 63) as usize
    }

    /// Checks whether the text starts with an entry of the list.
    #[inline]
    pub(crate) fn matches_start(&self, text: &[u8]) -> bool {
        let mut left = self.entries[Self::key(byte_at(text, 0), byte_at(text, 1))];
        while left != 0 {
            if text.starts_with(self.list[left.trailing_zeros() as usize].as_bytes()) {
                return true;
            }
            left &= left - 1;
        }
        false
    }
}

/// A list of lower-case words. Most other words are rejected by their first letter and length alone.
pub(crate) struct Words<const N: usize> {
    list: [&'static str; N],
    /// For each letter of the alphabet: bit `n` is set if entry `n` starts with the letter.
    entries: [u64; 32],
    /// For each letter of the alphabet: bit `n` is set if an entry of `n` bytes starts with the letter.
    lengths: [u32; 32],
}

impl<const N: usize> Words<N> {
    pub(crate) const fn new(list: [&'static str; N]) -> Self {
        let (mut entries, mut lengths, mut index) = ([0; 32], [0; 32], 0);
        while index < N {
            let letter = (list[index].as_bytes()[0] & 31) as usize;
            entries[letter] |= 1 << index;
            lengths[letter] |= 1 << list[index].len();
            index += 1;
        }
        Self { list, entries, lengths }
    }

    /// Checks whether an entry of the list may start with this byte.
    pub(crate) fn may_start_with(&self, byte: u8) -> bool {
        byte >= b'A' && self.lengths[usize::from(byte & 31)] != 0
    }

    /// Checks whether the text starts with an entry of the list, ignoring case.
    pub(crate) fn begin(&self, text: &[u8]) -> bool {
        self.may_start_with(byte_at(text, 0)) && self.any(text[0], |word| starts_with_ignoring_case(text, word))
    }

    /// Checks whether the word is in the list, ignoring case.
    #[inline]
    pub(crate) fn has(&self, word: &[u8]) -> bool {
        let possible = matches!(word.len(), 1..=31) && self.lengths[usize::from(word[0] & 31)] >> word.len() & 1 != 0;
        possible && self.any(word[0], |entry| entry.eq_ignore_ascii_case(word))
    }

    /// Checks whether `fits` accepts an entry that starts with this letter.
    #[inline]
    fn any(&self, letter: u8, fits: impl Fn(&[u8]) -> bool) -> bool {
        let mut left = self.entries[usize::from(letter & 31)];
        while left != 0 {
            if fits(self.list[left.trailing_zeros() as usize].as_bytes()) {
                return true;
            }
            left &= left - 1;
        }
        false
    }
}

/// Compares two slices, sixteen bytes at a time, because the standard comparison in wasm goes byte by byte. Compares
/// the ends first, because different lines often have the same start.
pub(crate) fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let (Some(end), Some(other_end)) = (one.last_chunk::<16>(), other.last_chunk::<16>()) else { return one == other };
    one.len() == other.len()
        && end == other_end
        && one.as_chunks::<16>().0.iter().zip(other.as_chunks().0).all(|(one, other)| one == other)
}

/// Checks whether a list of lower-case words contains the word, ignoring case.
pub(crate) fn is_one_of(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|entry| entry.as_bytes().eq_ignore_ascii_case(word))
}

/// Returns the line above the line that starts at `start`, without its line break.
pub(crate) fn line_above(text: &[u8], start: usize) -> &[u8] {
    let above = &text[..start.saturating_sub(1)];
    let begin = memchr::memrchr(b'\n', above).map_or(0, |at| at + 1);
    above[begin..].strip_suffix(b"\r").unwrap_or(&above[begin..])
}

/// Returns the end of the last whole character within the limit.
pub(crate) fn floor_character_boundary(text: &[u8], limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    (0..=limit).rev().find(|&end| text[end] & 0xc0 != 0x80).unwrap_or(0)
}
