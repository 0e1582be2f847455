//! Compares two runs.

use super::{check_page, grid::convert_outcome, saturate_to_u32, take_page};
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{
        BriefVerdict, CaseState, CaseVerdict, ComparedCase, ComparedCases, VerdictKindCount, ViewComparisonParams,
        ViewComparisonResult,
    },
    failures::lookup,
    runs::history::has_more_after,
};
use argus_core::{CallContext, evidence::verdict::VerdictKind, stable_sort::StableSort};
use argus_store::{
    Tx,
    runs::{
        RunKey,
        case_history::{self, CaseOutcome, FailedCase},
        cases,
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// Default number of tests on a page.
const DEFAULT_LIMIT: u32 = 50;
/// Maximum number of failures of each run that are compared. Further failures are ignored.
const MAX_COMPARED_FAILURES: u32 = 20_000;

/// Returns the tests that newly fail, are fixed, still fail, or are gone.
pub fn view_comparison(
    engine: &Engine,
    context: &CallContext,
    params: &ViewComparisonParams,
) -> Result<ViewComparisonResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let body = |tx: &mut Tx<'_>| -> Result<ViewComparisonResult, EngineError> {
        let (base_key, base) = lookup::find_run(tx, &params.base)?;
        let (head_key, head) = lookup::find_run(tx, &params.head)?;
        let failed_before = list_failed(tx, base_key)?;
        let failed_after = list_failed(tx, head_key)?;
        let before = read_states(tx, base_key, head_key)?;
        let after = read_states(tx, head_key, base_key)?;
        let verdicts = read_verdicts(tx, head_key)?;
        let names: BTreeSet<&str> = failed_before.iter().map(|case| case.name.as_str()).collect();
        let names_after: BTreeSet<&str> = failed_after.iter().map(|case| case.name.as_str()).collect();
        let (mut new, mut still, mut fixed, mut gone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for case in &failed_after {
            let was = before.get(&case.name).copied().unwrap_or(CaseState::Absent);
            let (list, was) =
                if names.contains(case.name.as_str()) { (&mut still, CaseState::Failed) } else { (&mut new, was) };
            let verdict = verdicts.get(&case.name).cloned();
            list.push(ComparedCase { verdict, ..build_compared_case(case, was, CaseState::Failed) });
        }
        // The sort is stable, so tests with the same verdict keep the order of the report.
        new.stable_sort_by_key(urgency_rank);
        for case in failed_before.iter().filter(|case| !names_after.contains(case.name.as_str())) {
            let is = after.get(&case.name).copied().unwrap_or(CaseState::Absent);
            let has_run = matches!(is, CaseState::Passed | CaseState::Flaky);
            (if has_run { &mut fixed } else { &mut gone }).push(build_compared_case(case, CaseState::Failed, is));
        }
        let cases = |all: Vec<ComparedCase>| {
            let total = saturate_to_u32(all.len());
            let cases = take_page(all, limit, offset);
            ComparedCases { has_more: has_more_after(offset, cases.len(), total), cases, total }
        };
        Ok(ViewComparisonResult {
            base: row_conversion::convert_run(base),
            head: row_conversion::convert_run(head),
            new_kinds: count_verdict_kinds(&new),
            new: cases(new),
            fixed: cases(fixed),
            still_failing: cases(still),
            gone: cases(gone),
        })
    };
    engine.read(context, body)
}

/// Returns the failed tests of a run without duplicates.
fn list_failed(tx: &mut Tx<'_>, run: RunKey) -> Result<Vec<FailedCase>, EngineError> {
    let mut known = BTreeSet::new();
    let mut failed = case_history::list_failed(tx, run, MAX_COMPARED_FAILURES)?;
    failed.retain(|case| known.insert(case.name.clone()));
    Ok(failed)
}

/// Returns the states in `run` of the tests that failed in `other`. If several cases have the same name, a case that
/// ran has priority over a skipped case.
fn read_states(tx: &mut Tx<'_>, run: RunKey, other: RunKey) -> Result<BTreeMap<String, CaseState>, EngineError> {
    let mut states = BTreeMap::new();
    for (name, state) in case_history::list_outcomes_of_failed_in(tx, run, other)? {
        let has_run = state != CaseOutcome::Skipped;
        if has_run || !states.contains_key(&name) {
            states.insert(name, convert_outcome(state));
        }
    }
    Ok(states)
}

fn build_compared_case(case: &FailedCase, base: CaseState, head: CaseState) -> ComparedCase {
    ComparedCase {
        case_name: case.name.clone(),
        base,
        head,
        category: Some(case.category),
        headline: Some(case.headline.clone()),
        verdict: None,
    }
}

/// Returns the verdicts of a run by case name. Unreadable verdicts are left out.
fn read_verdicts(tx: &mut Tx<'_>, run: RunKey) -> Result<BTreeMap<String, BriefVerdict>, EngineError> {
    let stored = cases::list_verdicts(tx, run, MAX_COMPARED_FAILURES)?;
    let read = |json: String| serde_json::from_str::<CaseVerdict>(&json).ok();
    let short = |verdict: CaseVerdict| (verdict.case_name.clone(), row_conversion::shorten_verdict(&verdict));
    Ok(stored.into_iter().filter_map(read).map(short).collect())
}

/// Returns a sort key: failures that a change caused come first, and failures that no change can fix come last.
fn urgency_rank(case: &ComparedCase) -> u8 {
    match case.verdict.as_ref().map(|verdict| verdict.kind) {
        Some(VerdictKind::Regression) => 0,
        Some(VerdictKind::New) => 1,
        Some(VerdictKind::Broken) => 2,
        Some(VerdictKind::Unknown) => 3,
        Some(VerdictKind::Order) => 4,
        Some(VerdictKind::Environment) => 5,
        Some(VerdictKind::Flaky) => 6,
        Some(VerdictKind::Infrastructure) => 7,
        None => 8,
    }
}

/// Counts the cases of each kind of verdict. The cases must be sorted by kind.
fn count_verdict_kinds(sorted: &[ComparedCase]) -> Vec<VerdictKindCount> {
    let kind = |case: &ComparedCase| case.verdict.as_ref().map(|verdict| verdict.kind);
    let count = |cases: &[ComparedCase]| VerdictKindCount {
        kind: cases.first().and_then(kind),
        count: saturate_to_u32(cases.len()),
    };
    sorted.chunk_by(|one, other| kind(one) == kind(other)).map(count).collect()
}
