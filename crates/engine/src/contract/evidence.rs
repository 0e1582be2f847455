//! Types of evidence: verdicts on failures, errors of runs, unhealthy tests, and changes that fixed failures.

use super::{FixTrust, GitFacts, RunRecord, RunStatus, SharedFixEntry};
use argus_core::evidence::{stored_rows::fixes::ProofStatus, test_state::TestState, verdict::VerdictKind};
use argus_core::fix_loop::Weakening;
use serde::{Deserialize, Serialize};

contract! {
    /// Verdict on a failing case of a run, from earlier runs.
    pub struct CaseVerdict {
        /// `file > suite > name`.
        pub case_name: String,
        /// Verdict on the failure.
        pub verdict: Verdict,
        /// Id of the failure's cause. It stays the same in later runs while the cause lasts.
        pub cause_id: String,
        /// Commits that may have introduced the failure, most likely first. Their probabilities and the probability
        /// that none of them did sum to 1.
        pub suspects: Vec<SuspectCommit>,
        /// Earlier runs with the same failure, or with a pass on the same tree. Absent if there are no such runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub precedents: Option<Precedents>,
        /// True if the failure was diagnosed, so that a person who looks at it again does not count it again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub diagnosed: Option<bool>,
    }

    /// Params of `receipt`.
    pub struct ReceiptParams {
        /// The current state of the work tree.
        pub git: GitFacts,
    }

    /// What is known about the tests of the current files.
    #[derive(Default)]
    pub struct ReceiptResult {
        /// The run that decides about the current files, otherwise the newest run. Null if no run is known.
        pub run: Option<RunRecord>,
        /// True if the run used exactly the current files.
        pub is_same_tree: bool,
        /// True if most tests of the project did not run, for example because of a filter.
        pub is_partial: bool,
        /// Number of tests that ran in the largest of the newest runs.
        pub known_tests: u32,
        /// Files that were changed since the run, by commits and by uncommitted edits. At most 20.
        pub changed: Vec<String>,
        /// Places in the uncommitted edits that let a test pass although the fault remains.
        pub weakened: Vec<Weakening>,
    }

    /// Earlier runs that may excuse a failure, because it occurred there without the change of this run.
    pub struct Precedents {
        /// Commits at which a run without uncommitted changes failed with the same error, newest first, at most 16. The
        /// verdict `environment` counts only runs under the same condition, and `infrastructure` only runs in the same
        /// outage.
        pub failed_at: Vec<String>,
        /// The newest run on the same tree in which the test passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passed_in: Option<String>,
        /// Evidence against an excuse: the test failed in each of several runs on this tree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub failed_here: Option<SameTreeFailures>,
    }

    /// Failures of a test in all runs on the same tree.
    pub struct SameTreeFailures {
        /// Number of runs including the judged run, at least 2.
        pub runs: u32,
        /// Probability that the test fails this often in a row by chance, computed from its failure rate on other
        /// trees.
        pub chance: f64,
    }

    /// Verdict on a failure, with reasons.
    pub struct Verdict {
        /// `regression`: began with a change. `broken`: has failed since an earlier run. `flaky`: fails by chance.
        /// `infrastructure`: caused by the machine. `order`: another test breaks it. `environment`: fails under a
        /// condition. `new`: no history.
        pub kind: VerdictKind,
        /// Calibrated probability of the verdict, from 0 to 1.
        pub probability: f64,
        /// Start of the failure, for `regression` and `broken`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub since: Option<FailingSince>,
        /// Evidence for the verdict. Each sentence names a run.
        pub because: Vec<String>,
        /// Evidence for other verdicts.
        pub against: Vec<String>,
        /// The run that would clarify the verdict most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub settle: Option<String>,
        /// The test that makes it fail, for `order`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub polluter: Option<String>,
        /// Condition of the failure, such as `os=windows`, for `environment`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub condition: Option<String>,
    }

    /// The first run with the failure.
    #[derive(Default)]
    pub struct FailingSince {
        /// `run-…`.
        pub run_id: String,
        /// Commit of that run. None if the failure may be older.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// Start of that run, ISO 8601. Absent in verdicts of earlier versions, as is `runs`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub started_at: Option<String>,
        /// Number of runs in a row that have failed, including this run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub runs: Option<u32>,
        /// Files of the uncommitted edit that broke the test, at most 3. Empty if the commit or the branch has changed
        /// since that run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub edited: Vec<String>,
    }

    /// A commit that may have introduced a failure.
    #[derive(Default)]
    pub struct SuspectCommit {
        /// Full hash.
        pub commit: String,
        /// From 0 to 1.
        pub probability: f64,
        /// True if the tree lost the commit by a reset or a switch of the branch, so that the failure comes from its
        /// absence.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub lost: bool,
        /// First line of its message. The host adds this and the fields below if its repository has the commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub title: Option<String>,
        /// Name of the author.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub author: Option<String>,
        /// Author date, ISO 8601.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub date: Option<String>,
        /// Files that it touched, relative to the project, at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub files: Vec<String>,
    }

    /// A run from a history that was recorded elsewhere.
    pub struct HistoricRun {
        /// `run-…`.
        pub run_id: String,
        /// True if it was recorded before.
        pub was_known: bool,
        /// Outcome of the run.
        pub status: RunStatus,
        /// Verdicts on all failures of the run.
        pub failures: Vec<CaseVerdict>,
    }

    /// Errors of a run.
    pub struct RunErrors {
        /// Errors with a text, among the first 20.
        pub errors: Vec<RunError>,
        /// True if no case failed, so that the error is from the command.
        pub of_command: bool,
    }

    /// An error of a run, with keys to find it elsewhere.
    pub struct RunError {
        /// `file > suite > name`, or the name of the command.
        pub case_name: String,
        /// Equal for the same error in other tests. Depends on the project function it came from.
        pub family: String,
        /// Equal for the same message and values, from any function. None if the wording does not identify the error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub sentence: Option<String>,
        /// True if the error states only what a test expected, not why it failed.
        pub is_of_test: bool,
        /// Lowercase words that every occurrence contains, at most 12.
        pub words: Vec<String>,
    }

    /// Filter and page of tests.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct TestsParams {
        /// Only tests whose name contains this text.
        pub name: Option<String>,
        /// Only tests in this state.
        pub state: Option<TestState>,
        /// From 1 to 1000. Default: 100.
        pub limit: Option<u32>,
        /// Number of entries to skip.
        pub offset: Option<u32>,
    }

    /// Tests that have failed before, unhealthy tests first.
    pub struct TestsResult {
        /// One page.
        pub tests: Vec<TestEvidence>,
        /// Number of tests that match.
        pub total: u32,
        /// True if there is a next page.
        pub has_more: bool,
        /// Notes, for example on the age of the data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub notes: Vec<String>,
    }

    /// A test with statistics of its failures.
    pub struct TestEvidence {
        /// `file > suite > name`.
        pub case_name: String,
        /// State of the test.
        pub state: TestState,
        /// Verdict on the newest failure, if the test is broken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<VerdictKind>,
        /// Estimated share of runs in which it fails by chance, from 0 to 1: the posterior mean over `runs`.
        pub flake_rate: f64,
        /// 90 % interval of that rate.
        pub interval: [f64; 2],
        /// Number of runs in which it failed, except for failures of the machine.
        pub failures: u32,
        /// Number of runs in which it could have failed.
        pub runs: u32,
        /// The test that makes it fail, for `order`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub polluter: Option<String>,
        /// Condition of the failure, such as `os=windows`, for `environment`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub condition: Option<String>,
    }

    /// Changes after which failures were gone, newest first.
    pub struct FixesResult {
        /// Found fixes, with an entry for each possible commit.
        pub fixes: Vec<FixEvidence>,
        /// The newest reported fixes.
        pub reported: Vec<ReportedFix>,
        /// Fixes that the repository shares.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<SharedFixEntry>>", optional))]
        pub shared: Vec<SharedFixEntry>,
    }

    /// A fix that a person or agent reported.
    pub struct ReportedFix {
        /// `fix-…`.
        pub fix_id: String,
        /// Pattern that learned the fix.
        pub pattern_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// Description of the change, first 300 characters.
        pub fix_description: String,
        /// How far runs have proved it.
        pub trust: FixTrust,
        /// Time of the report.
        pub created_at: String,
        /// Earlier entry for the same fix of the same failure, found or reported in another way. Absent for the first
        /// entry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_as: Option<String>,
    }

    /// A commit or an edit after which the test passed often enough to prove a fix.
    pub struct PreviousFix {
        /// `fix-…`, for `argus fixes`.
        pub fix_id: String,
        /// The commit, or the newest of several possible commits. None for an uncommitted edit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// Number of possible commits.
        pub commits: u32,
        /// Files that an edit changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub files: Vec<String>,
        /// `refuted` if the failure came back on a tree with the fix.
        pub status: ProofStatus,
        /// Number of passes since.
        pub passes: u32,
        /// Some of the fixed tests.
        pub case_names: Vec<String>,
        /// Whether the change is still in the work tree. Absent if unknown. Never stored: the host reads it from git.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub presence: Option<FixPresence>,
    }

    /// Whether a change that fixed a failure is still in the work tree.
    pub struct FixPresence {
        /// `present`: the failure has another cause. `lost`: the change is gone. `partly_lost`: parts of it are gone.
        pub state: FixPresenceState,
        /// The commit that removed the change. Absent for an uncommitted edit, or if it is unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub removed_by: Option<String>,
        /// Command that applies the change again. Absent if its patch does not apply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub reapply: Option<String>,
    }

    /// State of a change in the work tree.
    #[derive(Copy, Eq)]
    pub enum FixPresenceState {
        /// Still there.
        Present,
        /// Gone.
        Lost,
        /// Some parts are gone, and others are there.
        PartlyLost,
    }

    /// Messages of commits, newest first.
    pub struct LikelyFixesParams {
        /// Commits without duplicates.
        pub commits: Vec<CommitMessage>,
    }

    /// A commit with its message.
    pub struct CommitMessage {
        /// Full hash.
        pub commit: String,
        /// Title and body.
        pub message: String,
    }

    /// Commits whose messages look like fixes.
    pub struct LikelyFixesResult {
        /// Commits that are not learned yet.
        pub commits: Vec<String>,
        /// Number of commits that were learned before.
        pub known: u32,
    }

    /// Commits to learn from.
    pub struct LearnCommitsParams {
        /// Commits without duplicates.
        pub commits: Vec<CommitDiff>,
    }

    /// A commit with its diff.
    pub struct CommitDiff {
        /// Full hash.
        pub commit: String,
        /// UTC milliseconds since the epoch.
        pub committed_at: i64,
        /// Diff in git's format.
        pub diff: String,
    }

    /// Result of learning from commits.
    pub struct LearnCommitsResult {
        /// Number of stored commits. Each touched a test and a source file.
        pub learned: u32,
    }

    /// A commit that looks like a fix and changed this test or the function in which it failed. It is unproved.
    pub struct RelatedCommit {
        /// Full hash.
        pub commit: String,
        /// How the commit is related to the failure.
        pub because: CommitRelation,
        /// Some of its changes outside tests.
        pub sources: Vec<ChangedSource>,
    }

    /// Part of a failure that a commit changed, strongest relation first.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum CommitRelation {
        /// The test and the function in which it failed.
        TestAndSymbol,
        /// The test.
        Test,
        /// The function in which it failed.
        Symbol,
        /// The file of the test.
        TestFile,
    }

    /// Changes of a commit in a file.
    pub struct ChangedSource {
        /// Path from the root of the repository, with `/`.
        pub file: String,
        /// Changed functions and types. Empty if unknown.
        pub symbols: Vec<String>,
    }

    /// Selects an edit.
    pub struct EditParams {
        /// `fix-…`.
        pub fix_id: String,
    }

    /// Changes of an edit that fixed a failure.
    pub struct EditResult {
        /// Files that were changed between the last failure and the first pass.
        pub files: Vec<String>,
        /// Files whose changes were undone.
        pub undone: Vec<String>,
        /// Diff against the commit. Empty if it is not stored here.
        pub hunks: String,
        /// True if the diff is cut.
        pub cut: bool,
    }

    /// A change after which a failure was gone.
    pub struct FixEvidence {
        /// `fix-…`.
        pub fix_id: String,
        /// The commit. Each commit between the last failure and the first pass has its own entry. None for an edit that
        /// is not known to be committed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// For an edit, the files that changed between the last failure and the first pass.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub files: Vec<String>,
        /// The fixed tests.
        pub case_names: Vec<String>,
        /// How far runs have proved it.
        pub status: ProofStatus,
        /// Number of passes since.
        pub passes: u32,
        /// Number of passes that prove it.
        pub needed: u32,
        /// The last run that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub failed_in: Option<String>,
        /// The first run that passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passed_in: Option<String>,
        /// Earlier entry for the same fix of the same failure, found or reported in another way. Absent for the first
        /// entry.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_as: Option<String>,
    }
}
