//! How well a document answers a query: in [0, 1], whatever the size of the memory.

use super::{
    background,
    document::{Decoder, MAX_WEIGHT, Vector},
    query::{Query, Term},
};

/// From this value on a document is an answer.
///
/// On everyday texts of seven ecosystems and new problems beside them it lies in the gap between the two
/// (`tests/vectors/retrieval.jsonl`); there is no such gap inside one project, where a new problem shares its names
/// with older ones. The lead over the second, the share of the title or of the rarest terms that is told, how many rare
/// terms or identifiers are, and fitted mixtures of these took away a fifth of the wrong answers there at as many right
/// ones, on texts they were not fitted to: not enough for a second rule.
pub const MIN_SCORE: f64 = 0.2;
/// A report is not expected to hold all of a pasted trace: the query's so many weightiest terms are what a perfect
/// answer holds.
const IDEAL_TERMS: usize = 12;
/// How strongly a term stands in a document that is about it: once in a title, or once in a short text.
const USUAL_STRENGTH: f64 = 0.6;
/// From here on a term is simply there.
const PRESENT_STRENGTH: f64 = 0.4;
/// How fast the share of the ideal saturates: at half of it the answer has half of its value.
const SATURATION: f64 = 1.5;
/// Information, in nats, at which a match is half believed, however complete it is: a little more than one rare word.
const HALF_INFORMATION_NATS: f64 = 8.0;
/// How much hangs on the rarest terms being there: `No module named 'a'` is not `No module named 'b'`.
const RAREST_TERMS_SHARE: f64 = 0.4;
/// The idf of a rare word in a small memory. A term is worth `weight * idf * sqrt(idf / RARE)`, between the one idf of
/// BM25 and the two of the vector space model's cosine (Salton 1971): a few rare words tell more than many usual ones.
const RARE_IDF: f64 = 7.0;
/// What an equal family signature is worth at least.
const MIN_FAMILY_SCORE: f64 = 0.95;
/// What an equal title is worth at least.
const EQUAL_TITLE_SCORE: f64 = 0.95;
/// Most terms that are named as reasons.
const MAX_REASONS: usize = 4;

/// A query weighed by how rare its terms are in a memory.
#[derive(Clone, Debug)]
pub struct Weighed<'a> {
    query: &'a Query,
    /// Of each of the query's terms: in how many documents it stands, and what it is worth.
    terms: Vec<(u64, f64)>,
    /// What a perfect answer reaches.
    ideal: f64,
    /// The sum of the squared worths.
    squares: f64,
}

/// How well one document answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// In [0, 1]; below [`MIN_SCORE`] it is no answer.
    pub value: f64,
    /// What both have, the most telling first, as the query writes it.
    pub because: Vec<String>,
    /// Whether the document has every term of the query.
    pub has_all_terms: bool,
}

impl Score {
    /// Of a document whose title is the query, word for word: however usual the words are, that one is meant.
    #[must_use]
    pub fn with_equal_title(mut self) -> Self {
        self.value = self.value.max(EQUAL_TITLE_SCORE);
        self.because.insert(0, "same title".to_owned());
        self.because.truncate(MAX_REASONS);
        self
    }
}

impl Query {
    /// Weighs the terms for a memory of so many documents; `holding` says in how many of them a term stands.
    pub fn weigh(&self, documents: u64, mut holding: impl FnMut(&Term) -> u64) -> Weighed<'_> {
        let weigh = |term: &Term| {
            let holding = holding(term);
            let is_type = background::is_type(&term.text);
            let idf = background::idf(term.hash, is_type, float(documents), float(holding));
            (holding, term.weight * idf * (idf / RARE_IDF).sqrt())
        };
        let terms: Vec<(u64, f64)> = self.terms.iter().map(weigh).collect();
        let mut sorted: Vec<f64> = terms.iter().map(|term| term.1).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let ideal = USUAL_STRENGTH * sorted.iter().take(IDEAL_TERMS).sum::<f64>();
        let squares = sorted.iter().map(|worth| worth * worth).sum();
        Weighed { query: self, terms, ideal, squares }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no memory holds 2^52 documents")]
fn float(count: u64) -> f64 {
    count as f64
}

impl Weighed<'_> {
    /// Each term with what it adds to the sum of a document that holds it most strongly.
    pub fn term_worths(&self) -> impl Iterator<Item = (&Term, f64)> {
        self.query.terms.iter().zip(&self.terms).map(|(term, (_, worth))| (term, *worth))
    }

    /// Scores a document by its vector and family.
    pub fn score(&self, vector: &Vector, family: Option<&str>) -> Score {
        self.score_terms(vector.terms().iter().copied(), family)
    }

    /// Scores a document by its vector as [`Vector::to_bytes`] wrote it.
    pub fn score_bytes(&self, vector: &[u8], family: Option<&str>) -> Score {
        self.score_terms(Decoder::new(vector), family)
    }

    /// Both sides are sorted by hash.
    fn score_terms(&self, vector: impl Iterator<Item = (u32, u8)>, family: Option<&str>) -> Score {
        let terms = self.query.terms();
        let (mut sum, mut telling, mut at) = (0.0, 0.0, 0);
        let mut shared: Vec<(f64, &Term)> = Vec::new();
        for (hash, weight) in vector {
            while terms.get(at).is_some_and(|term| term.hash < hash) {
                at += 1;
            }
            if let Some(term) = terms.get(at).filter(|term| term.hash == hash) {
                let (worth, strength) = (self.terms[at].1, f64::from(weight) / MAX_WEIGHT);
                sum += worth * strength;
                telling += worth * worth * (strength / PRESENT_STRENGTH).min(1.0);
                shared.push((worth * strength, term));
            }
        }
        let same = family.is_some() && family == self.query.family();
        let has_all_terms = shared.len() == terms.len();
        Score { value: self.value(sum, telling, same), because: reasons(shared, same), has_all_terms }
    }

    /// `(1 - e^(-1.5 sum / ideal)) * sum / (sum + 8) * (.6 + .4 telling / squares)`: how much of a perfect answer it
    /// is, how much information that is at all, and whether the rarest terms are among it. The sum is BM25F's. The
    /// first factor alone would let a query of everyday words match, the second alone a long trace's frames.
    fn value(&self, sum: f64, telling: f64, same_family: bool) -> f64 {
        if self.ideal <= 0.0 {
            return if same_family { MIN_FAMILY_SCORE } else { 0.0 };
        }
        let share = 1.0 - (-SATURATION * sum / self.ideal).exp();
        let value = share * sum / (sum + HALF_INFORMATION_NATS)
            * (1.0 - RAREST_TERMS_SHARE + RAREST_TERMS_SHARE * telling / self.squares);
        // The same problem, whatever else the texts say; of several such the most like comes first.
        if same_family { MIN_FAMILY_SCORE + (1.0 - MIN_FAMILY_SCORE) * value } else { value }
    }
}

fn reasons(mut shared: Vec<(f64, &Term)>, same_family: bool) -> Vec<String> {
    shared.sort_by(|a, b| b.0.total_cmp(&a.0));
    let family = same_family.then(|| "same normalized error".to_owned());
    let terms = shared.iter().take(MAX_REASONS).map(|(_, term)| term.shown.clone());
    family.into_iter().chain(terms).collect()
}
