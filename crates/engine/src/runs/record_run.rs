//! Records a finished run and answers its failures with what is known about them. Recording does not count as an occurrence
//! of a pattern; a diagnosis does.

use super::{
    brief::{self, Brief, brief},
    claims,
    collect::{Collected, collect, has_failed},
};
use crate::{
    Engine, EngineError,
    answer::{moment, text::quoted, view},
    contract::{ProvedFix, RecordRunParams, RunResult, RunStatus, Shuffle, SinceGreen, Totals},
    evidence::judging::{self, RunJudgement},
    failures::{lookup, recompute_signatures},
    limits::MAX_ANALYZED_FAILURES,
    memory::finding::shared,
};
use argus_core::{Ambient, display};
use argus_store::{
    Tx,
    runs::{
        self, Run,
        cases::{self, Case, Status},
        retention::{self, MaxAge, RetentionLimits},
    },
};

/// Note for reports without tests.
pub(crate) const NO_CASES: &str = "The reports hold no test cases.";

/// Note for a run of a fork.
const FOREIGN: &str =
    "FOREIGN_RUN: it is of a fork or was given as foreign, so it is kept and judged, but proves and refutes nothing.";

/// Reads the reports, then writes the run in one transaction.
pub fn record_run(engine: &Engine, ambient: &Ambient, params: &RecordRunParams) -> Result<RunResult, EngineError> {
    record(engine, ambient, params, ambient.id("run"))
}

/// Records a run under the given id.
pub(super) fn record(
    engine: &Engine,
    ambient: &Ambient,
    params: &RecordRunParams,
    id: String,
) -> Result<RunResult, EngineError> {
    let mut collected = collect(engine, params)?;
    let totals = totals(&collected.cases);
    let run = run(engine, ambient, params, id, (&collected, &totals));
    let body = |tx: &mut Tx<'_>| -> Result<Concluded, EngineError> {
        let no_tests = if collected.ran_no_tests { Some(no_tests(tx, params)?) } else { None };
        let RunJudgement { verdicts, window, since_green, fixes } =
            judging::judge(engine, tx, &run, params, &mut collected)?;
        let key = runs::insert(tx, &run)?;
        cases::insert_all(tx, key, &collected.cases)?;
        let proved = claims::judge(engine, tx, &run, &collected.cases, &window)?;
        retention::apply(tx, retention_limits(engine, ambient))?;
        recompute_signatures::recompute_batch(engine, tx)?;
        let Collected { cases, candidates, .. } = &collected;
        let brief = brief(engine, ambient, tx, cases, candidates, &verdicts, &fixes)?;
        Ok(Concluded { brief, since_green, proved, no_tests })
    };
    let concluded = engine.write(ambient, body)?;
    Ok(answer(engine, params, run, totals, collected, concluded))
}

/// Data that the database adds to the answer after it has stored the run.
struct Concluded {
    brief: Brief,
    since_green: Option<SinceGreen>,
    proved: Vec<ProvedFix>,
    /// Reason why no test ran.
    no_tests: Option<String>,
}

fn run(
    engine: &Engine,
    ambient: &Ambient,
    params: &RecordRunParams,
    id: String,
    (collected, totals): (&Collected, &Totals),
) -> Run {
    let redact = |text: &Option<String>| text.as_deref().map(|text| engine.analyzer.redact(text).into_string());
    let started_at = params.started_at.or(collected.facts.started_at).unwrap_or(ambient.now);
    let git = params.git.as_ref();
    Run {
        id,
        // A clock that is ahead must not keep a run the newest forever.
        started_at: started_at.clamp(0, ambient.now),
        duration_ms: duration(params, collected),
        has_failed: totals.failed > 0 || collected.ran_no_tests || has_failed(params) || params.interrupted,
        passed: totals.passed,
        failed: totals.failed,
        skipped: totals.skipped,
        flaky: totals.flaky,
        command: redact(&params.command),
        runner: collected.facts.runner.clone(),
        exit_code: params.exit_code,
        signal: redact(&params.signal).or_else(|| params.interrupted.then(|| INTERRUPT.to_owned())),
        timed_out: params.timed_out,
        git_commit: git.and_then(|git| redact(&git.commit)),
        git_branch: git.and_then(|git| redact(&git.branch)),
        git_dirty: git.and_then(|git| git.dirty),
        is_foreign: params.foreign,
        shuffle: params.shuffle.as_ref().and_then(|shuffle| stored_shuffle(engine, shuffle)),
    }
}

