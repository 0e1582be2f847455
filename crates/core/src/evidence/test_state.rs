//! Derives the state of a test from all of its runs.

use crate::evidence::explanations::flakiness::Rate;
use crate::evidence::explanations::weigh::{self, ErrorEvidence, WeighedExplanations};
use crate::evidence::facts::{CaseId, RunFacts};
use crate::evidence::reasons;
use crate::evidence::stored_rows::failure_traits::{CHANCE_INDEX, FailureTraits};
use crate::evidence::stored_rows::history::{FailureMode, Observation, TestHistory};
use crate::evidence::stored_rows::window::RunView;
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};
use std::cell::LazyCell;

/// State of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// The test has failed since a change.
    Broken,
    /// The test fails by chance.
    Flaky,
    /// The test fails because of a test that ran before.
    Order,
    /// The test fails in some environments.
    Environment,
    /// The test has none of these problems.
    Healthy,
}

/// State of a test, with details of its failures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestSummary {
    /// State of the test.
    pub state: TestState,
    /// Verdict on the newest failure, if the test is broken.
    pub verdict: Option<VerdictKind>,
    /// Rate of failures by chance.
    pub flake_rate: Rate,
    /// The test that makes this test fail.
    pub polluter: Option<CaseId>,
    /// The condition under which the test fails.
    pub condition: Option<(String, String)>,
}

/// Derives the state of a test from its row and the view of the newest runs. The stored verdict on an error counts
/// while the test fails with that error, and again after those failures have left the window. In between, the error is
/// weighed again, because later runs add evidence. `conditions` are the [`RunView::varying_conditions`], which are the
/// same for all tests.
pub fn summarize_test(
    history: &TestHistory,
    view: &RunView<'_>,
    conditions: &[&(String, String)],
    traits: &FailureTraits,
) -> TestSummary {
    let cases = view.runs.iter().map(|run: &&RunFacts| run.ran).max().unwrap_or(0);
    let (mut verdict, mut polluter, mut condition) = (None, None, None);
    let mut chance_failures = history.retried.count_ones();
    for failure_mode in &history.failure_modes {
        let observations = history.observations(view, failure_mode.common);
        let fails_now = observations.last().is_some_and(|result| result.failed);
        let is_settled = fails_now || failure_mode.failed == 0;
        let settled = failure_mode.verdict_kind.filter(|_| is_settled);
        // Most settled verdicts do not need it.
        let weighed = LazyCell::new(|| {
            weigh_failure_mode(view, history, (failure_mode, &observations), cases, conditions, traits)
        });
        let kind = settled
            .unwrap_or_else(|| find_likeliest_verdict(view, history, (failure_mode, &observations), &weighed, traits));
        match kind {
            VerdictKind::Flaky => chance_failures += failure_mode.failures,
            VerdictKind::Order if weighed.polluter.is_some() => polluter = weighed.polluter.map(|(case, _)| case),
            VerdictKind::Environment if weighed.condition.is_some() => {
                condition.clone_from(&weighed.condition);
            }
            _ if fails_now => verdict = verdict.or(Some(kind)),
            _ => {}
        }
    }
    let state = match verdict {
        Some(_) => TestState::Broken,
        None if polluter.is_some() => TestState::Order,
        None if condition.is_some() => TestState::Environment,
        None if chance_failures > 0 => TestState::Flaky,
        None => TestState::Healthy,
    };
    TestSummary {
        state,
        verdict,
        flake_rate: Rate::from_counts(chance_failures, history.totals.runs),
        polluter,
        condition,
    }
}

/// Returns the verdict on the failures with an error, from the evidence at its last occurrence and from all later runs.
fn find_likeliest_verdict(
    view: &RunView<'_>,
    history: &TestHistory,
    (failure_mode, observations): (&FailureMode, &[Observation]),
    weighed: &WeighedExplanations,
    traits: &FailureTraits,
) -> VerdictKind {
    let failed = observations.iter().rposition(|result| result.failed).map_or(0, |last| last + 1);
    let tests_failing_by_chance = traits.count_tests_with_error(failure_mode.newest.signature)[CHANCE_INDEX];
    let may_be_chance = reasons::may_be_chance(view, Some(history), &observations[..failed], tests_failing_by_chance);
    let kinds = [VerdictKind::Regression, VerdictKind::Flaky, VerdictKind::Environment, VerdictKind::Order];
    let weighed: Vec<_> = kinds.into_iter().zip(weighed.probabilities_by_kind()).collect();
    VerdictKind::choose_likeliest(&weighed, true, may_be_chance).0
}

fn weigh_failure_mode(
    view: &RunView<'_>,
    history: &TestHistory,
    (failure_mode, observations): (&FailureMode, &[Observation]),
    cases: u32,
    conditions: &[&(String, String)],
    traits: &FailureTraits,
) -> WeighedExplanations {
    let evidence = ErrorEvidence {
        observations,
        failure: &failure_mode.newest,
        traits,
        tests_together: failure_mode.tests_together,
        order: failure_mode.order.as_ref(),
        both_outcomes: history.totals.both_outcomes > 0,
        stored_probabilities: weigh::stored_probabilities_outside_window(failure_mode),
        cases,
    };
    weigh::weigh(view, &evidence, conditions)
}
