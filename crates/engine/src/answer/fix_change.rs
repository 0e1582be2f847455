//! Stores changes that fixed a failure, and names their files in a sentence.

use super::text::quoted;
use crate::contract::FixChange;

/// Maximum number of changed files in a sentence.
const MAX_NAMED_FILES: usize = 3;

/// Names the changed files for a sentence.
pub(crate) fn files(change: &FixChange) -> String {
    let named = change.files.iter().take(MAX_NAMED_FILES).map(|file| quoted(file)).collect::<Vec<_>>().join(", ");
    match change.files.len().saturating_sub(MAX_NAMED_FILES) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// The form in which a change is stored.
pub(crate) fn stored(change: &FixChange) -> Option<String> {
    serde_json::to_string(change).ok()
}

/// Reads a stored change.
pub(crate) fn read(json: &str) -> Option<FixChange> {
    serde_json::from_str(json).ok()
}
