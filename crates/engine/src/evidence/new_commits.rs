//! Collects the commits since the previous run, in the form in which verdicts use them.

use super::changed_files::{
    changed_file_ids, changes_no_code, is_documentation, is_in_argus_folder, touches_configuration,
};
use crate::{contract::CommitFacts, limits};
use argus_core::evidence::{
    facts::{FileId, RunFacts, RunSeq},
    stored_rows::memory::EvidenceMemory,
};
use argus_store::runs::Run;
use std::collections::BTreeSet;

/// Commits since the previous run, in the form of [`RunFacts`].
#[derive(Default)]
pub(super) struct NewCommits {
    pub(super) path: Vec<String>,
    pub(super) follows: bool,
    pub(super) authored: Vec<i64>,
    pub(super) lost: Vec<String>,
    pub(super) touched: Vec<Vec<FileId>>,
    pub(super) edited: Vec<(String, RunSeq)>,
    pub(super) idle: Vec<String>,
    pub(super) documentation: Vec<String>,
    pub(super) configuration: Vec<String>,
}

/// Collects the commits since the previous run. If the commit of the previous run is not among `commits`, these are the
/// commits since the common history of both runs. If there is no such history, the result has only the commit of this
/// run.
pub(super) fn collect_new_commits(
    memory: &EvidenceMemory,
    run: &Run,
    commits: &[CommitFacts],
    redact: impl Fn(&String) -> String,
) -> NewCommits {
    let Some(commit) = &run.git_commit else { return NewCommits::default() };
    let before = memory.window.runs().next_back().and_then(|run| run.commit.as_ref());
    if before == Some(commit) {
        return NewCommits::default();
    }
    let mut newer: Vec<(String, &CommitFacts)> = Vec::new();
    let mut is_complete = false;
    for one in commits {
        let commit = redact(&one.commit);
        if Some(&commit) == before {
            is_complete = true;
            break;
        }
        newer.push((commit, one));
        is_complete = one.parents.iter().any(|parent| Some(&redact(parent)) == before);
    }
    let mut lost = Vec::new();
    if !is_complete {
        let known = memory.window.commits_of_newest_run();
        // A run without a branch looks at an older commit, for example `argus run --at`. Only a branch loses commits.
        let found = run.git_branch.as_ref().and_then(|_| find_lost_commits(memory, &known, &newer));
        if let Some(found) = found {
            let old = newer.iter().position(|(one, _)| known.contains(&one));
            newer.truncate(old.unwrap_or(newer.len()));
            is_complete = found.is_empty();
            lost = found;
        } else {
            newer.retain(|(one, _)| one == commit);
            newer.truncate(1);
        }
    }
    let commits_touching_only = |is_match: fn(&str) -> bool| -> Vec<String> {
        let touches_only = |one: &CommitFacts| !one.files.is_empty() && one.files.iter().all(|file| is_match(file));
        newer.iter().filter(|(_, one)| touches_only(one)).map(|(commit, _)| commit.clone()).collect()
    };
    let (idle, mut documentation) =
        (commits_touching_only(is_in_argus_folder), commits_touching_only(is_documentation));
    let has_no_code = |one: &CommitFacts| one.hunks.as_deref().is_some_and(changes_no_code);
    documentation.extend(newer.iter().filter(|(_, one)| has_no_code(one)).map(|(commit, _)| commit.clone()));
    let configuration =
        newer.iter().filter(|(_, one)| touches_configuration(one)).map(|(commit, _)| commit.clone()).collect();
    let mut room = MAX_COMMIT_FILES_OF_RUN;
    let mut files = |one: &CommitFacts| {
        let is_known = one.files.len() <= room.min(limits::MAX_COMMIT_FILES as usize);
        let files = one.files.iter().filter(|_| is_known);
        room -= if is_known { one.files.len() } else { 0 };
        files.flat_map(|file| changed_file_ids(&redact(file)).collect::<Vec<_>>()).collect()
    };
    let mut touched: Vec<Vec<FileId>> = newer.iter().map(|(_, one)| files(one)).collect();
    touched.reverse();
    if touched.iter().all(Vec::is_empty) {
        touched.clear();
    }
    let find_run_of_edit = |commit: &String, one: &CommitFacts| {
        let tree = redact(one.tree.as_ref()?);
        let became = |run: &&RunFacts| run.dirty && run.tree == tree && run.commit.as_ref() != Some(commit);
        Some((commit.clone(), memory.window.runs().rev().find(became)?.seq))
    };
    let edited = newer.iter().filter_map(|(commit, one)| find_run_of_edit(commit, one)).collect();
    let authored: Option<Vec<i64>> = newer.iter().rev().map(|(_, one)| one.authored_at).collect();
    let mut path: Vec<String> = newer.into_iter().rev().map(|(commit, _)| commit).collect();
    if !is_complete && path.is_empty() {
        path.push(commit.clone());
    }
    let authored = authored.unwrap_or_default();
    NewCommits { path, follows: is_complete, authored, lost, touched, edited, idle, documentation, configuration }
}

/// Returns the commits that the previous run had and `commits`, which are all known commits of this run, lack. Commits
/// with the author time of a commit of this run were amended or rebased, so they are not lost. None if the runs have no
/// known commit in common, or if too many commits are lost.
fn find_lost_commits(
    memory: &EvidenceMemory,
    known: &[&String],
    commits: &[(String, &CommitFacts)],
) -> Option<Vec<String>> {
    let here: BTreeSet<&String> = commits.iter().map(|(commit, _)| commit).collect();
    let authored: BTreeSet<i64> = commits.iter().filter_map(|(_, one)| one.authored_at).collect();
    let oldest_common = known.iter().position(|commit| here.contains(commit))?;
    let is_rewritten = |commit: &String| memory.window.author_time(commit).is_some_and(|time| authored.contains(&time));
    let is_lost = |commit: &&&String| !here.contains(**commit) && !is_rewritten(commit);
    let lost: Vec<String> = known[oldest_common..].iter().filter(is_lost).map(|commit| (*commit).clone()).collect();
    (lost.len() <= MAX_LOST_COMMITS).then_some(lost)
}

/// Maximum number of lost commits that are stored with a run. With more, the branches have little in common.
const MAX_LOST_COMMITS: usize = 32;

/// Maximum number of files stored for the commits of a run, newest commits first. A full window then takes 300 KB.
const MAX_COMMIT_FILES_OF_RUN: usize = 256;