/// Signal of an interrupted run whose command handled the signal and exited.
const INTERRUPT: &str = "SIGINT";

/// JSON of the shuffle options, which come from the output of a command and are redacted.
fn stored_shuffle(engine: &Engine, Shuffle { seed, option }: &Shuffle) -> Option<String> {
    let clean = |text: &Option<String>| {
        text.as_deref().map(|text| display::shortened(&engine.analyzer.redact(text), MAX_SHUFFLE_CHARS))
    };
    serde_json::to_string(&Shuffle { seed: clean(seed), option: clean(option) }).ok()
}

/// Maximum characters of a seed and of the options.
const MAX_SHUFFLE_CHARS: usize = 120;

/// Duration in milliseconds: as measured, else from the reports, else the sum of the cases.
fn duration(params: &RecordRunParams, collected: &Collected) -> f64 {
    let sum = || collected.cases.iter().filter_map(|case| case.duration_ms).sum();
    let known = params.duration_ms.or(collected.facts.duration_ms).filter(|millis| millis.is_finite());
    known.unwrap_or_else(sum).max(0.0)
}

fn totals(cases: &[Case]) -> Totals {
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

/// Runs that are kept regardless of age, so that a project still has its last failures after a long break.
const DEFAULT_MIN_RUNS: u32 = 20;

fn retention_limits(engine: &Engine, ambient: &Ambient) -> RetentionLimits {
    let retention = &engine.options.retention;
    let age = |days| MaxAge {
        max_ms: i64::from(days) * moment::DAY_MS,
        now: ambient.now,
        min_runs: retention.min_runs.unwrap_or(DEFAULT_MIN_RUNS),
    };
    RetentionLimits { age: retention.max_age_days.map(age), newest: retention.max_runs }
}

/// Maximum number of runs that are searched for names similar to the filter.
const MAX_NAMING_RUNS: u32 = 10;

/// Note for a run without tests, with the recorded names that are most similar to the filter.
fn no_tests(tx: &mut Tx<'_>, params: &RecordRunParams) -> Result<String, EngineError> {
    let Some(filter) = params.filter.as_deref() else {
        return Ok(
            "NO_TESTS_RAN: the runner found no tests. Check that its files are where it looks for them.".to_owned()
        );
    };
    let mut names = Vec::new();
    for (key, _) in runs::newest(tx, MAX_NAMING_RUNS)? {
        names = cases::names(tx, key, lookup::MAX_COMPARED_NAMES)?;
        if names.len() > 1 {
            break;
        }
    }
    let nearest = lookup::list_names(&lookup::closest(filter, names));
    let advice =
        if nearest.is_empty() { "Check the name.".to_owned() } else { format!("The closest names are {nearest}.") };
    Ok(format!("NO_TESTS_RAN: no test fits the filter '{}'. {advice}", quoted(filter)))
}

fn answer(
    engine: &Engine,
    params: &RecordRunParams,
    run: Run,
    totals: Totals,
    collected: Collected,
    Concluded { brief, since_green, proved, no_tests }: Concluded,
) -> RunResult {
    let mut notes: Vec<String> = params.notes.iter().map(|note| engine.analyzer.redact(note).into()).collect();
    match no_tests {
        Some(note) => notes.insert(0, engine.analyzer.redact(&note).into()),
        None if collected.has_empty_reports => notes.push(NO_CASES.to_owned()),
        None => {}
    }
    if run.is_foreign {
        notes.insert(0, FOREIGN.to_owned());
    }
    if brief.failures.iter().any(|failure| failure.shared.is_some()) {
        notes.push(shared::WARNING.to_owned());
    }
    if totals.failed > MAX_ANALYZED_FAILURES {
        let count = totals.failed;
        notes.push(format!("Only the first {MAX_ANALYZED_FAILURES} of {count} failures were analyzed."));
    }
    let Brief { failures, causes, more_causes } = brief;
    debug_assert!(failures.len() <= brief::MAX_LISTED, "no more are kept than listed");
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
        shuffle: view::shuffle(run.shuffle.as_deref()),
        notes,
        skipped: collected.skipped,
    }
}
