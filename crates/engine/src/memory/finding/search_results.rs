//! Converts search hits into answers: incidents and patterns with their ranked solutions.

use super::{
    memory_search::SearchHit,
    ranking::{self, ScoredSolution},
};
use crate::{
    Engine, EngineError,
    contract::{IncidentMatch, MatchKind},
    memory::{
        database_role::{DatabaseRole, OWN_DATABASES},
        environment::ResolvedEnvironment,
    },
};
use argus_core::{CallContext, display, stable_sort::StableSort};
use argus_store::{Tx, incidents, patterns, search::DocumentOwner, solutions};

/// Maximum number of characters of each text of an incident in an answer.
pub(super) const MAX_SHOWN_CHARS: usize = 500;

/// An incident or a pattern that matches a search, with its ranked solutions.
pub(super) struct ListedIncident {
    pub(super) side: DatabaseRole,
    pub(super) shown: IncidentMatch,
    pub(super) ranked: Vec<ScoredSolution>,
    /// Milliseconds since 1970 in UTC.
    pub(super) created_at: i64,
}

/// Reads the incidents and patterns of the hits, in the order of the hits. The primary memory is read in the
/// transaction `primary` if the call has it open.
pub(super) fn list_incidents(
    engine: &Engine,
    context: &CallContext,
    mut primary: Option<&mut Tx<'_>>,
    hits: &[SearchHit],
    environment: &ResolvedEnvironment,
) -> Result<Vec<ListedIncident>, EngineError> {
    let mut listed: Vec<(usize, ListedIncident)> = Vec::with_capacity(hits.len());
    for side in OWN_DATABASES {
        let own: Vec<(usize, &SearchHit)> = hits.iter().enumerate().filter(|(_, hit)| hit.side == side).collect();
        if own.is_empty() {
            continue;
        }
        let body = |tx: &mut Tx<'_>| {
            let mut read = Vec::with_capacity(own.len());
            for (at, hit) in &own {
                if let Some((shown, created_at)) = read_match(engine, tx, hit)? {
                    let score = hit.score.value;
                    let ranked =
                        ranking::rank_solutions(engine, context, tx, hit.owner, &environment.environment, score)?;
                    read.push((*at, ListedIncident { side, shown, ranked, created_at }));
                }
            }
            Ok(read)
        };
        let read = engine.read_within(side, context, primary.as_deref_mut(), &mut Vec::new(), body)?;
        listed.extend(read.unwrap_or_default());
    }
    listed.stable_sort_by_key(|(at, _)| *at);
    Ok(listed.into_iter().map(|(_, listed)| listed).collect())
}

pub(super) fn read_match(
    engine: &Engine,
    tx: &mut Tx<'_>,
    hit: &SearchHit,
) -> Result<Option<(IncidentMatch, i64)>, EngineError> {
    let shorten_text = |text: String| shorten(text, MAX_SHOWN_CHARS);
    let solution_count = solutions::count_usable(tx, hit.owner)?;
    let (score, because) = (round_score(hit.score.value), hit.score.matched_terms.clone());
    let memory = engine.memory_kind(hit.side);
    Ok(match hit.owner {
        DocumentOwner::Incident(key) => incidents::get(tx, key)?.map(|incident| {
            (
                IncidentMatch {
                    incident_id: incident.id,
                    kind: MatchKind::Incident,
                    title: incident.title,
                    error_signature: incident.error_signature.map(shorten_text),
                    summary: incident.summary.map(shorten_text),
                    tags: incident.tags,
                    score,
                    because,
                    solution_count,
                    memory,
                    origin: None,
                },
                incident.created_at,
            )
        }),
        DocumentOwner::Pattern(key) => patterns::get(tx, key)?.map(|pattern| {
            (
                IncidentMatch {
                    title: pattern.shown_description().to_owned(),
                    tags: vec![pattern.shown_category().to_string()],
                    incident_id: pattern.id,
                    kind: MatchKind::Pattern,
                    error_signature: Some(shorten_text(pattern.normalized)),
                    summary: Some(format!("Failure of {}", shorten_text(pattern.case_name))),
                    score,
                    because,
                    solution_count,
                    memory,
                    origin: None,
                },
                pattern.first_seen_at,
            )
        }),
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for Option::map")]
pub(super) fn shorten(text: String, most: usize) -> String {
    display::truncate_chars(&text, most)
}

/// Rounds to four digits, because further digits of a score carry no information.
pub(in crate::memory) fn round_score(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
