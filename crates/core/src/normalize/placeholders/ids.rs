//! Matches generated names: UUIDs, hashes, hexadecimal numbers, tokens, random IDs. `numbers` uses the word before a
//! number.

use crate::text::bytes::{
    ALPHANUMERIC, BYTE_CLASSES, ByteSet, DIGIT, LOWER, LOWER_HEX, NOT_HEX, UPPER, UPPER_HEX, byte_at,
    count_case_changes, count_class_changes, is_one_of, is_word_byte, run_end, scan_word,
};

/// Well-known names that look like random IDs because letters and digits alternate in them.
const WELL_KNOWN_NAMES: [&str; 12] = [
    "utf8mb4",
    "utf8mb3",
    "secp256k1",
    "secp256r1",
    "prime256v1",
    "curve25519",
    "x25519",
    "ed25519",
    "base64url",
    "log4j2",
    "i18next",
    "e2e",
];

/// Returns the end of a UUID (8-4-4-4-12 hexadecimal digits).
pub(super) fn uuid_end(text: &[u8], start: usize) -> Option<usize> {
    if byte_at(text, start + 8) != b'-' {
        return None;
    }
    let body = text.get(start..start + 36)?;
    let valid = body.iter().enumerate().all(|(i, &byte)| match i {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    });
    (valid && !is_word_byte(byte_at(text, start + 36))).then_some(start + 36)
}

/// Returns the end of a UUID whose start a tool has cut off: `…4-83de-91e246779577`.
pub(super) fn truncated_uuid_end(text: &[u8], start: usize) -> Option<usize> {
    let mut end = scan_word(text, start).0;
    if byte_at(text, end) != b'-' || end - start > 8 || !text[start..end].iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut groups = 0;
    while byte_at(text, end) == b'-' {
        let next = run_end(text, end + 1, |byte| byte.is_ascii_hexdigit());
        groups += 1;
        match next - end - 1 {
            4 if groups < 4 => end = next,
            12 => return (!is_word_byte(byte_at(text, next))).then_some(next),
            _ => return None,
        }
    }
    None
}

/// Returns the end of a JSON web token: three base64url parts with dots between them, of which the first is a JSON
/// object.
pub(super) fn jwt_end(text: &[u8], start: usize) -> Option<usize> {
    if !text[start..].starts_with(b"eyJ") {
        return None;
    }
    let part = |from: usize| run_end(text, from, is_base64url);
    let first = part(start);
    // The second part need not start with `eyJ`, because it may be an encrypted key.
    if byte_at(text, first) != b'.' || !is_word_byte(byte_at(text, first + 1)) {
        return None;
    }
    let second = part(first + 1);
    let end = if byte_at(text, second) == b'.' { part(second + 1) } else { second };
    (second > first + 4).then_some(end)
}

fn is_base64url(byte: u8) -> bool {
    static BASE64URL: ByteSet = ByteSet::of_classes(ALPHANUMERIC, "-_=");
    BASE64URL.has(byte)
}

/// Returns the end of a long run of base64. Frequent changes of case and digits distinguish it from a path.
pub(super) fn base64_end(text: &[u8], start: usize) -> Option<usize> {
    static BASE64: ByteSet = ByteSet::of_classes(ALPHANUMERIC, "-_=+/");
    let belongs = |byte: u8| BASE64.has(byte);
    // Check the last byte of the shortest match first, because most names and paths are shorter.
    if !belongs(byte_at(text, start + 31)) {
        return None;
    }
    let end = run_end(text, start, belongs);
    let body = text.get(start..end).filter(|body| body.len() >= 32)?;
    let mixed = body.iter().fold(0, |mask, &byte| mask | BYTE_CLASSES[usize::from(byte)]);
    let kinds = mixed & DIGIT != 0 && mixed & (LOWER | LOWER_HEX) != 0 && mixed & (UPPER | UPPER_HEX) != 0;
    (kinds && count_case_changes(body) * 4 >= body.len() && !reads_as_words(body)).then_some(end)
}

