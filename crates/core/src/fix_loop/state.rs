//! The state of a loop, which is the content of `state.json`. `machine` changes it, and `check` validates a state from
//! a file.

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

plain! {
    /// One loop, from its first attempt to its last.
    pub struct FixState {
        /// Form of this object.
        pub version: u32,
        /// Where the loop stands.
        pub status: Status,
        /// What it repairs.
        pub mode: Mode,
        /// What is run, in command mode.
        pub command: Option<String>,
        /// Eight hex digits; name of the state folder.
        pub command_hash: String,
        /// What should happen instead, in words.
        pub desired: String,
        /// ISO 8601.
        pub started: String,
        /// The attempt that runs or comes next; of a loop that ended, its last.
        pub current_attempt: u32,
        /// As many attempts are made at most.
        pub max_attempts: u32,
        /// The delay before the next attempt, without jitter.
        pub backoff_seconds: f64,
        /// The circuit breaker.
        pub circuit_breaker: Circuit,
        /// Every finished attempt, in order.
        pub attempts: Vec<Attempt>,
        /// The error that was given, without secrets, in error mode.
        pub error: Option<String>,
        /// What that error is, in error mode.
        pub first_error: Option<ErrorSummary>,
        /// What verifies a fix, in error mode.
        pub test: Option<String>,
        /// A run that takes longer is ended.
        pub timeout_seconds: u32,
        /// Kubernetes namespace to look into.
        pub namespace: Option<String>,
        /// The delay before the second attempt.
        pub initial_backoff_seconds: f64,
        /// The delay that was drawn for the wait that is due.
        pub delay_seconds: f64,
        /// Delays are drawn between none and the full one.
        pub jitter: bool,
        /// Oscillation and missing progress open the circuit too.
        pub strict_progress: bool,
        /// Prompts are answered from generated inputs.
        pub auto: bool,
        /// Path of the inputs file.
        pub inputs: Option<String>,
        /// Digest of the inputs that were provided last.
        pub inputs_digest: Option<String>,
        /// The attempt that runs.
        pub running: Option<Running>,
        /// A fix that was declared and not run yet.
        pub pending_fix: Option<AppliedFix>,
        /// How often the current attempt was cut off before it ended.
        pub interruptions: u32,
        /// Why the loop needs a human.
        pub escalation: Option<EscalationReason>,
        /// Where a cancelled loop stood.
        pub cancelled_from: Option<Status>,
        /// What a human said last.
        pub human_note: Option<String>,
        /// Why an expectation was changed, as it was stated after a suspicious run.
        #[serde(default)]
        pub stated_reason: Option<String>,
        /// How a fix was verified that no command verifies.
        #[serde(default)]
        pub verified_by: Option<String>,
        /// What the host needs beside the rules; they keep it and do not read it.
        #[serde(default)]
        pub host: HostNotes,
    }

    /// What the host of a loop has to know when it goes on with it.
    #[derive(Default, Eq)]
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(rename = "FixHostNotes"))]
    pub struct HostNotes {
        /// The work tree before the first fix.
        pub base: Option<String>,
        /// The work tree after the last failed attempt.
        pub after: Option<String>,
        /// Mark of the processes that run now.
        pub mark: Option<String>,
        /// Fixes up to this attempt are learned from.
        pub learned_up_to: u32,
        /// Where the last error came from: test, build, runtime, logs or k8s.
        pub error_source: Option<String>,
        /// Addresses that research came from.
        pub research_sources: Vec<String>,
        /// What attempts left to be said in the report.
        pub remarks: Vec<String>,
        /// Digest of the inputs of the last attempt.
        pub used_inputs_digest: Option<String>,
        /// When inputs were made anew because of a prompt.
        pub inputs_regenerated_at: Option<String>,
    }

    /// What a loop repairs.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixMode"))]
    pub enum Mode {
        /// A command that fails.
        Command,
        /// An error that was given.
        Error,
    }

    /// Where a loop stands.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixStatus"))]
    pub enum Status {
        /// The next attempt may run.
        Ready,
        /// An attempt runs.
        Running,
        /// Nothing runs before something is changed.
        NeedsFix,
        /// Backoff before the next attempt.
        Waiting,
        /// The command asks for something.
        NeedsInputs,
        /// A fix was declared and nothing can verify it.
        Unverified,
        /// It works.
        Success,
        /// It passes, by weaker tests.
        Suspicious,
        /// A human is needed.
        Escalated,
        /// Somebody stopped it; it can be resumed.
        Cancelled,
    }

    /// Why a loop needs a human.
    #[derive(Copy, Eq)]
    pub enum EscalationReason {
        /// The same error too often in a row, or no progress where that is strict.
        CircuitBreakerOpened,
        /// All attempts are used.
        MaxAttemptsReached,
        /// No change of the code helps against this error.
        PermanentError,
        /// A green run by weaker tests.
        SuspiciousSuccess,
        /// The same attempt was cut off again and again.
        InterruptedTooOften,
        /// A human said so.
        StoppedByHuman,
        /// Whoever was to fix it changed nothing.
        NoChangeMade,
    }

    /// The attempt that runs.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixRunning"))]
    pub struct Running {
        /// When it began, ISO 8601.
        pub timestamp: Option<String>,
        /// Where the work tree before it is kept.
        pub snapshot: Option<String>,
    }

    /// One finished attempt.
    #[cfg_attr(feature = "types", ts(rename = "FixAttempt"))]
    pub struct Attempt {
        /// From 1.
        pub number: u32,
        /// When it began, ISO 8601.
        pub timestamp: String,
        /// 124: out of time.
        pub exit_code: i32,
        /// Of a failed attempt.
        pub error_hash: Option<String>,
        /// Command mode: what was changed after this attempt. Error mode: what this attempt verified.
        pub fix_applied: Option<String>,
        /// How long it ran.
        pub duration_seconds: f64,
        /// Of a failed attempt.
        pub error_type: Option<String>,
        /// Of a failed attempt.
        pub error_class: Option<ErrorClass>,
        /// Rule and words that decided on the class.
        pub class_because: Option<String>,
        /// The engine's category of a failed attempt.
        pub category: Option<Category>,
        /// The line that says what went wrong.
        pub headline: Option<String>,
        /// Where it failed.
        pub location: Option<Location>,
        /// Names of failed tests, where the runner gave them.
        pub failing_tests: Vec<String>,
        /// Test cases that failed, as the run recorded them.
        #[serde(default)]
        pub failed_cases: Vec<String>,
        /// It waited for an answer.
        pub waiting_for_input: bool,
        /// It was ended for time.
        pub timed_out: bool,
        /// Approach of the fix.
        pub approach: Option<Approach>,
        /// The fix was seen in the work tree.
        pub fix_verified: bool,
        /// The run after the fix was green.
        pub fix_worked: Option<bool>,
        /// Why the fix did not help.
        pub why_failed: Option<String>,
        /// Digest of the fix; none where nothing in the work tree changed.
        pub fix_digest: Option<String>,
        /// A change outside the work tree.
        pub outside: Option<String>,
        /// Files the fix changed.
        pub files: Vec<FileChange>,
        /// Where the work tree before this attempt is kept.
        pub snapshot: Option<String>,
        /// What in the tests is weaker than at the beginning.
        pub weakened: Vec<Weakening>,
    }

    /// One file of a fix.
    pub struct FileChange {
        /// Path in the project.
        pub path: String,
        /// What changed in it.
        pub change: String,
    }

    /// A fix as it was declared.
    pub struct AppliedFix {
        /// In words.
        pub description: String,
        /// Digest of the change in the work tree.
        pub digest: Option<String>,
        /// Files it changed.
        pub files: Vec<FileChange>,
        /// A change outside the work tree.
        pub outside: Option<String>,
        /// Which approach it is.
        pub approach: Approach,
    }

    /// Something in a diff that lets a test pass without the fault being gone.
    pub struct Weakening {
        /// Path in the project.
        pub file: String,
        /// Line in the new file; of something that went, where it was in the old one.
        pub line: u32,
        /// What it is.
        pub kind: WeakeningKind,
        /// The line of the diff, without its mark.
        pub text: String,
    }

    /// What a weakening is.
    #[derive(Copy, Eq, Hash, PartialOrd, Ord)]
    pub enum WeakeningKind {
        /// A test or a whole file of tests is gone.
        TestDeleted,
        /// A test is skipped, or another one is the only one to run.
        TestSkipped,
        /// A test that failed is another one than it was, or an expectation is gone.
        #[cfg_attr(not(feature = "types"), serde(alias = "assertion_dropped", alias = "assertion_loosened"))]
        TestChanged,
        /// What runs around tests, or decides which of them run, is another one.
        HookChanged,
        /// Something else stands in the place of what a test tests.
        Mocked,
        /// A test that failed did not run and pass.
        TestNotPassed,
        /// A test may take longer.
        TimeoutRaised,
        /// A snapshot or golden file says something else.
        SnapshotRewritten,
        /// Less coverage is enough.
        ThresholdLowered,
        /// A failing command counts as passed.
        FailureIgnored,
    }
}

