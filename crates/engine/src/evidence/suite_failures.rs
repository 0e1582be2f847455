//! Handles cases that stand for a whole command or for a file that could not be loaded. They appear only when they
//! fail, so their passes are derived from runs that ended well.

use super::evidence_rows::TestNames;
use crate::{
    EngineError,
    runs::{case_name::CASE_NAME_SEPARATOR, claims::has_suite_passed},
};
use argus_core::evidence::{
    facts::{CaseId, RunSeq, case_id},
    stored_rows::{history::TestHistory, memory::EvidenceMemory},
};
use argus_report::SUITE_FAILURE_NAME;
use argus_store::{
    Tx,
    runs::{
        self, Run,
        case_history::CaseOutcome,
        cases::{Case, Status},
        claims::suite_name_prefix,
        test_results,
    },
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Maximum number of earlier runs that are read at the first failure of a suite case, and of their cases in total.
const MAX_RUNS: u32 = 32;
const MAX_CASES: u32 = 20_000;

/// Returns the ids of the suite cases whose results can be derived from a run: one for each file and suite, and the
/// command.
pub(super) fn suite_cases_of_run(run: &Run, cases: &[Case]) -> Vec<CaseId> {
    let names = cases.iter().map(|case| case.name.as_str());
    let starts: HashSet<&str> = names
        .flat_map(|name| name.match_indices(CASE_NAME_SEPARATOR).map(|(at, separator)| &name[..at + separator.len()]))
        .collect();
    let suites = starts.into_iter().map(|start| case_id(&format!("{start}{SUITE_FAILURE_NAME}")));
    suites.chain(run.command.as_deref().map(case_id)).collect()
}

/// Returns the cases that passed in a run although the run does not report them.
pub(super) fn find_passed_suite_cases(run: &Run, cases: &[Case], names: &TestNames) -> Vec<CaseId> {
    let ran = || cases.iter().filter(|case| case.status != Status::Skipped);
    let has_passed = |name: &str| {
        has_suite_passed(run, ran().map(|case| (case.name.as_str(), case.status == Status::Passed)), name)
            && ran().all(|case| case.name != name)
    };
    names.iter().filter(|(_, name)| has_passed(name)).map(|(case, _)| *case).collect()
}

/// Creates the histories of suite cases that fail for the first time. A history begins with the newest runs in which
/// the case passed.
pub(super) fn create_suite_histories<'a>(
    tx: &mut Tx<'_>,
    memory: &mut EvidenceMemory,
    run: &Run,
    failed: impl Iterator<Item = (CaseId, &'a str)>,
) -> Result<(), EngineError> {
    let is_suite = |name: &str| run.command.as_deref() == Some(name) || suite_name_prefix(name).is_some();
    let new_cases: Vec<(CaseId, &str)> =
        failed.filter(|(case, name)| is_suite(name) && !memory.tests.contains_key(case)).collect();
    if new_cases.is_empty() {
        return Ok(());
    }
    let seqs: BTreeMap<&str, RunSeq> = memory.window.runs().map(|run| (run.id.as_str(), run.seq)).collect();
    let mut cases = 0_u32;
    let fits = |(_, run): &(_, Run)| {
        cases = cases.saturating_add(run.passed + run.failed);
        cases <= MAX_CASES
    };
    let earlier: Vec<_> = runs::list_newest(tx, MAX_RUNS)?.into_iter().take_while(fits).collect();
    let keys: Vec<_> = earlier.iter().map(|(key, _)| *key).collect();
    let outcomes = test_results::list_outcomes(tx, &keys)?;
    let known: Vec<_> = earlier
        .iter()
        .zip(&outcomes)
        .filter_map(|((_, run), cases)| Some((*seqs.get(run.id.as_str())?, run, cases)))
        .collect();
    let mut histories = Vec::new();
    for (case, name) in new_cases {
        let has_passed = |run: &Run, cases: &[(String, CaseOutcome)]| {
            has_suite_passed(run, cases.iter().map(|(name, end)| (name.as_str(), *end != CaseOutcome::Failed)), name)
        };
        let suite_passes: BTreeSet<RunSeq> =
            known.iter().filter(|(_, run, cases)| has_passed(run, cases)).map(|(seq, ..)| *seq).collect();
        let recorded_passes =
            memory.window.runs().filter(|run| memory.orders.has_case_run(run.order, case)).map(|run| run.seq);
        let passes: BTreeSet<RunSeq> = recorded_passes.chain(suite_passes).collect();
        histories.push((case, TestHistory::from_passes(&passes.into_iter().collect::<Vec<_>>())));
    }
    memory.tests.extend(histories);
    Ok(())
}
