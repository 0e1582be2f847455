//! The history of a test: bounded, updated in constant time by each run, and sufficient for every verdict.

use crate::evidence::facts::{Failure, FailureKey, Outcome, RunSeq};
use crate::evidence::stored_rows::failure_traits::EXPLANATION_COUNT;
use crate::evidence::stored_rows::order::OrderEvidence;
use crate::evidence::stored_rows::window::{RunMask, RunView, WINDOW_RUNS};
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};

/// Maximum number of errors per test. The error that occurred least recently is removed first.
const MAX_FAILURE_MODES: usize = 8;

/// The row of a test. A test that never failed needs only two masks and three numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestHistory {
    /// The run of bit 0 of the masks.
    pub newest: RunSeq,
    /// Runs in which the test ran.
    pub ran: RunMask,
    /// Runs in which the test failed, for any reason.
    pub failed: RunMask,
    /// Runs in which the test failed and then passed.
    pub retried: RunMask,
    /// Runs in which the test failed because of the machine.
    pub outages: RunMask,
    /// Sums over all runs, including runs that left the window.
    pub totals: ResultTotals,
    /// The errors that the test failed with, newest first.
    #[serde(rename = "strands")]
    pub failure_modes: Vec<FailureMode>,
}

/// Sums that include runs that left the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultTotals {
    /// Runs in which the test could have failed by itself, so all runs except its outages.
    pub runs: u32,
    /// Failures that the machine did not cause.
    pub failures: u32,
    /// Failures that the machine caused.
    pub outages: u32,
    /// Runs in which the outcome differed from that of an earlier run on the same tree, or in which both outcomes
    /// occurred.
    pub both_outcomes: u32,
    /// Number of times the test started to fail after a pass.
    pub stretches: u32,
}

/// An error of a test over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailureMode {
    /// Identifies the error: the function of the project that raised it, otherwise the error signature.
    pub common: FailureKey,
    /// The newest failure with this error.
    pub newest: Failure,
    /// True if the error was already counted in
    /// [`Traits`](crate::evidence::stored_rows::failure_traits::FailureTraits).
    pub is_learned: bool,
    /// Runs that failed with this error, as bits of the test's masks.
    pub failed: RunMask,
    /// Runs of `failed` in which a change since the last pass touched a file of the failure.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub touched: RunMask,
    /// Runs of `failed` in which a commit since the last pass touched a file of an earlier fix of the failure.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undone: RunMask,
    /// Number of failures, including runs that left the window.
    pub failures: u32,
    /// The first run with this error.
    pub first: RunSeq,
    /// The newest run with this error.
    pub last: RunSeq,
    /// Probabilities of the explanations at the newest failure, for use after the failures have left the window.
    pub weighed: [f64; EXPLANATION_COUNT],
    /// Verdict on the newest failure. None in memories of earlier versions.
    #[serde(rename = "found", default)]
    pub verdict_kind: Option<VerdictKind>,
    /// Estimated number of tests that a change broke together with this test; the maximum over all failures.
    #[serde(rename = "together")]
    pub tests_together: f64,
    /// Evidence about the tests that ran before this test.
    pub order: Option<OrderEvidence>,
}

/// Result of a test in a run of a view, for a given error. A failure with another error is not an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub struct Observation {
    /// Index of the run in the view.
    pub run_index: usize,
    /// True if the test failed with the error. Otherwise it passed.
    pub failed: bool,
    /// True if the test failed and a file of the failure was changed since the last pass: by an uncommitted edit, or,
    /// in a run without edits, by a commit.
    pub touched: bool,
    /// True if the test failed and a commit since the last pass touched a file of an earlier fix of the failure.
    pub undone: bool,
    /// True if the test failed and the tree lost a commit since the last pass with which an earlier failure ended.
    pub lost_fix: bool,
    /// For a failure, the number of tests that started to fail with the changes of its run.
    pub newly_failing: u32,
}

/// Returns the observations by commit, oldest commit first, because the code depends on the commit and not on the order
/// of the runs. Observations of one commit stay in the order of the runs.
pub fn sort_by_commit(view: &RunView<'_>, observations: &[Observation]) -> Vec<Observation> {
    let mut observations = observations.to_vec();
    observations.sort_by_key(|result| view.commit_positions[result.run_index]);
    observations
}

/// Like [`sort_by_commit`], but only for commits that the last run of the view contains.
pub fn observations_up_to_last_commit(view: &RunView<'_>, observations: &[Observation]) -> Vec<Observation> {
    let last = view.commit_positions.last().copied().unwrap_or_default();
    let mut observations = sort_by_commit(view, observations);
    observations.retain(|result| view.commit_positions[result.run_index] <= last);
    observations
}

