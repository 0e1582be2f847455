//! Says which of the ten categories a failure has, by an ordered chain of named rules; first match wins.
//! Does not: redact, normalize, or look at anything but the event.

use crate::{category::Category, event::FailureEvent};
use serde::{Deserialize, Serialize};

/// Where in the text the deciding words stand: byte offsets into the text that was classified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A category with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The answer.
    pub category: Category,
    /// The rule that decided; `none` when no rule matched.
    pub rule: String,
    /// What it saw in the text; none where a fact beside the text decided (exit code, container state).
    pub evidence: Option<Span>,
}

/// A rule from the project's own configuration, tried before all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UserRule {
    /// Named in answers as `user:NAME`.
    pub name: String,
    /// The category it gives.
    pub category: Category,
    /// A regular expression in the syntax of the `regex` crate.
    pub pattern: String,
}

/// A user's regular expression that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct PatternError {
    /// Name of the rule or pattern.
    pub name: String,
    /// What the regex compiler says.
    pub reason: String,
}

/// The chain of rules, the user's first.
#[derive(Debug)]
pub struct Classifier {}

impl Classifier {
    /// Compiles the user's rules; the built-in ones are compiled once per process.
    pub fn new(_user_rules: &[UserRule]) -> Result<Self, PatternError> {
        Ok(Self {})
    }

    /// The first rule that matches decides.
    pub fn classify(&self, _event: &FailureEvent) -> Classification {
        Classification { category: Category::Unknown, rule: "none".to_owned(), evidence: None }
    }
}
