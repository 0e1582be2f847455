//! Derives the state of a test from all of its runs.

use crate::evidence::explanations::flakiness::Rate;
use crate::evidence::explanations::weigh::{self, Seen, Weighed};
use crate::evidence::facts::{CaseId, RunFacts};
use crate::evidence::kept::history::{Observation, Strand, TestHistory};
use crate::evidence::kept::traits::{CHANCE, Traits};
use crate::evidence::kept::window::View;
use crate::evidence::reasons;
use crate::evidence::verdict::VerdictKind;
use serde::{Deserialize, Serialize};

/// State of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// It has failed since a change.
    Broken,
    /// It fails by chance.
    Flaky,
    /// Another test makes it fail.
    Order,
    /// It fails under a condition.
    Environment,
    /// It has no such problem.
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
/// weighed again, because later runs are evidence about it.
pub fn state_of(history: &TestHistory, view: &View<'_>, traits: &Traits) -> TestSummary {
    let conditions = view.all_conditions();
    let cases = view.runs.iter().map(|run: &&RunFacts| run.ran).max().unwrap_or(0);
    let (mut verdict, mut polluter, mut condition) = (None, None, None);
    let mut chance = history.retried.count_ones();
    for strand in &history.strands {
        let seen = history.observations(view, strand.common);
        let fails_now = seen.last().is_some_and(|one| one.failed);
        let weighed = weigh_strand(view, history, (strand, &seen), cases, &conditions, traits);
        let is_settled = fails_now || strand.failed == 0;
        let settled = strand.found.filter(|_| is_settled);
        let found = settled.unwrap_or_else(|| found(view, history, (strand, &seen), &weighed, traits));
        match found {
            VerdictKind::Flaky => chance += strand.failures,
            VerdictKind::Order if weighed.polluter.is_some() => polluter = weighed.polluter.map(|(case, _)| case),
            VerdictKind::Environment if weighed.condition.is_some() => condition = weighed.condition,
            _ if fails_now => verdict = verdict.or(Some(found)),
            _ => {}
        }
    }
    let state = match verdict {
        Some(_) => TestState::Broken,
        None if polluter.is_some() => TestState::Order,
        None if condition.is_some() => TestState::Environment,
        None if chance > 0 => TestState::Flaky,
        None => TestState::Healthy,
    };
    TestSummary { state, verdict, flake_rate: Rate::of(chance, history.totals.runs), polluter, condition }
}

/// Verdict on the failures with an error, from the evidence at its last occurrence and from all later runs.
fn found(
    view: &View<'_>,
    history: &TestHistory,
    (strand, seen): (&Strand, &[Observation]),
    weighed: &Weighed,
    traits: &Traits,
) -> VerdictKind {
    let failed = seen.iter().rposition(|one| one.failed).map_or(0, |last| last + 1);
    let chance_elsewhere = traits.tests_with(strand.newest.signature)[CHANCE];
    let may_be_chance = reasons::may_be_chance(view, Some(history), &seen[..failed], chance_elsewhere);
    let kinds = [VerdictKind::Regression, VerdictKind::Flaky, VerdictKind::Environment, VerdictKind::Order];
    let weighed: Vec<_> = kinds.into_iter().zip(weighed.chances()).collect();
    VerdictKind::likeliest(&weighed, true, may_be_chance).0
}

fn weigh_strand(
    view: &View<'_>,
    history: &TestHistory,
    (strand, seen): (&Strand, &[Observation]),
    cases: u32,
    conditions: &[&(String, String)],
    traits: &Traits,
) -> Weighed {
    let seen = Seen {
        observations: seen,
        looks: traits.log_likelihoods(&strand.newest),
        together: strand.together,
        order: strand.order.as_ref(),
        both_outcomes: history.totals.both_outcomes > 0,
        before: weigh::found_before(strand),
        cases,
    };
    weigh::weigh(view, &seen, conditions)
}
