//! Learns the properties of the failures of each kind in this project, from failures whose kind is certain.
//!
//! Projects differ: in some, every failure of the code has a function of the project in its stack, in others none has.
//! A refused connection may be chance or an outage. Therefore these properties are counted for each kind, once for each
//! cause, on top of a weak prior.

use crate::evidence::facts::Failure;
use crate::failure::category::Category;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of learned kinds: code, chance, environment, order.
pub const EXPLANATION_COUNT: usize = 4;
/// Index of chance among the kinds.
pub const CHANCE_INDEX: usize = 1;
/// Weight of the prior, as a number of failures.
const PRIOR_STRENGTH: f64 = 4.0;
/// Like [`PRIOR_STRENGTH`], for the distribution of a single error over the kinds.
const ERROR_PRIOR_STRENGTH: f64 = 2.0;
/// Prior share of failures with a function of the project, by kind. Failures of the code mostly have such a function;
/// failures by chance or by the environment mostly do not.
const WITH_FUNCTION_PRIOR: [f64; EXPLANATION_COUNT] = [0.8, 0.3, 0.35, 0.6];
/// Prior probability that a test is flaky.
pub const FLAKY_PRIOR: f64 = 0.05;
/// Minimum of [`FailureTraits::compute_flaky_prior`]. A lower value would accuse commits of the first failures by
/// chance.
const MIN_FLAKY_PRIOR: f64 = 0.02;
/// Maximum number of remembered errors.
const MAX_ERRORS: usize = 512;

/// Counted properties of the failures of each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FailureTraits {
    with_function: [u32; EXPLANATION_COUNT],
    failures: [u32; EXPLANATION_COUNT],
    categories: BTreeMap<Category, [u32; EXPLANATION_COUNT]>,
    /// For each error, the number of tests of each kind that failed with it.
    errors: BTreeMap<u64, [u32; EXPLANATION_COUNT]>,
}

impl FailureTraits {
    /// Counts the properties of a failure whose kind is certain.
    pub fn add_failure(&mut self, kind: usize, failure: &Failure) {
        self.failures[kind] += 1;
        self.with_function[kind] += u32::from(failure.function.is_some());
        self.categories.entry(failure.category).or_default()[kind] += 1;
    }

    /// Counts a test that failed with this error, and whose kind is certain.
    pub fn add_test_with_error(&mut self, kind: usize, signature: u64) {
        if self.errors.len() < MAX_ERRORS || self.errors.contains_key(&signature) {
            self.errors.entry(signature).or_default()[kind] += 1;
        }
    }

    /// Returns the number of tests of each kind that failed with this error.
    pub fn count_tests_with_error(&self, signature: u64) -> [u32; EXPLANATION_COUNT] {
        self.errors.get(&signature).copied().unwrap_or_default()
    }

    /// Returns the prior probability that a test is flaky, for a test that fails for the first time: the mean of a
    /// Gamma posterior of the share of such tests. Each test with failures by chance raises the share.
    /// `expected_failures` is the number of tests that would have failed by chance before if every test were flaky; it
    /// lowers the share. The share stays above a minimum, because flaky tests are added to every project.
    pub fn compute_flaky_prior(&self, expected_failures: f64) -> f64 {
        let flaky_tests = f64::from(self.failures[CHANCE_INDEX]);
        ((1.0 + flaky_tests) / (1.0 / FLAKY_PRIOR + expected_failures)).clamp(MIN_FLAKY_PRIOR, FLAKY_PRIOR)
    }

    /// For each kind, `ln` of the likelihood that a failure has the properties of this failure, up to a constant.
    pub fn log_likelihoods(&self, failure: &Failure) -> [f64; EXPLANATION_COUNT] {
        let error = self.errors.get(&failure.signature);
        std::array::from_fn(|kind| {
            let function = self.function_probability(kind);
            let function = if failure.function.is_some() { function } else { 1.0 - function };
            let error_factor =
                error.map_or_else(|| self.category_factor(kind, failure.category), |kinds| error_factor(kinds, kind));
            function.ln() + error_factor.ln()
        })
    }

    fn function_probability(&self, kind: usize) -> f64 {
        let (with, all) = (f64::from(self.with_function[kind]), f64::from(self.failures[kind]));
        (with + WITH_FUNCTION_PRIOR[kind] * PRIOR_STRENGTH) / (all + PRIOR_STRENGTH)
    }

    fn category_factor(&self, kind: usize, category: Category) -> f64 {
        let of_category = self.categories.get(&category).map_or(0, |kinds| kinds[kind]);
        let categories = u32::try_from(Category::ALL.len()).map_or(1.0, f64::from);
        (f64::from(of_category) + PRIOR_STRENGTH / categories) / (f64::from(self.failures[kind]) + PRIOR_STRENGTH)
            * categories
    }
}

/// Returns the likelihood factor of a kind, for an error that occurred in tests of these kinds.
fn error_factor(kinds: &[u32; EXPLANATION_COUNT], kind: usize) -> f64 {
    let all: u32 = kinds.iter().sum();
    let kinds_count = u32::try_from(EXPLANATION_COUNT).map_or(1.0, f64::from);
    (f64::from(kinds[kind]) * kinds_count + ERROR_PRIOR_STRENGTH) / (f64::from(all) + ERROR_PRIOR_STRENGTH)
}
