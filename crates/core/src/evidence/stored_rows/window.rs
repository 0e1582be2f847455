//! The newest runs of a project and their relations: which runs used the same tree, and which commits are between them.

use crate::evidence::facts::{FileId, RunFacts, RunSeq};
use crate::evidence::stored_rows::commit_order::CommitOrder;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Number of runs that verdicts consider, equal to the number of bits of [`RunMask`].
pub const WINDOW_RUNS: u32 = 128;

/// The newest runs, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunWindow {
    runs: VecDeque<RunFacts>,
}

impl RunWindow {
    /// Adds the newest run and removes runs that are too old.
    pub fn push(&mut self, run: RunFacts) {
        let oldest = (run.seq + 1).saturating_sub(WINDOW_RUNS);
        self.runs.push_back(run);
        while self.runs.front().is_some_and(|run| run.seq < oldest) {
            self.runs.pop_front();
        }
    }

    /// Returns the run with this number.
    pub fn get(&self, seq: RunSeq) -> Option<&RunFacts> {
        let first = self.runs.front()?.seq;
        self.runs.get(usize::try_from(seq.checked_sub(first)?).ok()?).filter(|run| run.seq == seq)
    }

    /// Returns the runs, oldest first.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &RunFacts> {
        self.runs.iter()
    }

    /// Ids of earlier runs on the same files as the newest run.
    pub fn run_ids_on_newest_files(&self) -> impl Iterator<Item = &str> {
        let newest = self.runs.back();
        let earlier = self.runs.iter().rev().skip(1);
        earlier.filter(move |run| newest.is_some_and(|newest| newest.has_same_tree_as(run))).map(|run| run.id.as_str())
    }

    /// Returns the last green run, the number of commits between it and the newest run, and the number of its commits
    /// that the newest run lacks. A green run is on the same branch, had no failure, was not interrupted, and had at
    /// least half as many tests as the newest run.
    pub fn last_green(&self) -> Option<(&RunFacts, u32, u32)> {
        let newest = self.runs.back()?;
        let is_green = |run: &&RunFacts| {
            run.failed == 0 && !run.interrupted && run.branch == newest.branch && run.ran >= newest.ran.div_ceil(2)
        };
        let green = self.runs.iter().rev().skip(1).find(is_green)?;
        let view = self.view();
        let place = |run: &RunFacts| view.commits.places.get(&run.seq);
        let commits = place(newest)?.saturating_sub(*place(green)?);
        let lost = view.blamable_losses(view.index(green.seq)?, &[]).len();
        Some((green, commits, u32::try_from(lost).unwrap_or(u32::MAX)))
    }

    /// Returns the commits that the newest run is known to have, oldest first.
    pub fn commits_of_newest_run(&self) -> Vec<&String> {
        list_known_commits(&self.runs.iter().collect::<Vec<_>>()).pop().unwrap_or_default()
    }

    /// Returns the author time of a commit, if a run of the window introduced the commit.
    pub fn author_time(&self, commit: &String) -> Option<i64> {
        let of_run = |run: &RunFacts| run.authored.get(run.path.iter().position(|new| new == commit)?).copied();
        self.runs.iter().rev().find_map(of_run)
    }

    /// Returns the number of the next run.
    pub fn next_seq(&self) -> RunSeq {
        self.runs.back().map_or(0, |run| run.seq + 1)
    }

    /// Returns the runs before `run`, and `run` as the last run.
    pub fn view_from<'a>(&'a self, run: &'a RunFacts) -> RunView<'a> {
        RunView::new(self.runs.iter().filter(|earlier| earlier.seq < run.seq).chain([run]).collect())
    }

    /// Returns a view for judging an earlier run again. That run is the last run of the view. Before it are the earlier
    /// runs, and those later runs that are on the same commit or on an older commit. None if the run is too old.
    pub fn view_with_later_runs(&self, seq: RunSeq) -> Option<RunView<'_>> {
        let mut runs: Vec<&RunFacts> = self.runs.iter().collect();
        let order = OrderedCommits::from_runs(&runs);
        let judged = self.get(seq)?;
        let place = *order.places.get(&seq)?;
        let is_after = |run: &RunFacts| run.seq > seq && order.places[&run.seq] > place;
        runs.retain(|run| run.seq != seq && !is_after(run));
        runs.push(judged);
        Some(RunView::with_commits(runs, order))
    }

    /// Returns a view of all runs.
    pub fn view(&self) -> RunView<'_> {
        RunView::new(self.runs.iter().collect())
    }
}

