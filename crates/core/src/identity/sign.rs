//! The identity of a failure: SHA-256 over its category, case and normalized text; its family by XXH3.
//! Text and category come normalized and classified.

use crate::{failure::category::Category, failure::event::FailureEvent, normalize::Normalized};
use memchr::memchr;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_128;

/// Covers redactor, classifier, user rules and normalizer. It goes up by one when any of them changes; nothing of the one before is kept.
pub const RECIPE: u32 = 6;

/// The two identities of one failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// Hex SHA-256 of `category::caseName::normalizedError`.
    pub exact: String,
    /// The same cause across tests: without the case name, finer where it can be
    /// (exact HTTP status, exit and error codes, innermost in-app function). Hex XXH3-128: it groups and is no
    /// public promise, and a second SHA-256 would cost more than all the rest of signing.
    pub family: String,
    /// `category::caseName::normalizedError`, readable.
    pub pattern: String,
}

/// Signs one failure.
pub fn sign(category: Category, case_name: &str, event: &FailureEvent, normalized: &Normalized) -> Signatures {
    let pattern = [category.as_str(), "::", case_name, "::", &normalized.identity()].concat();
    let family = family_pattern(category, event, normalized);
    Signatures { exact: sha256_hex(&pattern), family: hex(&xxh3_128(family.as_bytes()).to_be_bytes()), pattern }
}

/// `category::folded text::codes::frame`; what is not known is empty.
fn family_pattern(category: Category, event: &FailureEvent, normalized: &Normalized) -> String {
    let mut statuses: Vec<u16> = normalized.statuses.iter().copied().chain(event.http_status).collect();
    // Answers that are no failure say what was expected; they stand in the text already.
    statuses.retain(|status| *status >= 400);
    statuses.sort_unstable();
    statuses.dedup();
    // 1 is what every failed command exits with.
    let exit = event.exit_code.filter(|code| !matches!(code, 0 | 1));
    let frame = normalized.frame.as_deref().unwrap_or_default();
    let codes = match (statuses.is_empty(), exit) {
        // Of most texts, and formatting costs more than all else here.
        (true, None) => Cow::Borrowed("::[] None::"),
        _ => Cow::Owned(format!("::{statuses:?} {exit:?}::")),
    };
    [category.as_str(), "::", &fold(&normalized.text), &codes, frame].concat()
}

/// All placeholders become one, neighbours that only punctuation joins become one, and so does a list of things that are
/// named alike: `blk_1 blk_2 blk_3`.
///
/// The same id may look like a number one day and like a hash the next (`197e5d`, `135051`), and one more part of a
/// made-up name must not make another failure.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let (mut rest, mut last) = (text, "");
    while let Some(start) = memchr(b'<', rest.as_bytes()) {
        let (before, from) = rest.split_at(start);
        let Some(end) = placeholder_end(from.as_bytes()) else {
            folded.push_str(before);
            folded.push('<');
            rest = &from[1..];
            continue;
        };
        let joined = before.bytes().all(|mark| b"-_.:/+@#,".contains(&mark));
        let listed =
            before.len() > 2 && before.starts_with(' ') && !before[1..].contains(' ') && last.ends_with(before);
        if !(folded.ends_with(ANY) && (joined || listed)) {
            folded.push_str(before);
            folded.push_str(ANY);
        }
        if !joined {
            last = before;
        }
        rest = &from[end..];
    }
    folded.push_str(rest);
    folded
}

const ANY: &str = "<*>";

/// Length of the placeholder that `text`, which begins with `<`, begins with.
pub(super) fn placeholder_end(text: &[u8]) -> Option<usize> {
    let name = text[1..].iter().position(|mark| !(mark.is_ascii_uppercase() || *mark == b'_'))?;
    (name > 0 && text[1 + name] == b'>').then_some(name + 2)
}

/// Lower-case hex SHA-256 of a text.
pub fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = vec![0; 2 * bytes.len()];
    for (pair, byte) in out.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    String::from_utf8(out).expect("digits are ASCII")
}
