//! Types of one test's history, and of what changed in the tests since a commit.

use super::{BriefVerdict, CaseState, RunRecord, TestEvidence, Verdict};
use serde::{Deserialize, Serialize};

contract! {
    /// Which test's history.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct TestHistoryParams {
        /// Qualified name, its last part, or a part of it that only one test has.
        pub case_name: String,
        /// 1 to 50; 20 when none.
        pub limit: Option<u32>,
        /// How many runs to pass over.
        pub offset: Option<u32>,
    }

    /// Which runs to compare.
    pub struct MissingTestsParams {
        /// The run in which tests may be missing.
        pub run_id: String,
        /// Earlier runs, newest first; the first 10 are read.
        pub base_run_ids: Vec<String>,
    }

    /// Tests that did not run.
    pub struct MissingTestsResult {
        /// The earlier run that has the most tests in common with the run; none where no run has any.
        pub base_run_id: Option<String>,
        /// Tests that ran in the earlier run.
        pub ran: u32,
        /// Names of those that are skipped or absent in the run.
        pub missing: Vec<String>,
    }

    /// One test over the runs.
    pub struct TestHistoryResult {
        /// `file > suite > name`.
        pub case_name: String,
        /// What it is after all runs; absent where it never failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub evidence: Option<TestEvidence>,
        /// Why it failed last; absent where it never failed, or in runs of an earlier version alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub latest_failure: Option<LatestFailure>,
        /// One page of the runs in which it ran, newest first.
        pub runs: Vec<TestRun>,
        /// There is a next page.
        pub has_more: bool,
        /// Remarks: how old this is, and what to do about it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub notes: Vec<String>,
    }

    /// The newest failure of a test.
    pub struct LatestFailure {
        /// `run-…`.
        pub run_id: String,
        /// What it was found to be, with the strongest sentences; the diagnosis of it has all.
        pub verdict: Verdict,
    }

    /// A test in one run.
    pub struct TestRun {
        /// `run-…`.
        pub run_id: String,
        /// When the run started.
        pub started_at: String,
        /// Full hash.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// None when detached or outside git.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub branch: Option<String>,
        /// Uncommitted changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub dirty: Option<bool>,
        /// How it ended; of several cases of this name the worst.
        pub status: CaseState,
        /// Milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub duration_ms: Option<f64>,
        /// What a failure was found to be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// Failures of one cause have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub cause_id: Option<String>,
        /// What went wrong, one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub headline: Option<String>,
        /// The run is of somebody else's copy of the project.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub foreign: bool,
    }

    /// Since which commit.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct TestChangesParams {
        /// A commit of a recorded run; its beginning, where only one begins so.
        pub since: String,
        /// 1 to 1000; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// How tests ended in the runs of a commit and before it, against the runs after.
    pub struct TestChangesResult {
        /// Full hash.
        pub since: String,
        /// The newest run of the commit, or before it where it has none.
        pub base: RunRecord,
        /// The newest run after, on whose branch the others are; absent where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub head: Option<RunRecord>,
        /// One page: failing ones first, then flaky, new and fixed ones.
        pub changes: Vec<TestChange>,
        /// How many there are of each.
        pub counts: TestChangeCounts,
        /// All changes.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
        /// Remarks: what was compared, how old this is, and what to do about it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub notes: Vec<String>,
    }

    /// Tests by what changed.
    #[derive(Default)]
    pub struct TestChangeCounts {
        /// They fail and did not.
        pub failing: u32,
        /// They fail by chance and did not.
        pub flaky: u32,
        /// They did not run before.
        pub new: u32,
        /// They failed and do no more.
        pub fixed: u32,
        /// They failed before and still do: no change.
        pub still_failing: u32,
    }

    /// A test that ends in another way than before.
    pub struct TestChange {
        /// `file > suite > name`.
        pub case_name: String,
        /// What changed.
        pub change: ChangeKind,
        /// How it ended before, in the newest run that had it; `absent` for a new one.
        pub base: CaseState,
        /// That run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub base_run_id: Option<String>,
        /// How it ended last, in the newest run that had it.
        pub head: CaseState,
        /// That run.
        pub head_run_id: String,
        /// The newest run in which it failed, of those that were compared; what follows is said of that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub failed_in: Option<String>,
        /// What that failure was found to be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// Failures of one cause have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub cause_id: Option<String>,
        /// What went wrong, one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub headline: Option<String>,
    }

    /// What changed in how a test ends; the most urgent first.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum ChangeKind {
        /// It fails and did not.
        Failing,
        /// It fails by chance, or passes at a later attempt, and did not.
        Flaky,
        /// It did not run before.
        New,
        /// It failed and does no more.
        Fixed,
    }
}