/// A bit for each run of the window.
pub type RunMask = u128;

/// Returns the bit of the run with this index, or 0 if the index is beyond the mask. The judged run has such an index
/// if the window is full.
pub fn run_bit(at: usize) -> RunMask {
    u32::try_from(at).ok().and_then(|at| RunMask::from(true).checked_shl(at)).unwrap_or(0)
}

/// The runs from which a verdict is judged. Their relations are computed once for all failing cases.
pub struct RunView<'a> {
    /// Oldest first. The run that is judged is last.
    pub runs: Vec<&'a RunFacts>,
    /// For each run, the index of the first run on the same tree.
    pub first_on_tree: Vec<usize>,
    /// Position of the commit of each run among all commits. Checking out an older commit does not change it.
    pub commit_positions: Vec<u32>,
    /// For each run, whether it ran on an edit ([`RunFacts::is_edit`]).
    pub ran_on_edit: Vec<bool>,
    /// For each run, whether its tree is, or later became, the tree of a commit.
    pub became_commit: Vec<bool>,
    /// For each file, the runs in which it was edited.
    edited_in: BTreeMap<FileId, RunMask>,
    /// For each file, the index of the newest run with a new commit that touched it.
    touched_in: BTreeMap<FileId, usize>,
    /// For each file, the index of the newest run that lost a commit that touched it.
    lost_in: BTreeMap<FileId, usize>,
    commits: OrderedCommits<'a>,
}

/// The commits of the runs and their positions.
struct OrderedCommits<'a> {
    order: CommitOrder<'a>,
    /// New commits of each run since the previous run, oldest first, by run number.
    paths: BTreeMap<RunSeq, &'a [String]>,
    places: BTreeMap<RunSeq, u32>,
    /// Commits that each run is known to have, oldest first. Empty if no run lost a commit.
    known: BTreeMap<RunSeq, Vec<&'a String>>,
}

impl<'a> OrderedCommits<'a> {
    /// Expects the runs in the order in which they were recorded.
    fn from_runs(runs: &[&'a RunFacts]) -> Self {
        let mut order = CommitOrder::default();
        let (mut paths, mut places) = (BTreeMap::new(), BTreeMap::new());
        for (at, run) in runs.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| runs[before].commit.as_deref());
            let path = find_new_commits(runs, at);
            order.add_path(run, path, before);
            paths.insert(run.seq, path);
        }
        let mut last = 0;
        for run in runs {
            last = run.commit.as_deref().and_then(|commit| order.place(commit)).unwrap_or(last);
            places.insert(run.seq, last);
        }
        let has_losses = runs.iter().any(|run| !run.lost.is_empty());
        let known = if has_losses { list_known_commits(runs) } else { Vec::new() };
        Self { order, paths, places, known: runs.iter().map(|run| run.seq).zip(known).collect() }
    }
}

/// Name of the condition that identifies the machine.
const MACHINE_CONDITION: &str = "machine";

impl<'a> RunView<'a> {
    fn new(runs: Vec<&'a RunFacts>) -> Self {
        let order = OrderedCommits::from_runs(&runs);
        Self::with_commits(runs, order)
    }

