//! Types of recorded runs and their cases, and of what their failures cost.

use super::{BriefVerdict, Precedents, RunStatus, Shuffle};
use argus_core::{Category, evidence::walls::WallKind};
use argus_report::CaseStatus;
use serde::{Deserialize, Serialize};

contract! {
    /// Filter and page of runs.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct HistoryParams {
        /// From 1 to 100. Default: 20.
        pub limit: Option<u32>,
        /// Only runs with this outcome.
        pub status: Option<RunStatus>,
        /// Only runs of the last days.
        pub days: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Runs, newest first.
    pub struct HistoryResult {
        /// One page.
        pub runs: Vec<RunRecord>,
        /// Number of runs that match.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
    }

    /// Selects a run and a page of its cases.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct RunDetailParams {
        /// `run-…`.
        pub run_id: String,
        /// From 1 to 1000. Default: 100.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// A run with its cases: failed first, then flaky, then the rest, each in the order of the report.
    pub struct RunDetail {
        /// The run.
        pub run: RunRecord,
        /// One page.
        pub cases: Vec<CaseRecord>,
        /// Number of cases.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
    }

    /// A recorded run.
    pub struct RunRecord {
        /// `run-…`.
        pub id: String,
        /// Start of the run, ISO 8601.
        pub timestamp: String,
        /// Full hash of the commit.
        pub git_commit: Option<String>,
        /// Branch, or null if the head is detached or the project is not in a git repository.
        pub git_branch: Option<String>,
        /// True if there were uncommitted changes.
        pub dirty: Option<bool>,
        /// Git's id of the tree including uncommitted changes. Only in lists of runs, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tree: Option<String>,
        /// Command line.
        pub command: Option<String>,
        /// Wall-clock milliseconds.
        pub duration_ms: f64,
        /// Passed cases.
        pub passed: u32,
        /// Failed cases.
        pub failed: u32,
        /// Skipped cases.
        pub skipped: u32,
        /// Flaky cases.
        pub flaky: u32,
        /// Outcome of the run.
        pub status: RunStatus,
        /// How the runner shuffled the tests, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub shuffle: Option<Shuffle>,
        /// True for a run of a fork, which is not used as evidence for this project.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub foreign: bool,
    }

    /// A case of a run.
    pub struct CaseRecord {
        /// `file > suite > name`.
        pub case_name: String,
        /// Outcome of the case.
        pub status: CaseStatus,
        /// True if it failed and then passed within the run.
        pub flaky: bool,
        /// Outcome in the runner's own word.
        pub runner_status: Option<String>,
        /// Duration in milliseconds.
        pub duration_ms: Option<f64>,
        /// Number of attempts.
        pub attempts: u32,
        /// Category of the failure.
        pub category: Option<Category>,
        /// The error in one line.
        pub headline: Option<String>,
        /// Error text of the failure, redacted.
        pub error: Option<String>,
        /// Signature of the failure.
        pub signature: Option<String>,
        /// Verdict on the failure.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// Id of the failure's cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub cause_id: Option<String>,
        /// Earlier runs that can excuse the failure at a gate. Absent if there are no such runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub precedents: Option<Precedents>,
    }

    /// Page of the failures that cost most.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct WallsParams {
        /// From 1 to 100. Default: 10.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// The failures of the newest runs that cost most.
    pub struct WallsResult {
        /// One page, in the order of the sum of their ranks by recency, number of runs and minutes.
        pub walls: Vec<WallEntry>,
        /// Number of failures.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// Number of runs that were compared.
        pub runs: u32,
    }

    /// A failure of one or more tests that fail together, with its cost.
    pub struct WallEntry {
        /// Where the failure comes from.
        pub kind: WallKind,
        /// Some of the tests, at most 5.
        pub case_names: Vec<String>,
        /// Number of tests.
        pub tests: u32,
        /// The newest error in one line. None if its run was deleted.
        pub headline: Option<String>,
        /// Number of runs with the failure.
        pub runs: u32,
        /// Number of times the failure came back after its tests had passed.
        pub recurrences: u32,
        /// Number of runs that only repeated a failed run on the same files.
        pub reruns: u32,
        /// Minutes from the first failed run to the pass of all its tests, without breaks of more than 30 minutes.
        pub red_minutes: f64,
        /// True if a test still fails.
        pub is_failing: bool,
        /// The newest run with the failure.
        pub last_run_id: String,
        /// Start of that run, ISO 8601.
        pub last_failed_at: String,
        /// Newest fix of the failure that was not refuted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub fix_id: Option<String>,
        /// The next step that ends the failure, in one line.
        pub remedy: String,
    }
}
