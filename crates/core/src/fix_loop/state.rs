//! The state of a loop, which is the content of `state.json`. `machine` changes the state, and `check` validates a
//! state from a file.

use super::{
    error::{ErrorClass, ErrorSummary, Location},
    retry::{
        approach::Approach,
        circuit::{Circuit, CircuitState},
    },
};
use crate::failure::category::Category;
use std::collections::BTreeSet;

/// Version of the state format, stored in every state. A state with a higher version is refused, because a newer
/// program wrote it.
pub const STATE_VERSION: u32 = 1;

state_types! {
    /// A fix loop from its first attempt to its last.
    pub struct FixState {
        /// Version of this format.
        pub version: u32,
        /// Status of the loop.
        pub status: Status,
        /// Whether the loop fixes a command or a given error.
        pub mode: Mode,
        /// Command to run, in command mode.
        pub command: Option<String>,
        /// ID of the loop: eight hex digits. Also the name of its state folder.
        pub command_hash: String,
        /// Expected behavior, in words.
        pub desired: String,
        /// Start of the loop, ISO 8601.
        pub started: String,
        /// The running or next attempt. The last attempt if the loop has ended.
        pub current_attempt: u32,
        /// Maximum number of attempts.
        pub max_attempts: u32,
        /// Delay before the next attempt in seconds, without jitter.
        pub backoff_seconds: f64,
        /// The circuit breaker.
        pub circuit_breaker: Circuit,
        /// Every finished attempt, in order.
        pub attempts: Vec<Attempt>,
        /// The given error without secrets, in error mode.
        pub error: Option<String>,
        /// Summary of the given error, in error mode.
        pub first_error: Option<ErrorSummary>,
        /// Command that verifies a fix, in error mode.
        pub test: Option<String>,
        /// Time limit of a run in seconds.
        pub timeout_seconds: u32,
        /// Kubernetes namespace to inspect.
        pub namespace: Option<String>,
        /// Delay before the second attempt in seconds.
        pub initial_backoff_seconds: f64,
        /// Delay of the current wait in seconds, after jitter.
        pub delay_seconds: f64,
        /// True if each delay is drawn randomly between 0 and the full delay.
        pub jitter: bool,
        /// True if oscillation and missing progress also open the circuit.
        pub strict_progress: bool,
        /// True if prompts are answered from generated inputs.
        pub auto: bool,
        /// Path of the inputs file.
        pub inputs: Option<String>,
        /// Digest of the last provided inputs.
        pub inputs_digest: Option<String>,
        /// The running attempt.
        pub running: Option<RunningAttempt>,
        /// A declared fix that was not run yet.
        pub pending_fix: Option<AppliedFix>,
        /// Number of interruptions of the current attempt.
        pub interruptions: u32,
        /// Why the loop needs a human.
        pub escalation: Option<EscalationReason>,
        /// Status of a cancelled loop before it was cancelled.
        pub cancelled_from: Option<Status>,
        /// The last note of a human.
        pub human_note: Option<String>,
        /// Stated reason for a changed expectation, after a suspicious run.
        #[serde(default)]
        pub stated_reason: Option<String>,
        /// How a fix without a verifying command was verified.
        #[serde(default)]
        pub verified_by: Option<String>,
        /// Notes of the host, which the rules keep but do not read.
        #[serde(default)]
        pub host: HostNotes,
    }

    /// Notes that the host needs to continue a loop.
    #[derive(Default, Eq)]
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(rename = "FixHostNotes"))]
    pub struct HostNotes {
        /// The work tree before the first fix.
        pub base: Option<String>,
        /// The work tree after the last failed attempt.
        pub after: Option<String>,
        /// Mark in the environment of the running processes, by which the host finds them later.
        pub mark: Option<String>,
        /// Number of the last attempt whose fix was learned.
        pub learned_up_to: u32,
        /// Source of the last error: test, build, runtime, logs or k8s.
        pub error_source: Option<String>,
        /// URLs that research about the error found.
        pub research_sources: Vec<String>,
        /// Remarks of attempts for the report.
        pub remarks: Vec<String>,
        /// Digest of the inputs of the last attempt.
        pub used_inputs_digest: Option<String>,
        /// Time when a prompt caused new inputs.
        pub inputs_regenerated_at: Option<String>,
    }

    /// What a loop fixes.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixMode"))]
    pub enum Mode {
        /// A command that fails.
        Command,
        /// A given error.
        Error,
    }

    /// Status of a loop.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixStatus"))]
    pub enum Status {
        /// The next attempt may run.
        Ready,
        /// An attempt runs.
        Running,
        /// A change is required before the next attempt.
        NeedsFix,
        /// The loop waits before the next attempt.
        Waiting,
        /// The command needs input.
        NeedsInputs,
        /// A fix was declared, but nothing can verify it.
        Unverified,
        /// The last run passed.
        Success,
        /// The last run passed with weaker tests.
        Suspicious,
        /// A human is needed.
        Escalated,
        /// The loop was cancelled and can be resumed.
        Cancelled,
    }

    /// Why a loop needs a human.
    #[derive(Copy, Eq)]
    pub enum EscalationReason {
        /// An error repeated too often in a row, or progress was missing in strict mode.
        CircuitBreakerOpened,
        /// The maximum number of attempts is reached.
        MaxAttemptsReached,
        /// No change of the code can fix the error.
        PermanentError,
        /// A run passed with weaker tests.
        SuspiciousSuccess,
        /// An attempt was interrupted too often.
        InterruptedTooOften,
        /// A human stopped the loop.
        StoppedByHuman,
        /// The fixing agent changed nothing.
        NoChangeMade,
    }

    /// The running attempt.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixRunning"))]
    pub struct RunningAttempt {
        /// Start of the attempt, ISO 8601.
        pub timestamp: Option<String>,
        /// Snapshot of the work tree before the attempt.
        pub snapshot: Option<String>,
    }

    /// A finished attempt.
    #[cfg_attr(feature = "types", ts(rename = "FixAttempt"))]
    pub struct Attempt {
        /// Number of the attempt, from 1.
        pub number: u32,
        /// Start of the attempt, ISO 8601.
        pub timestamp: String,
        /// Exit code. 124 if the time limit was exceeded.
        pub exit_code: i32,
        /// Error hash of a failed attempt.
        pub error_hash: Option<String>,
        /// Command mode: the change after this attempt. Error mode: the change that this attempt verified.
        pub fix_applied: Option<String>,
        /// Duration in seconds.
        pub duration_seconds: f64,
        /// Error type of a failed attempt.
        pub error_type: Option<String>,
        /// Error class of a failed attempt.
        pub error_class: Option<ErrorClass>,
        /// Rule and words that decided on the class.
        pub class_because: Option<String>,
        /// Category of a failed attempt.
        pub category: Option<Category>,
        /// The error in one line.
        pub headline: Option<String>,
        /// Location of the error.
        pub location: Option<Location>,
        /// Names of failed tests, if the runner printed them.
        pub failing_tests: Vec<String>,
        /// Test cases that failed, as the run recorded them.
        #[serde(default)]
        pub failed_cases: Vec<String>,
        /// True if the attempt waited for input.
        pub waiting_for_input: bool,
        /// True if the time limit was exceeded.
        pub timed_out: bool,
        /// Approach of the fix.
        pub approach: Option<Approach>,
        /// True if the fix was visible in the work tree.
        pub fix_verified: bool,
        /// True if the run after the fix passed.
        pub fix_worked: Option<bool>,
        /// Why the fix did not help.
        pub why_failed: Option<String>,
        /// Digest of the fix. None without a change in the work tree.
        pub fix_digest: Option<String>,
        /// A change outside the work tree.
        pub outside: Option<String>,
        /// Files that the fix changed.
        pub files: Vec<FileChange>,
        /// Snapshot of the work tree before this attempt.
        pub snapshot: Option<String>,
        /// Tests that are weaker than at the start.
        pub weakened: Vec<Weakening>,
    }

    /// A file of a fix.
    pub struct FileChange {
        /// Path in the project.
        pub path: String,
        /// Description of the change.
        pub change: String,
    }

    /// A declared fix.
    pub struct AppliedFix {
        /// Description of the fix.
        pub description: String,
        /// Digest of the change in the work tree.
        pub digest: Option<String>,
        /// Files that the fix changed.
        pub files: Vec<FileChange>,
        /// A change outside the work tree.
        pub outside: Option<String>,
        /// Approach of the fix.
        pub approach: Approach,
    }

    /// A change that lets a test pass although the fault remains.
    pub struct Weakening {
        /// Path in the project.
        pub file: String,
        /// Line number in the new file. For removed text, line number in the old file.
        pub line: u32,
        /// Kind of weakening.
        pub kind: WeakeningKind,
        /// The line of the diff, without `+` or `-`.
        pub text: String,
    }

    /// Kind of weakening.
    #[derive(Copy, Eq, Hash, PartialOrd, Ord)]
    pub enum WeakeningKind {
        /// A test or a whole file of tests was deleted.
        TestDeleted,
        /// A test is skipped, or only other tests run.
        TestSkipped,
        /// A test that failed was changed, or an expectation was removed.
        #[cfg_attr(not(feature = "types"), serde(alias = "assertion_dropped", alias = "assertion_loosened"))]
        TestChanged,
        /// Code that runs around tests, or that selects tests, was changed.
        HookChanged,
        /// The code under test is replaced.
        Mocked,
        /// A test that failed did not run and pass.
        TestNotPassed,
        /// A test may take longer than before.
        TimeoutRaised,
        /// A snapshot or golden file was changed.
        SnapshotRewritten,
        /// A coverage threshold was lowered.
        ThresholdLowered,
        /// A failing command counts as passed.
        FailureIgnored,
    }
}

