//! Which commit began it.
//!
//! Google's flake-aware culprit finding (2023): with flake rate `f` and culprit `j`, a run at commit `i` passes with `1 - f`
//! and fails with `f` where `i` is before `j`, and fails where it is not. That no commit did it is one hypothesis more, so
//! for `n` commits each prior is `1 / (n + 1)`; a commit that touches a file of the failure weighs [`TOUCHES`] times as much,
//! one of documentation a small part of that.

use crate::evidence::facts::FileId;
use crate::evidence::kept::history::{Observation, up_to_last_commit};
use crate::evidence::kept::window::View;
use crate::evidence::verdict::Suspect;
use std::collections::BTreeSet;

/// That a test passes on a tree with the culprit.
const PASSES_BROKEN: f64 = 0.001;
/// The same where an edit lies on top of it, which may have mended it.
const EDIT_MENDS: f64 = 0.1;
/// How much less likely a commit did it that touched only files which tests do not read.
const DOCUMENTATION: f64 = 0.02;
/// That an edit breaks it, without a culprit below: most that fails on an edited tree fails by the edit.
const EDIT_BREAKS: f64 = 0.3;
/// How much likelier a commit did it that touches a file of the stack or of the tests that fail: as if half of the culprits
/// did and one in ten of the others. It decides where the runs do not, and is soon outweighed by them: one pass of a test
/// that has the culprit costs 1000.
pub const TOUCHES: f64 = 5.0;
/// Suspects that are named.
const MAX_SUSPECTS: usize = 12;
/// Commits before the first failure that are considered.
const MAX_COMMITS: usize = 256;
/// Below that a commit is not named.
const MIN_PROBABILITY: f64 = 0.02;

/// What is known of one test of the cause.
pub struct Evidence<'a> {
    /// What it did, oldest first.
    pub seen: &'a [Observation],
    /// The chance that it fails without cause.
    pub flake_rate: f64,
}

/// The commits, likeliest first; of equally likely ones the newest first. They sum to 1 with "none of them". `files`: of the
/// failure.
pub fn suspects(view: &View<'_>, tests: &[Evidence<'_>], files: &BTreeSet<FileId>) -> Vec<Suspect> {
    let passes = tests.iter().flat_map(|test| test.seen).filter(|one| !one.failed);
    let Some(first_pass) = passes.map(|one| view.places[one.at]).min() else { return Vec::new() };
    let mut commits = commits(view, files);
    // Nobody saw the tests pass before an older commit, such as that of the first run.
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
    /// Runs on a commit of this place or a later one have it.
    place: u32,
    /// Index of a run of the edit that became it.
    edited_at: Option<usize>,
    /// What it weighs before anything was seen, against 1 of no commit.
    prior: f64,
}

impl Candidate<'_> {
    /// `ln P` of what one test did on the commit's own files before they were committed: it fails there if it did it.
    fn log_likelihood_as_edit(&self, view: &View<'_>, test: &Evidence<'_>) -> f64 {
        let Some(edited_at) = self.edited_at else { return 0.0 };
        let passed = |one: &Observation| !one.failed && view.trees[one.at] == view.trees[edited_at];
        if test.seen.iter().any(passed) { PASSES_BROKEN.ln() } else { 0.0 }
    }
}

/// The commits of the view that the last run has, oldest first; each once, though runs may have come to it again.
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

/// `ln P` of what one test did if the commits from the place `begins` on have the culprit.
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

/// What belongs to the newest stretch of failures up to the commit of the last run: an older one was another culprit's. A pass
/// on an edit that was taken back ends none.
fn recent(view: &View<'_>, seen: &[Observation]) -> Vec<Observation> {
    let mut seen = up_to_last_commit(view, seen);
    let newest = seen.iter().rposition(|one| !one.failed && view.kept[one.at]);
    let before = newest.and_then(|passed| seen[..passed].iter().rposition(|one| one.failed));
    seen.split_off(before.map_or(0, |failed| failed + 1))
}
