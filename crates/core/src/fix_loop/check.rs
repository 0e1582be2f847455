//! Validates a state that was read from a file: each value, and whether the values fit together.

use super::{
    begin::{MAX_ATTEMPTS, MAX_COMMAND_BYTES, MAX_DESCRIPTION_BYTES, MAX_TIMEOUT_SECONDS, compute_loop_id},
    retry::{backoff::compute_delay, circuit::CircuitState},
    state::{Attempt, EscalationReason, FixState, Mode, STATE_VERSION, Status},
};

/// Maximum size of the notes of the host, in bytes.
const MAX_NOTES_BYTES: usize = 256 * 1024;
/// Maximum size of an error text, in bytes. It is larger than a description, because an error text has its own bound.
const MAX_ERROR_BYTES: usize = crate::text::bound::MAX_TEXT_BYTES + 1024;

/// The reason why a state was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateProblem {
    /// A newer program wrote the state.
    #[error("it has version {0}, but this program supports versions up to {STATE_VERSION}")]
    NewerVersion(u32),
    /// The state belongs to another command.
    #[error("it belongs to another command ({0})")]
    DifferentCommand(String),
    /// Values are out of range or do not fit together.
    #[error("{0}")]
    Damaged(String),
}

type CheckResult = Result<(), StateProblem>;

/// Checks every property that [`super::advance`] relies on.
///
/// Fails with the first problem in the state.
pub fn validate_state(state: &FixState) -> CheckResult {
    match state.version {
        STATE_VERSION => {}
        version if version > STATE_VERSION => return Err(StateProblem::NewerVersion(version)),
        version => return report_damage(format!("version {version} does not exist")),
    }
    check_identity(state)?;
    check_texts(state)?;
    check_numbers(state)?;
    check_attempts(state)?;
    check_circuit(state)?;
    check_status(state)
}

fn report_damage(text: impl Into<String>) -> CheckResult {
    Err(StateProblem::Damaged(text.into()))
}

fn ensure(holds: bool, otherwise: &str) -> CheckResult {
    if holds { Ok(()) } else { report_damage(otherwise) }
}

fn check_identity(state: &FixState) -> CheckResult {
    let hex = state.command_hash.len() == 8 && state.command_hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    ensure(hex, "command_hash is not eight hex digits")?;
    match (&state.command, state.mode) {
        (Some(command), Mode::Command) if compute_loop_id(command) != state.command_hash => {
            Err(StateProblem::DifferentCommand(command.chars().take(80).collect()))
        }
        (Some(_), Mode::Command) => Ok(()),
        (None, Mode::Command) => report_damage("the command is missing"),
        (_, Mode::Error) => ensure(state.error.is_some() && state.first_error.is_some(), "the error is missing"),
    }
}

fn check_texts(state: &FixState) -> CheckResult {
    let short = |text: &Option<String>, most: usize| text.as_ref().is_none_or(|text| text.len() <= most);
    ensure(short(&state.command, MAX_COMMAND_BYTES), "the command is too long")?;
    ensure(short(&state.error, MAX_ERROR_BYTES), "the error is too long")?;
    let said = [&state.human_note, &state.stated_reason, &state.verified_by];
    ensure(said.into_iter().all(|text| short(text, MAX_DESCRIPTION_BYTES)), "a note or reason is too long")?;
    let texts = [&state.test, &state.namespace, &state.inputs, &state.inputs_digest];
    ensure(texts.into_iter().all(|text| short(text, MAX_DESCRIPTION_BYTES)), "an option is too long")?;
    ensure(
        !state.desired.trim().is_empty() && state.desired.len() <= MAX_DESCRIPTION_BYTES,
        "desired is empty or too long",
    )?;
    ensure(!state.started.is_empty() && state.started.len() <= 64, "the start time is empty or too long")?;
    ensure(state.host.text_bytes() <= MAX_NOTES_BYTES, "the host's notes are too long")
}

fn check_numbers(state: &FixState) -> CheckResult {
    let most = if state.mode == Mode::Error { 3 } else { MAX_ATTEMPTS };
    ensure((1..=most).contains(&state.max_attempts), "max_attempts is out of range")?;
    ensure((1..=MAX_ATTEMPTS).contains(&state.circuit_breaker.threshold), "the circuit's threshold is out of range")?;
    ensure((1..=MAX_TIMEOUT_SECONDS).contains(&state.timeout_seconds), "timeout_seconds is out of range")?;
    let delays = [state.initial_backoff_seconds, state.backoff_seconds, state.delay_seconds];
    let range = 0.0..=super::MAX_DELAY_SECONDS;
    ensure(delays.iter().all(|delay| range.contains(delay)), "a delay is out of range")?;
    ensure(state.interruptions <= 1000, "interruptions is out of range")
}

