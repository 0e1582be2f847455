//! The grid of tests and runs, which shows flaky and broken tests. Only the runs of the grid count.

use super::{cut, page, size, words};
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{CaseState, GridFilter, GridTest, ViewGridParams, ViewGridResult},
    runs::history::{self, is_more},
};
use argus_core::{Ambient, stable_sort::StableSort};
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
const DEFAULT_LIMIT: u32 = 100;
/// Maximum number of cases in a grid. If the runs have more, the oldest runs are left out.
const MAX_CASES: u32 = 60_000;

/// Returns the newest runs and a page of their tests.
pub fn view_grid(engine: &Engine, ambient: &Ambient, params: &ViewGridParams) -> Result<ViewGridResult, EngineError> {
    let (limit, offset) = page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let asked = history::page("runs", params.runs, DEFAULT_RUNS, MAX_RUNS)?;
    let words = words(params.text.as_deref()).map(|words| words.to_lowercase());
    let (runs, found, shortened) = engine.read(ambient, |tx: &mut Tx<'_>| read(tx, asked))?;
    let commits = commits(&runs);
    let mut tests: Vec<Test> = found
        .into_iter()
        .filter(|(name, _)| words.as_ref().is_none_or(|words| name.to_lowercase().contains(words)))
        .map(|(name, states)| Test::of(name, states, &commits))
        .collect();
    let (flaky, broken) = (count(&tests, |test| test.flaky), count(&tests, |test| test.broken));
    tests.retain(|test| match params.only {
        None => true,
        Some(GridFilter::Flaky) => test.flaky,
        Some(GridFilter::Broken) => test.broken,
    });
    tests.stable_sort_by(|a, b| {
        let urgent = |test: &Test| (test.broken, test.flaky, test.failures);
        urgent(b).cmp(&urgent(a)).then_with(|| a.name.cmp(&b.name))
    });
    let total = size(tests.len());
    let tests: Vec<GridTest> = cut(tests, limit, offset).into_iter().map(|test| test.shown(runs.len())).collect();
    Ok(ViewGridResult {
        runs: runs.into_iter().map(view::run).collect(),
        has_more: is_more(offset, tests.len(), total),
        tests,
        total,
        flaky,
        broken,
        shortened,
    })
}

/// Converts the outcome of a case for the contract.
pub(crate) const fn case_state(state: CaseOutcome) -> CaseState {
    match state {
        CaseOutcome::Failed => CaseState::Failed,
        CaseOutcome::Flaky => CaseState::Flaky,
        CaseOutcome::Passed => CaseState::Passed,
        CaseOutcome::Skipped => CaseState::Skipped,
    }
}

/// The outcomes of each test with their columns.
type Found = HashMap<String, Vec<(usize, CaseOutcome)>>;

fn read(tx: &mut Tx<'_>, asked: u32) -> Result<(Vec<Run>, Found, bool), EngineError> {
    let mut newest = runs::newest(tx, asked)?;
    newest.retain(|(_, run)| !run.is_foreign);
    let (all, mut columns, mut found, mut cases) = (newest.len(), Vec::new(), Found::new(), 0_u32);
    for (key, run) in newest {
        cases = cases.saturating_add(run.passed + run.failed + run.skipped);
        if cases > MAX_CASES && !columns.is_empty() {
            break;
        }
        for (name, state) in case_history::states(tx, key)? {
            found.entry(name).or_default().push((columns.len(), state));
        }
        columns.push(run);
    }
    let shortened = columns.len() < all;
    Ok((columns, found, shortened))
}

/// Returns a number for the code of each run, so that runs of the same clean commit have the same number. None if the
/// commit is unknown or the work tree was dirty.
fn commits(runs: &[Run]) -> Vec<Option<usize>> {
    let mut known = BTreeMap::new();
    let mut number = |run: &Run| {
        let commit = run.git_commit.clone().filter(|_| run.git_dirty == Some(false))?;
        let next = known.len();
        Some(*known.entry(commit).or_insert(next))
    };
    runs.iter().map(&mut number).collect()
}

fn count(tests: &[Test], is: impl Fn(&Test) -> bool) -> u32 {
    size(tests.iter().filter(|test| is(test)).count())
}

struct Test {
    name: String,
    /// Outcomes by column. If a run has several cases with this name, the worst outcome.
    states: Vec<(usize, CaseOutcome)>,
    flaky: bool,
    broken: bool,
    failures: u32,
}

impl Test {
    /// Keeps the first outcome of each column. It is the worst, because the cases of a run are sorted with failures
    /// first.
    fn of(name: String, mut states: Vec<(usize, CaseOutcome)>, commits: &[Option<usize>]) -> Self {
        states.dedup_by_key(|(column, _)| *column);
        let ran = states.iter().filter(|(_, state)| *state != CaseOutcome::Skipped).count();
        let failures = states.iter().filter(|(_, state)| *state == CaseOutcome::Failed).count();
        let flaky = states.iter().any(|(_, state)| *state == CaseOutcome::Flaky)
            || (failures > 0 && failures < ran && is_undecided(&states, commits));
        let broken = !flaky && failures == ran && failures > 1;
        Self { name, states, flaky, broken, failures: size(failures) }
    }

    fn shown(self, columns: usize) -> GridTest {
        let mut states = vec![CaseState::Absent; columns];
        for (column, state) in self.states {
            states[column] = case_state(state);
        }
        GridTest { case_name: self.name, states, flaky: self.flaky, broken: self.broken, failures: self.failures }
    }
}

/// Returns `true` if the test both failed and passed on the same code.
fn is_undecided(states: &[(usize, CaseOutcome)], commits: &[Option<usize>]) -> bool {
    let code = |wanted: CaseOutcome| {
        let of = states.iter().filter(move |(_, state)| *state == wanted);
        of.filter_map(|(column, _)| commits[*column])
    };
    code(CaseOutcome::Failed).any(|failed| code(CaseOutcome::Passed).any(|passed| passed == failed))
}
