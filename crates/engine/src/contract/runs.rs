//! Parameters and results of recording a run.

use super::{Cause, FailureBrief, ProvedFix};
use argus_report::{Problem, ReportCase, ReportFormat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

contract! {
    /// A finished run, described by its reports, or by the printed output if there are no reports.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct RecordRunParams {
        /// Command line as a person would type it.
        pub command: Option<String>,
        /// Runner's name, such as `vitest`.
        pub runner: Option<String>,
        /// Start in UTC milliseconds since the epoch. Default: from the reports, else now.
        pub started_at: Option<i64>,
        /// Wall-clock milliseconds. Default: from the reports.
        pub duration_ms: Option<f64>,
        /// Exit code of the command.
        pub exit_code: Option<i32>,
        /// Signal that ended the command.
        pub signal: Option<String>,
        /// True if the command was ended because it exceeded its time limit.
        pub timed_out: bool,
        /// True if the user interrupted the command. Only the failed tests of such a run are recorded.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub interrupted: bool,
        /// Milliseconds without output, if the command was ended because it printed nothing for too long.
        pub silent_ms: Option<f64>,
        /// State of the work tree.
        pub git: Option<GitFacts>,
        /// Report files of the run, by paths that the host can open.
        pub reports: Vec<ReportInput>,
        /// Cases that `prepareRun` has read from reports.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<ReportCase>>"))]
        pub cases: Vec<ReportCase>,
        /// Parts of those reports that could not be read.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<Problem>>"))]
        pub unread: Vec<Problem>,
        /// End of the command's output.
        pub output_tail: Option<String>,
        /// State of the containers that the project names.
        pub containers: Vec<ContainerFact>,
        /// Notes of the host for the answer, such as `kubectl not found`.
        pub notes: Vec<String>,
        /// True if `cases` are not in the order of execution.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub order_unknown: bool,
        /// True if the command is a test runner, so that a run without tests has failed even with exit code 0.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub expects_tests: bool,
        /// Folder of the project in which the command ran, with `/`. Case names start with it. None for the project's
        /// own folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub folder: Option<String>,
        /// Conditions that tests may depend on, such as `os`, `arch`, `ci` and `machine` (hashed).
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<BTreeMap<String, String>>"))]
        pub environment: BTreeMap<String, String>,
        /// Filter of the tests. Tests that it excludes may be reported as skipped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub filter: Option<String>,
        /// True if it ran in a fork. Such a run is kept, but proves and refutes nothing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub foreign: bool,
        /// Counts in the summary that the runner printed. A report with fewer tests is incomplete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub printed: Option<PrintedCounts>,
        /// True if the names come from printed output, which may leave out the first part, such as the file. The names of
        /// earlier runs complete them.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub printed_names: bool,
        /// How the runner shuffled the tests, if it reports that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub shuffle: Option<Shuffle>,
    }

    /// Counts in the summary that a runner printed.
    pub struct PrintedCounts {
        /// Text of the summary.
        pub summary: String,
        /// Number of tests.
        pub tests: u32,
        /// Number of failed tests.
        pub failed: u32,
    }

    /// How a runner shuffled its tests.
    pub struct Shuffle {
        /// Seed of the order. None if several were used, or if it is not reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub seed: Option<String>,
        /// Options of the runner that reproduce the order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub option: Option<String>,
    }

    /// A run from a history that was recorded elsewhere.
    pub struct ImportRunParams {
        /// Its id there. Importing the same id again changes nothing.
        pub id: String,
        /// The run.
        pub run: RecordRunParams,
    }

    /// State of the work tree when the run started.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct GitFacts {
        /// Full hash.
        pub commit: Option<String>,
        /// Branch, or null if the head is detached.
        pub branch: Option<String>,
        /// True if there are uncommitted changes, including untracked files.
        pub dirty: Option<bool>,
        /// True if untracked files are the only uncommitted changes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub untracked_only: bool,
        /// Git's id of the tree including uncommitted changes, or null if unknown.
        #[serde(default)]
        pub tree: Option<String>,
        /// The newest commits, starting with that of the run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<CommitFacts>>"))]
        pub commits: Vec<CommitFacts>,
        /// Files that differ from the commit, tracked files first. At most 20, and none that may contain secrets.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<EditedFile>>"))]
        pub edits: Vec<EditedFile>,
    }

    /// A file with uncommitted changes.
    #[derive(Default)]
    pub struct EditedFile {
        /// Path relative to the project, with `/`.
        pub path: String,
        /// Digest of the changes.
        pub digest: String,
        /// True if the file is untracked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub untracked: bool,
        /// The changes as a diff. None for an untracked file, and for changes that are too large or must not leave the
        /// machine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub hunks: Option<String>,
    }

    /// A commit and its parents.
    #[derive(Default)]
    pub struct CommitFacts {
        /// Full hash.
        pub commit: String,
        /// Full hashes of the parents.
        pub parents: Vec<String>,
        /// Author time in UTC milliseconds, which amending and rebasing keep. Absent if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub authored_at: Option<i64>,
        /// Files that it touched, relative to the project. Empty if unknown.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub files: Vec<String>,
        /// Git's id of the commit's tree. Absent if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tree: Option<String>,
        /// Its diff. None for an older commit, for a merge, and for a diff that is too large or must not leave the
        /// machine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub hunks: Option<String>,
    }

    /// A report file.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ReportInput {
        /// Path the host can open.
        pub path: String,
        /// Format. Default: detected from the content.
        pub format: Option<ReportFormat>,
    }

    /// State of a container.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ContainerFact {
        /// Container or pod/container name.
        pub name: String,
        /// State or reason: `running`, `exited`, `CrashLoopBackOff`, `OOMKilled`.
        pub status: Option<String>,
        /// True if it was killed for exceeding its memory limit.
        pub oom_killed: Option<bool>,
        /// Exit code of its last run.
        pub exit_code: Option<i32>,
    }

    /// Answer to a recorded run.
    pub struct RunResult {
        /// `run-…`.
        pub run_id: String,
        /// Failed if a case or the command failed.
        pub status: RunStatus,
        /// True if the user interrupted the run, so that some tests may not have run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub interrupted: bool,
        /// Wall-clock milliseconds.
        pub duration_ms: f64,
        /// Cases by status.
        pub totals: Totals,
        /// The first failures of each cause: at most 3 per cause and 20 in total, limited by the size of the answer.
        pub failures: Vec<FailureBrief>,
        /// Number of failures that are not listed.
        pub more: u32,
        /// Causes of the failures, most urgent first. At most 20, limited by the size of the answer.
        #[serde(default)]
        pub causes: Vec<Cause>,
        /// Number of causes that are not listed.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<u32>"))]
        pub more_causes: u32,
        /// Changes since the last run of the branch without a failure. Absent if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub since_green: Option<ChangesSinceGreen>,
        /// Claimed fixes that this run proves. At most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<ProvedFix>>"))]
        pub proved: Vec<ProvedFix>,
        /// How the runner shuffled the tests, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub shuffle: Option<Shuffle>,
        /// Notes, such as on missing tools and shortened texts.
        pub notes: Vec<String>,
        /// Parts of the reports that could not be read.
        pub skipped: Vec<Problem>,
    }

    /// Changes between the last run without a failure and a failed run.
    pub struct ChangesSinceGreen {
        /// The newest earlier run of the branch without a failure.
        pub run_id: String,
        /// Number of commits between the two runs.
        pub commits: u32,
        /// Number of commits that the failed run lacks, because the branch was reset.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<u32>"))]
        pub lost: u32,
        /// Files whose uncommitted edits differ between the two runs. At most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub edited: Vec<String>,
    }

    /// Number of cases by status. Flaky cases also count as passed.
    #[derive(Default)]
    pub struct Totals {
        /// Passed, including flaky cases.
        pub passed: u32,
        /// Failed.
        pub failed: u32,
        /// Skipped.
        pub skipped: u32,
        /// Failed and then passed within the run.
        pub flaky: u32,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// No case failed and the command did not either.
    Passed,
    /// A case or the command failed.
    Failed,
}
