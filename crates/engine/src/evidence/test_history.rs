//! The history of a test: its state, its latest failure, and its result in each run.

use super::{
    evidence_rows,
    test_lookup::{age_note, find_test},
    test_positions,
    test_states::convert_evidence,
};
use crate::{
    Engine, EngineError,
    answer::{row_conversion, time_format::format_iso},
    contract::{CaseVerdict, LatestFailure, TestEvidence, TestHistoryParams, TestHistoryResult, TestRun, Verdict},
    failures::{diagnose::remove_useless_rerun, lookup},
    runs::{cause::describe_failure, history::check_page_limit},
    viewer::grid::convert_outcome,
};
use argus_core::{
    CallContext, display,
    evidence::{facts::case_id, stored_rows::memory::EvidenceMemory, test_state::summarize_test},
};
use argus_store::{
    Tx,
    runs::{
        self, RunKey,
        case_history::CaseOutcome,
        cases,
        test_results::{self, FailureHeadline},
    },
};

/// Default number of runs on a page.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 50;

/// Maximum number of sentences of the newest verdict, and characters of each.
const MAX_REASONS: usize = 3;
const MAX_COUNTER_REASONS: usize = 2;
const MAX_SENTENCE_CHARS: usize = 300;

/// Returns the history of a test, newest runs first.
pub fn test_history(
    engine: &Engine,
    context: &CallContext,
    params: &TestHistoryParams,
) -> Result<TestHistoryResult, EngineError> {
    let limit = check_page_limit("limit", params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let offset = params.offset.unwrap_or(0);
    let body = |tx: &mut Tx<'_>| -> Result<TestHistoryResult, EngineError> {
        let memory = evidence_rows::load(tx)?.unwrap_or_default();
        let case_name = find_test(engine, tx, &memory, &params.case_name)?;
        let places = test_positions::load(tx, &memory, &case_name, offset.saturating_add(limit + 1))?;
        let mut found = test_results::list_runs_of_test(tx, &case_name, &places, limit + 1, offset)?;
        let has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let evidence = load_evidence(tx, memory, &case_name)?;
        let notes = if offset == 0 { collect_notes(tx, context, &found, evidence.is_some())? } else { Vec::new() };
        Ok(TestHistoryResult {
            latest_failure: find_latest_failure(engine, tx, &case_name)?,
            runs: convert_runs(tx, found)?,
            case_name,
            evidence,
            has_more,
            notes,
        })
    };
    engine.read(context, body)
}

/// Returns the state of the test over all runs. None if it never failed.
fn load_evidence(
    tx: &mut Tx<'_>,
    mut memory: EvidenceMemory,
    case_name: &str,
) -> Result<Option<TestEvidence>, EngineError> {
    let case = case_id(case_name);
    let mut names = evidence_rows::load_tests(tx, &mut memory, &[case])?;
    let Some(history) = memory.tests.get(&case) else { return Ok(None) };
    let view = memory.window.view();
    let summary = summarize_test(history, &view, &view.varying_conditions(), &memory.traits);
    Ok(Some(convert_evidence(tx, &memory, &mut names, history, &summary, case_name.to_owned())?))
}

fn find_latest_failure(
    engine: &Engine,
    tx: &mut Tx<'_>,
    case_name: &str,
) -> Result<Option<LatestFailure>, EngineError> {
    let Some((run_id, json)) = test_results::find_newest_verdict(tx, case_name)? else { return Ok(None) };
    let Ok(CaseVerdict { verdict, .. }) = serde_json::from_str(&json) else { return Ok(None) };
    let (key, _) = lookup::find_run(tx, &run_id)?;
    let verdict = match cases::find_failed(tx, key, case_name)? {
        Some(failure) => {
            let event = lookup::rebuild_event(&failure);
            let analysis = engine.analyzer.analyze(event.clone(), case_name);
            remove_useless_rerun(verdict, describe_failure(engine, &analysis, &event, case_name).kind)
        }
        None => verdict,
    };
    Ok(Some(LatestFailure { run_id, verdict: keep_strongest_reasons(verdict) }))
}

/// Keeps the first sentences of a verdict, because they are the strongest.
fn keep_strongest_reasons(verdict: Verdict) -> Verdict {
    let first = |sentences: Vec<String>, most: usize| -> Vec<String> {
        sentences.iter().take(most).map(|sentence| display::truncate_chars(sentence, MAX_SENTENCE_CHARS)).collect()
    };
    Verdict {
        because: first(verdict.because, MAX_REASONS),
        against: first(verdict.against, MAX_COUNTER_REASONS),
        settle: verdict.settle.map(|settle| display::truncate_chars(&settle, MAX_SENTENCE_CHARS)),
        ..verdict
    }
}

fn convert_runs(tx: &mut Tx<'_>, found: Vec<test_results::TestRun>) -> Result<Vec<TestRun>, EngineError> {
    let is_failed = |run: &&test_results::TestRun| run.outcome == CaseOutcome::Failed;
    let failed: Vec<(RunKey, &str)> = found.iter().filter(is_failed).map(|run| (run.key, run.name.as_str())).collect();
    let mut failures = test_results::read_failure_headlines(tx, &failed)?.into_iter();
    let convert = |run: test_results::TestRun| {
        let failure = if run.outcome == CaseOutcome::Failed { failures.next().flatten() } else { None };
        let (headline, found) = parse_failure_headline(failure);
        TestRun {
            run_id: run.id,
            started_at: format_iso(run.started_at),
            commit: run.git_commit,
            branch: run.git_branch,
            dirty: run.git_dirty,
            foreign: run.is_foreign,
            status: convert_outcome(run.outcome),
            duration_ms: run.duration_ms,
            verdict: found.as_ref().map(row_conversion::shorten_verdict),
            cause_id: found.map(|found| found.cause_id),
            headline,
        }
    };
    Ok(found.into_iter().map(convert).collect())
}

/// Returns the headline and the verdict of a failure.
pub(super) fn parse_failure_headline(failure: Option<FailureHeadline>) -> (Option<String>, Option<CaseVerdict>) {
    let Some(FailureHeadline { headline, verdict }) = failure else { return (None, None) };
    (Some(headline), verdict.and_then(|json| serde_json::from_str(&json).ok()))
}

fn collect_notes(
    tx: &mut Tx<'_>,
    context: &CallContext,
    found: &[test_results::TestRun],
    has_failed: bool,
) -> Result<Vec<String>, EngineError> {
    let mut notes = Vec::new();
    if !has_failed {
        notes.push("It did not fail in the recorded runs.".to_owned());
    }
    let Some(last) = found.first() else {
        notes.push("The recorded runs do not include it any more; argus_run shows its current state.".to_owned());
        return Ok(notes);
    };
    let (_, after) = runs::find_neighbor_ids(tx, last.key, last.started_at)?;
    let newer = after.map(|_| {
        format!("No run after '{}' includes it: it was renamed, removed or not selected. argus_run shows its current state.", last.id)
    });
    notes.extend(newer.or_else(|| age_note(context.now_ms, last.started_at)));
    Ok(notes)
}
