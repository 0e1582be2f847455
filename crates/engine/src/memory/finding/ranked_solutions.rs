//! `ranked_solutions`: finds the incidents that match a text and ranks their solutions. If the search cannot be
//! stored, the answer contains a warning.

use super::{
    foreign::{self, ForeignMatch},
    memory_search::search_memories,
    search_results::{ListedIncident, list_incidents},
    shared,
};
use crate::{
    Engine, EngineError,
    contract::{IncidentMatch, NextActionType, RankedSolution, RankedSolutionsParams, RankedSolutionsResult},
    limits::{DEFAULT_SOLUTIONS, MAX_SOLUTIONS},
    memory::{
        database_role::{DatabaseRole, OWN_DATABASES},
        environment::{ResolvedEnvironment, resolve_environment},
        input_cleaning,
        next_action_texts::build_next_action,
        search_index,
    },
};
use argus_core::{
    CallContext,
    bound::truncate_middle_to,
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
const MAX_STORED_QUERY_BYTES: usize = 2 * 1024;

/// Stores the search and searches the primary memory in one transaction, searches the secondary memory, and ranks the
/// solutions of the best incidents.
pub fn ranked_solutions(
    engine: &Engine,
    context: &CallContext,
    params: &RankedSolutionsParams,
) -> Result<RankedSolutionsResult, EngineError> {
    let limit = check_limit(params.limit)?;
    let environment = resolve_environment(engine, &params.env, None, params.detected_env.as_ref())?;
    let (text, warning) = input_cleaning::clean_query(engine, &params.query_text)?;
    let mut warnings = engine.unavailable_database_warnings();
    warnings.extend(warning);
    let query = Query::new(&text, &engine.analyzer);
    index_secondary(engine, context);
    let lookup_id = context.create_id("lkp");
    let stored_text = truncate_middle_to(&text, MAX_STORED_QUERY_BYTES);
    let store_and_search = |tx: &mut Tx<'_>| {
        search_index::index_pending_patterns(engine, tx)?;
        lookups::insert(tx, &lookup_id, &stored_text, &environment.bucket, context.now_ms)?;
        search_own_memories(engine, context, tx, &query, &environment)
    };
    // Storing the search is optional, so the call does not wait for a lock.
    let (listed, unread_warnings) =
        match engine.write_database_without_waiting(DatabaseRole::Primary, context, store_and_search) {
            Err(error) if engine.can_answer_without_storing(&error) => {
                warnings
                    .push(format!("The search was not stored, so omit lookup_id in record_outcome: {}", error.message));
                let body = |tx: &mut Tx<'_>| search_own_memories(engine, context, tx, &query, &environment);
                engine.read(context, body)?
            }
            found => found?,
        };
    warnings.extend(unread_warnings);
    let claims = foreign::find_foreign_matches(engine, context, &query, &environment)?;
    let mut answer = build_answer(lookup_id, environment, listed, limit, warnings);
    add_foreign_matches(&mut answer, claims, limit);
    Ok(answer)
}

fn check_limit(limit: Option<i64>) -> Result<usize, EngineError> {
    let limit = limit.unwrap_or(i64::from(DEFAULT_SOLUTIONS));
    match u32::try_from(limit) {
        Ok(limit @ 1..=MAX_SOLUTIONS) => Ok(limit as usize),
        _ => Err(EngineError::invalid_input(format!("limit is {limit}; it must be from 1 to {MAX_SOLUTIONS}."))),
    }
}

/// Returns the hits of the user's memories, and warnings for memories that could not be read.
fn search_own_memories(
    engine: &Engine,
    context: &CallContext,
    primary: &mut Tx<'_>,
    query: &Query,
    environment: &ResolvedEnvironment,
) -> Result<(Vec<ListedIncident>, Vec<String>), EngineError> {
    let mut warnings = Vec::new();
    let wanted = (MAX_INCIDENTS, MIN_SCORE);
    let hits = search_memories(engine, context, &OWN_DATABASES, Some(&mut *primary), query, wanted, &mut warnings)?;
    Ok((list_incidents(engine, context, Some(primary), &hits, environment)?, warnings))
}

