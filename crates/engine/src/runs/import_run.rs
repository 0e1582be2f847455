//! Imports a run that was recorded elsewhere, for example by CI, and returns the verdicts on its failures. Importing
//! the same run again has no effect.

use super::record_run::record_with_id;
use crate::{
    Engine, EngineError, ErrorCode,
    contract::{CaseVerdict, HistoricRun, ImportRunParams, RunStatus},
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    runs::{self, cases},
};

/// Records the run, unless a run with its id is already stored.
pub fn import_run(
    engine: &Engine,
    context: &CallContext,
    params: &ImportRunParams,
) -> Result<HistoricRun, EngineError> {
    if params.id.is_empty() {
        return Err(EngineError::invalid_input(
            "A run of a history needs an id, so that a second import recognizes it.",
        ));
    }
    let id = local_run_id(&engine.analyzer.redact(&params.id));
    if let Some(run) = find_stored_run(engine, context, &id)? {
        return Ok(HistoricRun { was_known: true, ..run });
    }
    record_with_id(engine, context, &params.run, id.clone())?;
    let recorded = find_stored_run(engine, context, &id)?;
    recorded.ok_or_else(|| EngineError::new(ErrorCode::InternalError, "A run that was just recorded is not there."))
}

fn find_stored_run(engine: &Engine, context: &CallContext, id: &str) -> Result<Option<HistoricRun>, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<_, EngineError> {
        let Some((key, run)) = runs::find_by_id(tx, id)? else { return Ok(None) };
        Ok(Some((run, cases::list_verdicts(tx, key, u32::MAX)?)))
    };
    let Some((run, verdicts)) = engine.read(context, body)? else { return Ok(None) };
    let verdict = |json: String| serde_json::from_str::<CaseVerdict>(&json).ok();
    Ok(Some(HistoricRun {
        run_id: run.id,
        was_known: false,
        status: if run.has_failed { RunStatus::Failed } else { RunStatus::Passed },
        failures: verdicts.into_iter().filter_map(verdict).collect(),
    }))
}

/// Converts the id of an imported run into a local run id.
fn local_run_id(imported_id: &str) -> String {
    let id: String =
        imported_id.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    if id.starts_with("run-") { id } else { format!("run-{id}") }
}
