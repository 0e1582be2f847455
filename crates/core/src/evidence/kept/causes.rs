//! Failures of a run that have one cause, and causes that last from run to run.
//!
//! One cause: the same innermost function of the project, or the same type of error raised at the same line, whatever its
//! message; or the same error at the same site; or tests that failed together before and passed in other runs. What failed for different reasons before is not one now: a test that passed
//! while a cause lasted does not have it.

use crate::evidence::facts::{CaseId, Failure, RunSeq, Trait};
use crate::evidence::kept::history::TestHistory;
use crate::evidence::kept::window::Mask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What makes tests fail, from the first run it was seen in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Its id; stays while it lasts.
    pub id: u64,
    /// What its failures have in common.
    pub common: Trait,
    /// Where its first failure was noticed; none in memories of earlier versions.
    #[serde(default)]
    pub site: Option<u64>,
    /// The line that raised its first failure, with the type of error; none in memories of earlier versions.
    #[serde(default)]
    pub raised: Option<u64>,
    /// First run that failed by it.
    pub first: RunSeq,
    /// Newest run that failed by it.
    pub last: RunSeq,
    /// Whether it was only seen on trees that were not committed.
    pub only_edited: bool,
    /// The tests, with the newest run each failed in and the error.
    pub cases: BTreeMap<CaseId, (RunSeq, u64)>,
}

/// Shared failing runs, among all failing runs of two tests, from which on they fail together.
const MIN_JACCARD: f64 = 0.8;
/// Shared failing runs below which that may be chance.
const MIN_SHARED_RUNS: u32 = 3;
/// Runs in which they could have failed apart, below which it says nothing that they never did: whatever fails in every run
/// of a young project fails together.
const MIN_OTHER_RUNS: u32 = 3;

/// Groups the failures of a run; a group is a list of indices, and groups come in the order of their first failure.
pub fn group<'a>(failures: &[Failure], history: impl Fn(CaseId) -> Option<&'a TestHistory>) -> Vec<Vec<usize>> {
    let mut groups: Vec<(&Failure, Past, Vec<usize>)> = Vec::new();
    for (index, failure) in failures.iter().enumerate() {
        let past = history(failure.case).map(Past::of).unwrap_or_default();
        let same = groups.iter_mut().find(|(first, together, _)| {
            let has_no_function = first.function.is_none() && failure.function.is_none();
            is_one_place(first, failure) || has_no_function && together.failed_with(past)
        });
        match same {
            Some((_, together, members)) => {
                *together = together.and(past);
                members.push(index);
            }
            None => groups.push((failure, past, vec![index])),
        }
    }
    groups.into_iter().map(|(_, _, members)| members).collect()
}

/// One error that is noticed at two lines of tests is two causes; what one function throws is one, and so are errors of one
/// type that one line raises. Without a function a nil panic beside a failed comparison is another.
fn is_one_place(one: &Failure, other: &Failure) -> bool {
    one.site == other.site
        || one.raised.is_some() && one.raised == other.raised
        || one.function.is_some() && one.function == other.function
}

/// Runs in which the machine held, of one test or of several at once.
#[derive(Clone, Copy, Default)]
struct Past {
    ran: Mask,
    failed: Mask,
}

impl Past {
    fn of(history: &TestHistory) -> Self {
        Self { ran: history.ran & !history.outages, failed: history.failed & !history.outages }
    }

    fn and(self, other: Self) -> Self {
        Self { ran: self.ran & other.ran, failed: self.failed & other.failed }
    }

    /// Jaccard's index over the sets of failing runs, where there are others.
    fn failed_with(self, other: Self) -> bool {
        let (shared, all) = ((self.failed & other.failed).count_ones(), (self.failed | other.failed).count_ones());
        let others = (self.ran & other.ran).count_ones().saturating_sub(shared);
        shared >= MIN_SHARED_RUNS && others >= MIN_OTHER_RUNS && f64::from(shared) >= MIN_JACCARD * f64::from(all)
    }
}

impl Cause {
    /// Whether a failure of a test may be this cause: it did not pass since the cause is there.
    pub fn may_be_of(&self, failure: &Failure, history: Option<&TestHistory>) -> bool {
        let has_common = self.common == Trait::of(failure);
        let is_known =
            self.cases.get(&failure.case).is_some_and(|(_, error)| has_common || *error == failure.signature);
        let is_at_site = self.site.is_none_or(|site| site == failure.site);
        let is_alike = has_common && (is_at_site || failure.function.is_some());
        let is_raised_there = self.raised.is_some() && self.raised == failure.raised;
        is_known
            || (is_alike || is_raised_there)
                && history.and_then(TestHistory::last_pass).is_none_or(|passed| passed < self.first)
    }
}