/// Indexes the pending patterns of the secondary memory. If this fails, they stay pending.
fn index_secondary(engine: &Engine, context: &CallContext) {
    let has_pending = |tx: &mut Tx<'_>| Ok(argus_store::search::has_pending_patterns(tx)?);
    if matches!(engine.read_database(DatabaseRole::Secondary, context, has_pending), Ok(Some(true))) {
        let body = |tx: &mut Tx<'_>| search_index::index_pending_patterns(engine, tx);
        let _ = engine.write_database_without_waiting(DatabaseRole::Secondary, context, body);
    }
}

fn build_answer(
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
    // The sort is stable, so among equal solutions those of the better incident come first.
    ranked.stable_sort_by(|a, b| {
        let by_score = b.final_solution_score.total_cmp(&a.final_solution_score);
        by_score.then(has_only_failed(a).cmp(&has_only_failed(b)))
    });
    ranked.truncate(limit);
    warnings.extend(
        ranked.first().filter(|first| has_only_failed(first)).map(|first| only_failed_warning(first, &environment)),
    );
    // An incident can have more solutions than are ranked.
    let all: u32 = incidents.iter().map(|incident| incident.solution_count).fold(0, u32::saturating_add);
    let more = all.saturating_sub(u32::try_from(ranked.len()).unwrap_or(u32::MAX));
    if shorten(&mut ranked) {
        warnings.push(
            "Later solutions were cut. Read argus://incident/{id} for them, or use a smaller limit to get the first in full.".to_owned(),
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
        next_action: build_next_action(kind),
        warnings,
    }
}

const fn has_only_failed(solution: &RankedSolution) -> bool {
    solution.worked == 0 && solution.failed > 0
}

fn only_failed_warning(solution: &RankedSolution, environment: &ResolvedEnvironment) -> String {
    let RankedSolution { failed, best_env_bucket_match, .. } = solution;
    let place = if *best_env_bucket_match == environment.bucket { " in this environment" } else { "" };
    format!(
        "The recommended solution failed {failed} of {failed} times{place}. Debug instead. When a fix works, call \
         add_solution, then record_outcome."
    )
}

/// Adds foreign solutions after all own solutions. They change neither the recommendation nor the next step.
fn add_foreign_matches(answer: &mut RankedSolutionsResult, claims: Vec<ForeignMatch>, limit: usize) {
    if claims.is_empty() {
        return;
    }
    let (shared, foreign): (Vec<_>, Vec<_>) = claims.iter().partition(|(incident, _)| incident.origin.is_some());
    let warnings = [(shared.is_empty(), shared::SHARED_WARNING), (foreign.is_empty(), foreign::FOREIGN_WARNING)];
    answer.warnings.extend(warnings.into_iter().filter(|(is_none, _)| !is_none).map(|(_, warning)| warning.to_owned()));
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
    for side in OWN_DATABASES {
        for incident in listed.iter_mut().filter(|incident| incident.side == side) {
            let before = incident.ranked.len();
            incident.ranked.retain(|solution| known.insert(solution.solution.id.clone()));
            let copies = u32::try_from(before - incident.ranked.len()).unwrap_or(u32::MAX);
            incident.shown.solution_count = incident.shown.solution_count.saturating_sub(copies);
        }
    }
    for ListedIncident { shown, ranked: own, .. } in listed {
        ranked.extend(own.into_iter().map(|solution| solution.into_contract(&shown.incident_id, shown.memory)));
        match incidents.iter_mut().find(|known| known.incident_id == shown.incident_id) {
            Some(known) => known.solution_count = known.solution_count.saturating_add(shown.solution_count),
            None => incidents.push(shown),
        }
    }
    (incidents, ranked)
}

/// Shortens steps and environments so that an answer stays readable. Returns `true` if a text was cut.
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
            solution.steps = truncate_middle_to(&solution.steps, most).into_owned();
            cut = true;
        }
        left = left.saturating_sub(solution.steps.len());
    }
    cut
}
