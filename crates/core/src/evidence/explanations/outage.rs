//! Whether failures of a run are the machine's: network, disk, memory, a service that is down.
//!
//! An outage hits tests as they come: it is spread over files that have nothing in common, it brings one error everywhere,
//! and that error does not come out of a function of the project. A change of the code hits what uses that code.
//!
//! Many failures are no evidence by themselves, nor is an error that no rule knows. It takes an error that machines have, one
//! that was an outage before, or failures without a line of the project in files that share none, with no edit before them.

use crate::evidence::facts::{ErrorSource, Failure, RunFacts};
use crate::failure::category::Category;
use std::collections::BTreeSet;

/// That a run has an outage, against that it has one more cause in the code: `ln` of the odds.
const PRIOR_LOG_ODDS: f64 = -1.0;
/// Tests that a change of the code breaks: geometric, four on average.
pub(super) const NEXT_TEST_BREAKS: f64 = 0.75;
/// Files that a change of the code breaks tests of: geometric, two on average.
const NEXT_FILE_BREAKS: f64 = 0.5;
/// That a change breaks what everything uses, which hits tests and files as an outage does: neither says much by itself.
pub(super) const BREAKS_ALL: f64 = 0.05;
/// Files were edited since the tests passed.
const EDITED_LOG_ODDS: f64 = -2.0;
/// An error that code raises by itself, where a machine makes code meet what it does not expect.
const OF_CODE_LOG_ODDS: f64 = -3.0;
/// An error that machines have.
const OF_MACHINE_LOG_ODDS: f64 = 2.0;
/// The same error was an outage before.
const KNOWN_LOG_ODDS: f64 = 2.5;
/// The run did not come to its end.
const INTERRUPTED_LOG_ODDS: f64 = 1.5;
/// Failures below which nothing is spread, however small the run is.
const FEW_FAILURES: usize = 3;
/// So few failures of a run are an outage more seldom, and their number and spread say nothing.
const FEW_LOG_ODDS: f64 = -3.0;
/// What number and spread can say against an outage at most.
const MAX_LOG_ODDS: f64 = 8.0;

/// What is known of failures that have one cause.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    /// They.
    pub failures: &'a [Failure],
    /// Whether failures with this error were an outage before.
    pub known: bool,
    /// Whether one of the tests passed before. What never did may as well be broken, all over the project: then their number
    /// and spread speak for no outage, and what machines fail with has to.
    pub has_passed: bool,
    /// What was changed since they passed.
    pub change: Change,
}

/// What was changed since tests passed, as far as they have to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing, or commits that touch no file of the failures.
    Elsewhere,
    /// Files were edited, none of them in the failures.
    Edits,
    /// A file in the stacks of most failures, or that most tests lie in, or something that the errors name.
    Touches,
}

/// The chance that the cluster is an outage.
pub fn probability(run: &RunFacts, cluster: Cluster<'_>) -> f64 {
    let log_odds = log_odds(run, cluster);
    1.0 / (1.0 + (-log_odds).exp())
}

fn log_odds(run: &RunFacts, cluster: Cluster<'_>) -> f64 {
    let known = if cluster.known { KNOWN_LOG_ODDS } else { 0.0 };
    let interrupted = if run.interrupted { INTERRUPTED_LOG_ODDS } else { 0.0 };
    let by_extent = if cluster.failures.len() < FEW_FAILURES {
        FEW_LOG_ODDS
    } else {
        let extent = by_extent(run, cluster.failures);
        if cluster.has_passed && shows_machine(cluster) { extent } else { extent.min(0.0) }
    };
    let by_change = if cluster.change == Change::Elsewhere { 0.0 } else { EDITED_LOG_ODDS };
    PRIOR_LOG_ODDS
        + interrupted
        + by_extent
        + by_change
        + mean(cluster.failures, by_error)
        + mean(cluster.failures, by_stack)
        + known
}

/// Whether anything but number and spread speaks for the machine.
fn shows_machine(cluster: Cluster<'_>) -> bool {
    let is_in_many_files = cluster.failures.iter().any(|one| one.file != cluster.failures[0].file);
    cluster.known
        || mean(cluster.failures, by_error) > 0.0
        || is_in_many_files && cluster.change == Change::Elsewhere && mean(cluster.failures, by_stack) > 0.0
}

