//! Evidence for the explanation that an earlier test makes a test fail, and the identity of that earlier test.
//!
//! Candidates are the tests that ran before the failing test in a failing run, except for tests that also ran before it
//! in a passing run. So a test that never failed needs no storage, and a failure in the usual order has no candidates.

use crate::evidence::explanations::urn::{FAILS_WITH_CONDITION, FAILS_WITHOUT_CONDITION};
use crate::evidence::facts::{CaseId, RunSeq};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of candidates that are kept for an error. If there are more, the search starts again with the next
/// failing run.
pub const MAX_CANDIDATES: usize = 2048;
/// Maximum number of tests before a failing test. The limit keeps the time for a verdict independent of the size of the
/// project.
const MAX_PREDECESSORS: usize = 16_384;
/// Maximum number of tests before all failing tests of a run together. The limit keeps the evidence of a run below
/// about 8 MB. Without it, a run in which all tests fail would take time and space for each pair of tests.
const MAX_PREDECESSORS_OF_RUN: usize = 131_072;
/// Number of exceptions that a candidate may have, because chance can explain a few.
const MAX_EXCEPTIONS: u16 = 2;

/// The cases of a run in the order of execution, or in any order if the order of execution is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    cases: Vec<CaseId>,
    positions: HashMap<CaseId, u32>,
    digest: u64,
    is_unknown: bool,
    passed_suites: BTreeSet<CaseId>,
}

impl Order {
    /// Creates an order from the cases that ran, first to last.
    pub fn new(cases: Vec<CaseId>) -> Self {
        let positions = (0_u32..).zip(&cases).map(|(at, case)| (*case, at)).collect();
        let digest = compute_digest(&cases, 0);
        Self { cases, positions, digest, is_unknown: false, passed_suites: BTreeSet::new() }
    }

    /// Cases that ran in an unknown order. Nothing is learned or concluded from such an order.
    pub fn with_unknown_order(cases: Vec<CaseId>) -> Self {
        let digest = compute_digest(&cases, UNKNOWN_ORDER_SEED);
        Self { digest, is_unknown: true, ..Self::new(cases) }
    }

    /// Restores a stored order. The digest shows whether the order of execution was known.
    pub fn restore(cases: Vec<CaseId>, digest: u64) -> Self {
        let order = Self::new(cases);
        if order.digest == digest { order } else { Self::with_unknown_order(order.cases) }
    }

    /// Adds cases that passed without being reported, for example a file that could be loaded and in which all tests
    /// passed. They have no position in the order.
    #[must_use]
    pub fn with_passed_suites(self, suite_failures: impl IntoIterator<Item = CaseId>) -> Self {
        Self { passed_suites: suite_failures.into_iter().collect(), ..self }
    }

    /// Returns `true` if the order of execution is unknown.
    pub const fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Returns the hash of the order. Equal orders have equal digests.
    pub const fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns the cases, first to last.
    pub fn cases(&self) -> &[CaseId] {
        &self.cases
    }

    fn ran_before(&self, first: CaseId, second: CaseId) -> bool {
        match (self.positions.get(&first), self.positions.get(&second)) {
            (Some(first), Some(second)) => first < second,
            _ => false,
        }
    }

    /// Returns `true` if the case ran.
    pub fn contains(&self, case: CaseId) -> bool {
        self.positions.contains_key(&case) || self.passed_suites.contains(&case)
    }

    /// Returns `true` if too many tests ran before the case to search them for the reason of its failure, as one of
    /// `failures` in the run.
    pub fn has_too_many_before(&self, case: CaseId, failures: usize) -> bool {
        self.cases_before(case).len() > MAX_PREDECESSORS_OF_RUN / failures.max(1)
    }

    fn cases_before(&self, case: CaseId) -> &[CaseId] {
        let end = self.positions.get(&case).map_or(0, |at| usize::try_from(*at).unwrap_or(0));
        &self.cases[..end]
    }
}

