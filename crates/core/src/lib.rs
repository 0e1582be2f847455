//! What a failure is, said in pure functions.
//!
//! A raw failure text goes through [`redact`], [`classify`], [`normalize`] and [`sign`];
//! [`analyze::Analyzer`] runs the four in that order. Time and ids arrive as values ([`ambient`]).

pub mod alike;
pub mod ambient;
pub mod analyze;
pub mod bound;
pub mod builtin;
mod bytes;
pub mod category;
pub mod classify;
pub mod confidence;
pub mod display;
pub mod environment;
pub mod event;
pub mod failure_kind;
pub mod fix_loop;
pub mod normalize;
mod output;
mod pattern_error;
pub mod rank;
pub mod redact;
pub mod search;
pub mod sign;
pub mod similarity;
pub mod summary;
pub mod values;

pub use ambient::Ambient;
pub use analyze::{Analysis, Analyzer};
pub use category::Category;
pub use event::FailureEvent;
pub use failure_kind::FailureKind;