impl TestHistory {
    /// Returns the row of a test that only passed, from the runs in which it ran, oldest first. A test needs no row
    /// before it fails, because the runs store lists of their cases.
    pub fn from_passes(runs: &[RunSeq]) -> Self {
        let mut history = Self::default();
        for seq in runs {
            history.record(*seq, Outcome::Passed, &[]);
        }
        history
    }

    /// Records the outcome of a run. `same_tree` has the numbers of earlier runs in the window on the same tree.
    pub fn record(&mut self, seq: RunSeq, outcome: Outcome, same_tree: &[RunSeq]) {
        let was_passing = self.has_failed_last() == Some(false);
        self.shift_to_run(seq);
        self.ran |= 1;
        let failed = match outcome {
            Outcome::Passed => false,
            Outcome::PassedAfterRetry => {
                self.retried |= 1;
                false
            }
            Outcome::Outage => {
                self.failed |= 1;
                self.outages |= 1;
                self.totals.outages += 1;
                return;
            }
            Outcome::Failed(failure) => {
                self.failed |= 1;
                self.totals.stretches += u32::from(was_passing);
                self.record_failure_mode(seq, &failure).failed |= 1;
                true
            }
        };
        self.totals.runs += 1;
        self.totals.failures += u32::from(failed);
        let flipped = same_tree.iter().any(|earlier| self.has_failed_in(*earlier) == Some(!failed));
        self.totals.both_outcomes += u32::from(flipped || self.retried & 1 == 1);
    }

    /// Returns whether the test failed in a run of the window. None if the test did not run or failed because of the
    /// machine.
    pub fn has_failed_in(&self, seq: RunSeq) -> Option<bool> {
        let bit = self.newest.checked_sub(seq).filter(|bit| *bit < WINDOW_RUNS)?;
        let is_set = |mask: RunMask| mask >> bit & 1 == 1;
        (is_set(self.ran) && !is_set(self.outages)).then(|| is_set(self.failed))
    }

    /// Returns `true` if the test failed in a run of the window with the error of this failure mode.
    pub fn failed_with(&self, failure_mode: &FailureMode, seq: RunSeq) -> bool {
        self.has_run(failure_mode.failed, seq)
    }

    /// Returns `true` if the test failed in a run of the window because of the machine.
    pub fn had_outage_in(&self, seq: RunSeq) -> bool {
        self.has_run(self.outages, seq)
    }

    fn has_run(&self, mask: RunMask, seq: RunSeq) -> bool {
        self.newest.checked_sub(seq).is_some_and(|bit| mask.checked_shr(bit).is_some_and(|runs| runs & 1 == 1))
    }

    /// Returns `true` if the test passed in a run of the window at the first attempt.
    pub fn passed_at_first_attempt(&self, seq: RunSeq) -> bool {
        self.has_failed_in(seq) == Some(false) && self.retried >> (self.newest - seq) & 1 == 0
    }

    /// Returns the failure mode for this error.
    pub fn failure_mode(&self, common: FailureKey) -> Option<&FailureMode> {
        self.failure_modes.iter().find(|failure_mode| failure_mode.common == common)
    }

    /// Observations for the runs of the view, oldest first. The last run is included if it is recorded.
    pub fn observations(&self, view: &RunView<'_>, common: FailureKey) -> Vec<Observation> {
        let (failed_with_error, touched, undone) = self
            .failure_mode(common)
            .map_or((0, 0, 0), |failure_mode| (failure_mode.failed, failure_mode.touched, failure_mode.undone));
        let observe = |(at, seq): (usize, RunSeq)| {
            let failed = self.has_failed_in(seq)?;
            let is_set = |mask: RunMask| mask >> (self.newest - seq) & 1 == 1;
            (failed == is_set(failed_with_error)).then(|| Observation {
                run_index: at,
                failed,
                touched: is_set(touched),
                undone: is_set(undone),
                lost_fix: false,
                newly_failing: view.newly_failing_if_failed(at, failed),
            })
        };
        view.runs.iter().map(|run| run.seq).enumerate().filter_map(observe).collect()
    }

