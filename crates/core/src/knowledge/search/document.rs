//! A document as the memory keeps it: its terms' hashes and weights, its family.

use super::{background, tokens, tokens::tokens};
use crate::{analyze::Analyzer, failure::event::FailureEvent, text::bound};
use std::collections::{BTreeMap, BTreeSet};

/// Most terms of one document; the weightiest stay.
const MAX_TERMS: usize = 320;
/// Most tags that are read.
const MAX_TAGS: usize = 64;
/// BM25's saturation: a term that stands twice is not twice as telling.
const K1: f64 = 1.2;
/// A family of a text with less information than this (in nats, the sum of its terms' background idf) is no identity:
/// `AssertionError` alone is one family and a thousand problems.
const MIN_FAMILY_NATS: f64 = 14.0;

/// The weight of a term that could not stand stronger.
pub(super) const MAX_WEIGHT: f64 = 255.0;

/// What is remembered of one problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'a> {
    /// One line that names the problem.
    pub title: &'a str,
    /// The error as printed, may be empty.
    pub error_signature: &'a str,
    /// The problem in words, may be empty.
    pub summary: &'a str,
    /// Labels.
    pub tags: &'a [String],
}

/// What the store keeps beside a document so that it can be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    /// The terms' hashes and weights.
    pub vector: Vector,
    /// The family signature of the error, where it says enough to be an identity.
    pub family: Option<String>,
}

/// Terms of a document, each a hash and how strongly it stands there, sorted by hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vector(Vec<(u32, u8)>);

/// One field: what an occurrence weighs, how much length counts against it, and what length is usual.
///
/// Lengths are measured against a constant, not against the memory's mean, so that no vector must be written again
/// because the memory grew.
struct DocumentField {
    weight: f64,
    b: f64,
    pivot: f64,
}

/// BM25F (Robertson, Zaragoza and Taylor 2004, "Simple BM25 extension to multiple weighted fields"): the fields'
/// weighted, length-normalised frequencies are summed before they saturate,
/// `x = sum of weight * count / (1 - b + b * length / pivot)`, `strength = x / (x + K1)`.
const TITLE: DocumentField = DocumentField { weight: 2.5, b: 0.4, pivot: 12.0 };
const ERROR: DocumentField = DocumentField { weight: 1.0, b: 0.75, pivot: 30.0 };
const SUMMARY: DocumentField = DocumentField { weight: 1.0, b: 0.75, pivot: 50.0 };
const TAGS: DocumentField = DocumentField { weight: 1.5, b: 0.0, pivot: 1.0 };

/// Reads a document; the texts are redacted already. The analyzer's rules decide the family.
pub fn index(document: &Document<'_>, analyzer: &Analyzer) -> Indexed {
    let terms = strengths(document);
    let vector = Vector::new(terms.iter().map(|(term, strength)| (tokens::hash(term), quantize_strength(*strength))));
    Indexed { vector, family: family(document.error_signature, analyzer) }
}

/// Each term once, with how strongly it stands there, in [0, 1]; of many the strongest.
pub(super) fn strengths(document: &Document<'_>) -> Vec<(String, f64)> {
    let mut strengths = BTreeMap::new();
    add(document.title, &TITLE, &mut strengths);
    add(document.error_signature, &ERROR, &mut strengths);
    add(document.summary, &SUMMARY, &mut strengths);
    for tag in document.tags.iter().take(MAX_TAGS) {
        add(tag, &TAGS, &mut strengths);
    }
    let mut terms: Vec<(String, f64)> = strengths.into_iter().map(|(term, x)| (term, x / (x + K1))).collect();
    if terms.len() > MAX_TERMS {
        terms.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        terms.truncate(MAX_TERMS);
    }
    terms
}

/// Adds a field's frequencies to those of the document.
fn add(text: &str, field: &DocumentField, strengths: &mut BTreeMap<String, f64>) {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    let mut length = 0.0;
    tokens(&bound::bound(text), |term, _| {
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

/// The family signature of a text that says enough to be recognised by it.
pub(super) fn family(text: &str, analyzer: &Analyzer) -> Option<String> {
    let analysis = analyzer.analyze(FailureEvent { text: text.to_owned(), ..FailureEvent::default() }, "");
    let mut seen = BTreeSet::new();
    tokens(&analysis.normalized.text, |term, _| {
        seen.insert(term.to_owned());
    });
    let information: f64 = seen.iter().map(|term| background::usual_idf(term)).sum();
    (information >= MIN_FAMILY_NATS).then_some(analysis.signatures.family)
}

impl Vector {
    fn new(terms: impl Iterator<Item = (u32, u8)>) -> Self {
        let mut terms: Vec<(u32, u8)> = terms.collect();
        terms.sort_unstable_by_key(|&(hash, weight)| (hash, u8::MAX - weight));
        terms.dedup_by_key(|term| term.0);
        Self(terms)
    }

    /// Hash and weight of each term, sorted by hash.
    pub fn terms(&self) -> &[(u32, u8)] {
        &self.0
    }

    /// The differences of the hashes as LEB128, each followed by the weight.
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

    /// Reads what [`Vector::to_bytes`] wrote; of damaged bytes what comes before the damage, and never more terms than a
    /// document has.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(Decoder::new(bytes).take(MAX_TERMS).collect())
    }
}

/// Seven bits.
fn low_bits(value: u32) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

/// Reads a written vector without keeping it.
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    hash: u32,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, hash: 0 }
    }
}

impl Iterator for Decoder<'_> {
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
