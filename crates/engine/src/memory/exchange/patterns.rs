//! Learned patterns as lines, with all that a memory needs to know the same failures by its own rules: what they were
//! learned from, what was counted, and what solved them.

pub mod export;
pub mod import;

use super::import::SolutionLine;
use argus_core::FailureEvent;
use serde::{Deserialize, Serialize};

/// Days of counts that go with a pattern.
const MAX_DAYS: u32 = 400;

/// One line.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct PatternLine {
    /// `pattern`.
    pub(super) r#type: String,
    #[serde(flatten)]
    pub(super) known: KnownLine,
    /// What it was signed with before, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) signatures: Vec<String>,
    /// What it is there, by rules that may be others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    pub(super) first_seen_at: String,
    pub(super) last_seen_at: String,
    /// What was counted, by the memory that has counted it.
    #[serde(default)]
    pub(super) counts: Vec<CountsLine>,
    /// `[day, occurrences, resolutions]` at the end of each day on which they changed, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) days: Vec<(i64, u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) person: Option<OverridesLine>,
    /// Failures that lead to it: they are alike, or a person said so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<KnownLine>,
    #[serde(default)]
    pub(super) solutions: Vec<SolutionLine>,
}

/// A failure that is known, and what it was learned from.
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
    /// None: the one that wrote the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<String>,
    /// Its id there.
    pub(super) pattern: String,
    pub(super) occurrences: u32,
    pub(super) resolutions: u32,
}

/// What a person set.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct OverridesLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    /// The id of the solution that it suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) solution: Option<String>,
    pub(super) edited_at: String,
}
