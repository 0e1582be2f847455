//! Stores a finished attempt in the state, and whether the previous fix worked. `decide` derives the next action.

use super::transitions::{EventResult, decide_status, describe_ended_loop, update_after_failure};
use crate::fix_loop::{
    decide::describe_error_of_attempt,
    error::{ErrorClass, FixError},
    event::CaseOutcomes,
    state::{Attempt, FixState, Mode, Status, Weakening, WeakeningKind},
};
use std::collections::HashSet;

/// The result of running the command.
pub(super) struct FinishedRun {
    pub(super) exit_code: i32,
    pub(super) timed_out: bool,
    pub(super) duration_seconds: f64,
    pub(super) timestamp: Option<String>,
    pub(super) weakened: Vec<Weakening>,
    pub(super) ran: Option<CaseOutcomes>,
}

pub(super) fn finish_attempt(
    state: &mut FixState,
    mut run: FinishedRun,
    error: Option<&FixError>,
    random: f64,
) -> EventResult {
    if state.status != Status::Running {
        return Err(match state.status {
            status if status.has_ended() => describe_ended_loop(state),
            status => format!("No attempt is running: the loop is {}. Start an attempt first.", status.as_str()),
        });
    }
    let green = run.exit_code == 0;
    if green {
        let missing = find_unpassed_cases(state, run.ran.as_ref());
        run.weakened.extend(missing);
    }
    let attempt = build_attempt(state, run, error.filter(|_| !green));
    record_attempt(state, attempt);
    if !green {
        update_after_failure(state, random);
    } else if state.attempts.last().is_some_and(|attempt| !is_explained(state, &attempt.weakened)) {
        decide_status(state, random);
    } else {
        state.status = Status::Success;
    }
    Ok(Vec::new())
}

/// Finds test cases that failed in this run or earlier and did not pass in this run, even if the exit code is 0.
/// Ignores the file in the name of a case, because tests move between files.
fn find_unpassed_cases(state: &FixState, ran: Option<&CaseOutcomes>) -> Vec<Weakening> {
    let Some(ran) = ran else { return Vec::new() };
    let without_file = |name: &str| name.split_once(" > ").map(|(_, titles)| titles.to_owned());
    let passed: HashSet<&str> = ran.passed.iter().map(String::as_str).collect();
    let titles: HashSet<String> = ran.passed.iter().filter_map(|name| without_file(name)).collect();
    let failed: HashSet<&str> = ran.failed.iter().map(String::as_str).collect();
    let is_in_passed_file = |name: &str| {
        name.split_once(" > ").is_some_and(|(file, _)| ran.passed_files.iter().any(|passed| passed == file))
    };
    // The case `(suite)` stands for a file that could not be loaded. It passed if the file loads again and no case in
    // it failed.
    let is_loaded_file = |name: &str| {
        let cases = name.strip_suffix("(suite)").filter(|start| !start.is_empty());
        cases.is_some_and(|start| {
            ran.passed.iter().any(|name| name.starts_with(start))
                && !ran.failed.iter().any(|name| name.starts_with(start))
        })
    };
    let has_passed = |name: &str| {
        passed.contains(name)
            || without_file(name).is_some_and(|name| titles.contains(&name))
            || is_in_passed_file(name)
            || is_loaded_file(name)
    };
    let mut wanted = state.failed_cases();
    wanted.extend(&failed);
    let missing = wanted.into_iter().filter(|name| failed.contains(name) || !has_passed(name));
    let weakening = |name: &str| {
        let why = if failed.contains(name) {
            "failed, although the exit code is 0"
        } else {
            "failed before and did not pass now"
        };
        let file = name.split(" > ").next().unwrap_or(name).to_owned();
        Weakening { file, line: 1, kind: WeakeningKind::TestNotPassed, text: format!("{name} {why}") }
    };
    missing.take(CASE_NAME_LIMITS).map(weakening).collect()
}

/// Maximum number of case names in an attempt.
const CASE_NAME_LIMITS: usize = 1000;

