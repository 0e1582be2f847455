//! Lists fixes, found by runs or reported, with their state.

use super::{edits, evidence_rows, failure_facts::error_hash};
use crate::{
    Engine, EngineError,
    answer::time_format::format_iso,
    contract::{FixEvidence, FixesResult, NoParams, PreviousFix, ReportedFix},
    memory::finding::shared,
};
use argus_core::{
    Analysis, CallContext, display,
    evidence::{
        explanations::flakiness::count_passes_needed,
        facts::{CaseId, case_id},
        stored_rows::fixes::{Fix, PROOF_CONFIDENCE, ProofStatus},
    },
};
use argus_store::{Tx, solutions};
use std::collections::{BTreeMap, btree_map::Entry};

/// Maximum number of reported fixes in an answer, and of characters of each.
const MAX_REPORTED_FIXES: u32 = 200;
const MAX_REPORTED_CHARS: usize = 300;

/// Maximum number of tests of a fix in a diagnosis.
const MAX_NAMED_TESTS: usize = 5;

/// Lists the fixes, newest first. If several commits may have fixed a failure, the newest comes first.
pub fn fixes(engine: &Engine, context: &CallContext, _: &NoParams) -> Result<FixesResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<_, EngineError> {
        let edits = edits::load_edited_files(tx)?;
        let mut memory = evidence_rows::load(tx)?.unwrap_or_default();
        let names = evidence_rows::load_all_names(tx)?;
        let mut fixes = Vec::with_capacity(memory.fixes.len());
        for fix in std::mem::take(&mut memory.fixes) {
            fixes.extend(edits::without_weakening_commits(tx, fix)?);
        }
        memory.fixes = fixes;
        Ok((edits, memory, names, solutions::list_reported_successes(tx, MAX_REPORTED_FIXES)?))
    };
    let (edits, memory, names, reported) = engine.read(context, body)?;
    let run_id = |seq| memory.window.get(seq).map(|run| run.id.clone());
    let fixes = memory.fixes.iter().rev().flat_map(|fix| {
        let case_names: Vec<String> = fix.cases.keys().filter_map(|case| names.get(case).cloned()).collect();
        let files = if fix.edited.is_some() { edits::files_of_fix(fix, &edits) } else { Vec::new() };
        // An edit is a known change, even if it was never committed.
        let edit = fix.edited.as_ref().map(|_| fix.commits.first());
        let commits = edit.into_iter().chain(fix.commits.iter().filter(|_| fix.edited.is_none()).map(Some));
        commits.map(move |commit| FixEvidence {
            fix_id: fix.id(commit),
            commit: commit.cloned(),
            files: files.clone(),
            case_names: case_names.clone(),
            status: fix.status,
            passes: fix.passes,
            needed: needed_passes(fix),
            failed_in: run_id(fix.failed),
            passed_in: run_id(fix.passed),
            same_as: None,
        })
    });
    let mut fixes: Vec<FixEvidence> = fixes.collect();
    let mut reported = convert_reports(reported);
    link_same_fixes(&mut fixes, &mut reported);
    let shared = shared::list_shared_fixes(engine, context)?;
    Ok(FixesResult { fixes, reported, shared })
}

