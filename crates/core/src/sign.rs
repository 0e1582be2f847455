//! The identity of a failure: SHA-256 over its category, case and normalized text.
//! Does not: normalize or classify; it takes their answers.

use crate::{category::Category, event::FailureEvent, normalize::Normalized};
use sha2::{Digest, Sha256};

/// Covers redactor, classifier, user rules and normalizer. Recipes are added, never edited.
pub const RECIPE: u32 = 1;

/// The two identities of one failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    /// Hex SHA-256 of `category::caseName::normalizedError`.
    pub exact: String,
    /// The same cause across tests: without the case name, finer where it can be
    /// (exact HTTP status, exit and error codes, innermost in-app function).
    pub family: String,
    /// `category::caseName::normalizedError`, readable.
    pub pattern: String,
}

/// Signs one failure.
pub fn sign(category: Category, case_name: &str, _event: &FailureEvent, normalized: &Normalized) -> Signatures {
    let pattern = format!("{category}::{case_name}::{}", normalized.text);
    let family = format!("{category}::{}", normalized.text);
    Signatures { exact: sha256_hex(&pattern), family: sha256_hex(&family), pattern }
}

/// Lower-case hex SHA-256 of a text.
pub fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pairs = bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    pairs.map(char::from).collect()
}
