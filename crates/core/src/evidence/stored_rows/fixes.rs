//! Changes after which a failure was gone, found or reported. Decides how many passes prove a fix and what refutes it.

use crate::evidence::explanations::flakiness::{Rate, count_passes_needed};
use crate::evidence::facts::{CaseId, FileId, RunFacts, RunSeq};
use crate::evidence::stored_rows::failure_traits::FailureTraits;
use crate::evidence::stored_rows::history::TestHistory;
use crate::evidence::stored_rows::window::{RunView, RunWindow};
use crate::evidence::test_state::{TestState, summarize_test};
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How far runs have proved a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ProofStatus {
    /// A person or an agent reported the fix.
    Claimed,
    /// Found without a report: the failure occurred on a tree and was gone on a later tree.
    Candidate,
    /// The test passed often enough after the fix.
    Proved,
    /// The error came back on a tree that has the fix.
    Refuted,
    /// A later fix replaced it before it was proved.
    Superseded,
}

/// A change after which a failure was gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// Id of the cause that the fix removed.
    pub cause: u64,
    /// Commits between the last failure and the first pass, newest first. One of them is the fix. Empty for an edit
    /// that is not committed yet.
    pub commits: Vec<String>,
    /// Tree of the edit, if the failure was gone before the edit was committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// Files that the fix changed. Empty if they are unknown.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub files: BTreeSet<FileId>,
    /// The fixed tests, each with the signature of its error.
    pub cases: BTreeMap<CaseId, u64>,
    /// The last run that failed.
    pub failed: RunSeq,
    /// The first run that passed.
    pub passed: RunSeq,
    /// The first run on the commit that the edit became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complete: Option<RunSeq>,
    /// Rate of the failure before the fix, for example 1 if the test always failed.
    pub rate: f64,
    /// Number of runs with the fix in which its tests passed.
    pub passes: u32,
    /// How far runs have proved the fix.
    pub status: ProofStatus,
}

/// Confidence that the passes must reach to prove a fix.
pub const PROOF_CONFIDENCE: f64 = 0.95;

/// Progress of the proof for a fix that is being reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofProgress {
    /// Runs with the fix in which the test passed at the first attempt.
    pub passes: u32,
    /// Number of passes that prove the fix.
    pub needed: u32,
}

impl ProofProgress {
    /// Returns `true` if a failure with this verdict may be chance, so that the proof needs the history. Otherwise one
    /// pass is enough.
    pub fn needs_history(found: Option<VerdictKind>) -> bool {
        matches!(found, None | Some(VerdictKind::Flaky))
    }

    /// Progress for a test that does not fail now. `failed_in` is the id of the run with the failure. Only later
    /// runs on the tree of the newest run count, because it is unknown which other runs contain the fix.
    pub fn compute(
        found: Option<VerdictKind>,
        failed_in: &str,
        history: &TestHistory,
        window: &RunWindow,
        traits: &FailureTraits,
    ) -> Self {
        let view = window.view();
        let summary = summarize_test(history, &view, &view.varying_conditions(), traits);
        if found != Some(VerdictKind::Flaky) && summary.state != TestState::Flaky {
            return Self { passes: 1, needed: 1 };
        }
        // Assumes at least one failure, because the reported failure may be explained differently by now.
        let rate = summary.flake_rate.mean().max(Rate::from_counts(1, history.totals.runs).mean());
        let runs = || window.runs();
        let failed = runs().find(|run| run.id == failed_in);
        let newest = runs().next_back().filter(|newest| failed.is_none_or(|failed| !failed.has_same_tree_as(newest)));
        let had_fix = runs().filter(|run| {
            failed.is_none_or(|failed| failed.seq < run.seq)
                && newest.is_some_and(|newest| newest.has_same_tree_as(run))
        });
        let passes = had_fix.filter(|run| history.passed_at_first_attempt(run.seq)).count();
        Self { passes: u32::try_from(passes).unwrap_or(u32::MAX), needed: count_passes_needed(rate, PROOF_CONFIDENCE) }
    }
}

impl Fix {
    /// A reported fix. `rate` is the rate of the failure before the fix.
    pub fn new_claim(cause: u64, commits: Vec<String>, cases: BTreeMap<CaseId, u64>, run: RunSeq, rate: f64) -> Self {
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

    /// Marks this fix as superseded if `later` is a fix for the same failure and this fix is not proved yet.
    pub fn record_later_fix(&mut self, later: &Self) {
        let same = self.cases.iter().any(|(case, signature)| later.fixes_error(*case, *signature));
        if same && matches!(self.status, ProofStatus::Claimed | ProofStatus::Candidate) {
            self.status = ProofStatus::Superseded;
        }
    }

    /// Returns `true` if a run is known to contain the fix. An uncommitted edit may be undone, so that only a run on
    /// the same tree contains it.
    pub fn is_contained_in(&self, run: &RunFacts) -> bool {
        !self.is_uncommitted() || self.edited.as_ref() == Some(&run.tree)
    }

    /// Returns `true` if the fix may be undone in the last run of a view, because a file of the fix was changed since
    /// the fix passed.
    pub fn may_be_undone(&self, view: &RunView<'_>) -> bool {
        view.index(self.complete.unwrap_or(self.passed)).is_some_and(|at| view.is_touched_since(at, &self.files))
    }

    /// Returns `true` if the tree lost a commit since the fix passed that touched a file of the fix.
    pub fn is_lost(&self, view: &RunView<'_>) -> bool {
        view.index(self.complete.unwrap_or(self.passed)).is_some_and(|at| view.has_lost_change_of(at, &self.files))
    }

    /// Returns `true` if the fix is an edit that is not known to be committed.
    pub const fn is_uncommitted(&self) -> bool {
        self.edited.is_some() && self.commits.is_empty()
    }

    /// Notes that an edit was committed: a run on a clean commit with the tree of the edit contains it. `newest` is the
    /// newest commit since the failure.
    pub fn record_commit(&mut self, run: &RunFacts, newest: Option<&String>) {
        let is_same = self.is_uncommitted() && !run.dirty && self.edited.as_ref() == Some(&run.tree);
        if let Some(commit) = newest.filter(|_| is_same) {
            self.commits.push(commit.clone());
            self.complete = Some(run.seq);
        }
    }

    /// Records a run in which the tests of the fix passed, and marks the fix as proved if there are enough passes.
    pub fn record_pass(&mut self) {
        self.passes += 1;
        let needed = count_passes_needed(self.rate, PROOF_CONFIDENCE);
        if matches!(self.status, ProofStatus::Claimed | ProofStatus::Candidate) && self.passes >= needed {
            self.status = ProofStatus::Proved;
        }
    }

    /// Refutes the fix, because the same error of the same test came back while the fix was present.
    pub fn refute(&mut self) {
        self.status = ProofStatus::Refuted;
    }

    /// Returns the id of the fix for one of its commits. The id of an edit stays the same when the edit is committed.
    pub fn id(&self, commit: Option<&String>) -> String {
        let change = self.edited.as_ref().or(commit).map_or("", String::as_str);
        format!("fix-{:016x}-{change:.12}", self.cause)
    }

    /// Returns `true` if the fix is for this error of this case.
    pub fn fixes_error(&self, case: CaseId, signature: u64) -> bool {
        self.cases.get(&case) == Some(&signature)
    }
}
