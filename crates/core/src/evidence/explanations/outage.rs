//! The probability that the machine caused failures of a run: network, disk, memory, or a service that is down.
//!
//! An outage hits tests at random. Its failures are spread over files that have nothing in common, have the same error
//! everywhere, and do not come out of a function of the project. A change of the code hits the tests that use that
//! code.
//!
//! Many failures alone are not evidence of an outage, and neither is an error that no rule knows. There must be an
//! error that is typical of machines, an error of an earlier outage, or failures in several files whose stacks have no
//! line of the project and that no edit precedes.

use crate::evidence::facts::{ErrorSource, Failure, RunFacts};
use crate::failure::category::Category;
use std::collections::BTreeSet;

/// `ln` of the prior odds of an outage against a cause in the code. The other `_LOG_ODDS` are added to it.
const PRIOR_LOG_ODDS: f64 = -1.0;
/// Probability that a change of the code that broke a test breaks another test too. The number of broken tests then has
/// a geometric distribution with a mean of four.
pub(super) const NEXT_TEST_BREAK_PROBABILITY: f64 = 0.75;
/// Probability that a change of the code that broke tests in a file breaks tests in another file too. The number of
/// files then has a geometric distribution with a mean of two.
const NEXT_FILE_BREAK_PROBABILITY: f64 = 0.5;
/// Probability that a change breaks something that everything uses. Such a change breaks many tests in many files, as
/// an outage does. Therefore the number of failures and their spread over files are weak evidence.
pub(super) const BREAKS_ALL_PROBABILITY: f64 = 0.05;
/// Added if files were edited since the tests passed.
const EDITED_LOG_ODDS: f64 = -2.0;
/// Added if a change touched a file of the failures or something that their errors name
/// ([`ChangeRelation::TouchesFailures`]). A wrong import or port in the project looks like a machine error.
const TOUCHED_LOG_ODDS: f64 = -5.0;
/// Added for an error that code raises by itself. An outage can still cause such an error, because the code may get
/// unexpected values.
const CODE_ERROR_LOG_ODDS: f64 = -3.0;
/// Added for an error that is typical of machines.
const MACHINE_ERROR_LOG_ODDS: f64 = 2.0;
/// Added for an error of an earlier outage.
const KNOWN_OUTAGE_LOG_ODDS: f64 = 2.5;
/// Added if the run was interrupted.
const INTERRUPTED_LOG_ODDS: f64 = 1.5;
/// Minimum number of failures for which their number and their spread over files are evaluated.
const MIN_FAILURES_FOR_EXTENT: usize = 3;
/// Added if there are fewer failures than [`MIN_FAILURES_FOR_EXTENT`], because few failures are rarely an outage.
const FEW_FAILURES_LOG_ODDS: f64 = -3.0;
/// Limit of the log odds against an outage that the number of failures and their spread over files contribute.
const MAX_EXTENT_LOG_ODDS: f64 = 8.0;

/// Failures with the same cause.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    /// The failures.
    pub failures: &'a [Failure],
    /// True if an earlier outage had this error.
    pub known: bool,
    /// True if a test of the cluster passed before. Tests that never passed may be broken in many files, so the number
    /// of their failures and the spread over files are no evidence for an outage.
    pub has_passed: bool,
    /// Changes since the tests passed.
    pub change: ChangeRelation,
}

/// Changes since tests passed, by their relation to the failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeRelation {
    /// No change, or only commits that touch no file of the failures.
    Unrelated,
    /// Edits of files that are not part of the failures.
    UnrelatedEdits,
    /// A change of a file in most of the stacks, of a file that contains most of the tests, or of something that the
    /// errors name.
    TouchesFailures,
}

/// Returns the probability that the cluster is an outage.
pub fn compute_probability(run: &RunFacts, cluster: Cluster<'_>) -> f64 {
    let log_odds = log_odds(run, cluster);
    1.0 / (1.0 + (-log_odds).exp())
}

fn log_odds(run: &RunFacts, cluster: Cluster<'_>) -> f64 {
    let known = if cluster.known { KNOWN_OUTAGE_LOG_ODDS } else { 0.0 };
    let interrupted = if run.interrupted { INTERRUPTED_LOG_ODDS } else { 0.0 };
    let by_extent = if cluster.failures.len() < MIN_FAILURES_FOR_EXTENT {
        FEW_FAILURES_LOG_ODDS
    } else {
        let log_odds = extent_log_odds(run, cluster.failures);
        if cluster.has_passed && has_machine_evidence(cluster) { log_odds } else { log_odds.min(0.0) }
    };
    let by_change = match cluster.change {
        ChangeRelation::Unrelated => 0.0,
        ChangeRelation::UnrelatedEdits => EDITED_LOG_ODDS,
        ChangeRelation::TouchesFailures => TOUCHED_LOG_ODDS,
    };
    PRIOR_LOG_ODDS
        + interrupted
        + by_extent
        + by_change
        + mean_log_odds(cluster.failures, error_log_odds)
        + mean_log_odds(cluster.failures, stack_log_odds)
        + known
}

/// Returns `true` if there is evidence for an outage besides the number of failures and their spread over files.
fn has_machine_evidence(cluster: Cluster<'_>) -> bool {
    let is_in_many_files = cluster.failures.iter().any(|failure| failure.file != cluster.failures[0].file);
    cluster.known
        || mean_log_odds(cluster.failures, error_log_odds) > 0.0
        || is_in_many_files
            && cluster.change == ChangeRelation::Unrelated
            && mean_log_odds(cluster.failures, stack_log_odds) > 0.0
}

