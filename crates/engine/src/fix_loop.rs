//! The calls of the fix loop. They check untrusted states and texts before `argus_core::fix_loop` decides. The host
//! stores the state and passes it with each call.

use crate::{
    contract::{FixAdvanced, FixError, FixEvent, FixFailure, FixNextStep, FixStart, FixState},
    errors::{EngineError, ErrorCode},
};
use argus_core::{
    Analyzer, bound,
    fix_loop::{self, STATE_VERSION, StateProblem},
    summary::Summary,
};
use argus_report::{CaseStatus, Options, ReportCase, ReportFormat, error_excerpt::extract_error_excerpt};
use serde::Deserialize;
use serde_json::Value;

/// Analyzes the output of a failed command, or an error that the caller describes.
pub fn analyze_loop_failure(analyzer: &Analyzer, failure: &FixFailure) -> FixError {
    let redacted = analyzer.redact(&failure.text);
    // An error without an exit code is used in full. Most of a command's output is irrelevant.
    let chosen =
        failure.exit_code.map(|_| extract_tap_errors(&redacted).unwrap_or_else(|| extract_error_excerpt(&redacted)));
    let chosen = chosen.filter(|tail| !tail.trim().is_empty());
    let mut error = fix_loop::understand(analyzer, failure, &redacted, chosen.as_deref().unwrap_or(&redacted));
    // Other answers show the same headline.
    let headline = Summary::read(&error.text).headline();
    if !headline.is_empty() {
        error.headline = headline;
    }
    error
}

/// Returns the errors of the failed tests from the YAML blocks of a TAP stream. Returns `None` if the output is not TAP
/// or has no errors.
fn extract_tap_errors(output: &str) -> Option<String> {
    if !output.contains("TAP version 1") {
        return None;
    }
    let mut errors = Vec::new();
    let mut keep = |case: ReportCase| {
        if case.status == CaseStatus::Failed {
            errors.extend(case.error);
        }
    };
    argus_report::parse(output.as_bytes(), Some(ReportFormat::Tap), &Options::default(), &mut keep).ok()?;
    (!errors.is_empty()).then(|| errors.join("\n\n"))
}

/// Starts a loop. The caller's texts are redacted before they are stored. Commands are stored unchanged, because they
/// are run again.
pub fn begin(analyzer: &Analyzer, start: &FixStart) -> Result<FixState, EngineError> {
    let error = start.error.as_ref().filter(|text| !text.trim().is_empty());
    let failure = error.map(|text| FixFailure { text: text.clone(), ..FixFailure::default() });
    let understood = failure.map(|failure| analyze_loop_failure(analyzer, &failure));
    let start = FixStart { desired: analyzer.redact(&start.desired).into(), ..start.clone() };
    fix_loop::begin(&start, understood.as_ref()).map_err(|problem| EngineError::invalid_input(problem.0))
}

/// Returns the state with the changed settings. Limits cannot be changed.
pub fn adjust(analyzer: &Analyzer, state: Value, wanted: &FixStart) -> Result<FixState, EngineError> {
    let wanted = FixStart { desired: analyzer.redact(&wanted.desired).into(), ..wanted.clone() };
    fix_loop::apply_options(&check_state(state)?, &wanted).map_err(|problem| EngineError::invalid_input(problem.0))
}

/// Returns the next state. `random`, in [0, 1), is used for the jitter of a delay.
pub fn advance(analyzer: &Analyzer, state: Value, event: FixEvent, random: f64) -> Result<FixAdvanced, EngineError> {
    Ok(fix_loop::advance(&check_state(state)?, &clean_event(analyzer, event), random))
}

/// Returns the allowed actions in a state.
pub fn next_step(state: Value) -> Result<FixNextStep, EngineError> {
    Ok(fix_loop::next_step(&check_state(state)?))
}

/// Reads a state from the text of a file. Returns an error if `command_hash` is given and the state belongs to another
/// command.
pub fn read_state(text: &str, command_hash: Option<&str>) -> Result<FixState, EngineError> {
    let value = serde_json::from_str(text).map_err(|error| unreadable_state_error(&error.to_string()))?;
    let state = check_state(value)?;
    match command_hash {
        Some(wanted) if wanted != state.command_hash => Err(other_command_error(&state.command_hash)),
        _ => Ok(state),
    }
}

#[derive(Deserialize)]
struct StateVersionOnly {
    version: u32,
}

/// Converts an untrusted value to a valid state. The version is checked first, because a newer version may have other
/// fields.
fn check_state(value: Value) -> Result<FixState, EngineError> {
    let head = StateVersionOnly::deserialize(&value).map_err(|error| unreadable_state_error(&error.to_string()))?;
    if head.version > STATE_VERSION {
        return Err(state_error(&StateProblem::NewerVersion(head.version)));
    }
    let state = FixState::deserialize(value).map_err(|error| unreadable_state_error(&error.to_string()))?;
    fix_loop::validate_state(&state).map_err(|problem| state_error(&problem))?;
    Ok(state)
}

fn state_error(problem: &StateProblem) -> EngineError {
    match problem {
        StateProblem::NewerVersion(_) => EngineError::new(
            ErrorCode::StateNewer,
            format!("The state of the loop was written by a newer version: {problem}. Update this program."),
        ),
        StateProblem::DifferentCommand(command) => other_command_error(command),
        StateProblem::Damaged(reason) => unreadable_state_error(reason),
    }
}

fn other_command_error(whose: &str) -> EngineError {
    let message =
        format!("The state of the loop belongs to another command ({whose}). Move it away, or pass that command.");
    EngineError::new(ErrorCode::StateMismatch, message)
}

fn unreadable_state_error(reason: &str) -> EngineError {
    let message = format!(
        "The state of the loop cannot be read: {reason}. It was not changed; move it away to start a new loop."
    );
    EngineError::new(ErrorCode::StateUnreadable, message)
}

/// Redacts and bounds the texts of an event.
fn clean_event(analyzer: &Analyzer, event: FixEvent) -> FixEvent {
    let clean_text = |text: String| shorten(&analyzer.redact(&text));
    match event {
        FixEvent::FixDeclared { description, digest, mut files, outside, approach } => {
            files.truncate(MAX_FIX_FILES);
            for file in &mut files {
                file.change = clean_text(std::mem::take(&mut file.change));
            }
            let digest = digest.map(|digest| shorten(&digest));
            let (description, outside) = (clean_text(description), outside.map(clean_text));
            FixEvent::FixDeclared { description, digest, files, outside, approach }
        }
        FixEvent::HumanDecided { verdict, note, timestamp } => {
            FixEvent::HumanDecided { verdict, note: note.map(clean_text), timestamp }
        }
        FixEvent::FixVerified { how, timestamp, weakened } => {
            FixEvent::FixVerified { how: clean_text(how), timestamp, weakened }
        }
        FixEvent::InputsProvided { digest, inputs } => {
            FixEvent::InputsProvided { digest: digest.map(|digest| shorten(&digest)), inputs }
        }
        other => other,
    }
}

/// Maximum number of files of a fix in a state, so that the state stays small.
const MAX_FIX_FILES: usize = 500;
/// Maximum size of each text of an event.
const MAX_TEXT_BYTES: usize = 8 * 1024;

fn shorten(text: &str) -> String {
    let text = bound::truncate_middle(text);
    text[..text.floor_char_boundary(MAX_TEXT_BYTES)].to_owned()
}

#[cfg(test)]
mod tests;
