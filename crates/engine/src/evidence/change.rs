//! Finds what changed between a failure and the first pass, for a reported fix.

use super::{edits, evidence_rows};
use crate::{EngineError, contract::FixChange};
use argus_core::{
    change::fix_description::ChangeNames,
    evidence::{
        facts::{RunSeq, case_id},
        stored_rows::{history::TestHistory, memory::EvidenceMemory, window::RunWindow},
    },
};
use argus_store::{Tx, solutions};

/// Maximum number of commits of a change.
const MAX_COMMITS: usize = 5;

/// Returns what changed between the last failure of a case and its first pass after the run `failed_in`, compared with
/// the text of the fix. None if nothing is known to have changed.
pub(crate) fn find_change_until_first_pass(
    tx: &mut Tx<'_>,
    case_name: &str,
    failed_in: &str,
    text: &str,
) -> Result<Option<FixChange>, EngineError> {
    let Some(mut memory) = evidence_rows::load(tx)? else { return Ok(None) };
    let id = case_id(case_name);
    evidence_rows::load_tests(tx, &mut memory, &[id])?;
    let Some((failed, passed)) = last_failure_and_first_pass(&memory, memory.tests.get(&id), failed_in) else {
        return Ok(None);
    };
    let edit = edits::compare_stored_edits(tx, &memory.window, failed, passed)?;
    let commits = commits_between(&memory.window, failed, passed);
    if commits.is_empty() && edit.files.is_empty() {
        return Ok(None);
    }
    let diffs = edits::diffs_between(tx, &memory.window, failed, passed)?;
    let are_known = commits.len() <= MAX_COMMITS && commits.iter().all(|commit| diffs.contains_key(commit));
    let hunks: String = commits.iter().filter_map(|commit| diffs.get(commit)).map(String::as_str).collect();
    let hunks = hunks + &edit.hunks;
    let named = ChangeNames::read(edit.files.iter().map(String::as_str), &hunks);
    let unnamed = are_known && edit.is_complete && named.shares_no_word_with(text);
    let commits = commits.into_iter().take(MAX_COMMITS).collect();
    Ok(Some(FixChange { commits, files: named.files.into_iter().collect(), symbols: named.symbols, unnamed }))
}

/// Returns the id of a confirmed fix of the failure, if `text` has no word in common with any of its confirmed fixes.
pub(crate) fn find_unrelated_confirmed_fix(
    tx: &mut Tx<'_>,
    run_id: &str,
    case_name: &str,
    text: &str,
) -> Result<Option<String>, EngineError> {
    let confirmed = solutions::list_confirmed(tx, run_id, case_name)?;
    let is_unrelated =
        confirmed.iter().all(|(_, steps)| ChangeNames::read([steps.as_str()], "").shares_no_word_with(text));
    Ok(confirmed.into_iter().next().map(|(id, _)| id).filter(|_| is_unrelated))
}

fn last_failure_and_first_pass(
    memory: &EvidenceMemory,
    history: Option<&TestHistory>,
    failed_in: &str,
) -> Option<(RunSeq, RunSeq)> {
    let runs = || memory.window.runs();
    let reported = runs().find(|run| run.id == failed_in)?.seq;
    let Some(history) = history else {
        let newest = runs().next_back()?.seq;
        return (reported < newest).then_some((reported, newest));
    };
    let passed = runs().find(|run| run.seq > reported && history.passed_at_first_attempt(run.seq))?.seq;
    let failed = runs().rev().find(|run| run.seq < passed && history.has_failed_in(run.seq) == Some(true));
    Some((failed.map_or(reported, |run| run.seq), passed))
}

/// Returns the commits between two runs, newest first. Returns one more than `MAX_COMMITS` if there are more, so that
/// the caller can detect this.
fn commits_between(window: &RunWindow, failed: RunSeq, passed: RunSeq) -> Vec<String> {
    let Some(run) = window.get(passed) else { return Vec::new() };
    window.view_from(run).commits_since(failed).take(MAX_COMMITS + 1).cloned().collect()
}
