//! What a test is, after all runs.

use crate::evidence::explanations::flakiness::Rate;
use crate::evidence::explanations::weigh::{self, Seen, Weighed};
use crate::evidence::facts::{CaseId, RunFacts};
use crate::evidence::kept::history::{Strand, TestHistory};
use crate::evidence::kept::traits::Traits;
use crate::evidence::kept::window::{View, Window};
use serde::{Deserialize, Serialize};

/// What a test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// It fails since some change.
    Broken,
    /// It fails by chance.
    Flaky,
    /// Another test breaks it.
    Order,
    /// A condition breaks it.
    Environment,
    /// None of that.
    Healthy,
}

/// A test with what is known of how it fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestSummary {
    /// What it is.
    pub state: TestState,
    /// How often it fails by chance.
    pub flake_rate: Rate,
    /// The test that breaks it.
    pub polluter: Option<CaseId>,
    /// The condition that breaks it.
    pub condition: Option<(String, String)>,
}

/// What the test is, from its row and the newest runs.
pub fn state_of(history: &TestHistory, window: &Window, traits: &Traits) -> TestSummary {
    let view = window.view();
    let conditions = view.all_conditions();
    let cases = view.runs.iter().map(|run: &&RunFacts| run.ran).max().unwrap_or(0);
    let mut summary = TestSummary {
        state: TestState::Healthy,
        flake_rate: Rate::of(0, history.totals.runs),
        polluter: None,
        condition: None,
    };
    let mut chance = history.retried.count_ones();
    for strand in &history.strands {
        let (weighed, fails_now) = weigh_strand(&view, history, strand, cases, &conditions, traits);
        let best = weighed.chances().into_iter().fold(0.0, f64::max);
        if weighed.flaky >= best {
            chance += strand.failures;
        } else if weighed.order >= best {
            summary.polluter = weighed.polluter.map(|(case, _)| case);
        } else if weighed.environment >= best {
            summary.condition = weighed.condition;
        } else if fails_now {
            summary.state = TestState::Broken;
        }
    }
    summary.flake_rate = Rate::of(chance, history.totals.runs);
    summary.state = match summary.state {
        TestState::Broken => TestState::Broken,
        _ if summary.polluter.is_some() => TestState::Order,
        _ if summary.condition.is_some() => TestState::Environment,
        _ if chance > 0 => TestState::Flaky,
        state => state,
    };
    summary
}

fn weigh_strand(
    view: &View<'_>,
    history: &TestHistory,
    strand: &Strand,
    cases: u32,
    conditions: &[&(String, String)],
    traits: &Traits,
) -> (Weighed, bool) {
    let observations = history.observations(view, strand.common);
    let seen = Seen {
        observations: &observations,
        looks: traits.log_likelihoods(&strand.newest),
        together: f64::from(strand.together),
        order: strand.order.as_ref(),
        both_outcomes: history.totals.both_outcomes > 0,
        before: weigh::found_before(strand),
        cases,
    };
    let fails_now = observations.last().is_some_and(|one| one.failed);
    (weigh::weigh(view, &seen, conditions), fails_now)
}
