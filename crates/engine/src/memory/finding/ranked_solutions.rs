//! `ranked_solutions`: finds the incidents that a text is about and ranks their solutions. If the search cannot be
//! stored, the answer contains a warning.

use super::{
    find::find,
    foreign::{self, Claim},
    listed::{ListedIncident, list},
    shared,
};
use crate::{
    Engine, EngineError,
    contract::{IncidentMatch, NextActionType, RankedSolution, RankedSolutionsParams, RankedSolutionsResult},
    limits::{DEFAULT_SOLUTIONS, MAX_SOLUTIONS},
    memory::{
        environment::{ResolvedEnvironment, resolve_environment},
        index, input,
        next::next_action,
        side::{SIDES, Side},
    },
};
use argus_core::{
    Ambient,
    bound::bound_to,
    search::{MIN_SCORE, Query},
    stable_sort::StableSort,
};
use argus_store::{Tx, solutions::lookups};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Maximum number of incidents in an answer.
const MAX_INCIDENTS: usize = 10;
/// Maximum bytes of all steps in an answer. The first solution is never cut.
const MAX_ALL_STEPS_BYTES: usize = 64 * 1024;
/// Maximum bytes of all environments in an answer. Further environments are left out, because the bucket has the
/// important fields.
const MAX_ALL_ENVS_BYTES: usize = 32 * 1024;
/// Minimum bytes that each solution keeps of its steps.
const MIN_STEPS_BYTES: usize = 2 * 1024;
/// Maximum bytes of a query that are stored.
const MAX_REMEMBERED_BYTES: usize = 2 * 1024;

/// Stores the search and searches the primary memory in one transaction, searches the secondary memory, and ranks the
/// solutions of the best incidents.
pub fn ranked_solutions(
    engine: &Engine,
    ambient: &Ambient,
    params: &RankedSolutionsParams,
) -> Result<RankedSolutionsResult, EngineError> {
    let limit = limit(params.limit)?;
    let environment = resolve_environment(engine, &params.env, None, params.detected_env.as_ref())?;
    let (text, warning) = input::query(engine, &params.query_text)?;
    let mut warnings = engine.secondary_warnings();
    warnings.extend(warning);
    let query = Query::new(&text, &engine.analyzer);
    index_secondary(engine, ambient);
    let lookup_id = ambient.id("lkp");
    let remembered = bound_to(&text, MAX_REMEMBERED_BYTES);
    let remember = |tx: &mut Tx<'_>| {
        index::index_waiting(engine, tx)?;
        lookups::insert(tx, &lookup_id, &remembered, &environment.bucket, ambient.now)?;
        look(engine, ambient, tx, &query, &environment)
    };
    // A search does not wait for a lock just to be stored.
    let (listed, left_out) = match engine.write_side_now(Side::Primary, ambient, remember) {
        Err(error) if engine.may_answer_unstored(&error) => {
            warnings.push(format!(
                "The search is not remembered, so leave lookup_id out of record_outcome: {}",
                error.message
            ));
            let body = |tx: &mut Tx<'_>| look(engine, ambient, tx, &query, &environment);
            engine.read(ambient, body)?
        }
        found => found?,
    };
    warnings.extend(left_out);
    let claims = foreign::claims(engine, ambient, &query, &environment)?;
    let mut answer = answer(lookup_id, environment, listed, limit, warnings);
    add_claims(&mut answer, claims, limit);
    Ok(answer)
}

fn limit(limit: Option<i64>) -> Result<usize, EngineError> {
    let limit = limit.unwrap_or(i64::from(DEFAULT_SOLUTIONS));
    match u32::try_from(limit) {
        Ok(limit @ 1..=MAX_SOLUTIONS) => Ok(limit as usize),
        _ => Err(EngineError::invalid(format!("limit is {limit}; it can be 1 to {MAX_SOLUTIONS}."))),
    }
}

/// Returns the hits of the user's memories, and warnings for memories that could not be read.
fn look(
    engine: &Engine,
    ambient: &Ambient,
    primary: &mut Tx<'_>,
    query: &Query,
    environment: &ResolvedEnvironment,
) -> Result<(Vec<ListedIncident>, Vec<String>), EngineError> {
    let mut warnings = Vec::new();
    let wanted = (MAX_INCIDENTS, MIN_SCORE);
    let hits = find(engine, ambient, &SIDES, Some(&mut *primary), query, wanted, &mut warnings)?;
    Ok((list(engine, ambient, Some(primary), &hits, environment)?, warnings))
}

/// Indexes patterns that wait in the secondary memory. If this fails, they keep waiting.
fn index_secondary(engine: &Engine, ambient: &Ambient) {
    let waits = |tx: &mut Tx<'_>| Ok(argus_store::search::is_waiting(tx)?);
    if matches!(engine.read_side(Side::Secondary, ambient, waits), Ok(Some(true))) {
        let body = |tx: &mut Tx<'_>| index::index_waiting(engine, tx);
        let _ = engine.write_side_now(Side::Secondary, ambient, body);
    }
}

