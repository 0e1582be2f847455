//! Tells whether the tests ran on the current files, for a person who did not watch an agent work.

use super::{
    edits::{self, EditedFiles},
    evidence_rows,
    judging::known_tree,
};
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{GitFacts, ReceiptParams, ReceiptResult},
};
use argus_core::{CallContext, evidence::facts::RunFacts, fix_loop::find_weakenings_in_hunks};
use argus_store::{Tx, runs};
use std::collections::BTreeSet;

/// Maximum number of changed files in an answer.
const MAX_CHANGED_FILES: usize = 20;
/// Number of newest runs that show how many tests the project has. After that many runs, deleted tests are forgotten.
const MAX_COMPARED_RUNS: usize = 5;

/// Returns the run that decides about the current files, or else the newest run and what changed since.
pub fn receipt(engine: &Engine, context: &CallContext, params: &ReceiptParams) -> Result<ReceiptResult, EngineError> {
    let git = &params.git;
    let hunks: String = git.edits.iter().filter_map(|edit| edit.hunks.as_deref()).collect();
    let weakened = find_weakenings_in_hunks(&hunks);
    let body = |tx: &mut Tx<'_>| -> Result<ReceiptResult, EngineError> {
        let memory = evidence_rows::load(tx)?.unwrap_or_default();
        let runs: Vec<&RunFacts> = memory.window.runs().rev().filter(|run| has_tests(run)).collect();
        let here = RunFacts {
            tree: known_tree(engine, git).unwrap_or_default(),
            commit: git.commit.clone(),
            dirty: git.dirty != Some(false),
            ..RunFacts::default()
        };
        let known_tests = runs.iter().take(MAX_COMPARED_RUNS).map(|run| run.ran).max().unwrap_or_default();
        let on_tree: Vec<&RunFacts> = runs.iter().filter(|run| run.has_same_tree_as(&here)).copied().collect();
        let is_same_tree = !on_tree.is_empty();
        let newest = || runs.iter().find(|run| run.ran.saturating_mul(2) >= known_tests).copied();
        let Some(run) = (if is_same_tree { find_decisive_run(&on_tree) } else { newest() }) else {
            return Ok(ReceiptResult { weakened, ..ReceiptResult::default() });
        };
        let is_partial = run.ran < known_tests;
        let mut changed = if is_same_tree {
            Vec::new()
        } else {
            list_files_changed_since(run, engine, git, &edits::load_edited_files(tx)?)
        };
        changed.truncate(MAX_CHANGED_FILES);
        let stored = runs::find_by_id(tx, &run.id)?.map(|(_, run)| row_conversion::convert_run(run));
        Ok(ReceiptResult { run: stored, is_same_tree, is_partial, known_tests, changed, weakened })
    };
    engine.read(context, body)
}

/// Returns `false` for the run of a command that is no test runner, whose only case is the command.
fn has_tests(run: &RunFacts) -> bool {
    run.ran > 1 || run.environment.iter().any(|(name, _)| name == "runner")
}

/// Returns the run that decides: the newest run of most tests, or a failed run that no run of as many tests followed. So
/// a later run of only the tests that pass does not replace a failed run. `runs` are newest first.
fn find_decisive_run<'a>(runs: &[&'a RunFacts]) -> Option<&'a RunFacts> {
    let most = runs.iter().map(|run| run.ran).max()?;
    let is_failed = |run: &RunFacts| run.failed > 0 || run.interrupted;
    let mut passed = 0;
    for run in runs {
        if is_failed(run) && run.ran > passed {
            return Some(run);
        }
        passed = passed.max(run.ran);
        if passed == most {
            break;
        }
    }
    runs.iter().find(|run| run.ran >= passed).copied()
}

/// Returns the files that differ between the tree of a run and the current files, as far as known.
fn list_files_changed_since(run: &RunFacts, engine: &Engine, git: &GitFacts, stored: &EditedFiles) -> Vec<String> {
    let tested = git.commits.iter().position(|commit| Some(&commit.commit) == run.commit.as_ref());
    // On an older commit or another branch, the commits between are unknown.
    let newer = git.commits.iter().take(tested.unwrap_or_default());
    let committed = newer.flat_map(|commit| commit.files.iter().cloned());
    let edited = edits::list_files_edited_since(engine, Some(git))(run);
    let now: BTreeSet<&str> = git.edits.iter().map(|edit| edit.path.as_str()).collect();
    let committed: BTreeSet<String> = committed.collect();
    let had_edited: BTreeSet<String> = edits::files_edited_in_run(stored, run.seq).into_iter().collect();
    let undone = had_edited.iter().filter(|file| !now.contains(file.as_str()) && !committed.contains(*file)).cloned();
    // An edit that was tested and then committed is no change.
    let newly_committed = committed.difference(&had_edited).cloned();
    let all: BTreeSet<String> = newly_committed.chain(edited).chain(undone).collect();
    all.into_iter().collect()
}
