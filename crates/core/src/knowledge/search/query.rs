//! Converts a pasted text to a query: its terms, weighted by the role of the lines that contain them. The caller
//! provides document frequencies.

use super::{
    background,
    document::{self, Document, IndexedDocument},
    roles::{self, QualifiedName, Roles},
    tokens::{self, for_each_term},
};
use crate::analyze::Analyzer;
use std::{borrow::Cow, collections::BTreeMap};

/// Maximum number of bytes that are read from the start and from the end of a text.
const MAX_HEAD_BYTES: usize = 48 * 1024;
const MAX_TAIL_BYTES: usize = 16 * 1024;
/// Maximum length of a line that may be a title.
const MAX_LINE_BYTES: usize = 1024;
/// Maximum number of terms. The terms with the highest weight are kept. More terms, such as 256, do not find more
/// documents, and each term costs a lookup.
const MAX_TERMS: usize = 64;

/// Repetitions raise the weight of a term less than proportionally, and up to a limit.
const MAX_COUNT: f64 = 9.0;
const COUNT_POWER: f64 = 0.6;
/// Weight of lines that are neither a test name nor a frame.
const MESSAGE_WEIGHT: f64 = 1.0;
/// Weight of the packages before a class in a message, which is low because for example
/// `org.springframework.beans.factory` is in every failure of Spring.
const MESSAGE_PACKAGE_WEIGHT: f64 = 0.3;
/// Weight of log lines around the failure. It is low, so that the results for a pasted log depend on the failure and
/// not on the lines around it.
const SURROUNDINGS_WEIGHT: f64 = 0.1;
/// Weight of the name of the failing test, which is high because the name describes the expected behavior.
const TEST_METHOD_WEIGHT: f64 = 2.0;
/// Weight of the class under test.
const TEST_CLASS_WEIGHT: f64 = 2.0;
/// Weight of the class and the method of a frame.
const FRAME_WEIGHT: f64 = 0.6;
/// Factor of the weight for each frame further out, because outer frames say less about the failure.
const FRAME_DECAY: f64 = 0.8;
/// Maximum number of frames. The weight of further frames would be negligible.
const MAX_FRAMES: usize = 32;
/// Factor of the weight for frames of test code.
const TEST_FRAME_WEIGHT: f64 = 0.4;
/// Weight of packages and folders, which is low because all files of a project share them.
const PACKAGE_WEIGHT: f64 = 0.1;

/// A term of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The stem, with the alphabet `a-z0-9`.
    pub text: String,
    /// Hash of the term in [`super::TermVector`].
    pub hash: u32,
    /// The spelling in the text.
    pub spelling: String,
    /// Weight by the roles of its lines, without the document frequency.
    pub weight: f64,
}

/// A text to search for.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub(super) terms: Vec<Term>,
    pub(super) family: Option<String>,
    /// Lower-case words of a text that is a single short line.
    line: Option<String>,
}

impl Query {
    /// Reads a redacted text as an agent pastes it. The family depends on the rules of the analyzer.
    pub fn new(text: &str, analyzer: &Analyzer) -> Self {
        let text = head_and_tail(text);
        let terms = weigh_terms(&roles::split_by_role(&text));
        let is_line = text.len() <= MAX_LINE_BYTES && !text.trim().contains('\n');
        let family = document::family_signature(&roles::remove_surroundings(&text), analyzer);
        Self { terms, family, line: is_line.then(|| fold_words(&text)) }
    }

    /// Converts a document to a query in order to find duplicates.
    pub fn from_document(document: &Document<'_>, indexed: &IndexedDocument) -> Self {
        let terms = document::compute_term_strengths(document).into_iter();
        let terms = keep_heaviest_terms(terms.map(|(text, strength)| (text.clone(), (strength, text))).collect());
        Self { terms, family: indexed.family.clone(), line: None }
    }

