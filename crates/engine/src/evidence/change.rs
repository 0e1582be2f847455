//! Finds what changed between a failure and the first pass, for a reported fix.

use super::{edits, rows};
use crate::{EngineError, contract::FixChange};
use argus_core::{
    change::described::Named,
    evidence::{
        facts::{RunSeq, fingerprint},
        kept::{history::TestHistory, memory::Memory, window::Window},
    },
};
use argus_store::Tx;

/// Maximum number of commits of a change.
const MAX_COMMITS: usize = 5;

/// Returns what changed between the last failure of a case and its first pass after the run `failed_in`, compared with
/// the text of the fix. None if nothing is known to have changed.
pub(crate) fn until_first_pass(
    tx: &mut Tx<'_>,
    case_name: &str,
    failed_in: &str,
    text: &str,
) -> Result<Option<FixChange>, EngineError> {
    let Some(mut memory) = rows::load(tx)? else { return Ok(None) };
    let id = fingerprint(case_name);
    rows::load_tests(tx, &mut memory, &[id])?;
    let Some((failed, passed)) = last_failure_and_first_pass(&memory, memory.tests.get(&id), failed_in) else {
        return Ok(None);
    };
    let edit = edits::between_rows(tx, &memory.window, failed, passed)?;
    let commits = commits_between(&memory.window, failed, passed);
    if commits.is_empty() && edit.files.is_empty() {
        return Ok(None);
    }
    let named = Named::of(edit.files.iter().map(String::as_str), &edit.hunks);
    // The diffs of commits are not known here, so no text can contradict them.
    let unnamed = commits.is_empty() && edit.is_complete && named.is_foreign_to(text);
    Ok(Some(FixChange { commits, files: edit.files, symbols: named.symbols, unnamed }))
}

fn last_failure_and_first_pass(
    memory: &Memory,
    history: Option<&TestHistory>,
    failed_in: &str,
) -> Option<(RunSeq, RunSeq)> {
    let runs = || memory.window.runs();
    let reported = runs().find(|run| run.id == failed_in)?.seq;
    let Some(history) = history else {
        let newest = runs().next_back()?.seq;
        return (reported < newest).then_some((reported, newest));
    };
    let passed = runs().find(|run| run.seq > reported && history.passed_at_once(run.seq))?.seq;
    let failed = runs().rev().find(|run| run.seq < passed && history.at(run.seq) == Some(true));
    Some((failed.map_or(reported, |run| run.seq), passed))
}

/// Returns the commits, newest first.
fn commits_between(window: &Window, failed: RunSeq, passed: RunSeq) -> Vec<String> {
    let Some(run) = window.get(passed) else { return Vec::new() };
    window.seen_from(run).changes_since(failed).take(MAX_COMMITS).cloned().collect()
}
