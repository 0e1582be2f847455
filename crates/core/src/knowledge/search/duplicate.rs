//! Decides whether two documents describe the same problem, so that only one of them is stored.
//! [`super::Query::from_document`] and the store find the candidates.

use super::{
    background,
    document::{IndexedDocument, TermVector},
};

/// Minimum likeness of two documents about the same problem.
pub const MIN_DUPLICATE_SIMILARITY: f64 = 0.5;

/// Returns `true` if the family signatures are equal or the likeness is at least [`MIN_DUPLICATE_SIMILARITY`].
/// Symmetric.
pub fn is_duplicate(a: &IndexedDocument, b: &IndexedDocument) -> bool {
    (a.family.is_some() && a.family == b.family) || jaccard_similarity(&a.vector, &b.vector) >= MIN_DUPLICATE_SIMILARITY
}

/// Weighted Jaccard index (Ruzicka 1958) of the terms' strengths over title, error, summary and tags: `sum(idf * min) /
/// sum(idf * max)`. Uses the background idf so that the result does not depend on the memory. The result is symmetric
/// and in [0, 1]: 1 for equal vectors, 0 if a vector is empty.
pub fn jaccard_similarity(a: &TermVector, b: &TermVector) -> f64 {
    let (mut both, mut either) = (0.0, 0.0);
    let (mut a, mut b) = (a.terms().iter().peekable(), b.terms().iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) => a.0.min(b.0),
            (Some(one), None) | (None, Some(one)) => one.0,
        };
        let strength = |term: Option<&(u32, u8)>| term.map_or(0.0, |term| f64::from(term.1));
        let (of_a, of_b) = (strength(a.next_if(|term| term.0 == next)), strength(b.next_if(|term| term.0 == next)));
        let idf = background::idf(next, false, 0.0, 0.0);
        both += idf * of_a.min(of_b);
        either += idf * of_a.max(of_b);
    }
    if either > 0.0 { both / either } else { 0.0 }
}