fn compute_digest(cases: &[CaseId], seed: u64) -> u64 {
    let bytes: Vec<u8> = cases.iter().flat_map(|case| case.to_le_bytes()).collect();
    xxhash_rust::xxh3::xxh3_64_with_seed(&bytes, seed)
}

/// Seed for digests of unknown orders, so that they differ from the digests of known orders, which use seed 0.
const UNKNOWN_ORDER_SEED: u64 = 1;

/// The tests that ran before a test when it failed with a given error, and when it passed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrderEvidence {
    /// Tests that may cause the failure.
    pub candidates: Vec<PolluterCandidate>,
    /// Number of failing runs with a known order.
    pub failed: u32,
    /// Number of passing runs with a known order.
    pub passed: u32,
}

/// A test that may make another test fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolluterCandidate {
    /// The candidate.
    pub case: CaseId,
    /// Number of failing runs in which the candidate ran before.
    pub failed_before: u16,
    /// Number of passing runs in which the candidate ran before.
    pub passed_before: u16,
}

impl OrderEvidence {
    /// Creates the evidence from the first failing run and from the orders of passing runs. Each test that ran before
    /// the failing test is a candidate, unless it also ran before it in a passing run. If there are passing runs, tests
    /// in `never_passed_cases` are not candidates, because they may be hooks, which are recorded as cases only when
    /// they fail. There are no candidates if the test passed in the same order, if too many tests ran before it, or if
    /// the case stands for a file or command that passed in one of the runs.
    pub fn from_first_failure(
        victim: CaseId,
        failing: &Order,
        never_passed_cases: &BTreeSet<CaseId>,
        passing: &[&Order],
    ) -> Self {
        let passed = u32::try_from(passing.len()).unwrap_or(u32::MAX);
        let before = failing.cases_before(victim);
        let is_uninformative = |order: &&Order| order.digest == failing.digest || order.passed_suites.contains(&victim);
        if before.len() > MAX_PREDECESSORS || passing.iter().any(is_uninformative) {
            return Self { candidates: Vec::new(), failed: 1, passed };
        }
        let is_hook = |case: CaseId| !passing.is_empty() && never_passed_cases.contains(&case);
        let is_cleared = |case: CaseId| is_hook(case) || passing.iter().any(|order| order.ran_before(case, victim));
        let candidates = before.iter().filter(|case| !is_cleared(**case));
        let candidates = candidates.map(|case| PolluterCandidate { case: *case, failed_before: 1, passed_before: 0 });
        Self { candidates: candidates.collect(), failed: 1, passed }
    }

    /// Returns `true` if the evidence has a failing run.
    pub const fn has_begun(&self) -> bool {
        self.failed > 0
    }

    /// Returns `true` if there are so many candidates that it is better to start again with the next failing run.
    pub fn has_too_many_candidates(&self) -> bool {
        self.candidates.len() > MAX_CANDIDATES
    }

    /// Records for each candidate whether it ran before the failing test in a run. Removes candidates with too many
    /// exceptions. A run with an unknown order changes nothing.
    pub fn record(&mut self, victim: CaseId, order: &Order, failed: bool) {
        if order.is_unknown {
            return;
        }
        if failed {
            self.failed += 1;
        } else {
            self.passed += 1;
        }
        let failing_runs = u16::try_from(self.failed).unwrap_or(u16::MAX);
        for candidate in &mut self.candidates {
            let before = u16::from(order.ran_before(candidate.case, victim));
            let count = if failed { &mut candidate.failed_before } else { &mut candidate.passed_before };
            *count = count.saturating_add(before);
        }
        self.candidates.retain(|candidate| {
            candidate.passed_before + (failing_runs - candidate.failed_before.min(failing_runs))
                <= MAX_EXCEPTIONS.max(candidate.failed_before / 8)
        });
    }

    /// Returns the evidence without the candidates that cannot explain a failure in a run with this order, because they
    /// did not run before the failing test.
    #[must_use]
    pub fn for_failure_in(&self, victim: CaseId, order: &Order) -> Self {
        let may_explain = |candidate: &&PolluterCandidate| order.is_unknown || order.ran_before(candidate.case, victim);
        Self { candidates: self.candidates.iter().filter(may_explain).copied().collect(), ..*self }
    }

