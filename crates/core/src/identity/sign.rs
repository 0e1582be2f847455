//! Computes the signature of a failure (SHA-256 over category, case name and normalized text) and its family (XXH3).
//! Callers normalize and classify first.

use super::case_name::stabilize_case_name;
use crate::{failure::category::Category, failure::event::FailureEvent, normalize::NormalizedFailure};
use memchr::memchr;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_128;

/// Version of redaction, classification and normalization. Increment it when a change can change signatures. The code
/// of older versions is not kept.
pub const SIGNATURE_VERSION: u32 = 8;

/// The exact and the family signature of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// Hex SHA-256 of `pattern`.
    pub signature: String,
    /// Hex XXH3-128 that groups failures with the same cause across tests. The hash does not cover the case name, but
    /// it covers the exact HTTP statuses, the exit code and the innermost in-app function if they are known. The
    /// contract does not fix this value. XXH3 is used because a second SHA-256 would cost more than the rest of
    /// signing.
    pub family: String,
    /// The readable signature: `category::caseName::normalizedError`. The case name has no addresses and hashes of
    /// objects.
    pub signature_text: String,
}

/// Computes the signatures of a failure.
pub fn sign(category: Category, case_name: &str, event: &FailureEvent, normalized: &NormalizedFailure) -> Signatures {
    let pattern =
        [category.as_str(), "::", &stabilize_case_name(case_name), "::", &normalized.signature_input()].concat();
    let family = family_text(category, event, normalized);
    Signatures {
        signature: sha256_hex(&pattern),
        family: encode_hex(&xxh3_128(family.as_bytes()).to_be_bytes()),
        signature_text: pattern,
    }
}

/// Returns the input of the family hash: `category::folded text::codes::frame`. Unknown parts are empty.
fn family_text(category: Category, event: &FailureEvent, normalized: &NormalizedFailure) -> String {
    let mut statuses: Vec<u16> = normalized.statuses.iter().copied().chain(event.http_status).collect();
    // A status below 400 is an expected value, which is already in the text.
    statuses.retain(|status| *status >= 400);
    statuses.sort_unstable();
    statuses.dedup();
    // 1 is the exit code of most failed commands.
    let exit = event.exit_code.filter(|code| !matches!(code, 0 | 1));
    let frame = normalized.frame.as_deref().unwrap_or_default();
    let codes = match (statuses.is_empty(), exit) {
        // Most texts have neither, and formatting would cost more than the rest of this function.
        (true, None) => Cow::Borrowed("::[] None::"),
        _ => Cow::Owned(format!("::{statuses:?} {exit:?}::")),
    };
    [category.as_str(), "::", &fold_placeholders(&normalized.text), &codes, frame].concat()
}

/// Replaces every placeholder with `<*>`. Merges placeholders with only punctuation between them, and lists of similar
/// names such as `blk_1 blk_2 blk_3`.
///
/// Merging is needed because the same ID may look like a number in one run and like a hash in the next run (`197e5d`,
/// `135051`), and because an additional part in a generated name must not make another failure.
fn fold_placeholders(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let (mut rest, mut last) = (text, "");
    while let Some(start) = memchr(b'<', rest.as_bytes()) {
        let (before, from) = rest.split_at(start);
        let Some(end) = placeholder_length(from.as_bytes()) else {
            folded.push_str(before);
            folded.push('<');
            rest = &from[1..];
            continue;
        };
        let joined = before.bytes().all(|mark| b"-_.:/+@#,".contains(&mark));
        let listed =
            before.len() > 2 && before.starts_with(' ') && !before[1..].contains(' ') && last.ends_with(before);
        if !(folded.ends_with(ANY_VALUE) && (joined || listed)) {
            folded.push_str(before);
            folded.push_str(ANY_VALUE);
        }
        if !joined {
            last = before;
        }
        rest = &from[end..];
    }
    folded.push_str(rest);
    folded
}

const ANY_VALUE: &str = "<*>";

/// Returns the length of the placeholder at the start of `text`, which starts with `<`.
pub(super) fn placeholder_length(text: &[u8]) -> Option<usize> {
    let name = text[1..].iter().position(|mark| !(mark.is_ascii_uppercase() || *mark == b'_'))?;
    (name > 0 && text[1 + name] == b'>').then_some(name + 2)
}

/// Returns the lower-case hex SHA-256 of a text.
pub fn sha256_hex(text: &str) -> String {
    encode_hex(&Sha256::digest(text.as_bytes()))
}

pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut out = vec![0; 2 * bytes.len()];
    for (pair, byte) in out.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    }
    String::from_utf8(out).expect("digits are ASCII")
}
