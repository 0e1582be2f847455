//! Types of evidence: what a failure is found to be, which errors are one, which tests are not healthy, and which changes
//! mended something.

use super::{FixTrust, RunStatus, SharedKnown};
use argus_core::evidence::{kept::fixes::ProofStatus, state::TestState, verdict::VerdictKind};
use serde::{Deserialize, Serialize};

contract! {
    /// What a failing case of a run was found to be, from the runs before it.
    pub struct CaseVerdict {
        /// `file > suite > name`.
        pub case_name: String,
        /// What it is.
        pub verdict: Verdict,
        /// Failures of one cause have one; it lasts from run to run while the cause does.
        pub cause_id: String,
        /// Commits that may have begun it, likeliest first; they sum to 1 with "none of them".
        pub suspects: Vec<SuspectCommit>,
        /// Earlier runs that show the same failure, or a pass on the same tree; absent where there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub precedents: Option<Precedents>,
    }

    /// Earlier runs that may excuse a failure, because they show it without what is new in its run.
    pub struct Precedents {
        /// Commits at which a run without uncommitted changes failed with the same error, newest first, at most 16. For
        /// `environment` under the same condition, for `infrastructure` in the same outage.
        pub failed_at: Vec<String>,
        /// The newest run on the same tree in which the test passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passed_in: Option<String>,
        /// What speaks against an excuse: the test failed in each of several runs on this tree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub failed_here: Option<FailedHere>,
    }

    /// Failures of a test in each run on one tree.
    pub struct FailedHere {
        /// Runs, with the one that is judged; at least two.
        pub runs: u32,
        /// The chance that the test fails in as many runs in a row, at the rate at which it fails elsewhere.
        pub chance: f64,
    }

    /// What a failure is.
    pub struct Verdict {
        /// `regression`: began with a change. `broken`: fails since then. `flaky`: by chance. `infrastructure`: the machine.
        /// `order`: another test breaks it. `environment`: fails where a condition holds. `new`: no history.
        pub kind: VerdictKind,
        /// The calibrated chance that it is that, 0 to 1.
        pub probability: f64,
        /// Where it began, for `regression` and `broken`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub since: Option<VerdictSince>,
        /// What speaks for it; each sentence names a run.
        pub because: Vec<String>,
        /// What speaks for something else.
        pub against: Vec<String>,
        /// The one run that would settle it most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub settle: Option<String>,
        /// The test that breaks it, for `order`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub polluter: Option<String>,
        /// Such as `os=windows`, for `environment`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub condition: Option<String>,
    }

    /// The first run that failed so.
    pub struct VerdictSince {
        /// `run-…`.
        pub run_id: String,
        /// Its commit; none where it may have failed before that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
    }

    /// A commit that may have begun a failure.
    #[derive(Default)]
    pub struct SuspectCommit {
        /// Full hash.
        pub commit: String,
        /// 0 to 1.
        pub probability: f64,
        /// First line of its message. The host adds this and the fields below where the commit is in its repository.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub title: Option<String>,
        /// Name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub author: Option<String>,
        /// ISO 8601, when it was written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub date: Option<String>,
        /// Files that it touched, relative to the project, at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub files: Vec<String>,
    }

    /// A run out of a history that was recorded elsewhere.
    pub struct HistoricRun {
        /// `run-…`.
        pub run_id: String,
        /// Whether it was recorded before.
        pub was_known: bool,
        /// How it ended.
        pub status: RunStatus,
        /// All of its failures.
        pub failures: Vec<CaseVerdict>,
    }

    /// Which errors a run had.
    pub struct RunErrors {
        /// The first 20 that say something.
        pub errors: Vec<RunError>,
        /// No case tells why the run failed, so that the error is the command's own.
        pub of_command: bool,
    }

    /// One error of a run, as it is told apart wherever it comes up.
    pub struct RunError {
        /// `file > suite > name`, or the command.
        pub case_name: String,
        /// The same for the same error in other tests: with the function of the project that it came from.
        pub family: String,
        /// The same for what says the same, values included, wherever it came from; none where that says too little.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub sentence: Option<String>,
        /// It says what a test expected and not why that was not met.
        pub is_of_test: bool,
        /// Words in lower case that stand in it wherever it comes up, at most 12.
        pub words: Vec<String>,
    }

    /// Which tests to list.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct TestsParams {
        /// Only tests whose name has this in it.
        pub name: Option<String>,
        /// Only tests in this state.
        pub state: Option<TestState>,
        /// 1 to 1000; 100 when none.
        pub limit: Option<u32>,
        /// How many to pass over.
        pub offset: Option<u32>,
    }

    /// Tests that failed once, those first that are not healthy.
    pub struct TestsResult {
        /// One page.
        pub tests: Vec<TestEvidence>,
        /// All that fit.
        pub total: u32,
        /// There is a next page.
        pub has_more: bool,
        /// Remarks: how old this is, and what to do about it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub notes: Vec<String>,
    }

    /// A test with what is known of how it fails.
    pub struct TestEvidence {
        /// `file > suite > name`.
        pub case_name: String,
        /// What it is.
        pub state: TestState,
        /// What its newest failure was found to be, where it is broken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub verdict: Option<VerdictKind>,
        /// Mean of the posterior of how often it fails by chance, in runs in which it could have failed; 0 to 1.
        pub flake_rate: f64,
        /// Its 90 % interval.
        pub interval: [f64; 2],
        /// Runs in which it failed, the machine's own failures aside.
        pub failures: u32,
        /// Runs in which it could have failed.
        pub runs: u32,
        /// The test that breaks it, for `order`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub polluter: Option<String>,
        /// Such as `os=windows`, for `environment`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub condition: Option<String>,
    }

    /// Changes after which failures were gone, the newest first.
    pub struct FixesResult {
        /// One for each commit that may have been it.
        pub fixes: Vec<FixEvidence>,
        /// The newest that were reported.
        pub reported: Vec<ReportedFix>,
        /// Those that the repository shares.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<SharedKnown>>", optional))]
        pub shared: Vec<SharedKnown>,
    }

    /// A fix that somebody reported.
    pub struct ReportedFix {
        /// `fix-…`.
        pub fix_id: String,
        /// The pattern that learned it.
        pub pattern_id: String,
        /// Case of the failure.
        pub case_name: String,
        /// What was changed; the first 300 characters.
        pub fix_description: String,
        /// How far runs have proved it.
        pub trust: FixTrust,
        /// When it was reported.
        pub created_at: String,
        /// The entry before it that is the same mend: of the same failure, found or reported in another way. Absent: this is
        /// the first of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_as: Option<String>,
    }

    /// A commit or an edit after which a failure was gone for as many passes as prove a fix.
    pub struct MendedBefore {
        /// `fix-…`, for `argus fixes`.
        pub fix_id: String,
        /// The commit; the newest where one of several did it. None for an edit that was not committed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// How many commits may have done it.
        pub commits: u32,
        /// Files of an edit.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub files: Vec<String>,
        /// `refuted`: the failure is back on a tree that has it.
        pub status: ProofStatus,
        /// Runs that passed since.
        pub passes: u32,
        /// Some of the tests that it mended.
        pub case_names: Vec<String>,
    }

    /// Messages of commits, the newest first.
    pub struct LikelyFixesParams {
        /// Each once.
        pub commits: Vec<CommitMessage>,
    }

    /// What a commit says.
    pub struct CommitMessage {
        /// Full hash.
        pub commit: String,
        /// Its title, and what stands below it.
        pub message: String,
    }

    /// Commits that look like fixes by what they say.
    pub struct LikelyFixes {
        /// Those of which nothing is known yet.
        pub commits: Vec<String>,
        /// How many were learned before.
        pub known: u32,
    }

    /// Commits to learn.
    pub struct LearnCommitsParams {
        /// Each once.
        pub commits: Vec<CommitDiff>,
    }

    /// What a commit changed.
    pub struct CommitDiff {
        /// Full hash.
        pub commit: String,
        /// UTC milliseconds.
        pub committed_at: i64,
        /// As git writes it.
        pub diff: String,
    }

    /// What was learned of commits.
    pub struct LearnedCommits {
        /// How many touched a test and a source, and are kept now.
        pub learned: u32,
    }

    /// A commit that looked like a fix and changed this test, or the function that it failed in. Nothing proved it.
    pub struct ChangedBefore {
        /// Full hash.
        pub commit: String,
        /// What both have in common.
        pub because: ChangedBecause,
        /// Some of what it changed beside tests.
        pub sources: Vec<ChangedSource>,
    }

    /// What a failure and a commit have in common; what says most comes first.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum ChangedBecause {
        /// The test, and the function that it failed in.
        TestAndSymbol,
        /// The test.
        Test,
        /// The function that it failed in.
        Symbol,
        /// The file of the test.
        TestFile,
    }

    /// What a commit changed in a file.
    pub struct ChangedSource {
        /// From the top of the repository, with `/`.
        pub file: String,
        /// Functions and types; none where that is not told.
        pub symbols: Vec<String>,
    }

    /// Which edit.
    pub struct EditParams {
        /// `fix-…`.
        pub fix_id: String,
    }

    /// What an edit changed that mended a failure.
    pub struct EditResult {
        /// Files that were changed between the last failure and the first pass.
        pub files: Vec<String>,
        /// Files whose change was taken back.
        pub undone: Vec<String>,
        /// Their changes against the commit; empty where they are not kept here.
        pub hunks: String,
        /// There is more of them.
        pub cut: bool,
    }

    /// A change after which a failure was gone.
    pub struct FixEvidence {
        /// `fix-…`.
        pub fix_id: String,
        /// The commit; where several lie between the last failure and the first pass, each of them is listed.
        /// None for an edit that is not known to be committed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub commit: Option<String>,
        /// Of an edit: the files that were changed between the last failure and the first pass.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<String>>"))]
        pub files: Vec<String>,
        /// The tests that it mended.
        pub case_names: Vec<String>,
        /// How sure it is.
        pub status: ProofStatus,
        /// Runs that passed since.
        pub passes: u32,
        /// How many prove it.
        pub needed: u32,
        /// The last run that failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub failed_in: Option<String>,
        /// The first run that passed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub passed_in: Option<String>,
        /// The entry before it that is the same mend: of the same failure, found or reported in another way. Absent: this is
        /// the first of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        pub same_as: Option<String>,
    }
}