/// An outage brings one error; this share of it has another.
const OTHER_ERROR: f64 = 0.05;
/// That a test that is not known to fail does so by something else in this run.
const OTHER_CAUSE: f64 = 0.01;

/// The chance that a failure which nothing else explains is part of an outage of its run, though its error is another.
/// `hit`: the share of the run's tests that failed by the outage.
pub fn residual_probability(hit: f64, failure: &Failure) -> f64 {
    let odds = (hit * OTHER_ERROR).ln() - OTHER_CAUSE.ln() + by_error(failure) + by_stack(failure);
    1.0 / (1.0 + (-odds).exp())
}

fn mean(failures: &[Failure], of: impl Fn(&Failure) -> f64) -> f64 {
    failures.iter().map(of).sum::<f64>() / count_of(failures).max(1.0)
}

fn count_of<T>(items: &[T]) -> f64 {
    u32::try_from(items.len()).map_or(f64::MAX, f64::from)
}

/// `ln` of the odds of an outage by number and spread, against a change that breaks little or what everything uses.
fn by_extent(run: &RunFacts, failures: &[Failure]) -> f64 {
    let (number, spread) = (by_number(run, failures), by_spread(run, failures));
    let (by_outage, by_code) = (number.0 + spread.0, number.1 + spread.1);
    let by_code = (1.0 - BREAKS_ALL) * by_code.exp() + BREAKS_ALL * by_outage.exp();
    (by_outage - by_code.ln()).max(-MAX_LOG_ODDS)
}

/// An outage hits any number of the run's tests alike. `ln P` by an outage and by a change that breaks little.
fn by_number(run: &RunFacts, failures: &[Failure]) -> (f64, f64) {
    let many = count_of(failures);
    let by_code = (1.0 - NEXT_TEST_BREAKS).ln() + (many - 1.0) * NEXT_TEST_BREAKS.ln();
    let by_outage = -f64::from(run.ran.max(1)).ln();
    (by_outage, by_code)
}

/// An outage hits as many files as that many tests drawn at random lie in. The same of files.
fn by_spread(run: &RunFacts, failures: &[Failure]) -> (f64, f64) {
    let files = count_of(&failures.iter().map(|one| one.file).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
    let all = f64::from(run.files.max(1));
    let hit = count_of(failures) / f64::from(run.ran.max(1));
    let missed = (1.0 - hit.min(1.0)).powf(f64::from(run.ran) / all);
    let expected = (all * (1.0 - missed)).max(1.0);
    let variance = (expected * missed).max(0.5);
    let short = (expected - files).max(0.0);
    let by_outage = -short * short / (2.0 * variance) - 0.5 * (std::f64::consts::TAU * variance).ln().max(0.0);
    let by_code = (1.0 - NEXT_FILE_BREAKS).ln() + (files - 1.0) * NEXT_FILE_BREAKS.ln();
    (by_outage, by_code)
}

/// What machines fail with, against what code fails with.
fn by_error(failure: &Failure) -> f64 {
    match failure.source {
        ErrorSource::Code => OF_CODE_LOG_ODDS,
        ErrorSource::Machine => OF_MACHINE_LOG_ODDS,
        ErrorSource::Unknown => by_category(failure.category),
    }
}

fn by_category(category: Category) -> f64 {
    match category {
        Category::NetworkError | Category::ConnectionRefused | Category::ContainerOom | Category::ContainerCrash => {
            OF_MACHINE_LOG_ODDS
        }
        Category::HttpError | Category::Timeout => 1.0,
        Category::ConfigError | Category::Unknown => -0.5,
        Category::AssertionMismatch | Category::MockMismatch => OF_CODE_LOG_ODDS,
    }
}

/// An outage is met in a library or at the system; what code raises by itself is raised in tests as well.
fn by_stack(failure: &Failure) -> f64 {
    match failure.source {
        // It is met wherever the project asks for what is not there.
        ErrorSource::Machine => 0.0,
        ErrorSource::Unknown if failure.function.is_none() && !failure.in_project => 1.0,
        _ => -2.0,
    }
}

/// How much of what speaks for the code speaks for the machine instead, where a test fails with an error that machines have
/// and nothing was changed that the failure has in its stack or names.
pub const MACHINE_SHARE: f64 = 0.8;

/// Whether the category is one that machines fail with.
pub fn is_of_machine(category: Category) -> bool {
    by_category(category) > 0.0
}
