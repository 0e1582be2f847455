//! Puts a finished attempt into the state, and what it says about the fix before it.
//! What may happen next is said by `decide`.

use super::transitions::{Outcome, after_failure, decide_status, over_message};
use crate::fix_loop::{
    decide::describe_attempt,
    error::{ErrorClass, FixError},
    state::{Attempt, FixState, Mode, Status, Weakening},
};

/// How a run ended.
pub(super) struct Run {
    pub(super) exit_code: i32,
    pub(super) timed_out: bool,
    pub(super) duration_seconds: f64,
    pub(super) timestamp: Option<String>,
    pub(super) weakened: Vec<Weakening>,
}

/// The attempt that runs has ended.
pub(super) fn finish(state: &mut FixState, run: Run, error: Option<&FixError>, random: f64) -> Outcome {
    if state.status != Status::Running {
        return Err(match state.status {
            status if status.is_over() => over_message(state),
            status => format!("No attempt runs: the loop is {}. Start one first.", status.as_str()),
        });
    }
    let green = run.exit_code == 0;
    let attempt = attempt(state, run, error.filter(|_| !green));
    record(state, attempt);
    if !green {
        after_failure(state, random);
    } else if state.attempts.last().is_some_and(|attempt| !attempt.weakened.is_empty()) {
        decide_status(state, random);
    } else {
        state.status = Status::Success;
    }
    Ok(Vec::new())
}

fn attempt(state: &mut FixState, run: Run, error: Option<&FixError>) -> Attempt {
    let running = state.running.take().unwrap_or_default();
    let failed = run.exit_code != 0;
    let fix = state.pending_fix.as_ref().filter(|_| state.mode == Mode::Error);
    Attempt {
        number: state.current_attempt,
        timestamp: run.timestamp.or(running.timestamp).unwrap_or_else(|| state.started.clone()),
        exit_code: run.exit_code,
        // An error that nobody looked at is still one, and the same each time.
        error_hash: failed
            .then(|| error.map_or_else(|| format!("exit-{}", run.exit_code), |error| error.error_hash.clone())),
        fix_applied: fix.map(|fix| fix.description.clone()),
        duration_seconds: run.duration_seconds,
        error_type: failed.then(|| match error {
            _ if run.timed_out => "timeout".to_owned(),
            Some(error) => error.error_type.clone(),
            None => "unknown".to_owned(),
        }),
        error_class: failed.then(|| error.map_or_else(|| class_without_text(run.timed_out), |error| error.error_class)),
        class_because: error.map(|error| error.class_because.to_string()),
        category: error.map(|error| error.category),
        headline: error.map(|error| error.headline.clone()),
        location: error.and_then(|error| error.location.clone()),
        failing_tests: error.map(|error| error.failing_tests.clone()).unwrap_or_default(),
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

const fn class_without_text(timed_out: bool) -> ErrorClass {
    if timed_out { ErrorClass::Transient } else { ErrorClass::Fixable }
}

/// Puts the attempt into the state, and what it says about the fix before it.
fn record(state: &mut FixState, mut attempt: Attempt) {
    let failed = attempt.error_hash.is_some();
    let had_fix = state.pending_fix.take().is_some();
    if failed && had_fix {
        let before = state.attempts.last().and_then(|before| before.error_hash.as_ref());
        let why = if before == attempt.error_hash.as_ref() { "still fails with" } else { "now fails with" };
        let why = Some(format!("{why} {}", describe_attempt(&attempt)));
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
    state.current_attempt = state.attempts_made().saturating_add(u32::from(failed)).min(state.max_attempts);
}
