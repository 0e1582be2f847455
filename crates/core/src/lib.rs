//! Pure functions that analyze test failures, explain them from earlier runs, and control fix loops.
//!
//! A raw failure text goes through [`redact`], [`classify`], [`normalize`] and [`sign`]; [`analyze::Analyzer`] runs
//! them in that order. Time and IDs arrive as values ([`call_context`]).

pub mod analyze;
pub mod call_context;
pub mod change;
pub mod classify;
pub mod display;
pub mod evidence;
mod failure;
pub mod fix_loop;
mod identity;
mod knowledge;
pub mod normalize;
mod output;
pub mod redact;
pub mod stable_sort;
pub mod summary;
mod text;

pub use analyze::{Analysis, Analyzer};
pub use call_context::CallContext;
pub use failure::{
    category::{self, Category},
    event::{self, FailureEvent},
    failure_kind::{self, FailureKind},
};
pub use identity::{case_name, message_values, sign, similarity, text_comparison, wording};
pub use knowledge::{builtin, confidence, environment, rank, search};
pub use text::{bound, file_url};
