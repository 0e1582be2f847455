//! The likelihood of a sequence of outcomes with an unknown rate: Pólya's urn (beta-binomial).

use crate::knowledge::rank::beta;

/// A Beta distribution of a failure rate, as pseudo-counts of failures and passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BetaPrior {
    /// Failures.
    pub failed: f64,
    /// Passes.
    pub passed: f64,
}

impl BetaPrior {
    /// `ln P` of a particular sequence of `failed` failures and `passed` passes, with the rate integrated out:
    /// `B(a + k, b + n - k) / B(a, b)`.
    pub fn log_sequence(self, failed: u32, passed: u32) -> f64 {
        let (k, m) = (f64::from(failed), f64::from(passed));
        let log_beta = |a: f64, b: f64| beta::ln_gamma(a) + beta::ln_gamma(b) - beta::ln_gamma(a + b);
        log_beta(self.failed + k, self.passed + m) - log_beta(self.failed, self.passed)
    }
}

/// The prior under the deciding condition: the test almost always fails.
pub const FAILS_WITH_CONDITION: BetaPrior = BetaPrior { failed: 12.0, passed: 0.5 };
/// The prior without the deciding condition: the test almost never fails.
pub const FAILS_WITHOUT_CONDITION: BetaPrior = BetaPrior { failed: 0.1, passed: 20.0 };
