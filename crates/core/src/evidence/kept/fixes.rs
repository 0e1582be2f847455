//! Changes after which a failure was gone, found or reported: how many passes prove one, and what undoes that.

use crate::evidence::explanations::flakiness::{Rate, passes_that_prove};
use crate::evidence::facts::{CaseId, FileId, RunFacts, RunSeq};
use crate::evidence::kept::history::TestHistory;
use crate::evidence::kept::traits::Traits;
use crate::evidence::kept::window::{View, Window};
use crate::evidence::state::{TestState, state_of};
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How sure a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ProofStatus {
    /// Somebody reported it.
    Claimed,
    /// Found without a report: the failure was there on one tree and gone on a later one.
    Candidate,
    /// It passed often enough since.
    Proved,
    /// The same error came back on a tree that has the fix.
    Refuted,
    /// A later one took its place before it was proved.
    Superseded,
}

/// A change after which a failure was gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// The cause that it mended.
    pub cause: u64,
    /// Commits between the last failure and the first pass, newest first: one of them did it. None for an edit that was not
    /// committed yet.
    pub commits: Vec<String>,
    /// The tree that an edit made, where the failure was gone before anything was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// Files that it changed; empty where that is not known.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub files: BTreeSet<FileId>,
    /// The tests, with the error that each had.
    pub cases: BTreeMap<CaseId, u64>,
    /// The last run that failed.
    pub failed: RunSeq,
    /// The first run that passed.
    pub passed: RunSeq,
    /// The first run that had the commit which an edit became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<RunSeq>,
    /// The rate at which the failure came while it was there: 1 where it always came.
    pub rate: f64,
    /// Passes since, of the test that has fewest.
    pub passes: u32,
    /// How sure it is.
    pub status: ProofStatus,
}

/// How sure a proof is.
pub const CONFIDENCE: f64 = 0.95;

/// How far a fix is that somebody reports of a failure now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Runs in which the test passed at once, and which had the fix.
    pub passes: u32,
    /// How many prove it.
    pub needed: u32,
}

impl Progress {
    /// Whether a failure that was found to be this may have come by chance; what did not is mended by one pass.
    pub fn needs_history(found: Option<VerdictKind>) -> bool {
        matches!(found, None | Some(VerdictKind::Flaky))
    }

    /// Of a test that does not fail now, `failed_in` being the run of the failure. Which runs had the fix is not known;
    /// those on the tree of the newest had.
    pub fn of(
        found: Option<VerdictKind>,
        failed_in: &str,
        history: &TestHistory,
        window: &Window,
        traits: &Traits,
    ) -> Self {
        let summary = state_of(history, &window.view(), traits);
        if found != Some(VerdictKind::Flaky) && summary.state != TestState::Flaky {
            return Self { passes: 1, needed: 1 };
        }
        // It has failed so once, whatever its failures are put down to by now.
        let rate = summary.flake_rate.mean.max(Rate::of(1, history.totals.runs).mean);
        let runs = || window.runs();
        let failed = runs().find(|run| run.id == failed_in);
        let newest = runs().next_back().filter(|newest| failed.is_none_or(|failed| !failed.has_tree_of(newest)));
        let had_fix = runs().filter(|run| {
            failed.is_none_or(|failed| failed.seq < run.seq) && newest.is_some_and(|newest| newest.has_tree_of(run))
        });
        let passes = had_fix.filter(|run| history.passed_at_once(run.seq)).count();
        Self { passes: u32::try_from(passes).unwrap_or(u32::MAX), needed: passes_that_prove(rate, CONFIDENCE) }
    }
}

impl Fix {
    /// One that somebody reports; `rate`: how often the failure came while it was there.
    pub fn claimed(cause: u64, commits: Vec<String>, cases: BTreeMap<CaseId, u64>, run: RunSeq, rate: f64) -> Self {
        Self {
            cause,
            commits,
            edited: None,
            files: BTreeSet::new(),
            cases,
            failed: run,
            passed: run,
            complete: None,
            rate,
            passes: 0,
            status: ProofStatus::Claimed,
        }
    }

    /// A later one is found for the same failures.
    pub fn record_later(&mut self, later: &Self) {
        let same = self.cases.iter().any(|(case, signature)| later.is_of(*case, *signature));
        if same && matches!(self.status, ProofStatus::Claimed | ProofStatus::Candidate) {
            self.status = ProofStatus::Superseded;
        }
    }

    /// Whether it is known that a run had it: an edit may be gone again until it is committed.
    pub fn is_in(&self, run: &RunFacts) -> bool {
        !self.is_uncommitted() || self.edited.as_ref() == Some(&run.tree)
    }

    /// Whether its change may be gone from the last run of a view: a file of it was changed again since it passed.
    pub fn may_be_undone(&self, view: &View<'_>) -> bool {
        view.index(self.complete.unwrap_or(self.passed)).is_some_and(|at| view.is_touched_since(at, &self.files))
    }

    /// Whether it is an edit that no commit is known to have.
    pub const fn is_uncommitted(&self) -> bool {
        self.edited.is_some() && self.commits.is_empty()
    }

    /// A run on a commit whose files are those of the edit has the commit that it became: `newest`, of those since it failed.
    pub fn note_commit(&mut self, run: &RunFacts, newest: Option<&String>) {
        let is_same = self.is_uncommitted() && !run.dirty && self.edited.as_ref() == Some(&run.tree);
        if let Some(commit) = newest.filter(|_| is_same) {
            self.commits.push(commit.clone());
            self.complete = Some(run.seq);
        }
    }

    /// One more run of its tests that passed.
    pub fn record_pass(&mut self) {
        self.passes += 1;
        let needed = passes_that_prove(self.rate, CONFIDENCE);
        if matches!(self.status, ProofStatus::Claimed | ProofStatus::Candidate) && self.passes >= needed {
            self.status = ProofStatus::Proved;
        }
    }

    /// The same error of the same test came back on a tree that has the fix: its files are as they were.
    pub fn record_return(&mut self) {
        self.status = ProofStatus::Refuted;
    }

    /// What it is called with this one of its commits. An edit is called the same once it is committed.
    pub fn id(&self, commit: Option<&String>) -> String {
        let change = self.edited.as_ref().or(commit).map_or("", String::as_str);
        format!("fix-{:016x}-{change:.12}", self.cause)
    }

    /// Whether a failure is what it is said to have mended.
    pub fn is_of(&self, case: CaseId, signature: u64) -> bool {
        self.cases.get(&case) == Some(&signature)
    }
}
