//! Looks up known fixes for the failures of a run that another memory records.

use super::{collect::collect_cases, failure_selection::select_failures, known_names::KnownNames};
use crate::{
    Engine, EngineError,
    contract::{FailureBrief, RecordRunParams},
};
use argus_core::CallContext;
use argus_store::Tx;

/// Returns the failures in the form in which `record_run` returns them. Stores nothing.
pub fn known_failures(
    engine: &Engine,
    context: &CallContext,
    params: &RecordRunParams,
) -> Result<Vec<FailureBrief>, EngineError> {
    let collected = collect_cases(engine, params, &KnownNames::default())?;
    let body = |tx: &mut Tx<'_>| {
        Ok(select_failures(engine, context, tx, &collected.cases, &collected.candidates, &[], &[])?.failures)
    };
    engine.read(context, body)
}
