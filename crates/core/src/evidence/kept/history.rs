//! The history of a test: bounded, updated in constant time by each run, and sufficient for every verdict.

use crate::evidence::facts::{Failure, Outcome, RunSeq, Trait};
use crate::evidence::kept::order::OrderEvidence;
use crate::evidence::kept::traits::KINDS;
use crate::evidence::kept::window::{Mask, View, WINDOW_RUNS};
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};

/// Maximum number of errors per test. The error that was not seen for the longest time is removed first.
const MAX_STRANDS: usize = 8;

/// The row of a test. A test that never failed needs only two masks and three numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestHistory {
    /// The run of bit 0 of the masks.
    pub newest: RunSeq,
    /// Runs in which the test ran.
    pub ran: Mask,
    /// Runs in which the test failed, for any reason.
    pub failed: Mask,
    /// Runs in which the test failed and then passed.
    pub retried: Mask,
    /// Runs in which the test failed because of the machine.
    pub outages: Mask,
    /// Sums over all runs, including runs that left the window.
    pub totals: Totals,
    /// The errors that the test failed with, newest first.
    pub strands: Vec<Strand>,
}

/// Sums that include runs that left the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
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
pub struct Strand {
    /// Identifies the error: the function of the project that raised it, otherwise the error signature.
    pub common: Trait,
    /// The newest failure with this error.
    pub newest: Failure,
    /// True if the error was counted in [`Traits`](crate::evidence::kept::traits::Traits), because its kind was certain
    /// once.
    pub is_learned: bool,
    /// Runs that failed with this error, as bits of the test's masks.
    pub failed: Mask,
    /// Runs of `failed` in which a change since the last pass touched a file of the failure.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub touched: Mask,
    /// Runs of `failed` in which a commit since the last pass touched a file of an earlier fix of the failure.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub undone: Mask,
    /// Number of failures, including runs that left the window.
    pub failures: u32,
    /// The first run with this error.
    pub first: RunSeq,
    /// The newest run with this error.
    pub last: RunSeq,
    /// Probabilities of the explanations at the newest failure, for use after the failures have left the window.
    pub weighed: [f64; KINDS],
    /// Verdict on the newest failure. None in memories of earlier versions.
    #[serde(default)]
    pub found: Option<VerdictKind>,
    /// Estimated number of tests that a change broke together with this test; the maximum over all failures.
    pub together: f64,
    /// Evidence about the tests that ran before it.
    pub order: Option<OrderEvidence>,
}

/// Result of a test in a run of a view, for a given error. A failure with another error is not an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Index of the run in the view.
    pub at: usize,
    /// True if the test failed with the error. Otherwise it passed.
    pub failed: bool,
    /// True if the test failed and a file of the failure was changed since the last pass: by an uncommitted edit, or,
    /// in a run without edits, by a commit.
    pub touched: bool,
    /// True if the test failed and a commit since the last pass touched a file of the change that fixed it before.
    pub undone: bool,
    /// For a failure, the number of tests that started to fail with the changes of its run.
    pub began: u32,
}

/// The observations by commit, oldest commit first, because the code depends on the commit and not on the order of the
/// runs. Observations of one commit stay in the order of the runs.
pub fn in_order_of_commits(view: &View<'_>, seen: &[Observation]) -> Vec<Observation> {
    let mut seen = seen.to_vec();
    seen.sort_by_key(|one| view.places[one.at]);
    seen
}

/// Like [`in_order_of_commits`], but only for commits that the last run of the view contains.
pub fn up_to_last_commit(view: &View<'_>, seen: &[Observation]) -> Vec<Observation> {
    let last = view.places.last().copied().unwrap_or_default();
    let mut seen = in_order_of_commits(view, seen);
    seen.retain(|one| view.places[one.at] <= last);
    seen
}

impl TestHistory {
    /// The row of a test that only passed, from the runs in which it ran, oldest first. A test needs no row before it
    /// fails, because the runs store lists of their cases.
    pub fn of_passes(runs: &[RunSeq]) -> Self {
        let mut history = Self::default();
        for seq in runs {
            history.record(*seq, Outcome::Passed, &[]);
        }
        history
    }

