//! Summarizes a database in a few numbers, and returns the trend of its runs.

use crate::{
    Engine, EngineError,
    answer::view,
    contract::{NoParams, TrendPoint, ViewOverview, ViewTrendParams, ViewTrendResult},
    memory::finding::browse,
    runs::history,
};
use argus_core::{Ambient, builtin::BUILTINS};
use argus_store::{
    Tx, patterns,
    runs::{self, RunFilter},
};

const DEFAULT_POINTS: u32 = 100;
const MAX_POINTS: u32 = 1000;

/// Returns the numbers for the header of the page.
pub fn view_overview(engine: &Engine, ambient: &Ambient, _: &NoParams) -> Result<ViewOverview, EngineError> {
    let incidents = browse::count(engine, ambient)?;
    let body = |tx: &mut Tx<'_>| -> Result<ViewOverview, EngineError> {
        let learned = patterns::learned_counts(tx)?.iter().map(|(_, count)| count).sum();
        let newest = runs::newest(tx, 1)?.into_iter().next();
        Ok(ViewOverview {
            patterns: learned + super::size(BUILTINS.len()),
            learned_patterns: learned,
            runs: runs::count(tx, RunFilter::default())?,
            incidents,
            latest_run: newest.map(|(_, run)| view::run(run)),
        })
    };
    engine.read(ambient, body)
}

/// Returns the newest runs, oldest first.
pub fn view_trend(
    engine: &Engine,
    ambient: &Ambient,
    params: &ViewTrendParams,
) -> Result<ViewTrendResult, EngineError> {
    let count = history::page("runs", params.runs, DEFAULT_POINTS, MAX_POINTS)?;
    let body = |tx: &mut Tx<'_>| Ok(runs::list(tx, RunFilter::default(), count, 0)?);
    let newest = engine.read(ambient, body)?;
    Ok(ViewTrendResult { points: newest.into_iter().rev().map(point).collect() })
}

fn point(run: runs::Run) -> TrendPoint {
    let run = view::run(run);
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
