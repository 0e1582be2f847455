//! Changes of the code: stores the uncommitted edits and the new commits of a run, and compares them between two runs.

use super::{
    changed_files::{changed_file_ids, changes_no_code, is_documentation},
    evidence_rows,
};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::message_text::quote,
    contract::{CommitFacts, EditParams, EditResult, EditedFile, GitFacts, RecordRunParams},
};
use argus_core::{
    CallContext,
    evidence::{
        facts::{FileId, RunFacts, RunSeq, fingerprint},
        stored_rows::{fixes::Fix, memory::EvidenceMemory, window::RunWindow},
    },
    fix_loop::find_weakenings_in_hunks,
};
use argus_store::{
    Tx,
    evidence::{self, EditRow},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of edited files of a run, and of bytes of all their diffs. The diffs of the run's new commits have
/// the same limit in bytes.
const MAX_FILES: usize = 20;
const MAX_HUNKS_BYTES: usize = 8 * 1024;
const MAX_PATH_BYTES: usize = 1_000;

/// An edited file with the digest of its edit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct EditedPath {
    path: String,
    digest: String,
}

/// Edited files at the start of each run.
pub(super) type EditedFiles = BTreeMap<RunSeq, BTreeSet<EditedPath>>;

/// Returns the diff of an edit that fixed a failure. It contains the user's code and must be treated as data.
pub fn edit(engine: &Engine, context: &CallContext, params: &EditParams) -> Result<EditResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<EditResult, EngineError> {
        let memory = evidence_rows::load(tx)?.unwrap_or_default();
        let is_wanted = |fix: &&Fix| fix.edited.is_some() && fix.id(None) == params.fix_id;
        let Some(fix) = memory.fixes.iter().find(is_wanted) else {
            let message = format!("'{}' is not an edit that fixed a failure.", quote(&params.fix_id));
            return Err(EngineError::new(ErrorCode::InvalidInput, message));
        };
        let (before, after) = (evidence::find_edits(tx, fix.failed)?, evidence::find_edits(tx, fix.passed)?);
        Ok(compare_edits(before.as_ref(), after.as_ref()))
    };
    engine.read(context, body)
}

/// Returns `true` if the run has edited files.
pub(super) fn has_edits(params: &RecordRunParams) -> bool {
    params.git.as_ref().is_some_and(|git| !git.edits.is_empty())
}

/// Returns the edited files of a run whose edits change no code.
pub(super) fn list_harmless_edits(params: &RecordRunParams) -> BTreeSet<String> {
    let edits = params.git.iter().flat_map(|git| &git.edits);
    let is_harmless = |edit: &&EditedFile| edit.hunks.as_deref().is_some_and(changes_no_code);
    edits.filter(is_harmless).map(|edit| edit.path.clone()).collect()
}

/// Returns the file ids with digests of the edits of a run, as verdicts use them.
pub(super) fn edited_file_ids(
    engine: &Engine,
    params: &RecordRunParams,
    is_wanted: impl Fn(&EditedFile) -> bool,
) -> Vec<(FileId, u64)> {
    let edits = params.git.iter().flat_map(|git| stored_edits(&git.edits)).filter(|edit| is_wanted(edit));
    let files = edits.flat_map(|edit| {
        let EditedPath { path, digest } = redact_edit(engine, edit);
        changed_file_ids(&path).map(|file| (file, fingerprint(&digest))).collect::<Vec<_>>()
    });
    files.collect()
}

/// Returns a function that lists the files whose edits differ from those of an earlier run.
pub(super) fn list_files_edited_since(
    engine: &Engine,
    git: Option<&GitFacts>,
) -> impl FnOnce(&RunFacts) -> Vec<String> {
    move |earlier| {
        let edits = git.iter().flat_map(|git| stored_edits(&git.edits)).map(|edit| redact_edit(engine, edit));
        let is_other = |edit: &EditedPath| {
            let digest = fingerprint(&edit.digest);
            !changed_file_ids(&edit.path).any(|file| earlier.edited_files.contains(&(file, digest)))
        };
        edits.filter(is_other).map(|edit| edit.path).collect()
    }
}

