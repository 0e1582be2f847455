//! Deletes old runs with their cases, a limited number at a time. Patterns, solutions and outcomes stay.

use super::RunKey;
use crate::{database::Tx, error::StoreError};

/// Limits for the runs to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Maximum age.
    pub age: Option<MaxAge>,
    /// Maximum number of runs. The newest stay.
    pub max_runs: Option<u32>,
}

/// A maximum age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxAge {
    /// Milliseconds.
    pub max_ms: i64,
    /// Current time by the clock, which may be wrong.
    pub now: i64,
    /// Number of newest runs that stay regardless of their age.
    pub min_runs: u32,
}

/// Age is measured against the median start of the newest runs instead of the clock, so that a wrong clock in fewer
/// than half of these runs has no effect. If fewer runs are kept, fewer are used; with three runs, one wrong clock is
/// harmless.
const MAX_CLOCK_CHECK_RUNS: u32 = 5;

/// Limits of one transaction: the number of runs, and the number of cases after which no further run is deleted. They
/// keep the call short when a new retention limit applies to a large database. The next recorded run deletes more runs.
const MAX_DELETED_RUNS: u32 = 50;
const MAX_DELETED_CASES: i64 = 200_000;

/// Deletes runs above the limits in the order of recording and returns their number. The newest run is never deleted.
pub fn delete_expired_runs(tx: &mut Tx<'_>, keep: RetentionLimits) -> Result<u32, StoreError> {
    let mut deleted = 0;
    let mut cases = 0;
    for (run, size) in list_expired_runs(tx, keep)? {
        if deleted > 0 && cases + size > MAX_DELETED_CASES {
            break;
        }
        delete_run(tx, run)?;
        deleted += 1;
        cases += size;
    }
    Ok(deleted)
}

/// Returns runs to delete, with their number of cases. Both limits delete the runs that were recorded first, so the
/// later of the two bounds is used. The order of recording is used because no clock can change it.
fn list_expired_runs(tx: &mut Tx<'_>, keep: RetentionLimits) -> Result<Vec<(RunKey, i64)>, StoreError> {
    const BEFORE: &str = "SELECT key, passed + failed + skipped FROM runs WHERE key < $1 ORDER BY key LIMIT $2";
    let too_old = match keep.age {
        Some(age) => find_first_kept_by_age(tx, age)?,
        None => None,
    };
    let too_many = match keep.max_runs {
        Some(newest) => find_nth_newest(tx, newest)?,
        None => None,
    };
    let Some(first_kept) = too_old.max(too_many) else { return Ok(Vec::new()) };
    let rows = tx.query(BEFORE, &[first_kept.0.into(), MAX_DELETED_RUNS.into()])?;
    rows.into_iter().map(|mut row| Ok((RunKey(row.read()?), row.read()?))).collect()
}

/// Returns the oldest run that is young enough. A run is deleted only together with all earlier runs, so a run with a
/// wrong date far in the past or future stays as long as its neighbors.
fn find_first_kept_by_age(tx: &mut Tx<'_>, age: MaxAge) -> Result<Option<RunKey>, StoreError> {
    const YOUNG: &str = "SELECT key FROM runs WHERE started_at BETWEEN $1 AND $2 ORDER BY key LIMIT 1";
    let Some(kept_anyway) = find_nth_newest(tx, age.min_runs)? else { return Ok(None) };
    let Some(today) = find_median_newest_start(tx)? else { return Ok(None) };
    let span = [today.saturating_sub(age.max_ms).into(), today.max(age.now).into()];
    let Some(mut young) = tx.query_first(YOUNG, &span)? else { return Ok(None) };
    Ok(Some(RunKey(young.read()?).min(kept_anyway)))
}

/// Returns the median start of the newest runs. If there are two middle values, the earlier is used.
fn find_median_newest_start(tx: &mut Tx<'_>) -> Result<Option<i64>, StoreError> {
    const SQL: &str = "SELECT started_at FROM runs ORDER BY key DESC LIMIT $1";
    let rows = tx.query(SQL, &[MAX_CLOCK_CHECK_RUNS.into()])?;
    let mut moments = rows.into_iter().map(|mut row| row.read()).collect::<Result<Vec<i64>, StoreError>>()?;
    moments.sort_unstable();
    Ok(moments.get(moments.len().saturating_sub(1) / 2).copied())
}

/// Returns the `count`-th newest run, or `None` if there are fewer runs.
fn find_nth_newest(tx: &mut Tx<'_>, count: u32) -> Result<Option<RunKey>, StoreError> {
    const SQL: &str = "SELECT key FROM runs ORDER BY key DESC LIMIT 1 OFFSET $1";
    let row = tx.query_first(SQL, &[(count.max(1) - 1).into()])?;
    row.map(|mut row| row.read().map(RunKey)).transpose()
}

fn delete_run(tx: &mut Tx<'_>, run: RunKey) -> Result<(), StoreError> {
    tx.execute_deferred("DELETE FROM failures WHERE run_key = $1", &[run.0.into()])?;
    tx.execute_deferred("DELETE FROM cases WHERE run_key = $1", &[run.0.into()])?;
    tx.execute_deferred("DELETE FROM runs WHERE key = $1", &[run.0.into()])?;
    Ok(())
}
