//! Returns an incident with its solutions and their outcomes, for a resource, and completes ids. `ranked_solutions`
//! ranks solutions for an environment.

use super::{
    foreign,
    ranking::{self, bucket_stats},
};
use crate::{
    Engine, EngineError,
    answer::moment::iso,
    contract::{IdParams, IncidentDetail, OutcomeDetail, SolutionDetail},
    memory::{
        resolve,
        side::{SIDES, SIDES_OF_OTHERS, Side},
    },
};
use argus_core::{Ambient, bound::bound_to, display};
use argus_store::{
    Tx,
    incidents::{self, Incident},
    search::Owner,
    solutions::{
        self, Solution,
        outcomes::{self, Outcome},
    },
};
use serde_json::{Map, Value};

/// Maximum number of solutions of an incident.
const MAX_SOLUTIONS: u32 = 20;
/// Maximum number of outcomes of a solution.
const MAX_OUTCOMES: u32 = 10;
/// Maximum characters of the notes of an outcome.
const MAX_NOTES_CHARS: usize = 500;
/// Maximum bytes of all steps. Steps are shortened once the total is used up, but each solution keeps at least
/// `MIN_STEPS_BYTES`, from the beginning and the end.
const MAX_ALL_STEPS_BYTES: usize = 200 * 1024;
const MIN_STEPS_BYTES: usize = 4 * 1024;

/// Returns an incident of the user's memories, otherwise of others.
pub fn incident(engine: &Engine, ambient: &Ambient, IdParams { id }: &IdParams) -> Result<IncidentDetail, EngineError> {
    for side in SIDES.into_iter().chain(SIDES_OF_OTHERS) {
        let body = |tx: &mut Tx<'_>| match incidents::by_id(tx, id.trim())? {
            Some(incident) => detail(engine, tx, side, incident).map(Some),
            None => Ok(None),
        };
        match engine.read_if_available(side, ambient, &mut Vec::new(), body)? {
            Some(Some(found)) if SIDES_OF_OTHERS.contains(&side) => return Ok(foreign::as_claims(engine, found)),
            Some(Some(found)) => return Ok(found),
            _ => {}
        }
    }
    Err(resolve::unknown_incident(engine, id))
}

/// Returns ids of the user's memories with this prefix, newest first.
pub(crate) fn ids_with_prefix(
    engine: &Engine,
    ambient: &Ambient,
    prefix: &str,
    limit: u32,
) -> Result<Vec<String>, EngineError> {
    let mut ids = Vec::new();
    for side in SIDES {
        let body = |tx: &mut Tx<'_>| Ok(incidents::ids_with_prefix(tx, prefix, limit)?);
        ids.extend(engine.read_if_available(side, ambient, &mut Vec::new(), body)?.unwrap_or_default());
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    ids.truncate(limit as usize);
    Ok(ids)
}

fn detail(engine: &Engine, tx: &mut Tx<'_>, side: Side, incident: Incident) -> Result<IncidentDetail, EngineError> {
    let owner = Owner::Incident(incident.key);
    let (mut shown, mut left) = (Vec::new(), MAX_ALL_STEPS_BYTES);
    for solution in solutions::all_of_owner(tx, owner, MAX_SOLUTIONS)? {
        let mut solution = solution_detail(tx, solution)?;
        solution.steps = bound_to(&solution.steps, left.max(MIN_STEPS_BYTES)).into_owned();
        left = left.saturating_sub(solution.steps.len());
        shown.push(solution);
    }
    let count = solutions::count_of(tx, owner)?;
    Ok(IncidentDetail {
        incident_id: incident.id,
        title: incident.title,
        error_signature: incident.error_signature,
        summary: incident.summary,
        tags: incident.tags,
        memory: engine.kind(side),
        created_at: iso(incident.created_at),
        updated_at: iso(incident.updated_at),
        solutions: shown,
        more: count.saturating_sub(MAX_SOLUTIONS),
    })
}

fn solution_detail(tx: &mut Tx<'_>, solution: Solution) -> Result<SolutionDetail, EngineError> {
    let stats = outcomes::stats(tx, solution.key)?;
    let newest = outcomes::newest_of_solution(tx, solution.key, MAX_OUTCOMES)?;
    let (worked, failed) = ranking::sum_outcomes(&stats);
    let env = solution.env.and_then(|env| serde_json::from_str(&env).ok());
    Ok(SolutionDetail {
        solution_id: solution.id,
        steps: solution.steps,
        env: env.unwrap_or_else(|| Value::Object(Map::new())),
        env_bucket: solution.env_bucket,
        created_at: iso(solution.created_at),
        worked,
        failed,
        buckets: bucket_stats(stats),
        recorded_by: solution.recorded.by,
        recorded_from: solution.recorded.from,
        outcomes: newest.into_iter().map(outcome_detail).collect(),
        wrong: solution.is_wrong,
    })
}

fn outcome_detail(outcome: Outcome) -> OutcomeDetail {
    OutcomeDetail {
        outcome_id: outcome.id,
        worked: outcome.worked,
        env_bucket: outcome.env_bucket,
        notes: outcome.notes.map(|notes| display::shortened(&notes, MAX_NOTES_CHARS)),
        lookup_id: outcome.lookup_id,
        created_at: iso(outcome.created_at),
        recorded_by: outcome.recorded.by,
        recorded_from: outcome.recorded.from,
    }
}
