//! Contains the rules of the fix loop: how to describe an error, which steps are allowed next, and when the loop ends.
//! The host runs commands, reads files, calls git, waits, draws random numbers, and reports the results to this module.
//!
//! [`understand`] turns the output of a failed run into a [`FixError`], and [`begin`] creates the state of a new loop.
//! [`advance`] takes a state and an event, and returns the next state and the allowed actions. [`find_weakenings`]
//! finds changes in a diff that make a passing run suspicious. The host stores the state in `state.json`;
//! [`validate_state`] validates a state that the host returns.

/// Derives the traits that every type of the loop needs. Names are in snake case, as in `state.json`.
macro_rules! state_types {
    ($($(#[$meta:meta])* pub $kind:tt $name:ident $body:tt)*) => {$(
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub $kind $name $body
    )*};
}

mod begin;
mod check;
mod decide;
mod error;
mod event;
mod machine;
mod retry;
mod state;
mod understand;
mod weakenings;

pub use begin::{Start, StartProblem, apply_options, begin, compute_loop_id};
pub use check::{StateProblem, validate_state};
pub use decide::{NextStep, next_step};
pub use error::{ClassReason, ErrorClass, ErrorSummary, FailedRun, FixError, Location};
pub use event::{
    AdvanceResult, CaseOutcomes, Decision, DecisionType, Event, LoopResult, Verdict, Warning, WarningKind,
};
pub use machine::advance;
pub use retry::{
    approach::{Approach, FixStep},
    backoff::{MAX_DELAY_SECONDS, compute_delay},
    circuit::{Circuit, CircuitState},
};
pub use state::{
    AppliedFix, Attempt, EscalationReason, FileChange, FixState, HostNotes, Mode, RunningAttempt, STATE_VERSION,
    Status, Weakening, WeakeningKind,
};
pub use understand::location::find_frames;
pub use understand::prompt::find_prompt;
pub use understand::understand;
pub use weakenings::{QUARANTINE_FILE, find_weakenings, find_weakenings_in_hunks};

#[cfg(test)]
mod tests;
