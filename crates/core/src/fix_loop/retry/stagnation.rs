//! Detects a loop without progress: errors that alternate, or tests that keep failing. `machine` stops the loop if the
//! option for strict progress is set.

use crate::fix_loop::{
    event::{Warning, WarningKind},
    state::{Attempt, FixState},
};

/// Maximum length of a cycle of alternating errors.
const MAX_CYCLE_ERRORS: usize = 3;

/// Returns warnings about missing progress.
pub(in crate::fix_loop) fn find_progress_warnings(state: &FixState) -> Vec<Warning> {
    let recent = attempts_since_reset(state);
    let hashes: Vec<&str> = recent.iter().filter_map(|attempt| attempt.error_hash.as_deref()).collect();
    let mut warnings = Vec::new();
    if let Some(turn) = find_cycle_length(&hashes) {
        let text = format!(
            "The same {turn} errors alternate, because each fix breaks what an earlier fix repaired. Look for \
             their common cause."
        );
        warnings.push(Warning { kind: WarningKind::Oscillation, text });
    }
    if let Some((tests, attempts)) = count_stuck_tests(recent, state.circuit_breaker.threshold) {
        let text = format!(
            "No progress: at least {tests} {} failed in each of the last {attempts} attempts.",
            if tests == 1 { "test" } else { "tests" }
        );
        warnings.push(Warning { kind: WarningKind::NoProgress, text });
    }
    warnings
}

/// Returns the failed attempts since the last reset of the circuit.
fn attempts_since_reset(state: &FixState) -> &[Attempt] {
    let known = state.circuit_breaker.error_hashes.len();
    &state.attempts[state.attempts.len().saturating_sub(known)..]
}

/// Returns the number of errors that alternate if each occurred at least twice. For example, 2 for A, B, A, B.
fn find_cycle_length(hashes: &[&str]) -> Option<usize> {
    (2..=MAX_CYCLE_ERRORS).find(|&length| {
        let Some(start) = hashes.len().checked_sub(2 * length) else { return false };
        let (first, second) = hashes[start..].split_at(length);
        first == second && first.iter().any(|hash| *hash != first[0])
    })
}

/// Returns the number of failing tests, and the number of attempts in which it did not decrease. `None` if it decreased
/// or if there are too few attempts.
fn count_stuck_tests(attempts: &[Attempt], threshold: u32) -> Option<(usize, usize)> {
    let length = usize::try_from(threshold.max(2)).unwrap_or(usize::MAX);
    let last = &attempts[attempts.len().checked_sub(length)?..];
    let first = last.first()?.failing_tests.len();
    let never_fewer = last.iter().all(|attempt| attempt.failing_tests.len() >= first);
    (first > 0 && never_fewer).then_some((first, length))
}
