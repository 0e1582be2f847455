//! What a failure is, concluded from the runs before it: a regression, an old break, chance, the machine, the order, the
//! environment; which commit began it, and which change mended it.
//!
//! A run is judged from rows that are changed with each run and do not grow: the newest runs ([`window`]), one row for each
//! test ([`history`]), the causes that last ([`causes`]) and fixes ([`fixes`]). Each explanation says how likely it makes
//! what a test did, with its unknown rate integrated out, and they are weighed by Bayes' rule ([`mod@weigh`]). Where the best
//! is not good enough, the answer is that it is not known.

pub mod calibration;
pub mod causes;
pub mod code;
pub mod environment;
pub mod facts;
pub mod fixes;
pub mod flakiness;
pub mod history;
pub mod judge;
pub mod memory;
pub mod order;
pub mod outage;
pub mod reasons;
pub mod record;
pub mod state;
pub mod suspects;
pub mod traits;
pub mod urn;
pub mod verdict;
pub mod weigh;
pub mod window;

#[cfg(test)]
mod tests;