    fn with_commits(runs: Vec<&'a RunFacts>, commits: OrderedCommits<'a>) -> Self {
        let mut trees = Vec::new();
        let mut by_tree: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut edited_in: BTreeMap<FileId, RunMask> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            let named_alike = by_tree.entry(&run.tree).or_default();
            let twin = named_alike.iter().rev().find(|earlier| runs[**earlier].has_same_tree_as(run));
            trees.push(twin.map_or(at, |twin| trees[*twin]));
            named_alike.push(at);
            for (file, _) in &run.edited_files {
                *edited_in.entry(*file).or_default() |= run_bit(at);
            }
        }
        let uncommitted = find_edit_flags(&runs);
        let places = runs.iter().map(|run| commits.places[&run.seq]).collect();
        let became_commits = runs.iter().flat_map(|run| &run.edited).filter_map(|(_, seq)| find_index(&runs, *seq));
        let committed = uncommitted.iter().enumerate().filter(|(_, is_edit)| !**is_edit).map(|(at, _)| at);
        let trees_kept: BTreeSet<usize> = became_commits.chain(committed).map(|at| trees[at]).collect();
        let kept = trees.iter().map(|tree| trees_kept.contains(tree)).collect();
        let touched =
            runs.iter().enumerate().flat_map(|(at, run)| run.touched.iter().flatten().map(move |file| (*file, at)));
        let touched_in = touched.collect();
        let mut view = Self {
            runs,
            first_on_tree: trees,
            commit_positions: places,
            ran_on_edit: uncommitted,
            became_commit: kept,
            edited_in,
            touched_in,
            lost_in: BTreeMap::new(),
            commits,
        };
        view.lost_in = (0..view.runs.len()).flat_map(|at| view.files_lost_in(at)).collect();
        view
    }

    /// Returns the files that the lost commits of a run touched, each with the index of the run.
    fn files_lost_in(&self, at: usize) -> Vec<(FileId, usize)> {
        let lost = self.runs[at].lost.iter().filter_map(|commit| self.introduction(commit, at));
        lost.flat_map(|(_, touched)| touched.iter().map(|file| (*file, at))).collect()
    }

    /// Returns the index of the newest run before the run `at` that introduced a commit, and the files of the commit.
    pub fn introduction(&self, commit: &String, at: usize) -> Option<(usize, &'a [FileId])> {
        let introduced = |at: usize| Some((at, self.commits_of_run(at).find(|(new, _)| *new == commit)?.1));
        (0..at).rev().find_map(introduced)
    }

    /// Returns `true` if a run is known to have a commit. Expects that some run lost a commit.
    pub fn is_known_to_have(&self, at: usize, commit: &String) -> bool {
        self.commits.known.get(&self.runs[at].seq).is_some_and(|known| known.contains(&commit))
    }

    /// Returns the commits that the last run lacks because it or an earlier run lost them after the run `earlier`, each
    /// with the index of the run that lost it. If one of the runs `passed` lacks a commit too, and is not older than the
    /// common history, the failure does not come from the loss of the commit.
    pub fn blamable_losses(&self, earlier: usize, passed: &[usize]) -> Vec<(&'a String, usize)> {
        let common_place = |at: usize| {
            let (_, before) = self.commits.known.range(..self.runs[at].seq).next_back()?;
            let first = before.iter().position(|known| self.runs[at].lost.first() == Some(known))?;
            self.commit_position(before[first.checked_sub(1)?])
        };
        let is_blamable = |commit: &String, at: usize| {
            let has_passed_without = |run: &usize| {
                common_place(at) <= Some(self.commit_positions[*run]) && !self.is_known_to_have(*run, commit)
            };
            !self.is_known_to_have(self.runs.len() - 1, commit) && !passed.iter().any(has_passed_without)
        };
        let lost = (earlier + 1..self.runs.len()).flat_map(|at| self.runs[at].lost.iter().map(move |lost| (lost, at)));
        lost.filter(|(commit, at)| is_blamable(commit, *at)).collect()
    }

    /// Returns `true` if the last run lost a commit since an earlier run that touched one of the files.
    pub fn has_lost_change_of(&self, earlier: usize, files: &BTreeSet<FileId>) -> bool {
        files.iter().any(|file| self.lost_in.get(file).is_some_and(|at| *at > earlier))
    }

    /// Returns `true` if one of the files was edited in the last run, and had no edit or another edit in an earlier
    /// run. False if the edits of the earlier run are unknown.
    pub fn is_edited_since(&self, earlier: usize, files: &BTreeSet<FileId>) -> bool {
        let (Some(last), before) = (self.runs.last(), self.runs[earlier]) else { return false };
        let is_known = !before.dirty || before.untracked_only || !before.edited_files.is_empty();
        is_known && last.edited_files.iter().any(|edit| files.contains(&edit.0) && !before.edited_files.contains(edit))
    }

    /// Returns `true` if a commit since an earlier run, or a new edit of the last run, touched one of the files.
    pub fn is_touched_since(&self, earlier: usize, files: &BTreeSet<FileId>) -> bool {
        let is_committed = |file: &FileId| self.touched_in.get(file).is_some_and(|at| *at > earlier);
        self.is_edited_since(earlier, files)
            || self.has_lost_change_of(earlier, files)
            || files.iter().any(is_committed)
    }

    /// Returns the files that commits since an earlier run touched, without commits of documentation, and files that were
    /// edited differently in the last run.
    pub fn files_changed_since(&self, earlier: usize) -> BTreeSet<FileId> {
        let newer = (earlier + 1..self.runs.len())
            .flat_map(|at| self.commits_of_run(at).filter(move |(commit, _)| !self.is_documentation(at, commit)));
        let lost = self.lost_in.iter().filter(|(_, at)| **at > earlier).map(|(file, _)| *file);
        let committed = newer.flat_map(|(_, touched)| touched.iter().copied()).chain(lost);
        let edited = self.runs.last().map(|last| last.files_edited_since(self.runs[earlier])).unwrap_or_default();
        edited.into_iter().chain(committed).collect()
    }

    /// Returns `true` if each edit of an earlier run is still there in the last run or was committed since, so that a
    /// test must have the same result. False if the edited files are unknown.
    pub fn still_has_edits_of(&self, earlier: usize) -> bool {
        let (Some(last), before) = (self.runs.last(), self.runs[earlier]) else { return false };
        let is_edited = |file: &FileId| last.edited_files.iter().any(|(edited, _)| edited == file);
        let is_committed = |file: &FileId| self.touched_in.get(file).is_some_and(|at| *at > earlier);
        let files = &before.edited_files;
        !files.is_empty() && files.iter().all(|(file, _)| is_edited(file) || is_committed(file))
    }

    /// For each file that was edited in a run, all runs in which it was edited.
    pub fn runs_with_edits_of(&self, at: usize) -> impl Iterator<Item = RunMask> {
        self.runs[at].edited_files.iter().filter_map(|(file, _)| self.edited_in.get(file).copied())
    }

    /// Returns the number of tests that started to fail with the changes of a run.
    pub fn newly_failing_if_failed(&self, at: usize, failed: bool) -> u32 {
        if failed { self.runs[at].newly_failing } else { 0 }
    }

    /// Returns the position of a commit among all commits.
    pub fn commit_position(&self, commit: &str) -> Option<u32> {
        self.commits.order.place(commit)
    }

    /// Returns the new commits of a run since the previous run that can affect tests, oldest first. Each comes with the
    /// files that it touched, or with no files if they are unknown.
    pub fn commits_of_run(&self, at: usize) -> impl DoubleEndedIterator<Item = (&'a String, &'a [FileId])> {
        let run = self.runs[at];
        let touched = |index: usize| run.touched.get(index).map_or(&[][..], Vec::as_slice);
        let all = self.commits.paths[&run.seq].iter().enumerate().map(move |(index, commit)| (commit, touched(index)));
        all.filter(|(commit, _)| !run.idle.contains(commit))
    }

    /// Returns `true` if the new commits of a run touch files that tests may read.
    pub fn has_code_change(&self, at: usize) -> bool {
        self.commits_of_run(at).any(|(commit, _)| !self.is_documentation(at, commit))
    }

    /// Returns `true` if a commit of a run touched only files that tests do not read, such as documentation.
    pub fn is_documentation(&self, at: usize, commit: &String) -> bool {
        self.runs[at].documentation.contains(commit)
    }

    /// Returns `true` if a commit of a run touched files which decide how all tests are built or run.
    pub fn is_configuration(&self, at: usize, commit: &String) -> bool {
        self.runs[at].configuration.contains(commit)
    }

    /// Returns the new commits after the run with this number, newest first.
    pub fn commits_since(&self, seq: RunSeq) -> impl Iterator<Item = &'a String> {
        let newer = (0..self.runs.len()).rev().take_while(move |at| self.runs[*at].seq > seq);
        newer.flat_map(|at| self.commits_of_run(at).rev()).map(|(commit, _)| commit)
    }

    /// Returns the files that commits after the run with this number touched.
    pub fn files_committed_since(&self, seq: RunSeq) -> BTreeSet<FileId> {
        let newer = (0..self.runs.len()).filter(|at| self.runs[*at].seq > seq);
        newer.flat_map(|at| self.commits_of_run(at)).flat_map(|(_, touched)| touched.iter().copied()).collect()
    }

    /// Returns `true` if the last run was on an edit.
    pub fn is_on_edit(&self) -> bool {
        self.ran_on_edit.last().is_some_and(|is_edit| *is_edit)
    }

    /// Returns `true` if the last run is on an older commit than an earlier run.
    pub fn is_on_older_commit_than(&self, earlier: RunSeq) -> bool {
        let earlier = self.index(earlier).map(|earlier| self.commit_positions[earlier]);
        earlier.zip(self.commit_positions.last()).is_some_and(|(earlier, now)| *now < earlier)
    }

    /// Returns the index of the run with this number.
    pub fn index(&self, seq: RunSeq) -> Option<usize> {
        find_index(&self.runs, seq)
    }

    /// Returns `true` if a run has a condition.
    pub fn has_condition(&self, at: usize, condition: &(String, String)) -> bool {
        self.runs[at].environment.contains(condition)
    }

    /// Returns `true` if a condition had different values in two runs. The condition that identifies the machine does
    /// not count.
    pub fn differ_in_conditions(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.runs[first].environment, &self.runs[second].environment);
        let differs = |(name, value): &(String, String)| {
            name != MACHINE_CONDITION && second.iter().any(|(there, known)| there == name && known != value)
        };
        first.iter().any(differs)
    }

    /// Returns the conditions of the last run that at least one other run does not have.
    pub fn distinctive_conditions(&self) -> Vec<&'a (String, String)> {
        let Some(last) = self.runs.last() else { return Vec::new() };
        last.environment
            .iter()
            .filter(|condition| self.runs.iter().any(|run| !run.environment.contains(condition)))
            .collect()
    }

    /// Conditions that some runs have and others do not.
    pub fn varying_conditions(&self) -> Vec<&'a (String, String)> {
        let all: BTreeSet<_> = self.runs.iter().flat_map(|run| &run.environment).collect();
        all.into_iter().filter(|condition| self.runs.iter().any(|run| !run.environment.contains(condition))).collect()
    }
}

