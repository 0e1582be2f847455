//! Uncommitted edits: stores them with a run, and compares the edits of two runs.

use super::{
    failure_facts::{ids_of_changed, is_documentation},
    rows,
};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::text::quoted,
    contract::{EditParams, EditResult, EditedFile, RecordRunParams},
};
use argus_core::{
    Ambient,
    evidence::{
        facts::{FileId, RunFacts, RunSeq, fingerprint},
        kept::{fixes::Fix, memory::Memory, window::Window},
    },
    fix_loop::weakened_in_hunks,
};
use argus_store::{
    Tx,
    evidence::{self, EditRow},
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of files of a run, and of bytes of their diffs in total.
const MAX_FILES: usize = 20;
const MAX_HUNKS_BYTES: usize = 8 * 1024;
const MAX_PATH_BYTES: usize = 1_000;

/// An edited file with the digest of its edit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Edited {
    path: String,
    digest: String,
}

/// Edited files at the start of each run.
pub(super) type EditedFiles = BTreeMap<RunSeq, BTreeSet<Edited>>;

/// The diff of an edit that fixed a failure. It contains the user's code and must be treated as data.
pub fn edit(engine: &Engine, ambient: &Ambient, params: &EditParams) -> Result<EditResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<EditResult, EngineError> {
        let memory = rows::load(tx)?.unwrap_or_default();
        let is_it = |fix: &&Fix| fix.edited.is_some() && fix.id(None) == params.fix_id;
        let Some(fix) = memory.fixes.iter().find(is_it) else {
            let message = format!("There is no edit '{}' that mended a failure.", quoted(&params.fix_id));
            return Err(EngineError::new(ErrorCode::InvalidInput, message));
        };
        let (before, after) = (evidence::edits(tx, fix.failed)?, evidence::edits(tx, fix.passed)?);
        Ok(between(before.as_ref(), after.as_ref()))
    };
    engine.read(ambient, body)
}

/// Returns `true` if the run has edited files.
pub(super) fn has_edits(params: &RecordRunParams) -> bool {
    params.git.as_ref().is_some_and(|git| !git.edits.is_empty())
}

/// File ids with digests of the edits of a run, as verdicts use them.
pub(super) fn edited_files(
    engine: &Engine,
    params: &RecordRunParams,
    is_of: impl Fn(&EditedFile) -> bool,
) -> Vec<(FileId, u64)> {
    let kept = params.git.iter().flat_map(|git| kept(&git.edits)).filter(|edit| is_of(edit));
    let files = kept.flat_map(|edit| {
        let Edited { path, digest } = clean(engine, edit);
        ids_of_changed(&path).map(|file| (file, fingerprint(&digest))).collect::<Vec<_>>()
    });
    files.collect()
}

/// Returns a function that lists the files whose edits differ from those of an earlier run.
pub(super) fn edited_since(engine: &Engine, params: &RecordRunParams) -> impl FnOnce(&RunFacts) -> Vec<String> {
    move |earlier| {
        let edits = params.git.iter().flat_map(|git| kept(&git.edits)).map(|edit| clean(engine, edit));
        let is_other = |edit: &Edited| {
            let digest = fingerprint(&edit.digest);
            !ids_of_changed(&edit.path).any(|file| earlier.edited_files.contains(&(file, digest)))
        };
        edits.filter(is_other).map(|edit| edit.path).collect()
    }
}

/// Stores the edits of this run, since the next run can show that they broke or fixed a test, and deletes those of runs that
/// no verdict or fix refers to any more.
pub(super) fn save(
    engine: &Engine,
    tx: &mut Tx<'_>,
    memory: &Memory,
    seq: RunSeq,
    params: &RecordRunParams,
) -> Result<(), EngineError> {
    let Some(git) = params.git.as_ref().filter(|git| !git.edits.is_empty()) else { return Ok(()) };
    evidence::set_edits(tx, &row(engine, seq, &git.edits)?)?;
    let needed = memory.needs_edits_of();
    Ok(evidence::keep_edits(tx, |seq| needed.contains(&seq))?)
}

/// Edited files at the start of each run.
pub(super) fn load_files(tx: &mut Tx<'_>) -> Result<EditedFiles, EngineError> {
    let rows = evidence::edited_files(tx)?;
    Ok(rows.into_iter().map(|row| (row.run_seq, files_of(&row))).collect())
}

/// Edited files of all runs, including the run that is being recorded.
pub(super) fn load_with(
    engine: &Engine,
    tx: &mut Tx<'_>,
    seq: RunSeq,
    params: &RecordRunParams,
) -> Result<EditedFiles, EngineError> {
    let mut all = load_files(tx)?;
    all.remove(&seq);
    if let Some(git) = params.git.as_ref().filter(|git| !git.edits.is_empty()) {
        all.insert(seq, files_of(&row(engine, seq, &git.edits)?));
    }
    Ok(all)
}

/// Files that were edited between the last failure and the first pass.
pub(super) fn changed_files(fix: &Fix, all: &EditedFiles) -> Vec<String> {
    let none = BTreeSet::new();
    let of = |seq: RunSeq| all.get(&seq).unwrap_or(&none);
    of(fix.passed).difference(of(fix.failed)).map(|file| file.path.clone()).collect()
}

/// Files that differ from the commit of a run.
pub(super) fn of_run(all: &EditedFiles, seq: RunSeq) -> Vec<String> {
    all.get(&seq).into_iter().flatten().map(|file| file.path.clone()).collect()
}

