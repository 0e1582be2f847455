//! Finds the commits that may have introduced a failure.
//!
//! The model is Google's flake-aware culprit finding (2023). With flake rate `f` and culprit `j`, a run at commit `i`
//! before `j` passes with probability `1 - f` and fails with `f`; a run at `j` or later fails. An additional
//! hypothesis is that no commit introduced the failure, so that each of `n` commits has the prior `1 / (n + 1)`. A
//! commit that touches a file of the failure weighs [`TOUCHED_FILE_WEIGHT`] times as much, a commit that touches
//! configuration [`CONFIGURATION_COMMIT_WEIGHT`] times, and a commit that touches only documentation
//! [`DOCUMENTATION_COMMIT_WEIGHT`] times.
//!
//! A commit that the tree lost since the last pass is a suspect too: its absence introduced the failure.

use crate::evidence::facts::FileId;
use crate::evidence::stored_rows::history::{Observation, observations_up_to_last_commit};
use crate::evidence::stored_rows::window::RunView;
use crate::evidence::verdict::Suspect;
use std::collections::BTreeSet;

/// Probability that a test passes on a tree that contains the culprit.
const CULPRIT_PASS_PROBABILITY: f64 = 0.001;
/// Probability that a test passes on an edited tree that contains the culprit, because the edit may have fixed the
/// failure.
const EDIT_FIX_PROBABILITY: f64 = 0.1;
/// Weight of a commit that touched only files that tests do not read, or only comments. An ordinary commit has the weight 1.
const DOCUMENTATION_COMMIT_WEIGHT: f64 = 0.02;
/// Weight of a commit that touched configuration, which affects all tests. It is low, because most such commits change a
/// version or the settings of a tool that no test uses.
const CONFIGURATION_COMMIT_WEIGHT: f64 = 1.5;
/// Probability that an uncommitted edit breaks the test although the commits below the edit do not break it. It is high
/// because most failures on an edited tree come from the edit.
const EDIT_BREAK_PROBABILITY: f64 = 0.3;
/// Weight of a commit that touches a file of the stack or of the failing tests. The value assumes that half of the
/// culprits and a tenth of the other commits touch such a file. Runs outweigh it: a single pass of a test on a commit
/// reduces the likelihood of that commit by a factor of 1000.
pub const TOUCHED_FILE_WEIGHT: f64 = 5.0;
/// Weight of a lost commit if the test failed with this error before the commit and passed with it.
const LOST_FIX_WEIGHT: f64 = 25.0;
/// Maximum number of suspects in a verdict.
const MAX_SUSPECTS: usize = 12;
/// Maximum number of commits that are considered. The oldest are dropped.
const MAX_COMMITS: usize = 256;
/// Minimum probability of a suspect in a verdict.
const MIN_PROBABILITY: f64 = 0.02;

/// Evidence from one test of the cause.
pub struct TestEvidence<'a> {
    /// Results of the test, oldest first.
    pub observations: &'a [Observation],
    /// Probability that the test fails without a cause.
    pub flake_rate: f64,
}

/// Returns the suspected commits, most likely first, and newest first among equally likely commits. Suspects below the
/// minimum probability are left out. The probabilities of all commits and the probability that no commit introduced the
/// failure sum to 1. `files` has the files of the failure.
pub fn find_suspects(view: &RunView<'_>, tests: &[TestEvidence<'_>], files: &BTreeSet<FileId>) -> Vec<Suspect> {
    let passes = tests.iter().flat_map(|test| test.observations).filter(|result| !result.failed);
    let Some(first_pass) = passes.map(|result| view.commit_positions[result.run_index]).min() else {
        return Vec::new();
    };
    let mut commits = find_candidates(view, files);
    // A commit before the first pass cannot be the start of the failure.
    commits.retain(|commit| commit.place > first_pass);
    add_lost_commits(view, tests, files, &mut commits);
    let tests: Vec<_> =
        tests.iter().map(|test| (test, results_after_earlier_culprits(view, test.observations))).collect();
    let mut logs: Vec<f64> = (0..=commits.len())
        .map(|culprit| {
            let candidate = commits.get(culprit);
            let (culprit_place, prior) =
                candidate.map_or((u32::MAX, 1.0), |candidate| (candidate.place, candidate.prior));
            let of_test = |(test, results): &(&TestEvidence<'_>, Vec<Observation>)| {
                let as_edit = candidate.map_or(0.0, |candidate| candidate.log_likelihood_as_edit(view, test));
                log_likelihood(view, results, test.flake_rate, culprit_place) + as_edit
            };
            prior.ln() + tests.iter().map(of_test).sum::<f64>()
        })
        .collect();
    let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for log in &mut logs {
        *log = (*log - best).exp();
    }
    let total: f64 = logs.iter().sum();
    let named = commits.iter().zip(&logs).rev().map(|(candidate, weight)| Suspect {
        commit: candidate.commit.clone(),
        probability: weight / total,
        is_lost: candidate.is_lost,
    });
    let mut named: Vec<Suspect> = named.filter(|suspect| suspect.probability >= MIN_PROBABILITY).collect();
    named.sort_by(|first, second| second.probability.total_cmp(&first.probability));
    named.truncate(MAX_SUSPECTS);
    named
}

struct CandidateCommit<'a> {
    commit: &'a String,
    /// Runs at this place or a later place contain the commit, or lack it if it is lost.
    place: u32,
    is_lost: bool,
    /// Index of a run on the edit that became the commit.
    edited_at: Option<usize>,
    /// Weight before any evidence. The hypothesis that no commit introduced the failure has the weight 1.
    prior: f64,
}

