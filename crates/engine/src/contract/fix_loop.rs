//! Types of the fix loop. `argus_core::fix_loop` defines them, because its rules use them.

pub use argus_core::fix_loop::{
    Advanced as FixAdvanced, Event as FixEvent, Failure as FixFailure, FixError, FixState, NextStep as FixNextStep,
    Start as FixStart, Weakening,
};
