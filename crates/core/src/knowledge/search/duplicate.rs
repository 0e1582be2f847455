//! Whether two documents tell of one problem, so that the second is not added beside the first.
//! [`super::Query::of`] finds the candidates with the store.

use super::{
    background,
    document::{Indexed, Vector},
};

/// From this likeness on two documents are one problem.
pub const MIN_DUPLICATE_LIKENESS: f64 = 0.5;

/// Same family signature, or as like as [`MIN_DUPLICATE_LIKENESS`]. Symmetric.
pub fn is_duplicate(a: &Indexed, b: &Indexed) -> bool {
    (a.family.is_some() && a.family == b.family) || likeness(&a.vector, &b.vector) >= MIN_DUPLICATE_LIKENESS
}

/// How much of what either tells both tell, in [0, 1]: the weighted Jaccard index (Ruzicka 1958) of the terms' strengths
/// over title, error, summary and tags, `sum(idf * min) / sum(idf * max)`, with the background's idf so that two
/// documents are as like in one memory as in another. Symmetric, 1 for equal, 0 where one is empty.
pub fn likeness(a: &Vector, b: &Vector) -> f64 {
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
