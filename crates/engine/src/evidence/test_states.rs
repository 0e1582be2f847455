//! Lists the tests that failed before, with their states over all runs.

use super::{
    evidence_rows::{self, TestNames},
    judging::format_condition,
    test_lookup::{NO_RUNS_NOTE, age_note},
};
use crate::{
    Engine, EngineError,
    contract::{TestEvidence, TestsParams, TestsResult},
};
use argus_core::{
    CallContext,
    evidence::{
        facts::{CaseId, case_id},
        stored_rows::{
            history::{FailureMode, TestHistory},
            memory::EvidenceMemory,
        },
        test_state::{TestState, TestSummary, summarize_test},
    },
    stable_sort::StableSort,
};
use argus_store::{
    Tx,
    runs::{self, cases},
};

/// Default number of tests on a page.
const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1_000;

/// Returns a page of tests, unhealthy tests first.
pub fn tests(engine: &Engine, context: &CallContext, params: &TestsParams) -> Result<TestsResult, EngineError> {
    let wanted = params.name.as_deref().map(str::to_lowercase);
    let matches_name = |name: &str| wanted.as_ref().is_none_or(|wanted| name.to_lowercase().contains(wanted));
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
    let offset = params.offset.unwrap_or(0) as usize;
    let body = |tx: &mut Tx<'_>| -> Result<TestsResult, EngineError> {
        let mut memory = evidence_rows::load(tx)?.unwrap_or_default();
        let mut names = evidence_rows::load_all_tests(tx, &mut memory)?;
        let view = memory.window.view();
        let conditions = view.varying_conditions();
        let mut found = Vec::new();
        for (case, history) in &memory.tests {
            let Some(case_name) = names.get(case).filter(|name| matches_name(name)).cloned() else { continue };
            let summary = summarize_test(history, &view, &conditions, &memory.traits);
            if params.state.is_none_or(|state| summary.state == state) {
                found.push((case_name, history, summary));
            }
        }
        found.stable_sort_by(|one, other| urgency(&one.2).cmp(&urgency(&other.2)).then_with(|| one.0.cmp(&other.0)));
        let total = found.len();
        let mut tests = Vec::new();
        for (case_name, history, summary) in found.into_iter().skip(offset).take(limit) {
            tests.push(convert_evidence(tx, &memory, &mut names, history, &summary, case_name)?);
        }
        let newest = runs::list_newest(tx, 1)?;
        Ok(TestsResult {
            has_more: offset.saturating_add(tests.len()) < total,
            total: u32::try_from(total).unwrap_or(u32::MAX),
            tests,
            notes: newest
                .first()
                .map_or_else(|| Some(NO_RUNS_NOTE.to_owned()), |(_, run)| age_note(context.now_ms, run.started_at))
                .into_iter()
                .collect(),
        })
    };
    engine.read(context, body)
}

/// Returns the sort key of a test. A lower number is more urgent.
const fn urgency(test: &TestSummary) -> u8 {
    match test.state {
        TestState::Broken => 0,
        TestState::Flaky => 1,
        TestState::Order => 2,
        TestState::Environment => 3,
        TestState::Healthy => 4,
    }
}

/// Converts a test for an answer, and looks up the name of the test that breaks it.
pub(super) fn convert_evidence(
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    names: &mut TestNames,
    history: &TestHistory,
    summary: &TestSummary,
    case_name: String,
) -> Result<TestEvidence, EngineError> {
    if let Some(polluter) = summary.polluter.filter(|polluter| !names.contains_key(polluter)) {
        names.extend(evidence_rows::load_names(tx, &[polluter])?);
        if !names.contains_key(&polluter) {
            // A test that never failed has no row, so its name is read from a run.
            names.extend(name_in_runs(tx, memory, history, polluter)?.map(|name| (polluter, name)));
        }
    }
    Ok(TestEvidence {
        case_name,
        state: summary.state,
        verdict: summary.verdict,
        flake_rate: summary.flake_rate.mean(),
        interval: summary.flake_rate.interval(),
        failures: history.totals.failures,
        runs: history.totals.runs,
        polluter: summary.polluter.and_then(|polluter| names.get(&polluter).cloned()),
        condition: summary.condition.as_ref().map(format_condition),
    })
}

/// Returns the name of a case that ran before the test when the test failed last.
fn name_in_runs(
    tx: &mut Tx<'_>,
    memory: &EvidenceMemory,
    history: &TestHistory,
    polluter: CaseId,
) -> Result<Option<String>, EngineError> {
    let has_polluter = |failure_mode: &&FailureMode| {
        let candidates = failure_mode.order.iter().flat_map(|order| &order.candidates);
        candidates.into_iter().any(|candidate| candidate.case == polluter)
    };
    let last =
        history.failure_modes.iter().find(has_polluter).and_then(|failure_mode| memory.window.get(failure_mode.last));
    let Some(run) = last else { return Ok(None) };
    let Some((key, _)) = runs::find_by_id(tx, &run.id)? else { return Ok(None) };
    let names = cases::list_names(tx, key, u32::MAX)?;
    Ok(names.into_iter().find(|name| case_id(name) == polluter))
}
