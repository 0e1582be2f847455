//! Keeps counts, filter texts and the search index up to date when the displayed values of a pattern change.

use super::{Pattern, PatternKey, add_to_learned_count, filter_text, find_row};
use crate::{
    database::Tx,
    error::StoreError,
    search::{self, DocumentOwner},
    solutions,
};

/// Removes a learned pattern from counts and texts. Call it before its displayed values change.
pub(crate) fn remove_from_listing(tx: &mut Tx<'_>, pattern: &Pattern) -> Result<(), StoreError> {
    if pattern.is_builtin || pattern.merged_into.is_some() {
        return Ok(());
    }
    filter_text::remove(tx, pattern.shown_category(), pattern.key)?;
    add_to_learned_count(tx, pattern.shown_category(), -1)
}

/// Adds the pattern to counts and texts again with its current values.
pub(crate) fn add_to_listing(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    let shown = find_row(tx, key)?.filter(|pattern| !pattern.is_builtin && pattern.merged_into.is_none());
    let Some(pattern) = shown else { return Ok(()) };
    filter_text::write(tx, key)?;
    add_to_learned_count(tx, pattern.shown_category(), 1)
}

/// Queues a pattern for the search index, or removes it from the index if it has no solution.
pub(crate) fn update_search_index(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    if solutions::count_all(tx, DocumentOwner::Pattern(key))? > 0 {
        return search::queue_pattern(tx, key);
    }
    search::remove(tx, &[DocumentOwner::Pattern(key)])?;
    tx.execute_deferred("DELETE FROM search_waiting WHERE pattern_key = $1", &[key.into()])
}
