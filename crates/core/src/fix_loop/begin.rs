//! Creates the state of a new loop from the options of the caller. Refuses numbers that are out of range. Replaces
//! missing numbers by defaults, which are stored in the state.

use super::{
    error::{ErrorClass, ErrorSummary, FixError},
    machine::transitions,
    retry::{backoff, circuit::Circuit},
    state::{EscalationReason, FixState, HostNotes, Mode, STATE_VERSION, Status},
};
use crate::identity::sign::sha256_hex;

/// The default values come from `docs/contract/fix-problem.md`.
const DEFAULT_TIMEOUT_SECONDS: f64 = 120.0;
const DEFAULT_MAX_ATTEMPTS: f64 = 5.0;
const DEFAULT_BACKOFF_SECONDS: f64 = 1.0;
const DEFAULT_CIRCUIT_THRESHOLD: f64 = 3.0;
/// One attempt for each approach: direct, defensive, alternative. After that, the loop escalates to a human.
const ERROR_MODE_MAX_ATTEMPTS: f64 = 3.0;

/// Maximum timeout: one week, because repeated runs cannot fix a command that takes longer.
pub(super) const MAX_TIMEOUT_SECONDS: u32 = 7 * 24 * 3600;
/// Maximum number of attempts. A higher number is probably a mistake in a script.
pub(super) const MAX_ATTEMPTS: u32 = 100;
/// Maximum length of a command, in bytes: the limit of Linux for one argument.
pub(super) const MAX_COMMAND_BYTES: usize = 128 * 1024;
/// Maximum length of a description, in bytes.
pub(super) const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;
/// Number of hex digits in the ID of a loop.
const ID_HEX_DIGITS: usize = 8;

state_types! {
    /// Options of the caller, with the names of the contract. Missing numbers get the contract's defaults.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixStart", optional_fields = nullable))]
    #[serde(default)]
    pub struct Start {
        /// Command to run, in command mode.
        pub command: Option<String>,
        /// Error to fix, in error mode.
        pub error: Option<String>,
        /// Command that verifies a fix, in error mode.
        pub test: Option<String>,
        /// Expected behavior, in words.
        pub desired: String,
        /// Start of the loop, ISO 8601.
        pub started: String,
        /// Maximum number of attempts, from 1 to 100. Default: 5. In error mode from 1 to 3, default 3.
        pub max_attempts: Option<f64>,
        /// Delay before the second attempt in seconds, from 0 to 60. Default: 1.
        #[serde(rename = "backoff")]
        pub backoff_seconds: Option<f64>,
        /// Number of equal errors in a row that opens the circuit, from 1 to 100. Default: 3.
        pub circuit_breaker: Option<f64>,
        /// Time limit of a run in seconds, from 1 to a week. Default: 120.
        #[serde(rename = "timeout")]
        pub timeout_seconds: Option<f64>,
        /// Kubernetes namespace to inspect.
        pub namespace: Option<String>,
        /// True to draw each delay randomly between 0 and the full delay.
        pub jitter: Option<bool>,
        /// True if oscillation and missing progress also open the circuit.
        pub strict_progress: Option<bool>,
        /// True to answer prompts from generated inputs.
        pub auto: Option<bool>,
        /// Path of the inputs file.
        pub inputs: Option<String>,
    }
}

/// A problem with the options, as a sentence that tells the caller what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StartProblem(pub String);

/// Creates the state of a new loop. `error` is the result of `understand` for `start.error`; None in command mode.
///
/// Fails if an option is missing, too long or out of range.
pub fn begin(start: &Start, error: Option<&FixError>) -> Result<FixState, StartProblem> {
    let mode = choose_mode(start)?;
    refuse_auto_inputs_in_error_mode(mode, start)?;
    let desired = check_required_text("desired", &start.desired, MAX_DESCRIPTION_BYTES)?;
    let started = check_required_text("started", &start.started, 64)?;
    let (most, attempts) = match mode {
        Mode::Command => (f64::from(MAX_ATTEMPTS), DEFAULT_MAX_ATTEMPTS),
        Mode::Error => (ERROR_MODE_MAX_ATTEMPTS, ERROR_MODE_MAX_ATTEMPTS),
    };
    let initial = backoff::round_to_milliseconds(check_range(
        "backoff",
        start.backoff_seconds,
        DEFAULT_BACKOFF_SECONDS,
        (0.0, super::MAX_DELAY_SECONDS),
    )?);
    let (command, first_error) =
        (start.command.clone().filter(|_| mode == Mode::Command), error.map(ErrorSummary::from_error));
    let identity = command.as_deref().or(error.map(|error| error.family_signature.as_str())).unwrap_or_default();
    let mut state = FixState {
        version: STATE_VERSION,
        status: Status::Ready,
        mode,
        command_hash: compute_loop_id(identity),
        command,
        desired,
        started,
        current_attempt: 1,
        max_attempts: check_whole_number("max_attempts", start.max_attempts, attempts, most)?,
        backoff_seconds: initial,
        circuit_breaker: Circuit::new(check_whole_number(
            "circuit_breaker",
            start.circuit_breaker,
            DEFAULT_CIRCUIT_THRESHOLD,
            f64::from(MAX_ATTEMPTS),
        )?),
        attempts: Vec::new(),
        error: error.map(|error| error.text.clone()),
        first_error,
        test: check_optional_text("test", start.test.as_ref())?,
        timeout_seconds: check_timeout(start.timeout_seconds)?,
        namespace: check_optional_text("namespace", start.namespace.as_ref())?,
        initial_backoff_seconds: initial,
        delay_seconds: 0.0,
        jitter: start.jitter.unwrap_or_default(),
        strict_progress: start.strict_progress.unwrap_or_default(),
        auto: start.auto.unwrap_or_default(),
        inputs: check_optional_text("inputs", start.inputs.as_ref())?,
        inputs_digest: None,
        running: None,
        pending_fix: None,
        interruptions: 0,
        escalation: None,
        cancelled_from: None,
        human_note: None,
        stated_reason: None,
        verified_by: None,
        host: HostNotes::default(),
    };
    if mode == Mode::Error {
        set_first_status(&mut state);
    }
    Ok(state)
}