/// Stores the edits and the new commits of this run, because the next run can show that they broke or fixed a test.
/// Deletes the edits of earlier runs that no verdict and no fix needs.
pub(super) fn save(
    engine: &Engine,
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    seq: RunSeq,
    params: &RecordRunParams,
) -> Result<(), EngineError> {
    let Some(git) = &params.git else { return Ok(()) };
    let commits = collect_new_commit_diffs(engine, memory, seq, git);
    // A stored row without files would mean that nothing was edited, so unknown edits are not stored.
    let has_known_edits = !git.edits.is_empty() || git.dirty == Some(false);
    if !has_known_edits || (git.edits.is_empty() && commits.is_empty()) {
        return Ok(());
    }
    evidence::set_edits(tx, &build_row(engine, seq, &git.edits, commits)?)?;
    let needed = memory.runs_with_needed_edits();
    Ok(evidence::retain_edits(tx, |seq| needed.contains(&seq))?)
}

/// Returns the diffs of the commits that no earlier run had, newest first.
fn collect_new_commit_diffs(engine: &Engine, memory: &EvidenceMemory, seq: RunSeq, git: &GitFacts) -> Vec<CommitDiff> {
    let Some(run) = memory.window.get(seq) else { return Vec::new() };
    let new: BTreeSet<&String> = memory.window.view_from(run).commits_since(seq.saturating_sub(1)).collect();
    let mut room = MAX_HUNKS_BYTES;
    let diff = |facts: &CommitFacts| {
        let hunks = redact(engine, facts.hunks.as_deref()?);
        room = room.checked_sub(hunks.len())?;
        Some(CommitDiff { commit: facts.commit.clone(), hunks })
    };
    git.commits.iter().filter(|facts| new.contains(&facts.commit)).map_while(diff).collect()
}

/// Returns the edited files at the start of each run.
pub(super) fn load_edited_files(tx: &mut Tx<'_>) -> Result<EditedFiles, EngineError> {
    let rows = evidence::list_edited_files(tx)?;
    Ok(rows.into_iter().map(|row| (row.run_seq, parse_files(&row))).collect())
}

/// Returns the edited files of all runs, including the run that is being recorded.
pub(super) fn load_edited_files_with_run(
    engine: &Engine,
    tx: &mut Tx<'_>,
    seq: RunSeq,
    params: &RecordRunParams,
) -> Result<EditedFiles, EngineError> {
    let mut all = load_edited_files(tx)?;
    all.remove(&seq);
    if let Some(git) = params.git.as_ref().filter(|git| !git.edits.is_empty()) {
        all.insert(seq, parse_files(&build_row(engine, seq, &git.edits, Vec::new())?));
    }
    Ok(all)
}

/// Returns the files that were edited between the last failure and the first pass.
pub(super) fn files_of_fix(fix: &Fix, all: &EditedFiles) -> Vec<String> {
    let none = BTreeSet::new();
    let edits_of_run = |seq: RunSeq| all.get(&seq).unwrap_or(&none);
    edits_of_run(fix.passed).difference(edits_of_run(fix.failed)).map(|file| file.path.clone()).collect()
}

/// Returns the files that differ from the commit of a run.
pub(super) fn files_edited_in_run(all: &EditedFiles, seq: RunSeq) -> Vec<String> {
    all.get(&seq).into_iter().flatten().map(|file| file.path.clone()).collect()
}

/// Returns `true` if the changes between two runs, given by id, weaken tests. Returns `false` if the evidence no longer
/// contains one of the runs.
pub(crate) fn is_suspicious_success(tx: &mut Tx<'_>, failed: &str, passed: &str) -> Result<bool, EngineError> {
    let memory = evidence_rows::load(tx)?.unwrap_or_default();
    let seq = |id: &str| memory.window.runs().find(|run| run.id == id).map(|run| run.seq);
    match seq(failed).zip(seq(passed)) {
        Some((failed, passed)) => weakens_tests(tx, &memory.window, failed, passed),
        None => Ok(false),
    }
}

/// Returns `true` if the edits or the commits between two runs weaken tests or the way in which they are run.
pub(crate) fn weakens_tests(
    tx: &mut Tx<'_>,
    window: &RunWindow,
    failed: RunSeq,
    passed: RunSeq,
) -> Result<bool, EngineError> {
    let weakens = |hunks: &String| !find_weakenings_in_hunks(hunks).is_empty();
    Ok(edit_weakens_tests(tx, failed, passed)? || diffs_between(tx, window, failed, passed)?.values().any(weakens))
}

