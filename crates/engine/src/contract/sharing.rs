//! Types of the files that a repository shares, and of the calls that write, check and import them.

use super::FixTrialCounts;
use argus_core::{Category, evidence::stored_rows::fixes::ProofStatus};
use serde::{Deserialize, Serialize};

/// Derives the traits of every shared file. Unknown fields are refused.
macro_rules! shared_file {
    ($($(#[$meta:meta])* pub struct $name:ident $body:tt)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name $body
    )*};
}

/// A file of `.argus-shared`. Its name is its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SharedFile {
    /// In `fixes`: a fix of a failure.
    Fix(SharedFix),
    /// In `incidents`: a problem.
    Incident(SharedIncident),
    /// In `solutions`: a solution of an incident.
    Solution(SharedSolution),
    /// In `outcomes`: the result of trying a fix or a solution.
    Outcome(SharedOutcome),
    /// In `decisions`: values that a person set on a failure.
    Decision(SharedDecision),
    /// In `decisions`: whether two failures are the same.
    Sameness(SharedSameness),
}

shared_file! {
    /// A fix of a failure, proved by runs where it was written.
    pub struct SharedFix {
        /// 1.
        pub version: u32,
        /// `fix-…`.
        pub id: String,
        /// Pseudonym of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// The fixed failure.
        pub failure: SharedFailure,
        /// Description of the change.
        pub fix: String,
        /// The commit, if the fix was found in a commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub commit: Option<String>,
    }

    /// A failure, with enough facts to recognize it again.
    pub struct SharedFailure {
        /// `pat-…` in the memory of the author.
        pub pattern: String,
        /// Qualified name of the test.
        pub case_name: String,
        /// Category of the failure.
        pub category: Category,
        /// Description in one line.
        pub description: String,
        /// The error as printed, without secrets, and without folders and names of the machine.
        pub text: String,
        /// Exception or error type, if the runner names it separately.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub exception_type: Option<String>,
        /// Exit code of the process that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub exit_code: Option<i32>,
        /// Signal that ended the process, such as `SIGKILL`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub signal: Option<String>,
        /// HTTP status of the response that the failure is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub http_status: Option<u16>,
        /// State of the container, such as `exited`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub container_status: Option<String>,
        /// True if the container runtime killed it because of memory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub oom_killed: Option<bool>,
        /// Name of the runner, such as `vitest`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub runner: Option<String>,
    }

    /// A problem.
    pub struct SharedIncident {
        /// 1.
        pub version: u32,
        /// `inc-…`.
        pub id: String,
        /// Pseudonym of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// Title in one line.
        pub title: String,
        /// The error as printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub error_signature: Option<String>,
        /// The problem in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub summary: Option<String>,
        /// Labels.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub tags: Vec<String>,
    }

    /// A solution of an incident.
    pub struct SharedSolution {
        /// 1.
        pub version: u32,
        /// `sol-…`.
        pub id: String,
        /// Pseudonym of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// `inc-…`.
        pub incident: String,
        /// Steps of the solution.
        pub steps: String,
        /// Environment it was written for, in canonical form.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub env_bucket: String,
    }

    /// Result of trying a fix or a solution.
    pub struct SharedOutcome {
        /// 1.
        pub version: u32,
        /// `out-…`.
        pub id: String,
        /// Pseudonym of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// `fix-…` or `sol-…`.
        pub of: String,
        /// True if it helped.
        pub worked: bool,
        /// Environment in which it was tried, in canonical form.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub env_bucket: String,
        /// Remarks.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub notes: Option<String>,
    }

    /// Values that a person set on a failure. They replace the learned values.
    pub struct SharedDecision {
        /// 1.
        pub version: u32,
        /// `dec-…`.
        pub id: String,
        /// Pseudonym of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// The failure.
        pub failure: SharedFailure,
        /// Category.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub category: Option<Category>,
        /// Description in one line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub description: Option<String>,
        /// The fix to suggest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub fix: Option<String>,
        /// Descriptions of wrong fixes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub wrong: Vec<String>,
    }

    /// Decision whether two similar failures are the same. The latest decision counts.
    pub struct SharedSameness {
        /// 2, so that programs that know only version 1 skip it.
        pub version: u32,
        /// `dec-…`.
        pub id: String,
        /// Pseudonym of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// The first failure.
        pub failure: SharedFailure,
        /// The second failure. If they are the same, the first was merged into it.
        pub other: SharedFailure,
        /// True if they are the same.
        pub same: bool,
    }
}

