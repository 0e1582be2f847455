//! Looks up known fixes for the failures of a run that another memory records.

use super::{brief::brief, collect::collect};
use crate::{
    Engine, EngineError,
    contract::{FailureBrief, RecordRunParams},
};
use argus_core::Ambient;
use argus_store::Tx;

/// Returns the failures as recording the run would answer them. Stores nothing.
pub fn known_failures(
    engine: &Engine,
    ambient: &Ambient,
    params: &RecordRunParams,
) -> Result<Vec<FailureBrief>, EngineError> {
    let collected = collect(engine, params)?;
    let body =
        |tx: &mut Tx<'_>| Ok(brief(engine, ambient, tx, &collected.cases, &collected.candidates, &[], &[])?.failures);
    engine.read(ambient, body)
}
