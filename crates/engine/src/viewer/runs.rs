//! Lists runs.

use super::page;
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{RunStatus, ViewRunsParams, ViewRunsResult},
    runs::history::is_more,
};
use argus_core::Ambient;
use argus_store::{
    Tx,
    runs::{self, RunFilter},
};

const DEFAULT_LIMIT: u32 = 50;

/// Returns a page of runs, newest first.
pub fn view_runs(engine: &Engine, ambient: &Ambient, params: &ViewRunsParams) -> Result<ViewRunsResult, EngineError> {
    let (limit, offset) = page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let has_failed = params.status.map(|status| status == RunStatus::Failed);
    let filter = RunFilter { has_failed, since: None };
    let body = |tx: &mut Tx<'_>| -> Result<ViewRunsResult, EngineError> {
        let total = runs::count(tx, filter)?;
        let runs: Vec<_> = runs::list(tx, filter, limit, offset)?.into_iter().map(view::run).collect();
        Ok(ViewRunsResult { has_more: is_more(offset, runs.len(), total), runs, total })
    };
    engine.read(ambient, body)
}
