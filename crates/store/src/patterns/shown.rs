//! Keeps what is counted and found of patterns in step with what is shown of them.

use super::{Pattern, PatternKey, count, filter_text, row_of};
use crate::{
    database::Tx,
    error::StoreError,
    search::{self, Owner},
    solutions,
};

/// Takes a learned pattern out of counts and texts, before what is shown of it changes.
pub(crate) async fn remove_from_view(tx: &mut impl Tx, pattern: &Pattern) -> Result<(), StoreError> {
    if pattern.is_builtin || pattern.merged_into.is_some() {
        return Ok(());
    }
    filter_text::remove(tx, pattern.shown_category(), pattern.key).await?;
    count(tx, pattern.shown_category(), -1).await
}

/// Puts it in again, as it is shown now.
pub(crate) async fn add_to_view(tx: &mut impl Tx, key: PatternKey) -> Result<(), StoreError> {
    let shown = row_of(tx, key).await?.filter(|pattern| !pattern.is_builtin && pattern.merged_into.is_none());
    let Some(pattern) = shown else { return Ok(()) };
    filter_text::write(tx, key).await?;
    count(tx, pattern.shown_category(), 1).await
}

/// Lets the search read a pattern again, where it has anything to suggest.
pub(crate) async fn mark_for_indexing(tx: &mut impl Tx, key: PatternKey) -> Result<(), StoreError> {
    if solutions::count_of(tx, Owner::Pattern(key)).await? > 0 {
        return search::wait(tx, key).await;
    }
    search::remove(tx, &[Owner::Pattern(key)]).await?;
    tx.post("DELETE FROM search_waiting WHERE pattern_key = $1", &[key.into()]).await
}
