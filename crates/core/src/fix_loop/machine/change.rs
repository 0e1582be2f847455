//! Handles changes between two attempts: a fix or new inputs. The host inspects the change and passes its digest.

use super::{
    human_decisions,
    transitions::{EventResult, describe_ended_loop, schedule_next_attempt},
};
use crate::fix_loop::{
    event::{Warning, WarningKind},
    retry::approach,
    state::{AppliedFix, Attempt, FixState, Mode, Status},
};

pub(super) fn declare_fix(state: &mut FixState, fix: AppliedFix, random: f64) -> EventResult {
    let is_reason = state.status == Status::Suspicious && fix.digest.is_none() && fix.outside.is_none();
    if state.status == Status::Suspicious && !fix.description.is_empty() {
        human_decisions::reject_green_run(state, random);
        // Nothing changed, so the description can only be the reason for an earlier change.
        state.stated_reason = is_reason.then(|| fix.description.clone());
    }
    let open = matches!(state.status, Status::NeedsFix | Status::Waiting | Status::NeedsInputs | Status::Ready);
    if state.status.has_ended() {
        return Err(describe_ended_loop(state));
    }
    if !open || (state.attempts.is_empty() && state.mode == Mode::Command) {
        return Err(format!("The loop does not wait for a fix: it is {}.", state.status.as_str()));
    }
    if state.pending_fix.is_some() {
        return Err(format!("A fix for attempt {} is already declared. Run it first.", state.current_attempt));
    }
    if fix.description.is_empty() {
        return Err("The fix has no description. Describe the change.".to_owned());
    }
    if fix.digest.is_none() && fix.outside.is_none() && !is_reason {
        return Err("Nothing changed since the last attempt. Make a change, or declare a change outside the \
             work tree."
            .to_owned());
    }
    if let Some(number) = find_attempt_with_same_fix(state, &fix) {
        return Err(format!("This fix was already tried after attempt {number}. Try another fix."));
    }
    if fix.digest.is_some() {
        state.stated_reason = None;
    }
    let warnings = if is_reason { Vec::new() } else { warn_about_fix(state, &fix) };
    if state.mode == Mode::Command {
        record_fix(state, &fix);
    }
    state.pending_fix = Some(fix);
    schedule_next_attempt(state, random);
    Ok(warnings)
}

/// Returns the number of an attempt that had the same fix.
fn find_attempt_with_same_fix(state: &FixState, fix: &AppliedFix) -> Option<u32> {
    let words = |text: &Option<String>| text.as_ref().map(|text| text.to_lowercase());
    let same = |attempt: &&Attempt| match (&fix.digest, &attempt.fix_digest) {
        (Some(digest), Some(known)) => digest == known,
        (None, None) => fix.outside.is_some() && words(&fix.outside) == words(&attempt.outside),
        _ => false,
    };
    state.attempts.iter().find(same).map(|attempt| attempt.number)
}

fn warn_about_fix(state: &FixState, fix: &AppliedFix) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let due = approach::approach_after(state.fix_count());
    if fix.approach < due {
        let text = format!("A {} fix was already tried; try a {} fix next.", fix.approach.as_str(), due.as_str());
        warnings.push(Warning { kind: WarningKind::ApproachRepeated, text });
    }
    if fix.digest.is_none() {
        let text =
            "No file of the project changed, and a declared change outside the project cannot be checked.".to_owned();
        warnings.push(Warning { kind: WarningKind::ChangeNotSeen, text });
    }
    warnings
}

/// Stores the fix in the last attempt.
fn record_fix(state: &mut FixState, fix: &AppliedFix) {
    if let Some(last) = state.attempts.last_mut() {
        last.fix_applied = Some(fix.description.clone());
        last.approach = Some(fix.approach);
        last.fix_verified = fix.digest.is_some();
        last.fix_digest.clone_from(&fix.digest);
        last.outside.clone_from(&fix.outside);
        last.files.clone_from(&fix.files);
    }
}

/// Handles inputs for the prompts of the command.
pub(super) fn provide_inputs(
    state: &mut FixState,
    digest: Option<String>,
    inputs: Option<String>,
    random: f64,
) -> EventResult {
    if state.status != Status::NeedsInputs {
        return Err(format!("The loop does not wait for inputs: it is {}.", state.status.as_str()));
    }
    if digest.is_some() && digest == state.inputs_digest {
        return Err("These inputs did not work in the last attempt. Provide other inputs.".to_owned());
    }
    state.inputs_digest = digest;
    state.inputs = inputs.or_else(|| state.inputs.take());
    schedule_next_attempt(state, random);
    Ok(Vec::new())
}