    /// Returns the terms, sorted by hash.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Returns the family signature, which the store looks up by index, or `None` if the text has too little
    /// information.
    pub fn family(&self) -> Option<&str> {
        self.family.as_deref()
    }

    /// Compares the query with a title, ignoring case and spacing.
    pub fn equals_title(&self, title: &str) -> bool {
        self.line.as_ref().is_some_and(|line| !line.is_empty() && *line == fold_words(title))
    }

    /// Returns `true` if the query has no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

/// Returns the words in lower case with single spaces.
fn fold_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns the start and the end of a long text.
fn head_and_tail(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_HEAD_BYTES + MAX_TAIL_BYTES {
        return text.into();
    }
    let (head, tail) = (text.floor_char_boundary(MAX_HEAD_BYTES), text.ceil_char_boundary(text.len() - MAX_TAIL_BYTES));
    format!("{}\n{}", &text[..head], &text[tail..]).into()
}

/// The sum of the weights of each term so far, and the spelling of the term.
type Weights = BTreeMap<String, (f64, String)>;

fn weigh_terms(roles: &Roles) -> Vec<Term> {
    let mut weights = Weights::new();
    let messages: Vec<(String, String)> = roles.messages.iter().map(|message| roles::split_packages(message)).collect();
    weigh_role(messages.iter().map(|(message, _)| message.as_str()), MESSAGE_WEIGHT, &mut weights);
    weigh_role(messages.iter().map(|(_, packages)| packages.as_str()), MESSAGE_PACKAGE_WEIGHT, &mut weights);
    weigh_role(roles.surroundings.iter().map(String::as_str), SURROUNDINGS_WEIGHT, &mut weights);
    let of = |pick: fn(&QualifiedName) -> &str| roles.tests.iter().map(pick);
    weigh_role(of(|name| &name.method), TEST_METHOD_WEIGHT, &mut weights);
    weigh_role(of(|name| &name.class), TEST_CLASS_WEIGHT, &mut weights);
    weigh_role(of(|name| &name.package), PACKAGE_WEIGHT, &mut weights);
    let mut weight = FRAME_WEIGHT;
    for frame in roles.frames.iter().take(MAX_FRAMES) {
        let worth = if frame.is_test { weight * TEST_FRAME_WEIGHT } else { weight };
        weigh_role([frame.class.as_str(), &frame.method].into_iter(), worth, &mut weights);
        weigh_role([frame.package.as_str()].into_iter(), worth * PACKAGE_WEIGHT, &mut weights);
        weight *= FRAME_DECAY;
    }
    keep_heaviest_terms(weights)
}

/// Adds the weight of a role's terms: `weight * count ^ COUNT_POWER`.
fn weigh_role<'a>(texts: impl Iterator<Item = &'a str>, weight: f64, weights: &mut Weights) {
    let mut counts: Weights = BTreeMap::new();
    for text in texts {
        for_each_term(text, |term, shown| {
            counts.entry(term.to_owned()).or_insert_with(|| (0.0, shown.to_owned())).0 += 1.0;
        });
    }
    for (term, (count, shown)) in counts {
        weights.entry(term).or_insert((0.0, shown)).0 += weight * count.min(MAX_COUNT).powf(COUNT_POWER);
    }
}

/// Returns the terms with the highest weight, sorted by hash.
fn keep_heaviest_terms(weights: Weights) -> Vec<Term> {
    let term = |(text, (weight, shown)): (String, (f64, String))| Term {
        hash: tokens::hash_term(&text),
        weight,
        text,
        spelling: shown,
    };
    let mut terms: Vec<Term> = weights.into_iter().map(term).collect();
    if terms.len() > MAX_TERMS {
        let worth = |term: &Term| term.weight * background::background_idf(&term.text);
        terms.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then_with(|| a.text.cmp(&b.text)));
        terms.truncate(MAX_TERMS);
    }
    terms.sort_by_key(|term| term.hash);
    terms.dedup_by_key(|term| term.hash);
    terms
}
