//! Patterns that are one: a newer recipe sees the same failure in both, or a person says so.
//!
//! What a recipe joins is one row afterwards. What a person merges stays a row of its own that leads to the other, so
//! that its failures are known and are signed again by the next recipe; one step leads there, however often it is done.

use super::{
    Identity, Pattern, PatternKey, daily_counts, edits, redirect, row_by_signature, row_of, sameness,
    shown::{add_to_view, mark_for_indexing, remove_from_view},
    similar,
};
use crate::{
    database::Tx,
    error::StoreError,
    patterns,
    search::{self, Owner},
    solutions,
};
use argus_core::{Category, similarity};

/// Signs a pattern again. Where the new recipe sees the same failure in two patterns, they become one.
pub async fn recompute_signature(tx: &mut impl Tx, pattern: &Pattern, new: Identity<'_>) -> Result<(), StoreError> {
    // An earlier one of the same batch may have moved it.
    let Some(pattern) = row_of(tx, pattern.key).await? else { return Ok(()) };
    similar::remove(tx, pattern.key, similarity::sketch(&pattern.normalized)).await?;
    if pattern.signature != new.signature {
        record_signature(tx, &pattern.signature, pattern.key).await?;
    }
    match row_by_signature(tx, new.recipe, new.signature).await?.filter(|other| other.key != pattern.key) {
        Some(other) => join_patterns(tx, &pattern, &other, new).await,
        None => write_identity(tx, &pattern, new).await,
    }
}

/// A person says that `from` is `into`: its failures, fixes and counts are there from now on. Both are learned ones.
pub async fn merge(tx: &mut impl Tx, from: &Pattern, into: &Pattern, now: i64) -> Result<(), StoreError> {
    move_contents(tx, from, into.key).await?;
    redirect(tx, from.key, into.key).await?;
    show_provisional(tx, into.key).await?;
    tx.post("UPDATE patterns SET updated_at = $2 WHERE key = $1", &[into.key.into(), now.into()]).await?;
    daily_counts::record_stored(tx, into.key, now).await
}

/// Shows a provisional pattern as a learned one, with what led to it.
pub async fn show_provisional(tx: &mut impl Tx, key: PatternKey) -> Result<(), StoreError> {
    let sql = "UPDATE patterns SET merged_into = NULL WHERE key = $1 AND merged_into = $1 RETURNING key";
    match tx.query_first(sql, &[key.into()]).await? {
        Some(_) => add_to_view(tx, key).await,
        None => Ok(()),
    }
}

/// A pattern that leads to another stands for itself from now on; `provisional`: a built-in speaks for it.
pub async fn split(tx: &mut impl Tx, key: PatternKey, provisional: bool) -> Result<(), StoreError> {
    redirect(tx, key, key).await?;
    if provisional { Ok(()) } else { show_provisional(tx, key).await }
}

/// A person says that `part` is not `whole`: its diagnoses count for itself again. The fixes stay where they are, for nobody
/// noted of which of the two they were.
pub async fn split_off(tx: &mut impl Tx, part: &Pattern, whole: &Pattern, now: i64) -> Result<(), StoreError> {
    const LESS: &str = "UPDATE patterns SET updated_at = $3, occurrences = \
                        CASE WHEN occurrences - $2 > resolutions THEN occurrences - $2 ELSE resolutions END \
                        WHERE key = $1";
    tx.post(LESS, &[whole.key.into(), part.occurrences.into(), now.into()]).await?;
    tx.post("UPDATE patterns SET resolutions = 0, updated_at = $2 WHERE key = $1", &[part.key.into(), now.into()])
        .await?;
    solutions::choose_best(tx, part.key).await?;
    split(tx, part.key, false).await?;
    daily_counts::record_stored(tx, whole.key, now).await?;
    daily_counts::record_stored(tx, part.key, now).await
}

/// Learned patterns of any recipe, merged ones too, that had this signature once.
pub async fn had_signature(tx: &mut impl Tx, signature: &str) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str =
        "SELECT pattern_key FROM pattern_signatures WHERE signature = $1 ORDER BY pattern_key DESC LIMIT 1";
    match tx.query_first(SQL, &[signature.into()]).await? {
        Some(mut row) => {
            let found = patterns::get(tx, PatternKey(row.read()?)).await?;
            Ok(found.filter(|pattern| !pattern.is_provisional()))
        }
        None => Ok(None),
    }
}

async fn write_identity(tx: &mut impl Tx, pattern: &Pattern, new: Identity<'_>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET category = $2, recipe = $3, signature = $4, family = $5, normalized = $6 \
                       WHERE key = $1";
    remove_from_view(tx, pattern).await?;
    let params = [
        pattern.key.into(),
        new.category.as_str().into(),
        new.recipe.into(),
        new.signature.into(),
        new.family.into(),
        new.normalized.into(),
    ];
    tx.post(SQL, &params).await?;
    similar::index(tx, pattern.key, new.bands).await?;
    add_to_view(tx, pattern.key).await?;
    // The search knows it by the family that the older recipe saw.
    mark_for_indexing(tx, pattern.key).await
}

/// `pattern` would get the signature that `other` has under the new recipe. What was learned of either is shown.
async fn join_patterns(
    tx: &mut impl Tx,
    pattern: &Pattern,
    other: &Pattern,
    new: Identity<'_>,
) -> Result<(), StoreError> {
    join_rows(tx, pattern, other, new).await?;
    let is_shown = pattern.merged_into.is_none() || other.merged_into.is_none();
    match row_by_signature(tx, new.recipe, new.signature).await? {
        Some(row) if is_shown => show_provisional(tx, row.merged_into.unwrap_or(row.key)).await,
        _ => Ok(()),
    }
}

