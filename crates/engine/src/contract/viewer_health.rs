//! Types of the viewer for current problems and for the health of a project's tests.

use super::{FailureGroup, FixEvidence, ReportedFix, RunRecord, SharedFixEntry, TestEvidence};
use serde::{Deserialize, Serialize};

contract! {
    /// Current problems of a project.
    pub struct ViewNowResult {
        /// Number of recorded runs, including foreign runs.
        pub runs: u32,
        /// The newest run that is not foreign, or null if there is no such run.
        pub run: Option<RunRecord>,
        /// Failures of that run by cause, most frequent first, at most 100.
        pub causes: Vec<FailureGroup>,
        /// Number of causes that are not listed.
        pub more_causes: u32,
        /// Unhealthy tests that did not fail in that run, at most 20: broken first, then flaky, order and environment.
        pub tests: Vec<TestHealth>,
        /// Number of tests that are not listed.
        pub more_tests: u32,
        /// The newest 20 reported fixes that no run has proved or refuted.
        pub claims: Vec<ReportedFix>,
        /// Number of older claims.
        pub more_claims: u32,
        /// The newest 20 changes after which failures were gone and that are not proved yet.
        pub fixes: Vec<FixEvidence>,
        /// Number of older fixes.
        pub more_fixes: u32,
    }

    /// Options for the health of a project's tests.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct HealthParams {
        /// Unit of a point. Default: a day if the runs span at least 14 days, else a run.
        pub by: Option<HealthUnit>,
        /// Maximum number of unhealthy tests, from 1 to 200. Default: 50.
        pub limit: Option<u32>,
        /// Number of unhealthy tests to skip.
        pub offset: Option<u32>,
    }

    /// The health of a project's tests.
    pub struct HealthResult {
        /// Number of recorded runs.
        pub runs: u32,
        /// Page of unhealthy tests: broken first, then flaky, order and environment.
        pub tests: Vec<TestHealth>,
        /// Number of unhealthy tests, at most 1000.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// Number of broken tests.
        pub broken: u32,
        /// Number of flaky tests.
        pub flaky: u32,
        /// Number of tests that another test makes fail.
        pub order: u32,
        /// Number of tests that fail under a condition.
        pub environment: u32,
        /// Unit of a point.
        pub by: HealthUnit,
        /// The newest 1000 runs as points, oldest first.
        pub points: Vec<HealthPoint>,
        /// Number of newest runs whose test durations are used.
        pub duration_runs: u32,
        /// Minimum duration of a listed test, and minimum slowdown, in milliseconds.
        pub least_ms: f64,
        /// The slowest tests with at least 3 runs, at most 10.
        pub slowest: Vec<TestDuration>,
        /// Tests that became at least 25 % slower, largest increase in milliseconds first, at most 10.
        pub slower: Vec<TestDuration>,
        /// The newest 20 changes after which failures were gone.
        pub fixes: Vec<FixEvidence>,
        /// The newest 20 reported fixes.
        pub reported: Vec<ReportedFix>,
        /// Fixes that the repository shares, the first 20.
        pub shared: Vec<SharedFixEntry>,
        /// Number of further entries in these three lists together.
        pub more_fixes: u32,
    }

    /// An unhealthy test.
    pub struct TestHealth {
        /// State of the test, with its evidence.
        pub evidence: TestEvidence,
        /// Last recorded run in which it failed. None if every failure passed at a later attempt, or if the run was
        /// deleted.
        pub last_failure: Option<LastFailure>,
    }

    /// Run in which a test failed.
    pub struct LastFailure {
        /// `run-…`.
        pub run_id: String,
        /// Start of the run.
        pub timestamp: String,
    }

    /// A point of a curve: the runs of a day, or a single run.
    pub struct HealthPoint {
        /// Start of its newest run.
        pub timestamp: String,
        /// Id of its newest run.
        pub run_id: String,
        /// Number of runs.
        pub runs: u32,
        /// Share of passed cases among those that ran, from 0 to 1, or null if no case ran.
        pub pass_rate: Option<f64>,
        /// Median duration of the runs in milliseconds, or null if unknown.
        pub duration_ms: Option<f64>,
        /// Average number of flaky cases per run: passed at a later attempt, or failed with the verdict `flaky`. None
        /// if the run is too old to read its failures.
        pub flaky: Option<f64>,
    }

    /// Duration of a test that passes at the first attempt.
    pub struct TestDuration {
        /// `file > suite > name`.
        pub case_name: String,
        /// Median of its newest runs in milliseconds.
        pub median_ms: f64,
        /// Number of these runs, at most 5.
        pub runs: u32,
        /// Duration in the runs before these runs, or null if there are fewer than 5 earlier runs.
        pub before: Option<EarlierDuration>,
    }

    /// Duration of a test before its newest runs.
    pub struct EarlierDuration {
        /// Median in milliseconds.
        pub median_ms: f64,
        /// Number of runs.
        pub runs: u32,
    }
}

/// Unit of a point of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HealthUnit {
    /// All runs of a day, in UTC.
    Day,
    /// A single run.
    Run,
}
