//! Returns an incident with its solutions and their outcomes for an MCP resource, and completes ids. To rank solutions
//! for an environment, use `ranked_solutions`.

use super::{
    foreign,
    ranking::{self, convert_stats},
};
use crate::{
    Engine, EngineError,
    answer::time_format::format_iso,
    contract::{IdParams, IncidentDetail, OutcomeDetail, SolutionDetail},
    memory::{
        database_role::{DatabaseRole, FOREIGN_DATABASES, OWN_DATABASES},
        id_lookup,
    },
};
use argus_core::{CallContext, bound::truncate_middle_to, display};
use argus_store::{
    StoreError, Tx,
    incidents::{self, Incident},
    search::DocumentOwner,
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
/// Maximum size of all steps together. Further steps are shortened, but each solution keeps at least `MIN_STEPS_BYTES`
/// from the beginning and the end of its steps.
const MAX_ALL_STEPS_BYTES: usize = 200 * 1024;
const MIN_STEPS_BYTES: usize = 4 * 1024;

/// Returns an incident of the user's memories, otherwise of the foreign and shared memories.
pub fn incident(
    engine: &Engine,
    context: &CallContext,
    IdParams { id }: &IdParams,
) -> Result<IncidentDetail, EngineError> {
    for side in OWN_DATABASES.into_iter().chain(FOREIGN_DATABASES) {
        let body = |tx: &mut Tx<'_>| match incidents::find_by_id(tx, id.trim())? {
            Some(incident) => read_detail(engine, tx, side, incident).map(Some),
            None => Ok(None),
        };
        match engine.read_if_available(side, context, &mut Vec::new(), body)? {
            Some(Some(found)) if FOREIGN_DATABASES.contains(&side) => {
                return Ok(foreign::clean_foreign_incident(engine, found));
            }
            Some(Some(found)) => return Ok(found),
            _ => {}
        }
    }
    Err(id_lookup::incident_not_found_error(engine, id))
}

/// Returns ids of the user's memories that `list` finds in each of them, newest first.
pub(crate) fn list_own_ids(
    engine: &Engine,
    context: &CallContext,
    limit: u32,
    list: impl Fn(&mut Tx<'_>) -> Result<Vec<String>, StoreError>,
) -> Result<Vec<String>, EngineError> {
    let mut ids = Vec::new();
    for side in OWN_DATABASES {
        let body = |tx: &mut Tx<'_>| Ok(list(tx)?);
        ids.extend(engine.read_if_available(side, context, &mut Vec::new(), body)?.unwrap_or_default());
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    ids.truncate(limit as usize);
    Ok(ids)
}

fn read_detail(
    engine: &Engine,
    tx: &mut Tx<'_>,
    side: DatabaseRole,
    incident: Incident,
) -> Result<IncidentDetail, EngineError> {
    let owner = DocumentOwner::Incident(incident.key);
    let (mut shown, mut bytes_left) = (Vec::new(), MAX_ALL_STEPS_BYTES);
    for solution in solutions::list_with_wrong(tx, owner, MAX_SOLUTIONS)? {
        let mut solution = read_solution_detail(tx, solution)?;
        solution.steps = truncate_middle_to(&solution.steps, bytes_left.max(MIN_STEPS_BYTES)).into_owned();
        bytes_left = bytes_left.saturating_sub(solution.steps.len());
        shown.push(solution);
    }
    let count = solutions::count_all(tx, owner)?;
    Ok(IncidentDetail {
        incident_id: incident.id,
        title: incident.title,
        error_signature: incident.error_signature,
        summary: incident.summary,
        tags: incident.tags,
        memory: engine.memory_kind(side),
        created_at: format_iso(incident.created_at),
        updated_at: format_iso(incident.updated_at),
        solutions: shown,
        more: count.saturating_sub(MAX_SOLUTIONS),
    })
}

fn read_solution_detail(tx: &mut Tx<'_>, solution: Solution) -> Result<SolutionDetail, EngineError> {
    let stats = outcomes::read_stats(tx, solution.key)?;
    let newest = outcomes::list_newest_of_solution(tx, solution.key, MAX_OUTCOMES)?;
    let (worked, failed) = ranking::sum_outcomes(&stats);
    let env = solution.env.and_then(|env| serde_json::from_str(&env).ok());
    Ok(SolutionDetail {
        solution_id: solution.id,
        steps: solution.steps,
        env: env.unwrap_or_else(|| Value::Object(Map::new())),
        env_bucket: solution.env_bucket,
        created_at: format_iso(solution.created_at),
        worked,
        failed,
        buckets: convert_stats(stats),
        recorded_by: solution.recorder.by,
        recorded_from: solution.recorder.from,
        outcomes: newest.into_iter().map(convert_outcome).collect(),
        wrong: solution.is_wrong,
    })
}

fn convert_outcome(outcome: Outcome) -> OutcomeDetail {
    OutcomeDetail {
        outcome_id: outcome.id,
        worked: outcome.worked,
        env_bucket: outcome.env_bucket,
        notes: outcome.notes.map(|notes| display::truncate_chars(&notes, MAX_NOTES_CHARS)),
        lookup_id: outcome.lookup_id,
        created_at: format_iso(outcome.created_at),
        recorded_by: outcome.recorded.by,
        recorded_from: outcome.recorded.from,
    }
}