async fn join_rows(tx: &mut impl Tx, pattern: &Pattern, other: &Pattern, new: Identity<'_>) -> Result<(), StoreError> {
    let leads = |row: &Pattern| row.merged_into.filter(|into| *into != row.key);
    match (leads(pattern), leads(other)) {
        (None, None) => {
            move_contents(tx, pattern, other.key).await?;
            move_overrides(tx, pattern, other).await?;
            delete_row(tx, pattern, other.key).await
        }
        // A person said where these failures count; so do those that are the same now.
        (Some(into), None) if into != other.key => {
            move_contents(tx, other, into).await?;
            redirect(tx, other.key, into).await?;
            delete_row(tx, pattern, other.key).await
        }
        (None, Some(into)) if into == pattern.key => {
            similar::remove(tx, other.key, similarity::sketch(&other.normalized)).await?;
            delete_row(tx, other, pattern.key).await?;
            write_identity(tx, pattern, new).await
        }
        (None, Some(into)) => {
            move_contents(tx, pattern, into).await?;
            delete_row(tx, pattern, other.key).await
        }
        (Some(_), _) => delete_row(tx, pattern, other.key).await,
    }
}

/// Counts, solutions, outcomes and merged patterns of `from` go to `into`.
async fn move_contents(tx: &mut impl Tx, from: &Pattern, into: PatternKey) -> Result<(), StoreError> {
    const SUM: &str = "UPDATE patterns SET occurrences = occurrences + $2, resolutions = resolutions + $3, \
                       first_seen_at = CASE WHEN first_seen_at < $4 THEN first_seen_at ELSE $4 END, \
                       last_seen_at = CASE WHEN last_seen_at > $5 THEN last_seen_at ELSE $5 END \
                       WHERE key = $1";
    remove_from_view(tx, from).await?;
    let keys = [from.key.into(), into.into()];
    let sum = [
        keys[1],
        from.occurrences.into(),
        from.resolutions.into(),
        from.first_seen_at.into(),
        from.last_seen_at.into(),
    ];
    tx.post(SUM, &sum).await?;
    tx.post("UPDATE solutions SET pattern_key = $2 WHERE pattern_key = $1", &keys).await?;
    tx.post("UPDATE outcomes SET pattern_key = $2 WHERE pattern_key = $1", &keys).await?;
    tx.post("UPDATE outcomes SET started_pattern = $2 WHERE started_pattern = $1", &keys).await?;
    tx.post("UPDATE patterns SET merged_into = $2 WHERE merged_into = $1", &keys).await?;
    tx.post("UPDATE taken_counts SET pattern_key = $2 WHERE pattern_key = $1", &keys).await?;
    search::remove(tx, &[Owner::Pattern(from.key)]).await?;
    tx.post("DELETE FROM search_waiting WHERE pattern_key = $1", &keys[..1]).await?;
    edits::spread_wrong(tx, into).await?;
    solutions::choose_best(tx, into).await?;
    mark_for_indexing(tx, into).await
}

/// What a person set on `from` is not lost, unless something was set on `into` too.
async fn move_overrides(tx: &mut impl Tx, from: &Pattern, into: &Pattern) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET person_category = COALESCE(person_category, $2), \
                       person_description = COALESCE(person_description, $3), \
                       person_solution = COALESCE(person_solution, \
                       (SELECT s.key FROM solutions s WHERE s.key = $4 AND s.wrong_at IS NULL)), \
                       edited_at = COALESCE(edited_at, $5) \
                       WHERE key = $1";
    let overrides = &from.overrides;
    if overrides.edited_at.is_none() {
        return Ok(());
    }
    remove_from_view(tx, into).await?;
    let category = overrides.category.map(Category::as_str);
    let params = [
        into.key.into(),
        category.into(),
        (&overrides.description).into(),
        overrides.solution.into(),
        overrides.edited_at.into(),
    ];
    tx.post(SQL, &params).await?;
    add_to_view(tx, into.key).await
}

/// Deletes a row that has nothing of its own left; its signatures go to `into`, the row of the same failure.
async fn delete_row(tx: &mut impl Tx, row: &Pattern, into: PatternKey) -> Result<(), StoreError> {
    const MOVE: &str = "INSERT INTO pattern_signatures (signature, pattern_key) \
                        SELECT signature, $2 FROM pattern_signatures WHERE pattern_key = $1 ON CONFLICT DO NOTHING";
    let keys = [row.key.into(), into.into()];
    record_signature(tx, &row.signature, into).await?;
    sameness::move_to(tx, row.key, into).await?;
    tx.post(MOVE, &keys).await?;
    tx.post("DELETE FROM pattern_signatures WHERE pattern_key = $1", &keys[..1]).await?;
    tx.post("DELETE FROM pattern_days WHERE pattern_key = $1", &keys[..1]).await?;
    tx.post("DELETE FROM pattern_samples WHERE pattern_key = $1", &keys[..1]).await?;
    tx.post("DELETE FROM patterns WHERE key = $1", &keys[..1]).await
}

async fn record_signature(tx: &mut impl Tx, signature: &str, key: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_signatures (signature, pattern_key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    tx.post(SQL, &[signature.into(), key.into()]).await
}
