//! Learns how failures of each kind look in this project, from failures whose kind is certain.
//!
//! Projects differ: in some, every failure of the code has a function of the project in its stack, in others none has.
//! A refused connection may be chance or an outage. Therefore these properties are counted for each kind, once for each
//! error of a test, on top of a weak prior.

use crate::evidence::facts::Failure;
use crate::failure::category::Category;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of learned kinds: code, chance, environment, order.
pub const KINDS: usize = 4;
/// Index of chance among the kinds.
pub const CHANCE: usize = 1;
/// Number of failures that the prior counts as.
const PRIOR_STRENGTH: f64 = 4.0;
/// Like [`PRIOR_STRENGTH`], for the kinds of a single error.
const ERROR_PRIOR_STRENGTH: f64 = 2.0;
/// Prior share of failures with a function of the project, by kind. Failures of the code mostly have such a function;
/// failures by chance or by the environment mostly do not.
const WITH_FUNCTION: [f64; KINDS] = [0.8, 0.3, 0.35, 0.6];
/// Maximum number of remembered errors.
const MAX_ERRORS: usize = 512;

/// Counted properties of the failures of each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traits {
    with_function: [u32; KINDS],
    failures: [u32; KINDS],
    categories: BTreeMap<Category, [u32; KINDS]>,
    /// For each error, the number of tests of each kind that failed with it.
    errors: BTreeMap<u64, [u32; KINDS]>,
}

impl Traits {
    /// Counts a failure whose kind is certain.
    pub fn learn(&mut self, kind: usize, failure: &Failure) {
        self.failures[kind] += 1;
        self.with_function[kind] += u32::from(failure.function.is_some());
        self.categories.entry(failure.category).or_default()[kind] += 1;
        if self.errors.len() < MAX_ERRORS || self.errors.contains_key(&failure.signature) {
            self.errors.entry(failure.signature).or_default()[kind] += 1;
        }
    }

    /// Number of tests of each kind that failed with this error.
    pub fn tests_with(&self, signature: u64) -> [u32; KINDS] {
        self.errors.get(&signature).copied().unwrap_or_default()
    }

    /// For each kind, `ln` of the likelihood that its failures look like this failure, up to a constant.
    pub fn log_likelihoods(&self, failure: &Failure) -> [f64; KINDS] {
        let error = self.errors.get(&failure.signature);
        std::array::from_fn(|kind| {
            let function = self.with_function(kind);
            let function = if failure.function.is_some() { function } else { 1.0 - function };
            let looks = error.map_or_else(|| self.category(kind, failure.category), |kinds| of_error(kinds, kind));
            function.ln() + looks.ln()
        })
    }

    fn with_function(&self, kind: usize) -> f64 {
        let (with, all) = (f64::from(self.with_function[kind]), f64::from(self.failures[kind]));
        (with + WITH_FUNCTION[kind] * PRIOR_STRENGTH) / (all + PRIOR_STRENGTH)
    }

    fn category(&self, kind: usize, category: Category) -> f64 {
        let of_category = self.categories.get(&category).map_or(0, |kinds| kinds[kind]);
        let categories = u32::try_from(Category::ALL.len()).map_or(1.0, f64::from);
        (f64::from(of_category) + PRIOR_STRENGTH / categories) / (f64::from(self.failures[kind]) + PRIOR_STRENGTH)
            * categories
    }
}

/// Likelihood factor of a kind, for an error that occurred in tests of these kinds.
fn of_error(kinds: &[u32; KINDS], kind: usize) -> f64 {
    let all: u32 = kinds.iter().sum();
    let kinds_count = u32::try_from(KINDS).map_or(1.0, f64::from);
    (f64::from(kinds[kind]) * kinds_count + ERROR_PRIOR_STRENGTH) / (f64::from(all) + ERROR_PRIOR_STRENGTH)
}
