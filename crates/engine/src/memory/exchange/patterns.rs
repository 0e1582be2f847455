//! The format of learned patterns as JSON lines. A line contains everything that another memory needs to recognize the
//! failure by its own rules: the failure, the counts and the solutions.

pub mod export;
pub mod import;

use super::import::SolutionLine;
use argus_core::FailureEvent;
use serde::{Deserialize, Serialize};

/// Maximum number of days with counts in a line.
const MAX_DAILY_COUNTS: u32 = 400;

/// A pattern as a line of a file.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct PatternLine {
    /// Always `pattern`.
    pub(super) r#type: String,
    #[serde(flatten)]
    pub(super) known: FailureLine,
    /// Earlier signatures of the pattern.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) signatures: Vec<String>,
    /// The category in the memory that wrote the line, whose rules may differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    pub(super) first_seen_at: String,
    pub(super) last_seen_at: String,
    /// Counts of each memory that counted this pattern.
    #[serde(default)]
    pub(super) counts: Vec<CountsLine>,
    /// `[day, occurrences, resolutions]` at the end of each day on which the counts changed, oldest first. Days are
    /// counted from 1970 in UTC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) days: Vec<(i64, u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) person: Option<OverridesLine>,
    /// Failures that were merged into the pattern, because they are similar or because a person merged them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<FailureLine>,
    #[serde(default)]
    pub(super) solutions: Vec<SolutionLine>,
}

/// A known failure with the sample from which it was learned.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct FailureLine {
    pub(super) id: String,
    #[serde(default)]
    pub(super) recipe: String,
    #[serde(default)]
    pub(super) case_name: String,
    #[serde(default)]
    pub(super) description: String,
    pub(super) sample: FailureEvent,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct CountsLine {
    /// `None` means the memory that wrote the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<String>,
    /// The id of the pattern in that memory.
    pub(super) pattern: String,
    pub(super) occurrences: u32,
    pub(super) resolutions: u32,
}

/// Values that a person set.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct OverridesLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    /// The id of the suggested solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) solution: Option<String>,
    pub(super) edited_at: String,
}
