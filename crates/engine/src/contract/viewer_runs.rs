//! Types of the viewer for runs: list, details, comparison of two runs, grid of tests and runs, trend.

use super::{BriefVerdict, CaseRecord, KnownPattern, PatternTableRow, PreviousFix, RunRecord, RunStatus};
use argus_core::{Category, FailureKind, evidence::verdict::VerdictKind};
use serde::{Deserialize, Serialize};

contract! {
    /// Filter and page of runs.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewRunsParams {
        /// Only runs with this outcome.
        pub status: Option<RunStatus>,
        /// From 1 to 200. Default: 50.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Runs, newest first.
    pub struct ViewRunsResult {
        /// Page of the list.
        pub runs: Vec<RunRecord>,
        /// Number of entries that match.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
    }

    /// Selects a run and a page of its cases.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewRunParams {
        /// `run-…`.
        pub id: String,
        /// Only cases with this outcome.
        pub status: Option<CaseState>,
        /// Only cases with these words in name or headline.
        pub text: Option<String>,
        /// From 1 to 200. Default: 100.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// A run with its causes and cases.
    pub struct ViewRunResult {
        /// The run.
        pub run: RunRecord,
        /// Name of the runner.
        pub runner: Option<String>,
        /// Exit code of the command.
        pub exit_code: Option<i32>,
        /// Signal that ended the command.
        pub signal: Option<String>,
        /// True if it exceeded its time limit.
        pub timed_out: bool,
        /// Previous run, for a comparison.
        pub previous_id: Option<String>,
        /// Next run.
        pub next_id: Option<String>,
        /// Failures by cause, most frequent first, at most 100.
        pub groups: Vec<FailureGroup>,
        /// Number of groups that are not listed.
        pub more_groups: u32,
        /// Failed first, then flaky, then the rest, each in the order of the report. Long errors are cut; `viewCase`
        /// has all.
        pub cases: Vec<CaseRecord>,
        /// Number of entries that match.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
    }

    /// Failures of a run with the same cause.
    pub struct FailureGroup {
        /// Category of the failure.
        pub category: Category,
        /// Description of the pattern, else headline of the first failure.
        pub headline: String,
        /// Number of failures.
        pub count: u32,
        /// Id of the cause, or null if the run was recorded without verdicts.
        pub cause_id: Option<String>,
        /// Verdict of the first failure.
        pub verdict: Option<BriefVerdict>,
        /// Names of the first cases, at most 20.
        pub case_names: Vec<String>,
        /// Pattern that a failure matches: a learned pattern, else the built-in pattern.
        pub pattern: Option<PatternTableRow>,
        /// Known pattern of that failure with its best fix, as in the answer to a run.
        pub known: Option<KnownPattern>,
    }

    /// Selects a failed case.
    pub struct ViewCaseParams {
        /// `run-…`.
        pub run_id: String,
        /// Qualified name.
        pub case_name: String,
    }

    /// A failed case with all stored details.
    pub struct ViewCaseResult {
        /// Category of the failure.
        pub category: Category,
        /// Finer than `category`, from a closed list.
        pub failure_kind: FailureKind,
        /// `file:line` of the first frame in the project's code.
        pub place: Option<String>,
        /// `file:line` in the test, or the file alone if the line is unknown.
        pub test_place: Option<String>,
        /// The error in one line.
        pub headline: String,
        /// Error text, redacted.
        pub error: Option<String>,
        /// End of its standard output, redacted.
        pub stdout_tail: Option<String>,
        /// End of its standard error, redacted.
        pub stderr_tail: Option<String>,
        /// The matching pattern. Not counted as an occurrence.
        pub pattern: Option<PatternTableRow>,
        /// Known pattern with its best fix, as in the answer to a run.
        pub known: Option<KnownPattern>,
        /// A commit or an edit that fixed this failure of this test. Absent if a fix was reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub mended_before: Option<PreviousFix>,
        /// Outcomes in the newest runs that have the case, newest first, at most 50.
        pub history: Vec<CaseHistoryEntry>,
    }

    /// Outcome of a case in a run.
    pub struct CaseHistoryEntry {
        /// `run-…`.
        pub run_id: String,
        /// Start of the run.
        pub timestamp: String,
        /// Outcome of the case.
        pub state: CaseState,
    }

    /// Two runs to compare, and a page of each list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewComparisonParams {
        /// The earlier run.
        pub base: String,
        /// The later run.
        pub head: String,
        /// Entries of each list, from 1 to 200. Default: 50.
        pub limit: Option<u32>,
        /// Number of entries of each list to skip.
        pub offset: Option<u32>,
    }

    /// Differences between two runs. Tests are compared by name. A test failed if any case of its name failed.
    pub struct ViewComparisonResult {
        /// The earlier run.
        pub base: RunRecord,
        /// The later run.
        pub head: RunRecord,
        /// Fails only in head. Grouped by kind of verdict: regressions first, failures without a verdict last.
        pub new: ComparedCases,
        /// Number of `new` tests of each kind, in the same order. Empty kinds are omitted.
        pub new_kinds: Vec<VerdictKindCount>,
        /// Fails in base and ran without failure in head.
        pub fixed: ComparedCases,
        /// Fails in both.
        pub still_failing: ComparedCases,
        /// Fails in base and did not run in head.
        pub gone: ComparedCases,
    }

    /// A page of compared tests.
    pub struct ComparedCases {
        /// Page of the list.
        pub cases: Vec<ComparedCase>,
        /// Number of tests.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
    }

    /// A test in two runs.
    pub struct ComparedCase {
        /// `file > suite > name`.
        pub case_name: String,
        /// Outcome in base.
        pub base: CaseState,
        /// Outcome in head.
        pub head: CaseState,
        /// Category of the failure in head, else in base.
        pub category: Option<Category>,
        /// Headline of the same failure.
        pub headline: Option<String>,
        /// Recorded verdict on the failure in head. None if it did not fail there, or if an older version recorded the
        /// run.
        pub verdict: Option<BriefVerdict>,
    }

    /// Number of failures with a kind of verdict.
    pub struct VerdictKindCount {
        /// Kind of verdict, or null for failures without a verdict.
        pub kind: Option<VerdictKind>,
        /// Number of failures.
        pub count: u32,
    }

    /// Filter and page of the grid of tests and runs.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewGridParams {
        /// Number of newest runs, from 1 to 50. Default: 20.
        pub runs: Option<u32>,
        /// Only tests with these words in the name.
        pub text: Option<String>,
        /// Only tests of this kind.
        pub only: Option<GridFilter>,
        /// Tests per page, from 1 to 200. Default: 100.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Grid of tests and runs: broken tests first, then flaky, then failed, then the rest by name.
    pub struct ViewGridResult {
        /// Columns of the grid, newest first.
        pub runs: Vec<RunRecord>,
        /// Rows of the grid.
        pub tests: Vec<GridTest>,
        /// Number of tests that match.
        pub total: u32,
        /// Number of flaky tests that match the text.
        pub flaky: u32,
        /// Number of broken tests that match the text.
        pub broken: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// True if there are fewer columns than requested, because the runs have too many cases.
        pub shortened: bool,
    }

    /// A test in the newest runs.
    pub struct GridTest {
        /// `file > suite > name`.
        pub case_name: String,
        /// State for each column.
        pub states: Vec<CaseState>,
        /// True if it passed at a later attempt, or passed and failed on the same commit.
        pub flaky: bool,
        /// True if it ran in at least 2 runs, failed in all of them, and is not flaky.
        pub broken: bool,
        /// Number of runs of the grid in which it failed.
        pub failures: u32,
    }

    /// Options of the trend.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewTrendParams {
        /// Number of newest runs, from 1 to 1000. Default: 100.
        pub runs: Option<u32>,
    }

    /// Runs over time, oldest first.
    pub struct ViewTrendResult {
        /// A point for each run.
        pub points: Vec<TrendPoint>,
    }

    /// A run as a point.
    pub struct TrendPoint {
        /// `run-…`.
        pub run_id: String,
        /// Start of the run.
        pub timestamp: String,
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
        /// Share of passed cases among those that ran, from 0 to 1, or null if no case ran.
        pub pass_rate: Option<f64>,
    }
}

/// Outcome of a case in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CaseState {
    /// Passed at the first attempt.
    Passed,
    /// Failed at every attempt.
    Failed,
    /// Failed and then passed within the run.
    Flaky,
    /// Not run.
    Skipped,
    /// The run has no such case.
    Absent,
}

/// Tests that need attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GridFilter {
    /// Passing and failing without a change.
    Flaky,
    /// Always failing.
    Broken,
}
