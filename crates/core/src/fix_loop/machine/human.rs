//! Handles decisions of a human about a loop that cannot continue by itself.

use super::{
    record::{Run, finish},
    transitions::{Outcome, after_failure, before_run, decide_status, escalate, schedule_next},
};
use crate::fix_loop::{
    error::ErrorClass,
    event::Verdict,
    state::{EscalationReason, FixState, Mode, Status, Weakening},
};

/// Applies the decision. Fails if it does not fit the status of the loop.
pub(super) fn apply_verdict(state: &mut FixState, verdict: Verdict, timestamp: Option<String>, random: f64) -> Outcome {
    match (verdict, state.status, state.escalation) {
        (Verdict::Accept, Status::Suspicious, _) => {
            state.status = Status::Success;
            state.escalation = None;
        }
        (Verdict::Reject, Status::Suspicious, _) => reject_green(state, random),
        (Verdict::Accept | Verdict::Reject, Status::Unverified, _) => {
            let exit_code = i32::from(verdict == Verdict::Reject);
            return finish_unrun(state, exit_code, timestamp, Vec::new(), random);
        }
        (Verdict::Continue, Status::Escalated, Some(EscalationReason::MaxAttemptsReached)) => {
            return Err("All attempts are used. Begin a new loop, with more attempts if they are worth it.".to_owned());
        }
        (Verdict::Continue, Status::Escalated, reason) => go_on_after(state, reason, random),
        (Verdict::Stop, status, _) if !status.is_over() || status == Status::Suspicious => {
            state.running = None;
            escalate(state, EscalationReason::StoppedByHuman);
        }
        (_, status, _) => {
            let status = status.as_str().replace('_', " ");
            return Err(format!("There is nothing to {}: the loop's status is \"{status}\".", word(verdict)));
        }
    }
    Ok(Vec::new())
}

/// Records that a fix without a verification command was verified in another way.
pub(super) fn verify(
    state: &mut FixState,
    how: &str,
    timestamp: Option<String>,
    weakened: Vec<Weakening>,
    random: f64,
) -> Outcome {
    if state.status != Status::Unverified {
        return Err(format!("No fix waits to be verified in words: the loop is {}.", state.status.as_str()));
    }
    if how.trim().is_empty() {
        return Err(
            "It is not said how the fix was verified. Say what was run or looked at, and what came of it.".to_owned()
        );
    }
    state.verified_by = Some(how.trim().to_owned());
    finish_unrun(state, 0, timestamp, weakened, random)
}

/// Records an attempt that was judged without a run.
fn finish_unrun(
    state: &mut FixState,
    exit_code: i32,
    timestamp: Option<String>,
    weakened: Vec<Weakening>,
    random: f64,
) -> Outcome {
    let run = Run { exit_code, timed_out: false, duration_seconds: 0.0, timestamp, weakened, ran: None };
    state.status = Status::Running;
    finish(state, run, None, random)
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Accept => "accept",
        Verdict::Reject => "reject",
        Verdict::Continue => "continue",
        Verdict::Stop => "stop",
    }
}

/// Turns a rejected green run into a failed attempt. Its hash tells the host that the run was suspicious.
pub(super) fn reject_green(state: &mut FixState, random: f64) {
    state.escalation = None;
    let said = state.human_note.as_ref().map(|note| format!("; a human rejected it: {note}"));
    let why = format!("it was suspicious{}", said.unwrap_or_default());
    if let Some(last) = state.attempts.last_mut() {
        last.error_hash = Some("suspicious".to_owned());
        last.error_type = Some("suspicious success".to_owned());
        last.error_class = Some(ErrorClass::Fixable);
        last.headline = Some("It passes, but its tests are not what they were".to_owned());
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
    state.current_attempt = state.attempts_made().saturating_add(1).min(state.max_attempts);
    after_failure(state, random);
}

/// Continues after a human removed the cause of the escalation. The last error may still need a fix, inputs or a delay.
fn go_on_after(state: &mut FixState, reason: Option<EscalationReason>, random: f64) {
    state.escalation = None;
    state.interruptions = 0;
    let green = state.attempts.last().is_some_and(|attempt| attempt.error_hash.is_none());
    match reason {
        _ if green || state.attempts_made() >= state.max_attempts => decide_status(state, random),
        Some(EscalationReason::InterruptedTooOften) => state.status = before_run(state),
        Some(EscalationReason::PermanentError) => state.status = Status::NeedsFix,
        _ if state.attempts.is_empty() && state.mode == Mode::Command => state.status = Status::Ready,
        _ if state.pending_fix.is_some() => {
            state.status = Status::NeedsFix;
            schedule_next(state, random);
        }
        _ => decide_status(state, random),
    }
}
