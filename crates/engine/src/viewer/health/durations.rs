//! Finds slow tests and tests that became slower. Only passes at the first attempt count, because a failure can end
//! early or at a timeout and does not show how long the test takes.

use super::saturate_to_u32;
use crate::contract::{EarlierDuration, TestDuration};
use argus_core::stable_sort::StableSort;
use argus_store::runs::{Run, RunKey, trends::PassDuration};
use std::collections::{BTreeMap, HashMap};

/// Maximum number of runs whose durations are read, newest first.
const MAX_RUNS: usize = 30;
/// Maximum number of cases in these runs. If there are more, the oldest runs are left out.
const MAX_CASES: u32 = 200_000;
/// Minimum duration of a listed test, and minimum growth of a test that became slower, in milliseconds.
pub(super) const MIN_DURATION_MS: f64 = 50.0;
/// Number of runs of a test that count as its newest runs.
const NEWEST_RUNS: usize = 5;
/// Minimum number of newest runs, because a median of fewer runs is mostly chance.
const MIN_NEWEST_RUNS: usize = 3;
/// Minimum number of runs before the newest runs, because a median of fewer runs is mostly chance.
const MIN_RUNS_BEFORE: usize = 5;
/// Minimum growth of a test that became slower, as a factor.
const MIN_GROWTH_FACTOR: f64 = 1.25;
/// Share of the newest runs that must reach the growth, and share of the older runs that must be below the newest
/// median. A test that is only sometimes slow fails at least one of the two conditions.
const MIN_SHARE_OF_RUNS: f64 = 0.75;
/// Maximum number of tests in a list.
const MAX_LISTED: usize = 10;

/// Returns the number of newest runs whose durations are read.
pub(super) fn count_runs_to_read(newest: &[(RunKey, Run)]) -> u32 {
    let mut cases = 0_u32;
    let is_read = |(_, run): &&(RunKey, Run)| {
        cases = cases.saturating_add(run.passed + run.failed + run.skipped);
        cases <= MAX_CASES
    };
    let read = newest.iter().take(MAX_RUNS).take_while(is_read).count();
    // The newest run is always read, even if it is too large.
    saturate_to_u32(read.max(usize::from(!newest.is_empty())))
}

/// Returns the slowest tests, and the tests that became slower.
pub(super) fn list_slow_tests(
    newest: &[(RunKey, Run)],
    found: Vec<PassDuration>,
) -> (Vec<TestDuration>, Vec<TestDuration>) {
    let at: BTreeMap<RunKey, usize> =
        newest.iter().take(MAX_RUNS).enumerate().map(|(at, (key, _))| (*key, at)).collect();
    let mut tests: HashMap<String, BTreeMap<usize, f64>> = HashMap::new();
    for PassDuration { run, name, ms } in found {
        let Some(&at) = at.get(&run) else { continue };
        // If several cases have the same name, the longest duration counts.
        let known = tests.entry(name).or_default().entry(at).or_default();
        *known = known.max(ms);
    }
    let known = |(name, by_run): (String, BTreeMap<usize, f64>)| {
        let newest_first: Vec<f64> = by_run.into_values().collect();
        compute_duration(name, &newest_first)
    };
    let known: Vec<(TestDuration, bool)> = tests.into_iter().filter_map(known).collect();
    let slower = known.iter().filter(|(_, is_slower)| *is_slower).map(|(test, _)| test.clone()).collect();
    let slowest = known.into_iter().map(|(test, _)| test).collect();
    (take_longest(slowest, |test| test.median_ms), take_longest(slower, compute_growth_ms))
}

/// Returns the durations of a test, and whether the test became slower. Returns `None` if the test is too fast or has
/// too few runs. `newest_first` contains milliseconds.
fn compute_duration(case_name: String, newest_first: &[f64]) -> Option<(TestDuration, bool)> {
    let (newest, older) = newest_first.split_at(newest_first.len().min(NEWEST_RUNS));
    let median_ms = median(newest.to_vec()).filter(|ms| *ms >= MIN_DURATION_MS && newest.len() >= MIN_NEWEST_RUNS)?;
    let is_known = older.len() >= MIN_RUNS_BEFORE;
    let before = median(older.to_vec()).filter(|_| is_known);
    let is_slower = before.is_some_and(|before| {
        let limit = (before * MIN_GROWTH_FACTOR).max(before + MIN_DURATION_MS);
        holds_for_most(newest, |ms| ms >= limit) && holds_for_most(older, |ms| ms < median_ms)
    });
    let before = before.map(|median_ms| EarlierDuration { median_ms, runs: saturate_to_u32(older.len()) });
    Some((TestDuration { case_name, median_ms, runs: saturate_to_u32(newest.len()), before }, is_slower))
}

fn holds_for_most(runs: &[f64], holds: impl Fn(f64) -> bool) -> bool {
    let count = runs.iter().filter(|ms| holds(**ms)).count();
    f64::from(saturate_to_u32(count)) >= MIN_SHARE_OF_RUNS * f64::from(saturate_to_u32(runs.len()))
}

/// Returns by how many milliseconds the test became slower.
fn compute_growth_ms(test: &TestDuration) -> f64 {
    test.median_ms - test.before.as_ref().map_or(0.0, |before| before.median_ms)
}

fn take_longest(mut tests: Vec<TestDuration>, sort_value: impl Fn(&TestDuration) -> f64) -> Vec<TestDuration> {
    tests.stable_sort_by(|one, other| {
        sort_value(other).total_cmp(&sort_value(one)).then_with(|| one.case_name.cmp(&other.case_name))
    });
    tests.truncate(MAX_LISTED);
    tests
}

/// Returns the median. For an even number of values, the median is the mean of the two middle values.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    let lower = if values.len().is_multiple_of(2) { values[middle - 1] } else { upper };
    Some(f64::midpoint(lower, upper))
}
