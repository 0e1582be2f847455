//! The rate at which a test fails without a cause.
//!
//! Failures of a flaky test are independent draws with an unknown rate, whose posterior is a Beta distribution. With
//! the rate integrated out, the likelihood of a sequence is that of Pólya's urn (beta-binomial).

use crate::evidence::explanations::urn::Beta;
use crate::evidence::kept::history::{Observation, TestHistory};
use crate::knowledge::rank::beta;
use serde::{Deserialize, Serialize};

/// Prior for the rate of a flaky test. Most flaky tests fail rarely and some often; the mean is about 1 in 10.
pub const RATE_PRIOR: Beta = Beta { failed: 0.5, passed: 5.0 };
/// Probability outside each end of the reported 90 % interval.
const TAIL: f64 = 0.05;

/// A rate with its 90 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Mean of the posterior.
    pub mean: f64,
    /// 5 % quantile.
    pub low: f64,
    /// 95 % quantile.
    pub high: f64,
}

impl Rate {
    /// The rate of failures among runs in which the test could have failed.
    pub fn of(failures: u32, runs: u32) -> Self {
        let (k, m) = (f64::from(failures), f64::from(runs.saturating_sub(failures)));
        let (a, b) = (RATE_PRIOR.failed + k, RATE_PRIOR.passed + m);
        let quantile = |q: f64| beta::quantile(q, a.max(1.0), b);
        Self { mean: a / (a + b), low: quantile(TAIL), high: quantile(1.0 - TAIL) }
    }
}

/// `ln P` of the observations if each failure is chance.
pub fn log_likelihood(seen: &[Observation]) -> f64 {
    let (failed, passed) = counts(seen);
    RATE_PRIOR.log_sequence(failed, passed)
}

/// Number of failures and number of passes.
pub fn counts(seen: &[Observation]) -> (u32, u32) {
    let failed = u32::try_from(seen.iter().filter(|one| one.failed).count()).unwrap_or(u32::MAX);
    (failed, u32::try_from(seen.len()).unwrap_or(u32::MAX) - failed)
}

/// Number of passes that prove a fix of a failure with this rate: `ceil(ln(1 - c) / ln(1 - f))`. One pass is enough for
/// a failure that always came.
pub fn passes_that_prove(rate: f64, confidence: f64) -> u32 {
    let needed = ((1.0 - confidence).ln() / (1.0 - rate).ln()).ceil();
    let in_range = (1..=MAX_PASSES).rev().find(|count| f64::from(*count) <= needed);
    in_range.unwrap_or(1)
}

/// Maximum number of passes, because a test is hardly ever run more often.
const MAX_PASSES: u32 = 1000;

/// The rate at which a test fails by chance, for rules that only need a number. Counts runs in which both outcomes
/// occurred on the same tree.
pub fn chance_rate(history: &TestHistory) -> f64 {
    let flips = history.totals.both_outcomes.min(history.totals.failures);
    Rate::of(flips, history.totals.runs).mean
}
