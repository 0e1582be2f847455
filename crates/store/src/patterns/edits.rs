//! Edits of a person: values that replace learned values, and fixes that are marked wrong. Merging is in `merging`.
//! Learning never overwrites the values that are set here.

use super::{
    Pattern, PatternKey, daily_counts, filter_text,
    listing_updates::{add_to_listing, remove_from_listing, update_search_index},
};
use crate::{
    database::Tx,
    error::StoreError,
    search::DocumentOwner,
    solutions::{self, NewSolution, Solution, SolutionKey},
};
use argus_core::Category;

/// New values of a pattern. `None` means the learned value.
#[derive(Clone, Copy, Debug)]
pub struct PatternEdit<'a> {
    /// Category.
    pub category: Option<Category>,
    /// A single line, redacted.
    pub description: Option<&'a str>,
    /// Change of the suggested fix.
    pub fix: FixEdit<'a>,
}

/// Change of a pattern's suggested fix.
#[derive(Clone, Copy, Debug)]
pub enum FixEdit<'a> {
    /// No change.
    Keep,
    /// Back to the best learned solution.
    UseLearned,
    /// New steps from a person, redacted.
    Write(NewSolution<'a>),
}

/// Sets values on a pattern that is not merged into another.
pub fn edit_pattern(tx: &mut Tx<'_>, pattern: &Pattern, edit: &PatternEdit<'_>, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET person_category = $2, person_description = $3, person_solution = $4, \
                       edited_at = $5, updated_at = $5 WHERE key = $1";
    let before = &pattern.overrides;
    let solution = match &edit.fix {
        FixEdit::Keep => before.solution,
        FixEdit::UseLearned => None,
        FixEdit::Write(fix) => Some(find_or_add_solution(tx, fix, now)?),
    };
    // Comes after `find_or_add_solution`, because `find_or_add_solution` may write the pattern's filter text, which is
    // removed here.
    remove_from_listing(tx, pattern)?;
    let category = edit.category.map(Category::as_str);
    let params = [pattern.key.into(), category.into(), edit.description.into(), solution.into(), now.into()];
    tx.execute_deferred(SQL, &params)?;
    if let Some(old) = before.solution.filter(|old| Some(*old) != solution) {
        delete_if_untried(tx, old)?;
    }
    add_to_listing(tx, pattern.key)?;
    update_search_index(tx, pattern.key)
}

/// Marks a solution as wrong or right, together with all solutions of the same problem that have the same steps. Wrong
/// solutions are not suggested, and their successes do not count.
pub fn set_wrong_mark(tx: &mut Tx<'_>, solution: &Solution, wrong: bool, now: i64) -> Result<(), StoreError> {
    const OF_INCIDENT: &str = "UPDATE solutions SET wrong_at = $3 WHERE incident_key = $1 \
                               AND digest = (SELECT digest FROM solutions WHERE key = $2)";
    const OF_PATTERN: &str = "UPDATE solutions SET wrong_at = $3 WHERE pattern_key = $1 \
                              AND digest = (SELECT digest FROM solutions WHERE key = $2)";
    let wrong_at = wrong.then_some(now);
    let key = match solution.owner {
        DocumentOwner::Incident(key) => {
            return tx.execute_deferred(OF_INCIDENT, &[key.into(), solution.key.into(), wrong_at.into()]);
        }
        DocumentOwner::Pattern(key) => key,
    };
    let counting = find_counting_patterns(tx, key, solution.key)?;
    let mut before = Vec::with_capacity(counting.len());
    for pattern in &counting {
        before.push(count_successes(tx, *pattern)?);
    }
    tx.execute_deferred(OF_PATTERN, &[key.into(), solution.key.into(), wrong_at.into()])?;
    for (pattern, before) in counting.into_iter().zip(before) {
        let change = count_successes(tx, pattern)? - before;
        adjust_resolutions(tx, pattern, change, now)?;
    }
    if wrong {
        unset_wrong_solution(tx, key)?;
    }
    solutions::update_best_solution(tx, key)
}

/// Returns the solution to which an outcome belongs.
pub fn find_solution_of_outcome(tx: &mut Tx<'_>, outcome_id: &str) -> Result<Option<Solution>, StoreError> {
    const SQL: &str = "SELECT s.id FROM outcomes o JOIN solutions s ON s.key = o.solution_key WHERE o.id = $1";
    match tx.query_first(SQL, &[outcome_id.into()])? {
        Some(mut row) => solutions::find_by_id(tx, &row.read::<String>()?),
        None => Ok(None),
    }
}

