//! Derives the allowed action and the reason for it from the state alone, so that a loop can continue after its process
//! was killed.

use super::{
    event::{Decision, DecisionType, LoopResult, Warning},
    retry::{approach, stagnation},
    state::{Attempt, EscalationReason, FixState, Mode, Status},
};

state_types! {
    /// The allowed action in a state, without applying an event.
    #[cfg_attr(feature = "types", ts(rename = "FixNextStep"))]
    pub struct NextStep {
        /// The allowed action.
        pub decision: Decision,
        /// Warnings about the progress of the loop.
        pub warnings: Vec<Warning>,
    }
}

/// Returns the allowed action and the warnings for this state.
pub fn next_step(state: &FixState) -> NextStep {
    NextStep { decision: decide(state), warnings: stagnation::find_progress_warnings(state) }
}

pub(super) fn decide(state: &FixState) -> Decision {
    let attempt = state.current_attempt;
    let (kind, reason) = match state.status {
        Status::Ready => (DecisionType::Run, ready_reason(state)),
        Status::Running => (DecisionType::Run, format!("Attempt {attempt} is running; report its result.")),
        Status::Waiting => (DecisionType::Wait, waiting_reason(state)),
        Status::NeedsFix => (DecisionType::ApplyFix, needs_fix_reason(state)),
        Status::NeedsInputs => (DecisionType::ProvideInputs, needs_inputs_reason(state)),
        Status::Unverified => (DecisionType::Escalate, UNVERIFIED_FIX_REASON.to_owned()),
        Status::Success => (DecisionType::Done, success_reason(state)),
        Status::Suspicious | Status::Escalated => (DecisionType::Escalate, escalation_reason(state)),
        Status::Cancelled => (DecisionType::Escalate, "The loop was cancelled. Resume it to continue.".to_owned()),
    };
    let approach = (kind == DecisionType::ApplyFix).then(|| approach::next_fix_step(state.fix_count()));
    let delay_seconds = if kind == DecisionType::Wait { state.delay_seconds } else { 0.0 };
    Decision {
        kind,
        reason,
        approach,
        delay_seconds,
        attempt,
        escalation: state.escalation,
        result: loop_result(state.status),
        is_over: is_over(state.status),
    }
}

const fn loop_result(status: Status) -> LoopResult {
    match status {
        Status::Success => LoopResult::Success,
        Status::Suspicious => LoopResult::Suspicious,
        Status::Escalated => LoopResult::Failed,
        Status::Unverified => LoopResult::Unverified,
        Status::Cancelled => LoopResult::Cancelled,
        Status::Ready | Status::Running | Status::NeedsFix | Status::Waiting | Status::NeedsInputs => {
            LoopResult::InProgress
        }
    }
}

/// Returns `true` if the loop has ended. A cancelled loop has not ended, because it can be resumed.
const fn is_over(status: Status) -> bool {
    matches!(status, Status::Success | Status::Suspicious | Status::Escalated | Status::Unverified)
}

pub(super) fn refuse(state: &FixState, reason: String) -> Decision {
    Decision { kind: DecisionType::Refused, reason, approach: None, ..decide(state) }
}

const UNVERIFIED_FIX_REASON: &str = "The fix cannot be verified without a verification command. Pass a command for the next \
     attempt, describe how the fix was verified, or let a human accept or reject it.";

fn ready_reason(state: &FixState) -> String {
    match (state.attempts.last(), state.mode) {
        (None, Mode::Error) => "Run the verification of the fix.".to_owned(),
        (None, Mode::Command) => "Run the command.".to_owned(),
        (Some(_), _) => format!("Run attempt {} of {}.", state.current_attempt, state.max_attempts),
    }
}

fn waiting_reason(state: &FixState) -> String {
    let why = if state.pending_fix.is_some() { "The fix is in place" } else { "The error may be temporary" };
    format!(
        "{why}: wait {} s, then run attempt {} of {}.",
        format_seconds(state.delay_seconds),
        state.current_attempt,
        state.max_attempts
    )
}

fn format_seconds(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    format!("{rounded}")
}