    /// `ln P` of the results if an earlier test makes this test fail, where each of `cases` is equally likely.
    /// Also returns the most likely candidate and its share. `passed` is the total number of passes.
    pub fn log_likelihood(&self, cases: u32, passed: u32) -> Option<(f64, CaseId, f64)> {
        let mut by_counts: BTreeMap<(u16, u16), (u32, CaseId)> = BTreeMap::new();
        for candidate in &self.candidates {
            let same = by_counts.entry((candidate.failed_before, candidate.passed_before));
            same.and_modify(|(count, _)| *count += 1).or_insert((1, candidate.case));
        }
        let weigh = |((failed_in, passed_in), (count, case)): ((u16, u16), (u32, CaseId))| {
            let (failed_in, passed_in) = (u32::from(failed_in), u32::from(passed_in));
            let log = FAILS_WITH_CONDITION.log_sequence(failed_in, passed_in)
                + FAILS_WITHOUT_CONDITION
                    .log_sequence(self.failed.saturating_sub(failed_in), passed.saturating_sub(passed_in));
            (log, f64::from(count), case)
        };
        let logs: Vec<(f64, f64, CaseId)> = by_counts.into_iter().map(weigh).collect();
        let best = logs.iter().copied().reduce(|best, one| if one.0 > best.0 { one } else { best })?;
        let sum: f64 = logs.iter().map(|(log, count, _)| (log - best.0).exp() * count).sum();
        Some((best.0 + sum.ln() - f64::from(cases.max(1)).ln(), best.2, 1.0 / sum))
    }
}

/// Orders of the newest runs. Equal orders are stored once, because most runs have the usual order.
#[derive(Clone, Debug, Default)]
pub struct CaseOrders {
    /// Each order with the newest run that had it, newest last.
    distinct: Vec<(RunSeq, Order)>,
}

/// Maximum number of cases in all stored orders together: 128 orders of 4,000 tests, or 5 of 100,000.
pub const MAX_ORDERED_CASES: usize = 524_288;
/// Maximum number of orders that are compared with the order of a first failure.
const MAX_COMPARED_ORDERS: usize = 6;
/// Maximum number of stored orders: one for each run of the window.
pub const MAX_ORDERS: usize = 128;

impl CaseOrders {
    /// Stores the order of a run and removes the oldest orders beyond the limits.
    pub fn push(&mut self, seq: RunSeq, order: Order) {
        self.distinct.retain(|(_, known)| known.digest != order.digest);
        self.distinct.push((seq, order));
        let mut cases = 0;
        let fits = |(_, order): &&(RunSeq, Order)| {
            cases += order.cases.len();
            cases <= MAX_ORDERED_CASES
        };
        let kept = self.distinct.iter().rev().take(MAX_ORDERS).take_while(fits).count();
        self.distinct.drain(..self.distinct.len() - kept.max(1));
    }

    /// Returns the newest known orders, limited to runs for which `is_wanted` returns true.
    pub fn orders_of_runs(&self, is_wanted: impl Fn(RunSeq) -> bool) -> Vec<&Order> {
        let known = self.distinct.iter().rev().filter(|(_, order)| !order.is_unknown).take(MAX_COMPARED_ORDERS);
        known.filter(|(seq, _)| is_wanted(*seq)).map(|(_, order)| order).collect()
    }

    /// Returns `true` if a case ran in a run with this digest. False if the order was removed.
    pub fn has_case_run(&self, digest: u64, case: CaseId) -> bool {
        self.distinct.iter().any(|(_, order)| order.digest == digest && order.contains(case))
    }

    /// Returns each order with the newest run that had it, newest last.
    pub fn iter(&self) -> impl Iterator<Item = &(RunSeq, Order)> {
        self.distinct.iter()
    }
}
