//! Computes the delay before the next attempt. It doubles each time, up to a minute, with full jitter if the caller
//! wants it. The host waits and draws the random number.

use crate::fix_loop::state::FixState;

/// Maximum delay, in seconds.
pub const MAX_DELAY_SECONDS: f64 = 60.0;

/// Returns the delay after this number of failed attempts, in seconds: `initial`, doubled for each further failure.
pub fn compute_delay(initial: f64, failures: u32) -> f64 {
    let doublings = i32::try_from(failures.saturating_sub(1).min(63)).unwrap_or(63);
    let full = initial * 2_f64.powi(doublings);
    if full.is_nan() { 0.0 } else { round_to_milliseconds(full.clamp(0.0, MAX_DELAY_SECONDS)) }
}

/// Sets the delay before the next attempt. `random` is in [0, 1).
pub(in crate::fix_loop) fn schedule_delay(state: &mut FixState, random: f64) {
    state.backoff_seconds = compute_delay(state.initial_backoff_seconds, state.attempt_count());
    let part = if random.is_finite() { random.clamp(0.0, 1.0) } else { 1.0 };
    state.delay_seconds =
        if state.jitter { round_to_milliseconds(state.backoff_seconds * part) } else { state.backoff_seconds };
}

/// Rounds seconds to three decimal places, because people read the state file, and because the number must stay the
/// same after it is written and read.
pub(in crate::fix_loop) fn round_to_milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