/// Returns the end of a nano ID of 21 characters, the only kind of ID with `_` and `-` inside.
pub(super) fn nano_id_end(text: &[u8], start: usize) -> Option<usize> {
    static NANO: ByteSet = ByteSet::of_classes(ALPHANUMERIC, "-_");
    let belongs = |byte: u8| NANO.has(byte);
    let end = start + 21;
    // Check the last byte first, because most names are shorter or longer.
    let body = text.get(start..end).filter(|body| belongs(body[20]) && !belongs(byte_at(text, end)))?;
    let mixed = body.iter().all(|&byte| belongs(byte))
        && body.iter().any(u8::is_ascii_lowercase)
        && count_case_changes(body) >= 9;
    (mixed && !reads_as_words(body)).then_some(end)
}

/// Returns the end of `0x…`.
pub(super) fn prefixed_hex_end(text: &[u8], start: usize) -> Option<usize> {
    if byte_at(text, start) != b'0' || !matches!(byte_at(text, start + 1), b'x' | b'X') {
        return None;
    }
    let end = run_end(text, start + 2, |byte| byte.is_ascii_hexdigit());
    (end > start + 2 && !is_word_byte(byte_at(text, end))).then_some(end)
}

/// Checks whether a word is a hash, an address or a part of these.
pub(super) fn is_hash(word: &[u8], mask: u8) -> bool {
    let hex = mask & NOT_HEX == 0 && mask & DIGIT != 0 && mask & (LOWER_HEX | UPPER_HEX) != 0;
    let one_case = mask & LOWER_HEX == 0 || mask & UPPER_HEX == 0;
    if !hex || !one_case && word.len() < 16 {
        return false;
    }
    match word.len() {
        0..=3 | 5 => false,
        4 => word[0].is_ascii_digit() && word[3..] != *b"d",
        // Git's abbreviated hashes, for example `ced0996`. A word with only a single letter or digit, such as
        // `e123456`, is a name.
        7 if word[..2].iter().all(u8::is_ascii_lowercase) && word[5].is_ascii_digit() => true,
        6 | 7 => count_class_changes(word) >= 2,
        _ => true,
    }
}

/// Checks whether a word of letters and digits is random and not chosen by a person.
pub(super) fn is_random_id(word: &[u8], mask: u8) -> bool {
    let high = mask & crate::text::bytes::NON_ASCII != 0;
    if high || word.len() < 8 || is_one_of(word, &WELL_KNOWN_NAMES) {
        return false;
    }
    let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes = count_class_changes(word);
    // Accepts `NffrFeUfNV2Hib`, in which the case changes at every other letter.
    let mixed = word.len() >= 13 && digits >= 1 && count_case_changes(word) * 2 >= word.len();
    let numbered = changes >= 3 && digits >= 2 || word.len() >= 16 && digits >= 3 && changes >= 2;
    mixed || numbered && !reads_as_words(word)
}

/// Checks whether the letters of a name spell words, as in `parseISO8601DateTime` and `sha256DigestOfFile`. They do if
/// at least three in four pairs of adjacent letters within a word are common in names. Of 20,000 random words with 10
/// to 24 letters and digits, 2 % pass this check.
fn reads_as_words(name: &[u8]) -> bool {
    const MIN_PAIRS: usize = 5;
    let (mut pairs, mut common) = (0, 0);
    for pair in name.windows(2) {
        let starts_word = pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
        if pair.iter().all(u8::is_ascii_alphabetic) && !starts_word {
            let [first, second] = [pair[0], pair[1]].map(|letter| letter.to_ascii_lowercase() - b'a');
            pairs += 1;
            common += usize::from(COMMON_PAIRS[usize::from(first)] >> second & 1 != 0);
        }
    }
    pairs >= MIN_PAIRS && common * 4 >= pairs * 3
}

