//! Computes the status of a loop after an event. `machine` handles the events.

use crate::fix_loop::{
    error::ErrorClass,
    event::Warning,
    retry::{backoff, circuit::CircuitState, stagnation},
    state::{EscalationReason, FixState, Mode, Status},
};

/// Result of an event: warnings, or the reason why the event was refused.
pub(super) type Outcome = Result<Vec<Warning>, String>;

/// The trimmed text, if it is not blank.
pub(super) fn non_blank(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

/// The reason why an event is refused after the end of the loop.
pub(super) fn over_message(state: &FixState) -> String {
    let next = match state.status {
        Status::Cancelled => "Resume it first.",
        Status::Suspicious => "Restore the tests and say so, or state why an expectation changed.",
        Status::Escalated => "A human has to decide.",
        _ => "Begin a new one.",
    };
    format!("The loop is over: {}. {next}", state.status.as_str())
}

/// Counts the error of the last attempt and updates the status.
pub(super) fn after_failure(state: &mut FixState, random: f64) {
    if let Some(hash) = state.attempts.last().and_then(|attempt| attempt.error_hash.clone()) {
        state.circuit_breaker.push(hash);
    }
    if state.strict_progress && !stagnation::warnings(state).is_empty() {
        state.circuit_breaker.state = CircuitState::Open;
    }
    if state.is_open() {
        escalate(state, EscalationReason::CircuitBreakerOpened);
    } else {
        decide_status(state, random);
    }
}

/// Sets the status after the last attempt while the circuit is closed.
pub(super) fn decide_status(state: &mut FixState, random: f64) {
    let Some(last) = state.attempts.last() else {
        state.status = Status::NeedsFix;
        return;
    };
    let (class, asks, green) = (last.error_class, last.waiting_for_input, last.error_hash.is_none());
    if green {
        escalate(state, EscalationReason::SuspiciousSuccess);
        state.status = Status::Suspicious;
        return;
    }
    backoff::schedule(state, random);
    if class == Some(ErrorClass::Permanent) {
        escalate(state, EscalationReason::PermanentError);
    } else if state.attempts_made() >= state.max_attempts {
        escalate(state, EscalationReason::MaxAttemptsReached);
    } else if asks {
        state.status = Status::NeedsInputs;
    } else if class == Some(ErrorClass::Transient) {
        state.status = Status::Waiting;
    } else {
        state.status = Status::NeedsFix;
    }
}

pub(in crate::fix_loop) fn escalate(state: &mut FixState, reason: EscalationReason) {
    state.status = Status::Escalated;
    state.escalation = Some(reason);
}

/// Schedules the next attempt after a change.
pub(super) fn schedule_next(state: &mut FixState, random: f64) {
    if before_run(state) == Status::Unverified {
        state.status = Status::Unverified;
        return;
    }
    if state.attempts.is_empty() {
        state.delay_seconds = 0.0;
        state.status = Status::Ready;
        return;
    }
    if matches!(state.status, Status::NeedsFix | Status::NeedsInputs) {
        backoff::schedule(state, random);
        state.status = Status::Waiting;
    }
}

/// Status before an attempt. Without a verification command, a person has to verify the pending fix.
pub(super) fn before_run(state: &FixState) -> Status {
    let unverified = state.mode == Mode::Error && state.test.is_none() && state.pending_fix.is_some();
    if unverified { Status::Unverified } else { Status::Ready }
}
