//! Joins patterns, either because a newer recipe gives both failures the same signature or because a person says that
//! they are the same.
//!
//! Patterns that a recipe joins become one row. A pattern that a person merges keeps its row, which refers to the
//! target, so that its failures stay recognizable and the next recipe can sign them again. A chain of merges is
//! shortened, so that each row refers to its final target directly.

use super::{
    Pattern, PatternKey, SignatureSet, daily_counts, edits, find_row, find_row_by_signature,
    listing_updates::{add_to_listing, remove_from_listing, update_search_index},
    merge_decisions, set_merge_target, similar_patterns,
};
use crate::{
    database::Tx,
    error::StoreError,
    patterns,
    search::{self, DocumentOwner},
    solutions,
};
use argus_core::{Category, similarity};

/// Signs a pattern with a new recipe. Merges two patterns if the new recipe gives both failures the same signature.
pub fn recompute_signature(tx: &mut Tx<'_>, pattern: &Pattern, new: SignatureSet<'_>) -> Result<(), StoreError> {
    // Reads the row again, because an earlier pattern of the same batch may have changed it.
    let Some(pattern) = find_row(tx, pattern.key)? else { return Ok(()) };
    similar_patterns::remove_bands(tx, pattern.key, similarity::minhash_sketch(&pattern.normalized))?;
    if pattern.signature != new.signature {
        record_signature(tx, &pattern.signature, pattern.key)?;
    }
    match find_row_by_signature(tx, new.recipe, new.signature)?.filter(|other| other.key != pattern.key) {
        Some(other) => join_patterns(tx, &pattern, &other, new),
        None => write_signatures(tx, &pattern, new),
    }
}

/// Merges `from` into `into` on behalf of a person, with its failures, fixes and counts. Both must be learned patterns.
pub fn merge(tx: &mut Tx<'_>, from: &Pattern, into: &Pattern, now: i64) -> Result<(), StoreError> {
    move_contents(tx, from, into.key)?;
    set_merge_target(tx, from.key, into.key)?;
    promote_provisional(tx, into.key)?;
    tx.execute_deferred("UPDATE patterns SET updated_at = $2 WHERE key = $1", &[into.key.into(), now.into()])?;
    daily_counts::store_current_counts(tx, into.key, now)
}

/// Lists a provisional pattern as a learned pattern, together with the rows that lead to it.
pub fn promote_provisional(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    let sql = "UPDATE patterns SET merged_into = NULL WHERE key = $1 AND merged_into = $1 RETURNING key";
    match tx.query_first(sql, &[key.into()])? {
        Some(_) => add_to_listing(tx, key),
        None => Ok(()),
    }
}

/// Separates a row from the pattern that it leads to. If `provisional` is true, a built-in pattern represents it.
pub fn separate_row(tx: &mut Tx<'_>, key: PatternKey, provisional: bool) -> Result<(), StoreError> {
    set_merge_target(tx, key, key)?;
    if provisional { Ok(()) } else { promote_provisional(tx, key) }
}

/// Undoes a merge: the diagnoses of `part` count for `part` again. The fixes stay with `whole`, because it is not
/// recorded which of the two patterns they were reported for.
pub fn undo_merge(tx: &mut Tx<'_>, part: &Pattern, whole: &Pattern, now: i64) -> Result<(), StoreError> {
    const LESS: &str = "UPDATE patterns SET updated_at = $3, occurrences = \
                        CASE WHEN occurrences - $2 > resolutions THEN occurrences - $2 ELSE resolutions END \
                        WHERE key = $1";
    tx.execute_deferred(LESS, &[whole.key.into(), part.occurrences.into(), now.into()])?;
    tx.execute_deferred(
        "UPDATE patterns SET resolutions = 0, updated_at = $2 WHERE key = $1",
        &[part.key.into(), now.into()],
    )?;
    solutions::update_best_solution(tx, part.key)?;
    separate_row(tx, part.key, false)?;
    daily_counts::store_current_counts(tx, whole.key, now)?;
    daily_counts::store_current_counts(tx, part.key, now)
}

/// Returns the learned pattern that once had this signature under any recipe, or the pattern it was merged into.
pub fn find_by_earlier_signature(tx: &mut Tx<'_>, signature: &str) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str =
        "SELECT pattern_key FROM pattern_signatures WHERE signature = $1 ORDER BY pattern_key DESC LIMIT 1";
    match tx.query_first(SQL, &[signature.into()])? {
        Some(mut row) => {
            let found = patterns::get(tx, PatternKey(row.read()?))?;
            Ok(found.filter(|pattern| !pattern.is_provisional()))
        }
        None => Ok(None),
    }
}

fn write_signatures(tx: &mut Tx<'_>, pattern: &Pattern, new: SignatureSet<'_>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET category = $2, recipe = $3, signature = $4, family = $5, normalized = $6 \
                       WHERE key = $1";
    remove_from_listing(tx, pattern)?;
    let params = [
        pattern.key.into(),
        new.category.as_str().into(),
        new.recipe.into(),
        new.signature.into(),
        new.family.into(),
        new.normalized.into(),
    ];
    tx.execute_deferred(SQL, &params)?;
    similar_patterns::add_bands(tx, pattern.key, new.bands)?;
    add_to_listing(tx, pattern.key)?;
    // The search index still has the family signature of the older recipe.
    update_search_index(tx, pattern.key)
}

