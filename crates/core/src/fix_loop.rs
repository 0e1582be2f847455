//! The rules of the fix loop: what an error is, what may happen next, and when it ends.
//! The host runs commands, reads files, asks git, waits and draws random numbers, and tells it here.
//!
//! [`understand`] turns a failed run's output into a [`FixError`]; [`begin`] makes the state of a new loop;
//! [`advance`] takes a state and an event to the next state and says what may be done; [`weakened`] finds in a diff
//! what makes a green run suspicious. The state is what the host keeps in `state.json`; one that comes back is
//! checked with [`check`] before it is believed.

/// Derives what every type of the loop has: names are those of `state.json`, in snake case.
macro_rules! plain {
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
mod weakened;

pub use begin::{Start, StartProblem, adjust, begin, command_hash};
pub use check::{StateProblem, check};
pub use decide::{Outlook, outlook};
pub use error::{Because, ErrorClass, ErrorSummary, Failure, FixError, Location};
pub use event::{Advanced, Decision, DecisionType, Event, LoopResult, RanCases, Verdict, Warning, WarningKind};
pub use machine::advance;
pub use retry::{
    approach::{Approach, Step},
    backoff::{MAX_DELAY_SECONDS, delay},
    circuit::{Circuit, CircuitState},
};
pub use state::{
    AppliedFix, Attempt, EscalationReason, FileChange, FixState, HostNotes, Mode, Running, STATE_VERSION, Status,
    Weakening, WeakeningKind,
};
pub use understand::location::frames;
pub use understand::prompt::prompt;
pub use understand::understand;
pub use weakened::{QUARANTINE_FILE, weakened, weakened_in_hunks};

#[cfg(test)]
mod tests;
