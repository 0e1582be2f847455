//! Explains a failure by the runs before it: a regression, an old failure, chance, the machine, the order of tests, or
//! the environment. Also finds the commit that introduced a failure and the change that fixed it.
//!
//! A run is judged from rows that are updated with each run and do not grow ([`kept`]): the newest runs, one row per
//! test, lasting causes, and fixes. Each explanation states how likely it makes the results of a test, with its unknown
//! rate integrated out, and Bayes' rule weighs the explanations ([`explanations`]). If the best explanation is not good
//! enough, the answer is that the cause is unknown.

pub mod explanations;
pub mod facts;
pub mod judge;
pub mod kept;
pub mod reasons;
pub mod sentences;
pub mod state;
pub mod suspects;
pub mod verdict;

#[cfg(test)]
mod tests;
