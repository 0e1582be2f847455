//! Types of the viewer about what is wrong now, and about the health of a project's tests.

use super::{FailureGroup, FixEvidence, ReportedFix, RunRecord, SharedKnown, TestEvidence};
use serde::{Deserialize, Serialize};

contract! {
    /// What is wrong now.
    pub struct ViewNowResult {
        /// Recorded runs, foreign ones among them.
        pub runs: u32,
        /// The newest that is not foreign; none where there is none.
        pub run: Option<RunRecord>,
        /// Its failures by cause, most frequent first, at most 100.
        pub causes: Vec<FailureGroup>,
        /// Causes that are left out.
        pub more_causes: u32,
        /// Tests that are not healthy and did not fail in that run: broken ones first, then flaky, order-bound and
        /// environment-bound ones, at most 20.
        pub tests: Vec<HealthTest>,
        /// Tests that are left out.
        pub more_tests: u32,
        /// Fixes that were reported, and that no run has proved or refuted; the newest 20.
        pub claims: Vec<ReportedFix>,
        /// Older ones.
        pub more_claims: u32,
        /// Changes after which failures were gone, too recently to be sure; the newest 20.
        pub fixes: Vec<FixEvidence>,
        /// Older ones.
        pub more_fixes: u32,
    }

    /// How to show the health of a project's tests.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct HealthParams {
        /// What a point of the curves is; when none, a day where the runs are of 14 days or more, else a run.
        pub by: Option<HealthUnit>,
        /// Tests that are not healthy, 1 to 200; 50 when none.
        pub limit: Option<u32>,
        /// How many of those to pass over.
        pub offset: Option<u32>,
    }

    /// The health of a project's tests.
    pub struct HealthResult {
        /// Recorded runs.
        pub runs: u32,
        /// One page of the tests that are not healthy: broken ones first, then flaky, order-bound and environment-bound ones.
        pub tests: Vec<HealthTest>,
        /// All of them, at most 1000.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
        /// How many of them are broken.
        pub broken: u32,
        /// How many are flaky.
        pub flaky: u32,
        /// How many another test breaks.
        pub order: u32,
        /// How many fail where a condition holds.
        pub environment: u32,
        /// What a point is.
        pub by: HealthUnit,
        /// How the newest 1000 runs went, oldest first.
        pub points: Vec<HealthPoint>,
        /// Of how many of the newest runs durations of tests are read.
        pub duration_runs: u32,
        /// Milliseconds below which no test is listed, and by which one must have become slower at least.
        pub least_ms: f64,
        /// The tests that take longest, at most 10, each in 3 runs or more.
        pub slowest: Vec<TestDuration>,
        /// Those that take longer than before, by a quarter at least; those by most milliseconds first, at most 10.
        pub slower: Vec<TestDuration>,
        /// Changes after which failures were gone, the newest 20.
        pub fixes: Vec<FixEvidence>,
        /// Fixes that somebody reported, the newest 20.
        pub reported: Vec<ReportedFix>,
        /// Fixes that the repository shares, the first 20.
        pub shared: Vec<SharedKnown>,
        /// How many more there are of these three together.
        pub more_fixes: u32,
    }

    /// A test that is not healthy.
    pub struct HealthTest {
        /// What it is, and what that rests on.
        pub evidence: TestEvidence,
        /// The run recorded last in which it failed; none where it passed at a later attempt each time, or where the
        /// run is not kept any more.
        pub last_failure: Option<LastFailure>,
    }

    /// Where a test failed.
    pub struct LastFailure {
        /// `run-…`.
        pub run_id: String,
        /// When the run started.
        pub timestamp: String,
    }

    /// Runs of a day, or one run.
    pub struct HealthPoint {
        /// When its newest run started.
        pub timestamp: String,
        /// Its newest run.
        pub run_id: String,
        /// How many it stands for.
        pub runs: u32,
        /// Passed ones of the cases that ran, in [0, 1]; none where nothing ran.
        pub pass_rate: Option<f64>,
        /// Median of the runs' wall-clock milliseconds; none where no run says it.
        pub duration_ms: Option<f64>,
        /// Outcomes by chance in a run, on average: cases that passed at a later attempt, and failures that were found to
        /// be flaky. None where the run is too far back for its failures to be read.
        pub flaky: Option<f64>,
    }

    /// How long a test takes when it passes at the first attempt.
    pub struct TestDuration {
        /// `file > suite > name`.
        pub case_name: String,
        /// Median milliseconds in its newest runs.
        pub median_ms: f64,
        /// How many these are, 5 at most.
        pub runs: u32,
        /// In those before; none where they are fewer than 5.
        pub before: Option<DurationBefore>,
    }

    /// How long a test took before its newest runs.
    pub struct DurationBefore {
        /// Median milliseconds.
        pub median_ms: f64,
        /// Of so many runs.
        pub runs: u32,
    }
}

/// What a point of a curve stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HealthUnit {
    /// All runs of a day, in UTC.
    Day,
    /// One run.
    Run,
}
