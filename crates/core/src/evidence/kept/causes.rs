//! Failures of a run that have one cause, and causes that last from run to run.
//!
//! One cause: the same innermost function of the project; where that is not known the same error. What failed for
//! different reasons before is not one now: a test that passed while a cause lasted does not have it.

use crate::evidence::facts::{CaseId, Failure, RunSeq, Trait};
use crate::evidence::kept::history::{Mask, TestHistory};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What makes tests fail, from the first run it was seen in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Its id; stays while it lasts.
    pub id: u64,
    /// What its failures have in common.
    pub common: Trait,
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

/// Groups the failures of a run; a group is a list of indices, and groups come in the order of their first failure.
pub fn group(failures: &[Failure], test: impl Fn(CaseId) -> Option<Mask>) -> Vec<Vec<usize>> {
    let mut groups: Vec<(Trait, Mask, Vec<usize>)> = Vec::new();
    for (index, failure) in failures.iter().enumerate() {
        let common = Trait::of(failure);
        let failed = test(failure.case).unwrap_or(0);
        let same = groups.iter_mut().find(|(known, together, _)| {
            *known == common
                || matches!((known, common), (Trait::Signature(_), Trait::Signature(_)))
                    && failed_together(*together, failed)
        });
        match same {
            Some((_, together, members)) => {
                *together &= failed;
                members.push(index);
            }
            None => groups.push((common, failed, vec![index])),
        }
    }
    groups.into_iter().map(|(_, _, members)| members).collect()
}

/// Jaccard's index over the sets of failing runs.
fn failed_together(one: Mask, other: Mask) -> bool {
    let (shared, all) = ((one & other).count_ones(), (one | other).count_ones());
    shared >= MIN_SHARED_RUNS && f64::from(shared) >= MIN_JACCARD * f64::from(all)
}

impl Cause {
    /// Whether a failure of a test may be this cause: it did not pass since the cause is there.
    pub fn may_be_of(&self, failure: &Failure, history: Option<&TestHistory>) -> bool {
        if self.common != Trait::of(failure) {
            return false;
        }
        self.cases.contains_key(&failure.case)
            || history.and_then(TestHistory::last_pass).is_none_or(|passed| passed < self.first)
    }
}
