//! The grid of tests and runs, which shows flaky and broken tests. A test is judged only from the runs in the grid.

use super::{check_page, clean_filter_text, saturate_to_u32, take_page};
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{CaseState, GridFilter, GridTest, ViewGridParams, ViewGridResult},
    runs::history::{self, has_more_after},
};
use argus_core::{CallContext, stable_sort::StableSort};
use argus_store::{
    Tx,
    runs::{
        self, Run,
        case_history::{self, CaseOutcome},
    },
};
use std::collections::{BTreeMap, HashMap};

/// Default number of runs, which are the columns.
const DEFAULT_RUNS: u32 = 20;
const MAX_RUNS: u32 = 50;
/// Default number of tests on a page, which are the rows.
const DEFAULT_TESTS: u32 = 100;
/// Maximum number of cases in a grid. If the runs have more, the oldest runs are left out.
const MAX_CASES: u32 = 60_000;

/// Returns the newest runs and a page of their tests.
pub fn view_grid(
    engine: &Engine,
    context: &CallContext,
    params: &ViewGridParams,
) -> Result<ViewGridResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_TESTS, params.offset)?;
    let requested_runs = history::check_page_limit("runs", params.runs, DEFAULT_RUNS, MAX_RUNS)?;
    let filter = clean_filter_text(params.text.as_deref()).map(|filter| filter.to_lowercase());
    let (runs, found, shortened) = engine.read(context, |tx: &mut Tx<'_>| read_outcomes(tx, requested_runs))?;
    let commits = number_commits(&runs);
    let mut tests: Vec<TestRow> = found
        .into_iter()
        .filter(|(name, _)| filter.as_ref().is_none_or(|filter| name.to_lowercase().contains(filter)))
        .map(|(name, states)| TestRow::from_outcomes(name, states, &commits))
        .collect();
    let (flaky, broken) = (count_tests(&tests, |test| test.flaky), count_tests(&tests, |test| test.broken));
    tests.retain(|test| match params.only {
        None => true,
        Some(GridFilter::Flaky) => test.flaky,
        Some(GridFilter::Broken) => test.broken,
    });
    tests.stable_sort_by(|a, b| {
        let urgent = |test: &TestRow| (test.broken, test.flaky, test.failures);
        urgent(b).cmp(&urgent(a)).then_with(|| a.name.cmp(&b.name))
    });
    let total = saturate_to_u32(tests.len());
    let tests: Vec<GridTest> =
        take_page(tests, limit, offset).into_iter().map(|test| test.into_contract(runs.len())).collect();
    Ok(ViewGridResult {
        runs: runs.into_iter().map(row_conversion::convert_run).collect(),
        has_more: has_more_after(offset, tests.len(), total),
        tests,
        total,
        flaky,
        broken,
        shortened,
    })
}

/// Converts the outcome of a case to the type of the answers.
pub(crate) const fn convert_outcome(state: CaseOutcome) -> CaseState {
    match state {
        CaseOutcome::Failed => CaseState::Failed,
        CaseOutcome::Flaky => CaseState::Flaky,
        CaseOutcome::Passed => CaseState::Passed,
        CaseOutcome::Skipped => CaseState::Skipped,
    }
}

/// The outcomes of each test with their columns.
type OutcomesByTest = HashMap<String, Vec<(usize, CaseOutcome)>>;

fn read_outcomes(tx: &mut Tx<'_>, requested_runs: u32) -> Result<(Vec<Run>, OutcomesByTest, bool), EngineError> {
    let mut newest = runs::list_newest(tx, requested_runs)?;
    newest.retain(|(_, run)| !run.is_foreign);
    let (all, mut columns, mut found, mut cases) = (newest.len(), Vec::new(), OutcomesByTest::new(), 0_u32);
    for (key, run) in newest {
        cases = cases.saturating_add(run.passed + run.failed + run.skipped);
        if cases > MAX_CASES && !columns.is_empty() {
            break;
        }
        for (name, state) in case_history::list_outcomes(tx, key)? {
            found.entry(name).or_default().push((columns.len(), state));
        }
        columns.push(run);
    }
    let shortened = columns.len() < all;
    Ok((columns, found, shortened))
}

/// Returns a number for the code of each run, so that runs of the same clean commit have the same number. The
/// number is `None` if the commit is unknown or the work tree was dirty.
fn number_commits(runs: &[Run]) -> Vec<Option<usize>> {
    let mut known = BTreeMap::new();
    let mut number = |run: &Run| {
        let commit = run.git_commit.clone().filter(|_| run.git_dirty == Some(false))?;
        let next = known.len();
        Some(*known.entry(commit).or_insert(next))
    };
    runs.iter().map(&mut number).collect()
}

fn count_tests(tests: &[TestRow], matches: impl Fn(&TestRow) -> bool) -> u32 {
    saturate_to_u32(tests.iter().filter(|test| matches(test)).count())
}

struct TestRow {
    name: String,
    /// Outcomes with their columns. If a run has several cases with this name, only the worst outcome.
    states: Vec<(usize, CaseOutcome)>,
    flaky: bool,
    broken: bool,
    failures: u32,
}

impl TestRow {
    /// Keeps the first outcome of each column, which is the worst, because the cases of a run are sorted with failures
    /// first.
    fn from_outcomes(name: String, mut states: Vec<(usize, CaseOutcome)>, commits: &[Option<usize>]) -> Self {
        states.dedup_by_key(|(column, _)| *column);
        let ran = states.iter().filter(|(_, state)| *state != CaseOutcome::Skipped).count();
        let failures = states.iter().filter(|(_, state)| *state == CaseOutcome::Failed).count();
        let flaky = states.iter().any(|(_, state)| *state == CaseOutcome::Flaky)
            || (failures > 0 && failures < ran && has_mixed_outcomes(&states, commits));
        let broken = !flaky && failures == ran && failures > 1;
        Self { name, states, flaky, broken, failures: saturate_to_u32(failures) }
    }

    fn into_contract(self, columns: usize) -> GridTest {
        let mut states = vec![CaseState::Absent; columns];
        for (column, state) in self.states {
            states[column] = convert_outcome(state);
        }
        GridTest { case_name: self.name, states, flaky: self.flaky, broken: self.broken, failures: self.failures }
    }
}

/// Returns `true` if the test both failed and passed on the same code.
fn has_mixed_outcomes(states: &[(usize, CaseOutcome)], commits: &[Option<usize>]) -> bool {
    let code = |wanted: CaseOutcome| {
        let of = states.iter().filter(move |(_, state)| *state == wanted);
        of.filter_map(|(column, _)| commits[*column])
    };
    code(CaseOutcome::Failed).any(|failed| code(CaseOutcome::Passed).any(|passed| passed == failed))
}
