//! Searches the given memories for matches of a text. Scores are comparable across memories.

use crate::{Engine, EngineError, memory::database_role::DatabaseRole};
use argus_core::{
    CallContext,
    search::{MIN_SCORE, Query, Score, WeighedQuery},
    stable_sort::StableSort,
};
use argus_store::{
    Tx, incidents,
    search::{self, DocumentOwner, SearchCandidate, SearchTerm, family_key},
};

/// Minimum number of candidates whose exact score is computed.
const MIN_CANDIDATES: usize = 100;

/// Maximum number of incidents whose titles are compared.
const MAX_COMPARED_TITLES: usize = 20;

/// An incident or a pattern that matches a search.
#[derive(Debug)]
pub(super) struct SearchHit {
    pub(super) side: DatabaseRole,
    pub(super) owner: DocumentOwner,
    pub(super) score: Score,
}

/// Returns the best matches of the given memories, best first, without matches below `threshold`. The weight of
/// a term depends on all given memories together, so a foreign memory must be searched separately; otherwise it could
/// make any term common. The primary memory is read in the transaction `primary` if the call has it open.
pub(super) fn search_memories(
    engine: &Engine,
    context: &CallContext,
    sides: &[DatabaseRole],
    mut primary: Option<&mut Tx<'_>>,
    query: &Query,
    (limit, threshold): (usize, f64),
    warnings: &mut Vec<String>,
) -> Result<Vec<SearchHit>, EngineError> {
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let terms: Vec<u32> = query.terms().iter().map(|term| term.hash).collect();
    let counts = count_documents(engine, context, sides, primary.as_deref_mut(), &terms, warnings)?;
    let weighed = weigh_terms(query, &counts);
    let take = MIN_CANDIDATES.max(limit.saturating_mul(2));
    let mut hits = Vec::new();
    for (&side, counts) in sides.iter().zip(&counts) {
        let Some((1.., counts)) = counts else { continue };
        let body = |tx: &mut Tx<'_>| {
            let found = find_candidates(tx, query, &weighed, counts, take)?;
            let mut scored = Vec::with_capacity(found.len());
            for candidate in found {
                let score = weighed.score_bytes(&candidate.vector, matching_family(query, &candidate));
                scored.push((candidate.owner, score));
            }
            raise_equal_titles(tx, query, &mut scored)?;
            Ok(scored)
        };
        // Warnings about unreadable memories were added when the terms were counted.
        let found = engine.read_within(side, context, primary.as_deref_mut(), &mut Vec::new(), body)?;
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

/// Raises the score of incidents whose title equals the query. Without this, a short title of common words gets a low
/// score, although the query means exactly that incident.
fn raise_equal_titles(
    tx: &mut Tx<'_>,
    query: &Query,
    scored: &mut [(DocumentOwner, Score)],
) -> Result<(), EngineError> {
    let weak = scored.iter_mut().filter(|(_, score)| score.has_all_terms && score.value < MIN_SCORE);
    let mut weak: Vec<_> = weak
        .filter_map(|(owner, score)| if let DocumentOwner::Incident(key) = owner { Some((*key, score)) } else { None })
        .collect();
    weak.stable_sort_by(|(_, one), (_, other)| other.value.total_cmp(&one.value));
    weak.truncate(MAX_COMPARED_TITLES);
    let keys: Vec<_> = weak.iter().map(|(key, _)| *key).collect();
    for ((_, score), title) in weak.into_iter().zip(incidents::read_titles(tx, &keys)?) {
        if title.is_some_and(|title| query.equals_title(&title)) {
            *score = score.clone().with_equal_title();
        }
    }
    Ok(())
}

/// Number of documents in a memory, and number of documents that contain each term of a query.
pub(super) type DocumentCounts = (u64, Vec<u64>);

/// Returns the candidates of a memory.
pub(in crate::memory) fn find_candidates(
    tx: &mut Tx<'_>,
    query: &Query,
    weighed: &WeighedQuery<'_>,
    counts: &[u64],
    take: usize,
) -> Result<Vec<SearchCandidate>, EngineError> {
    let wanted = weighed.term_contributions().zip(counts);
    let wanted = wanted.map(|((term, worth), documents)| SearchTerm { term: term.hash, worth, documents: *documents });
    Ok(search::find_candidates(tx, &wanted.collect::<Vec<_>>(), query.family().map(family_key), take)?)
}

/// Returns the family of the query if the candidate has the same family.
pub(super) fn matching_family<'q>(query: &'q Query, candidate: &SearchCandidate) -> Option<&'q str> {
    query.family().filter(|family| candidate.family == Some(family_key(family)))
}

/// Counts the documents of each memory, and the documents that contain each term. `None` for a memory that cannot be
/// read.
fn count_documents(
    engine: &Engine,
    context: &CallContext,
    sides: &[DatabaseRole],
    mut primary: Option<&mut Tx<'_>>,
    terms: &[u32],
    warnings: &mut Vec<String>,
) -> Result<Vec<Option<DocumentCounts>>, EngineError> {
    let mut counts = Vec::with_capacity(sides.len());
    for side in sides {
        let body = |tx: &mut Tx<'_>| Ok(search::count_documents(tx, terms)?);
        counts.push(engine.read_within(*side, context, primary.as_deref_mut(), warnings, body)?);
    }
    Ok(counts)
}

/// Weighs the terms by their rarity in all memories together.
pub(in crate::memory) fn weigh_terms<'q>(query: &'q Query, counts: &[Option<DocumentCounts>]) -> WeighedQuery<'q> {
    let documents = counts.iter().flatten().map(|(documents, _)| documents).sum();
    let mut index = 0..;
    query.weigh(documents, |_| {
        let index = index.next().unwrap_or_default();
        counts.iter().flatten().filter_map(|(_, counts)| counts.get(index)).sum()
    })
}
