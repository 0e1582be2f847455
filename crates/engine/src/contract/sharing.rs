//! Types of what a repository shares in files of its own: what each holds, and what is asked to write, check and take in.

use super::Tried;
use argus_core::{Category, evidence::kept::fixes::ProofStatus};
use serde::{Deserialize, Serialize};

/// Derives what every shared file has: a field that nobody knows is refused.
macro_rules! shared_file {
    ($($(#[$meta:meta])* pub struct $name:ident $body:tt)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name $body
    )*};
}

/// One file of `.argus-shared`. Its name is its id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SharedFile {
    /// In `fixes`: what mended a failure.
    Fix(SharedFix),
    /// In `incidents`: a problem.
    Incident(SharedIncident),
    /// In `solutions`: what may be done about an incident.
    Solution(SharedSolution),
    /// In `outcomes`: what came of trying a fix or a solution.
    Outcome(SharedOutcome),
    /// In `decisions`: what a person set about a failure.
    Decision(SharedDecision),
    /// In `decisions`: what somebody said of two failures.
    Sameness(SharedSameness),
}

shared_file! {
    /// What mended a failure, as runs have shown where it was written.
    pub struct SharedFix {
        /// 1.
        pub version: u32,
        /// `fix-…`.
        pub id: String,
        /// The pseudonym that somebody chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// What it mended.
        pub failure: SharedFailure,
        /// What was changed.
        pub fix: String,
        /// The commit, where it was found in one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub commit: Option<String>,
    }

    /// A failure: enough to know the same again.
    pub struct SharedFailure {
        /// `pat-…`, where it was written.
        pub pattern: String,
        /// The test.
        pub case_name: String,
        /// What it is.
        pub category: Category,
        /// One line.
        pub description: String,
        /// The error as it was printed, without secrets, folders of a machine and its names.
        pub text: String,
        /// Exception or error type where the runner names it apart from the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub exception_type: Option<String>,
        /// Of the process that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub exit_code: Option<i32>,
        /// What ended the process, such as `SIGKILL`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub signal: Option<String>,
        /// HTTP status of the answer the failure is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub http_status: Option<u16>,
        /// Such as `exited`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub container_status: Option<String>,
        /// The container runtime says it was killed for memory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub oom_killed: Option<bool>,
        /// Such as `vitest`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub runner: Option<String>,
    }

    /// A problem.
    pub struct SharedIncident {
        /// 1.
        pub version: u32,
        /// `inc-…`.
        pub id: String,
        /// The pseudonym that somebody chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// One line.
        pub title: String,
        /// The error as it was printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub error_signature: Option<String>,
        /// The problem in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub summary: Option<String>,
        /// Labels.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub tags: Vec<String>,
    }

    /// What may be done about an incident.
    pub struct SharedSolution {
        /// 1.
        pub version: u32,
        /// `sol-…`.
        pub id: String,
        /// The pseudonym that somebody chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// `inc-…`.
        pub incident: String,
        /// What to do.
        pub steps: String,
        /// The environment that it was written for, in its canonical form.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub env_bucket: String,
    }

    /// What came of trying a fix or a solution.
    pub struct SharedOutcome {
        /// 1.
        pub version: u32,
        /// `out-…`.
        pub id: String,
        /// The pseudonym that somebody chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// `fix-…` or `sol-…`.
        pub of: String,
        /// It helped.
        pub worked: bool,
        /// Where, in its canonical form.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub env_bucket: String,
        /// Anything worth knowing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub notes: Option<String>,
    }

    /// What a person set about a failure, in place of what was learned.
    pub struct SharedDecision {
        /// 1.
        pub version: u32,
        /// `dec-…`.
        pub id: String,
        /// The pseudonym that somebody chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// What it is about.
        pub failure: SharedFailure,
        /// What it is said to be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub category: Option<Category>,
        /// How it is described.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub description: Option<String>,
        /// The fix to suggest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub fix: Option<String>,
        /// Fixes that are wrong.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub wrong: Vec<String>,
    }

    /// That two failures are one, or that two which are alike are two. What is said later counts.
    pub struct SharedSameness {
        /// 2: what knows version 1 alone does not read it.
        pub version: u32,
        /// `dec-…`.
        pub id: String,
        /// The pseudonym that somebody chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub by: Option<String>,
        /// ISO 8601.
        pub created_at: String,
        /// One of them.
        pub failure: SharedFailure,
        /// The other; where they are one, the one that it was merged into.
        pub other: SharedFailure,
        /// They are one.
        pub same: bool,
    }
}

