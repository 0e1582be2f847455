//! Summarizes a database in a few numbers, and returns the trend of its runs.

use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{NoParams, TrendPoint, ViewOverview, ViewTrendParams, ViewTrendResult},
    memory::finding::browse,
    runs::history,
};
use argus_core::{CallContext, builtin::BUILTIN_PATTERNS};
use argus_store::{
    Tx, patterns,
    runs::{self, RunFilter},
};

const DEFAULT_POINTS: u32 = 100;
const MAX_POINTS: u32 = 1000;

/// Returns the counts for the header of the page.
pub fn view_overview(engine: &Engine, context: &CallContext, _: &NoParams) -> Result<ViewOverview, EngineError> {
    let incidents = browse::count_incidents(engine, context)?;
    let body = |tx: &mut Tx<'_>| -> Result<ViewOverview, EngineError> {
        let learned = patterns::count_learned(tx)?.iter().map(|(_, count)| count).sum();
        let newest = runs::list_newest(tx, 1)?.into_iter().next();
        Ok(ViewOverview {
            patterns: learned + super::saturate_to_u32(BUILTIN_PATTERNS.len()),
            learned_patterns: learned,
            runs: runs::count(tx, RunFilter::default())?,
            incidents,
            latest_run: newest.map(|(_, run)| row_conversion::convert_run(run)),
        })
    };
    engine.read(context, body)
}

/// Returns the newest runs, oldest first.
pub fn view_trend(
    engine: &Engine,
    context: &CallContext,
    params: &ViewTrendParams,
) -> Result<ViewTrendResult, EngineError> {
    let count = history::check_page_limit("runs", params.runs, DEFAULT_POINTS, MAX_POINTS)?;
    let body = |tx: &mut Tx<'_>| Ok(runs::list(tx, RunFilter::default(), count, 0)?);
    let newest = engine.read(context, body)?;
    Ok(ViewTrendResult { points: newest.into_iter().rev().map(build_trend_point).collect() })
}

fn build_trend_point(run: runs::Run) -> TrendPoint {
    let run = row_conversion::convert_run(run);
    let ran = f64::from(run.passed) + f64::from(run.failed);
    TrendPoint {
        run_id: run.id,
        timestamp: run.timestamp,
        duration_ms: run.duration_ms,
        passed: run.passed,
        failed: run.failed,
        skipped: run.skipped,
        flaky: run.flaky,
        status: run.status,
        pass_rate: (ran > 0.0).then(|| f64::from(run.passed) / ran),
    }
}
