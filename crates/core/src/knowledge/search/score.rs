//! Scores how well a document answers a query, in [0, 1] and independent of the size of the memory.

use super::{
    background,
    document::{MAX_WEIGHT, TermDecoder, TermVector},
    query::{Query, Term},
};

/// Minimum score of an answer.
///
/// In `tests/vectors/retrieval.jsonl`, which has typical texts of seven ecosystems and new problems, all right answers
/// have a higher score and all wrong answers a lower score. Inside a single project the scores overlap, because a new
/// problem shares names with older problems. Additional rules were tried there: the lead over the second answer, the
/// matched share of the title or of the rarest terms, the number of rare terms or identifiers, and fitted combinations
/// of these. On texts that were not used for the fit, they removed only a fifth of the wrong answers at the same number
/// of right answers, which is not enough.
pub const MIN_SCORE: f64 = 0.2;
/// Number of terms of the query that a perfect answer must contain. The terms with the highest weight count, because no
/// incident repeats a whole pasted trace.
const IDEAL_TERMS: usize = 12;
/// Typical strength of a term in a document about the term: once in a title, or once in a short text.
const USUAL_STRENGTH: f64 = 0.6;
/// Strength from which a term counts as present.
const PRESENT_STRENGTH: f64 = 0.4;
/// Factor of the exponent for the share of the perfect answer. With this value, half of a perfect answer gives about
/// half of the share.
const SATURATION: f64 = 1.5;
/// Information in nats at which a match gets half of its value: a little more than one rare word.
const HALF_INFORMATION_NATS: f64 = 8.0;
/// Share of the score that depends on the rarest terms, because `No module named 'a'` is not `No module named 'b'`.
const RAREST_TERMS_SHARE: f64 = 0.4;
/// The idf of a rare word in a small memory. The worth of a term is `weight * idf * sqrt(idf / RARE_IDF)`. This is
/// between the idf of BM25 and the squared idf of the cosine in the vector space model (Salton 1971), because a few
/// rare words have more information than many common words.
const RARE_IDF: f64 = 7.0;
/// Minimum score for an equal family signature.
const MIN_FAMILY_SCORE: f64 = 0.95;
/// Minimum score for an equal title.
const EQUAL_TITLE_SCORE: f64 = 0.95;
/// Maximum number of terms in the reasons.
const MAX_REASONS: usize = 4;

/// A query whose terms are weighted by their rarity in a memory.
#[derive(Clone, Debug)]
pub struct WeighedQuery<'a> {
    query: &'a Query,
    /// For each term of the query, the number of documents that contain it, and its worth.
    terms: Vec<(u64, f64)>,
    /// The sum of worths that a perfect answer reaches.
    ideal: f64,
    /// Sum of the squared worths.
    squares: f64,
}

/// The score of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// In [0, 1]. A document below [`MIN_SCORE`] is not an answer.
    pub value: f64,
    /// Shared terms in the spelling of the query, most informative first.
    pub matched_terms: Vec<String>,
    /// Set if the document contains every term of the query.
    pub has_all_terms: bool,
}

impl Score {
    /// Raises the score of a document whose title equals the query, because the query then means this document even if
    /// its words are common.
    #[must_use]
    pub fn with_equal_title(mut self) -> Self {
        self.value = self.value.max(EQUAL_TITLE_SCORE);
        self.matched_terms.insert(0, "same title".to_owned());
        self.matched_terms.truncate(MAX_REASONS);
        self
    }
}

impl Query {
    /// Weighs the terms for a memory with this number of documents. `documents_with_term` returns how many
    /// of the documents contain a term.
    pub fn weigh(&self, documents: u64, mut documents_with_term: impl FnMut(&Term) -> u64) -> WeighedQuery<'_> {
        let weigh = |term: &Term| {
            let documents_with_term = documents_with_term(term);
            let is_type = background::is_error_type(&term.text);
            let idf = background::idf(term.hash, is_type, to_f64(documents), to_f64(documents_with_term));
            (documents_with_term, term.weight * idf * (idf / RARE_IDF).sqrt())
        };
        let terms: Vec<(u64, f64)> = self.terms.iter().map(weigh).collect();
        let mut sorted: Vec<f64> = terms.iter().map(|term| term.1).collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let ideal = USUAL_STRENGTH * sorted.iter().take(IDEAL_TERMS).sum::<f64>();
        let squares = sorted.iter().map(|worth| worth * worth).sum();
        WeighedQuery { query: self, terms, ideal, squares }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no memory holds 2^52 documents")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

impl WeighedQuery<'_> {
    /// Returns each term with its worth, which is its maximum contribution to a document's sum.
    pub fn term_contributions(&self) -> impl Iterator<Item = (&Term, f64)> {
        self.query.terms.iter().zip(&self.terms).map(|(term, (_, worth))| (term, *worth))
    }

    /// Scores a document by its vector and family.
    pub fn score(&self, vector: &TermVector, family: Option<&str>) -> Score {
        self.score_terms(vector.terms().iter().copied(), family)
    }

    /// Scores a document by the bytes of its vector from [`TermVector::to_bytes`].
    pub fn score_bytes(&self, vector: &[u8], family: Option<&str>) -> Score {
        self.score_terms(TermDecoder::new(vector), family)
    }

    /// Scores a document by its terms. Merges the terms of the query and the document, because both are sorted by hash.
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
        Score {
            value: self.compute_value(sum, telling, same),
            matched_terms: format_reasons(shared, same),
            has_all_terms,
        }
    }

    /// Computes `(1 - e^(-1.5 sum / ideal)) * sum / (sum + 8) * (.6 + .4 telling / squares)`. The factors are the share
    /// of a perfect answer, the amount of information, and whether the rarest terms match. `sum` is that of BM25F. With
    /// the first factor alone, a query of common words would match. With the second factor alone, the frames of a long
    /// trace would match.
    fn compute_value(&self, sum: f64, telling: f64, same_family: bool) -> f64 {
        if self.ideal <= 0.0 {
            return if same_family { MIN_FAMILY_SCORE } else { 0.0 };
        }
        let share = 1.0 - (-SATURATION * sum / self.ideal).exp();
        let value = share * sum / (sum + HALF_INFORMATION_NATS)
            * (1.0 - RAREST_TERMS_SHARE + RAREST_TERMS_SHARE * telling / self.squares);
        // An equal family means the same problem regardless of the other text. Here, the value only orders several
        // documents with this family.
        if same_family { MIN_FAMILY_SCORE + (1.0 - MIN_FAMILY_SCORE) * value } else { value }
    }
}

fn format_reasons(mut shared: Vec<(f64, &Term)>, same_family: bool) -> Vec<String> {
    shared.sort_by(|a, b| b.0.total_cmp(&a.0));
    let family = same_family.then(|| "same normalized error".to_owned());
    let terms = shared.iter().take(MAX_REASONS).map(|(_, term)| term.spelling.clone());
    family.into_iter().chain(terms).collect()
}
