//! The probability that the machine caused failures of a run: network, disk, memory, or a service that is down.
//!
//! An outage hits tests at random. Its failures are spread over files that have nothing in common, have one error
//! everywhere, and do not come out of a function of the project. A change of the code hits the tests that use that
//! code.
//!
//! Many failures alone are no evidence of an outage, and neither is an error that no rule knows. There must be an error
//! that is typical of machines, an error of an earlier outage, or failures without a line of the project in several
//! files, without an edit before them.

use crate::evidence::facts::{ErrorSource, Failure, RunFacts};
use crate::failure::category::Category;
use std::collections::BTreeSet;

/// `ln` of the prior odds of an outage against another cause in the code.
const PRIOR_LOG_ODDS: f64 = -1.0;
/// Parameter of the geometric distribution of the tests that a change of the code breaks; the mean is four tests.
pub(super) const NEXT_TEST_BREAKS: f64 = 0.75;
/// Parameter of the geometric distribution of the files with tests that a change breaks; the mean is two files.
const NEXT_FILE_BREAKS: f64 = 0.5;
/// Probability that a change breaks something that everything uses. Such a change hits tests and files like an outage,
/// so that number and spread alone are weak evidence.
pub(super) const BREAKS_ALL: f64 = 0.05;
/// For files that were edited since the tests passed.
const EDITED_LOG_ODDS: f64 = -2.0;
/// For an error that code raises by itself. It is not impossible in an outage, because a machine can make code meet
/// unexpected values.
const OF_CODE_LOG_ODDS: f64 = -3.0;
/// For an error that is typical of machines.
const OF_MACHINE_LOG_ODDS: f64 = 2.0;
/// For an error of an earlier outage.
const KNOWN_LOG_ODDS: f64 = 2.5;
/// For a run that was interrupted.
const INTERRUPTED_LOG_ODDS: f64 = 1.5;
/// Minimum number of failures for their number and spread to count, even in a small run.
const FEW_FAILURES: usize = 3;
/// For less than [`FEW_FAILURES`] failures, which are an outage less often.
const FEW_LOG_ODDS: f64 = -3.0;
/// Maximum evidence of number and spread against an outage.
const MAX_LOG_ODDS: f64 = 8.0;

/// Failures with the same cause.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    /// The failures.
    pub failures: &'a [Failure],
    /// True if failures with this error were an outage before.
    pub known: bool,
    /// True if a test of the cluster passed before. Tests that never passed may be broken all over the project, so that
    /// their number and spread do not show an outage. Then the errors have to be typical of machines.
    pub has_passed: bool,
    /// Changes since the tests passed.
    pub change: Change,
}

/// Changes since tests passed, by their relation to the failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// No change, or only commits that touch no file of the failures.
    Elsewhere,
    /// Edits of files that are not part of the failures.
    Edits,
    /// A change of a file in most of the stacks, of a file that contains most of the tests, or of something that the
    /// errors name.
    Touches,
}

/// Probability that the cluster is an outage.
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

/// Returns `true` if there is evidence for the machine other than number and spread.
fn shows_machine(cluster: Cluster<'_>) -> bool {
    let is_in_many_files = cluster.failures.iter().any(|one| one.file != cluster.failures[0].file);
    cluster.known
        || mean(cluster.failures, by_error) > 0.0
        || is_in_many_files && cluster.change == Change::Elsewhere && mean(cluster.failures, by_stack) > 0.0
}

/// Share of the failures of an outage that have another error than the outage.
const OTHER_ERROR: f64 = 0.05;
/// Probability that a test without known failures fails for another reason in this run.
const OTHER_CAUSE: f64 = 0.01;

/// Probability that an otherwise unexplained failure is part of an outage of its run, although it has another error.
/// `hit` is the share of the run's tests that failed because of the outage.
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

/// `ln` of the odds of an outage from number and spread, against a change that breaks little or that breaks something
/// that everything uses.
fn by_extent(run: &RunFacts, failures: &[Failure]) -> f64 {
    let (number, spread) = (by_number(run, failures), by_spread(run, failures));
    let (by_outage, by_code) = (number.0 + spread.0, number.1 + spread.1);
    let by_code = (1.0 - BREAKS_ALL) * by_code.exp() + BREAKS_ALL * by_outage.exp();
    (by_outage - by_code.ln()).max(-MAX_LOG_ODDS)
}

/// `ln P` of the number of failures, for an outage and for a change that breaks little. An outage is equally likely to
/// hit any number of tests.
fn by_number(run: &RunFacts, failures: &[Failure]) -> (f64, f64) {
    let many = count_of(failures);
    let by_code = (1.0 - NEXT_TEST_BREAKS).ln() + (many - 1.0) * NEXT_TEST_BREAKS.ln();
    let by_outage = -f64::from(run.ran.max(1)).ln();
    (by_outage, by_code)
}

/// `ln P` of the number of files, for an outage and for a change that breaks little. An outage hits as many files as
/// contain the same number of randomly drawn tests.
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

/// `ln` of the odds of the machine against the code from the error.
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

/// `ln` of the odds from the stack. An outage occurs in a library or in the system. Errors that code raises by itself
/// are raised in tests as well.
fn by_stack(failure: &Failure) -> f64 {
    match failure.source {
        // A machine error occurs wherever the project uses the missing resource.
        ErrorSource::Machine => 0.0,
        ErrorSource::Unknown if failure.function.is_none() && !failure.in_project => 1.0,
        _ => -2.0,
    }
}

/// Share of the evidence for the code that counts for the machine instead, if a test fails with an error that is
/// typical of machines and no change touched its stack or something that the error names.
pub const MACHINE_SHARE: f64 = 0.8;

/// Returns `true` if the category is typical of machine failures.
pub fn is_of_machine(category: Category) -> bool {
    by_category(category) > 0.0
}