impl CandidateCommit<'_> {
    /// `ln P` of the results of one test on the edit that became the commit. If the commit is the culprit, the test
    /// fails there.
    fn log_likelihood_as_edit(&self, view: &RunView<'_>, test: &TestEvidence<'_>) -> f64 {
        let Some(edited_at) = self.edited_at else { return 0.0 };
        let passed = |result: &Observation| {
            !result.failed && view.first_on_tree[result.run_index] == view.first_on_tree[edited_at]
        };
        if test.observations.iter().any(passed) { CULPRIT_PASS_PROBABILITY.ln() } else { 0.0 }
    }
}

/// Commits of the view that the last run contains, oldest first. Each commit appears once, even if several runs
/// returned to it.
fn find_candidates<'a>(view: &RunView<'a>, files: &BTreeSet<FileId>) -> Vec<CandidateCommit<'a>> {
    let last = view.commit_positions.last().copied().unwrap_or_default();
    let of_run = |at: usize| {
        view.commits_of_run(at).filter_map(move |(commit, touched)| {
            let place = view.commit_position(commit).filter(|place| *place <= last)?;
            let is_near = touched.iter().any(|file| files.contains(file));
            let edited = view.runs[at].edited.iter().find(|(edited, _)| edited == commit);
            let edited_at = edited.and_then(|(_, run)| view.index(*run));
            let prior = weigh_commit(view, at, commit, is_near);
            Some(CandidateCommit { commit, place, is_lost: false, edited_at, prior })
        })
    };
    let mut all: Vec<_> = (0..view.runs.len()).flat_map(of_run).collect();
    all.sort_by_key(|candidate| candidate.place);
    all.dedup_by_key(|candidate| candidate.place);
    all.drain(..all.len().saturating_sub(MAX_COMMITS));
    all
}

/// Returns the weight of a commit before any evidence. `at` is the run that introduced the commit.
fn weigh_commit(view: &RunView<'_>, at: usize, commit: &String, is_near: bool) -> f64 {
    match () {
        () if view.is_documentation(at, commit) => DOCUMENTATION_COMMIT_WEIGHT,
        () if is_near => TOUCHED_FILE_WEIGHT,
        () if view.is_configuration(at, commit) => CONFIGURATION_COMMIT_WEIGHT,
        () => 1.0,
    }
}

/// Adds the commits that the tree lost since the last pass. Commits that the last pass had too are then no candidates,
/// because they break the test only without the lost commits.
fn add_lost_commits<'a>(
    view: &RunView<'a>,
    tests: &[TestEvidence<'_>],
    files: &BTreeSet<FileId>,
    commits: &mut Vec<CandidateCommit<'a>>,
) {
    let results = || tests.iter().flat_map(|test| test.observations);
    let passed: Vec<usize> = results().filter(|result| !result.failed).map(|result| result.run_index).collect();
    let Some(last_pass) = passed.iter().copied().max() else { return };
    let lost = view.blamable_losses(last_pass, &passed);
    if lost.is_empty() {
        return;
    }
    commits.retain(|candidate| !view.is_known_to_have(last_pass, candidate.commit));
    let to_candidate = |(commit, at): (&'a String, usize)| {
        let (introduced, touched) = view.introduction(commit, at)?;
        let weight = weigh_commit(view, introduced, commit, touched.iter().any(|file| files.contains(file)));
        let prior = if is_lost_fix(view, (commit, at), results()) { LOST_FIX_WEIGHT * weight } else { weight };
        Some(CandidateCommit { commit, place: view.commit_positions[at], is_lost: true, edited_at: None, prior })
    };
    commits.extend(lost.into_iter().filter_map(to_candidate));
}

/// Returns `true` if all failures before the run `at`, which lost the commit, were before the commit.
pub fn is_lost_fix<'o>(
    view: &RunView<'_>,
    (commit, at): (&String, usize),
    observations: impl Iterator<Item = &'o Observation>,
) -> bool {
    let Some((introduced, _)) = view.introduction(commit, at) else { return false };
    let mut failures = observations.filter(|result| result.failed && result.run_index < at).peekable();
    failures.peek().is_some()
        && !view.is_documentation(introduced, commit)
        && failures.all(|result| !view.is_known_to_have(result.run_index, commit))
}

/// `ln P` of the results of one test if the commits from the place `culprit_place` on contain the culprit.
fn log_likelihood(view: &RunView<'_>, observations: &[Observation], flake_rate: f64, culprit_place: u32) -> f64 {
    let log_probability = |result: &Observation| {
        let fails = if view.ran_on_edit[result.run_index] { EDIT_BREAK_PROBABILITY } else { CULPRIT_PASS_PROBABILITY };
        let may_be_fixed_by_edit =
            view.ran_on_edit[result.run_index] && (result.failed || !view.still_has_edits_of(result.run_index));
        let passes = if may_be_fixed_by_edit { EDIT_FIX_PROBABILITY } else { CULPRIT_PASS_PROBABILITY };
        let fails =
            if view.commit_positions[result.run_index] >= culprit_place { 1.0 - passes } else { flake_rate.max(fails) };
        if result.failed { fails.ln() } else { (1.0 - fails).ln() }
    };
    observations.iter().map(log_probability).sum()
}

/// Returns the results after the last failure that precedes the newest pass on a committed tree, because older failures
/// had another culprit. A pass on an edit that was undone does not end a failure.
fn results_after_earlier_culprits(view: &RunView<'_>, observations: &[Observation]) -> Vec<Observation> {
    let mut observations = observations_up_to_last_commit(view, observations);
    let newest = observations.iter().rposition(|result| !result.failed && view.became_commit[result.run_index]);
    let before = newest.and_then(|passed| observations[..passed].iter().rposition(|result| result.failed));
    observations.split_off(before.map_or(0, |failed| failed + 1))
}