/// Marks steps as wrong in both patterns of a merge if they are wrong in either of them.
pub(crate) fn mark_wrong_in_merged(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE solutions SET wrong_at = (SELECT MAX(w.wrong_at) FROM solutions w \
                       WHERE w.pattern_key = $1 AND w.digest = solutions.digest) \
                       WHERE pattern_key = $1 AND wrong_at IS NULL \
                       AND digest IN (SELECT w.digest FROM solutions w \
                       WHERE w.pattern_key = $1 AND w.wrong_at IS NOT NULL)";
    const KEPT: &str = "UPDATE patterns SET resolutions = CASE WHEN resolutions > $2 THEN resolutions - $2 ELSE 0 END \
                        WHERE key = $1";
    let before = count_successes(tx, key)?;
    if tx.execute(SQL, &[key.into()])? == 0 {
        return Ok(());
    }
    let lost = before - count_successes(tx, key)?;
    tx.execute_deferred(KEPT, &[key.into(), lost.into()])?;
    unset_wrong_solution(tx, key)
}

/// Stores the solution of a person, or finds the solution that already has these steps. A solution that a person sets
/// is no longer wrong.
fn find_or_add_solution(tx: &mut Tx<'_>, fix: &NewSolution<'_>, now: i64) -> Result<SolutionKey, StoreError> {
    let (solution, created) = solutions::add(tx, fix)?;
    if created {
        tx.execute_deferred("UPDATE solutions SET by_person = 1 WHERE key = $1", &[solution.key.into()])?;
    }
    if solution.is_wrong {
        set_wrong_mark(tx, &solution, false, now)?;
    }
    Ok(solution.key)
}

fn delete_if_untried(tx: &mut Tx<'_>, key: SolutionKey) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM solutions WHERE key = $1 AND by_person = 1 \
                       AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.solution_key = $1)";
    tx.execute_deferred(SQL, &[key.into()])
}

/// Returns the patterns whose counts depend on outcomes of these steps.
fn find_counting_patterns(
    tx: &mut Tx<'_>,
    owner: PatternKey,
    solution: SolutionKey,
) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "SELECT o.pattern_key, o.started_pattern FROM outcomes o \
                       JOIN solutions s ON s.key = o.solution_key WHERE s.pattern_key = $1 \
                       AND s.digest = (SELECT digest FROM solutions WHERE key = $2) AND o.worked = 1";
    let mut keys = Vec::new();
    for mut row in tx.query(SQL, &[owner.into(), solution.into()])? {
        keys.extend(row.read::<Option<i64>>()?);
        keys.extend(row.read::<Option<i64>>()?);
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(keys.into_iter().map(PatternKey).collect())
}

/// Returns the number of failures for which a success was reported, without fixes that are marked wrong. A failure with
/// several reports counts once.
fn count_successes(tx: &mut Tx<'_>, key: PatternKey) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FROM (\
                       SELECT COALESCE(o.run_id, o.id), o.case_name FROM outcomes o \
                       JOIN solutions s ON s.key = o.solution_key \
                       WHERE o.pattern_key = $1 AND o.worked = 1 AND s.wrong_at IS NULL UNION \
                       SELECT COALESCE(o.run_id, o.id), o.case_name FROM outcomes o \
                       JOIN solutions s ON s.key = o.solution_key \
                       WHERE o.started_pattern = $1 AND o.worked = 1 AND s.wrong_at IS NULL) AS solved";
    tx.query_first(SQL, &[key.into()])?.map_or(Ok(0), |mut row| row.read())
}

/// Adds `change` to `resolutions`. Raises `occurrences` only if it would be lower than `resolutions`.
fn adjust_resolutions(tx: &mut Tx<'_>, key: PatternKey, change: i64, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET \
                       resolutions = CASE WHEN resolutions + $2 < 0 THEN 0 ELSE resolutions + $2 END, \
                       occurrences = CASE WHEN occurrences < resolutions + $2 THEN resolutions + $2 \
                       ELSE occurrences END, updated_at = $3 WHERE key = $1";
    if change == 0 {
        return Ok(());
    }
    tx.execute_deferred(SQL, &[key.into(), change.into(), now.into()])?;
    daily_counts::store_current_counts(tx, key, now)
}

/// Removes the person's solution if it is marked wrong, because a wrong solution must not be suggested.
fn unset_wrong_solution(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET person_solution = NULL WHERE key = $1 \
                       AND person_solution IN (SELECT key FROM solutions WHERE pattern_key = $1 \
                       AND wrong_at IS NOT NULL)";
    if tx.execute(SQL, &[key.into()])? > 0 {
        filter_text::write(tx, key)?;
    }
    Ok(())
}
