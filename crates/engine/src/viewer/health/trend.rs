//! Computes the trends of pass rate, duration and flaky tests over time.

use super::{durations::median, saturate_to_u32};
use crate::{
    EngineError,
    answer::time_format::{DAY_MS, format_iso},
    contract::{HealthPoint, HealthUnit},
};
use argus_store::{
    Tx,
    runs::{Run, RunKey, trends},
};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of days for a curve with one point per day. With fewer days, a point per run shows more.
const MIN_DAYS_FOR_DAILY_POINTS: usize = 14;
/// Maximum number of failures whose verdicts are read, because each failure is a row with long texts. The newest runs
/// are read first, and no run is read in part.
const MAX_JUDGED_FAILURES: u32 = 5_000;

/// Number of failures by chance in each of the newest runs.
pub(super) struct ChanceFailures {
    failures: BTreeMap<RunKey, u32>,
    /// Number of newest runs for which `failures` is complete.
    complete_runs: usize,
}

pub(super) fn count_chance_failures(tx: &mut Tx<'_>, newest: &[(RunKey, Run)]) -> Result<ChanceFailures, EngineError> {
    let (mut complete_runs, mut failed_runs, mut failures) = (0, 0, 0_u32);
    for (_, run) in newest {
        failures = failures.saturating_add(run.failed);
        if failures > MAX_JUDGED_FAILURES {
            break;
        }
        complete_runs += 1;
        failed_runs += u32::from(run.failed > 0);
    }
    let failures = trends::count_flaky_failures(tx, failed_runs)?.into_iter().collect();
    Ok(ChanceFailures { failures, complete_runs })
}

/// Returns the points of the curve, oldest first.
pub(super) fn build_points(
    newest: &[(RunKey, Run)],
    by_chance: &ChanceFailures,
    requested_unit: Option<HealthUnit>,
) -> (HealthUnit, Vec<HealthPoint>) {
    let day = |run: &Run| run.started_at.div_euclid(DAY_MS);
    let days: BTreeSet<i64> = newest.iter().map(|(_, run)| day(run)).collect();
    let default_unit = if days.len() >= MIN_DAYS_FOR_DAILY_POINTS { HealthUnit::Day } else { HealthUnit::Run };
    let by = requested_unit.unwrap_or(default_unit);
    let is_same_point =
        |a: &(usize, &(RunKey, Run)), b: &(usize, &(RunKey, Run))| by == HealthUnit::Day && day(&a.1.1) == day(&b.1.1);
    let numbered: Vec<(usize, &(RunKey, Run))> = newest.iter().enumerate().collect();
    let mut points: Vec<_> = numbered.chunk_by(is_same_point).filter_map(|runs| build_point(runs, by_chance)).collect();
    points.reverse();
    (by, points)
}

/// Returns the point of the given runs, which are numbered and sorted newest first.
fn build_point(runs: &[(usize, &(RunKey, Run))], by_chance: &ChanceFailures) -> Option<HealthPoint> {
    let (_, (_, newest)) = runs.first()?;
    let (oldest_at, _) = runs.last()?;
    let sum = |of: fn(&Run) -> u32| -> f64 { runs.iter().map(|(_, (_, run))| f64::from(of(run))).sum() };
    let (passed, ran) = (sum(|run| run.passed), sum(|run| run.passed) + sum(|run| run.failed));
    let durations = runs.iter().map(|(_, (_, run))| run.duration_ms).filter(|ms| *ms > 0.0).collect();
    let failures = |(_, (key, _)): &(usize, &(RunKey, Run))| by_chance.failures.get(key).copied().unwrap_or(0);
    let flaky = sum(|run| run.flaky) + runs.iter().map(failures).map(f64::from).sum::<f64>();
    let count = saturate_to_u32(runs.len());
    Some(HealthPoint {
        timestamp: format_iso(newest.started_at),
        run_id: newest.id.clone(),
        runs: count,
        pass_rate: (ran > 0.0).then(|| passed / ran),
        duration_ms: median(durations),
        flaky: (*oldest_at < by_chance.complete_runs).then(|| flaky / f64::from(count)),
    })
}
