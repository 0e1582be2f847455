//! What a database holds, in a few numbers, and runs as a curve.

use crate::{
    Engine, EngineError,
    answer::view,
    contract::{NoParams, TrendPoint, ViewOverview, ViewTrendParams, ViewTrendResult},
    memory::finding::browse,
    runs::history,
};
use argus_core::{Ambient, builtin::BUILTINS};
use argus_store::{
    Database, patterns,
    runs::{self, RunFilter},
};

/// Points of a curve.
const DEFAULT_POINTS: u32 = 100;
/// At most.
const MAX_POINTS: u32 = 1000;

/// For the head of a page.
pub async fn view_overview<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    _: &NoParams,
) -> Result<ViewOverview, EngineError> {
    let incidents = browse::count(engine, ambient).await?;
    let body = async |tx: &mut D::Tx<'_>| -> Result<ViewOverview, EngineError> {
        let learned = patterns::learned_counts(tx).await?.iter().map(|(_, count)| count).sum();
        let newest = runs::newest(tx, 1).await?.into_iter().next();
        Ok(ViewOverview {
            patterns: learned + super::size(BUILTINS.len()),
            learned_patterns: learned,
            runs: runs::count(tx, RunFilter::default()).await?,
            incidents,
            latest_run: newest.map(|(_, run)| view::run(run)),
        })
    };
    engine.read(ambient, body).await
}

/// The newest runs, oldest first.
pub async fn view_trend<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    params: &ViewTrendParams,
) -> Result<ViewTrendResult, EngineError> {
    let count = history::page("runs", params.runs, DEFAULT_POINTS, MAX_POINTS)?;
    let body = async |tx: &mut D::Tx<'_>| Ok(runs::list(tx, RunFilter::default(), count, 0).await?);
    let newest = engine.read(ambient, body).await?;
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
