//! Finds the failures that cost most: how often and how recently they occurred, and how long tests stayed red.
//!
//! The order follows the analysis of recency, frequency and monetary value of flaky job failures in `FlakeRanker`
//! (arXiv 2501.04976). The value is the time from red to green instead of a price.

use crate::evidence::facts::{CaseId, FailureKey, RunFacts, RunSeq};
use crate::evidence::stored_rows::history::{FailureMode, TestHistory};
use crate::evidence::stored_rows::memory::EvidenceMemory;
use crate::evidence::test_state::{TestState, TestSummary, summarize_test};
use crate::evidence::verdict::VerdictKind;
use crate::stable_sort::StableSort;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// After this time without a run, nobody works on the failure. It is the usual limit of a session of work, which goes
/// back to 25.5 minutes in Catledge and Pitkow, "Characterizing browsing strategies in the World-Wide Web" (1995).
const MAX_IDLE_MS: f64 = 30.0 * 60_000.0;

/// Where a failure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WallKind {
    /// A change of the code.
    Code,
    /// Chance.
    Flaky,
    /// A test that ran before.
    Order,
    /// The machine, or a condition of some environments.
    Environment,
}

/// A failure of one or more tests that fail together, in the runs of the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Wall {
    /// Where it comes from.
    pub kind: WallKind,
    /// Its tests, each with the signature of its error. None if the machine caused the failure.
    pub cases: BTreeMap<CaseId, Option<u64>>,
    /// The newest run with the failure, and one of its tests in that run.
    pub newest: (RunSeq, CaseId),
    /// Number of runs with the failure.
    pub runs: u32,
    /// Number of times the failure began.
    pub stretches: u32,
    /// Number of runs that only repeated a failed run on the same files.
    pub reruns: u32,
    /// True if a test still fails.
    pub is_open: bool,
    /// Time in milliseconds from the first failed run to the first pass, without breaks in which nothing ran.
    pub red_ms: f64,
}

/// A failing test, with its error unless the machine caused the failure.
struct FailingTest<'a> {
    case: CaseId,
    history: &'a TestHistory,
    mode: Option<&'a FailureMode>,
}

impl FailingTest<'_> {
    fn failed_in(&self, seq: RunSeq) -> bool {
        self.mode.map_or_else(|| self.history.had_outage_in(seq), |mode| self.history.failed_with(mode, seq))
    }
}

/// Returns the failures of the window, in the order of the sum of their ranks by recency, frequency and red time.
/// `durations` has the duration of each run in milliseconds, by its id.
pub fn find_walls(memory: &EvidenceMemory, durations: &BTreeMap<String, f64>) -> Vec<Wall> {
    let view = memory.window.view();
    let conditions = view.varying_conditions();
    let mut groups: BTreeMap<(WallKind, Option<FailureKey>), Vec<FailingTest<'_>>> = BTreeMap::new();
    for (case, history) in &memory.tests {
        let summary = summarize_test(history, &view, &conditions, &memory.traits);
        for mode in &history.failure_modes {
            let test = FailingTest { case: *case, history, mode: Some(mode) };
            groups.entry((find_kind(mode, &summary), Some(mode.common))).or_default().push(test);
        }
        if history.outages != 0 {
            groups.entry((WallKind::Environment, None)).or_default().push(FailingTest {
                case: *case,
                history,
                mode: None,
            });
        }
    }
    // A change can cause several errors. Errors that occurred in exactly the same runs cost only once.
    let mut together: BTreeMap<(WallKind, Vec<RunSeq>), Vec<FailingTest<'_>>> = BTreeMap::new();
    for ((kind, _), tests) in groups {
        let has_failed = |run: &&RunFacts| tests.iter().any(|test| test.failed_in(run.seq));
        let runs: Vec<RunSeq> = memory.window.runs().filter(has_failed).map(|run| run.seq).collect();
        if !runs.is_empty() {
            together.entry((kind, runs)).or_default().extend(tests);
        }
    }
    let lines = split_into_lines(memory);
    let walls = together.into_iter().filter_map(|((kind, runs), tests)| {
        let newest = *runs.last()?;
        let case = tests.iter().find(|test| test.failed_in(newest))?.case;
        let mut wall = Wall {
            kind,
            cases: tests.iter().map(|test| (test.case, test.mode.map(|mode| mode.newest.signature))).collect(),
            newest: (newest, case),
            runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
            stretches: 0,
            reruns: 0,
            is_open: false,
            red_ms: 0.0,
        };
        for line in &lines {
            add_costs(&mut wall, line, &tests, durations);
        }
        Some(wall)
    });
    sort_by_ranks(walls.collect())
}