fn answer(
    lookup_id: String,
    environment: ResolvedEnvironment,
    listed: Vec<ListedIncident>,
    limit: usize,
    mut warnings: Vec<String>,
) -> RankedSolutionsResult {
    let (incidents, mut ranked) = merge_ranked(listed);
    // A solution that has only failed never ranks above a solution that worked.
    let worked = ranked.iter().filter(|solution| solution.worked > 0);
    let lowest = worked.map(|solution| solution.final_solution_score).fold(1.0, f64::min);
    for failed in ranked.iter_mut().filter(|solution| has_only_failed(solution)) {
        failed.final_solution_score = failed.final_solution_score.min(lowest);
    }
    // The sort is stable, so that of two equal solutions the solution of the better incident comes first.
    ranked.stable_sort_by(|a, b| {
        let by_score = b.final_solution_score.total_cmp(&a.final_solution_score);
        by_score.then(has_only_failed(a).cmp(&has_only_failed(b)))
    });
    ranked.truncate(limit);
    warnings
        .extend(ranked.first().filter(|first| has_only_failed(first)).map(|first| only_failed(first, &environment)));
    // Not all solutions are ranked if an incident has very many.
    let all: u32 = incidents.iter().map(|incident| incident.solution_count).fold(0, u32::saturating_add);
    let more = all.saturating_sub(u32::try_from(ranked.len()).unwrap_or(u32::MAX));
    if shorten(&mut ranked) {
        warnings.push(
            "Later solutions are cut; argus://incident/{id} has them, a smaller limit the first in full.".to_owned(),
        );
    }
    let kind = match (incidents.is_empty(), ranked.is_empty()) {
        (true, _) => NextActionType::NoMatchDebugThenAddIncident,
        (false, true) => NextActionType::NoSolutionsAddOne,
        (false, false) => NextActionType::TrySolutionAndRecordOutcome,
    };
    RankedSolutionsResult {
        lookup_id,
        env_bucket: environment.bucket,
        detected_env: environment.detected,
        incidents,
        recommended_solution: ranked.first().cloned(),
        ranked_solutions: ranked,
        more,
        next_action: next_action(kind),
        warnings,
    }
}

const fn has_only_failed(solution: &RankedSolution) -> bool {
    solution.worked == 0 && solution.failed > 0
}

fn only_failed(solution: &RankedSolution, environment: &ResolvedEnvironment) -> String {
    let RankedSolution { failed, best_env_bucket_match, .. } = solution;
    let place = if *best_env_bucket_match == environment.bucket { " in this environment" } else { "" };
    format!(
        "The recommended solution failed {failed} of {failed} times{place}. Debug instead; once a fix works, call \
         add_solution, then record_outcome."
    )
}

/// Adds foreign solutions after all own solutions. They change neither the recommendation nor the next step.
fn add_claims(answer: &mut RankedSolutionsResult, claims: Vec<Claim>, limit: usize) {
    if claims.is_empty() {
        return;
    }
    let (shared, foreign): (Vec<_>, Vec<_>) = claims.iter().partition(|(incident, _)| incident.origin.is_some());
    let said = [(shared.is_empty(), shared::WARNING), (foreign.is_empty(), foreign::WARNING)];
    answer.warnings.extend(said.into_iter().filter(|(is_none, _)| !is_none).map(|(_, warning)| warning.to_owned()));
    let lowest = answer.ranked_solutions.iter().map(|own| own.final_solution_score).fold(1.0, f64::min);
    for (incident, solutions) in claims {
        answer.incidents.push(incident);
        answer.ranked_solutions.extend(solutions.into_iter().map(|solution| RankedSolution {
            final_solution_score: solution.final_solution_score.min(lowest),
            ..solution
        }));
    }
    answer.ranked_solutions.truncate(limit);
}

/// Merges incidents and solutions. A solution that was copied between the memories is shown once, from the primary
/// memory, because its outcomes are recorded there.
fn merge_ranked(mut listed: Vec<ListedIncident>) -> (Vec<IncidentMatch>, Vec<RankedSolution>) {
    let mut incidents: Vec<IncidentMatch> = Vec::with_capacity(listed.len());
    let mut ranked: Vec<RankedSolution> = Vec::new();
    let mut known = BTreeSet::new();
    for side in SIDES {
        for one in listed.iter_mut().filter(|one| one.side == side) {
            let before = one.ranked.len();
            one.ranked.retain(|solution| known.insert(solution.solution.id.clone()));
            let copies = u32::try_from(before - one.ranked.len()).unwrap_or(u32::MAX);
            one.shown.solution_count = one.shown.solution_count.saturating_sub(copies);
        }
    }
    for ListedIncident { shown, ranked: own, .. } in listed {
        ranked.extend(own.into_iter().map(|solution| solution.shown(&shown.incident_id, shown.memory)));
        match incidents.iter_mut().find(|known| known.incident_id == shown.incident_id) {
            Some(known) => known.solution_count = known.solution_count.saturating_add(shown.solution_count),
            None => incidents.push(shown),
        }
    }
    (incidents, ranked)
}

/// Shortens steps and environments so that an answer stays readable. Returns whether anything was cut.
fn shorten(ranked: &mut [RankedSolution]) -> bool {
    let (mut left, mut envs_left) = (MAX_ALL_STEPS_BYTES, MAX_ALL_ENVS_BYTES);
    let mut cut = false;
    for (rank, solution) in ranked.iter_mut().enumerate() {
        let env = solution.env.to_string().len();
        if rank > 0 && env > envs_left {
            solution.env = Value::Object(Map::new());
            cut = true;
        }
        envs_left = envs_left.saturating_sub(env);
        let most = left.max(MIN_STEPS_BYTES);
        if rank > 0 && solution.steps.len() > most {
            solution.steps = bound_to(&solution.steps, most).into_owned();
            cut = true;
        }
        left = left.saturating_sub(solution.steps.len());
    }
    cut
}
