//! Searches incidents by text without side effects, for bulk work and for measurements.

use super::{
    find::{SearchHit, find},
    listed::rounded,
};
use crate::{
    Engine, EngineError,
    contract::{MemorySearchParams, MemorySearched},
    memory::{
        environment::resolve_environment,
        input,
        side::{SIDES, Side},
    },
};
use argus_core::{
    Ambient,
    environment::{Environment, env_match},
    search::Query,
    stable_sort::StableSort,
};
use argus_store::{
    Tx, incidents, patterns,
    search::Owner,
    solutions::{self, outcomes},
};

const DEFAULT_LIMIT: u32 = 10;
const MAX_LIMIT: u32 = 1000;
/// Share of the score that depends on the environment, if an environment is given. It decides between incidents that
/// match equally well.
const ENVIRONMENT_SHARE: f64 = 0.1;
/// Minimum number of incidents that are compared by environment.
const MIN_COMPARED: usize = 20;
/// Maximum number of solutions of an incident that are compared.
const MAX_SOLUTIONS: u32 = 20;

/// Returns ids of the user's memories, best first. A text without words matches nothing.
pub fn search(engine: &Engine, ambient: &Ambient, params: &MemorySearchParams) -> Result<MemorySearched, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(EngineError::invalid(format!("limit is {limit}; it can be 1 to {MAX_LIMIT}.")));
    }
    if params.text.trim().is_empty() {
        return Ok(MemorySearched { ranked: Vec::new(), scores: Vec::new() });
    }
    let env = params.env.as_ref().filter(|env| !env.is_null());
    let environment = env.map(|env| resolve_environment(engine, env, None, None)).transpose()?;
    let environment = environment.filter(|environment| !environment.environment.is_empty());
    let (text, _) = input::query(engine, &params.text)?;
    let query = Query::new(&text, &engine.analyzer);
    let limit = limit as usize;
    let found = if environment.is_some() { limit.max(MIN_COMPARED) } else { limit };
    let wanted = (found, params.threshold.unwrap_or(0.0));
    let mut hits = find(engine, ambient, &SIDES, None, &query, wanted, &mut Vec::new())?;
    if let Some(environment) = environment {
        by_environment(engine, ambient, &environment.environment, &mut hits)?;
        hits.truncate(limit);
    }
    let mut answer = MemorySearched { ranked: Vec::with_capacity(hits.len()), scores: Vec::new() };
    let mut ids = vec![None; hits.len()];
    for side in SIDES {
        let own = hits.iter().zip(&mut ids).filter(|(hit, _)| hit.side == side);
        read_ids(engine, ambient, side, own.map(|(hit, id)| (hit.owner, id)).collect())?;
    }
    for (hit, id) in hits.iter().zip(ids) {
        if let Some(id) = id.filter(|id| !answer.ranked.contains(id)) {
            answer.ranked.push(id);
            answer.scores.push(rounded(hit.score.value));
        }
    }
    Ok(answer)
}

/// Sorts by score, adjusted a little by the environment in which each incident was solved.
fn by_environment(
    engine: &Engine,
    ambient: &Ambient,
    environment: &Environment,
    hits: &mut [SearchHit],
) -> Result<(), EngineError> {
    for hit in hits.iter_mut() {
        let body = |tx: &mut Tx<'_>| nearest(tx, hit.owner, environment);
        let nearest = engine.read_if_available(hit.side, ambient, &mut Vec::new(), body)?.flatten();
        let nearest = nearest.unwrap_or_else(|| env_match(environment, &Environment::default()));
        hit.score.value *= 1.0 - ENVIRONMENT_SHARE + ENVIRONMENT_SHARE * nearest;
    }
    hits.stable_sort_by(|a, b| b.score.value.total_cmp(&a.score.value));
    Ok(())
}

/// Returns the similarity of the most similar environment for which a solution was written or in which it worked.
fn nearest(tx: &mut Tx<'_>, owner: Owner, environment: &Environment) -> Result<Option<f64>, EngineError> {
    let mut best: Option<f64> = None;
    for solution in solutions::best_of_owner(tx, owner, MAX_SOLUTIONS)? {
        let worked = outcomes::stats(tx, solution.key)?.into_iter().filter(|row| row.worked > 0);
        for bucket in worked.map(|row| row.env_bucket).chain([solution.env_bucket]) {
            let alike = env_match(environment, &Environment::parse(&bucket));
            best = Some(best.map_or(alike, |best| best.max(alike)));
        }
    }
    Ok(best)
}

fn read_ids(
    engine: &Engine,
    ambient: &Ambient,
    side: Side,
    mut wanted: Vec<(Owner, &mut Option<String>)>,
) -> Result<(), EngineError> {
    if wanted.is_empty() {
        return Ok(());
    }
    let body = |tx: &mut Tx<'_>| {
        for (owner, id) in &mut wanted {
            **id = match *owner {
                Owner::Incident(key) => incidents::id_of(tx, key)?,
                Owner::Pattern(key) => patterns::get(tx, key)?.map(|pattern| pattern.id),
            };
        }
        Ok(())
    };
    engine.read_if_available(side, ambient, &mut Vec::new(), body).map(drop)
}
