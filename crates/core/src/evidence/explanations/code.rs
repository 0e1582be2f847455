//! How well "the code broke" explains what a test did.
//!
//! A hidden Markov model with two states, working and broken. The state changes with commits only, never on one tree, and
//! an edit that was not committed changes what one tree does but not the commits after it. A broken test fails.

use crate::evidence::kept::history::Observation;
use crate::evidence::kept::window::View;

/// That a commit breaks any test: in a small suite it is more likely this one.
const BREAKS_ANY: f64 = 0.32;
/// That a commit breaks one given test, at least in a large suite and at most in a small one.
const BREAKS: (f64, f64) = (0.002, 0.05);
/// That an edit which is not committed does: work in progress breaks more.
const EDIT_BREAKS: f64 = 0.01;
/// How much likelier a commit breaks it again in the way it was broken before.
const AGAIN: f64 = 3.0;
/// That a commit mends a broken one.
const MENDS: f64 = 0.15;
/// That an edit mends a broken one.
const EDIT_MENDS: f64 = 0.1;
/// That the outcome is another on the same tree, though only the code decides.
pub(super) const FLIPS: f64 = 0.001;
/// That a test was broken before anything was seen of it.
const BROKEN_AT_FIRST: f64 = 0.02;

/// `ln P` of what was seen. `together`: how many tests fail in this way in one run; one change breaks them all, so each bears
/// a part of what it takes.
pub fn log_likelihood(view: &View<'_>, seen: &[Observation], together: f64) -> f64 {
    let (mut working, mut broken) = (1.0 - BROKEN_AT_FIRST, BROKEN_AT_FIRST);
    let (mut log, mut failed_before) = (0.0, false);
    let mut last: Option<usize> = None;
    let suite = view.runs.iter().map(|run| run.ran).max().unwrap_or(0);
    let first_break = (BREAKS_ANY / f64::from(suite.max(1))).clamp(BREAKS.0, BREAKS.1);
    for (index, one) in seen.iter().enumerate() {
        let share = |chance: f64| if one.failed { shared(chance, together) } else { chance };
        let twin = seen[..index].iter().rev().find(|earlier| view.trees[earlier.at] == view.trees[one.at]);
        if let Some(twin) = twin {
            log += if twin.failed == one.failed { 1.0 - FLIPS } else { FLIPS }.ln();
            continue;
        }
        let steps = f64::from(last.map_or(0, |last| view.commits[one.at] - view.commits[last]));
        let breaks = 1.0 - (1.0 - share(if failed_before { first_break * AGAIN } else { first_break })).powf(steps);
        let mends = 1.0 - (1.0 - MENDS).powf(steps);
        (working, broken) = (working * (1.0 - breaks) + broken * mends, working * breaks + broken * (1.0 - mends));
        let (fails_working, fails_broken) =
            if view.uncommitted[one.at] { (share(EDIT_BREAKS), 1.0 - EDIT_MENDS) } else { (FLIPS, 1.0 - FLIPS) };
        let emitted = |fails: f64| if one.failed { fails } else { 1.0 - fails };
        working *= emitted(fails_working);
        broken *= emitted(fails_broken);
        let total = working + broken;
        log += total.ln();
        (working, broken) = (working / total, broken / total);
        failed_before |= one.failed;
        last = Some(one.at);
    }
    log
}

/// That one more test breaks with the same change, once it breaks any of them.
const FOLLOWS: f64 = 0.5;

/// The part that each of `together` tests bears of a change that broke them all: the geometric mean of one first and the
/// followers.
fn shared(chance: f64, together: f64) -> f64 {
    chance.powf(1.0 / together) * FOLLOWS.powf(1.0 - 1.0 / together)
}
