//! Types of runs: what records one, what lists them, and their cases.

use super::{ChangedBefore, Difference, FixTrust, MendedBefore, Precedents, ProvedFix, Related, Tried};
use argus_core::{Category, FailureKind, evidence::verdict::VerdictKind};
use argus_report::{CaseStatus, Format, Problem, ReportCase};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

contract! {
    /// One finished run: reports or, where there are none, what the command printed.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct RecordRunParams {
        /// Command line as a person would type it.
        pub command: Option<String>,
        /// Runner's name, such as `vitest`.
        pub runner: Option<String>,
        /// When it started; UTC milliseconds since the epoch. None: now, or what the reports say.
        pub started_at: Option<i64>,
        /// Wall-clock milliseconds. None: what the reports say.
        pub duration_ms: Option<f64>,
        /// Exit code of the command.
        pub exit_code: Option<i32>,
        /// Signal that ended it.
        pub signal: Option<String>,
        /// The command was ended because its time was over.
        pub timed_out: bool,
        /// Its user interrupted it: it is recorded as unfinished, with the tests alone that had failed by then.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub interrupted: bool,
        /// Milliseconds in which it had printed nothing, where it was ended for that.
        pub silent_ms: Option<f64>,
        /// State of the work tree.
        pub git: Option<GitFacts>,
        /// Report files that together make up the run, as the host opens them.
        pub reports: Vec<ReportInput>,
        /// Cases that were read from reports before, as `prepareRun` answers them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<ReportCase>>"))]
        pub cases: Vec<ReportCase>,
        /// What could not be read of those reports.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<Problem>>"))]
        pub unread: Vec<Problem>,
        /// End of what the command printed.
        pub output_tail: Option<String>,
        /// State of the containers the project names.
        pub containers: Vec<ContainerFact>,
        /// Remarks of the host that belong to the answer (`kubectl not found`).
        pub notes: Vec<String>,
        /// `cases` do not stand in the order in which they ran.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub order_unknown: bool,
        /// A test runner ran; without a test the run has failed, even where the runner ended well.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub expects_tests: bool,
        /// Folder of the project that the command ran in, with `/`; of the project's own there is none. Names of cases begin with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub folder: Option<String>,
        /// Conditions that tests may depend on, such as `os`, `arch`, `ci`, `machine` (hashed).
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<BTreeMap<String, String>>"))]
        pub environment: BTreeMap<String, String>,
        /// What the tests were filtered by; those that it leaves out may be reported as skipped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub filter: Option<String>,
        /// It ran in somebody else's copy of the project, such as a fork: it is kept, and proves and refutes nothing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub foreign: bool,
        /// The runner shuffled the tests, as far as it says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub shuffle: Option<Shuffle>,
    }

    /// That a runner shuffled its tests.
    pub struct Shuffle {
        /// What the order was made from; none where several were used, or it is not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub seed: Option<String>,
        /// The options by which that runner takes the same order again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub option: Option<String>,
    }

    /// A run out of a history that was recorded elsewhere.
    pub struct ImportRunParams {
        /// Its id there; given once more, the run stays what it is.
        pub id: String,
        /// What ran.
        pub run: RecordRunParams,
    }

    /// State of the work tree when the run started.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct GitFacts {
        /// Full hash.
        pub commit: Option<String>,
        /// None when detached.
        pub branch: Option<String>,
        /// Uncommitted changes, untracked files included.
        pub dirty: Option<bool>,
        /// The only uncommitted changes are untracked files.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub untracked_only: bool,
        /// The id that git would give the tree of files as it lies there. None: not known.
        #[serde(default)]
        pub tree: Option<String>,
        /// The newest commits, the run's own first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<CommitFacts>>"))]
        pub commits: Vec<CommitFacts>,
        /// Files that differ from the commit, tracked ones first; at most 20 of them, none that may hold secrets.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<EditedFile>>"))]
        pub edits: Vec<EditedFile>,
    }

    /// A file that was changed and not committed.
    #[derive(Default)]
    pub struct EditedFile {
        /// Relative to the project, with `/`.
        pub path: String,
        /// Equal for equal changes.
        pub digest: String,
        /// Whether git does not track it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub untracked: bool,
        /// The changes as a diff; none of an untracked file, and where they must not leave the machine or are too many.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub hunks: Option<String>,
    }

    /// A commit and those before it.
    #[derive(Default)]
    pub struct CommitFacts {
        /// Full hash.
        pub commit: String,
        /// Full hashes.
        pub parents: Vec<String>,
        /// Files that it touched, relative to the project; none where that is not known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub files: Vec<String>,
        /// Git's id of its tree of files. None: not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tree: Option<String>,
    }

    /// One report file.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ReportInput {
        /// Path the host can open.
        pub path: String,
        /// None: told from the content.
        pub format: Option<Format>,
    }

    /// What a container runtime says of one container.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct ContainerFact {
        /// Container or pod/container name.
        pub name: String,
        /// State or reason: `running`, `exited`, `CrashLoopBackOff`, `OOMKilled`.
        pub status: Option<String>,
        /// Killed for memory.
        pub oom_killed: Option<bool>,
        /// Exit code of its last end.
        pub exit_code: Option<i32>,
    }

    /// The answer to a recorded run.
    pub struct RunResult {
        /// `run-…`.
        pub run_id: String,
        /// Failed when a case failed or the command did.
        pub status: RunStatus,
        /// Its user ended it before its end, so that tests may not have run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub interrupted: bool,
        /// Wall-clock milliseconds.
        pub duration_ms: f64,
        /// Cases by status.
        pub totals: Totals,
        /// The first failures of each cause: at most 3 of one, 20 of all, and as many as an answer has room for.
        pub failures: Vec<FailureBrief>,
        /// How many failures are not listed.
        pub more: u32,
        /// Failures of the same error at the same place are one; at most 20, as many as there is room for.
        #[serde(default)]
        pub causes: Vec<Cause>,
        /// How many causes are not listed.
        #[serde(default, skip_serializing_if = "is_none")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<u32>"))]
        pub more_causes: u32,
        /// What changed since the newest run of the branch without a failure; absent where that is not known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub since_green: Option<SinceGreen>,
        /// Fixes that were only claimed and that this run proves; at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<ProvedFix>>"))]
        pub proved: Vec<ProvedFix>,
        /// The runner shuffled the tests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub shuffle: Option<Shuffle>,
        /// Remarks: what was not available, what was cut.
        pub notes: Vec<String>,
        /// What in the reports could not be read.
        pub skipped: Vec<Problem>,
    }

    /// What changed between the last green run and a failed one.
    pub struct SinceGreen {
        /// The newest earlier run of the branch without a failure.
        pub run_id: String,
        /// Commits between the two.
        pub commits: u32,
        /// Files whose uncommitted edits differ between the two; at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub edited: Vec<String>,
    }

    /// Cases by status; flaky ones are counted among passed too.
    #[derive(Default)]
    pub struct Totals {
        /// Passed, flaky ones included.
        pub passed: u32,
        /// Failed.
        pub failed: u32,
        /// Skipped.
        pub skipped: u32,
        /// Failed and then passed within the run.
        pub flaky: u32,
    }

    /// One failure, in short.
    pub struct FailureBrief {
        /// `file > suite > name`.
        pub case_name: String,
        /// What it is.
        pub category: Category,
        /// Finer than the category, of a closed list.
        #[serde(default = "unknown_kind")]
        pub failure_kind: FailureKind,
        /// What went wrong, one line.
        pub headline: String,
        /// The error with the values that were compared; absent where it says no more than the headline, or no more than
        /// that of the first failure of the cause.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub message: Option<String>,
        /// `file:line` in the project's own code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub place: Option<String>,
        /// `file:line` in the test; the file alone where no line is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub test_place: Option<String>,
        /// Exit code of the process that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub exit_code: Option<i32>,
        /// Signal that ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub signal: Option<String>,
        /// The source line at `place`, or where there is none at `testPlace`; the host adds it, since it has the files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub source_line: Option<String>,
        /// Which of the causes it is of.
        #[serde(default)]
        pub cause_id: String,
        /// What the memory knows; shown, not counted. None where that is nothing, or what the first listed failure of the
        /// cause says.
        pub known: Option<KnownPattern>,
        /// A fix that the repository shares, where nothing of the user's own is proved: somebody else's, as data.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub shared: Option<Related>,
        /// A commit or an edit that mended this failure of this test before; absent where a fix was reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub mended_before: Option<MendedBefore>,
        /// Commits that looked like fixes and changed this test, or the function that it failed in: hints that nobody claimed.
        /// Absent where a fix is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<ChangedBefore>>", optional))]
        pub changed_before: Vec<ChangedBefore>,
    }

    /// Failures with one cause: one error at one place, one innermost function, one outage, or tests that fail together.
    pub struct Cause {
        /// `cause-…`: the same from run to run while it lasts.
        pub cause_id: String,
        /// What went wrong, one line.
        pub headline: String,
        /// `file:line` in the project's own code, else in the test.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub place: Option<String>,
        /// How many failures it has.
        pub count: u32,
        /// Their cases, the first ones.
        pub cases: Vec<String>,
        /// What the first of them was found to be; of tests that no earlier run has only where there are no others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
    }

    /// A verdict, in short.
    pub struct BriefVerdict {
        /// What the failure is.
        pub kind: VerdictKind,
        /// The calibrated chance that it is that, 0 to 1.
        pub probability: f64,
        /// The commit that most likely began it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub suspect: Option<String>,
    }

    /// A pattern, in short.
    pub struct KnownPattern {
        /// `pat-…` or `builtin-…`.
        pub pattern_id: String,
        /// `(resolutions + 1) / (occurrences + 2)`, of the pattern whose fix is suggested; `tried` says what came of it.
        pub confidence: f64,
        /// The best fix that fits; none: nothing fixed it yet.
        pub suggested_fix: Option<String>,
        /// Where that fix was learned, where it is not this pattern's own, or was of other values.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub suggested_from: Option<SuggestedFrom>,
        /// What came of trying that fix; absent where it is none, or a tip that nobody tried.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub tried: Option<Tried>,
        /// True: no run has proved the fix.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>", optional))]
        pub claimed: bool,
        /// The same in words: `fixed 1 of 1 time`, or `a built-in tip, not yet tried here`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub standing: Option<String>,
        /// How far runs have proved that fix; absent where nobody reported it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub trust: Option<FixTrust>,
        /// The same error with the same values, known from another case.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_cause_as: Option<SameCause>,
    }

    /// A pattern of another case that has the error of this failure.
    pub struct SameCause {
        /// `pat-…`.
        pub pattern_id: String,
        /// Its case.
        pub case_name: String,
    }

    /// The failure, with the same error, that a fix was learned for.
    pub struct SuggestedFrom {
        /// `pat-…`.
        pub pattern_id: String,
        /// Its case.
        pub case_name: String,
        /// `(resolutions + 1) / (occurrences + 2)` of that pattern.
        pub confidence: f64,
        /// Where it was of other values (a port, a host, a name, a path, a number): what they were there, and are here.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<Difference>>", optional))]
        pub differences: Vec<Difference>,
    }

    /// Which runs to list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct HistoryParams {
        /// 1 to 100; 20 when none.
        pub limit: Option<u32>,
        /// Only these.
        pub status: Option<RunStatus>,
        /// Only of the last days.
        pub days: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Runs, newest first.
    pub struct HistoryResult {
        /// One page.
        pub runs: Vec<RunRecord>,
        /// All that fit the filter.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// Which cases of a run to list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct RunDetailParams {
        /// `run-…`.
        pub run_id: String,
        /// 1 to 1000; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// One run with its cases: failed first, then flaky, then the rest, each in the report's order.
    pub struct RunDetail {
        /// The run.
        pub run: RunRecord,
        /// One page.
        pub cases: Vec<CaseRecord>,
        /// All cases.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
    }

    /// One recorded run.
    pub struct RunRecord {
        /// `run-…`.
        pub id: String,
        /// When it started.
        pub timestamp: String,
        /// Full hash.
        pub git_commit: Option<String>,
        /// None when detached or outside git.
        pub git_branch: Option<String>,
        /// Uncommitted changes.
        pub dirty: Option<bool>,
        /// Git's id of the tree of files that ran, with what was uncommitted; a list of runs has it, where it is known.
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
        /// Outcome of the whole.
        pub status: RunStatus,
        /// The runner shuffled the tests.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub shuffle: Option<Shuffle>,
        /// Of somebody else's copy of the project: it says nothing of this one.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub foreign: bool,
    }

    /// One case of a run.
    pub struct CaseRecord {
        /// `file > suite > name`.
        pub case_name: String,
        /// How it ended.
        pub status: CaseStatus,
        /// It failed and then passed within the run.
        pub flaky: bool,
        /// The runner's own word.
        pub runner_status: Option<String>,
        /// Milliseconds.
        pub duration_ms: Option<f64>,
        /// How often it ran.
        pub attempts: u32,
        /// Of a failed case.
        pub category: Option<Category>,
        /// Of a failed case.
        pub headline: Option<String>,
        /// Redacted error text of a failed case.
        pub error: Option<String>,
        /// Of a failed case.
        pub signature: Option<String>,
        /// What a failed case was found to be.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<BriefVerdict>,
        /// Of a failed case; failures of one cause have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub cause_id: Option<String>,
        /// Of a failed case: earlier runs that may excuse it; absent where there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub precedents: Option<Precedents>,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Of an answer from before there were kinds.
const fn unknown_kind() -> FailureKind {
    FailureKind::Unknown
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
