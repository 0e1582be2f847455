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
/// Number of newest runs that show how many tests the project has.
const MAX_COMPARED_RUNS: usize = 20;

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
        let known_tests = most_tests(runs.iter().take(MAX_COMPARED_RUNS).copied());
        let on_tree: Vec<&RunFacts> = runs.iter().filter(|run| run.has_same_tree_as(&here)).copied().collect();
        let is_same_tree = !on_tree.is_empty();
        let Some(run) = find_decisive_run(if is_same_tree { &on_tree } else { &runs }) else {
            return Ok(ReceiptResult { weakened, ..ReceiptResult::default() });
        };
        let is_partial = !is_most(run, known_tests);
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

/// Returns the newest of these runs that failed or that ran most of the tests. A later run of a few tests that passed
/// does not replace a failed run of all tests. `runs` are newest first.
fn find_decisive_run<'a>(runs: &[&'a RunFacts]) -> Option<&'a RunFacts> {
    let most = most_tests(runs.iter().take(MAX_COMPARED_RUNS).copied());
    runs.iter().find(|run| run.failed > 0 || run.interrupted || is_most(run, most)).copied()
}

fn most_tests<'a>(runs: impl Iterator<Item = &'a RunFacts>) -> u32 {
    runs.map(|run| run.ran).max().unwrap_or_default()
}

/// Returns `true` if a run has at least four fifths of this number of tests. The number changes while tests are added
/// and deleted.
fn is_most(run: &RunFacts, tests: u32) -> bool {
    u64::from(run.ran) * 5 >= u64::from(tests) * 4
}

/// Returns the files that differ between the tree of a run and the current files, as far as known.
fn list_files_changed_since(run: &RunFacts, engine: &Engine, git: &GitFacts, stored: &EditedFiles) -> Vec<String> {
    let newer = git.commits.iter().take_while(|commit| Some(&commit.commit) != run.commit.as_ref());
    let committed = newer.flat_map(|commit| commit.files.iter().cloned());
    let edited = edits::list_files_edited_since(engine, Some(git))(run);
    let now: BTreeSet<&str> = git.edits.iter().map(|edit| edit.path.as_str()).collect();
    let undone = edits::files_edited_in_run(stored, run.seq).into_iter().filter(|file| !now.contains(file.as_str()));
    let is_same_commit = run.commit == git.commit;
    let all: BTreeSet<String> = committed.chain(edited).chain(undone.filter(|_| is_same_commit)).collect();
    all.into_iter().collect()
}