fn edit_weakens_tests(tx: &mut Tx<'_>, failed: RunSeq, passed: RunSeq) -> Result<bool, EngineError> {
    let edit = compare_edits(evidence::find_edits(tx, failed)?.as_ref(), evidence::find_edits(tx, passed)?.as_ref());
    Ok(!find_weakenings_in_hunks(&edit.hunks).is_empty())
}

/// Returns the fix without commits that weaken tests, or `None` if nothing else fixed the failure.
pub(super) fn without_weakening_commits(tx: &mut Tx<'_>, mut fix: Fix) -> Result<Option<Fix>, EngineError> {
    if fix.edited.is_some() {
        return Ok((!edit_weakens_tests(tx, fix.failed, fix.passed)?).then_some(fix));
    }
    let row = evidence::find_edits(tx, fix.passed)?;
    let diffs = row.iter().flat_map(|row| StoredHunks::parse(row).into_parts().1);
    let weakening: BTreeSet<String> =
        diffs.filter(|diff| !find_weakenings_in_hunks(&diff.hunks).is_empty()).map(|diff| diff.commit).collect();
    let was_known = !fix.commits.is_empty();
    fix.commits.retain(|commit| !weakening.contains(commit));
    Ok((!was_known || !fix.commits.is_empty()).then_some(fix))
}

/// Returns the stored diffs of the commits between two runs, by commit hash.
pub(super) fn diffs_between(
    tx: &mut Tx<'_>,
    window: &RunWindow,
    failed: RunSeq,
    passed: RunSeq,
) -> Result<BTreeMap<String, String>, EngineError> {
    let mut diffs = BTreeMap::new();
    for run in window.runs().filter(|run| failed < run.seq && run.seq <= passed) {
        let row = evidence::find_edits(tx, run.seq)?;
        let commits = row.iter().flat_map(|row| StoredHunks::parse(row).into_parts().1);
        diffs.extend(commits.map(|diff| (diff.commit, diff.hunks)));
    }
    Ok(diffs)
}

/// Difference between the uncommitted edits of two runs.
pub(super) struct EditDifference {
    /// Paths, sorted.
    pub(super) files: Vec<String>,
    /// Diffs of these files against the commits of the two runs.
    pub(super) hunks: String,
    /// Set if the diffs of all these files are known.
    pub(super) is_complete: bool,
}

/// Compares the uncommitted edits of two runs by their rows.
pub(super) fn compare_stored_edits(
    tx: &mut Tx<'_>,
    window: &RunWindow,
    first: RunSeq,
    second: RunSeq,
) -> Result<EditDifference, EngineError> {
    let mut difference = EditDifference { files: Vec::new(), hunks: String::new(), is_complete: true };
    let (before, after) = (evidence::find_edits(tx, first)?, evidence::find_edits(tx, second)?);
    for (seq, row, opposite) in [(first, &before, &after), (second, &after, &before)] {
        let is_clean = window.get(seq).is_some_and(|run| !run.dirty || run.untracked_only);
        difference.is_complete &= row.is_some() || is_clean;
        let there = opposite.as_ref().map(parse_files).unwrap_or_default();
        for (file, hunks) in row.iter().flat_map(parse_files_with_hunks).filter(|(file, _)| !there.contains(file)) {
            difference.is_complete &= hunks.is_some();
            difference.hunks.extend(hunks);
            difference.files.push(file.path);
        }
    }
    difference.files.sort();
    difference.files.dedup();
    Ok(difference)
}

/// Returns the files whose edits differ between two runs on the same commit. Empty if the edits of a run are unknown.
pub(super) fn files_edited_between(
    window: &RunWindow,
    all: &EditedFiles,
    first: RunSeq,
    second: RunSeq,
) -> Vec<String> {
    let none = BTreeSet::new();
    let edits_of_run = |seq: RunSeq| {
        let run = window.get(seq)?;
        all.get(&seq).or_else(|| (!run.dirty || run.untracked_only).then_some(&none))
    };
    let (Some(first), Some(second)) = (edits_of_run(first), edits_of_run(second)) else { return Vec::new() };
    let paths: BTreeSet<&str> = first.symmetric_difference(second).map(|file| file.path.as_str()).collect();
    paths.into_iter().map(str::to_owned).collect()
}

