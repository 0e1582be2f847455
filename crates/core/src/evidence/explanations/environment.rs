//! The likelihood of a test's results if the test fails under a condition.

use crate::evidence::explanations::urn::{FAILS_WITH_CONDITION, FAILS_WITHOUT_CONDITION};
use crate::evidence::stored_rows::history::Observation;
use crate::evidence::stored_rows::window::RunView;

/// `ln P` of the observations if this condition decides the result of the test.
pub fn log_likelihood(view: &RunView<'_>, observations: &[Observation], condition: &(String, String)) -> f64 {
    let count = |inside: bool, failed: bool| {
        let here = observations
            .iter()
            .filter(|result| result.failed == failed && view.has_condition(result.run_index, condition) == inside);
        u32::try_from(here.count()).unwrap_or(u32::MAX)
    };
    FAILS_WITH_CONDITION.log_sequence(count(true, true), count(true, false))
        + FAILS_WITHOUT_CONDITION.log_sequence(count(false, true), count(false, false))
}

/// Returns the condition with the highest likelihood and its `ln P`. Among equally likely conditions, the first wins.
pub fn find_best_condition<'a>(
    view: &RunView<'_>,
    observations: &[Observation],
    conditions: &[&'a (String, String)],
) -> Option<(&'a (String, String), f64)> {
    let mut best: Option<(&(String, String), f64)> = None;
    for condition in conditions {
        let log = log_likelihood(view, observations, condition);
        if best.is_none_or(|(_, known)| known < log) {
            best = Some((condition, log));
        }
    }
    best
}
