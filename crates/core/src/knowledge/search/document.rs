//! Converts a document to its stored form: the hashes and weights of its terms, and its family.

use super::{background, tokens, tokens::for_each_term};
use crate::{analyze::Analyzer, failure::event::FailureEvent, text::bound};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of terms of a document. The terms with the highest weight are kept.
const MAX_TERMS: usize = 320;
/// Maximum number of tags that are read.
const MAX_TAGS: usize = 64;
/// The parameter `k1` of BM25: a term that occurs twice counts less than twice.
const SATURATION: f64 = 1.2;
/// Minimum information of a text with a family signature, in nats (the sum of the background idf of its terms). A text
/// with less information does not identify a problem. For example, a thousand problems have the text `AssertionError`.
const MIN_FAMILY_NATS: f64 = 14.0;

/// Weight of a term with the maximum strength.
pub(super) const MAX_WEIGHT: f64 = 255.0;

/// A problem to remember.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'a> {
    /// A line that names the problem.
    pub title: &'a str,
    /// The error as printed. May be empty.
    pub error_signature: &'a str,
    /// Description of the problem. May be empty.
    pub summary: &'a str,
    /// Labels. At most `MAX_TAGS` are read.
    pub tags: &'a [String],
}

/// Search data that the store keeps for a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedDocument {
    /// Hashes and weights of the terms.
    pub vector: TermVector,
    /// Family signature of the error. `None` if the error has too little information.
    pub family: Option<String>,
}

/// The terms of a document, each as its hash and weight, sorted by hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermVector(Vec<(u32, u8)>);

/// BM25F parameters of a field: weight of an occurrence, influence of the length, and usual length in terms.
///
/// The usual length is a constant and not the mean of all documents, so that vectors need no update when the memory
/// grows.
struct DocumentField {
    weight: f64,
    b: f64,
    pivot: f64,
}

/// BM25F (Robertson, Zaragoza and Taylor 2004, "Simple BM25 extension to multiple weighted fields"): the weighted and
/// length-normalized frequencies of the fields are summed before saturation,
/// `x = sum of weight * count / (1 - b + b * length / pivot)`, `strength = x / (x + K1)`.
const TITLE_FIELD: DocumentField = DocumentField { weight: 2.5, b: 0.4, pivot: 12.0 };
const ERROR_FIELD: DocumentField = DocumentField { weight: 1.0, b: 0.75, pivot: 30.0 };
const SUMMARY_FIELD: DocumentField = DocumentField { weight: 1.0, b: 0.75, pivot: 50.0 };
const TAGS_FIELD: DocumentField = DocumentField { weight: 1.5, b: 0.0, pivot: 1.0 };

/// Indexes a document. Its texts must already be redacted. The family depends on the analyzer's rules.
pub fn create_indexed_document(document: &Document<'_>, analyzer: &Analyzer) -> IndexedDocument {
    let terms = compute_term_strengths(document);
    let vector =
        TermVector::new(terms.iter().map(|(term, strength)| (tokens::hash_term(term), quantize_strength(*strength))));
    IndexedDocument { vector, family: family_signature(document.error_signature, analyzer) }
}

/// Returns the terms without duplicates, each with its strength in [0, 1]. Keeps the `MAX_TERMS` strongest terms.
pub(super) fn compute_term_strengths(document: &Document<'_>) -> Vec<(String, f64)> {
    let mut strengths = BTreeMap::new();
    add_field(document.title, &TITLE_FIELD, &mut strengths);
    add_field(document.error_signature, &ERROR_FIELD, &mut strengths);
    add_field(document.summary, &SUMMARY_FIELD, &mut strengths);
    for tag in document.tags.iter().take(MAX_TAGS) {
        add_field(tag, &TAGS_FIELD, &mut strengths);
    }
    let mut terms: Vec<(String, f64)> = strengths.into_iter().map(|(term, x)| (term, x / (x + SATURATION))).collect();
    if terms.len() > MAX_TERMS {
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        terms.truncate(MAX_TERMS);
    }
    terms
}

/// Adds the frequencies of a field to those of the document.
fn add_field(text: &str, field: &DocumentField, strengths: &mut BTreeMap<String, f64>) {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    let mut length = 0.0;
    for_each_term(&bound::truncate_middle(text), |term, _| {
        length += 1.0;
        *counts.entry(term.to_owned()).or_default() += 1.0;
    });
    let norm = 1.0 - field.b + field.b * length / field.pivot;
    for (term, count) in counts {
        *strengths.entry(term).or_default() += field.weight * count / norm;
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn quantize_strength(strength: f64) -> u8 {
    (strength * MAX_WEIGHT).round().clamp(1.0, MAX_WEIGHT) as u8
}

/// Returns the family signature of a text, or `None` if the text has too little information.
pub(super) fn family_signature(text: &str, analyzer: &Analyzer) -> Option<String> {
    let analysis = analyzer.analyze(FailureEvent { text: text.to_owned(), ..FailureEvent::default() }, "");
    let mut seen = BTreeSet::new();
    for_each_term(&analysis.normalized.text, |term, _| {
        seen.insert(term.to_owned());
    });
    let information: f64 = seen.iter().map(|term| background::background_idf(term)).sum();
    (information >= MIN_FAMILY_NATS).then_some(analysis.signatures.family)
}

impl TermVector {
    fn new(terms: impl Iterator<Item = (u32, u8)>) -> Self {
        let mut terms: Vec<(u32, u8)> = terms.collect();
        terms.sort_unstable_by_key(|&(hash, weight)| (hash, u8::MAX - weight));
        terms.dedup_by_key(|term| term.0);
        Self(terms)
    }

    /// Returns the hash and weight of each term, sorted by hash.
    pub fn terms(&self) -> &[(u32, u8)] {
        &self.0
    }

    /// Encodes the differences of the hashes as LEB128, each followed by the weight.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * 5);
        let mut before = 0;
        for &(hash, weight) in &self.0 {
            let mut gap = hash - before;
            before = hash;
            while gap >= 0x80 {
                bytes.push(low_bits(gap) | 0x80);
                gap >>= 7;
            }
            bytes.extend([low_bits(gap), weight]);
        }
        bytes
    }

    /// Decodes the output of [`TermVector::to_bytes`]. Damaged bytes end the list early. The result has at most
    /// `MAX_TERMS` terms.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(TermDecoder::new(bytes).take(MAX_TERMS).collect())
    }
}

/// Returns the lowest seven bits.
fn low_bits(value: u32) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

/// Decodes a vector term by term without storing it.
pub(super) struct TermDecoder<'a> {
    bytes: &'a [u8],
    hash: u32,
}

impl<'a> TermDecoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, hash: 0 }
    }
}

impl Iterator for TermDecoder<'_> {
    type Item = (u32, u8);

    fn next(&mut self) -> Option<(u32, u8)> {
        let mut gap: u32 = 0;
        for shift in (0..35).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            gap |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let (&weight, rest) = self.bytes.split_first()?;
                self.bytes = rest;
                self.hash = self.hash.checked_add(gap)?;
                return Some((self.hash, weight));
            }
        }
        None
    }
}
