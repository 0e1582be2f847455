//! Types of the fix loop. `argus_core::fix_loop` defines them, because its rules use them.

pub use argus_core::fix_loop::{
    AdvanceResult as FixAdvanced, Event as FixEvent, FailedRun as FixFailure, FixError, FixState,
    NextStep as FixNextStep, Start as FixStart, Weakening,
};
