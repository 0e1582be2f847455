//! Finds the commits that may have introduced a failure.
//!
//! The model is Google's flake-aware culprit finding (2023). With flake rate `f` and culprit `j`, a run at commit `i`
//! before `j` passes with probability `1 - f` and fails with `f`; a run at `j` or later fails. "No commit did it" is an
//! additional hypothesis, so that each of `n` commits has the prior `1 / (n + 1)`. A commit that touches a file of the
//! failure weighs [`TOUCHES`] times as much, and a commit that touches only documentation weighs a small fraction of 1.

use crate::evidence::facts::FileId;
use crate::evidence::kept::history::{Observation, up_to_last_commit};
use crate::evidence::kept::window::View;
use crate::evidence::verdict::Suspect;
use std::collections::BTreeSet;

/// Probability that a test passes on a tree that contains the culprit.
const PASSES_BROKEN: f64 = 0.001;
/// Like [`PASSES_BROKEN`], but for a tree with an edit, which may have fixed the failure.
const EDIT_MENDS: f64 = 0.1;
/// Weight of a commit that touched only files that tests do not read, against 1 for other commits.
const DOCUMENTATION: f64 = 0.02;
/// Probability that an edit breaks the test without a culprit below the edit. It is high because most failures on an
/// edited tree come from the edit.
const EDIT_BREAKS: f64 = 0.3;
/// Weight of a commit that touches a file of the stack or of the failing tests. It assumes that half of the culprits
/// and one in ten of the other commits touch such a file. The weight decides only if the runs do not, because a single
/// pass of a test on the culprit reduces the likelihood by a factor of 1000.
pub const TOUCHES: f64 = 5.0;
/// Maximum number of suspects in a verdict.
const MAX_SUSPECTS: usize = 12;
/// Maximum number of commits that are considered. The oldest are dropped.
const MAX_COMMITS: usize = 256;
/// Minimum probability of a suspect in a verdict.
const MIN_PROBABILITY: f64 = 0.02;

/// Evidence from one test of the cause.
pub struct Evidence<'a> {
    /// Results of the test, oldest first.
    pub seen: &'a [Observation],
    /// Probability that the test fails without a cause.
    pub flake_rate: f64,
}

/// The suspected commits, most likely first; of equally likely commits, the newest first. The probabilities and that of
/// "no commit did it" sum to 1, except for suspects below the minimum probability, which are left out. `files` has the
/// files of the failure.
pub fn suspects(view: &View<'_>, tests: &[Evidence<'_>], files: &BTreeSet<FileId>) -> Vec<Suspect> {
    let passes = tests.iter().flat_map(|test| test.seen).filter(|one| !one.failed);
    let Some(first_pass) = passes.map(|one| view.places[one.at]).min() else { return Vec::new() };
    let mut commits = commits(view, files);
    // No pass is known from before an older commit, such as that of the first run.
    commits.retain(|commit| commit.place > first_pass);
    let tests: Vec<_> = tests.iter().map(|test| (test, recent(view, test.seen))).collect();
    let mut logs: Vec<f64> = (0..=commits.len())
        .map(|culprit| {
            let one = commits.get(culprit);
            let (begins, prior) = one.map_or((u32::MAX, 1.0), |one| (one.place, one.prior));
            let of_test = |(test, recent): &(&Evidence<'_>, Vec<Observation>)| {
                let as_edit = one.map_or(0.0, |one| one.log_likelihood_as_edit(view, test));
                log_likelihood(view, recent, test.flake_rate, begins) + as_edit
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
        .map(|(one, weight)| Suspect { commit: one.commit.to_owned(), probability: weight / total });
    let mut named: Vec<Suspect> = named.filter(|one| one.probability >= MIN_PROBABILITY).collect();
    named.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    named.truncate(MAX_SUSPECTS);
    named
}

struct Candidate<'a> {
    commit: &'a str,
    /// Runs at this place or a later place contain the commit.
    place: u32,
    /// Index of a run on the edit that became the commit.
    edited_at: Option<usize>,
    /// Weight before any evidence, against 1 for "no commit did it".
    prior: f64,
}

impl Candidate<'_> {
    /// `ln P` of the results of one test on the edit that became the commit. If the commit is the culprit, the test
    /// fails there.
    fn log_likelihood_as_edit(&self, view: &View<'_>, test: &Evidence<'_>) -> f64 {
        let Some(edited_at) = self.edited_at else { return 0.0 };
        let passed = |one: &Observation| !one.failed && view.trees[one.at] == view.trees[edited_at];
        if test.seen.iter().any(passed) { PASSES_BROKEN.ln() } else { 0.0 }
    }
}

/// Commits of the view that the last run contains, oldest first. Each commit appears once, even if several runs
/// returned to it.
fn commits<'a>(view: &View<'a>, files: &BTreeSet<FileId>) -> Vec<Candidate<'a>> {
    let last = view.places.last().copied().unwrap_or_default();
    let of_run = |at: usize| {
        view.changes(at).filter_map(move |(commit, touched)| {
            let place = view.place_of(commit).filter(|place| *place <= last)?;
            let is_near = touched.iter().any(|file| files.contains(file));
            let edited = view.runs[at].edited.iter().find(|(edited, _)| edited == commit);
            let edited_at = edited.and_then(|(_, run)| view.index(*run));
            let prior = match () {
                () if is_near => TOUCHES,
                () if view.is_documentation(at, commit) => DOCUMENTATION,
                () => 1.0,
            };
            Some(Candidate { commit, place, edited_at, prior })
        })
    };
    let mut all: Vec<_> = (0..view.runs.len()).flat_map(of_run).collect();
    all.sort_by_key(|one| one.place);
    all.dedup_by_key(|one| one.place);
    all.drain(..all.len().saturating_sub(MAX_COMMITS));
    all
}

/// `ln P` of the results of one test if the commits from the place `begins` on contain the culprit.
fn log_likelihood(view: &View<'_>, seen: &[Observation], flake_rate: f64, begins: u32) -> f64 {
    let of = |one: &Observation| {
        let fails = if view.uncommitted[one.at] { EDIT_BREAKS } else { PASSES_BROKEN };
        let may_be_mended = view.uncommitted[one.at] && (one.failed || !view.has_edits_of(one.at));
        let passes = if may_be_mended { EDIT_MENDS } else { PASSES_BROKEN };
        let fails = if view.places[one.at] >= begins { 1.0 - passes } else { flake_rate.max(fails) };
        if one.failed { fails.ln() } else { (1.0 - fails).ln() }
    };
    seen.iter().map(of).sum()
}

/// The results after the last failure that precedes the newest kept pass, because older failures had another culprit. A
/// pass on an edit that was undone does not end a failure.
fn recent(view: &View<'_>, seen: &[Observation]) -> Vec<Observation> {
    let mut seen = up_to_last_commit(view, seen);
    let newest = seen.iter().rposition(|one| !one.failed && view.kept[one.at]);
    let before = newest.and_then(|passed| seen[..passed].iter().rposition(|one| one.failed));
    seen.split_off(before.map_or(0, |failed| failed + 1))
}
