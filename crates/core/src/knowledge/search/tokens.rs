//! Splits text into search terms: words, identifiers as a whole and in parts, and bigrams for scripts without spaces.
//! Documents and queries use the same terms.

use rust_stemmers::{Algorithm, Stemmer};
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// Maximum length of a word or whole identifier. Longer text is data.
const MAX_WORD_BYTES: usize = 48;
/// Maximum length of a number that may be a code (`404`, `SQLSTATE 23505`). Longer numbers are IDs, sizes or times.
const MAX_DIGITS: usize = 5;
/// Minimum number of hexadecimal digits of an address, a hash or an ID.
const MIN_HEX_DIGITS: usize = 8;

/// Function words without information. `not` and `no` are not in the list because they reverse a message.
const STOP_WORDS: [&str; 62] = [
    "a", "an", "the", "of", "to", "in", "on", "at", "is", "are", "was", "were", "be", "been", "it", "its", "this",
    "that", "these", "those", "and", "or", "for", "with", "from", "by", "as", "if", "then", "when", "we", "you", "he",
    "they", "have", "has", "had", "do", "does", "did", "can", "could", "should", "would", "will", "may", "might",
    "there", "here", "so", "but", "my", "your", "our", "their", "also", "just", "than", "any", "some", "me", "am",
];
static ENGLISH_STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Returns the 32-bit hash of a term in a document's vector.
pub(super) fn hash_term(term: &str) -> u32 {
    u32::try_from(xxh3_64(term.as_bytes()) >> 32).unwrap_or_default()
}

/// Calls `each` for every term of a text in order, with the term (alphabet `a-z0-9`) and its spelling in the text.
pub(super) fn for_each_term(text: &str, mut each: impl FnMut(&str, &str)) {
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|mark| !is_word(mark)).unwrap_or(from.len());
        let (run, after) = from.split_at(end);
        if is_uuid(from) {
            rest = &from[UUID_BYTES..];
            continue;
        }
        if !(is_placeholder(before, run, after) || is_line_number(before, run) || is_decimal(before, run, after)) {
            emit_word(run, &mut each);
        }
        rest = after;
    }
}

/// Length of a UUID such as `197e5d3c-1f2e-4d3c-aaaa-0123456789ab`.
const UUID_BYTES: usize = 36;

/// Checks for a UUID at the start of the text, because its groups alone may look like words.
fn is_uuid(text: &str) -> bool {
    text.len() >= UUID_BYTES
        && text.bytes().take(UUID_BYTES).enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_word(mark: char) -> bool {
    mark.is_alphanumeric() || mark == '_'
}

/// Checks for a placeholder of the normalizer or the redactor, such as `<UUID>`.
fn is_placeholder(before: &str, run: &str, after: &str) -> bool {
    before.ends_with('<') && after.starts_with('>') && run.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Checks for a line number, which changes with every edit, such as `12` in `Cart.java:12`.
fn is_line_number(before: &str, run: &str) -> bool {
    before == ":" && run.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks for a part of a measure, a version or an address: `2046.1`, `3.11.4`, `10.0.0.7`.
fn is_decimal(before: &str, run: &str, after: &str) -> bool {
    let is_digit = |mark: Option<char>| mark.is_some_and(|mark| mark.is_ascii_digit());
    let followed = after.strip_prefix('.').is_some_and(|after| is_digit(after.chars().next()));
    run.bytes().all(|byte| byte.is_ascii_digit()) && (followed || before == ".")
}

fn emit_word(run: &str, each: &mut impl FnMut(&str, &str)) {
    if run.is_ascii() {
        return emit_ascii_word(run, each);
    }
    if run.chars().any(is_unspaced) {
        return emit_bigrams(run, each);
    }
    let lower = run.to_lowercase();
    if lower.len() <= MAX_WORD_BYTES {
        each(&encode_term(&lower), run);
    }
}

/// Emits a word or identifier as a whole, and its parts if it has several.
fn emit_ascii_word(run: &str, each: &mut impl FnMut(&str, &str)) {
    if is_volatile_value(run) {
        return;
    }
    let whole: String =
        run.bytes().filter(|byte| *byte != b'_').map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let mut parts = WordParts(run).peekable();
    let several = parts.next().is_some() && parts.peek().is_some();
    if !several {
        return emit_term(&whole, run, each);
    }
    if whole.len() <= MAX_WORD_BYTES {
        emit_term(&whole, run, each);
    }
    for part in WordParts(run) {
        emit_term(&part.to_ascii_lowercase(), part, each);
    }
}

fn emit_term(term: &str, shown: &str, each: &mut impl FnMut(&str, &str)) {
    if term.len() < 2 || term.len() > MAX_WORD_BYTES || STOP_WORDS.contains(&term) {
        return;
    }
    if term.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        each(&ENGLISH_STEMMER.stem(term), shown);
    } else {
        each(term, shown);
    }
}

/// Checks for an ID, an address, a hash, a size or a time, because these differ between runs.
fn is_volatile_value(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let hex = run.strip_prefix("0x").unwrap_or(run);
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    (digits == run.len() && digits > MAX_DIGITS)
        || (is_hex && hex.len() < run.len())
        || (is_hex && digits > 0 && run.len() >= MIN_HEX_DIGITS)
        || (digits > 8 && digits * 2 > run.len())
}

/// Splits `parseHTTPBody_v2` into `parse`, `HTTP`, `Body`, `v`, `2`.
struct WordParts<'a>(&'a str);

impl<'a> Iterator for WordParts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.0 = self.0.trim_start_matches('_');
        let bytes = self.0.as_bytes();
        let first = *bytes.first()?;
        let upper = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let end = if first.is_ascii_digit() {
            bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
        } else {
            let lower = bytes[upper..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
            // The last of several capital letters starts the next part: `HTTPBody`.
            if upper > 1 && lower > 0 { upper - 1 } else { upper + lower }
        };
        let (part, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(part)
    }
}

/// Checks for a letter of a script without spaces between words, or of Hangul, whose words include particles.
fn is_unspaced(mark: char) -> bool {
    matches!(u32::from(mark), 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x2e80..=0xa4cf | 0xac00..=0xd7af
        | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

fn emit_bigrams(run: &str, each: &mut impl FnMut(&str, &str)) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let end = rest.find(|mark| is_unspaced(mark) != unspaced).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        if !unspaced {
            emit_word(part, each);
            continue;
        }
        let marks: Vec<char> = part.chars().collect();
        for pair in marks.windows(2.min(marks.len())) {
            let pair: String = pair.iter().collect();
            each(&encode_term(&pair), &pair);
        }
    }
}

/// Encodes a term outside ASCII in the alphabet of terms: `u` and the hexadecimal digits of its hash.
fn encode_term(term: &str) -> String {
    format!("u{:016x}", xxh3_64(term.as_bytes()))
}