fn needs_fix_reason(state: &FixState) -> String {
    let step = approach::next_fix_step(state.fix_count());
    let failed = match (state.last_attempt_if_failed(), &state.first_error) {
        (Some(attempt), _) => format!("Attempt {} failed with {}.", attempt.number, describe_error_of_attempt(attempt)),
        (None, Some(error)) => format!("The error is {}.", type_and_headline(&error.error_type, &error.headline)),
        (None, None) => "The last attempt failed.".to_owned(),
    };
    format!("{failed} Make a change before it runs again: {}. {}", step.title, step.description)
}

fn needs_inputs_reason(state: &FixState) -> String {
    let said = state.last_attempt_if_failed().and_then(|attempt| attempt.headline.as_deref()).unwrap_or_default();
    // The prompt may be missing in the output, because `read -p` prints a prompt only to a terminal.
    let prompt = if said.is_empty() { " to a prompt that it did not print".to_owned() } else { format!(": {said}") };
    format!("The command waits for an answer{prompt}. Provide inputs for its prompts before it runs again.")
}

fn success_reason(state: &FixState) -> String {
    match state.attempt_count() {
        0 => "It works.".to_owned(),
        1 => "It works, after 1 attempt.".to_owned(),
        attempts => format!("It works, after {attempts} attempts."),
    }
}

fn escalation_reason(state: &FixState) -> String {
    let last = state.last_attempt_if_failed().map(describe_error_of_attempt);
    let last =
        last.or_else(|| state.first_error.as_ref().map(|error| type_and_headline(&error.error_type, &error.headline)));
    let last = last.unwrap_or_else(|| "an error".to_owned());
    match state.escalation {
        Some(EscalationReason::CircuitBreakerOpened) => circuit_reason(state, &last),
        Some(EscalationReason::MaxAttemptsReached) => {
            format!("All {} attempts are used; the last attempt failed with {last}.", state.max_attempts)
        }
        Some(EscalationReason::PermanentError) => {
            format!("Neither a code change nor another attempt fixes {last}. A human must look at it.")
        }
        Some(EscalationReason::SuspiciousSuccess) => suspicious_reason(state),
        Some(EscalationReason::InterruptedTooOften) => format!(
            "Attempt {} was cut off {} times before it ended. Find out what stops it.",
            state.current_attempt, state.interruptions
        ),
        Some(EscalationReason::NoChangeMade) => {
            format!("Nothing was changed since the last error, {last}. Make a change, then resume.")
        }
        Some(EscalationReason::StoppedByHuman) | None => "A human stopped the loop.".to_owned(),
    }
}

fn circuit_reason(state: &FixState, last: &str) -> String {
    let circuit = &state.circuit_breaker;
    if circuit.has_repeated_error() {
        return format!("The same error occurred {} times in a row: {last}. The circuit is open.", circuit.threshold);
    }
    let said = stagnation::find_progress_warnings(state)
        .first()
        .map_or_else(String::new, |warning| format!("{} ", warning.text));
    format!("{said}The circuit is open, because strict progress is required; the last error is {last}.")
}

fn suspicious_reason(state: &FixState) -> String {
    let weaker = state.attempts.last().map_or(0, |attempt| attempt.weakened.len());
    format!(
        "It passes, but the tests were changed in {weaker} {}. Restore them and declare that as the next fix. If an \
         expectation was wrong, change nothing more and declare the reason. Only a person may accept it.",
        if weaker == 1 { "place" } else { "places" }
    )
}

/// Returns the error type and the headline of an attempt, for example `TypeError: x is not a function`.
pub(super) fn describe_error_of_attempt(attempt: &Attempt) -> String {
    type_and_headline(
        attempt.error_type.as_deref().unwrap_or("an unknown error"),
        attempt.headline.as_deref().unwrap_or_default(),
    )
}

pub(super) fn type_and_headline(error_type: &str, headline: &str) -> String {
    let headline = headline.trim().trim_end_matches('.');
    if headline.is_empty() {
        error_type.to_owned()
    } else if headline.contains(error_type) || error_type == "unknown" {
        headline.to_owned()
    } else {
        format!("{error_type}: {headline}")
    }
}
