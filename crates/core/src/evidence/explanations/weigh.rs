//! Weighs the explanations for an error of a test.

use crate::evidence::explanations::calibration;
use crate::evidence::explanations::code;
use crate::evidence::explanations::environment;
use crate::evidence::explanations::flakiness;
use crate::evidence::facts::{CaseId, FileId, Trait};
use crate::evidence::kept::history::{Observation, Strand, TestHistory};
use crate::evidence::kept::order::OrderEvidence;
use crate::evidence::kept::traits::KINDS;
use crate::evidence::kept::window::View;
use std::collections::BTreeSet;

/// Prior probability that a test is flaky.
const FLAKY_PRIOR: f64 = 0.05;
/// Prior probability that a test is flaky if it had both outcomes on the same tree.
const BOTH_OUTCOMES_PRIOR: f64 = 0.3;
/// Prior probability that a condition of the environment decides the result of a test.
const ENVIRONMENT_PRIOR: f64 = 0.01;
/// Prior probability that another test makes a test fail.
const ORDER_PRIOR: f64 = 0.02;

/// Factor for these priors if no pass of the test is known, because a test that always fails is probably broken.
const NEVER_PASSED: f64 = 0.1;

/// Evidence about an error of a test.
pub struct Seen<'a> {
    /// Observations of the test, oldest first.
    pub observations: &'a [Observation],
    /// `ln` of the likelihood that failures of each kind look like this failure.
    pub looks: [f64; KINDS],
    /// Number of tests that fail in this way in one run.
    pub together: f64,
    /// Evidence about the tests that ran before.
    pub order: Option<&'a OrderEvidence>,
    /// True if the test had both outcomes on the same tree, with any error.
    pub both_outcomes: bool,
    /// Probabilities from the time when its failures were still in the window.
    pub before: Option<[f64; KINDS]>,
    /// Number of cases in a run.
    pub cases: u32,
}

/// The explanations with their probabilities, which sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Weighed {
    /// The code broke.
    pub code: f64,
    /// It fails by chance.
    pub flaky: f64,
    /// A condition of the environment decides.
    pub environment: f64,
    /// Another test that ran before decides.
    pub order: f64,
    /// The most likely condition.
    pub condition: Option<(String, String)>,
    /// The most likely test that makes it fail, and its share among all candidates.
    pub polluter: Option<(CaseId, f64)>,
}

impl Weighed {
    /// The probabilities in the order of the learned kinds: code, chance, environment, order.
    pub const fn chances(&self) -> [f64; KINDS] {
        [self.code, self.flaky, self.environment, self.order]
    }
}

/// Weighs the explanations. `conditions` has the conditions of the failing run that other runs do not have.
pub fn weigh(view: &View<'_>, seen: &Seen<'_>, conditions: &[&(String, String)]) -> Weighed {
    let observations = seen.observations;
    let (_, passed) = flakiness::counts(observations);
    let flaky_prior = if seen.both_outcomes { BOTH_OUTCOMES_PRIOR } else { FLAKY_PRIOR };
    let code = code::log_likelihood(view, observations, seen.together);
    let flaky = flakiness::log_likelihood(observations);
    let environment = environment::best(view, observations, conditions);
    let of_conditions = u32::try_from(conditions.len()).map_or(f64::MAX, f64::from).max(1.0);
    let order = seen.order.and_then(|order| order.log_likelihood(seen.cases, passed));
    let same_place = |one: usize, other: usize| view.runs[one].environment == view.runs[other].environment;
    let same_order =
        |one: usize, other: usize| view.runs[one].order == view.runs[other].order && !view.runs[one].order_unknown;
    let environment_log = environment.map_or(f64::NEG_INFINITY, |(_, log)| log - of_conditions.ln())
        + contradictions(view, observations, same_place);
    let order_log = order.map_or(f64::NEG_INFINITY, |(log, ..)| log) + contradictions(view, observations, same_order);
    let sometimes = if passed == 0 { NEVER_PASSED } else { 1.0 };
    let first_priors = [flaky_prior, ENVIRONMENT_PRIOR, ORDER_PRIOR].map(|prior| prior * sometimes);
    let priors = seen.before.map_or([1.0, first_priors[0], first_priors[1], first_priors[2]], known_priors);
    let fits = [code, flaky, environment_log, order_log];
    let logs: [f64; KINDS] = std::array::from_fn(|kind| fits[kind] + priors[kind].ln() + seen.looks[kind]);
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

/// `ln` of the penalty for an explanation without chance if the outcome differs on one tree under the same
/// circumstances.
fn contradictions(view: &View<'_>, seen: &[Observation], is_same: impl Fn(usize, usize) -> bool) -> f64 {
    let is_flip = |(index, one): (usize, &Observation)| {
        let twin = seen[..index]
            .iter()
            .rev()
            .find(|earlier| view.trees[earlier.at] == view.trees[one.at] && is_same(earlier.at, one.at));
        twin.is_some_and(|twin| twin.failed != one.failed)
    };
    let flips = seen.iter().enumerate().filter(|one| is_flip(*one)).count();
    f64::from(u32::try_from(flips).unwrap_or(u32::MAX)) * code::FLIPS.ln()
}

/// Priors from the earlier verdict. Each prior is at least [`MIN_PRIOR`], because no earlier verdict is certain.
fn known_priors(before: [f64; KINDS]) -> [f64; KINDS] {
    // The likelihood of the code already contains the cost of another break.
    before.map(|chance| chance.max(MIN_PRIOR))
}

/// Minimum prior of an explanation.
const MIN_PRIOR: f64 = 0.01;

/// The stored probabilities for an error whose failures have left the window.
pub fn found_before(strand: &Strand) -> Option<[f64; KINDS]> {
    (strand.failed == 0 && strand.failures > 0).then_some(strand.weighed)
}

/// Observations of the test in earlier runs, and its failure in the last run of the view. `files` has the files of the
/// failure, `fixed` the files of the changes that fixed it before, and `began` is the number of tests that start to
/// fail now.
pub fn with_now(
    view: &View<'_>,
    history: Option<&TestHistory>,
    common: Trait,
    files: &BTreeSet<FileId>,
    fixed: &BTreeSet<FileId>,
    began: u32,
) -> Vec<Observation> {
    let mut seen = history.map(|history| history.observations(view, common)).unwrap_or_default();
    seen.extend(history.into_iter().flat_map(|history| history.other_failures_since_pass(view, common)));
    seen.sort_by_key(|one| one.at);
    if let Some(at) = view.runs.len().checked_sub(1) {
        // A run that is judged again is already in the history.
        seen.retain(|one| one.at != at);
        let passed = seen.iter().rev().find(|one| !one.failed);
        let is_changed = |files: &BTreeSet<FileId>| {
            passed.is_some_and(|passed| {
                if view.uncommitted[at] {
                    view.is_edited_since(passed.at, files)
                } else {
                    view.is_touched_since(passed.at, files)
                }
            })
        };
        let undone = is_changed(fixed);
        seen.push(Observation { at, failed: true, touched: undone || is_changed(files), undone, began });
    }
    seen
}
