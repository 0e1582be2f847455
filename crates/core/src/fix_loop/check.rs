//! Validates a state from a file: each value, and whether the values are consistent.

use super::{
    begin::{MAX_ATTEMPTS, MAX_COMMAND_BYTES, MAX_DESCRIPTION_BYTES, MAX_TIMEOUT_SECONDS, command_hash},
    retry::{backoff::delay, circuit::CircuitState},
    state::{Attempt, EscalationReason, FixState, Mode, STATE_VERSION, Status},
};

/// Maximum size of the notes of the host, in bytes.
const MAX_NOTES_BYTES: usize = 256 * 1024;
/// Maximum size of an error text, in bytes. It is larger than a description, because an error text has its own bound.
const MAX_ERROR_BYTES: usize = crate::text::bound::MAX_TEXT_BYTES + 1024;

/// The reason why a state is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateProblem {
    /// A newer program wrote the state.
    #[error("it has version {0}, and this program knows up to {STATE_VERSION}")]
    Newer(u32),
    /// The state belongs to another command.
    #[error("it belongs to another command ({0})")]
    Another(String),
    /// Values are out of range or inconsistent.
    #[error("{0}")]
    Damaged(String),
}

type Checked = Result<(), StateProblem>;

/// Checks every property that [`super::advance`] relies on.
///
/// Fails with the first problem that it finds.
pub fn check(state: &FixState) -> Checked {
    match state.version {
        STATE_VERSION => {}
        version if version > STATE_VERSION => return Err(StateProblem::Newer(version)),
        version => return damaged_state(format!("version {version} never was")),
    }
    check_identity(state)?;
    check_texts(state)?;
    check_numbers(state)?;
    check_attempts(state)?;
    check_circuit(state)?;
    check_status(state)
}

fn damaged_state(text: impl Into<String>) -> Checked {
    Err(StateProblem::Damaged(text.into()))
}

fn ensure(holds: bool, otherwise: &str) -> Checked {
    if holds { Ok(()) } else { damaged_state(otherwise) }
}

fn check_identity(state: &FixState) -> Checked {
    let hex = state.command_hash.len() == 8 && state.command_hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    ensure(hex, "command_hash is not eight hex digits")?;
    match (&state.command, state.mode) {
        (Some(command), Mode::Command) if command_hash(command) != state.command_hash => {
            Err(StateProblem::Another(command.chars().take(80).collect()))
        }
        (Some(_), Mode::Command) => Ok(()),
        (None, Mode::Command) => damaged_state("there is no command"),
        (_, Mode::Error) => ensure(state.error.is_some() && state.first_error.is_some(), "there is no error"),
    }
}

fn check_texts(state: &FixState) -> Checked {
    let short = |text: &Option<String>, most: usize| text.as_ref().is_none_or(|text| text.len() <= most);
    ensure(short(&state.command, MAX_COMMAND_BYTES), "the command is too long")?;
    ensure(short(&state.error, MAX_ERROR_BYTES), "the error is too long")?;
    let said = [&state.human_note, &state.stated_reason, &state.verified_by];
    ensure(said.into_iter().all(|text| short(text, MAX_DESCRIPTION_BYTES)), "a text is too long")?;
    let texts = [&state.test, &state.namespace, &state.inputs, &state.inputs_digest];
    ensure(texts.into_iter().all(|text| short(text, MAX_DESCRIPTION_BYTES)), "a text is too long")?;
    ensure(
        !state.desired.trim().is_empty() && state.desired.len() <= MAX_DESCRIPTION_BYTES,
        "desired is empty or too long",
    )?;
    ensure(!state.started.is_empty() && state.started.len() <= 64, "started is no time")?;
    ensure(state.host.len() <= MAX_NOTES_BYTES, "the host's notes are too long")
}

fn check_numbers(state: &FixState) -> Checked {
    let most = if state.mode == Mode::Error { 3 } else { MAX_ATTEMPTS };
    ensure((1..=most).contains(&state.max_attempts), "max_attempts is out of range")?;
    ensure((1..=MAX_ATTEMPTS).contains(&state.circuit_breaker.threshold), "the circuit's threshold is out of range")?;
    ensure((1..=MAX_TIMEOUT_SECONDS).contains(&state.timeout_seconds), "timeout_seconds is out of range")?;
    let delays = [state.initial_backoff_seconds, state.backoff_seconds, state.delay_seconds];
    let range = 0.0..=super::MAX_DELAY_SECONDS;
    ensure(delays.iter().all(|delay| range.contains(delay)), "a delay is out of range")?;
    ensure(state.interruptions <= 1000, "interruptions is out of range")
}

