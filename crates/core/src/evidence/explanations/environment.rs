//! The likelihood of a test's results if the test fails under a condition.

use crate::evidence::explanations::urn::{FAILS_INSIDE, FAILS_OUTSIDE};
use crate::evidence::kept::history::Observation;
use crate::evidence::kept::window::View;

/// `ln P` of the observations if this condition decides.
pub fn log_likelihood(view: &View<'_>, seen: &[Observation], condition: &(String, String)) -> f64 {
    let count = |inside: bool, failed: bool| {
        let here = seen.iter().filter(|one| one.failed == failed && view.has(one.at, condition) == inside);
        u32::try_from(here.count()).unwrap_or(u32::MAX)
    };
    FAILS_INSIDE.log_sequence(count(true, true), count(true, false))
        + FAILS_OUTSIDE.log_sequence(count(false, true), count(false, false))
}

/// The condition with the highest likelihood and its `ln P`. Of equally likely conditions, the first.
pub fn best<'a>(
    view: &View<'_>,
    seen: &[Observation],
    conditions: &[&'a (String, String)],
) -> Option<(&'a (String, String), f64)> {
    let mut best: Option<(&(String, String), f64)> = None;
    for condition in conditions {
        let log = log_likelihood(view, seen, condition);
        if best.is_none_or(|(_, known)| known < log) {
            best = Some((condition, log));
        }
    }
    best
}
