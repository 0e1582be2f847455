//! Lists fixes, found by runs or reported, with their state.

use super::{edits, failure_facts::error_of, rows};
use crate::{
    Engine, EngineError,
    answer::moment::iso,
    contract::{FixEvidence, FixesResult, MendedBefore, NoParams, ReportedFix},
    memory::finding::shared,
};
use argus_core::{
    Ambient, Analysis, display,
    evidence::{
        explanations::flakiness::passes_that_prove,
        facts::{CaseId, fingerprint},
        kept::fixes::{CONFIDENCE, Fix, ProofStatus},
    },
};
use argus_store::{Tx, solutions};
use std::collections::{BTreeMap, btree_map::Entry};

/// Maximum number of reported fixes in an answer, and of characters of each.
const MAX_REPORTED: u32 = 200;
const MAX_REPORTED_CHARS: usize = 300;

/// Maximum number of tests of a fix in a diagnosis.
const MAX_NAMED_TESTS: usize = 5;

/// Lists the fixes, newest first. If several commits may have fixed a failure, the newest comes first.
pub fn fixes(engine: &Engine, ambient: &Ambient, _: &NoParams) -> Result<FixesResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<_, EngineError> {
        let edits = edits::load_files(tx)?;
        let mut memory = rows::load(tx)?.unwrap_or_default();
        let names = rows::load_all_tests(tx, &mut memory)?;
        drop_weakening_edits(tx, &mut memory.fixes)?;
        Ok((edits, memory, names, solutions::reported(tx, MAX_REPORTED)?))
    };
    let (edits, memory, names, reported) = engine.read(ambient, body)?;
    let run_id = |seq| memory.window.get(seq).map(|run| run.id.clone());
    let fixes = memory.fixes.iter().rev().flat_map(|fix| {
        let case_names: Vec<String> = fix.cases.keys().filter_map(|case| names.get(case).cloned()).collect();
        let files = if fix.edited.is_some() { edits::changed_files(fix, &edits) } else { Vec::new() };
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
            needed: needed(fix),
            failed_in: run_id(fix.failed),
            passed_in: run_id(fix.passed),
            same_as: None,
        })
    });
    let mut fixes: Vec<FixEvidence> = fixes.collect();
    let mut reported = shown(reported);
    mark_same_mends(&mut fixes, &mut reported);
    let shared = shared::list(engine, ambient)?;
    Ok(FixesResult { fixes, reported, shared })
}

/// Drops edits that weaken tests or the way in which they are run, because they fix nothing.
fn drop_weakening_edits(tx: &mut Tx<'_>, fixes: &mut Vec<Fix>) -> Result<(), EngineError> {
    let mut honest = Vec::with_capacity(fixes.len());
    for fix in fixes.drain(..) {
        if fix.edited.is_none() || !edits::weakens_tests(tx, fix.failed, fix.passed)? {
            honest.push(fix);
        }
    }
    *fixes = honest;
    Ok(())
}

/// Links entries for the same fix, which can be known as an edit, as the commit made from it, and as a report. Reports of
/// failed fixes are not linked.
fn mark_same_mends(fixes: &mut [FixEvidence], reported: &mut [ReportedFix]) {
    let has_mended = |status: ProofStatus| !matches!(status, ProofStatus::Refuted | ProofStatus::Superseded);
    let mut firsts: BTreeMap<(String, Vec<String>), String> = BTreeMap::new();
    for fix in fixes.iter_mut().filter(|fix| has_mended(fix.status)) {
        let Some(failed_in) = fix.failed_in.clone() else { continue };
        match firsts.entry((failed_in, fix.case_names.clone())) {
            Entry::Occupied(first) => fix.same_as = Some(first.get().clone()),
            Entry::Vacant(entry) => drop(entry.insert(fix.fix_id.clone())),
        }
    }
    let found = |report: &ReportedFix| {
        let is_it = |fix: &&FixEvidence| {
            fix.same_as.is_none()
                && has_mended(fix.status)
                && fix.failed_in.as_ref() == Some(&report.trust.failed_in)
                && fix.case_names.contains(&report.case_name)
        };
        fixes.iter().find(is_it).map(|fix| fix.fix_id.clone())
    };
    for report in reported.iter_mut().filter(|report| has_mended(report.trust.state)) {
        report.same_as = found(report);
    }
}

pub(crate) use super::rows::load_fixes;

/// Returns the newest proved commit or edit among `kept` that fixed this failure of this test.
pub(crate) fn mended_before(
    tx: &mut Tx<'_>,
    kept: &[Fix],
    case_name: &str,
    analysis: &Analysis,
) -> Result<Option<MendedBefore>, EngineError> {
    let (case, error) = (fingerprint(case_name), error_of(analysis));
    let is_known = |fix: &Fix| fix.edited.is_some() || !fix.commits.is_empty();
    let was_proved = |fix: &&Fix| fix.is_of(case, error) && is_known(fix) && fix.passes >= needed(fix);
    let Some(fix) = kept.iter().rev().find(was_proved) else { return Ok(None) };
    if fix.edited.is_some() && edits::weakens_tests(tx, fix.failed, fix.passed)? {
        return Ok(None);
    }
    let files = match fix.edited {
        Some(_) => edits::changed_files(fix, &edits::load_files(tx)?),
        None => Vec::new(),
    };
    let commit = fix.commits.first();
    let cases: Vec<CaseId> = fix.cases.keys().copied().take(MAX_NAMED_TESTS).collect();
    let names = rows::names(tx, &cases)?;
    Ok(Some(MendedBefore {
        fix_id: fix.id(commit),
        commit: commit.cloned(),
        commits: u32::try_from(fix.commits.len()).unwrap_or(u32::MAX),
        files,
        status: fix.status,
        passes: fix.passes,
        case_names: cases.iter().filter_map(|case| names.get(case).cloned()).collect(),
    }))
}

fn needed(fix: &Fix) -> u32 {
    passes_that_prove(fix.rate, CONFIDENCE)
}

/// Converts reports for an answer. A claim is superseded if another fix was reported later for the same case and pattern.
fn shown(reported: Vec<solutions::Reported>) -> Vec<ReportedFix> {
    let stands = |fix: &solutions::Reported| fix.success.refuted_by.is_none();
    let is_superseded: Vec<bool> = (0..reported.len())
        .map(|at| {
            let older = &reported[at];
            let is_other = |newer: &&solutions::Reported| {
                newer.pattern_id == older.pattern_id && newer.case_name == older.case_name && newer.steps != older.steps
            };
            reported[..at].iter().filter(is_other).any(stands)
        })
        .collect();
    let fix = |(fix, is_superseded): (solutions::Reported, bool)| {
        let mut shown = ReportedFix {
            fix_id: fix.id,
            pattern_id: fix.pattern_id,
            case_name: fix.case_name,
            fix_description: display::shortened(&fix.steps, MAX_REPORTED_CHARS),
            trust: fix.success.into(),
            created_at: iso(fix.created_at),
            same_as: None,
        };
        if is_superseded && shown.trust.state == ProofStatus::Claimed {
            shown.trust.state = ProofStatus::Superseded;
        }
        shown
    };
    reported.into_iter().zip(is_superseded).map(fix).collect()
}
