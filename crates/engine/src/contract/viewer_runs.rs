//! Types of the viewer about runs: lists, one run, two compared, a grid of many, a curve.

use super::{BriefVerdict, CaseRecord, KnownPattern, RunRecord, RunStatus, ViewPatternRow};
use argus_core::{Category, FailureKind, evidence::verdict::VerdictKind};
use serde::{Deserialize, Serialize};

contract! {
    /// Which runs to show.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewRunsParams {
        /// Only these.
        pub status: Option<RunStatus>,
        /// 1 to 200; 50 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Runs, newest first.
    pub struct ViewRunsResult {
        /// One page.
        pub runs: Vec<RunRecord>,
        /// All that fit the filter.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// Which run to show, and which of its cases.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewRunParams {
        /// `run-…`.
        pub id: String,
        /// Only cases that ended so.
        pub status: Option<CaseState>,
        /// Only cases with these words in their name or headline.
        pub text: Option<String>,
        /// 1 to 200; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// One run: why it failed, and its cases.
    pub struct ViewRunResult {
        /// The run.
        pub run: RunRecord,
        /// Runner's name.
        pub runner: Option<String>,
        /// Exit code of the command.
        pub exit_code: Option<i32>,
        /// Signal that ended it.
        pub signal: Option<String>,
        /// Its time was over.
        pub timed_out: bool,
        /// The run before it, for a comparison.
        pub previous_id: Option<String>,
        /// The run after it.
        pub next_id: Option<String>,
        /// Its failures by cause, most frequent first, at most 100.
        pub groups: Vec<FailureGroup>,
        /// Groups that are left out.
        pub more_groups: u32,
        /// Failed first, then flaky, then the rest, each in the report's order. A long error is cut; `viewCase` has it.
        pub cases: Vec<CaseRecord>,
        /// All that fit the filter.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// Failures of a run with one cause.
    pub struct FailureGroup {
        /// What it is.
        pub category: Category,
        /// The pattern's description, else the first failure's headline.
        pub headline: String,
        /// How many failed so.
        pub count: u32,
        /// As everywhere else; none where the run was recorded without verdicts.
        pub cause_id: Option<String>,
        /// What the first of them was found to be.
        pub verdict: Option<BriefVerdict>,
        /// The first of them, at most 20.
        pub case_names: Vec<String>,
        /// The pattern that one of them matches: a learned one, else the built-in.
        pub pattern: Option<ViewPatternRow>,
        /// What is known of that one, with its best fix, as a run answers it.
        pub known: Option<KnownPattern>,
    }

    /// Which failed case to show.
    pub struct ViewCaseParams {
        /// `run-…`.
        pub run_id: String,
        /// Qualified name.
        pub case_name: String,
    }

    /// A failed case with all that was kept of it.
    pub struct ViewCaseResult {
        /// What it is.
        pub category: Category,
        /// Finer than the category, of a closed list.
        pub failure_kind: FailureKind,
        /// `file:line` of the first frame in the project's own code.
        pub place: Option<String>,
        /// Of the test; its file alone where no line is known.
        pub test_place: Option<String>,
        /// One line.
        pub headline: String,
        /// Redacted.
        pub error: Option<String>,
        /// End of its standard output, redacted.
        pub stdout_tail: Option<String>,
        /// End of its standard error, redacted.
        pub stderr_tail: Option<String>,
        /// The pattern it matches; looked up, not counted.
        pub pattern: Option<ViewPatternRow>,
        /// What is known of it, with its best fix, as a run answers it.
        pub known: Option<KnownPattern>,
        /// How it ended in the newest runs, newest first, at most 50; runs without it are left out.
        pub history: Vec<CaseEnd>,
    }

    /// How a case ended in a run.
    pub struct CaseEnd {
        /// `run-…`.
        pub run_id: String,
        /// When the run started.
        pub timestamp: String,
        /// How it ended.
        pub state: CaseState,
    }

    /// Two runs, and which page of each list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewComparisonParams {
        /// The run before.
        pub base: String,
        /// The run after.
        pub head: String,
        /// Of each list, 1 to 200; 50 when none.
        pub limit: Option<u32>,
        /// How many of each list to pass over.
        pub offset: Option<u32>,
    }

    /// What changed from one run to the other. A test is a name: it failed if any case of that name did.
    pub struct ViewComparisonResult {
        /// The run before.
        pub base: RunRecord,
        /// The run after.
        pub head: RunRecord,
        /// Failing in head alone, those of one kind of verdict together: regressions first, those with none last.
        pub new: ComparedCases,
        /// How many of `new` are of each kind, in the same order; kinds with none are left out.
        pub new_kinds: Vec<VerdictKindCount>,
        /// Failing in base, not in head, where it ran.
        pub fixed: ComparedCases,
        /// Failing in both.
        pub still_failing: ComparedCases,
        /// Failing in base, not run or skipped in head.
        pub gone: ComparedCases,
    }

    /// One page of tests that are in two runs.
    pub struct ComparedCases {
        /// One page.
        pub cases: Vec<ComparedCase>,
        /// All of them.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// A test in two runs.
    pub struct ComparedCase {
        /// `file > suite > name`.
        pub case_name: String,
        /// How it ended before.
        pub base: CaseState,
        /// How it ended after.
        pub head: CaseState,
        /// Of the failure in head, else of that in base.
        pub category: Option<Category>,
        /// Of the same.
        pub headline: Option<String>,
        /// What the failure in head was found to be when that run was recorded; none where it did not fail, or where
        /// an earlier version recorded it.
        pub verdict: Option<BriefVerdict>,
    }

    /// Failures of one kind of verdict.
    pub struct VerdictKindCount {
        /// Which; none for those with no verdict.
        pub kind: Option<VerdictKind>,
        /// How many.
        pub count: u32,
    }

    /// Which part of the grid of tests and runs.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewGridParams {
        /// How many of the newest runs, 1 to 50; 20 when none.
        pub runs: Option<u32>,
        /// Only tests with these words in their name.
        pub text: Option<String>,
        /// Only these tests.
        pub only: Option<GridFilter>,
        /// Tests, 1 to 200; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Tests x runs: broken tests first, then flaky ones, then those that failed, then the rest by name.
    pub struct ViewGridResult {
        /// The columns, newest first.
        pub runs: Vec<RunRecord>,
        /// The rows.
        pub tests: Vec<GridTest>,
        /// All tests that fit the filter.
        pub total: u32,
        /// Flaky ones among those that fit the text.
        pub flaky: u32,
        /// Broken ones among those that fit the text.
        pub broken: u32,
        /// There is a next page.
        pub has_more: bool,
        /// There are fewer columns than asked for, because these hold so many cases.
        pub shortened: bool,
    }

    /// A test in the newest runs.
    pub struct GridTest {
        /// `file > suite > name`.
        pub case_name: String,
        /// One for each column.
        pub states: Vec<CaseState>,
        /// It passed at a later attempt, or passed and failed on the same commit.
        pub flaky: bool,
        /// It failed in all of the runs that ran it, at least two, and is not flaky.
        pub broken: bool,
        /// In how many of the runs it failed.
        pub failures: u32,
    }

    /// How many runs to draw.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ViewTrendParams {
        /// The newest, 1 to 1000; 100 when none.
        pub runs: Option<u32>,
    }

    /// Runs over time, oldest first.
    pub struct ViewTrendResult {
        /// One for each run.
        pub points: Vec<TrendPoint>,
    }

    /// A run as a point.
    pub struct TrendPoint {
        /// `run-…`.
        pub run_id: String,
        /// When it started.
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
        /// Outcome of the whole.
        pub status: RunStatus,
        /// Passed ones of those that ran, in [0, 1]; none where nothing ran.
        pub pass_rate: Option<f64>,
    }
}

/// How a case ended in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CaseState {
    /// At the first attempt.
    Passed,
    /// At every attempt.
    Failed,
    /// It failed and then passed within the run.
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
