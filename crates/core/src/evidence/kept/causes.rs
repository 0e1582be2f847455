//! Groups the failures of a run by cause, and recognizes causes that last from run to run.
//!
//! Failures have one cause if they have the same innermost function of the project, the same type of error raised at
//! the same line (whatever the message), or the same error at the same site, or if their tests failed together before
//! and passed in other runs. A test that passed while a cause lasted does not have that cause.

use crate::evidence::facts::{CaseId, Failure, RunSeq, Trait};
use crate::evidence::kept::history::TestHistory;
use crate::evidence::kept::window::Mask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The cause of failing tests, from the first run in which it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Id of the cause. Does not change while the cause lasts.
    pub id: u64,
    /// The common property of its failures.
    pub common: Trait,
    /// Site of its first failure. None in memories of earlier versions.
    #[serde(default)]
    pub site: Option<u64>,
    /// The line that raised its first failure, with the type of error. None in memories of earlier versions.
    #[serde(default)]
    pub raised: Option<u64>,
    /// The first run that failed because of it.
    pub first: RunSeq,
    /// The newest run that failed because of it.
    pub last: RunSeq,
    /// True if it was seen only on uncommitted trees.
    pub only_edited: bool,
    /// The tests, each with its newest failing run and the signature of its error.
    pub cases: BTreeMap<CaseId, (RunSeq, u64)>,
}

/// Minimum share of common failing runs, among all failing runs of two tests, for the tests to fail together.
const MIN_JACCARD: f64 = 0.8;
/// Minimum number of common failing runs, because fewer may be chance.
const MIN_SHARED_RUNS: u32 = 3;
/// Minimum number of runs in which the two tests could have failed separately. In a young project, everything that
/// fails in every run fails together, which is no evidence.
const MIN_OTHER_RUNS: u32 = 3;

/// Groups the failures of a run. A group is a list of indices, and the groups are ordered by their first failure.
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

/// Returns `true` if both failures come from the same place. An error that tests notice at two lines has two causes.
/// Errors from the same function have the same cause, and so do errors of the same type from the same line. Without a
/// function, a nil panic and a failed comparison have different causes.
fn is_one_place(one: &Failure, other: &Failure) -> bool {
    one.site == other.site
        || one.raised.is_some() && one.raised == other.raised
        || one.function.is_some() && one.function == other.function
}

/// Runs without an outage, for one test or for several tests together.
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

    /// Compares the sets of failing runs by their Jaccard index, if there are enough runs that did not fail.
    fn failed_with(self, other: Self) -> bool {
        let (shared, all) = ((self.failed & other.failed).count_ones(), (self.failed | other.failed).count_ones());
        let others = (self.ran & other.ran).count_ones().saturating_sub(shared);
        shared >= MIN_SHARED_RUNS && others >= MIN_OTHER_RUNS && f64::from(shared) >= MIN_JACCARD * f64::from(all)
    }
}

impl Cause {
    /// Returns `true` if the failure may have this cause. A test that passed since the cause appeared does not have the
    /// cause.
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