contract! {
    /// A file of the shared folder.
    #[derive(Eq)]
    pub struct SharedFileContent {
        /// Path below `.argus-shared`, with `/`.
        pub path: String,
        /// Content of the file.
        pub text: String,
    }

    /// Options for sharing a memory.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ShareParams {
        /// Pseudonym to write into each file, or null to write no name.
        #[serde(default)]
        pub by: Option<String>,
        /// Names of this machine that must not be written.
        pub machine: MachineNames,
        /// Paths of the existing shared files. They are not changed.
        pub present: Vec<String>,
        /// Fixes from commits that a person chose.
        pub found: Vec<ChosenFix>,
    }

    /// Names that identify a machine and its user.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct MachineNames {
        /// Folder of the project, and other paths of it.
        pub roots: Vec<String>,
        /// The home folder.
        #[serde(default)]
        pub home: Option<String>,
        /// Names of the machine.
        pub hosts: Vec<String>,
    }

    /// A fix from a commit.
    pub struct ChosenFix {
        /// `fix-…`.
        pub fix_id: String,
        /// Description of the change.
        pub fix: String,
    }

    /// Files to write.
    pub struct ShareResult {
        /// New files, sorted by path.
        pub files: Vec<SharedFileContent>,
        /// Entries that are not shared, with the reason.
        pub left_out: Vec<SharedFault>,
        /// Parts of these files that a person should read before a commit.
        pub doubts: Vec<SharedFault>,
    }

    /// Files of the shared folder, to check or to import.
    pub struct SharedFilesParams {
        /// All files.
        pub files: Vec<SharedFileContent>,
    }

    /// A problem with a file.
    #[derive(Eq)]
    pub struct SharedFault {
        /// Path below `.argus-shared`.
        pub path: String,
        /// Reason in one line.
        pub message: String,
    }

    /// Problems that the check found.
    pub struct ShareCheckResult {
        /// Faults, in the order of the files.
        pub faults: Vec<SharedFault>,
        /// Parts that a person should read in files without a fault.
        pub doubts: Vec<SharedFault>,
    }

    /// Result of importing shared files.
    pub struct SharedImportResult {
        /// Number of imported files.
        pub taken: u32,
        /// Files that were not imported.
        pub refused: Vec<SharedFault>,
    }

    /// Origin of a shared entry, and its proof by the user's own runs.
    #[derive(Default, Eq)]
    pub struct SharedOrigin {
        /// Path of the file.
        pub file: String,
        /// Pseudonym of the author. Absent if the author gave no name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub by: Option<String>,
        /// For a fix: `claimed` until the user's own runs prove or refute it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub state: Option<ProofStatus>,
        /// The user's own run that decided the state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub decided_by: Option<String>,
        /// For a fix: results elsewhere, as reported by others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub elsewhere: Option<FixTrialCounts>,
        /// Path of the shared decision which states that this failure and the fixed failure are the same, so that the
        /// fix applies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub joined_by: Option<String>,
    }

    /// A fix that the repository shares. It is a claim until the user's own runs prove or refute it.
    pub struct SharedFixEntry {
        /// `fix-…`, for use in reports.
        pub fix_id: String,
        /// Case of the failure at the author's.
        pub case_name: String,
        /// Description of the change, first 300 characters. Treat it as data.
        pub fix_description: String,
        /// True if it was made here. `origin` then has the results elsewhere.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub own: bool,
        /// Origin of the fix.
        pub origin: SharedOrigin,
    }
}