/// Returns `true` if a stated reason explains all suspicious changes. A reason is accepted only for changed tests and
/// snapshots, because an expectation may have been wrong.
fn is_explained(state: &FixState, weakened: &[Weakening]) -> bool {
    let may_be_explained =
        |one: &Weakening| matches!(one.kind, WeakeningKind::TestChanged | WeakeningKind::SnapshotRewritten);
    weakened.is_empty() || (state.stated_reason.is_some() && weakened.iter().all(may_be_explained))
}

fn build_attempt(state: &mut FixState, run: FinishedRun, error: Option<&FixError>) -> Attempt {
    let running = state.running.take().unwrap_or_default();
    let failed = run.exit_code != 0;
    let fix = state.pending_fix.as_ref().filter(|_| state.mode == Mode::Error);
    Attempt {
        number: state.current_attempt,
        timestamp: run.timestamp.or(running.timestamp).unwrap_or_else(|| state.started.clone()),
        exit_code: run.exit_code,
        // The circuit compares hashes, so a failure without an analyzed error gets a constant hash.
        error_hash: failed
            .then(|| error.map_or_else(|| format!("exit-{}", run.exit_code), |error| error.error_hash.clone())),
        fix_applied: fix.map(|fix| fix.description.clone()),
        duration_seconds: run.duration_seconds,
        error_type: failed.then(|| match error {
            _ if run.timed_out => "timeout".to_owned(),
            Some(error) => error.error_type.clone(),
            None => "unknown".to_owned(),
        }),
        error_class: failed
            .then(|| error.map_or_else(|| class_of_unanalyzed_failure(run.timed_out), |error| error.error_class)),
        class_because: error.map(|error| error.class_because.to_string()),
        category: error.map(|error| error.category),
        headline: error.map(|error| error.headline.clone()),
        location: error.and_then(|error| error.location.clone()),
        failing_tests: error.map(|error| error.failing_tests.clone()).unwrap_or_default(),
        // If the run did not name its passed cases, a later run could never show that the failed cases passed.
        // Therefore the failed cases are not stored.
        failed_cases: run
            .ran
            .filter(|ran| !ran.omits_passed)
            .map(|ran| ran.failed.into_iter().take(CASE_NAME_LIMITS).collect())
            .unwrap_or_default(),
        waiting_for_input: error.is_some_and(|error| error.waiting_for_input),
        timed_out: run.timed_out,
        approach: fix.map(|fix| fix.approach),
        fix_verified: fix.is_some_and(|fix| fix.digest.is_some()),
        fix_worked: fix.map(|_| !failed),
        why_failed: None,
        fix_digest: fix.and_then(|fix| fix.digest.clone()),
        outside: fix.and_then(|fix| fix.outside.clone()),
        files: fix.map(|fix| fix.files.clone()).unwrap_or_default(),
        snapshot: running.snapshot,
        weakened: run.weakened,
    }
}

const fn class_of_unanalyzed_failure(timed_out: bool) -> ErrorClass {
    if timed_out { ErrorClass::Transient } else { ErrorClass::Fixable }
}

/// Stores the attempt, and whether the previous fix worked.
fn record_attempt(state: &mut FixState, mut attempt: Attempt) {
    let failed = attempt.error_hash.is_some();
    let had_fix = state.pending_fix.take().is_some();
    if failed && had_fix {
        let before = state.attempts.last().and_then(|before| before.error_hash.as_ref());
        let why = if before == attempt.error_hash.as_ref() { "still fails with" } else { "now fails with" };
        let why = Some(format!("{why} {}", describe_error_of_attempt(&attempt)));
        match (state.mode, state.attempts.last_mut()) {
            (Mode::Command, Some(fixed)) => fixed.why_failed = why,
            _ => attempt.why_failed = why,
        }
    }
    if had_fix
        && state.mode == Mode::Command
        && let Some(fixed) = state.attempts.last_mut()
    {
        fixed.fix_worked = Some(!failed);
    }
    state.attempts.push(attempt);
    state.interruptions = 0;
    state.current_attempt = state.attempt_count().saturating_add(u32::from(failed)).min(state.max_attempts);
}