fn check_attempts(state: &FixState) -> CheckResult {
    let made = state.attempt_count();
    ensure(made <= state.max_attempts, "it has more attempts than allowed")?;
    let numbered = (1..).zip(&state.attempts).all(|(number, attempt): (u32, &Attempt)| attempt.number == number);
    ensure(numbered, "the attempts are not numbered in order")?;
    let timed = state.attempts.iter().all(|attempt| (0.0..=f64::from(u32::MAX)).contains(&attempt.duration_seconds));
    ensure(timed, "a duration is out of range")?;
    let judged = state.attempts.iter().all(|attempt| attempt.exit_code == 0 || attempt.error_hash.is_some());
    ensure(judged, "a failed attempt has no error")?;
    let before = state.attempts.split_last().map_or(&[][..], |(_, before)| before);
    ensure(before.iter().all(|attempt| attempt.error_hash.is_some()), "an attempt follows a green attempt")?;
    let green = state.attempts.last().is_some_and(|attempt| attempt.error_hash.is_none());
    let due = made.saturating_add(u32::from(!green)).min(state.max_attempts);
    ensure(state.current_attempt == due, "current_attempt does not fit the attempts")
}

fn check_circuit(state: &FixState) -> CheckResult {
    let circuit = &state.circuit_breaker;
    let failed = state.attempts.iter().rev().filter_map(|attempt| attempt.error_hash.as_ref());
    let counted = circuit.error_hashes.iter().rev();
    let last = circuit.error_hashes.len() <= state.attempts.len() && failed.zip(counted).all(|(a, b)| a == b);
    ensure(last, "the circuit's errors differ from the errors of the last attempts")?;
    let closed = circuit.state == CircuitState::Closed;
    ensure(
        !(closed && circuit.has_repeated_error()),
        "the circuit is closed although the same error occurred too often",
    )?;
    let given_up = state.escalation == Some(EscalationReason::CircuitBreakerOpened);
    ensure(closed != given_up, "the circuit's state does not match the reason why the loop ended")?;
    let opened = state.status == Status::Escalated && !state.attempts.is_empty();
    ensure(closed || opened, "the circuit is open but the loop continues")
}

fn check_status(state: &FixState) -> CheckResult {
    let made = state.attempt_count();
    let status = if state.status == Status::Cancelled { state.cancelled_from } else { Some(state.status) };
    let Some(status) = status else { return report_damage("the status before the cancellation is missing") };
    let green = state.attempts.last().is_some_and(|attempt| attempt.error_hash.is_none());
    match status {
        Status::Ready | Status::Running | Status::Waiting | Status::NeedsFix | Status::NeedsInputs => {
            ensure(made < state.max_attempts && !green, "the loop continues after its end")?;
        }
        Status::Unverified => {
            let possible = state.mode == Mode::Error && state.pending_fix.is_some() && made < state.max_attempts;
            ensure(possible && !green, "there is no fix to verify")?;
        }
        Status::Success | Status::Suspicious => ensure(green, "the last attempt of a successful loop failed")?,
        Status::Escalated => {}
        Status::Cancelled => return report_damage("the loop was cancelled twice"),
    }
    let given_up = matches!(status, Status::Suspicious | Status::Escalated);
    ensure(given_up == state.escalation.is_some(), "the status and the reason for the end do not match")?;
    let asks = state.attempts.last().is_some_and(|attempt| attempt.waiting_for_input);
    ensure(status != Status::NeedsInputs || asks, "it waits for inputs, but no prompt asked for them")?;
    ensure(status != Status::Waiting || has_scheduled_attempt(state), "it waits, but no attempt is scheduled")?;
    check_change(state, status)
}

fn has_scheduled_attempt(state: &FixState) -> bool {
    let full = compute_delay(state.initial_backoff_seconds, state.attempt_count());
    let due = if state.jitter { 0.0..=full } else { full..=full };
    due.contains(&state.delay_seconds)
}

/// Refuses a state that would run the command again without a change, because editing the state file must not bypass
/// that rule.
fn check_change(state: &FixState, status: Status) -> CheckResult {
    let Some(last) = state.attempts.last() else { return Ok(()) };
    // A loop that was interrupted too often was about to run, so it needs no change.
    let runs = matches!(status, Status::Ready | Status::Running | Status::Waiting)
        || state.escalation == Some(EscalationReason::InterruptedTooOften);
    let free = last.error_class == Some(super::ErrorClass::Transient) || last.waiting_for_input;
    ensure(!runs || free || state.pending_fix.is_some(), "the loop would run again without a change")
}
