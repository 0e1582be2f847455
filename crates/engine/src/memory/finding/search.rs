//! Searches incidents by text without storing the search, for bulk work and for measurements.

use super::{
    memory_search::{SearchHit, search_memories},
    search_results::round_score,
};
use crate::{
    Engine, EngineError,
    contract::{MemorySearchParams, MemorySearchResult},
    memory::{
        database_role::{DatabaseRole, OWN_DATABASES},
        environment::resolve_environment,
        input_cleaning,
    },
};
use argus_core::{
    CallContext,
    environment::{Environment, environment_similarity},
    search::Query,
    stable_sort::StableSort,
};
use argus_store::{
    Tx, incidents, patterns,
    search::DocumentOwner,
    solutions::{self, outcomes},
};

const DEFAULT_LIMIT: u32 = 10;
const MAX_LIMIT: u32 = 1000;
/// Share of the score that depends on the environment, if an environment is given. This share orders incidents that
/// match the text equally well.
const ENVIRONMENT_SHARE: f64 = 0.1;
/// Minimum number of incidents that are compared by environment.
const MIN_COMPARED_INCIDENTS: usize = 20;
/// Maximum number of solutions of an incident that are compared.
const MAX_SOLUTIONS: u32 = 20;

/// Returns the ids of matching incidents of the user's memories, best first. An empty text matches nothing.
pub fn search(
    engine: &Engine,
    context: &CallContext,
    params: &MemorySearchParams,
) -> Result<MemorySearchResult, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(EngineError::invalid_input(format!("limit is {limit}; it must be from 1 to {MAX_LIMIT}.")));
    }
    if params.text.trim().is_empty() {
        return Ok(MemorySearchResult { ranked: Vec::new(), scores: Vec::new() });
    }
    let env = params.env.as_ref().filter(|env| !env.is_null());
    let environment = env.map(|env| resolve_environment(engine, env, None, None)).transpose()?;
    let environment = environment.filter(|environment| !environment.environment.is_empty());
    let (text, _) = input_cleaning::clean_query(engine, &params.text)?;
    let query = Query::new(&text, &engine.analyzer);
    let limit = limit as usize;
    let found = if environment.is_some() { limit.max(MIN_COMPARED_INCIDENTS) } else { limit };
    let wanted = (found, params.threshold.unwrap_or(0.0));
    let mut hits = search_memories(engine, context, &OWN_DATABASES, None, &query, wanted, &mut Vec::new())?;
    if let Some(environment) = environment {
        sort_by_environment(engine, context, &environment.environment, &mut hits)?;
        hits.truncate(limit);
    }
    let mut answer = MemorySearchResult { ranked: Vec::with_capacity(hits.len()), scores: Vec::new() };
    let mut ids = vec![None; hits.len()];
    for side in OWN_DATABASES {
        let own = hits.iter().zip(&mut ids).filter(|(hit, _)| hit.side == side);
        read_ids(engine, context, side, own.map(|(hit, id)| (hit.owner, id)).collect())?;
    }
    for (hit, id) in hits.iter().zip(ids) {
        if let Some(id) = id.filter(|id| !answer.ranked.contains(id)) {
            answer.ranked.push(id);
            answer.scores.push(round_score(hit.score.value));
        }
    }
    Ok(answer)
}

/// Sorts by score. The environment in which each incident was solved contributes `ENVIRONMENT_SHARE`.
fn sort_by_environment(
    engine: &Engine,
    context: &CallContext,
    environment: &Environment,
    hits: &mut [SearchHit],
) -> Result<(), EngineError> {
    for hit in hits.iter_mut() {
        let body = |tx: &mut Tx<'_>| find_environment_similarity(tx, hit.owner, environment);
        let similarity = engine.read_if_available(hit.side, context, &mut Vec::new(), body)?.flatten();
        let similarity = similarity.unwrap_or_else(|| environment_similarity(environment, &Environment::default()));
        hit.score.value *= 1.0 - ENVIRONMENT_SHARE + ENVIRONMENT_SHARE * similarity;
    }
    hits.stable_sort_by(|a, b| b.score.value.total_cmp(&a.score.value));
    Ok(())
}

/// Returns the similarity of the most similar environment for which a solution was written or in which it worked.
fn find_environment_similarity(
    tx: &mut Tx<'_>,
    owner: DocumentOwner,
    environment: &Environment,
) -> Result<Option<f64>, EngineError> {
    let mut best: Option<f64> = None;
    for solution in solutions::list_best(tx, owner, MAX_SOLUTIONS)? {
        let worked = outcomes::read_stats(tx, solution.key)?.into_iter().filter(|row| row.worked > 0);
        for bucket in worked.map(|row| row.env_bucket).chain([solution.env_bucket]) {
            let similarity = environment_similarity(environment, &Environment::parse(&bucket));
            best = Some(best.map_or(similarity, |best| best.max(similarity)));
        }
    }
    Ok(best)
}

fn read_ids(
    engine: &Engine,
    context: &CallContext,
    side: DatabaseRole,
    mut wanted: Vec<(DocumentOwner, &mut Option<String>)>,
) -> Result<(), EngineError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let body = |tx: &mut Tx<'_>| {
        for (owner, id) in &mut wanted {
            **id = match *owner {
                DocumentOwner::Incident(key) => incidents::find_id(tx, key)?,
                DocumentOwner::Pattern(key) => patterns::get(tx, key)?.map(|pattern| pattern.id),
            };
        }
        Ok(())
    };
    engine.read_if_available(side, context, &mut Vec::new(), body).map(drop)
}
