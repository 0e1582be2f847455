//! Lists runs.

use super::check_page;
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{RunStatus, ViewRunsParams, ViewRunsResult},
    runs::history::has_more_after,
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    runs::{self, RunFilter},
};

const DEFAULT_LIMIT: u32 = 50;

/// Returns a page of runs, newest first.
pub fn view_runs(
    engine: &Engine,
    context: &CallContext,
    params: &ViewRunsParams,
) -> Result<ViewRunsResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let has_failed = params.status.map(|status| status == RunStatus::Failed);
    let filter = RunFilter { has_failed, since: None };
    let body = |tx: &mut Tx<'_>| -> Result<ViewRunsResult, EngineError> {
        let total = runs::count(tx, filter)?;
        let runs: Vec<_> =
            runs::list(tx, filter, limit, offset)?.into_iter().map(row_conversion::convert_run).collect();
        Ok(ViewRunsResult { has_more: has_more_after(offset, runs.len(), total), runs, total })
    };
    engine.read(context, body)
}
