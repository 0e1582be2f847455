//! Weighs the explanations for an error of a test.

use crate::evidence::explanations::calibration;
use crate::evidence::explanations::code;
use crate::evidence::explanations::environment;
use crate::evidence::explanations::flakiness;
use crate::evidence::facts::{CaseId, Failure, FailureKey, FileId};
use crate::evidence::stored_rows::failure_traits::{EXPLANATION_COUNT, FLAKY_PRIOR, FailureTraits};
use crate::evidence::stored_rows::history::{FailureMode, Observation, TestHistory};
use crate::evidence::stored_rows::order::OrderEvidence;
use crate::evidence::stored_rows::window::RunView;
use crate::evidence::suspects;
use std::collections::BTreeSet;

/// Prior probability that a test is flaky if it had both outcomes on the same tree.
const BOTH_OUTCOMES_PRIOR: f64 = 0.3;
/// Prior probability that a condition of the environment decides the result of a test.
const ENVIRONMENT_PRIOR: f64 = 0.01;
/// Prior probability that another test makes a test fail.
const ORDER_PRIOR: f64 = 0.02;

/// Factor for the priors of chance, environment and order if no pass of the test is known, because a test that always
/// fails is probably broken.
const NEVER_PASSED_FACTOR: f64 = 0.1;

/// Evidence about an error of a test.
pub struct ErrorEvidence<'a> {
    /// Observations of the test, oldest first.
    pub observations: &'a [Observation],
    /// The failure.
    pub failure: &'a Failure,
    /// Properties of the failures of each kind in this project.
    pub traits: &'a FailureTraits,
    /// Estimated number of tests that the same change broke.
    pub tests_together: f64,
    /// Evidence about the tests that ran before the failing test.
    pub order: Option<&'a OrderEvidence>,
    /// True if the test had both outcomes on the same tree, with any error.
    pub both_outcomes: bool,
    /// Probabilities from the newest failure with this error. Set only if all failures with this error have left the
    /// window.
    pub stored_probabilities: Option<[f64; EXPLANATION_COUNT]>,
    /// Number of cases in a run.
    pub cases: u32,
}

/// The explanations with their probabilities, which sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct WeighedExplanations {
    /// The code broke.
    pub code: f64,
    /// The test fails by chance.
    pub flaky: f64,
    /// The test fails under a condition of the environment.
    pub environment: f64,
    /// A test that ran before makes the test fail.
    pub order: f64,
    /// The most likely condition.
    pub condition: Option<(String, String)>,
    /// The most likely polluter, and its share of the probability of all candidates.
    pub polluter: Option<(CaseId, f64)>,
}

impl WeighedExplanations {
    /// Returns the probabilities in the order of the learned kinds: code, chance, environment, order.
    pub const fn probabilities_by_kind(&self) -> [f64; EXPLANATION_COUNT] {
        [self.code, self.flaky, self.environment, self.order]
    }
}

/// Weighs the explanations. `conditions` lists the conditions that may decide the result: conditions that some runs
/// have and others do not.
pub fn weigh(
    view: &RunView<'_>,
    evidence: &ErrorEvidence<'_>,
    conditions: &[&(String, String)],
) -> WeighedExplanations {
    let observations = evidence.observations;
    let (failed, passed) = flakiness::count_outcomes(observations);
    let flaky_prior = match failed {
        _ if evidence.both_outcomes => BOTH_OUTCOMES_PRIOR,
        // Assumes that the other tests passed about as often as this test.
        0 | 1 => evidence
            .traits
            .compute_flaky_prior(f64::from(evidence.cases) * flakiness::probability_of_failure_in(passed)),
        _ => FLAKY_PRIOR,
    };
    let code = code::log_likelihood(view, observations, evidence.tests_together);
    let flaky = flakiness::log_likelihood(observations);
    let environment = environment::find_best_condition(view, observations, conditions);
    let condition_count = u32::try_from(conditions.len()).map_or(f64::MAX, f64::from).max(1.0);
    let order = evidence.order.and_then(|order| order.log_likelihood(evidence.cases, passed));
    let is_same_environment =
        |first: usize, second: usize| view.runs[first].environment == view.runs[second].environment;
    let is_same_order = |first: usize, second: usize| {
        view.runs[first].order == view.runs[second].order && !view.runs[first].order_unknown
    };
    let environment_log = environment.map_or(f64::NEG_INFINITY, |(_, log)| log - condition_count.ln())
        + contradiction_log_penalty(view, observations, is_same_environment);
    let order_log =
        order.map_or(f64::NEG_INFINITY, |(log, ..)| log) + contradiction_log_penalty(view, observations, is_same_order);
    let pass_factor = if passed == 0 { NEVER_PASSED_FACTOR } else { 1.0 };
    let first_priors = [flaky_prior, ENVIRONMENT_PRIOR, ORDER_PRIOR].map(|prior| prior * pass_factor);
    let priors = evidence
        .stored_probabilities
        .map_or([1.0, first_priors[0], first_priors[1], first_priors[2]], priors_from_stored);
    let trait_logs = evidence.traits.log_likelihoods(evidence.failure);
    let history_logs = [code, flaky, environment_log, order_log];
    let logs: [f64; EXPLANATION_COUNT] =
        std::array::from_fn(|kind| history_logs[kind] + priors[kind].ln() + trait_logs[kind]);
    let probabilities_by_kind = calibration::normalize_log_weights(&logs);
    WeighedExplanations {
        code: probabilities_by_kind[0],
        flaky: probabilities_by_kind[1],
        environment: probabilities_by_kind[2],
        order: probabilities_by_kind[3],
        condition: environment.map(|(condition, _)| condition.clone()),
        polluter: order.map(|(_, case, share)| (case, share)),
    }
}