/// Returns for each run whether it ran on an edit. Untracked files do not count if they are unchanged since the first
/// run or since a run without failures.
fn find_edit_flags(runs: &[&RunFacts]) -> Vec<bool> {
    let mut known: BTreeSet<(FileId, u64)> = BTreeSet::new();
    let is_edit = |(at, run): (usize, &&RunFacts)| {
        if at == 0 {
            known.extend(&run.untracked);
        }
        let is_edit = run.is_edit(&known);
        if run.failed == 0 {
            known.extend(&run.untracked);
        }
        is_edit
    };
    runs.iter().enumerate().map(is_edit).collect()
}

/// Returns the new commits of a run since the previous run, oldest first.
fn find_new_commits<'a>(runs: &[&'a RunFacts], at: usize) -> &'a [String] {
    let run = runs[at];
    let moved = at == 0 || run.commit != runs[at - 1].commit;
    if run.path.is_empty() && moved { run.commit.as_slice() } else { &run.path }
}

/// Returns for each run the commits that it is known to have, oldest first.
fn list_known_commits<'a>(runs: &[&'a RunFacts]) -> Vec<Vec<&'a String>> {
    let mut known: Vec<&String> = Vec::new();
    let mut add_run = |(at, run): (usize, &&'a RunFacts)| {
        let path = find_new_commits(runs, at);
        if !path.is_empty() && !run.follows && run.lost.is_empty() {
            known.clear();
        }
        known.retain(|commit| !run.lost.contains(commit));
        known.extend(path);
        known.clone()
    };
    runs.iter().enumerate().map(&mut add_run).collect()
}

/// Returns the index of the run with this number. The runs are sorted by number, except for the last run, which can be
/// an older run that is judged again.
fn find_index(runs: &[&RunFacts], seq: RunSeq) -> Option<usize> {
    let (last, before) = runs.split_last()?;
    if last.seq == seq {
        return Some(before.len());
    }
    before.binary_search_by_key(&seq, |run| run.seq).ok()
}
