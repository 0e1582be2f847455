//! What is kept of a test: bounded, changed in constant time by each run, and enough for every verdict.

use crate::evidence::facts::{Failure, Outcome, RunSeq, Trait};
use crate::evidence::kept::order::OrderEvidence;
use crate::evidence::kept::traits::KINDS;
use crate::evidence::kept::window::{Mask, View, WINDOW_RUNS};
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};

/// Errors that are told apart of a test; the one that was not seen for longest is forgotten first.
const MAX_STRANDS: usize = 8;

/// One row for each test. A test that never failed is two masks and three numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestHistory {
    /// The run of bit 0.
    pub newest: RunSeq,
    /// Runs it ran in.
    pub ran: Mask,
    /// Runs it failed in, by whatever.
    pub failed: Mask,
    /// Runs it failed in and then passed.
    pub retried: Mask,
    /// Runs it failed in by the machine.
    pub outages: Mask,
    /// Sums over all runs, also those that were forgotten.
    pub totals: Totals,
    /// What it failed with.
    pub strands: Vec<Strand>,
}

/// Sums that survive the runs they were counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Runs in which it could have failed by itself: those without an outage of its own.
    pub runs: u32,
    /// Failures that were not the machine's.
    pub failures: u32,
    /// Failures that were.
    pub outages: u32,
    /// Runs in which it had the other outcome than before on the same tree, or both at once.
    pub both_outcomes: u32,
    /// Times it began to fail after it had passed.
    pub stretches: u32,
}

/// One error of one test, over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strand {
    /// What it is known by: the function of the project that it comes from, else the error.
    pub common: Trait,
    /// The newest failure with it.
    pub newest: Failure,
    /// Whether its kind was plain once and is counted in what is learned.
    pub is_learned: bool,
    /// Runs that failed with it, as bits of the test's masks.
    pub failed: Mask,
    /// Those of them in which a change since the last pass touched a file of the failure.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub touched: Mask,
    /// Those of them in which a commit since the last pass touched a file of an earlier fix of the failure.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub undone: Mask,
    /// How often it was seen, also in runs that were forgotten.
    pub failures: u32,
    /// Where it was first seen.
    pub first: RunSeq,
    /// Where it was last seen.
    pub last: RunSeq,
    /// The chances of the explanations when it was last seen, for when its failures have left the window.
    pub weighed: [f64; KINDS],
    /// What the newest failure with it was found to be; none in memories of earlier versions.
    #[serde(default)]
    pub found: Option<VerdictKind>,
    /// Tests that a change which broke it is taken to have broken; of all its failures the most.
    pub together: f64,
    /// What ran before it when it failed, and when it did not.
    pub order: Option<OrderEvidence>,
}

/// What a test did in one run of a view, as far as one error goes: a failure by something else says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Index of the run in the view.
    pub at: usize,
    /// Whether it failed with the error; else it passed.
    pub failed: bool,
    /// Whether it failed in a file that was changed since it passed last: by an uncommitted edit, or, in a run without edits,
    /// by a commit.
    pub touched: bool,
    /// Whether it failed, and a commit since it passed last touched a file of the change that fixed it before.
    pub undone: bool,
    /// Where it failed, how many tests began to fail with what had changed in its run.
    pub began: u32,
}

/// The code is what its commits made it, in whatever order they ran: what was seen, oldest commit first, and of one commit as
/// it ran.
pub fn in_order_of_commits(view: &View<'_>, seen: &[Observation]) -> Vec<Observation> {
    let mut seen = seen.to_vec();
    seen.sort_by_key(|one| view.places[one.at]);
    seen
}

/// The same of the commits that the last run of the view has.
pub fn up_to_last_commit(view: &View<'_>, seen: &[Observation]) -> Vec<Observation> {
    let last = view.places.last().copied().unwrap_or_default();
    let mut seen = in_order_of_commits(view, seen);
    seen.retain(|one| view.places[one.at] <= last);
    seen
}

impl TestHistory {
    /// The row of a test that only passed, from the runs in which it ran, oldest first. So a test needs no row before it
    /// fails: what it did is in the lists of cases that the runs keep.
    pub fn of_passes(runs: &[RunSeq]) -> Self {
        let mut history = Self::default();
        for seq in runs {
            history.record(*seq, Outcome::Passed, &[]);
        }
        history
    }

    /// Records what it did in a run. `same_tree`: the numbers of earlier runs in the window on the same tree.
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

    /// Whether it failed in a run of the window. None: it did not run, or the machine failed.
    pub fn at(&self, seq: RunSeq) -> Option<bool> {
        let bit = self.newest.checked_sub(seq).filter(|bit| *bit < WINDOW_RUNS)?;
        let is = |mask: Mask| mask >> bit & 1 == 1;
        (is(self.ran) && !is(self.outages)).then(|| is(self.failed))
    }

    /// Whether it failed in a run of the window with the error of this strand of it.
    pub fn failed_with(&self, strand: &Strand, seq: RunSeq) -> bool {
        self.newest.checked_sub(seq).is_some_and(|bit| strand.failed.checked_shr(bit).is_some_and(|runs| runs & 1 == 1))
    }

    /// Whether it passed in a run of the window, and at the first attempt.
    pub fn passed_at_once(&self, seq: RunSeq) -> bool {
        self.at(seq) == Some(false) && self.retried >> (self.newest - seq) & 1 == 0
    }

    /// The strand of this error.
    pub fn strand(&self, common: Trait) -> Option<&Strand> {
        self.strands.iter().find(|strand| strand.common == common)
    }

    /// What it did before the last run of the view and, where it was recorded, in it; oldest first.
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

    /// Since it passed last, failures on edits with other errors that were not found to come and go: what is worked on fails
    /// since then, whatever it says. Of commits each may as well mend one error and bring another, and an error that is known
    /// to come and go does so here too.
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

    /// Whether it ever passed, also in runs that were forgotten.
    pub const fn has_passed(&self) -> bool {
        self.totals.runs > self.totals.failures
    }

    /// Whether it passed in a run of the window that is older than this one.
    pub fn has_passed_before(&self, seq: RunSeq) -> bool {
        let older = (self.newest + 1).saturating_sub(seq);
        (self.ran & !self.failed).checked_shr(older).is_some_and(|passed| passed != 0)
    }

    /// The newest run in which it passed.
    pub fn last_pass(&self) -> Option<RunSeq> {
        let passed = self.ran & !self.failed;
        (passed != 0).then(|| self.newest - passed.trailing_zeros())
    }

    /// Whether nothing is known of it but failures by the machine.
    pub const fn is_new(&self) -> bool {
        self.totals.runs == 0
    }

    /// Whether it failed in the newest run that says anything of it.
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

    /// The strand of this error, to note what its run says of it.
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
