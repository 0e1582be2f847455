//! Finds incidents that are similar to a diagnosed failure. Callers use them only if no fix is known.

use super::{
    memory_search::{SearchHit, search_memories},
    ranking,
    search_results::round_score,
};
use crate::{
    Engine, EngineError,
    contract::{FixTrialCounts, RelatedEntry, RelatedKind},
    memory::{database_role::OWN_DATABASES, environment::ResolvedEnvironment},
};
use argus_core::{
    CallContext, display,
    environment::Environment,
    search::{MIN_SCORE, Query},
    stable_sort::StableSort,
};
use argus_store::{Tx, incidents, search::DocumentOwner, solutions::outcomes};
use std::collections::BTreeSet;

/// Maximum number of incidents in an answer.
const MAX_INCIDENTS: usize = 3;
/// Maximum number of hits. Hits that are patterns are dropped, because a diagnosis finds patterns in other ways.
const MAX_HITS: usize = 10;
/// Maximum characters of a solution.
const MAX_STEPS_CHARS: usize = 1_000;

/// Returns the best incidents for an error text, each with its best solution. The primary memory is read in the open
/// transaction.
pub(crate) fn find_related_incidents(
    engine: &Engine,
    context: &CallContext,
    primary: &mut Tx<'_>,
    query: &Query,
) -> Result<Vec<RelatedEntry>, EngineError> {
    let wanted = (MAX_HITS, MIN_SCORE);
    let mut hits =
        search_memories(engine, context, &OWN_DATABASES, Some(&mut *primary), query, wanted, &mut Vec::new())?;
    hits.retain(|hit| matches!(hit.owner, DocumentOwner::Incident(_)));
    hits.truncate(MAX_INCIDENTS);
    let mut related = Vec::with_capacity(hits.len());
    for side in OWN_DATABASES {
        let hits: Vec<_> = hits.iter().filter(|hit| hit.side == side).collect();
        if hits.is_empty() {
            continue;
        }
        let body = |tx: &mut Tx<'_>| {
            let mut found = Vec::with_capacity(hits.len());
            for hit in hits {
                found.extend(read_with_best_solution(engine, context, tx, hit)?);
            }
            Ok(found)
        };
        let found = engine.read_within(side, context, Some(&mut *primary), &mut Vec::new(), body)?;
        related.extend(found.unwrap_or_default());
    }
    let mut known = BTreeSet::new();
    related.retain(|incident: &RelatedEntry| known.insert(incident.id.clone()));
    related.stable_sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    Ok(related)
}

fn read_with_best_solution(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    hit: &SearchHit,
) -> Result<Option<RelatedEntry>, EngineError> {
    let DocumentOwner::Incident(key) = hit.owner else { return Ok(None) };
    let Some(incident) = incidents::get(tx, key)? else { return Ok(None) };
    let environment = Environment::default();
    let ranked = ranking::rank_solutions(engine, context, tx, hit.owner, &environment, hit.score.value)?;
    let score = |ranked: &ranking::ScoredSolution| ranked.ranking.final_solution_score;
    let best = ranked.into_iter().max_by(|a, b| score(a).total_cmp(&score(b)));
    let tried = match &best {
        Some(best) => Some(FixTrialCounts::from(outcomes::count_outcomes(tx, best.solution.key)?)),
        None => None,
    };
    Ok(Some(RelatedEntry {
        kind: RelatedKind::Incident,
        id: incident.id,
        description: incident.title,
        similarity: round_score(hit.score.value),
        differences: Vec::new(),
        confidence: best.as_ref().map(|best| best.ranking.reliability_score),
        suggested_fix: best.map(|best| display::truncate_chars(&best.solution.steps, MAX_STEPS_CHARS)),
        tried,
        claimed: tried.is_some_and(FixTrialCounts::is_claimed),
        memory: None,
        origin: None,
    }))
}

/// Returns the JSON and the bucket of the environment of a reported fix.
pub(crate) fn resolve_optional_environment(
    engine: &Engine,
    env: Option<&serde_json::Value>,
) -> Result<(Option<String>, String), EngineError> {
    let Some(env) = env.filter(|env| !env.is_null()) else { return Ok((None, String::new())) };
    let ResolvedEnvironment { json, bucket, .. } =
        crate::memory::environment::resolve_environment(engine, env, None, None)?;
    Ok((json, bucket))
}