/// For each letter from `a` to `z`, the letters that often follow it, as a bit set. These 206 pairs are 93 % of all
/// pairs in the words of at least four letters in the source of Python 3.11's standard library (without tests).
#[rustfmt::skip] // a letter per line would fill a page
const COMMON_PAIRS: [u32; 26] = [
    0x03e_bd4e, 0x010_4911, 0x01a_4d91, 0x014_4911, 0x0af_b87d, 0x012_4131, 0x016_0190, 0x008_4111, 0x22e_f87f,
    0x000_0000, 0x000_0010, 0x11c_4919, 0x010_d111, 0x03c_617d, 0x07e_f80e, 0x11a_c911, 0x010_0000, 0x11e_715d,
    0x01c_c195, 0x11e_4995, 0x00e_b917, 0x000_0111, 0x002_0191, 0x008_0004, 0x008_8000, 0x000_0010,
];

/// Checks whether the last part of a dashed name is a random suffix of a cluster: `-x2z9k`, `-bdf5`, `-w0fq`.
pub(super) fn is_random_suffix(word: &[u8], mask: u8) -> bool {
    let lower = mask & (UPPER | UPPER_HEX | crate::text::bytes::NON_ASCII) == 0;
    let vowel = word.iter().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u'));
    let named = word.starts_with(b"http") || word.starts_with(b"tls") || word.starts_with(b"mp");
    let short = matches!(word.len(), 4..=5) && (!vowel || count_class_changes(word) >= 2) && !named;
    let hex = word.len() >= 6 && mask & NOT_HEX == 0 && mask & (LOWER_HEX | UPPER_HEX) != 0;
    let letter = mask & (LOWER | LOWER_HEX) != 0;
    lower && letter && mask & DIGIT != 0 && (short || hex)
}

/// Checks for five of the letters that Kubernetes uses in pod name suffixes.
pub(super) fn is_cluster_suffix(word: &[u8]) -> bool {
    word.len() == 5 && word.iter().all(|byte| b"bcdfghjklmnpqrstvwxz".contains(byte))
}

/// Returns the end of a W3C trace context (`00-<32 hex>-<16 hex>-01`) or of an X-Ray trace ID (`1-<8 hex>-<24 hex>`).
pub(super) fn trace_end(text: &[u8], start: usize) -> Option<usize> {
    if byte_at(text, start + 2) != b'-' && byte_at(text, start + 1) != b'-' {
        return None;
    }
    let hex = |from: usize, length: usize| -> Option<usize> {
        let end = run_end(text, from, |byte| byte.is_ascii_hexdigit());
        (end - from == length).then_some(end)
    };
    let dash = |from: Option<usize>| from.filter(|&end| byte_at(text, end) == b'-').map(|end| end + 1);
    let context = || {
        let body = dash(hex(dash(hex(start, 2))?, 32))?;
        dash(hex(body, 16)).and_then(|flags| hex(flags, 2))
    };
    let x_ray = || dash(hex(dash(hex(start, 1))?, 8)).and_then(|rest| hex(rest, 24));
    context().or_else(x_ray)
}

/// Checks whether a segment of a request path identifies a single item among many.
pub(in crate::normalize) fn is_path_id(segment: &[u8]) -> bool {
    if segment.is_empty() {
        return false;
    }
    if !segment.iter().any(u8::is_ascii_digit) {
        return crate::normalize::placeholders::net::placeholder_end(segment, 0).is_some();
    }
    let (end, mask) = scan_word(segment, 0);
    let numeric = end == segment.len() && mask == DIGIT;
    let version = matches!(segment[0], b'v' | b'V') && segment.len() <= 4 && mask & !(LOWER | UPPER | DIGIT) == 0;
    let whole = end == segment.len() && (is_hash(segment, mask) || is_random_id(segment, mask));
    let digit_share = segment.iter().filter(|byte| byte.is_ascii_digit()).count() * 3 >= segment.len();
    let upper = mask & (UPPER | UPPER_HEX) != 0 && segment.len() >= 12;
    !version && (numeric || whole || digit_share || upper || segment.len() >= 20 || uuid_end(segment, 0).is_some())
}