impl HostNotes {
    /// Returns the total size of all texts, in bytes.
    pub(super) fn text_bytes(&self) -> usize {
        let Self { base, after, mark, error_source, used_inputs_digest, inputs_regenerated_at, .. } = self;
        let single = [base, after, mark, error_source, used_inputs_digest, inputs_regenerated_at];
        let lists = self.research_sources.iter().chain(&self.remarks);
        single.into_iter().flatten().chain(lists).map(String::len).sum()
    }
}

impl FixState {
    /// Returns the last attempt, if it failed.
    pub(super) fn last_attempt_if_failed(&self) -> Option<&Attempt> {
        self.attempts.last().filter(|attempt| attempt.error_hash.is_some())
    }

    /// Returns the number of declared fixes.
    pub(super) fn fix_count(&self) -> usize {
        let run = self.attempts.iter().filter(|attempt| attempt.fix_applied.is_some()).count();
        run + usize::from(self.mode == Mode::Error && self.pending_fix.is_some())
    }

    /// Returns the test cases that failed in any attempt, without duplicates.
    pub(super) fn failed_cases(&self) -> BTreeSet<&str> {
        self.attempts.iter().flat_map(|attempt| &attempt.failed_cases).map(String::as_str).collect()
    }

    /// Returns the number of finished attempts.
    pub(super) fn attempt_count(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn is_circuit_open(&self) -> bool {
        self.circuit_breaker.state == CircuitState::Open
    }
}

impl Status {
    /// Returns `true` if the loop does nothing more unless a human decides.
    pub(super) const fn has_ended(self) -> bool {
        matches!(self, Self::Success | Self::Suspicious | Self::Escalated | Self::Cancelled)
    }

    /// Returns the name of the status in `state.json`.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Running => "running",
            Self::NeedsFix => "needs_fix",
            Self::Waiting => "waiting",
            Self::NeedsInputs => "needs_inputs",
            Self::Unverified => "unverified",
            Self::Success => "success",
            Self::Suspicious => "suspicious",
            Self::Escalated => "escalated",
            Self::Cancelled => "cancelled",
        }
    }
}
