//! Converts a change that fixed a failure to JSON and back, and names its files in a sentence.

use super::message_text::quote;
use crate::contract::FixChange;

/// Maximum number of changed files in a sentence.
const MAX_NAMED_FILES: usize = 3;

/// Lists the changed files for a sentence, such as `a.ts, b.ts, c.ts and 2 more`.
pub(crate) fn format_changed_files(change: &FixChange) -> String {
    let named = change.files.iter().take(MAX_NAMED_FILES).map(|file| quote(file)).collect::<Vec<_>>().join(", ");
    match change.files.len().saturating_sub(MAX_NAMED_FILES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Returns the JSON text in which a change is stored.
pub(crate) fn to_json(change: &FixChange) -> Option<String> {
    serde_json::to_string(change).ok()
}

/// Parses a stored change. Returns `None` if it is invalid.
pub(crate) fn from_json(json: &str) -> Option<FixChange> {
    serde_json::from_str(json).ok()
}
