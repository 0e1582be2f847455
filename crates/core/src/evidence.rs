//! Explains why a test failed, from the results of earlier runs: a regression, a failure that continues, chance, the
//! machine, the order of tests, or the environment. Also finds the commit that introduced a failure and the change that
//! fixed it.
//!
//! Verdicts use only rows of bounded size, which each run updates ([`stored_rows`]): the newest runs, one row per test,
//! lasting causes, and fixes. For each explanation, [`explanations`] computes the likelihood of the test's results,
//! with the unknown failure rate integrated out. Bayes' rule turns the likelihoods into probabilities. If no
//! explanation is probable enough, the verdict is `unknown`.

pub mod explanations;
pub mod facts;
pub mod judge;
pub mod reasons;
pub mod sentences;
pub mod stored_rows;
pub mod suspects;
pub mod test_state;
pub mod verdict;
pub mod walls;

#[cfg(test)]
mod tests;
