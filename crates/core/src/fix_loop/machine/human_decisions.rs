//! Handles decisions of a human about a loop that cannot continue by itself.

use super::{
    attempt_record::{FinishedRun, finish_attempt},
    transitions::{
        EventResult, decide_status, escalate, schedule_next_attempt, status_before_run, update_after_failure,
    },
};
use crate::fix_loop::{
    error::ErrorClass,
    event::Verdict,
    state::{EscalationReason, FixState, Mode, Status, Weakening},
};

/// Applies the decision. Fails if the status of the loop does not allow the decision.
pub(super) fn apply_verdict(
    state: &mut FixState,
    verdict: Verdict,
    timestamp: Option<String>,
    random: f64,
) -> EventResult {
    match (verdict, state.status, state.escalation) {
        (Verdict::Accept, Status::Suspicious, _) => {
            state.status = Status::Success;
            state.escalation = None;
        }
        (Verdict::Reject, Status::Suspicious, _) => reject_green_run(state, random),
        (Verdict::Accept | Verdict::Reject, Status::Unverified, _) => {
            let exit_code = i32::from(verdict == Verdict::Reject);
            return finish_without_run(state, exit_code, timestamp, Vec::new(), random);
        }
        (Verdict::Continue, Status::Escalated, Some(EscalationReason::MaxAttemptsReached)) => {
            return Err("All attempts are used. Start a new loop, with more attempts if needed.".to_owned());
        }
        (Verdict::Continue, Status::Escalated, reason) => continue_after_escalation(state, reason, random),
        (Verdict::Stop, status, _) if !status.has_ended() || status == Status::Suspicious => {
            state.running = None;
            escalate(state, EscalationReason::StoppedByHuman);
        }
        (_, status, _) => {
            let status = status.as_str().replace('_', " ");
            return Err(format!("Nothing to {}: the loop's status is \"{status}\".", verdict_verb(verdict)));
        }
    }
    Ok(Vec::new())
}

/// Records how a fix was verified that has no verification command.
pub(super) fn verify_fix(
    state: &mut FixState,
    how: &str,
    timestamp: Option<String>,
    weakened: Vec<Weakening>,
    random: f64,
) -> EventResult {
    if state.status != Status::Unverified {
        return Err(format!("The loop does not wait for a verification: it is {}.", state.status.as_str()));
    }
    if how.trim().is_empty() {
        return Err(
            "The description of the verification is empty. Describe what was checked, and the result.".to_owned()
        );
    }
    state.verified_by = Some(how.trim().to_owned());
    finish_without_run(state, 0, timestamp, weakened, random)
}

/// Records an attempt whose result is known without running the command.
fn finish_without_run(
    state: &mut FixState,
    exit_code: i32,
    timestamp: Option<String>,
    weakened: Vec<Weakening>,
    random: f64,
) -> EventResult {
    let run = FinishedRun { exit_code, timed_out: false, duration_seconds: 0.0, timestamp, weakened, ran: None };
    state.status = Status::Running;
    finish_attempt(state, run, None, random)
}

const fn verdict_verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "accept",
        Verdict::Reject => "reject",
        Verdict::Continue => "continue",
        Verdict::Stop => "stop",
    }
}

/// Turns a rejected green run into a failed attempt. Its error hash is `suspicious`, so that the host can recognize it.
pub(super) fn reject_green_run(state: &mut FixState, random: f64) {
    state.escalation = None;
    let said = state.human_note.as_ref().map(|note| format!("; a human rejected it: {note}"));
    let why = format!("it was suspicious{}", said.unwrap_or_default());
    if let Some(last) = state.attempts.last_mut() {
        last.error_hash = Some("suspicious".to_owned());
        last.error_type = Some("suspicious success".to_owned());
        last.error_class = Some(ErrorClass::Fixable);
        last.headline = Some("It passes, but its tests were changed".to_owned());
        if state.mode == Mode::Error && last.fix_applied.is_some() {
            last.fix_worked = Some(false);
            last.why_failed = Some(why.clone());
        }
    }
    let made = state.attempts.len();
    if state.mode == Mode::Command
        && let Some(before) = made.checked_sub(2).and_then(|index| state.attempts.get_mut(index))
        && before.fix_applied.is_some()
    {
        before.fix_worked = Some(false);
        before.why_failed = Some(why);
    }
    state.current_attempt = state.attempt_count().saturating_add(1).min(state.max_attempts);
    update_after_failure(state, random);
}

/// Continues after a human removed the cause of the escalation. The last error may still need a fix, inputs or a delay.
fn continue_after_escalation(state: &mut FixState, reason: Option<EscalationReason>, random: f64) {
    state.escalation = None;
    state.interruptions = 0;
    let green = state.attempts.last().is_some_and(|attempt| attempt.error_hash.is_none());
    match reason {
        _ if green || state.attempt_count() >= state.max_attempts => decide_status(state, random),
        Some(EscalationReason::InterruptedTooOften) => state.status = status_before_run(state),
        Some(EscalationReason::PermanentError) => state.status = Status::NeedsFix,
        _ if state.attempts.is_empty() && state.mode == Mode::Command => state.status = Status::Ready,
        _ if state.pending_fix.is_some() => {
            state.status = Status::NeedsFix;
            schedule_next_attempt(state, random);
        }
        _ => decide_status(state, random),
    }
}