/// Returns the penalty (`ln`) for an explanation in which the tree and a property of the run decide the outcome. Two
/// runs on the same tree with the same property (`is_same`) contradict the explanation if their outcomes differ.
fn contradiction_log_penalty(
    view: &RunView<'_>,
    observations: &[Observation],
    is_same: impl Fn(usize, usize) -> bool,
) -> f64 {
    let is_flip = |(index, result): (usize, &Observation)| {
        let tree = view.first_on_tree[result.run_index];
        let before = observations[..index].iter().rev();
        let mut since_first_on_tree = before.take_while(|earlier| earlier.run_index >= tree);
        let twin = since_first_on_tree.find(|earlier| {
            view.first_on_tree[earlier.run_index] == tree && is_same(earlier.run_index, result.run_index)
        });
        twin.is_some_and(|twin| twin.failed != result.failed)
    };
    let flips = observations.iter().enumerate().filter(|result| is_flip(*result)).count();
    f64::from(u32::try_from(flips).unwrap_or(u32::MAX)) * code::OUTCOME_FLIP_PROBABILITY.ln()
}

/// Priors from the earlier verdict. Each prior is at least [`MIN_PRIOR`], because no earlier verdict is certain.
fn priors_from_stored(stored: [f64; EXPLANATION_COUNT]) -> [f64; EXPLANATION_COUNT] {
    stored.map(|chance| chance.max(MIN_PRIOR))
}

/// Minimum prior of an explanation.
const MIN_PRIOR: f64 = 0.01;

/// Returns the stored probabilities for an error whose failures have left the window.
pub fn stored_probabilities_outside_window(failure_mode: &FailureMode) -> Option<[f64; EXPLANATION_COUNT]> {
    (failure_mode.failed == 0 && failure_mode.failures > 0).then_some(failure_mode.weighed)
}

/// Returns the observations of the test in earlier runs and its failure in the last run of the view. `files` has the
/// files of the failure, `fixed` has the files of its earlier fixes, and `newly_failing` is the number of tests that
/// start to fail in this run.
pub fn observations_with_new_failure(
    view: &RunView<'_>,
    history: Option<&TestHistory>,
    common: FailureKey,
    files: &BTreeSet<FileId>,
    fixed: &BTreeSet<FileId>,
    newly_failing: u32,
) -> Vec<Observation> {
    let mut observations = history.map(|history| history.observations(view, common)).unwrap_or_default();
    observations.extend(history.into_iter().flat_map(|history| history.other_failures_since_pass(view, common)));
    observations.sort_by_key(|result| result.run_index);
    if let Some(at) = view.runs.len().checked_sub(1) {
        // A run that is judged again is already in the history.
        observations.retain(|result| result.run_index != at);
        let passed = observations.iter().rev().find(|result| !result.failed);
        let is_changed = |files: &BTreeSet<FileId>| {
            passed.is_some_and(|passed| {
                if view.ran_on_edit[at] {
                    view.is_edited_since(passed.run_index, files) || view.has_lost_change_of(passed.run_index, files)
                } else {
                    view.is_touched_since(passed.run_index, files)
                }
            })
        };
        let indices: Vec<usize> =
            observations.iter().filter(|result| !result.failed).map(|result| result.run_index).collect();
        let lost = indices.last().map(|last| view.blamable_losses(*last, &indices)).unwrap_or_default();
        let lost_fix = lost.into_iter().any(|lost| suspects::is_lost_fix(view, lost, observations.iter()));
        let undone = lost_fix || is_changed(fixed);
        observations.push(Observation {
            run_index: at,
            failed: true,
            touched: undone || is_changed(files),
            undone,
            lost_fix,
            newly_failing,
        });
    }
    observations
}
