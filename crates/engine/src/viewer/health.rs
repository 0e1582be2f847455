//! The health of a project's tests. The amount of data read does not grow with the database, because the numbers of
//! runs and of cases are limited.

mod durations;
mod trend;

use super::{cut, first, page, size};
use crate::{
    Engine, EngineError,
    answer::moment::iso,
    contract::{
        FixesResult, HealthParams, HealthResult, HealthTest, LastFailure, NoParams, TestDuration, TestEvidence,
        TestsParams,
    },
    evidence::{fixes, test_states},
    runs::history::is_more,
};
use argus_core::{Ambient, evidence::state::TestState};
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

/// Returns the health for its page.
pub fn health(engine: &Engine, ambient: &Ambient, params: &HealthParams) -> Result<HealthResult, EngineError> {
    let (limit, offset) = page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let tests = unhealthy_tests(engine, ambient)?;
    let count = |state: TestState| size(tests.iter().filter(|test| test.state == state).count());
    let [broken, flaky, order, environment] =
        [TestState::Broken, TestState::Flaky, TestState::Order, TestState::Environment].map(count);
    let total = size(tests.len());
    let listed = cut(tests, limit, offset);
    let FixesResult { fixes, reported, shared } = fixes::fixes(engine, ambient, &NoParams {})?;
    let (fixes, more_found) = first(fixes, MAX_FIXES);
    let (reported, more_reported) = first(reported, MAX_FIXES);
    let (shared, more_shared) = first(shared, MAX_FIXES);
    let read = engine.read(ambient, |tx: &mut Tx<'_>| read(tx, listed))?;
    let (by, points) = trend::points(&read.newest, &read.by_chance, params.by);
    Ok(HealthResult {
        runs: read.runs,
        has_more: is_more(offset, read.tests.len(), total),
        tests: read.tests,
        total,
        broken,
        flaky,
        order,
        environment,
        by,
        points,
        duration_runs: read.duration_runs,
        least_ms: durations::MIN_MS,
        slowest: read.slowest,
        slower: read.slower,
        fixes,
        reported,
        shared,
        more_fixes: more_found + more_reported + more_shared,
    })
}

/// Returns the unhealthy tests, most urgent first.
pub(super) fn unhealthy_tests(engine: &Engine, ambient: &Ambient) -> Result<Vec<TestEvidence>, EngineError> {
    let all = TestsParams { limit: Some(MAX_UNHEALTHY), ..TestsParams::default() };
    // Unhealthy tests come first, so the limit cuts them last.
    let mut tests = test_states::tests(engine, ambient, &all)?.tests;
    tests.retain(|test| test.state != TestState::Healthy);
    Ok(tests)
}

/// Data from the tables of runs.
struct Read {
    runs: u32,
    /// Newest first.
    newest: Vec<(RunKey, Run)>,
    by_chance: trend::ByChance,
    duration_runs: u32,
    slowest: Vec<TestDuration>,
    slower: Vec<TestDuration>,
    tests: Vec<HealthTest>,
}

fn read(tx: &mut Tx<'_>, listed: Vec<TestEvidence>) -> Result<Read, EngineError> {
    let runs = runs::count(tx, RunFilter::default())?;
    let mut newest = runs::newest(tx, MAX_TREND_RUNS)?;
    newest.retain(|(_, run)| !run.is_foreign);
    let by_chance = trend::by_chance(tx, &newest)?;
    let duration_runs = durations::runs_read(&newest);
    let found = trends::pass_durations(tx, duration_runs, durations::MIN_MS)?;
    let (slowest, slower) = durations::lists(&newest, found);
    let tests = with_last_failures(tx, listed)?;
    Ok(Read { runs, newest, by_chance, duration_runs, slowest, slower, tests })
}

/// Adds the last failure to each test.
pub(super) fn with_last_failures(tx: &mut Tx<'_>, tests: Vec<TestEvidence>) -> Result<Vec<HealthTest>, EngineError> {
    let names: Vec<&str> = tests.iter().map(|test| test.case_name.as_str()).collect();
    let last = trends::last_failures(tx, &names)?;
    let test = |(evidence, last): (TestEvidence, Option<(String, i64)>)| HealthTest {
        evidence,
        last_failure: last.map(|(run_id, started_at)| LastFailure { run_id, timestamp: iso(started_at) }),
    };
    Ok(tests.into_iter().zip(last).map(test).collect())
}
