//! Groups the failures of a run by cause, and recognizes causes that last from run to run.
//!
//! Two failures have the same cause if they have the same innermost function of the project, the same type of error
//! raised at the same line (whatever the message), or the same error at the same site. They also have the same cause if
//! their tests failed together in earlier runs and passed in other runs. A test that passed while a cause lasted does
//! not have that cause.

use crate::evidence::facts::{CaseId, Failure, FailureKey, FileId, RunSeq};
use crate::evidence::stored_rows::history::TestHistory;
use crate::evidence::stored_rows::window::RunMask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A cause of failing tests that lasts from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Id of the cause. Does not change while the cause lasts.
    pub id: u64,
    /// The common property of its failures.
    pub common: FailureKey,
    /// Site of its first failure. None in memories of earlier versions.
    #[serde(default)]
    pub site: Option<u64>,
    /// The line that raised its first failure, with the type of error. None in memories of earlier versions.
    #[serde(default)]
    pub raised: Option<u64>,
    /// The first run with a failure of this cause.
    pub first: RunSeq,
    /// The newest run with a failure of this cause.
    pub last: RunSeq,
    /// True if the cause occurred only on uncommitted trees.
    pub only_edited: bool,
    /// The tests, each with its newest failing run and the signature of its error.
    pub cases: BTreeMap<CaseId, (RunSeq, u64)>,
}

/// Minimum share of common failing runs, among all failing runs of two tests, for the tests to fail together.
const MIN_JACCARD: f64 = 0.8;
/// Minimum number of common failing runs, because fewer may be chance.
const MIN_SHARED_RUNS: u32 = 3;
/// Minimum number of runs in which the two tests could have failed separately. In a project with few runs, tests
/// that fail in every run fail together, which is no evidence for a common cause.
const MIN_OTHER_RUNS: u32 = 3;

/// Minimum number of groups that are joined as caused by the change of one file. With fewer groups, the change may have
/// introduced separate errors.
const MIN_JOINED_GROUPS: usize = 3;

/// Groups the failures of a run. A group is a list of indices, and the groups are ordered by their first failure.
pub fn group_by_cause<'a>(
    failures: &[Failure],
    history: impl Fn(CaseId) -> Option<&'a TestHistory>,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<(&Failure, UsableRuns, Vec<usize>)> = Vec::new();
    for (index, failure) in failures.iter().enumerate() {
        let usable_runs = history(failure.case).map(UsableRuns::from_history).unwrap_or_default();
        let same = groups.iter_mut().find(|(first, common_runs, _)| {
            let has_no_function = first.function.is_none() && failure.function.is_none();
            come_from_same_place(first, failure) || has_no_function && common_runs.fail_together_with(usable_runs)
        });
        match same {
            Some((_, common_runs, members)) => {
                *common_runs = common_runs.intersect(usable_runs);
                members.push(index);
            }
            None => groups.push((failure, usable_runs, vec![index])),
        }
    }
    groups.into_iter().map(|(_, _, members)| members).collect()
}

/// Joins groups that the change of a single file explains, if there are at least `MIN_JOINED_GROUPS` such groups. For
/// example, one wrong operator makes assertions fail in many tests, each with its own values and line. `changed_file`
/// returns the file for a failure that may be joined.
pub fn join_by_changed_file(groups: &mut Vec<Vec<usize>>, changed_file: impl Fn(usize) -> Option<FileId>) {
    let mut by_file: BTreeMap<FileId, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        let mut files = group.iter().map(|index| changed_file(*index));
        if let Some(Some(file)) = files.next()
            && files.all(|other| other == Some(file))
        {
            by_file.entry(file).or_default().push(at);
        }
    }
    for joined in by_file.into_values().filter(|joined| joined.len() >= MIN_JOINED_GROUPS) {
        let members: Vec<usize> = joined.iter().flat_map(|at| std::mem::take(&mut groups[*at])).collect();
        groups[joined[0]] = members;
    }
    groups.retain(|group| !group.is_empty());
}

/// Returns `true` if both failures have the same site, the same error type raised at the same line, or the same
/// innermost function of the project. Otherwise they have different causes. For example, a nil panic and a failed
/// comparison in a test have different causes if no function of the project is known.
fn come_from_same_place(first: &Failure, second: &Failure) -> bool {
    first.site == second.site
        || first.raised.is_some() && first.raised == second.raised
        || first.function.is_some() && first.function == second.function
}

/// Runs in which a test ran, and runs in which it failed, without outages. For a group of tests, these are the runs in
/// which all of them ran, and those in which all of them failed.
#[derive(Clone, Copy, Default)]
struct UsableRuns {
    ran: RunMask,
    failed: RunMask,
}

impl UsableRuns {
    fn from_history(history: &TestHistory) -> Self {
        Self { ran: history.ran & !history.outages, failed: history.failed & !history.outages }
    }

    fn intersect(self, other: Self) -> Self {
        Self { ran: self.ran & other.ran, failed: self.failed & other.failed }
    }

    /// Compares the sets of failing runs by their Jaccard index. False if there are too few passing runs.
    fn fail_together_with(self, other: Self) -> bool {
        let (shared, all) = ((self.failed & other.failed).count_ones(), (self.failed | other.failed).count_ones());
        let others = (self.ran & other.ran).count_ones().saturating_sub(shared);
        shared >= MIN_SHARED_RUNS && others >= MIN_OTHER_RUNS && f64::from(shared) >= MIN_JACCARD * f64::from(all)
    }
}

impl Cause {
    /// Returns `true` if the failure may have this cause. A test that passed since the cause appeared does not have the
    /// cause.
    pub fn may_cause(&self, failure: &Failure, history: Option<&TestHistory>) -> bool {
        let has_common = self.common == FailureKey::from_failure(failure);
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