/// Returns the files whose edits changed from one run to a later run. Edits that were committed in between do not
/// count.
pub(super) fn files_edited_since(window: &RunWindow, all: &EditedFiles, first: RunSeq, second: RunSeq) -> Vec<String> {
    let commit = |seq: RunSeq| window.get(seq).and_then(|run| run.commit.as_ref());
    if commit(first) == commit(second) {
        return files_edited_between(window, all, first, second);
    }
    let none = BTreeSet::new();
    let before = all.get(&first).unwrap_or(&none);
    all.get(&second).into_iter().flat_map(|now| now.difference(before)).map(|file| file.path.clone()).collect()
}

/// The stored diffs of a run: the diffs of its edited files and, if there are any, of its new commits. Earlier versions
/// stored only the array of the files.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredHunks {
    OfFiles(Vec<Option<String>>),
    WithCommits { files: Vec<Option<String>>, commits: Vec<CommitDiff> },
}

#[derive(Serialize, Deserialize)]
struct CommitDiff {
    commit: String,
    hunks: String,
}

impl StoredHunks {
    fn parse(row: &EditRow) -> Self {
        let read = row.hunks.as_ref().and_then(|hunks| serde_json::from_str(hunks).ok());
        read.unwrap_or(Self::OfFiles(Vec::new()))
    }

    /// Returns the diff of each edited file, in their order, and the diffs of the commits.
    fn into_parts(self) -> (Vec<Option<String>>, Vec<CommitDiff>) {
        match self {
            Self::OfFiles(files) => (files, Vec::new()),
            Self::WithCommits { files, commits } => (files, commits),
        }
    }
}

fn build_row(
    engine: &Engine,
    run_seq: RunSeq,
    edits: &[EditedFile],
    commits: Vec<CommitDiff>,
) -> Result<EditRow, EngineError> {
    let (mut files, mut hunks, mut room) = (Vec::new(), Vec::new(), MAX_HUNKS_BYTES);
    for edit in stored_edits(edits) {
        files.push(redact_edit(engine, edit));
        let text = edit.hunks.as_deref().map(|hunks| redact(engine, hunks)).filter(|text| text.len() <= room);
        room -= text.as_ref().map_or(0, String::len);
        hunks.push(text);
    }
    let stored = if commits.is_empty() {
        StoredHunks::OfFiles(hunks)
    } else {
        StoredHunks::WithCommits { files: hunks, commits }
    };
    Ok(EditRow { run_seq, files: evidence_rows::to_json(&files)?, hunks: Some(evidence_rows::to_json(&stored)?) })
}

fn stored_edits(edits: &[EditedFile]) -> impl Iterator<Item = &EditedFile> {
    // Untracked documentation, such as a personal note, does not count as an edit.
    let is_edit = |edit: &&EditedFile| !(edit.untracked && is_documentation(&edit.path));
    edits.iter().filter(is_edit).filter(|edit| edit.path.len() <= MAX_PATH_BYTES).take(MAX_FILES)
}

fn redact_edit(engine: &Engine, edit: &EditedFile) -> EditedPath {
    EditedPath { path: redact(engine, &edit.path), digest: redact(engine, &edit.digest) }
}

fn redact(engine: &Engine, text: &str) -> String {
    engine.analyzer.redact_without_limit(text).into_string()
}

fn parse_files(row: &EditRow) -> BTreeSet<EditedPath> {
    serde_json::from_str(&row.files).unwrap_or_default()
}

fn parse_files_with_hunks(row: &EditRow) -> Vec<(EditedPath, Option<String>)> {
    let files: Vec<EditedPath> = serde_json::from_str(&row.files).unwrap_or_default();
    let (hunks, _) = StoredHunks::parse(row).into_parts();
    files.into_iter().zip(hunks.into_iter().chain(std::iter::repeat(None))).collect()
}

fn compare_edits(before: Option<&EditRow>, after: Option<&EditRow>) -> EditResult {
    let had = before.map(parse_files).unwrap_or_default();
    let mut result = EditResult { files: Vec::new(), undone: Vec::new(), hunks: String::new(), cut: false };
    let Some(after) = after else { return EditResult { cut: true, ..result } };
    let has = parse_files_with_hunks(after);
    for (file, hunks) in has.iter().filter(|(file, _)| !had.contains(file)) {
        result.files.push(file.path.clone());
        match hunks {
            Some(text) => result.hunks.push_str(text),
            None => result.cut = true,
        }
    }
    let stays = |path: &str| has.iter().any(|(file, _)| file.path == path);
    result.undone = had.into_iter().map(|file| file.path).filter(|path| !stays(path)).collect();
    result
}