fn find_kind(mode: &FailureMode, summary: &TestSummary) -> WallKind {
    match mode.verdict_kind {
        Some(VerdictKind::Regression | VerdictKind::Broken) => WallKind::Code,
        Some(VerdictKind::Flaky) => WallKind::Flaky,
        Some(VerdictKind::Order) => WallKind::Order,
        Some(VerdictKind::Environment | VerdictKind::Infrastructure) => WallKind::Environment,
        None | Some(VerdictKind::New | VerdictKind::Unknown) => match summary.state {
            TestState::Flaky => WallKind::Flaky,
            TestState::Order => WallKind::Order,
            TestState::Environment => WallKind::Environment,
            TestState::Broken | TestState::Healthy => WallKind::Code,
        },
    }
}

/// Returns the runs of each branch in each environment, oldest first, because a pass on one branch does not end a
/// failure on another.
fn split_into_lines(memory: &EvidenceMemory) -> Vec<Vec<&RunFacts>> {
    let mut lines: BTreeMap<_, Vec<&RunFacts>> = BTreeMap::new();
    for run in memory.window.runs() {
        lines.entry((&run.branch, &run.environment)).or_default().push(run);
    }
    for line in lines.values_mut() {
        line.stable_sort_by(|one, other| (one.started_at, one.seq).cmp(&(other.started_at, other.seq)));
    }
    lines.into_values().collect()
}

/// Adds the costs of the failure in a line of runs. A stretch lasts until each test that failed in it has passed.
fn add_costs(wall: &mut Wall, line: &[&RunFacts], tests: &[FailingTest<'_>], durations: &BTreeMap<String, f64>) {
    let mut failing: BTreeSet<CaseId> = BTreeSet::new();
    let mut failed_runs: Vec<&RunFacts> = Vec::new();
    for (at, run) in line.iter().enumerate() {
        let was_failing = !failing.is_empty();
        for test in tests {
            if test.failed_in(run.seq) {
                failing.insert(test.case);
            } else if test.history.has_failed_in(run.seq) == Some(false) {
                failing.remove(&test.case);
            }
        }
        let has_ran = |test: &FailingTest<'_>| test.failed_in(run.seq) || test.history.has_failed_in(run.seq).is_some();
        if was_failing && failed_runs.iter().any(|failed| failed.has_same_tree_as(run)) && tests.iter().any(has_ran) {
            wall.reruns += 1;
        }
        if failing.is_empty() {
            failed_runs.clear();
        } else {
            wall.stretches += u32::from(!was_failing);
            failed_runs.push(run);
        }
        if was_failing || !failing.is_empty() {
            let duration = durations.get(&run.id).copied().unwrap_or_default();
            let next = line.get(at + 1).filter(|_| !failing.is_empty());
            wall.red_ms += next.map_or(duration, |next| count_active_ms(run, duration, next));
        }
    }
    wall.is_open |= !failing.is_empty();
}

/// Returns the time from the start of a run to the start of the next run, or only the duration of the run before a long
/// break.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of thousands of years are exact")]
fn count_active_ms(run: &RunFacts, duration: f64, next: &RunFacts) -> f64 {
    let elapsed = next.started_at.saturating_sub(run.started_at) as f64;
    if elapsed - duration <= MAX_IDLE_MS { elapsed.max(duration) } else { duration }
}

fn sort_by_ranks(mut walls: Vec<Wall>) -> Vec<Wall> {
    let measures: [fn(&Wall) -> f64; 3] =
        [|wall| f64::from(wall.newest.0), |wall| f64::from(wall.runs), |wall| wall.red_ms];
    let rank =
        |wall: &Wall, measure: fn(&Wall) -> f64| walls.iter().filter(|other| measure(other) > measure(wall)).count();
    let sums: Vec<usize> = walls.iter().map(|wall| measures.iter().map(|measure| rank(wall, *measure)).sum()).collect();
    let mut order: Vec<(usize, Wall)> = sums.into_iter().zip(walls.drain(..)).collect();
    order.stable_sort_by(|(sum, one), (other_sum, other)| {
        sum.cmp(other_sum).then_with(|| other.red_ms.total_cmp(&one.red_ms))
    });
    order.into_iter().map(|(_, wall)| wall).collect()
}
