//! The shape every report is read into.

use serde::{Deserialize, Serialize};

/// Name of the case that stands for a file or suite which failed outside of any test (an import, a hook).
pub const SUITE_FAILURE: &str = "(suite)";

/// Report formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(rename = "ReportFormat"))]
#[serde(rename_all = "kebab-case")]
pub enum Format {
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
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CaseStatus {
    /// It passed, perhaps at a later attempt.
    Passed,
    /// It failed at every attempt.
    Failed,
    /// It did not run.
    Skipped,
}

/// One test case of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct ReportCase {
    /// Source file, as the report gives it but with `/`, relative to the project where it lies inside.
    pub file: Option<String>,
    /// Enclosing suites from the outside in.
    pub suite: Vec<String>,
    /// The test's own name.
    pub name: String,
    /// How it ended.
    pub status: CaseStatus,
    /// The runner's own word for it, where it says more (`timedOut`, `interrupted`, `todo`).
    pub runner_status: Option<String>,
    /// It failed and then passed within this run.
    pub flaky: bool,
    /// Milliseconds of all attempts.
    pub duration_ms: Option<f64>,
    /// How often it was run; at least 1 unless skipped.
    pub attempts: u32,
    /// Exception type, where the report names it apart.
    pub error_type: Option<String>,
    /// Error text with stack, of the last failed attempt; bounded. Message and body joined without repeating.
    pub error: Option<String>,
    /// End of what it wrote to standard output; bounded.
    pub stdout_tail: Option<String>,
    /// End of what it wrote to standard error; bounded.
    pub stderr_tail: Option<String>,
    /// Runner that its report names. A parser knows it only at the end and answers it apart; a run that waits keeps it
    /// here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<String>,
    /// Where it stands among the cases of its report, of use while that is read only.
    #[serde(skip)]
    #[cfg_attr(feature = "types", ts(skip), schemars(skip))]
    pub place: Place,
}

/// Where a case stands among those of its report. Compared, it is the order of execution where [`Parsed::order`] says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When it started, or its file did; UTC milliseconds.
    pub started_at: Option<i64>,
    /// As which it came in the report, from 1.
    pub number: u64,
}

/// What is known of the order in which the cases of a report ran; [`crate::formats`] says of which runner what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutionOrder {
    /// Nothing: sorted otherwise, or run beside one another.
    #[default]
    Unknown,
    /// They ran as they stand in the report.
    AsReported,
    /// They ran as they started.
    ByStart,
    /// The cases of a unit ([`ReportCase::unit`]) ran as they started. Units ran beside one another, so their order is
    /// chance.
    ByStartInUnits,
}

impl ReportCase {
    /// A case of which only name and status are known.
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
            place: Place::default(),
        }
    }

    /// A file or suite that failed outside of its tests.
    pub(crate) fn suite_failure(file: Option<String>, error: Option<String>) -> Self {
        let error = error.and_then(|error| crate::reading::bounded_text::bound_error(&error));
        Self { file, error, ..Self::new(SUITE_FAILURE.to_owned(), CaseStatus::Failed) }
    }

    /// The file, else the suites: where files or packages have processes of their own, the cases of one process.
    pub fn unit(&self) -> String {
        self.file.clone().unwrap_or_else(|| self.suite.join(" > "))
    }

    /// `file > suite > name`, the one name of a case whichever reporter delivered it.
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
    /// Where: file name, with line where it is known.
    pub at: String,
    /// What was wrong there.
    pub reason: String,
}

/// What is known about a report once it was read to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The format it was read as.
    pub format: Format,
    /// How many cases were handed out.
    pub cases: u64,
    /// What could not be read; at most about fifty, the last one then says how many more there were.
    pub problems: Vec<Problem>,
    /// When the run started, UTC milliseconds since the epoch.
    pub started_at: Option<i64>,
    /// Wall-clock milliseconds of the run, else the sum over its suites.
    pub duration_ms: Option<f64>,
    /// The runner that wrote it, such as `vitest`, where the report tells.
    pub runner: Option<String>,
    /// Its version, such as `3.2.4`, where the report tells.
    pub runner_version: Option<String>,
    /// How its cases are put into the order in which they ran.
    pub order: ExecutionOrder,
}
