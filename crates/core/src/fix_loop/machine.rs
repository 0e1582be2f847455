//! Applies events to the state of a loop. Only this module changes a state, and it relies on `check`, which has
//! validated the state. The host runs commands, waits and draws random numbers.
//!
//! Invariants: a loop makes no more attempts than allowed; it makes no attempt without a change, except after a
//! transient error; it tries no fix twice; an open circuit accepts only a reset.

mod attempt_record;
mod change;
mod human_decisions;
pub(super) mod transitions;

use super::{
    decide::{self, describe_error_of_attempt},
    error::TIMEOUT_EXIT_CODE,
    event::{AdvanceResult, Event, Warning, WarningKind},
    retry::{approach, backoff, stagnation},
    state::{AppliedFix, EscalationReason, FixState, RunningAttempt, Status},
};
use attempt_record::FinishedRun;
use transitions::{EventResult, decide_status, describe_ended_loop, escalate, status_before_run, trimmed_unless_blank};

/// Maximum number of interruptions of an attempt. If there are more, the command itself probably ends the host.
const MAX_INTERRUPTIONS: u32 = 3;

/// Applies an event and returns the next state. `random`, in [0, 1), is used for the jitter of a delay. A refused event
/// leaves the state unchanged.
pub fn advance(state: &FixState, event: &Event, random: f64) -> AdvanceResult {
    let mut next = state.clone();
    match apply_event(&mut next, event, random) {
        Ok(mut warnings) => {
            warnings.extend(stagnation::find_progress_warnings(&next));
            AdvanceResult { decision: decide::decide(&next), state: next, warnings }
        }
        Err(reason) => AdvanceResult {
            decision: decide::refuse(state, reason),
            state: state.clone(),
            warnings: stagnation::find_progress_warnings(state),
        },
    }
}

fn apply_event(state: &mut FixState, event: &Event, random: f64) -> EventResult {
    if state.is_circuit_open() && !matches!(event, Event::CircuitReset) {
        return Err(format!(
            "The circuit is open, because the same error occurred too often. Look at {}, then reset the circuit.",
            state.last_attempt_if_failed().map_or_else(|| "the last error".to_owned(), describe_error_of_attempt)
        ));
    }
    match event {
        Event::AttemptStarted { timestamp, snapshot } => {
            let running = RunningAttempt { timestamp: timestamp.clone(), snapshot: snapshot.clone() };
            start_attempt(state, running)
        }
        Event::AttemptFinished { exit_code, timed_out, duration_seconds, error, timestamp, weakened, ran } => {
            let run = FinishedRun {
                exit_code: if *timed_out { TIMEOUT_EXIT_CODE } else { *exit_code },
                timed_out: *timed_out,
                duration_seconds: bound_duration(*duration_seconds),
                timestamp: timestamp.clone(),
                weakened: weakened.clone(),
                ran: ran.clone(),
            };
            attempt_record::finish_attempt(state, run, error.as_deref(), random)
        }
        Event::FixDeclared { description, digest, files, outside, approach } => {
            let fix = AppliedFix {
                description: description.trim().to_owned(),
                digest: trimmed_unless_blank(digest.as_ref()),
                files: files.clone(),
                outside: trimmed_unless_blank(outside.as_ref()),
                approach: approach.unwrap_or_else(|| approach::approach_after(state.fix_count())),
            };
            change::declare_fix(state, fix, random)
        }
        Event::FixVerified { how, timestamp, weakened } => {
            human_decisions::verify_fix(state, how, timestamp.clone(), weakened.clone(), random)
        }
        Event::NoChangeMade if state.status == Status::NeedsFix => {
            escalate(state, EscalationReason::NoChangeMade);
            Ok(Vec::new())
        }
        Event::NoChangeMade => Err(format!("The loop does not wait for a change: it is {}.", state.status.as_str())),
        Event::Waited => end_wait(state),
        Event::InputsProvided { digest, inputs } => {
            change::provide_inputs(state, trimmed_unless_blank(digest.as_ref()), inputs.clone(), random)
        }
        Event::CircuitReset => reset_circuit(state, random),
        Event::HumanDecided { verdict, note, timestamp } => {
            state.human_note.clone_from(note);
            human_decisions::apply_verdict(state, *verdict, timestamp.clone(), random)
        }
        Event::Cancelled => cancel_loop(state),
        Event::Resumed => Ok(resume_loop(state)),
    }
}

fn bound_duration(seconds: f64) -> f64 {
    let bounded = if seconds.is_finite() { seconds.clamp(0.0, f64::from(u32::MAX)) } else { 0.0 };
    backoff::round_to_milliseconds(bounded)
}

fn start_attempt(state: &mut FixState, running: RunningAttempt) -> EventResult {
    match state.status {
        Status::Ready | Status::Unverified => {
            state.status = Status::Running;
            state.running = Some(running);
            Ok(Vec::new())
        }
        Status::Running => Err(format!(
            "Attempt {} is already running. Report its result, or resume the loop if it was cut off.",
            state.current_attempt
        )),
        Status::NeedsFix => {
            Err("Nothing was changed since the last attempt. Apply a fix and declare it first.".to_owned())
        }
        Status::Waiting => Err("The delay is not over. Wait first.".to_owned()),
        Status::NeedsInputs => Err("The command waits for input. Provide its inputs first.".to_owned()),
        _ => Err(describe_ended_loop(state)),
    }
}

fn end_wait(state: &mut FixState) -> EventResult {
    if state.status != Status::Waiting {
        return Err(format!("The loop does not wait: it is {}.", state.status.as_str()));
    }
    state.status = Status::Ready;
    state.delay_seconds = 0.0;
    Ok(Vec::new())
}

fn reset_circuit(state: &mut FixState, random: f64) -> EventResult {
    if !state.is_circuit_open() {
        return Err("The circuit is already closed.".to_owned());
    }
    state.circuit_breaker.reset();
    state.escalation = None;
    decide_status(state, random);
    Ok(Vec::new())
}

fn cancel_loop(state: &mut FixState) -> EventResult {
    if state.status.has_ended() {
        return Err(describe_ended_loop(state));
    }
    // A cancelled attempt does not count: when the loop resumes, it repeats the attempt with the same number.
    let from = if state.status == Status::Running { status_before_run(state) } else { state.status };
    state.running = None;
    state.cancelled_from = Some(from);
    state.status = Status::Cancelled;
    Ok(Vec::new())
}

fn resume_loop(state: &mut FixState) -> Vec<Warning> {
    match state.status {
        Status::Cancelled => {
            state.status = state.cancelled_from.take().unwrap_or(Status::Ready);
            Vec::new()
        }
        Status::Running => vec![repeat_interrupted_attempt(state)],
        Status::Escalated if state.escalation == Some(EscalationReason::NoChangeMade) => {
            state.escalation = None;
            state.status = Status::NeedsFix;
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Repeats an attempt whose process is gone, up to [`MAX_INTERRUPTIONS`] times.
fn repeat_interrupted_attempt(state: &mut FixState) -> Warning {
    state.running = None;
    state.interruptions = state.interruptions.saturating_add(1);
    let next = if state.interruptions >= MAX_INTERRUPTIONS {
        escalate(state, EscalationReason::InterruptedTooOften);
        "."
    } else {
        state.status = status_before_run(state);
        "; it is repeated."
    };
    let text = format!("Attempt {} was cut off before it ended{next}", state.current_attempt);
    Warning { kind: WarningKind::Interrupted, text }
}
