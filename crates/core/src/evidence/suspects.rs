//! Finds the commits that may have introduced a failure.
//!
//! The model is Google's flake-aware culprit finding (2023). With flake rate `f` and culprit `j`, a run at commit `i`
//! before `j` passes with probability `1 - f` and fails with `f`; a run at `j` or later fails. An additional
//! hypothesis is that no commit introduced the failure, so that each of `n` commits has the prior `1 / (n + 1)`. A
//! commit that touches a file of the failure weighs [`TOUCHED_FILE_WEIGHT`] times as much, a commit that touches
//! configuration [`CONFIGURATION_COMMIT_WEIGHT`] times, and a commit that touches only documentation
//! [`DOCUMENTATION_COMMIT_WEIGHT`] times.

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
    let named = commits
        .iter()
        .zip(&logs)
        .rev()
        .map(|(candidate, weight)| Suspect { commit: candidate.commit.to_owned(), probability: weight / total });
    let mut named: Vec<Suspect> = named.filter(|suspect| suspect.probability >= MIN_PROBABILITY).collect();
    named.sort_by(|first, second| second.probability.total_cmp(&first.probability));
    named.truncate(MAX_SUSPECTS);
    named
}

struct CandidateCommit<'a> {
    commit: &'a str,
    /// Runs at this place or a later place contain the commit.
    place: u32,
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
            let prior = match () {
                () if view.is_documentation(at, commit) => DOCUMENTATION_COMMIT_WEIGHT,
                () if is_near => TOUCHED_FILE_WEIGHT,
                () if view.is_configuration(at, commit) => CONFIGURATION_COMMIT_WEIGHT,
                () => 1.0,
            };
            Some(CandidateCommit { commit, place, edited_at, prior })
        })
    };
    let mut all: Vec<_> = (0..view.runs.len()).flat_map(of_run).collect();
    all.sort_by_key(|candidate| candidate.place);
    all.dedup_by_key(|candidate| candidate.place);
    all.drain(..all.len().saturating_sub(MAX_COMMITS));
    all
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
