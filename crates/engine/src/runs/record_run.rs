//! Records a finished run and returns its failures with known fixes. Unlike a diagnosis, recording does not count as an
//! occurrence of a pattern.

use super::{
    claims,
    collect::{CollectedRun, collect_cases, has_failed},
    failure_selection::{self, SelectedFailures, select_failures},
    known_names::KnownNames,
};
use crate::{
    Engine, EngineError,
    answer::{message_text::quote, row_conversion, time_format},
    contract::{ChangesSinceGreen, ProvedFix, RecordRunParams, RunResult, RunStatus, Shuffle, Totals},
    evidence::judging::{self, RunJudgement},
    failures::{lookup, recompute_signatures},
    limits::MAX_ANALYZED_FAILURES,
    memory::finding::shared,
};
use argus_core::{CallContext, display};
use argus_store::{
    Tx,
    runs::{
        self, Run,
        cases::{self, Case, Status},
        retention::{self, MaxAge, RetentionLimits},
    },
};

/// Note for reports without tests.
pub(crate) const NO_CASES_NOTE: &str = "The reports contain no test cases.";

/// Note for a run of a fork.
const FOREIGN_RUN_NOTE: &str = "FOREIGN_RUN: the run comes from a fork or was imported as foreign, so it is kept and judged but not counted as evidence.";

/// Reads the reports, then writes the run in one transaction.
pub fn record_run(engine: &Engine, context: &CallContext, params: &RecordRunParams) -> Result<RunResult, EngineError> {
    record_with_id(engine, context, params, context.create_id("run"))
}

/// Records a run under the given id.
pub(super) fn record_with_id(
    engine: &Engine,
    context: &CallContext,
    params: &RecordRunParams,
    id: String,
) -> Result<RunResult, EngineError> {
    let known_names =
        if params.printed_names { engine.read(context, KnownNames::load)? } else { KnownNames::default() };
    let mut collected = collect_cases(engine, params, &known_names)?;
    let totals = count_totals(&collected.cases);
    let run = build_run(engine, context, params, id, (&collected, &totals));
    let body = |tx: &mut Tx<'_>| -> Result<StoredRunFacts, EngineError> {
        let no_tests = if collected.ran_no_tests { Some(explain_missing_tests(tx, params)?) } else { None };
        let RunJudgement { verdicts, window, since_green, fixes, unsearched } =
            judging::judge(engine, tx, &run, params, &mut collected)?;
        let key = runs::insert(tx, &run)?;
        cases::insert_all(tx, key, &collected.cases)?;
        let proved = claims::judge_claims(engine, tx, &run, &collected.cases, &window)?;
        retention::delete_expired_runs(tx, retention_limits(engine, context))?;
        recompute_signatures::recompute_batch(engine, tx)?;
        let CollectedRun { cases, candidates, .. } = &collected;
        let selected = select_failures(engine, context, tx, cases, candidates, &verdicts, &fixes)?;
        Ok(StoredRunFacts { selected, since_green, proved, no_tests, unsearched })
    };
    let stored_facts = engine.write(context, body)?;
    Ok(build_answer(engine, params, run, totals, collected, stored_facts))
}

/// Parts of the answer that come from the database.
struct StoredRunFacts {
    selected: SelectedFailures,
    since_green: Option<ChangesSinceGreen>,
    proved: Vec<ProvedFix>,
    /// Reason why no test ran.
    no_tests: Option<String>,
    /// Number of failures for which no earlier test was searched that makes them fail.
    unsearched: u32,
}

fn build_run(
    engine: &Engine,
    context: &CallContext,
    params: &RecordRunParams,
    id: String,
    (collected, totals): (&CollectedRun, &Totals),
) -> Run {
    let redact = |text: &Option<String>| text.as_deref().map(|text| engine.analyzer.redact(text).into_string());
    let started_at = params.started_at.or(collected.facts.started_at).unwrap_or(context.now_ms);
    let git = params.git.as_ref();
    Run {
        id,
        // A start in the future, from a wrong clock, would keep the run the newest forever.
        started_at: started_at.clamp(0, context.now_ms),
        duration_ms: choose_duration_ms(params, collected),
        has_failed: totals.failed > 0 || collected.ran_no_tests || has_failed(params) || params.interrupted,
        passed: totals.passed,
        failed: totals.failed,
        skipped: totals.skipped,
        flaky: totals.flaky,
        command: redact(&params.command),
        runner: collected.facts.runner.clone(),
        exit_code: params.exit_code,
        signal: redact(&params.signal).or_else(|| params.interrupted.then(|| INTERRUPT_SIGNAL.to_owned())),
        timed_out: params.timed_out,
        git_commit: git.and_then(|git| redact(&git.commit)),
        git_branch: git.and_then(|git| redact(&git.branch)),
        git_dirty: git.and_then(|git| git.dirty),
        is_foreign: params.foreign,
        shuffle: params.shuffle.as_ref().and_then(|shuffle| shuffle_to_json(engine, shuffle)),
    }
}

/// Signal of an interrupted run whose command handled the signal and exited.
const INTERRUPT_SIGNAL: &str = "SIGINT";

/// Returns the JSON of the shuffle options, which come from the output of a command and are redacted.
fn shuffle_to_json(engine: &Engine, Shuffle { seed, option }: &Shuffle) -> Option<String> {
    let clean = |text: &Option<String>| {
        text.as_deref().map(|text| display::truncate_chars(&engine.analyzer.redact(text), MAX_SHUFFLE_CHARS))
    };
    serde_json::to_string(&Shuffle { seed: clean(seed), option: clean(option) }).ok()
}

