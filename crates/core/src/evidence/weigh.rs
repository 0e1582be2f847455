//! Weighs the explanations of one error of one test against each other.

use super::{
    calibration, code, environment,
    facts::CaseId,
    flakiness,
    history::{Observation, TestHistory},
    order::OrderEvidence,
    window::View,
};

/// That a test is flaky.
const FLAKY_PRIOR: f64 = 0.05;
/// That one is, of those that failed and passed in one run.
const RETRIED_PRIOR: f64 = 0.5;
/// That a condition of the environment decides about a test.
const ENVIRONMENT_PRIOR: f64 = 0.01;
/// That another test breaks it.
const ORDER_PRIOR: f64 = 0.02;

/// What was seen of one error of one test.
pub struct Seen<'a> {
    /// What the test did, oldest first.
    pub observations: &'a [Observation],
    /// Whether a function of the project is in the stack.
    pub has_function: bool,
    /// Tests that fail so in one run.
    pub together: f64,
    /// What ran before.
    pub order: Option<&'a OrderEvidence>,
    /// Whether it failed and passed in one run, with an error that was not kept.
    pub retried: bool,
    /// Cases of a run.
    pub cases: u32,
}

/// The explanations, with the chance of each; they sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The code broke.
    pub code: f64,
    /// It fails by chance.
    pub flaky: f64,
    /// A condition decides.
    pub environment: f64,
    /// A test before decides.
    pub order: f64,
    /// Which condition it would be.
    pub condition: Option<(String, String)>,
    /// Which test it would be, and how many others it may be as well.
    pub polluter: Option<(CaseId, f64)>,
}

/// Weighs. `conditions`: those of the failing run that other runs do not have.
pub fn weigh(view: &View<'_>, seen: &Seen<'_>, conditions: &[&(String, String)]) -> Weighed {
    let observations = seen.observations;
    let (_, passed) = flakiness::counts(observations);
    let flaky_prior = if seen.retried { RETRIED_PRIOR } else { FLAKY_PRIOR };
    let code = code::log_likelihood(view, observations, seen.together);
    let flaky = flaky_prior.ln() + flakiness::log_likelihood(observations);
    let environment = environment::best(view, observations, conditions);
    let of_conditions = u32::try_from(conditions.len()).map_or(f64::MAX, f64::from).max(1.0);
    let order = seen.order.and_then(|order| order.log_likelihood(seen.cases, passed));
    let logs = [
        code + by_function(seen, 0.8),
        flaky + by_function(seen, 0.3),
        environment.map_or(f64::NEG_INFINITY, |(_, log)| log + (ENVIRONMENT_PRIOR / of_conditions).ln())
            + by_function(seen, 0.35),
        order.map_or(f64::NEG_INFINITY, |(log, ..)| log + ORDER_PRIOR.ln()) + by_function(seen, 0.6),
    ];
    let chances = calibration::probabilities(&logs);
    Weighed {
        code: chances[0],
        flaky: chances[1],
        environment: chances[2],
        order: chances[3],
        condition: environment.map(|(condition, _)| condition.clone()),
        polluter: order.map(|(_, case, share)| (case, share)),
    }
}

/// `ln` of the chance that the stack is as it is: where the code is wrong, a function of the project is mostly in it.
fn by_function(seen: &Seen<'_>, with: f64) -> f64 {
    if seen.has_function { with } else { 1.0 - with }.ln()
}

/// What was seen of a test in the runs before, and that it fails now.
pub fn with_now(view: &View<'_>, history: Option<&TestHistory>, signature: u64) -> Vec<Observation> {
    let mut seen = history.map(|history| before_now(view, history, signature)).unwrap_or_default();
    if let Some(now) = view.runs.len().checked_sub(1) {
        seen.push(Observation { at: now, failed: true });
    }
    seen
}

/// What was seen of a test in the window; where it failed so before the window began, the oldest run of the window stands
/// for it.
pub fn before_now(view: &View<'_>, history: &TestHistory, signature: u64) -> Vec<Observation> {
    history.observations(view, signature)
}
