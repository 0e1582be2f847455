//! The types that every report is converted into.

use serde::{Deserialize, Serialize};

/// Name of the case that represents a file or suite which failed outside any test, for example in an import or a hook.
pub const SUITE_FAILURE_NAME: &str = "(suite)";

/// Report formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(rename = "ReportFormat"))]
#[serde(rename_all = "kebab-case")]
pub enum ReportFormat {
    /// JUnit XML in all its dialects.
    Junit,
    /// Common Test Report Format.
    Ctrf,
    /// Jest's `--json`, which Vitest's JSON reporter writes too.
    Jest,
    /// Playwright's JSON reporter.
    Playwright,
    /// Test Anything Protocol 13 and 14.
    Tap,
    /// `go test -json`.
    GoTest,
    /// TRX of `VSTest` and `MSTest`.
    Trx,
    /// xUnit.net XML, version 2 and 3.
    Xunit,
    /// `NUnit` XML, version 2 and 3.
    Nunit,
    /// JSON of `RSpec`.
    Rspec,
    /// JSON of Mocha.
    Mocha,
    /// JSON events of libtest and cargo-nextest.
    Libtest,
    /// XML of `CTest` (`Test.xml`).
    Ctest,
    /// JSON events of Dart and Flutter.
    Dart,
    /// JSON of Cucumber.
    Cucumber,
    /// Messages of Cucumber.
    CucumberMessages,
    /// `output.xml` of Robot Framework.
    Robot,
    /// JSON of `GoogleTest`.
    Googletest,
    /// XML of Catch2.
    Catch2,
    /// Results of Allure.
    Allure,
    /// Build events of Bazel.
    Bazel,
    /// JSON of `xcresulttool`.
    Xcresult,
}

/// Outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CaseStatus {
    /// Passed, possibly at a later attempt.
    Passed,
    /// Failed at every attempt.
    Failed,
    /// Did not run.
    Skipped,
}

/// A test case of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct ReportCase {
    /// Source file as in the report, with `/`. Relative to the project if it is inside.
    pub file: Option<String>,
    /// Enclosing suites from the outside in.
    pub suite: Vec<String>,
    /// The test's own name.
    pub name: String,
    /// Outcome of the case.
    pub status: CaseStatus,
    /// Outcome in the runner's own word, if that has more details (`timedOut`, `interrupted`, `todo`).
    pub runner_status: Option<String>,
    /// True if it failed and then passed within this run.
    pub flaky: bool,
    /// Total duration of all attempts in milliseconds.
    pub duration_ms: Option<f64>,
    /// Number of attempts, at least 1 unless skipped.
    pub attempts: u32,
    /// Exception type, if the report names it separately.
    pub error_type: Option<String>,
    /// Error text and stack of the last failed attempt, limited in size. The message is left out if the body
    /// repeats it.
    pub error: Option<String>,
    /// End of its standard output, limited in size.
    pub stdout_tail: Option<String>,
    /// End of its standard error, limited in size.
    pub stderr_tail: Option<String>,
    /// Runner named by the report. Parsers return it separately, because they know it only at the end; a run that waits
    /// to be recorded keeps it here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// Position in the report, used only while the report is read.
    #[serde(skip)]
    #[cfg_attr(feature = "types", ts(skip), schemars(skip))]
    pub place: CasePosition,
}

/// Position of a case in its report. If [`ParsedReport::order`] is `ByStart`, comparing positions gives the order of
/// execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CasePosition {
    /// Start of the case or of its file, UTC milliseconds.
    pub started_at: Option<i64>,
    /// Number of the case in the report, starting at 1.
    pub number: u64,
    /// Position among the cases with the same name, starting at 1.
    pub occurrence: u32,
}

/// How to derive the order of execution of the cases; [`crate::formats`] lists the runners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionOrder {
    /// Unknown, because the report is sorted in another way or the cases ran in parallel.
    #[default]
    Unknown,
    /// The order in the report.
    AsReported,
    /// The order of the start times.
    ByStart,
    /// The cases of a unit ([`ReportCase::unit`]) ran as they started. Units ran in parallel, so their order is
    /// random.
    ByStartInUnits,
}

impl ReportCase {
    /// Creates a case from its name and status.
    pub(crate) fn new(name: String, status: CaseStatus) -> Self {
        Self {
            file: None,
            suite: Vec::new(),
            name,
            status,
            runner_status: None,
            flaky: false,
            duration_ms: None,
            attempts: u32::from(status != CaseStatus::Skipped),
            error_type: None,
            error: None,
            stdout_tail: None,
            stderr_tail: None,
            runner: None,
            place: CasePosition::default(),
        }
    }

    /// Creates a case for a file or suite that failed outside its tests.
    pub(crate) fn suite_failure(file: Option<String>, error: Option<String>) -> Self {
        let error = error.and_then(|error| crate::reading::bounded_text::bound_error(&error));
        Self { file, error, ..Self::new(SUITE_FAILURE_NAME.to_owned(), CaseStatus::Failed) }
    }

    /// Returns the file of the case, or its suites if it has no file. The cases of a unit run in one process if the
    /// runner starts a process for each file or package.
    pub fn unit(&self) -> String {
        self.file.clone().unwrap_or_else(|| self.suite.join(" > "))
    }

    /// Returns the name in the form `file > suite > name`, which is the same for every reporter.
    pub fn qualified_name(&self) -> String {
        let parts = self.file.iter().chain(&self.suite).map(String::as_str).chain([self.name.as_str()]);
        parts.collect::<Vec<_>>().join(" > ")
    }
}

/// Something in a report that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(rename = "SkippedInput"))]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// File name, with the line if known.
    pub at: String,
    /// Description of the problem.
    pub reason: String,
    /// True if the problem may hide a test or a failure.
    #[serde(default = "default_incomplete")]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
    pub incomplete: bool,
}

/// A problem without this field was noted by an earlier version, or by the host about a report that it could not read.
const fn default_incomplete() -> bool {
    true
}

/// The result of reading a report to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedReport {
    /// The format of the report.
    pub format: ReportFormat,
    /// Number of emitted cases.
    pub cases: u64,
    /// Parts that could not be read, at most about fifty. If there are more, the last entry has the number of further
    /// problems.
    pub problems: Vec<Problem>,
    /// Start of the run, UTC milliseconds since the epoch.
    pub started_at: Option<i64>,
    /// Wall-clock duration of the run in milliseconds, otherwise the sum over its suites.
    pub duration_ms: Option<f64>,
    /// Name of the runner, for example `vitest`, if the report contains it.
    pub runner: Option<String>,
    /// Version of the runner, for example `3.2.4`, if the report contains it.
    pub runner_version: Option<String>,
    /// How to derive the order of execution of the cases.
    pub order: ExecutionOrder,
}