contract! {
    /// A file of the shared folder.
    #[derive(Eq)]
    pub struct SharedText {
        /// Below `.argus-shared`, with `/`.
        pub path: String,
        /// What it holds.
        pub text: String,
    }

    /// What of a memory is to be shared.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ShareParams {
        /// The pseudonym that is written into each file; none: nobody is named.
        #[serde(default)]
        pub by: Option<String>,
        /// What tells of this machine, and is not written.
        pub machine: MachineNames,
        /// Paths of the files that are shared already, which stay as they are.
        pub present: Vec<String>,
        /// Fixes that were found in commits, and that a person chose.
        pub found: Vec<ChosenFix>,
    }

    /// What tells of a machine and of who works at it.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct MachineNames {
        /// The folder of the project, and other folders that it is known by.
        pub roots: Vec<String>,
        /// The home folder.
        #[serde(default)]
        pub home: Option<String>,
        /// Names of the machine.
        pub hosts: Vec<String>,
    }

    /// A fix that was found in a commit.
    pub struct ChosenFix {
        /// `fix-…`.
        pub fix_id: String,
        /// What its commit changed, in words.
        pub fix: String,
    }

    /// The files to write.
    pub struct ShareResult {
        /// In the order of their paths; those that are there already are not among them.
        pub files: Vec<SharedText>,
        /// What is not shared, and why.
        pub left_out: Vec<SharedFault>,
        /// What a person should read in these files before they are committed.
        pub doubts: Vec<SharedFault>,
    }

    /// Files of the shared folder to check, or to take in.
    pub struct SharedTexts {
        /// All of them.
        pub files: Vec<SharedText>,
    }

    /// What is wrong with a file.
    #[derive(Eq)]
    pub struct SharedFault {
        /// Below `.argus-shared`.
        pub path: String,
        /// Why, in one line.
        pub message: String,
    }

    /// What was found wrong.
    pub struct ShareCheckResult {
        /// In the order of the files.
        pub faults: Vec<SharedFault>,
        /// What a person should read in those without a fault.
        pub doubts: Vec<SharedFault>,
    }

    /// What was taken in.
    pub struct ShareTaken {
        /// Files.
        pub taken: u32,
        /// Those that were not.
        pub refused: Vec<SharedFault>,
    }

    /// Where something comes from that a repository shares, and what own runs have said of it.
    #[derive(Default, Eq)]
    pub struct SharedOrigin {
        /// The file.
        pub file: String,
        /// The pseudonym of who wrote it; absent: nobody is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub by: Option<String>,
        /// Of a fix: `claimed` until own runs prove or refute it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub state: Option<ProofStatus>,
        /// The own run that decided that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub decided_by: Option<String>,
        /// Of a fix: what came of it elsewhere, as others say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub elsewhere: Option<Tried>,
        /// The file that says that this failure is one with another; the fix is of both.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub joined_by: Option<String>,
    }

    /// A fix that the repository shares: somebody else's, and a claim here until own runs have decided.
    pub struct SharedKnown {
        /// `fix-…`, by which a report names it.
        pub fix_id: String,
        /// Case of the failure there.
        pub case_name: String,
        /// What was changed; the first 300 characters, as data.
        pub fix_description: String,
        /// True: it was made here, and `origin` says what came of it elsewhere.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub own: bool,
        /// Where it comes from.
        pub origin: SharedOrigin,
    }
}
