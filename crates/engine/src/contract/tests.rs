//! Types for the history of a test and for changed test results since a commit.

use super::{BriefVerdict, CaseState, RunRecord, TestEvidence, Verdict};
use serde::{Deserialize, Serialize};

contract! {
    /// Selects a test and a page of its runs.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct TestHistoryParams {
        /// Qualified name, its last part, or a part that only this test has.
        pub case_name: String,
        /// From 1 to 50. Default: 20.
        pub limit: Option<u32>,
        /// Number of runs to skip.
        pub offset: Option<u32>,
    }

    /// Selects runs to compare.
    pub struct MissingTestsParams {
        /// The run in which tests may be missing.
        pub run_id: String,
        /// Earlier runs, newest first; the first 10 are read.
        pub base_run_ids: Vec<String>,
    }

    /// Tests that did not run.
    pub struct MissingTestsResult {
        /// The earlier run with the most tests in common. None if no run has common tests.
        pub base_run_id: Option<String>,
        /// Number of tests that ran in the earlier run.
        pub ran: u32,
        /// Names of these tests that are skipped or absent in the run.
        pub missing: Vec<String>,
    }

    /// Results of a test over its runs.
    pub struct TestHistoryResult {
        /// `file > suite > name`.
        pub case_name: String,
        /// State of the test after all runs. Absent if it never failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub evidence: Option<TestEvidence>,
        /// Its newest failure. Absent if it never failed, or only in runs recorded by an older version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub latest_failure: Option<LatestFailure>,
        /// Page of the runs in which it ran, newest first.
        pub runs: Vec<TestRun>,
        /// True if there is a next page.
        pub has_more: bool,
        /// Notes, for example on the age of the data and how to refresh it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub notes: Vec<String>,
    }

    /// The newest failure of a test.
    pub struct LatestFailure {
        /// `run-…`.
        pub run_id: String,
        /// Verdict with the strongest reasons. `diagnose` returns all reasons.
        pub verdict: Verdict,
    }

    /// A test in a run.
    pub struct TestRun {
        /// `run-…`.
        pub run_id: String,
        /// Start of the run.
        pub started_at: String,
        /// Full hash of the commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// Branch. Absent if the head is detached or the project is not in a git repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub branch: Option<String>,
        /// True if there were uncommitted changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub dirty: Option<bool>,
        /// Outcome. With several cases of this name, the worst outcome.
        pub status: CaseState,
        /// Duration in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub duration_ms: Option<f64>,
        /// Verdict on the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// Id of the failure's cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub cause_id: Option<String>,
        /// The error in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub headline: Option<String>,
        /// True for a run of a fork of the project.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub foreign: bool,
    }

    /// Commit to compare with, and a page of changes.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct TestChangesParams {
        /// Commit of a recorded run, or a unique beginning of its hash.
        pub since: String,
        /// From 1 to 1000. Default: 100.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Test results up to a commit, compared with later results.
    pub struct TestChangesResult {
        /// Full hash of the commit.
        pub since: String,
        /// The newest run of the commit, or of an earlier commit if it has no run.
        pub base: RunRecord,
        /// The newest later run on the same branch. Absent if there is no later run on this branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub head: Option<RunRecord>,
        /// Page of changes: failing tests first, then flaky, new and fixed tests.
        pub changes: Vec<TestChange>,
        /// Number of changes of each kind.
        pub counts: TestChangeCounts,
        /// Number of changes.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// Notes, for example on the compared runs and the age of the data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub notes: Vec<String>,
    }

    /// Number of tests by change.
    #[derive(Default)]
    pub struct TestChangeCounts {
        /// Fail now, but not before.
        pub failing: u32,
        /// Fail by chance now, but not before.
        pub flaky: u32,
        /// Did not run before.
        pub new: u32,
        /// Failed before, but not now.
        pub fixed: u32,
        /// Failed before and still fail, so not counted as changes.
        pub still_failing: u32,
    }

    /// A test whose result changed.
    pub struct TestChange {
        /// `file > suite > name`.
        pub case_name: String,
        /// Kind of change.
        pub change: ChangeKind,
        /// Outcome in the newest earlier run with this test. `absent` for a new test.
        pub base: CaseState,
        /// Id of that run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub base_run_id: Option<String>,
        /// Outcome in the newest later run with this test.
        pub head: CaseState,
        /// Id of that run.
        pub head_run_id: String,
        /// The newest compared run in which it failed. The fields below describe that failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub failed_in: Option<String>,
        /// Verdict on that failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// Id of the failure's cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub cause_id: Option<String>,
        /// The error in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub headline: Option<String>,
    }

    /// Kinds of changes, most urgent first.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum ChangeKind {
        /// Fails now, but not before.
        Failing,
        /// Fails by chance or passes at a later attempt, but did not before.
        Flaky,
        /// Did not run before.
        New,
        /// Failed before, but not now.
        Fixed,
    }
}