/// Joins `pattern` into the row `other`, which already has the new signature. The result is listed if either row was
/// listed.
fn join_patterns(tx: &mut Tx<'_>, pattern: &Pattern, other: &Pattern, new: SignatureSet<'_>) -> Result<(), StoreError> {
    join_rows(tx, pattern, other, new)?;
    let is_shown = pattern.merged_into.is_none() || other.merged_into.is_none();
    match find_row_by_signature(tx, new.recipe, new.signature)? {
        Some(row) if is_shown => promote_provisional(tx, row.merged_into.unwrap_or(row.key)),
        _ => Ok(()),
    }
}

fn join_rows(tx: &mut Tx<'_>, pattern: &Pattern, other: &Pattern, new: SignatureSet<'_>) -> Result<(), StoreError> {
    let merge_target = |row: &Pattern| row.merged_into.filter(|into| *into != row.key);
    match (merge_target(pattern), merge_target(other)) {
        (None, None) => {
            move_contents(tx, pattern, other.key)?;
            move_overrides(tx, pattern, other)?;
            delete_row(tx, pattern, other.key)
        }
        // A person decided for which pattern the failures of `pattern` count. The failures of `other` are the same now,
        // so they count for that pattern too.
        (Some(into), None) if into != other.key => {
            move_contents(tx, other, into)?;
            set_merge_target(tx, other.key, into)?;
            delete_row(tx, pattern, other.key)
        }
        (None, Some(into)) if into == pattern.key => {
            similar_patterns::remove_bands(tx, other.key, similarity::minhash_sketch(&other.normalized))?;
            delete_row(tx, other, pattern.key)?;
            write_signatures(tx, pattern, new)
        }
        (None, Some(into)) => {
            move_contents(tx, pattern, into)?;
            delete_row(tx, pattern, other.key)
        }
        (Some(_), _) => delete_row(tx, pattern, other.key),
    }
}

/// Moves counts, solutions, outcomes and merged patterns from `from` to `into`.
fn move_contents(tx: &mut Tx<'_>, from: &Pattern, into: PatternKey) -> Result<(), StoreError> {
    const SUM: &str = "UPDATE patterns SET occurrences = occurrences + $2, resolutions = resolutions + $3, \
                       first_seen_at = CASE WHEN first_seen_at < $4 THEN first_seen_at ELSE $4 END, \
                       last_seen_at = CASE WHEN last_seen_at > $5 THEN last_seen_at ELSE $5 END \
                       WHERE key = $1";
    remove_from_listing(tx, from)?;
    let keys = [from.key.into(), into.into()];
    let sum = [
        keys[1],
        from.occurrences.into(),
        from.resolutions.into(),
        from.first_seen_at.into(),
        from.last_seen_at.into(),
    ];
    tx.execute_deferred(SUM, &sum)?;
    tx.execute_deferred("UPDATE solutions SET pattern_key = $2 WHERE pattern_key = $1", &keys)?;
    tx.execute_deferred("UPDATE outcomes SET pattern_key = $2 WHERE pattern_key = $1", &keys)?;
    tx.execute_deferred("UPDATE outcomes SET started_pattern = $2 WHERE started_pattern = $1", &keys)?;
    tx.execute_deferred("UPDATE patterns SET merged_into = $2 WHERE merged_into = $1", &keys)?;
    tx.execute_deferred("UPDATE taken_counts SET pattern_key = $2 WHERE pattern_key = $1", &keys)?;
    search::remove(tx, &[DocumentOwner::Pattern(from.key)])?;
    tx.execute_deferred("DELETE FROM search_waiting WHERE pattern_key = $1", &keys[..1])?;
    edits::mark_wrong_in_merged(tx, into)?;
    solutions::update_best_solution(tx, into)?;
    update_search_index(tx, into)
}

/// Copies the values that a person set on `from`, except where `into` already has a value.
fn move_overrides(tx: &mut Tx<'_>, from: &Pattern, into: &Pattern) -> Result<(), StoreError> {
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
    remove_from_listing(tx, into)?;
    let category = overrides.category.map(Category::as_str);
    let params = [
        into.key.into(),
        category.into(),
        (&overrides.description).into(),
        overrides.solution.into(),
        overrides.edited_at.into(),
    ];
    tx.execute_deferred(SQL, &params)?;
    add_to_listing(tx, into.key)
}

/// Deletes a row whose content was moved. Its signatures go to `into`, the row of the same failure.
fn delete_row(tx: &mut Tx<'_>, row: &Pattern, into: PatternKey) -> Result<(), StoreError> {
    const MOVE: &str = "INSERT INTO pattern_signatures (signature, pattern_key) \
                        SELECT signature, $2 FROM pattern_signatures WHERE pattern_key = $1 ON CONFLICT DO NOTHING";
    let keys = [row.key.into(), into.into()];
    record_signature(tx, &row.signature, into)?;
    merge_decisions::move_decisions(tx, row.key, into)?;
    tx.execute_deferred(MOVE, &keys)?;
    tx.execute_deferred("DELETE FROM pattern_signatures WHERE pattern_key = $1", &keys[..1])?;
    tx.execute_deferred("DELETE FROM pattern_days WHERE pattern_key = $1", &keys[..1])?;
    tx.execute_deferred("DELETE FROM pattern_samples WHERE pattern_key = $1", &keys[..1])?;
    tx.execute_deferred("DELETE FROM patterns WHERE key = $1", &keys[..1])
}

fn record_signature(tx: &mut Tx<'_>, signature: &str, key: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_signatures (signature, pattern_key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    tx.execute_deferred(SQL, &[signature.into(), key.into()])
}
