//! The rate at which a test fails without a cause.
//!
//! Failures of a flaky test are independent draws with an unknown rate, whose posterior is a Beta distribution. With
//! the rate integrated out, the likelihood of a sequence is that of Pólya's urn (beta-binomial).

use crate::evidence::explanations::urn::BetaPrior;
use crate::evidence::stored_rows::history::{Observation, TestHistory};
use crate::knowledge::rank::beta;
use serde::{Deserialize, Serialize};

/// Prior for the rate of a flaky test. Most flaky tests fail rarely and some often; the mean is about 1 in 10.
pub const RATE_PRIOR: BetaPrior = BetaPrior { failed: 0.5, passed: 5.0 };
/// Probability outside each end of the reported 90 % interval.
const TAIL_PROBABILITY: f64 = 0.05;

/// The posterior of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    failed: f64,
    passed: f64,
}

impl Rate {
    /// Returns the rate of failures among runs in which the test could have failed.
    pub fn from_counts(failures: u32, runs: u32) -> Self {
        let (failed, passed) = (f64::from(failures), f64::from(runs.saturating_sub(failures)));
        Self { failed: RATE_PRIOR.failed + failed, passed: RATE_PRIOR.passed + passed }
    }

    /// Returns the mean of the posterior.
    pub fn mean(self) -> f64 {
        self.failed / (self.failed + self.passed)
    }

    /// Returns the 90 % interval. It is slow to compute, so a list needs it only for the tests that it shows.
    pub fn interval(self) -> [f64; 2] {
        [TAIL_PROBABILITY, 1.0 - TAIL_PROBABILITY].map(|q| beta::quantile(q, self.failed.max(1.0), self.passed))
    }
}

/// `ln P` of the observations if each failure occurs by chance.
pub fn log_likelihood(observations: &[Observation]) -> f64 {
    let (failed, passed) = count_outcomes(observations);
    RATE_PRIOR.log_sequence(failed, passed)
}

/// Returns the probability that a flaky test fails at least once in a number of runs.
pub fn probability_of_failure_in(runs: u32) -> f64 {
    1.0 - RATE_PRIOR.log_sequence(0, runs).exp()
}

/// Counts the failures and the passes.
pub fn count_outcomes(observations: &[Observation]) -> (u32, u32) {
    let failed = u32::try_from(observations.iter().filter(|result| result.failed).count()).unwrap_or(u32::MAX);
    (failed, u32::try_from(observations.len()).unwrap_or(u32::MAX) - failed)
}

/// Returns the number of passes that prove a fix of a failure with this rate: `ceil(ln(1 - c) / ln(1 - f))`. One pass
/// is enough if the test failed every time.
pub fn count_passes_needed(rate: f64, confidence: f64) -> u32 {
    let needed = ((1.0 - confidence).ln() / (1.0 - rate).ln()).ceil();
    let in_range = (1..=MAX_NEEDED_PASSES).rev().find(|count| f64::from(*count) <= needed);
    in_range.unwrap_or(1)
}

/// Maximum number of passes to ask for, because tests are hardly ever run more often.
const MAX_NEEDED_PASSES: u32 = 1000;

/// Estimates the rate at which a test fails by chance from the number of runs in which both outcomes occurred on the
/// same tree.
pub fn compute_flake_rate(history: &TestHistory) -> f64 {
    let flips = history.totals.both_outcomes.min(history.totals.failures);
    Rate::from_counts(flips, history.totals.runs).mean()
}
