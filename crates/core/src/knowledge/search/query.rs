//! A pasted text as a query: its terms with what each is worth by where it stands.
//! Frequencies are handed in.

use super::{
    background,
    document::{self, Document, Indexed},
    roles::{self, QualifiedName, Roles},
    tokens::{self, tokens},
};
use crate::analyze::Analyzer;
use std::{borrow::Cow, collections::BTreeMap};

/// Longest part of a text that is read, from its head and from its end.
const MAX_HEAD_BYTES: usize = 48 * 1024;
const MAX_TAIL_BYTES: usize = 16 * 1024;
/// Longest line that may be a title.
const MAX_LINE_BYTES: usize = 1024;
/// Most terms; the weightiest stay. With 256 nothing more is found, and each costs a lookup.
const MAX_TERMS: usize = 64;

/// A word that comes again and again tells a little more, to a point.
const MAX_COUNT: f64 = 9.0;
const COUNT_POWER: f64 = 0.6;
/// Lines that are neither a test's name nor a frame.
const MESSAGE_WEIGHT: f64 = 1.0;
/// The packages before a class in a message: `org.springframework.beans.factory` stands in every failure of Spring's.
const MESSAGE_PACKAGE_WEIGHT: f64 = 0.3;
/// What was logged around the failure, so that a pasted log is found by its failure.
const SURROUNDINGS_WEIGHT: f64 = 0.1;
/// Name of the failing test: its author says what must hold.
const TEST_METHOD_WEIGHT: f64 = 2.0;
/// The class under test.
const TEST_CLASS_WEIGHT: f64 = 2.0;
/// A frame's class and method.
const FRAME_WEIGHT: f64 = 0.6;
/// Frames further out are the way to the failure, not the failure.
const FRAME_DECAY: f64 = 0.8;
/// Most frames that are read; the decay leaves nothing to later ones.
const MAX_FRAMES: usize = 32;
/// Frames of tests.
const TEST_FRAME_WEIGHT: f64 = 0.4;
/// Packages and folders are shared by all of a project.
const PACKAGE_WEIGHT: f64 = 0.1;

/// One term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Stemmed, of the alphabet `a-z0-9`.
    pub text: String,
    /// As it stands in [`super::Vector`].
    pub hash: u32,
    /// As it stands in the text.
    pub shown: String,
    /// What it is worth before it is known how rare it is.
    pub weight: f64,
}

/// A text that is looked up.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub(super) terms: Vec<Term>,
    pub(super) family: Option<String>,
    /// The words of a text that is one short line, in small letters.
    line: Option<String>,
}

impl Query {
    /// Reads a redacted text as an agent pastes it; the analyzer's rules decide the family.
    pub fn new(text: &str, analyzer: &Analyzer) -> Self {
        let text = head_and_tail(text);
        let terms = terms(&roles::roles(&text));
        let is_line = text.len() <= MAX_LINE_BYTES && !text.trim().contains('\n');
        let family = document::family(&roles::without_surroundings(&text), analyzer);
        Self { terms, family, line: is_line.then(|| folded(&text)) }
    }

    /// A document as a query, to find what it may be a duplicate of.
    pub fn of(document: &Document<'_>, indexed: &Indexed) -> Self {
        let terms = document::strengths(document).into_iter();
        let terms = bounded(terms.map(|(text, strength)| (text.clone(), (strength, text))).collect());
        Self { terms, family: indexed.family.clone(), line: None }
    }

    /// The terms, sorted by hash.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The family signature, where the text says enough to be recognised by it; the store looks it up by index.
    pub fn family(&self) -> Option<&str> {
        self.family.as_deref()
    }

    /// Whether it is this title, word for word.
    pub fn is_title(&self, title: &str) -> bool {
        self.line.as_ref().is_some_and(|line| !line.is_empty() && *line == folded(title))
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// The words in small letters.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Head and end of a long text.
fn head_and_tail(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_HEAD_BYTES + MAX_TAIL_BYTES {
        return text.into();
    }
    let (head, tail) = (text.floor_char_boundary(MAX_HEAD_BYTES), text.ceil_char_boundary(text.len() - MAX_TAIL_BYTES));
    format!("{}\n{}", &text[..head], &text[tail..]).into()
}

/// What each term is worth so far, and how it is written.
type Weights = BTreeMap<String, (f64, String)>;

fn terms(roles: &Roles) -> Vec<Term> {
    let mut weights = Weights::new();
    let messages: Vec<(String, String)> =
        roles.messages.iter().map(|message| roles::without_packages(message)).collect();
    weigh_role(messages.iter().map(|(message, _)| message.as_str()), MESSAGE_WEIGHT, &mut weights);
    weigh_role(messages.iter().map(|(_, packages)| packages.as_str()), MESSAGE_PACKAGE_WEIGHT, &mut weights);
    weigh_role(roles.surroundings.iter().map(String::as_str), SURROUNDINGS_WEIGHT, &mut weights);
    let of = |pick: fn(&QualifiedName) -> &str| roles.tests.iter().map(pick);
    weigh_role(of(|name| &name.method), TEST_METHOD_WEIGHT, &mut weights);
    weigh_role(of(|name| &name.class), TEST_CLASS_WEIGHT, &mut weights);
    weigh_role(of(|name| &name.package), PACKAGE_WEIGHT, &mut weights);
    let mut weight = FRAME_WEIGHT;
    for frame in roles.frames.iter().take(MAX_FRAMES) {
        let worth = if frame.test { weight * TEST_FRAME_WEIGHT } else { weight };
        weigh_role([frame.class.as_str(), &frame.method].into_iter(), worth, &mut weights);
        weigh_role([frame.package.as_str()].into_iter(), worth * PACKAGE_WEIGHT, &mut weights);
        weight *= FRAME_DECAY;
    }
    bounded(weights)
}

/// Adds what the terms of one role are worth: `weight * count ^ COUNT_POWER`.
fn weigh_role<'a>(texts: impl Iterator<Item = &'a str>, weight: f64, weights: &mut Weights) {
    let mut counts: Weights = BTreeMap::new();
    for text in texts {
        tokens(text, |term, shown| counts.entry(term.to_owned()).or_insert_with(|| (0.0, shown.to_owned())).0 += 1.0);
    }
    for (term, (count, shown)) in counts {
        weights.entry(term).or_insert((0.0, shown)).0 += weight * count.min(MAX_COUNT).powf(COUNT_POWER);
    }
}

/// The weightiest terms, sorted by hash.
fn bounded(weights: Weights) -> Vec<Term> {
    let term =
        |(text, (weight, shown)): (String, (f64, String))| Term { hash: tokens::hash(&text), weight, text, shown };
    let mut terms: Vec<Term> = weights.into_iter().map(term).collect();
    if terms.len() > MAX_TERMS {
        let worth = |term: &Term| term.weight * background::usual_idf(&term.text);
        terms.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then_with(|| a.text.cmp(&b.text)));
        terms.truncate(MAX_TERMS);
    }
    terms.sort_by_key(|term| term.hash);
    terms.dedup_by_key(|term| term.hash);
    terms
}
