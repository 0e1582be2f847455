//! The events of a fix loop, and the results of applying them.

use super::{
    error::FixError,
    retry::approach::{Approach, FixStep},
    state::{EscalationReason, FileChange, FixState, Weakening},
};

/// An event that the host reports to the loop.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(rename = "FixEvent"))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The command or the verification was started.
    AttemptStarted {
        /// Time, ISO 8601.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
        /// Snapshot of the work tree before the attempt.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        snapshot: Option<String>,
    },
    /// The attempt ended.
    AttemptFinished {
        /// Exit code of the shell. 124 if the time limit was exceeded.
        exit_code: i32,
        /// True if the time limit was exceeded.
        timed_out: bool,
        /// Duration in seconds.
        duration_seconds: f64,
        /// Result of `understand`. None if the run passed.
        error: Option<Box<FixError>>,
        /// Start of the attempt, ISO 8601. Default: the time from `attempt_started`.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
        /// Result of `weakened` for the changes since the start of the loop.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<Weakening>>"))]
        weakened: Vec<Weakening>,
        /// Outcomes of the test cases. None if they were not recorded.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        ran: Option<CaseOutcomes>,
    },
    /// A change was made.
    FixDeclared {
        /// Description of the change.
        description: String,
        /// Digest of the change in the work tree since the last attempt. None without a change.
        digest: Option<String>,
        /// Files that changed.
        files: Vec<FileChange>,
        /// A change outside the work tree.
        outside: Option<String>,
        /// Approach of the fix. Default: the approach that is next.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        approach: Option<Approach>,
    },
    /// The delay before the next attempt has passed.
    Waited,
    /// A fix without a verification command was verified in another way.
    FixVerified {
        /// Description of how the fix was verified.
        how: String,
        /// Time, ISO 8601.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
        /// Result of `weakened` for the changes since the start of the loop.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<Weakening>>"))]
        weakened: Vec<Weakening>,
    },
    /// The fixing agent stopped without a change.
    NoChangeMade,
    /// Answers for the prompts were provided.
    InputsProvided {
        /// Digest of the answers.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        digest: Option<String>,
        /// Path of the inputs file.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        inputs: Option<String>,
    },
    /// The open circuit was reset, so that attempts can continue.
    CircuitReset,
    /// A human decided how to continue.
    HumanDecided {
        /// The decision.
        verdict: Verdict,
        /// The reason.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        note: Option<String>,
        /// Time, ISO 8601.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
    },
    /// The loop was cancelled.
    Cancelled,
    /// The loop resumes after it was cancelled or its process ended.
    Resumed,
}

state_types! {
    /// Names of the test cases of a run, grouped by their last outcome.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixRanCases"))]
    pub struct CaseOutcomes {
        /// Cases that passed.
        pub passed: Vec<String>,
        /// Cases that failed.
        pub failed: Vec<String>,
        /// Files or packages whose tests all passed, if the runner does not name the tests.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub passed_files: Vec<String>,
        /// True if the names of passed cases are unknown, because only the failures were printed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub omits_passed: bool,
    }

    /// Decision of a human on the loop.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixVerdict"))]
    pub enum Verdict {
        /// The suspicious or unverified fix works.
        Accept,
        /// The suspicious or unverified fix does not work.
        Reject,
        /// The loop may continue, because the cause of the escalation is gone.
        Continue,
        /// The loop must make no more attempts.
        Stop,
    }

    /// The allowed action.
    #[cfg_attr(feature = "types", ts(rename = "FixDecision"))]
    pub struct Decision {
        /// Kind of action.
        #[serde(rename = "type")]
        pub kind: DecisionType,
        /// Reason, as one or two sentences.
        pub reason: String,
        /// The next fix to make.
        pub approach: Option<FixStep>,
        /// Seconds to wait before the action.
        pub delay_seconds: f64,
        /// Number of the attempt.
        pub attempt: u32,
        /// Why a human is needed.
        pub escalation: Option<EscalationReason>,
        /// Result of the loop, for programs.
        pub result: LoopResult,
        /// True if the loop has ended.
        pub is_over: bool,
    }

    /// Result of a loop.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixResult"))]
    pub enum LoopResult {
        /// The last run passed, without suspicious changes.
        Success,
        /// The last run passed, but the tests are weaker than at the start of the loop.
        Suspicious,
        /// The loop was handed over to a human.
        Failed,
        /// A fix was declared, but nothing verifies it.
        Unverified,
        /// The loop was cancelled.
        Cancelled,
        /// The loop continues.
        InProgress,
    }

    /// Kind of allowed action.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixDecisionType"))]
    pub enum DecisionType {
        /// Run the next attempt.
        Run,
        /// Change something first.
        ApplyFix,
        /// Wait before the next attempt.
        Wait,
        /// Find answers for the prompts first.
        ProvideInputs,
        /// Ask a human to decide.
        Escalate,
        /// The loop has succeeded.
        Done,
        /// The event is not allowed now, and the state is unchanged.
        Refused,
    }

    /// A warning about the progress of the loop.
    #[cfg_attr(feature = "types", ts(rename = "FixWarning"))]
    pub struct Warning {
        /// Kind of warning.
        pub kind: WarningKind,
        /// Text of one or two sentences.
        pub text: String,
    }

    /// Kind of warning.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixWarningKind"))]
    pub enum WarningKind {
        /// Errors alternate in a cycle.
        Oscillation,
        /// The number of failing tests does not decrease.
        NoProgress,
        /// A fix uses an approach that was tried before.
        ApproachRepeated,
        /// A declared fix is not visible in the work tree.
        ChangeNotSeen,
        /// An attempt was interrupted.
        Interrupted,
    }

    /// The state after an event, and the allowed action.
    #[cfg_attr(feature = "types", ts(rename = "FixAdvanced"))]
    pub struct AdvanceResult {
        /// New state. Unchanged if the event was refused.
        pub state: FixState,
        /// The allowed action.
        pub decision: Decision,
        /// Warnings about the progress of the loop.
        pub warnings: Vec<Warning>,
    }
}
