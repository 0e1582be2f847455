//! Finds duplicates for `add_incident`. The comparison uses the rules of a search, so it finds only incidents that a
//! search would have found.

use crate::{EngineError, memory::finding::memory_search};
use argus_core::search::{IndexedDocument, MIN_DUPLICATE_SIMILARITY, Query, TermVector, jaccard_similarity};
use argus_store::{
    Tx, incidents, patterns,
    search::{self, DocumentOwner, family_key},
};

/// Maximum number of candidates that are compared.
const MAX_COMPARED_CANDIDATES: usize = 50;

/// An incident or a pattern that describes the same problem.
#[derive(Debug)]
pub(super) struct KnownIncident {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) similarity: f64,
}

/// The new problem as a query and as an index of the same texts.
#[derive(Clone, Copy)]
pub(super) struct NewProblem<'a> {
    pub(super) query: &'a Query,
    pub(super) new: &'a IndexedDocument,
    /// The title, if the problem has no error text. Then the title identifies the problem.
    pub(super) title: Option<&'a str>,
}

/// Returns the most similar known problem, or `None` if no problem is similar enough to be the same.
pub(super) fn find_duplicate(tx: &mut Tx<'_>, problem: NewProblem<'_>) -> Result<Option<KnownIncident>, EngineError> {
    let NewProblem { query, new, title } = problem;
    if query.is_empty() {
        return Ok(None);
    }
    let terms: Vec<u32> = query.terms().iter().map(|term| term.hash).collect();
    let counts = [Some(search::count_documents(tx, &terms)?)];
    let weighed = memory_search::weigh_terms(query, &counts);
    let [Some((_, counts))] = &counts else { return Ok(None) };
    let family = new.family.as_deref().map(family_key);
    let mut best: Option<(f64, DocumentOwner)> = None;
    let candidates = memory_search::find_candidates(tx, query, &weighed, counts, MAX_COMPARED_CANDIDATES)?;
    let titled = match title {
        Some(title) => find_with_title(tx, candidates.iter().map(|candidate| candidate.owner), title)?,
        None => Vec::new(),
    };
    for candidate in candidates {
        let same = family.is_some() && candidate.family == family || titled.contains(&candidate.owner);
        let similarity =
            if same { 1.0 } else { jaccard_similarity(&new.vector, &TermVector::from_bytes(&candidate.vector)) };
        if similarity >= MIN_DUPLICATE_SIMILARITY && best.is_none_or(|(other, _)| similarity > other) {
            best = Some((similarity, candidate.owner));
        }
    }
    match best {
        Some((similarity, owner)) => read_known(tx, owner, similarity),
        None => Ok(None),
    }
}

/// Returns the owners that are incidents with this title, ignoring case.
fn find_with_title(
    tx: &mut Tx<'_>,
    owners: impl Iterator<Item = DocumentOwner>,
    title: &str,
) -> Result<Vec<DocumentOwner>, EngineError> {
    let incidents = owners.filter_map(|owner| if let DocumentOwner::Incident(key) = owner { Some(key) } else { None });
    let keys: Vec<_> = incidents.collect();
    let titles = incidents::read_titles(tx, &keys)?;
    let is_same = |known: &String| known.to_lowercase() == title.to_lowercase();
    let same = keys.into_iter().zip(titles).filter(|(_, known)| known.as_ref().is_some_and(is_same));
    Ok(same.map(|(key, _)| DocumentOwner::Incident(key)).collect())
}

fn read_known(tx: &mut Tx<'_>, owner: DocumentOwner, similarity: f64) -> Result<Option<KnownIncident>, EngineError> {
    Ok(match owner {
        DocumentOwner::Incident(key) => {
            incidents::get(tx, key)?.map(|known| KnownIncident { id: known.id, title: known.title, similarity })
        }
        DocumentOwner::Pattern(key) => {
            let known = patterns::get(tx, key)?;
            known.map(|known| KnownIncident { title: known.shown_description().to_owned(), id: known.id, similarity })
        }
    })
}