/// Links the entries for one fix, which can be an edit, the commit of that edit, and a report. Refuted and superseded
/// fixes are not linked.
fn link_same_fixes(fixes: &mut [FixEvidence], reported: &mut [ReportedFix]) {
    let is_possible_fix = |status: ProofStatus| !matches!(status, ProofStatus::Refuted | ProofStatus::Superseded);
    let mut firsts: BTreeMap<(String, Vec<String>), String> = BTreeMap::new();
    for fix in fixes.iter_mut().filter(|fix| is_possible_fix(fix.status)) {
        let Some(failed_in) = fix.failed_in.clone() else { continue };
        match firsts.entry((failed_in, fix.case_names.clone())) {
            Entry::Occupied(first) => fix.same_as = Some(first.get().clone()),
            Entry::Vacant(entry) => drop(entry.insert(fix.fix_id.clone())),
        }
    }
    let find_fix = |report: &ReportedFix| {
        let is_same = |fix: &&FixEvidence| {
            fix.same_as.is_none()
                && is_possible_fix(fix.status)
                && fix.failed_in.as_ref() == Some(&report.trust.failed_in)
                && fix.case_names.contains(&report.case_name)
        };
        fixes.iter().find(is_same).map(|fix| fix.fix_id.clone())
    };
    for report in reported.iter_mut().filter(|report| is_possible_fix(report.trust.state)) {
        report.same_as = find_fix(report);
    }
}

pub(crate) use super::evidence_rows::load_fixes;

/// Returns the newest proved commit or edit among `fixes` that fixed this failure of this test.
pub(crate) fn find_proved_fix(
    tx: &mut Tx<'_>,
    fixes: &[Fix],
    case_name: &str,
    analysis: &Analysis,
) -> Result<Option<PreviousFix>, EngineError> {
    let (case, error) = (case_id(case_name), error_hash(analysis));
    let is_known = |fix: &Fix| fix.edited.is_some() || !fix.commits.is_empty();
    let was_proved = |fix: &&Fix| fix.fixes_error(case, error) && is_known(fix) && fix.passes >= needed_passes(fix);
    let Some(fix) = fixes.iter().rev().find(was_proved) else { return Ok(None) };
    let Some(fix) = edits::without_weakening_commits(tx, fix.clone())? else { return Ok(None) };
    let edited_files = match fix.edited {
        Some(_) => edits::files_of_fix(&fix, &edits::load_edited_files(tx)?),
        None => Vec::new(),
    };
    let commit = fix.commits.first();
    let cases: Vec<CaseId> = fix.cases.keys().copied().take(MAX_NAMED_TESTS).collect();
    let names = evidence_rows::load_names(tx, &cases)?;
    Ok(Some(PreviousFix {
        presence: None,
        fix_id: fix.id(commit),
        commit: commit.cloned(),
        commits: u32::try_from(fix.commits.len()).unwrap_or(u32::MAX),
        files: edited_files,
        status: fix.status,
        passes: fix.passes,
        case_names: cases.iter().filter_map(|case| names.get(case).cloned()).collect(),
    }))
}

fn needed_passes(fix: &Fix) -> u32 {
    count_passes_needed(fix.rate, PROOF_CONFIDENCE)
}

/// Converts reports for an answer. A claim is superseded if another fix was reported later for the same case and
/// pattern.
fn convert_reports(reported: Vec<solutions::ReportedSuccess>) -> Vec<ReportedFix> {
    let is_unrefuted = |fix: &solutions::ReportedSuccess| fix.success.refuted_by.is_none();
    let is_superseded: Vec<bool> = (0..reported.len())
        .map(|at| {
            let older = &reported[at];
            let is_other = |newer: &&solutions::ReportedSuccess| {
                newer.pattern_id == older.pattern_id && newer.case_name == older.case_name && newer.steps != older.steps
            };
            reported[..at].iter().filter(is_other).any(is_unrefuted)
        })
        .collect();
    let fix = |(fix, is_superseded): (solutions::ReportedSuccess, bool)| {
        let mut shown = ReportedFix {
            fix_id: fix.id,
            pattern_id: fix.pattern_id,
            case_name: fix.case_name,
            fix_description: display::truncate_chars(&fix.steps, MAX_REPORTED_CHARS),
            trust: fix.success.into(),
            created_at: format_iso(fix.created_at),
            same_as: None,
        };
        if is_superseded && shown.trust.state == ProofStatus::Claimed {
            shown.trust.state = ProofStatus::Superseded;
        }
        shown
    };
    reported.into_iter().zip(is_superseded).map(fix).collect()
}