/// Applies options that may change during a loop. The limits do not change.
///
/// Fails if an option is too long or out of range.
pub fn apply_options(state: &FixState, wanted: &Start) -> Result<FixState, StartProblem> {
    refuse_auto_inputs_in_error_mode(state.mode, wanted)?;
    let mut next = state.clone();
    if !wanted.desired.trim().is_empty() {
        next.desired = check_required_text("desired", &wanted.desired, MAX_DESCRIPTION_BYTES)?;
    }
    if let Some(seconds) = wanted.timeout_seconds {
        next.timeout_seconds = check_timeout(Some(seconds))?;
    }
    next.test = next.test.or(check_optional_text("test", wanted.test.as_ref())?);
    next.inputs = check_optional_text("inputs", wanted.inputs.as_ref())?.or(next.inputs);
    next.auto = wanted.auto.unwrap_or(next.auto);
    Ok(next)
}

/// Sets the first status of a loop that starts with an error.
fn set_first_status(state: &mut FixState) {
    let class = state.first_error.as_ref().map(|error| error.error_class);
    match class {
        Some(ErrorClass::Permanent) => transitions::escalate(state, EscalationReason::PermanentError),
        // A transient error may be gone already, so run the verification before any fix, after a delay.
        Some(ErrorClass::Transient) if state.test.is_some() => {
            state.delay_seconds = state.initial_backoff_seconds;
            state.status = Status::Waiting;
        }
        _ => state.status = Status::NeedsFix,
    }
}

/// Returns the ID of a loop: the first eight hex digits of the SHA-256 hash of `identity`.
pub fn compute_loop_id(identity: &str) -> String {
    let mut hash = sha256_hex(identity);
    hash.truncate(ID_HEX_DIGITS);
    hash
}

fn choose_mode(start: &Start) -> Result<Mode, StartProblem> {
    let non_blank = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
    let problem = |text: &str| Err(StartProblem(text.to_owned()));
    match (non_blank(&start.command), non_blank(&start.error)) {
        (true, true) => problem("Pass a command or an error, not both, because they start different loops."),
        (true, false) => {
            check_required_text("command", start.command.as_deref().unwrap_or_default(), MAX_COMMAND_BYTES)
                .map(|_| Mode::Command)
        }
        (false, true) => Ok(Mode::Error),
        (false, false) if start.command.is_some() => {
            problem("The command is empty. Pass the command that must succeed.")
        }
        (false, false) if start.error.is_some() => problem("The error is empty. Pass the error output to fix."),
        (false, false) => problem("Nothing to fix. Pass the error output, or a command that must succeed."),
    }
}

fn refuse_auto_inputs_in_error_mode(mode: Mode, start: &Start) -> Result<(), StartProblem> {
    if mode == Mode::Error && start.auto == Some(true) {
        let text = "auto answers the prompts of a command, but an error has no prompts. Omit auto, or pass a command.";
        return Err(StartProblem(text.to_owned()));
    }
    Ok(())
}

fn check_required_text(name: &str, text: &str, longest: usize) -> Result<String, StartProblem> {
    if text.trim().is_empty() {
        return Err(StartProblem(format!("{name} is empty. It is required.")));
    }
    if text.len() > longest {
        return Err(StartProblem(format!("{name} has {} bytes; the limit is {longest}.", text.len())));
    }
    if text.contains('\0') {
        return Err(StartProblem(format!("{name} contains a NUL byte, which no shell accepts.")));
    }
    Ok(text.to_owned())
}

fn check_optional_text(name: &str, text: Option<&String>) -> Result<Option<String>, StartProblem> {
    text.filter(|text| !text.trim().is_empty())
        .map(|text| check_required_text(name, text, MAX_DESCRIPTION_BYTES))
        .transpose()
}

fn check_range(name: &str, value: Option<f64>, default: f64, (least, most): (f64, f64)) -> Result<f64, StartProblem> {
    let value = value.unwrap_or(default);
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(StartProblem(format!("{name} must be from {least} to {most}; it is {value}.")))
}

fn check_timeout(seconds: Option<f64>) -> Result<u32, StartProblem> {
    check_whole_number("timeout", seconds, DEFAULT_TIMEOUT_SECONDS, f64::from(MAX_TIMEOUT_SECONDS))
}

fn check_whole_number(name: &str, value: Option<f64>, default: f64, most: f64) -> Result<u32, StartProblem> {
    let value = check_range(name, value, default, (1.0, most))?;
    if value.fract() != 0.0 {
        return Err(StartProblem(format!("{name} must be a whole number from 1 to {most}; it is {value}.")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, positive and at most a week")]
    let number = value as u32;
    Ok(number)
}