    /// Records the outcome of a run. `same_tree` has the numbers of earlier runs in the window on the same tree.
    pub fn record(&mut self, seq: RunSeq, outcome: Outcome, same_tree: &[RunSeq]) {
        let was_passing = self.last_outcome() == Some(false);
        self.move_to(seq);
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
                self.strand_mut(seq, &failure).failed |= 1;
                true
            }
        };
        self.totals.runs += 1;
        self.totals.failures += u32::from(failed);
        let flipped = same_tree.iter().any(|earlier| self.at(*earlier) == Some(!failed));
        self.totals.both_outcomes += u32::from(flipped || self.retried & 1 == 1);
    }

    /// Returns whether the test failed in a run of the window. None if it did not run or if the machine failed.
    pub fn at(&self, seq: RunSeq) -> Option<bool> {
        let bit = self.newest.checked_sub(seq).filter(|bit| *bit < WINDOW_RUNS)?;
        let is = |mask: Mask| mask >> bit & 1 == 1;
        (is(self.ran) && !is(self.outages)).then(|| is(self.failed))
    }

    /// Returns `true` if the test failed in a run of the window with the error of this strand.
    pub fn failed_with(&self, strand: &Strand, seq: RunSeq) -> bool {
        self.newest.checked_sub(seq).is_some_and(|bit| strand.failed.checked_shr(bit).is_some_and(|runs| runs & 1 == 1))
    }

    /// Returns `true` if the test passed in a run of the window at the first attempt.
    pub fn passed_at_once(&self, seq: RunSeq) -> bool {
        self.at(seq) == Some(false) && self.retried >> (self.newest - seq) & 1 == 0
    }

    /// The strand for this error.
    pub fn strand(&self, common: Trait) -> Option<&Strand> {
        self.strands.iter().find(|strand| strand.common == common)
    }

    /// Observations for the runs of the view, oldest first. The last run is included if it is recorded.
    pub fn observations(&self, view: &View<'_>, common: Trait) -> Vec<Observation> {
        let (mine, touched, undone) =
            self.strand(common).map_or((0, 0, 0), |strand| (strand.failed, strand.touched, strand.undone));
        let of = |(at, seq): (usize, RunSeq)| {
            let failed = self.at(seq)?;
            let is = |mask: Mask| mask >> (self.newest - seq) & 1 == 1;
            (failed == is(mine)).then(|| Observation {
                at,
                failed,
                touched: is(touched),
                undone: is(undone),
                began: view.began(at, failed),
            })
        };
        view.runs.iter().map(|run| run.seq).enumerate().filter_map(of).collect()
    }

    /// Failures since the last pass on edits with other errors, except for errors that come and go. During work on an
    /// edit, a test may fail with changing errors, so that all of them count as a single failure. This does not hold
    /// for commits, because each commit may fix an error and introduce another. It does not hold for an error that is
    /// known to come and go either.
    pub fn other_failures_since_pass(&self, view: &View<'_>, common: Trait) -> Vec<Observation> {
        let comes_and_goes = self.strand(common).is_some_and(Strand::comes_and_goes);
        let Some(passed) = self.last_pass().filter(|_| !comes_and_goes) else { return Vec::new() };
        let others = self.strands.iter().filter(|strand| strand.common != common && !strand.comes_and_goes());
        let (failed, touched) =
            others.fold((0, 0), |(failed, touched), one| (failed | one.failed, touched | one.touched));
        let of = |(at, seq): (usize, RunSeq)| {
            let has_failed = seq > passed && view.uncommitted[at] && self.at(seq)?;
            let is = |mask: Mask| mask >> (self.newest - seq) & 1 == 1;
            (has_failed && is(failed)).then(|| Observation {
                at,
                failed: true,
                touched: is(touched),
                undone: false,
                began: view.began(at, true),
            })
        };
        view.runs.iter().map(|run| run.seq).enumerate().filter_map(of).collect()
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

    /// The newest run of the window in which the test passed.
    pub fn last_pass(&self) -> Option<RunSeq> {
        let passed = self.ran & !self.failed;
        (passed != 0).then(|| self.newest - passed.trailing_zeros())
    }

    /// Returns `true` if the only results are failures that the machine caused.
    pub const fn is_new(&self) -> bool {
        self.totals.runs == 0
    }

    /// Returns whether the test failed in the newest run with a usable result.
    pub fn last_outcome(&self) -> Option<bool> {
        let known = self.ran & !self.outages;
        (known != 0).then(|| self.failed >> known.trailing_zeros() & 1 == 1)
    }

    fn move_to(&mut self, seq: RunSeq) {
        let by = seq.saturating_sub(self.newest);
        let moved = |mask: Mask| mask.checked_shl(by).unwrap_or(0);
        self.newest = seq;
        for mask in [&mut self.ran, &mut self.failed, &mut self.retried, &mut self.outages] {
            *mask = moved(*mask);
        }
        for strand in &mut self.strands {
            strand.failed = moved(strand.failed);
            strand.touched = moved(strand.touched);
            strand.undone = moved(strand.undone);
        }
    }

    /// The strand for this error, for updates after its run.
    pub fn strand_to_note(&mut self, common: Trait) -> Option<&mut Strand> {
        self.strands.iter_mut().find(|strand| strand.common == common)
    }

    fn strand_mut(&mut self, seq: RunSeq, failure: &Failure) -> &mut Strand {
        let common = Trait::of(failure);
        let known = self.strands.iter().position(|strand| strand.common == common);
        let mut strand = known.map_or_else(|| Strand::new(seq, failure), |at| self.strands.remove(at));
        strand.failures += 1;
        strand.last = seq;
        strand.newest = *failure;
        self.strands.truncate(MAX_STRANDS - 1);
        self.strands.insert(0, strand);
        &mut self.strands[0]
    }
}

const fn is_empty(mask: &Mask) -> bool {
    *mask == 0
}

impl Strand {
    fn comes_and_goes(&self) -> bool {
        use VerdictKind::{Environment, Flaky, Order};
        matches!(self.found, Some(Environment | Flaky | Order))
    }

    fn new(seq: RunSeq, failure: &Failure) -> Self {
        Self {
            common: Trait::of(failure),
            newest: *failure,
            is_learned: false,
            failed: 0,
            touched: 0,
            undone: 0,
            failures: 0,
            first: seq,
            last: seq,
            weighed: [0.0; KINDS],
            found: None,
            together: 1.0,
            order: None,
        }
    }
}
