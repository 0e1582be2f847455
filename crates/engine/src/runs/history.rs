//! Lists recorded runs, and the cases of a run.

use crate::{
    Engine, EngineError,
    answer::{row_conversion, time_format},
    contract::{HistoryParams, HistoryResult, RunDetail, RunDetailParams, RunStatus},
    evidence::evidence_rows,
    failures::lookup,
    limits::{DEFAULT_RUNS, MAX_RUNS},
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    runs::{self, RunFilter, cases},
};

/// Returns a page of runs, newest first.
pub fn history(engine: &Engine, context: &CallContext, params: &HistoryParams) -> Result<HistoryResult, EngineError> {
    let limit = check_page_limit("limit", params.limit, DEFAULT_RUNS, MAX_RUNS)?;
    let offset = params.offset.unwrap_or(0);
    let filter = RunFilter {
        has_failed: params.status.map(|status| status == RunStatus::Failed),
        since: params.days.map(|days| context.now_ms.saturating_sub(i64::from(days) * time_format::DAY_MS)),
    };
    let body = |tx: &mut Tx<'_>| -> Result<HistoryResult, EngineError> {
        let total = runs::count(tx, filter)?;
        let mut runs: Vec<_> =
            runs::list(tx, filter, limit, offset)?.into_iter().map(row_conversion::convert_run).collect();
        let mut trees = evidence_rows::load_trees(tx)?;
        for run in &mut runs {
            run.tree = trees.remove(&run.id);
        }
        Ok(HistoryResult { has_more: has_more_after(offset, runs.len(), total), runs, total })
    };
    engine.read(context, body)
}

/// Returns a run with a page of its cases: failed cases first, then flaky cases, then the rest.
pub fn run_detail(engine: &Engine, context: &CallContext, params: &RunDetailParams) -> Result<RunDetail, EngineError> {
    let limit = check_page_limit("limit", params.limit, 100, 1000)?;
    let offset = params.offset.unwrap_or(0);
    let body = |tx: &mut Tx<'_>| -> Result<RunDetail, EngineError> {
        let (key, run) = lookup::find_run(tx, &params.run_id)?;
        let total = run.passed + run.failed + run.skipped;
        let cases: Vec<_> =
            cases::list(tx, key, limit, offset)?.into_iter().map(row_conversion::convert_case).collect();
        Ok(RunDetail {
            run: row_conversion::convert_run(run),
            has_more: has_more_after(offset, cases.len(), total),
            cases,
            total,
        })
    };
    engine.read(context, body)
}

/// Checks a page size. Returns an error if it is outside of 1 to `max`.
pub(crate) fn check_page_limit(field: &str, limit: Option<u32>, default: u32, max: u32) -> Result<u32, EngineError> {
    match limit {
        None => Ok(default),
        Some(limit) if (1..=max).contains(&limit) => Ok(limit),
        Some(limit) => Err(EngineError::invalid_input(format!("{field} is {limit}; it must be from 1 to {max}."))),
    }
}

pub(crate) fn has_more_after(offset: u32, shown: usize, total: u32) -> bool {
    u64::from(offset) + (shown as u64) < u64::from(total)
}
