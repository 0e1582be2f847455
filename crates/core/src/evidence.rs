//! What a failure is, concluded from the runs before it: a regression, an old break, chance, the machine, the order, the
//! environment; which commit began it, and which change mended it.
//!
//! A run is judged from rows that are changed with each run and do not grow ([`kept`]): the newest runs, one row for each
//! test, the causes that last and fixes. Each explanation says how likely it makes what a test did, with its unknown rate
//! integrated out, and they are weighed by Bayes' rule ([`explanations`]). Where the best is not good enough, the answer is
//! that it is not known.

pub mod explanations;
pub mod facts;
pub mod judge;
pub mod kept;
pub mod reasons;
pub mod state;
pub mod suspects;
pub mod verdict;

#[cfg(test)]
mod tests;
