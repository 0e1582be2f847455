//! The history of a test: its state, its latest failure, and its result in each run.

use super::{
    places, rows,
    test_lookup::{age_note, find_test},
    test_states::evidence_of,
};
use crate::{
    Engine, EngineError,
    answer::{moment::iso, view},
    contract::{CaseVerdict, LatestFailure, TestEvidence, TestHistoryParams, TestHistoryResult, TestRun, Verdict},
    failures::{diagnose::without_idle_rerun, lookup},
    runs::{cause::describe_failure, history::page},
    viewer::grid::case_state,
};
use argus_core::{
    Ambient, display,
    evidence::{facts::fingerprint, kept::memory::Memory, state::state_of},
};
use argus_store::{
    Tx,
    runs::{
        self, RunKey,
        case_history::CaseOutcome,
        cases,
        test_runs::{self, BriefFailure},
    },
};

/// Default number of runs on a page.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 50;

/// Maximum number of sentences of the newest verdict, and characters of each.
const MAX_BECAUSE: usize = 3;
const MAX_AGAINST: usize = 2;
const MAX_SENTENCE_CHARS: usize = 300;

/// Returns the history of a test, newest runs first.
pub fn test_history(
    engine: &Engine,
    ambient: &Ambient,
    params: &TestHistoryParams,
) -> Result<TestHistoryResult, EngineError> {
    let limit = page("limit", params.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let offset = params.offset.unwrap_or(0);
    let body = |tx: &mut Tx<'_>| -> Result<TestHistoryResult, EngineError> {
        let memory = rows::load(tx)?.unwrap_or_default();
        let case_name = find_test(engine, tx, &memory, &params.case_name)?;
        let places = places::load(tx, &memory, &case_name, offset.saturating_add(limit + 1))?;
        let mut found = test_runs::of_test(tx, &case_name, &places, limit + 1, offset)?;
        let has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let evidence = evidence(tx, memory, &case_name)?;
        let notes = if offset == 0 { notes(tx, ambient, &found, evidence.is_some())? } else { Vec::new() };
        Ok(TestHistoryResult {
            latest_failure: latest_failure(engine, tx, &case_name)?,
            runs: shown(tx, &case_name, found)?,
            case_name,
            evidence,
            has_more,
            notes,
        })
    };
    engine.read(ambient, body)
}

/// Returns the state of the test over all runs. None if it never failed.
fn evidence(tx: &mut Tx<'_>, mut memory: Memory, case_name: &str) -> Result<Option<TestEvidence>, EngineError> {
    let case = fingerprint(case_name);
    let mut names = rows::load_tests(tx, &mut memory, &[case])?;
    let Some(history) = memory.tests.get(&case) else { return Ok(None) };
    let summary = state_of(history, &memory.window.view(), &memory.traits);
    Ok(Some(evidence_of(tx, &memory, &mut names, history, &summary, case_name.to_owned())?))
}

fn latest_failure(engine: &Engine, tx: &mut Tx<'_>, case_name: &str) -> Result<Option<LatestFailure>, EngineError> {
    let Some((run_id, json)) = test_runs::newest_verdict(tx, case_name)? else { return Ok(None) };
    let Ok(CaseVerdict { verdict, .. }) = serde_json::from_str(&json) else { return Ok(None) };
    let (key, _) = lookup::find_run(tx, &run_id)?;
    let verdict = match cases::failed(tx, key, case_name)? {
        Some(failure) => {
            let event = lookup::event_of(&failure);
            let analysis = engine.analyzer.analyze(event.clone(), case_name);
            without_idle_rerun(verdict, describe_failure(engine, &analysis, &event, case_name).kind)
        }
        None => verdict,
    };
    Ok(Some(LatestFailure { run_id, verdict: strongest(verdict) }))
}

/// Keeps the first sentences of a verdict, because they are the strongest.
fn strongest(verdict: Verdict) -> Verdict {
    let first = |sentences: Vec<String>, most: usize| -> Vec<String> {
        sentences.iter().take(most).map(|sentence| display::shortened(sentence, MAX_SENTENCE_CHARS)).collect()
    };
    Verdict {
        because: first(verdict.because, MAX_BECAUSE),
        against: first(verdict.against, MAX_AGAINST),
        settle: verdict.settle.map(|settle| display::shortened(&settle, MAX_SENTENCE_CHARS)),
        ..verdict
    }
}

fn shown(tx: &mut Tx<'_>, case_name: &str, found: Vec<test_runs::TestRun>) -> Result<Vec<TestRun>, EngineError> {
    let failed: Vec<(RunKey, &str)> =
        found.iter().filter(|run| run.outcome == CaseOutcome::Failed).map(|run| (run.key, case_name)).collect();
    let mut failures = test_runs::brief_failures(tx, &failed)?.into_iter();
    let shown = |run: test_runs::TestRun| {
        let failure = if run.outcome == CaseOutcome::Failed { failures.next().flatten() } else { None };
        let (headline, found) = told(failure);
        TestRun {
            run_id: run.id,
            started_at: iso(run.started_at),
            commit: run.git_commit,
            branch: run.git_branch,
            dirty: run.git_dirty,
            foreign: run.is_foreign,
            status: case_state(run.outcome),
            duration_ms: run.duration_ms,
            verdict: found.as_ref().map(view::brief_verdict),
            cause_id: found.map(|found| found.cause_id),
            headline,
        }
    };
    Ok(found.into_iter().map(shown).collect())
}

/// Returns the headline and the verdict of a failure.
pub(super) fn told(failure: Option<BriefFailure>) -> (Option<String>, Option<CaseVerdict>) {
    let Some(BriefFailure { headline, verdict }) = failure else { return (None, None) };
    (Some(headline), verdict.and_then(|json| serde_json::from_str(&json).ok()))
}

fn notes(
    tx: &mut Tx<'_>,
    ambient: &Ambient,
    found: &[test_runs::TestRun],
    has_failed: bool,
) -> Result<Vec<String>, EngineError> {
    let mut notes = Vec::new();
    if !has_failed {
        notes.push("It did not fail in the recorded runs.".to_owned());
    }
    let Some(last) = found.first() else {
        notes.push("No recorded run has it any more; argus_run says how it is now.".to_owned());
        return Ok(notes);
    };
    let (_, after) = runs::neighbours(tx, last.key, last.started_at)?;
    let newer = after.map(|_| {
        format!("No run after '{}' has it: it was left out, renamed or removed. argus_run says how it is now.", last.id)
    });
    notes.extend(newer.or_else(|| age_note(ambient.now, last.started_at)));
    Ok(notes)
}
