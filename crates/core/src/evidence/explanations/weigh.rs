//! Weighs the explanations of one error of one test against each other.

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

/// That a test is flaky.
const FLAKY_PRIOR: f64 = 0.05;
/// That one is, of those that had both outcomes on one tree.
const BOTH_OUTCOMES_PRIOR: f64 = 0.3;
/// That a condition of the environment decides about a test.
const ENVIRONMENT_PRIOR: f64 = 0.01;
/// That another test breaks it.
const ORDER_PRIOR: f64 = 0.02;

/// What is left of these where the test was never seen to pass: always failing is broken.
const NEVER_PASSED: f64 = 0.1;

/// What was seen of one error of one test.
pub struct Seen<'a> {
    /// What the test did, oldest first.
    pub observations: &'a [Observation],
    /// How likely each kind makes what the failure looks like.
    pub looks: [f64; KINDS],
    /// Tests that fail so in one run.
    pub together: f64,
    /// What ran before.
    pub order: Option<&'a OrderEvidence>,
    /// Whether it had both outcomes on one tree, with whatever error.
    pub both_outcomes: bool,
    /// What it was found to be when its failures were still in the window.
    pub before: Option<[f64; KINDS]>,
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

impl Weighed {
    /// The chances in the order of what is learned: code, chance, environment, order.
    pub const fn chances(&self) -> [f64; KINDS] {
        [self.code, self.flaky, self.environment, self.order]
    }
}

/// Weighs. `conditions`: those of the failing run that other runs do not have.
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

/// `ln` of what it costs an explanation that leaves nothing to chance when the outcome is another on one tree under the
/// same circumstances.
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

/// What was found before is where the weighing starts; nothing was so sure that it could not be otherwise.
fn known_priors(before: [f64; KINDS]) -> [f64; KINDS] {
    // Of the code it takes another break, which its likelihood has.
    before.map(|chance| chance.max(MIN_PRIOR))
}

/// The least chance that an explanation starts with.
const MIN_PRIOR: f64 = 0.01;

/// What was found of an error whose failures have left the window.
pub fn found_before(strand: &Strand) -> Option<[f64; KINDS]> {
    (strand.failed == 0 && strand.failures > 0).then_some(strand.weighed)
}

/// What was seen of a test in the runs before, and that it fails now. `files`: of the failure; `fixed`: of the changes that
/// fixed it before; `began`: tests that begin to fail now.
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
        // A run that is judged again has it already.
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