fn check_attempts(state: &FixState) -> Checked {
    let made = state.attempts_made();
    ensure(made <= state.max_attempts, "there are more attempts than allowed")?;
    let numbered = (1..).zip(&state.attempts).all(|(number, attempt): (u32, &Attempt)| attempt.number == number);
    ensure(numbered, "the attempts are not numbered in order")?;
    let timed = state.attempts.iter().all(|attempt| (0.0..=f64::from(u32::MAX)).contains(&attempt.duration_seconds));
    ensure(timed, "a duration is no number")?;
    let judged = state.attempts.iter().all(|attempt| attempt.exit_code == 0 || attempt.error_hash.is_some());
    ensure(judged, "a failed attempt has no error")?;
    let before = state.attempts.split_last().map_or(&[][..], |(_, before)| before);
    ensure(before.iter().all(|attempt| attempt.error_hash.is_some()), "an attempt follows a green one")?;
    let green = state.attempts.last().is_some_and(|attempt| attempt.error_hash.is_none());
    let due = made.saturating_add(u32::from(!green)).min(state.max_attempts);
    ensure(state.current_attempt == due, "current_attempt does not fit the attempts")
}

fn check_circuit(state: &FixState) -> Checked {
    let circuit = &state.circuit_breaker;
    let failed = state.attempts.iter().rev().filter_map(|attempt| attempt.error_hash.as_ref());
    let counted = circuit.error_hashes.iter().rev();
    let last = circuit.error_hashes.len() <= state.attempts.len() && failed.zip(counted).all(|(a, b)| a == b);
    ensure(last, "the circuit's errors are not those of the last attempts")?;
    let closed = circuit.state == CircuitState::Closed;
    ensure(!(closed && circuit.repeats()), "the circuit is closed although the same error came too often")?;
    let given_up = state.escalation == Some(EscalationReason::CircuitBreakerOpened);
    ensure(closed != given_up, "the circuit's state is not the one the loop was given up for")?;
    let opened = state.status == Status::Escalated && !state.attempts.is_empty();
    ensure(closed || opened, "the circuit is open and the loop goes on")
}

fn check_status(state: &FixState) -> Checked {
    let made = state.attempts_made();
    let status = if state.status == Status::Cancelled { state.cancelled_from } else { Some(state.status) };
    let Some(status) = status else { return damaged_state("nobody knows where the cancelled loop stood") };
    let green = state.attempts.last().is_some_and(|attempt| attempt.error_hash.is_none());
    match status {
        Status::Ready | Status::Running | Status::Waiting | Status::NeedsFix | Status::NeedsInputs => {
            ensure(made < state.max_attempts && !green, "the loop goes on after its end")?;
        }
        Status::Unverified => {
            let possible = state.mode == Mode::Error && state.pending_fix.is_some() && made < state.max_attempts;
            ensure(possible && !green, "nothing is there to verify")?;
        }
        Status::Success | Status::Suspicious => ensure(green, "the last attempt of a loop that worked failed")?,
        Status::Escalated => {}
        Status::Cancelled => return damaged_state("a cancelled loop was cancelled"),
    }
    let given_up = matches!(status, Status::Suspicious | Status::Escalated);
    ensure(
        given_up == state.escalation.is_some(),
        "the loop was given up and there is no reason, or the other way round",
    )?;
    let asks = state.attempts.last().is_some_and(|attempt| attempt.waiting_for_input);
    ensure(status != Status::NeedsInputs || asks, "inputs are due and nothing asked for them")?;
    ensure(status != Status::Waiting || is_scheduled(state), "the delay is not the one that is due")?;
    check_change(state, status)
}

fn is_scheduled(state: &FixState) -> bool {
    let full = delay(state.initial_backoff_seconds, state.attempts_made());
    let due = if state.jitter { 0.0..=full } else { full..=full };
    due.contains(&state.delay_seconds)
}

/// Refuses a state that would run again without a change, because a state file must not bypass this rule.
fn check_change(state: &FixState, status: Status) -> Checked {
    let Some(last) = state.attempts.last() else { return Ok(()) };
    // A loop that was interrupted too often was about to run.
    let runs = matches!(status, Status::Ready | Status::Running | Status::Waiting)
        || state.escalation == Some(EscalationReason::InterruptedTooOften);
    let free = last.error_class == Some(super::ErrorClass::Transient) || last.waiting_for_input;
    ensure(!runs || free || state.pending_fix.is_some(), "the loop would run again although nothing was changed")
}
