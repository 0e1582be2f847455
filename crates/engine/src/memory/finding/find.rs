//! Finds what answers a text, in the memories that are asked, by one measure.

use crate::{Engine, EngineError, memory::side::Side};
use argus_core::{
    Ambient,
    search::{MIN_SCORE, Query, Score, Weighed},
    stable_sort::StableSort,
};
use argus_store::{
    Tx, incidents,
    search::{self, Candidate, Owner, WantedTerm, family_key},
};

/// Candidates that are scored in full, at least.
const MIN_CANDIDATES: usize = 100;

/// Incidents whose titles are compared.
const MAX_COMPARED_TITLES: usize = 20;

/// Something that answers.
#[derive(Debug)]
pub(super) struct SearchHit {
    pub(super) side: Side,
    pub(super) owner: Owner,
    pub(super) score: Score,
}

/// The best answers of these memories, best first; what scores less than `threshold` is none. Terms are weighed by all
/// of them together, so that a foreign one is asked alone: it could make any term a common one. The primary one is read
/// in the transaction `primary`, where the call has it open.
pub(super) fn find(
    engine: &Engine,
    ambient: &Ambient,
    sides: &[Side],
    mut primary: Option<&mut Tx<'_>>,
    query: &Query,
    (limit, threshold): (usize, f64),
    warnings: &mut Vec<String>,
) -> Result<Vec<SearchHit>, EngineError> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let terms: Vec<u32> = query.terms().iter().map(|term| term.hash).collect();
    let counts = counts(engine, ambient, sides, primary.as_deref_mut(), &terms, warnings)?;
    let weighed = weighed(query, &counts);
    let take = MIN_CANDIDATES.max(limit.saturating_mul(2));
    let mut hits = Vec::new();
    for (&side, counts) in sides.iter().zip(&counts) {
        let Some((1.., counts)) = counts else { continue };
        let body = |tx: &mut Tx<'_>| {
            let found = candidates(tx, query, &weighed, counts, take)?;
            let mut scored = Vec::with_capacity(found.len());
            for candidate in found {
                let score = weighed.score_bytes(&candidate.vector, family(query, &candidate));
                scored.push((candidate.owner, score));
            }
            raise_equal_titles(tx, query, &mut scored)?;
            Ok(scored)
        };
        // What could not be read was said when the terms were counted.
        let found = engine.read_within(side, ambient, primary.as_deref_mut(), &mut Vec::new(), body)?;
        let found = found.unwrap_or_default();
        hits.extend(found.into_iter().map(|(owner, score)| SearchHit { side, owner, score }));
    }
    hits.retain(|hit| hit.score.value >= threshold && hit.score.value > 0.0);
    hits.stable_sort_by(|a, b| {
        b.score.value.total_cmp(&a.score.value).then_with(|| (a.side, a.owner).cmp(&(b.side, b.owner)))
    });
    hits.truncate(limit);
    Ok(hits)
}

/// A title of few and usual words says too little to be found by them, but not where it is all that was asked for.
fn raise_equal_titles(tx: &mut Tx<'_>, query: &Query, scored: &mut [(Owner, Score)]) -> Result<(), EngineError> {
    let weak = scored.iter_mut().filter(|(_, score)| score.has_all_terms && score.value < MIN_SCORE);
    let mut weak: Vec<_> = weak
        .filter_map(|(owner, score)| if let Owner::Incident(key) = owner { Some((*key, score)) } else { None })
        .collect();
    weak.stable_sort_by(|(_, one), (_, other)| other.value.total_cmp(&one.value));
    weak.truncate(MAX_COMPARED_TITLES);
    let keys: Vec<_> = weak.iter().map(|(key, _)| *key).collect();
    for ((_, score), title) in weak.into_iter().zip(incidents::titles(tx, &keys)?) {
        if title.is_some_and(|title| query.is_title(&title)) {
            *score = score.clone().with_equal_title();
        }
    }
    Ok(())
}

/// How many documents a memory has, and in how many of them each term of a query stands.
pub(super) type Counts = (u64, Vec<u64>);

/// The candidates of one memory.
pub(in crate::memory) fn candidates(
    tx: &mut Tx<'_>,
    query: &Query,
    weighed: &Weighed<'_>,
    counts: &[u64],
    take: usize,
) -> Result<Vec<Candidate>, EngineError> {
    let wanted = weighed.term_worths().zip(counts);
    let wanted = wanted.map(|((term, worth), documents)| WantedTerm { term: term.hash, worth, documents: *documents });
    Ok(search::candidates(tx, &wanted.collect::<Vec<_>>(), query.family().map(family_key), take)?)
}

/// The query's family where the candidate has it too.
pub(super) fn family<'q>(query: &'q Query, candidate: &Candidate) -> Option<&'q str> {
    query.family().filter(|family| candidate.family == Some(family_key(family)))
}

/// The counts of each memory; none where one cannot be read.
fn counts(
    engine: &Engine,
    ambient: &Ambient,
    sides: &[Side],
    mut primary: Option<&mut Tx<'_>>,
    terms: &[u32],
    warnings: &mut Vec<String>,
) -> Result<Vec<Option<Counts>>, EngineError> {
    let mut counts = Vec::with_capacity(sides.len());
    for side in sides {
        let body = |tx: &mut Tx<'_>| Ok(search::document_counts(tx, terms)?);
        counts.push(engine.read_within(*side, ambient, primary.as_deref_mut(), warnings, body)?);
    }
    Ok(counts)
}

/// Weighs the terms by how rare they are in all memories together.
pub(in crate::memory) fn weighed<'q>(query: &'q Query, counts: &[Option<Counts>]) -> Weighed<'q> {
    let documents = counts.iter().flatten().map(|(documents, _)| documents).sum();
    let mut index = 0..;
    query.weigh(documents, |_| {
        let index = index.next().unwrap_or_default();
        counts.iter().flatten().filter_map(|(_, counts)| counts.get(index)).sum()
    })
}
