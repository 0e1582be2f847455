//! `add_solution`: adds another fix to an incident or a pattern, or the same fix for another environment. Outcomes
//! record whether it works.

use crate::{
    Engine, EngineError,
    contract::{AddSolutionParams, AddSolutionResult, NextActionType},
    memory::{environment::resolve_environment, id_lookup, input_cleaning, next_action_texts::build_next_action},
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    solutions::{self, NewSolution},
};

/// Adds the solution where the incident is stored. Equal steps for the same environment are stored once.
pub fn add_solution(
    engine: &Engine,
    context: &CallContext,
    params: &AddSolutionParams,
) -> Result<AddSolutionResult, EngineError> {
    let steps = input_cleaning::clean_steps(engine, &params.steps)?;
    let environment =
        resolve_environment(engine, &params.env, params.env_bucket.as_deref(), params.detected_env.as_ref())?;
    id_lookup::check_lookup_id(engine, context, params.lookup_id.as_deref())?;
    let side = id_lookup::find_database_of_owner(engine, context, &params.incident_id)?;
    let id = context.create_id("sol");
    let body = |tx: &mut Tx<'_>| {
        let new = NewSolution {
            id: &id,
            owner: id_lookup::get_owner(engine, tx, &params.incident_id)?,
            steps: &steps,
            digest: &input_cleaning::steps_digest(&steps),
            env: environment.json.as_deref(),
            env_bucket: &environment.bucket,
            recorder: engine.recorder(),
            now: context.now_ms,
        };
        Ok(solutions::add(tx, &new)?)
    };
    let (solution, created) = engine.write_database(side, context, body)?;
    Ok(AddSolutionResult {
        solution_id: solution.id,
        env_bucket: solution.env_bucket,
        created,
        detected_env: environment.detected,
        next_action: build_next_action(NextActionType::RecordOutcomeForNewSolution),
    })
}