/// Maximum characters of a seed and of the options.
const MAX_SHUFFLE_CHARS: usize = 120;

/// Returns the duration in milliseconds: the shorter of the reported and the measured duration. The measured duration
/// includes the start of `npm` or a build before the tests, and the reports of parallel runners can add up to more than
/// the run took. Without either duration, returns the sum over the cases.
fn choose_duration_ms(params: &RecordRunParams, collected: &CollectedRun) -> f64 {
    let sum = || collected.cases.iter().filter_map(|case| case.duration_ms).sum();
    let (measured, own) = (params.duration_ms, collected.facts.duration_ms.filter(|own| *own > 0.0));
    let shorter = match (measured, own) {
        (Some(measured), Some(own)) => Some(measured.min(own)),
        (measured, own) => measured.or(own),
    };
    shorter.filter(|millis| millis.is_finite()).unwrap_or_else(sum).max(0.0)
}

fn count_totals(cases: &[Case]) -> Totals {
    let mut totals = Totals::default();
    for case in cases {
        match case.status {
            Status::Passed => totals.passed += 1,
            Status::Failed => totals.failed += 1,
            Status::Skipped => totals.skipped += 1,
        }
        totals.flaky += u32::from(case.flaky);
    }
    totals
}

/// Number of runs that are kept regardless of age, so that a project keeps its last failures during a long break.
const DEFAULT_MIN_RUNS: u32 = 20;

fn retention_limits(engine: &Engine, context: &CallContext) -> RetentionLimits {
    let retention = &engine.options.retention;
    let age = |days| MaxAge {
        max_ms: i64::from(days) * time_format::DAY_MS,
        now: context.now_ms,
        min_runs: retention.min_runs.unwrap_or(DEFAULT_MIN_RUNS),
    };
    RetentionLimits { age: retention.max_age_days.map(age), max_runs: retention.max_runs }
}

/// Maximum number of runs that are searched for names similar to the filter.
const MAX_SEARCHED_RUNS: u32 = 10;

/// Returns the note for a run without tests, with the recorded names that are most similar to the filter.
fn explain_missing_tests(tx: &mut Tx<'_>, params: &RecordRunParams) -> Result<String, EngineError> {
    let Some(filter) = params.filter.as_deref() else {
        return Ok("NO_TESTS_RAN: the runner found no tests. Check that the test files are where it looks for them."
            .to_owned());
    };
    let mut names = Vec::new();
    for (key, _) in runs::list_newest(tx, MAX_SEARCHED_RUNS)? {
        names = cases::list_names(tx, key, lookup::MAX_COMPARED_NAMES)?;
        if names.len() > 1 {
            break;
        }
    }
    let nearest = lookup::list_names(&lookup::find_closest_names(filter, names));
    let advice =
        if nearest.is_empty() { "Check the name.".to_owned() } else { format!("The closest names are {nearest}.") };
    Ok(format!("NO_TESTS_RAN: no test matches the filter '{}'. {advice}", quote(filter)))
}

/// Names the exit code or the signal with which the command ended.
fn describe_ending(params: &RecordRunParams) -> String {
    match (&params.signal, params.exit_code) {
        (Some(signal), _) => format!("the signal {signal}"),
        (None, code) => format!("exit code {}", code.unwrap_or_default()),
    }
}

fn build_answer(
    engine: &Engine,
    params: &RecordRunParams,
    run: Run,
    totals: Totals,
    collected: CollectedRun,
    StoredRunFacts { selected, since_green, proved, no_tests, unsearched }: StoredRunFacts,
) -> RunResult {
    let mut notes: Vec<String> = params.notes.iter().map(|note| engine.analyzer.redact(note).into()).collect();
    match no_tests {
        Some(note) => notes.insert(0, engine.analyzer.redact(&note).into()),
        None if collected.has_empty_reports => notes.push(NO_CASES_NOTE.to_owned()),
        None if totals.skipped > 0 && totals.passed + totals.failed == 0 => {
            notes.push(format!("All tests were skipped ({}), so the run proves nothing.", totals.skipped));
        }
        None => {}
    }
    if collected.only_command_failed && !params.timed_out {
        notes.push(format!("No reported test failed, but the command ended with {}.", describe_ending(params)));
    }
    if run.is_foreign {
        notes.insert(0, FOREIGN_RUN_NOTE.to_owned());
    }
    if selected.failures.iter().any(|failure| failure.shared.is_some()) {
        notes.push(shared::SHARED_WARNING.to_owned());
    }
    if totals.failed > MAX_ANALYZED_FAILURES {
        let count = totals.failed;
        notes.push(format!("Only the first {MAX_ANALYZED_FAILURES} of {count} failures were analyzed."));
    }
    if unsearched > 0 {
        notes.push(format!(
            "Too many tests failed to find out for all of them whether an earlier test breaks them. It was not checked \
             for {unsearched} of them."
        ));
    }
    let SelectedFailures { failures, causes, more_causes } = selected;
    debug_assert!(failures.len() <= failure_selection::MAX_LISTED, "no more are kept than listed");
    RunResult {
        run_id: run.id,
        status: if run.has_failed { RunStatus::Failed } else { RunStatus::Passed },
        interrupted: params.interrupted,
        duration_ms: run.duration_ms,
        more: totals.failed.saturating_sub(u32::try_from(failures.len()).unwrap_or(u32::MAX)),
        totals,
        failures,
        causes,
        more_causes,
        since_green,
        proved,
        shuffle: row_conversion::parse_shuffle(run.shuffle.as_deref()),
        notes,
        skipped: collected.skipped,
    }
}