impl HostNotes {
    /// Total size of all texts, in bytes.
    pub(super) fn len(&self) -> usize {
        let Self { base, after, mark, error_source, used_inputs_digest, inputs_regenerated_at, .. } = self;
        let single = [base, after, mark, error_source, used_inputs_digest, inputs_regenerated_at];
        let lists = self.research_sources.iter().chain(&self.remarks);
        single.into_iter().flatten().chain(lists).map(String::len).sum()
    }
}

impl FixState {
    /// The last attempt, if it failed.
    pub(super) fn last_failed(&self) -> Option<&Attempt> {
        self.attempts.last().filter(|attempt| attempt.error_hash.is_some())
    }

    /// Number of declared fixes.
    pub(super) fn fixes(&self) -> usize {
        let run = self.attempts.iter().filter(|attempt| attempt.fix_applied.is_some()).count();
        run + usize::from(self.mode == Mode::Error && self.pending_fix.is_some())
    }

    /// Test cases that failed in any attempt, without duplicates.
    pub(super) fn failed_cases(&self) -> BTreeSet<&str> {
        self.attempts.iter().flat_map(|attempt| &attempt.failed_cases).map(String::as_str).collect()
    }

    /// Number of finished attempts.
    pub(super) fn attempts_made(&self) -> u32 {
        u32::try_from(self.attempts.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn is_open(&self) -> bool {
        self.circuit_breaker.state == CircuitState::Open
    }
}

impl Status {
    /// Whether the loop does nothing more by itself.
    pub(super) const fn is_over(self) -> bool {
        matches!(self, Self::Success | Self::Suspicious | Self::Escalated | Self::Cancelled)
    }

    /// The name of the status in `state.json`.
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
