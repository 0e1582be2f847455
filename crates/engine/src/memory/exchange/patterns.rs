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
struct PatternLine {
    /// `pattern`.
    r#type: String,
    #[serde(flatten)]
    known: KnownLine,
    /// What it was signed with before, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    signatures: Vec<String>,
    /// What it is there, by rules that may be others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    first_seen_at: String,
    last_seen_at: String,
    /// What was counted, by the memory that has counted it.
    #[serde(default)]
    counts: Vec<CountsLine>,
    /// `[day, occurrences, resolutions]` at the end of each day on which they changed, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    days: Vec<(i64, u32, u32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    person: Option<OverridesLine>,
    /// Failures that lead to it: they are alike, or a person said so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<KnownLine>,
    #[serde(default)]
    solutions: Vec<SolutionLine>,
}

/// A failure that is known, and what it was learned from.
#[derive(Debug, Deserialize, Serialize)]
struct KnownLine {
    id: String,
    #[serde(default)]
    recipe: String,
    #[serde(default)]
    case_name: String,
    #[serde(default)]
    description: String,
    sample: FailureEvent,
}

#[derive(Debug, Deserialize, Serialize)]
struct CountsLine {
    /// None: the one that wrote the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    /// Its id there.
    pattern: String,
    occurrences: u32,
    resolutions: u32,
}

/// What a person set.
#[derive(Debug, Deserialize, Serialize)]
struct OverridesLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The id of the solution that it suggests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
    edited_at: String,
}