    /// Failures with other errors on edits since the last pass. During work on an edit, a test may fail with changing
    /// errors, which count as a single failure. Failures on commits are not included, because each commit may fix an
    /// error and introduce another. Errors that are known to come and go are not included either.
    pub fn other_failures_since_pass(&self, view: &RunView<'_>, common: FailureKey) -> Vec<Observation> {
        let comes_and_goes = self.failure_mode(common).is_some_and(FailureMode::comes_and_goes);
        let Some(passed) = self.last_pass().filter(|_| !comes_and_goes) else { return Vec::new() };
        let others = self
            .failure_modes
            .iter()
            .filter(|failure_mode| failure_mode.common != common && !failure_mode.comes_and_goes());
        let (failed, touched) =
            others.fold((0, 0), |(failed, touched), mode| (failed | mode.failed, touched | mode.touched));
        let observe = |(at, seq): (usize, RunSeq)| {
            let has_failed = seq > passed && view.ran_on_edit[at] && self.has_failed_in(seq)?;
            let is_set = |mask: RunMask| mask >> (self.newest - seq) & 1 == 1;
            (has_failed && is_set(failed)).then(|| Observation {
                run_index: at,
                failed: true,
                touched: is_set(touched),
                undone: false,
                lost_fix: false,
                newly_failing: view.newly_failing_if_failed(at, true),
            })
        };
        view.runs.iter().map(|run| run.seq).enumerate().filter_map(observe).collect()
    }

    /// Returns `true` if the test ever passed, including runs that left the window.
    pub const fn has_passed(&self) -> bool {
        self.totals.runs > self.totals.failures
    }

    /// Returns `true` if the test passed in a run of the window before this run.
    pub fn has_passed_before(&self, seq: RunSeq) -> bool {
        let older = (self.newest + 1).saturating_sub(seq);
        (self.ran & !self.failed).checked_shr(older).is_some_and(|passed| passed != 0)
    }

    /// Returns the newest run of the window in which the test passed.
    pub fn last_pass(&self) -> Option<RunSeq> {
        let passed = self.ran & !self.failed;
        (passed != 0).then(|| self.newest - passed.trailing_zeros())
    }

    /// Returns `true` if the only results are failures that the machine caused.
    pub const fn lacks_usable_results(&self) -> bool {
        self.totals.runs == 0
    }

    /// Returns whether the test failed in the newest run with a usable result.
    pub fn has_failed_last(&self) -> Option<bool> {
        let known = self.ran & !self.outages;
        (known != 0).then(|| self.failed >> known.trailing_zeros() & 1 == 1)
    }

    fn shift_to_run(&mut self, seq: RunSeq) {
        let by = seq.saturating_sub(self.newest);
        let moved = |mask: RunMask| mask.checked_shl(by).unwrap_or(0);
        self.newest = seq;
        for mask in [&mut self.ran, &mut self.failed, &mut self.retried, &mut self.outages] {
            *mask = moved(*mask);
        }
        for failure_mode in &mut self.failure_modes {
            failure_mode.failed = moved(failure_mode.failed);
            failure_mode.touched = moved(failure_mode.touched);
            failure_mode.undone = moved(failure_mode.undone);
        }
    }

    /// Returns the failure mode for this error, to add the verdict after the run was recorded.
    pub fn failure_mode_mut(&mut self, common: FailureKey) -> Option<&mut FailureMode> {
        self.failure_modes.iter_mut().find(|failure_mode| failure_mode.common == common)
    }

    fn record_failure_mode(&mut self, seq: RunSeq, failure: &Failure) -> &mut FailureMode {
        let common = FailureKey::from_failure(failure);
        let known = self.failure_modes.iter().position(|failure_mode| failure_mode.common == common);
        let mut failure_mode = known.map_or_else(|| FailureMode::new(seq, failure), |at| self.failure_modes.remove(at));
        failure_mode.failures += 1;
        failure_mode.last = seq;
        failure_mode.newest = *failure;
        self.failure_modes.truncate(MAX_FAILURE_MODES - 1);
        self.failure_modes.insert(0, failure_mode);
        &mut self.failure_modes[0]
    }
}

const fn is_zero(mask: &RunMask) -> bool {
    *mask == 0
}

impl FailureMode {
    fn comes_and_goes(&self) -> bool {
        use VerdictKind::{Environment, Flaky, Order};
        matches!(self.verdict_kind, Some(Environment | Flaky | Order))
    }

    fn new(seq: RunSeq, failure: &Failure) -> Self {
        Self {
            common: FailureKey::from_failure(failure),
            newest: *failure,
            is_learned: false,
            failed: 0,
            touched: 0,
            undone: 0,
            failures: 0,
            first: seq,
            last: seq,
            weighed: [0.0; EXPLANATION_COUNT],
            verdict_kind: None,
            tests_together: 1.0,
            order: None,
        }
    }
}