/// Share of the failures of an outage that have another error than the outage.
const OTHER_ERROR_SHARE: f64 = 0.05;
/// Probability that a test without known failures fails for another reason in this run.
const OTHER_CAUSE_PROBABILITY: f64 = 0.01;

/// Returns the probability that an otherwise unexplained failure is part of an outage of its run, although it has
/// another error. `hit` is the share of the run's tests that failed because of the outage.
pub fn residual_probability(hit: f64, failure: &Failure) -> f64 {
    let odds = (hit * OTHER_ERROR_SHARE).ln() - OTHER_CAUSE_PROBABILITY.ln()
        + error_log_odds(failure)
        + stack_log_odds(failure);
    1.0 / (1.0 + (-odds).exp())
}

fn mean_log_odds(failures: &[Failure], log_odds: impl Fn(&Failure) -> f64) -> f64 {
    failures.iter().map(log_odds).sum::<f64>() / count_as_f64(failures).max(1.0)
}

fn count_as_f64<T>(items: &[T]) -> f64 {
    u32::try_from(items.len()).map_or(f64::MAX, f64::from)
}

/// Returns `ln` of the odds of an outage, from the number of failures and their spread over files. The alternatives are
/// a change that breaks little, and a change that breaks something that everything uses.
fn extent_log_odds(run: &RunFacts, failures: &[Failure]) -> f64 {
    let (number, spread) = (number_log_likelihoods(run, failures), spread_log_likelihoods(run, failures));
    let (by_outage, by_code) = (number.0 + spread.0, number.1 + spread.1);
    let by_code = (1.0 - BREAKS_ALL_PROBABILITY) * by_code.exp() + BREAKS_ALL_PROBABILITY * by_outage.exp();
    (by_outage - by_code.ln()).max(-MAX_EXTENT_LOG_ODDS)
}

/// `ln P` of the number of failures, for an outage and for a change that breaks little. An outage is equally likely to
/// hit any number of tests.
fn number_log_likelihoods(run: &RunFacts, failures: &[Failure]) -> (f64, f64) {
    let many = count_as_f64(failures);
    let by_code = (1.0 - NEXT_TEST_BREAK_PROBABILITY).ln() + (many - 1.0) * NEXT_TEST_BREAK_PROBABILITY.ln();
    let by_outage = -f64::from(run.ran.max(1)).ln();
    (by_outage, by_code)
}

/// `ln P` of the number of files, for an outage and for a change that breaks little. An outage hits as many files as
/// contain the same number of randomly drawn tests.
fn spread_log_likelihoods(run: &RunFacts, failures: &[Failure]) -> (f64, f64) {
    let files = count_as_f64(
        &failures.iter().map(|failure| failure.file).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>(),
    );
    let all = f64::from(run.files.max(1));
    let hit = count_as_f64(failures) / f64::from(run.ran.max(1));
    let missed = (1.0 - hit.min(1.0)).powf(f64::from(run.ran) / all);
    let expected = (all * (1.0 - missed)).max(1.0);
    let variance = (expected * missed).max(0.5);
    let short = (expected - files).max(0.0);
    let by_outage = -short * short / (2.0 * variance) - 0.5 * (std::f64::consts::TAU * variance).ln().max(0.0);
    let by_code = (1.0 - NEXT_FILE_BREAK_PROBABILITY).ln() + (files - 1.0) * NEXT_FILE_BREAK_PROBABILITY.ln();
    (by_outage, by_code)
}

/// Returns `ln` of the odds that the machine caused the error and not the code.
fn error_log_odds(failure: &Failure) -> f64 {
    match failure.source {
        ErrorSource::Code => CODE_ERROR_LOG_ODDS,
        ErrorSource::Machine => MACHINE_ERROR_LOG_ODDS,
        ErrorSource::Unknown => category_log_odds(failure.category),
    }
}

fn category_log_odds(category: Category) -> f64 {
    match category {
        Category::NetworkError | Category::ConnectionRefused | Category::ContainerOom | Category::ContainerCrash => {
            MACHINE_ERROR_LOG_ODDS
        }
        Category::HttpError | Category::Timeout => 1.0,
        Category::ConfigError | Category::Unknown => -0.5,
        Category::AssertionMismatch | Category::MockMismatch => CODE_ERROR_LOG_ODDS,
    }
}

/// Returns `ln` of the odds of an outage, judged by the stack. A stack without a line of the project is evidence for an
/// outage, because outages occur in libraries or in the system. It is no evidence if the code raises the error by
/// itself, because tests raise such errors too.
fn stack_log_odds(failure: &Failure) -> f64 {
    match failure.source {
        // A machine error occurs wherever the project uses the missing resource.
        ErrorSource::Machine => 0.0,
        ErrorSource::Unknown if failure.function.is_none() && !failure.in_project => 1.0,
        _ => -2.0,
    }
}

/// Share of the probability of the code that is assigned to the machine instead. Applies to a test that fails with an
/// error that is typical of machines, if no change touched a file of its stack or something that the error names.
pub const MACHINE_SHARE: f64 = 0.8;

/// Returns `true` if the category is typical of machine failures.
pub fn is_machine_category(category: Category) -> bool {
    category_log_odds(category) > 0.0
}
