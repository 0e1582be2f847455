//! Applies events to a loop. Only this module changes a state. `check` has validated the state, and the host runs
//! commands, waits and draws random numbers.
//!
//! Invariants: a loop makes no more attempts than allowed; it makes no attempt without a change, except after a
//! transient error; it tries no fix twice; an open circuit accepts only a reset.

mod change;
mod human;
mod record;
pub(super) mod transitions;

use super::{
    decide::{self, describe_attempt},
    error::TIMEOUT_EXIT_CODE,
    event::{Advanced, Event, Warning, WarningKind},
    retry::{approach, backoff, stagnation},
    state::{AppliedFix, EscalationReason, FixState, Running, Status},
};
use record::Run;
use transitions::{Outcome, before_run, decide_status, escalate, non_blank, over_message};

/// Maximum number of interruptions of one attempt. After that, the attempt itself probably ends the host.
const MAX_INTERRUPTIONS: u32 = 3;

/// Applies an event and returns the next state. `random`, in [0, 1), is used for the jitter of a delay. A refused event
/// leaves the state unchanged.
pub fn advance(state: &FixState, event: &Event, random: f64) -> Advanced {
    let mut next = state.clone();
    match apply(&mut next, event, random) {
        Ok(mut warnings) => {
            warnings.extend(stagnation::warnings(&next));
            Advanced { decision: decide::decision(&next), state: next, warnings }
        }
        Err(reason) => Advanced {
            decision: decide::refused_decision(state, reason),
            state: state.clone(),
            warnings: stagnation::warnings(state),
        },
    }
}

fn apply(state: &mut FixState, event: &Event, random: f64) -> Outcome {
    if state.is_open() && !matches!(event, Event::CircuitReset) {
        return Err(format!(
            "The circuit is open: the same error came too often. Look at {}, then reset the circuit.",
            state.last_failed().map_or_else(|| "the last error".to_owned(), describe_attempt)
        ));
    }
    match event {
        Event::AttemptStarted { timestamp, snapshot } => {
            let running = Running { timestamp: timestamp.clone(), snapshot: snapshot.clone() };
            start(state, running)
        }
        Event::AttemptFinished { exit_code, timed_out, duration_seconds, error, timestamp, weakened, ran } => {
            let run = Run {
                exit_code: if *timed_out { TIMEOUT_EXIT_CODE } else { *exit_code },
                timed_out: *timed_out,
                duration_seconds: duration(*duration_seconds),
                timestamp: timestamp.clone(),
                weakened: weakened.clone(),
                ran: ran.clone(),
            };
            record::finish(state, run, error.as_deref(), random)
        }
        Event::FixDeclared { description, digest, files, outside, approach } => {
            let fix = AppliedFix {
                description: description.trim().to_owned(),
                digest: non_blank(digest.as_ref()),
                files: files.clone(),
                outside: non_blank(outside.as_ref()),
                approach: approach.unwrap_or_else(|| approach::approach_after(state.fixes())),
            };
            change::declare(state, fix, random)
        }
        Event::FixVerified { how, timestamp, weakened } => {
            human::verify(state, how, timestamp.clone(), weakened.clone(), random)
        }
        Event::NoChangeMade if state.status == Status::NeedsFix => {
            escalate(state, EscalationReason::NoChangeMade);
            Ok(Vec::new())
        }
        Event::NoChangeMade => Err(format!("No change is due: the loop is {}.", state.status.as_str())),
        Event::Waited => wait_over(state),
        Event::InputsProvided { digest, inputs } => {
            change::provide_inputs(state, non_blank(digest.as_ref()), inputs.clone(), random)
        }
        Event::CircuitReset => reset(state, random),
        Event::HumanDecided { verdict, note, timestamp } => {
            state.human_note.clone_from(note);
            human::apply_verdict(state, *verdict, timestamp.clone(), random)
        }
        Event::Cancelled => cancel(state),
        Event::Resumed => Ok(resume(state)),
    }
}

fn duration(seconds: f64) -> f64 {
    let bounded = if seconds.is_finite() { seconds.clamp(0.0, f64::from(u32::MAX)) } else { 0.0 };
    backoff::in_milliseconds(bounded)
}

fn start(state: &mut FixState, running: Running) -> Outcome {
    match state.status {
        Status::Ready | Status::Unverified => {
            state.status = Status::Running;
            state.running = Some(running);
            Ok(Vec::new())
        }
        Status::Running => Err(format!(
            "Attempt {} runs already. Tell how it ended, or resume the loop if it was cut off.",
            state.current_attempt
        )),
        Status::NeedsFix => {
            Err("Nothing was changed since the last attempt. Apply a fix and declare it first.".to_owned())
        }
        Status::Waiting => Err("The backoff is not over. Wait first.".to_owned()),
        Status::NeedsInputs => Err("The command waits for an answer. Provide its inputs first.".to_owned()),
        _ => Err(over_message(state)),
    }
}

fn wait_over(state: &mut FixState) -> Outcome {
    if state.status != Status::Waiting {
        return Err(format!("Nothing is to be waited for: the loop is {}.", state.status.as_str()));
    }
    state.status = Status::Ready;
    state.delay_seconds = 0.0;
    Ok(Vec::new())
}

fn reset(state: &mut FixState, random: f64) -> Outcome {
    if !state.is_open() {
        return Err("The circuit is closed; there is nothing to reset.".to_owned());
    }
    state.circuit_breaker.reset();
    state.escalation = None;
    decide_status(state, random);
    Ok(Vec::new())
}

fn cancel(state: &mut FixState) -> Outcome {
    if state.status.is_over() {
        return Err(over_message(state));
    }
    // A run that was cancelled on purpose is repeated with the same number.
    let from = if state.status == Status::Running { before_run(state) } else { state.status };
    state.running = None;
    state.cancelled_from = Some(from);
    state.status = Status::Cancelled;
    Ok(Vec::new())
}

fn resume(state: &mut FixState) -> Vec<Warning> {
    match state.status {
        Status::Cancelled => {
            state.status = state.cancelled_from.take().unwrap_or(Status::Ready);
            Vec::new()
        }
        Status::Running => vec![interrupted(state)],
        Status::Escalated if state.escalation == Some(EscalationReason::NoChangeMade) => {
            state.escalation = None;
            state.status = Status::NeedsFix;
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Repeats an attempt whose process is gone, up to [`MAX_INTERRUPTIONS`] times.
fn interrupted(state: &mut FixState) -> Warning {
    state.running = None;
    state.interruptions = state.interruptions.saturating_add(1);
    let next = if state.interruptions >= MAX_INTERRUPTIONS {
        escalate(state, EscalationReason::InterruptedTooOften);
        "."
    } else {
        state.status = before_run(state);
        "; it is made again."
    };
    let text = format!("Attempt {} was cut off before it ended{next}", state.current_attempt);
    Warning { kind: WarningKind::Interrupted, text }
}
