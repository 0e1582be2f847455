//! The health of a project's tests. The numbers of runs and cases that are read are limited, so the time does not grow
//! with the database.

mod durations;
mod trend;

use super::{check_page, saturate_to_u32, take_first, take_page};
use crate::{
    Engine, EngineError,
    answer::time_format::format_iso,
    contract::{
        FixesResult, HealthParams, HealthResult, LastFailure, NoParams, TestDuration, TestEvidence, TestHealth,
        TestsParams,
    },
    evidence::{fixes, test_states},
    runs::history::has_more_after,
};
use argus_core::{CallContext, evidence::test_state::TestState};
use argus_store::{
    Tx,
    runs::{self, Run, RunFilter, RunKey, trends},
};

/// Default number of tests on a page.
const DEFAULT_LIMIT: u32 = 50;
/// Maximum number of unhealthy tests.
const MAX_UNHEALTHY: u32 = 1_000;
/// Maximum number of runs in the trends.
const MAX_TREND_RUNS: u32 = 1_000;
/// Maximum number of fixes in each list.
const MAX_FIXES: usize = 20;

/// Returns the data of the health page.
pub fn health(engine: &Engine, context: &CallContext, params: &HealthParams) -> Result<HealthResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let tests = list_unhealthy_tests(engine, context)?;
    let count = |state: TestState| saturate_to_u32(tests.iter().filter(|test| test.state == state).count());
    let [broken, flaky, order, environment] =
        [TestState::Broken, TestState::Flaky, TestState::Order, TestState::Environment].map(count);
    let total = saturate_to_u32(tests.len());
    let listed = take_page(tests, limit, offset);
    let FixesResult { fixes, reported, shared } = fixes::fixes(engine, context, &NoParams {})?;
    let (fixes, more_found) = take_first(fixes, MAX_FIXES);
    let (reported, more_reported) = take_first(reported, MAX_FIXES);
    let (shared, more_shared) = take_first(shared, MAX_FIXES);
    let read = engine.read(context, |tx: &mut Tx<'_>| read_run_data(tx, listed))?;
    let (by, points) = trend::build_points(&read.newest, &read.by_chance, params.by);
    Ok(HealthResult {
        runs: read.runs,
        has_more: has_more_after(offset, read.tests.len(), total),
        tests: read.tests,
        total,
        broken,
        flaky,
        order,
        environment,
        by,
        points,
        duration_runs: read.duration_runs,
        least_ms: durations::MIN_DURATION_MS,
        slowest: read.slowest,
        slower: read.slower,
        fixes,
        reported,
        shared,
        more_fixes: more_found + more_reported + more_shared,
    })
}

/// Returns the unhealthy tests, most urgent first.
pub(super) fn list_unhealthy_tests(engine: &Engine, context: &CallContext) -> Result<Vec<TestEvidence>, EngineError> {
    let all = TestsParams { limit: Some(MAX_UNHEALTHY), ..TestsParams::default() };
    // Unhealthy tests come first, so the limit removes healthy tests before them.
    let mut tests = test_states::tests(engine, context, &all)?.tests;
    tests.retain(|test| test.state != TestState::Healthy);
    Ok(tests)
}

/// The data that is read from the tables of runs.
struct RunData {
    runs: u32,
    /// Newest first.
    newest: Vec<(RunKey, Run)>,
    by_chance: trend::ChanceFailures,
    duration_runs: u32,
    slowest: Vec<TestDuration>,
    slower: Vec<TestDuration>,
    tests: Vec<TestHealth>,
}

fn read_run_data(tx: &mut Tx<'_>, listed: Vec<TestEvidence>) -> Result<RunData, EngineError> {
    let runs = runs::count(tx, RunFilter::default())?;
    let mut newest = runs::list_newest(tx, MAX_TREND_RUNS)?;
    newest.retain(|(_, run)| !run.is_foreign);
    let by_chance = trend::count_chance_failures(tx, &newest)?;
    let duration_runs = durations::count_runs_to_read(&newest);
    let found = trends::list_pass_durations(tx, duration_runs, durations::MIN_DURATION_MS)?;
    let (slowest, slower) = durations::list_slow_tests(&newest, found);
    let tests = add_last_failures(tx, listed)?;
    Ok(RunData { runs, newest, by_chance, duration_runs, slowest, slower, tests })
}

/// Adds the last failure to each test.
pub(super) fn add_last_failures(tx: &mut Tx<'_>, tests: Vec<TestEvidence>) -> Result<Vec<TestHealth>, EngineError> {
    let names: Vec<&str> = tests.iter().map(|test| test.case_name.as_str()).collect();
    let last = trends::find_last_failures(tx, &names)?;
    let test = |(evidence, last): (TestEvidence, Option<(String, i64)>)| TestHealth {
        evidence,
        last_failure: last.map(|(run_id, started_at)| LastFailure { run_id, timestamp: format_iso(started_at) }),
    };
    Ok(tests.into_iter().zip(last).map(test).collect())
}
