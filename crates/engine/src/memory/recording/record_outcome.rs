//! `record_outcome`: records whether a tried solution worked. The score of a solution depends only on outcomes. A
//! solution that only the repository shares is copied first, because outcomes are recorded only on own solutions.

use crate::{
    Engine, EngineError,
    contract::{RecordOutcomeParams, RecordOutcomeResult},
    memory::{
        environment::resolve_environment,
        exchange::import::import_one,
        finding::{ranking, shared},
        id_lookup, input_cleaning,
        next_action_texts::build_next_action_after_outcome,
    },
};
use argus_core::CallContext;
use argus_store::{
    Tx, patterns,
    search::DocumentOwner,
    solutions::{
        self, Solution,
        outcomes::{self, NewOutcome},
    },
};

/// Records and counts the outcome where the solution is stored, in one transaction.
pub fn record_outcome(
    engine: &Engine,
    context: &CallContext,
    params: &RecordOutcomeParams,
) -> Result<RecordOutcomeResult, EngineError> {
    let environment =
        resolve_environment(engine, &params.env, params.env_bucket.as_deref(), params.detected_env.as_ref())?;
    let notes = input_cleaning::clean_notes(engine, params.notes.as_deref())?;
    let lookup_id = id_lookup::check_lookup_id(engine, context, params.lookup_id.as_deref())?;
    let shared = shared::find_incident_of_solution(engine, context, &params.solution_id)?;
    let side = match shared {
        Some(_) => engine.project_database_role(),
        None => id_lookup::find_database_of_solution(engine, context, &params.solution_id)?,
    };
    let id = context.create_id("out");
    let body = |tx: &mut Tx<'_>| {
        if let Some(shared) = &shared {
            import_one(engine, context, tx, shared.line.clone())?;
            for id in [&shared.id, params.solution_id.trim()] {
                argus_store::shared_links::link_to_shared(tx, id, id)?;
            }
        }
        let solution = id_lookup::get_solution(engine, tx, &params.solution_id)?;
        let outcome = NewOutcome {
            id: &id,
            solution: solution.key,
            counted_on: find_counted_pattern(&solution),
            worked: params.worked,
            env: environment.json.as_deref(),
            env_bucket: &environment.bucket,
            notes: notes.as_deref(),
            lookup_id,
            run_id: None,
            case_name: None,
            proved_by: None,
            refuted_by: None,
            recorder: engine.recorder(),
            now: context.now_ms,
        };
        outcomes::record_outcomes(tx, &[outcome])?;
        count_on_pattern(context, tx, &solution, params.worked)?;
        ranking::compute_stats(engine, context, tx, &solution, &environment)
    };
    let solution_stats = engine.write_database(side, context, body)?;
    Ok(RecordOutcomeResult {
        ok: true,
        outcome_id: id,
        env_bucket: environment.bucket,
        detected_env: environment.detected,
        solution_stats,
        next_action: build_next_action_after_outcome(params.worked),
    })
}

const fn find_counted_pattern(solution: &Solution) -> Option<patterns::PatternKey> {
    match solution.owner {
        DocumentOwner::Pattern(key) => Some(key),
        DocumentOwner::Incident(_) => None,
    }
}

/// Counts an outcome of a pattern's solution on the pattern, as a reported fix does. A solution that a person marked
/// as wrong does not count.
fn count_on_pattern(
    context: &CallContext,
    tx: &mut Tx<'_>,
    solution: &Solution,
    worked: bool,
) -> Result<(), EngineError> {
    let DocumentOwner::Pattern(key) = solution.owner else { return Ok(()) };
    if worked
        && !solution.is_wrong
        && let Some(mut pattern) = patterns::get(tx, key)?
    {
        patterns::count_resolution(tx, &mut pattern, context.now_ms)?;
    }
    Ok(solutions::update_best_solution(tx, key)?)
}
