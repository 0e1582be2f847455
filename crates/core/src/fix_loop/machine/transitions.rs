//! Computes the status of a loop after an event. `machine` handles the events.

use crate::fix_loop::{
    error::ErrorClass,
    event::Warning,
    retry::{backoff, circuit::CircuitState, stagnation},
    state::{EscalationReason, FixState, Mode, Status},
};

/// The result of an event: warnings, or the reason why the event was refused.
pub(super) type EventResult = Result<Vec<Warning>, String>;

/// Returns the trimmed text, or `None` if the text is blank.
pub(super) fn trimmed_unless_blank(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

/// Returns the reason why no event is allowed after the end of the loop.
pub(super) fn describe_ended_loop(state: &FixState) -> String {
    let next = match state.status {
        Status::Cancelled => "Resume it first.",
        Status::Suspicious => "Restore the tests and declare that, or explain why an expectation changed.",
        Status::Escalated => "A human must decide.",
        _ => "Start a new loop.",
    };
    format!("The loop is over: {}. {next}", state.status.as_str())
}

/// Counts the error of the last attempt and updates the status.
pub(super) fn update_after_failure(state: &mut FixState, random: f64) {
    if let Some(hash) = state.attempts.last().and_then(|attempt| attempt.error_hash.clone()) {
        state.circuit_breaker.record_error(hash);
    }
    if state.strict_progress && !stagnation::find_progress_warnings(state).is_empty() {
        state.circuit_breaker.state = CircuitState::Open;
    }
    if state.is_circuit_open() {
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
    backoff::schedule_delay(state, random);
    if class == Some(ErrorClass::Permanent) {
        escalate(state, EscalationReason::PermanentError);
    } else if state.attempt_count() >= state.max_attempts {
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
pub(super) fn schedule_next_attempt(state: &mut FixState, random: f64) {
    if status_before_run(state) == Status::Unverified {
        state.status = Status::Unverified;
        return;
    }
    if state.attempts.is_empty() {
        state.delay_seconds = 0.0;
        state.status = Status::Ready;
        return;
    }
    if matches!(state.status, Status::NeedsFix | Status::NeedsInputs) {
        backoff::schedule_delay(state, random);
        state.status = Status::Waiting;
    }
}

/// Returns the status before an attempt. Without a verification command, a person has to verify the pending fix.
pub(super) fn status_before_run(state: &FixState) -> Status {
    let unverified = state.mode == Mode::Error && state.test.is_none() && state.pending_fix.is_some();
    if unverified { Status::Unverified } else { Status::Ready }
}
