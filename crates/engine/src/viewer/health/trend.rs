//! Computes the trend of runs over time.

use super::{durations::median, size};
use crate::{
    EngineError,
    answer::moment::{DAY_MS, iso},
    contract::{HealthPoint, HealthUnit},
};
use argus_store::{
    Tx,
    runs::{Run, RunKey, trends},
};
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of days for a curve by day. With fewer days, a curve by run shows more.
const MIN_DAYS: usize = 14;
/// Maximum number of failures whose verdicts are read, because each is a row with long texts. Only whole runs are
/// read, newest first.
const MAX_JUDGED_FAILURES: u32 = 5_000;

/// Number of random failures in the newest runs.
pub(super) struct ByChance {
    failures: BTreeMap<RunKey, u32>,
    /// Number of newest runs for which `failures` is complete.
    known: usize,
}

pub(super) fn by_chance(tx: &mut Tx<'_>, newest: &[(RunKey, Run)]) -> Result<ByChance, EngineError> {
    let (mut known, mut failed_runs, mut failures) = (0, 0, 0_u32);
    for (_, run) in newest {
        failures = failures.saturating_add(run.failed);
        if failures > MAX_JUDGED_FAILURES {
            break;
        }
        known += 1;
        failed_runs += u32::from(run.failed > 0);
    }
    let failures = trends::failures_by_chance(tx, failed_runs)?.into_iter().collect();
    Ok(ByChance { failures, known })
}

/// Returns the points of the curve, oldest first.
pub(super) fn points(
    newest: &[(RunKey, Run)],
    by_chance: &ByChance,
    asked: Option<HealthUnit>,
) -> (HealthUnit, Vec<HealthPoint>) {
    let day = |run: &Run| run.started_at.div_euclid(DAY_MS);
    let days: BTreeSet<i64> = newest.iter().map(|(_, run)| day(run)).collect();
    let usual = if days.len() >= MIN_DAYS { HealthUnit::Day } else { HealthUnit::Run };
    let by = asked.unwrap_or(usual);
    let is_one = |one: &(usize, &(RunKey, Run)), other: &(usize, &(RunKey, Run))| {
        by == HealthUnit::Day && day(&one.1.1) == day(&other.1.1)
    };
    let numbered: Vec<(usize, &(RunKey, Run))> = newest.iter().enumerate().collect();
    let mut points: Vec<_> = numbered.chunk_by(is_one).filter_map(|runs| point(runs, by_chance)).collect();
    points.reverse();
    (by, points)
}

/// Returns the point of the given runs, which are numbered and sorted newest first.
fn point(runs: &[(usize, &(RunKey, Run))], by_chance: &ByChance) -> Option<HealthPoint> {
    let (_, (_, newest)) = runs.first()?;
    let (oldest_at, _) = runs.last()?;
    let sum = |of: fn(&Run) -> u32| -> f64 { runs.iter().map(|(_, (_, run))| f64::from(of(run))).sum() };
    let (passed, ran) = (sum(|run| run.passed), sum(|run| run.passed) + sum(|run| run.failed));
    let durations = runs.iter().map(|(_, (_, run))| run.duration_ms).filter(|ms| *ms > 0.0).collect();
    let failures = |(_, (key, _)): &(usize, &(RunKey, Run))| by_chance.failures.get(key).copied().unwrap_or(0);
    let flaky = sum(|run| run.flaky) + runs.iter().map(failures).map(f64::from).sum::<f64>();
    let count = size(runs.len());
    Some(HealthPoint {
        timestamp: iso(newest.started_at),
        run_id: newest.id.clone(),
        runs: count,
        pass_rate: (ran > 0.0).then(|| passed / ran),
        duration_ms: median(durations),
        flaky: (*oldest_at < by_chance.known).then(|| flaky / f64::from(count)),
    })
}
