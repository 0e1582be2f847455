//! Learned patterns as JSON lines. A line has everything that another memory needs to recognize the failure by its own
//! rules: the failure, the counts and the solutions.

pub mod export;
pub mod import;

use super::import::SolutionLine;
use argus_core::FailureEvent;
use serde::{Deserialize, Serialize};

/// Maximum number of days with counts in a line.
const MAX_DAYS: u32 = 400;

/// A pattern as a line of a file.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct PatternLine {
    /// Always `pattern`.
    pub(super) r#type: String,
    #[serde(flatten)]
    pub(super) known: KnownLine,
    /// Earlier signatures of the pattern.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) signatures: Vec<String>,
    /// The category in the other memory. Its rules may differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    pub(super) first_seen_at: String,
    pub(super) last_seen_at: String,
    /// Counts per memory that counted them.
    #[serde(default)]
    pub(super) counts: Vec<CountsLine>,
    /// `[day, occurrences, resolutions]` at the end of each day on which they changed, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) days: Vec<(i64, u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) person: Option<OverridesLine>,
    /// Failures that were merged into the pattern, because they are similar or because a person merged them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<KnownLine>,
    #[serde(default)]
    pub(super) solutions: Vec<SolutionLine>,
}

/// A known failure with the sample that it was learned from.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct KnownLine {
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
    /// None stands for the memory that wrote the line.
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