/// Returns `true` if the edits between two runs, given by id, weaken tests, and `false` if a run is too old to be known.
pub(crate) fn is_suspicious(tx: &mut Tx<'_>, failed: &str, passed: &str) -> Result<bool, EngineError> {
    let memory = rows::load(tx)?.unwrap_or_default();
    let seq = |id: &str| memory.window.runs().find(|run| run.id == id).map(|run| run.seq);
    match seq(failed).zip(seq(passed)) {
        Some((failed, passed)) => weakens_tests(tx, failed, passed),
        None => Ok(false),
    }
}

/// Returns `true` if the edits between two runs weaken tests or the way in which they are run.
pub(crate) fn weakens_tests(tx: &mut Tx<'_>, failed: RunSeq, passed: RunSeq) -> Result<bool, EngineError> {
    let edit = between(evidence::edits(tx, failed)?.as_ref(), evidence::edits(tx, passed)?.as_ref());
    Ok(!weakened_in_hunks(&edit.hunks).is_empty())
}

/// How the uncommitted edits of two runs differ.
pub(super) struct EditDifference {
    /// Paths, sorted.
    pub(super) files: Vec<String>,
    /// Diffs of these files against the commits of the two runs.
    pub(super) hunks: String,
    /// Set if the diffs of all these files are known.
    pub(super) is_complete: bool,
}

/// Compares the uncommitted edits of two runs by their rows.
pub(super) fn between_rows(
    tx: &mut Tx<'_>,
    window: &Window,
    one: RunSeq,
    other: RunSeq,
) -> Result<EditDifference, EngineError> {
    let mut difference = EditDifference { files: Vec::new(), hunks: String::new(), is_complete: true };
    let (before, after) = (evidence::edits(tx, one)?, evidence::edits(tx, other)?);
    for (seq, row, opposite) in [(one, &before, &after), (other, &after, &before)] {
        let is_clean = window.get(seq).is_some_and(|run| !run.dirty || run.untracked_only);
        difference.is_complete &= row.is_some() || is_clean;
        let there = opposite.as_ref().map(files_of).unwrap_or_default();
        for (file, hunks) in row.iter().flat_map(with_hunks).filter(|(file, _)| !there.contains(file)) {
            difference.is_complete &= hunks.is_some();
            difference.hunks.extend(hunks);
            difference.files.push(file.path);
        }
    }
    difference.files.sort();
    difference.files.dedup();
    Ok(difference)
}

/// Files whose edits differ between two runs on one commit. Empty if the edits of a run are unknown.
pub(super) fn between_runs(window: &Window, all: &EditedFiles, one: RunSeq, other: RunSeq) -> Vec<String> {
    let none = BTreeSet::new();
    let of = |seq: RunSeq| {
        let run = window.get(seq)?;
        all.get(&seq).or_else(|| (!run.dirty || run.untracked_only).then_some(&none))
    };
    let (Some(one), Some(other)) = (of(one), of(other)) else { return Vec::new() };
    let paths: BTreeSet<&str> = one.symmetric_difference(other).map(|file| file.path.as_str()).collect();
    paths.into_iter().map(str::to_owned).collect()
}

fn row(engine: &Engine, run_seq: RunSeq, edits: &[EditedFile]) -> Result<EditRow, EngineError> {
    let (mut files, mut hunks, mut room) = (Vec::new(), Vec::new(), MAX_HUNKS_BYTES);
    for edit in kept(edits) {
        files.push(clean(engine, edit));
        let text = edit.hunks.as_deref().map(|hunks| redact(engine, hunks)).filter(|text| text.len() <= room);
        room -= text.as_ref().map_or(0, String::len);
        hunks.push(text);
    }
    Ok(EditRow { run_seq, files: rows::json(&files)?, hunks: Some(rows::json(&hunks)?) })
}

fn kept(edits: &[EditedFile]) -> impl Iterator<Item = &EditedFile> {
    // Untracked documentation, such as a personal note, does not count as an edit.
    let is_edit = |edit: &&EditedFile| !(edit.untracked && is_documentation(&edit.path));
    edits.iter().filter(is_edit).filter(|edit| edit.path.len() <= MAX_PATH_BYTES).take(MAX_FILES)
}

fn clean(engine: &Engine, edit: &EditedFile) -> Edited {
    Edited { path: redact(engine, &edit.path), digest: redact(engine, &edit.digest) }
}

fn redact(engine: &Engine, text: &str) -> String {
    engine.analyzer.redact_whole(text).into_string()
}

fn files_of(row: &EditRow) -> BTreeSet<Edited> {
    serde_json::from_str(&row.files).unwrap_or_default()
}

fn with_hunks(row: &EditRow) -> Vec<(Edited, Option<String>)> {
    let files: Vec<Edited> = serde_json::from_str(&row.files).unwrap_or_default();
    let hunks: Vec<Option<String>> =
        row.hunks.as_ref().and_then(|hunks| serde_json::from_str(hunks).ok()).unwrap_or_default();
    files.into_iter().zip(hunks.into_iter().chain(std::iter::repeat(None))).collect()
}

fn between(before: Option<&EditRow>, after: Option<&EditRow>) -> EditResult {
    let had = before.map(files_of).unwrap_or_default();
    let mut result = EditResult { files: Vec::new(), undone: Vec::new(), hunks: String::new(), cut: false };
    let Some(after) = after else { return EditResult { cut: true, ..result } };
    let has = with_hunks(after);
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
