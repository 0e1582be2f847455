//! What happens to a loop, and what is answered to it.

use super::{
    error::FixError,
    retry::approach::{Approach, Step},
    state::{EscalationReason, FileChange, FixState, Weakening},
};

/// What the host tells the machine.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema), ts(rename = "FixEvent"))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The command, or the verification, was started.
    AttemptStarted {
        /// ISO 8601.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
        /// Where the work tree before it is kept.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        snapshot: Option<String>,
    },
    /// It ended.
    AttemptFinished {
        /// Of the shell; 124 where it was ended for time.
        exit_code: i32,
        /// It was ended for time.
        timed_out: bool,
        /// How long it ran.
        duration_seconds: f64,
        /// What `understand` says of it; none of a green run.
        error: Option<Box<FixError>>,
        /// When it began, ISO 8601; the one of the start when none.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
        /// What `weakened` says of the changes since the loop began.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<Weakening>>"))]
        weakened: Vec<Weakening>,
        /// How its test cases ended; none where nobody listened to it.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        ran: Option<RanCases>,
    },
    /// Something was changed.
    FixDeclared {
        /// In words.
        description: String,
        /// Digest of the change in the work tree since the last attempt; none where it is the same.
        digest: Option<String>,
        /// Files that changed.
        files: Vec<FileChange>,
        /// A change outside the work tree.
        outside: Option<String>,
        /// The one that was due when none.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        approach: Option<Approach>,
    },
    /// The delay has passed.
    Waited,
    /// A fix that no command verifies was verified in another way.
    FixVerified {
        /// How, in words.
        how: String,
        /// ISO 8601.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
        /// What `weakened` says of the changes since the loop began.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<Vec<Weakening>>"))]
        weakened: Vec<Weakening>,
    },
    /// Whoever fixes has changed nothing, and stopped.
    NoChangeMade,
    /// There are answers for the prompts.
    InputsProvided {
        /// Digest of them.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        digest: Option<String>,
        /// Path of the inputs file.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        inputs: Option<String>,
    },
    /// Somebody wants attempts to go on although the circuit is open.
    CircuitReset,
    /// A human said how it goes on.
    HumanDecided {
        /// How.
        verdict: Verdict,
        /// Why.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        note: Option<String>,
        /// ISO 8601.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(optional = nullable))]
        timestamp: Option<String>,
    },
    /// Somebody stopped the loop.
    Cancelled,
    /// The loop goes on after it was cancelled or its process ended.
    Resumed,
}

plain! {
    /// Names of the test cases of a run, by their last outcome.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixRanCases"))]
    pub struct RanCases {
        /// Those that passed.
        pub passed: Vec<String>,
        /// Those that failed.
        pub failed: Vec<String>,
        /// Files or packages whose tests all passed, if the runner does not name the tests.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>", optional))]
        pub passed_files: Vec<String>,
        /// Whether the names of passed cases are unknown, because only the failures were printed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(feature = "types", ts(optional, as = "Option<bool>"))]
        pub omits_passed: bool,
    }

    /// How a human lets it go on.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixVerdict"))]
    pub enum Verdict {
        /// It works: of a suspicious or unverified fix.
        Accept,
        /// It does not.
        Reject,
        /// The cause of the escalation is gone.
        Continue,
        /// No more attempts.
        Stop,
    }

    /// What may be done now.
    #[cfg_attr(feature = "types", ts(rename = "FixDecision"))]
    pub struct Decision {
        /// What.
        #[serde(rename = "type")]
        pub kind: DecisionType,
        /// Why, in a sentence or two.
        pub reason: String,
        /// The fix that is due.
        pub approach: Option<Step>,
        /// How long to wait first.
        pub delay_seconds: f64,
        /// The attempt it is about.
        pub attempt: u32,
        /// Why a human is needed.
        pub escalation: Option<EscalationReason>,
        /// How the loop stands, for programs.
        pub result: LoopResult,
        /// Nothing more happens by itself.
        pub is_over: bool,
    }

    /// How a loop stands.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixResult"))]
    pub enum LoopResult {
        /// The last run was well, and nothing speaks against it.
        Success,
        /// It was well, but the tests are weaker than at the beginning.
        Suspicious,
        /// It was handed to a human.
        Failed,
        /// A fix was declared, and nothing verifies it.
        Unverified,
        /// Somebody stopped it.
        Cancelled,
        /// It goes on.
        InProgress,
    }

    /// What may be done.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixDecisionType"))]
    pub enum DecisionType {
        /// Make the attempt.
        Run,
        /// Change something first.
        ApplyFix,
        /// Wait first.
        Wait,
        /// Find answers for the prompts first.
        ProvideInputs,
        /// Hand over to a human.
        Escalate,
        /// Nothing is left to do.
        Done,
        /// The event is not allowed now; the state is as it was.
        Refused,
    }

    /// Something to know about the way the loop goes.
    #[cfg_attr(feature = "types", ts(rename = "FixWarning"))]
    pub struct Warning {
        /// What it is about.
        pub kind: WarningKind,
        /// In a sentence or two.
        pub text: String,
    }

    /// What a warning is about.
    #[derive(Copy, Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixWarningKind"))]
    pub enum WarningKind {
        /// Errors come back in turns.
        Oscillation,
        /// The failing tests do not become fewer.
        NoProgress,
        /// A fix of a kind that was tried before.
        ApproachRepeated,
        /// Nothing but the word of who declared it says that something changed.
        ChangeNotSeen,
        /// An attempt was cut off before it ended.
        Interrupted,
    }

    /// The state after an event, and what may be done in it.
    #[cfg_attr(feature = "types", ts(rename = "FixAdvanced"))]
    pub struct Advanced {
        /// As it was, where the event was refused.
        pub state: FixState,
        /// What may be done.
        pub decision: Decision,
        /// What to know.
        pub warnings: Vec<Warning>,
    }
}
