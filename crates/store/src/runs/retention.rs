//! Deletes old runs with their cases, a bounded number at a time.
//! Patterns, solutions and outcomes stay.

use super::RunKey;
use crate::{database::Tx, error::StoreError};

/// What may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Runs older than this go.
    pub age: Option<MaxAge>,
    /// Only this many newest runs stay.
    pub newest: Option<u32>,
}

/// A limit by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxAge {
    /// Milliseconds.
    pub max_ms: i64,
    /// What the clock says, which may be wrong.
    pub now: i64,
    /// So many of the newest runs stay, however old they are.
    pub min_runs: u32,
}

/// Age is measured against the middle of so many newest runs instead of a clock: a clock that is wrong for fewer than
/// half of them moves nothing. Where fewer are kept, fewer speak, down to one wrong clock in three runs.
const WITNESS_RUNS: u32 = 5;

/// In one transaction at most so many runs are deleted, and no further one after so many cases, so that a limit
/// set late does not make one call wait; the next recorded run goes on.
const MAX_RUNS_AT_ONCE: u32 = 50;
const MAX_CASES_AT_ONCE: i64 = 200_000;

/// Deletes what is over the limits, in the order of recording; never the run recorded last.
pub fn apply(tx: &mut Tx<'_>, keep: RetentionLimits) -> Result<u32, StoreError> {
    let mut deleted = 0;
    let mut cases = 0;
    for (run, size) in expired_runs(tx, keep)? {
        if deleted > 0 && cases + size > MAX_CASES_AT_ONCE {
            break;
        }
        delete(tx, run)?;
        deleted += 1;
        cases += size;
    }
    Ok(deleted)
}

/// Both limits take the runs recorded first, so the later bound holds for both. The order of recording is the one
/// that no clock changes.
fn expired_runs(tx: &mut Tx<'_>, keep: RetentionLimits) -> Result<Vec<(RunKey, i64)>, StoreError> {
    const BEFORE: &str = "SELECT key, passed + failed + skipped FROM runs WHERE key < $1 ORDER BY key LIMIT $2";
    let too_old = match keep.age {
        Some(age) => first_kept_by_age(tx, age)?,
        None => None,
    };
    let too_many = match keep.newest {
        Some(newest) => nth_newest(tx, newest)?,
        None => None,
    };
    let Some(first_kept) = too_old.max(too_many) else { return Ok(Vec::new()) };
    let rows = tx.query(BEFORE, &[first_kept.0.into(), MAX_RUNS_AT_ONCE.into()])?;
    rows.into_iter().map(|mut row| Ok((RunKey(row.read()?), row.read()?))).collect()
}

/// A run goes once it and all that were recorded before it are too old: one that a wrong clock dated long ago, or far
/// ahead, stays and goes with its neighbours.
fn first_kept_by_age(tx: &mut Tx<'_>, age: MaxAge) -> Result<Option<RunKey>, StoreError> {
    const YOUNG: &str = "SELECT key FROM runs WHERE started_at BETWEEN $1 AND $2 ORDER BY key LIMIT 1";
    let Some(kept_anyway) = nth_newest(tx, age.min_runs)? else { return Ok(None) };
    let Some(today) = witnessed_now(tx)? else { return Ok(None) };
    let span = [today.saturating_sub(age.max_ms).into(), today.max(age.now).into()];
    let Some(mut young) = tx.query_first(YOUNG, &span)? else { return Ok(None) };
    Ok(Some(RunKey(young.read()?).min(kept_anyway)))
}

/// The middle moment of the runs recorded last; of two, the earlier one.
fn witnessed_now(tx: &mut Tx<'_>) -> Result<Option<i64>, StoreError> {
    const SQL: &str = "SELECT started_at FROM runs ORDER BY key DESC LIMIT $1";
    let rows = tx.query(SQL, &[WITNESS_RUNS.into()])?;
    let mut moments = rows.into_iter().map(|mut row| row.read()).collect::<Result<Vec<i64>, StoreError>>()?;
    moments.sort_unstable();
    Ok(moments.get(moments.len().saturating_sub(1) / 2).copied())
}

/// Counted back from the run recorded last; none where there are fewer.
fn nth_newest(tx: &mut Tx<'_>, count: u32) -> Result<Option<RunKey>, StoreError> {
    const SQL: &str = "SELECT key FROM runs ORDER BY key DESC LIMIT 1 OFFSET $1";
    let row = tx.query_first(SQL, &[(count.max(1) - 1).into()])?;
    row.map(|mut row| row.read().map(RunKey)).transpose()
}

fn delete(tx: &mut Tx<'_>, run: RunKey) -> Result<(), StoreError> {
    tx.post("DELETE FROM failures WHERE run_key = $1", &[run.0.into()])?;
    tx.post("DELETE FROM cases WHERE run_key = $1", &[run.0.into()])?;
    tx.post("DELETE FROM runs WHERE key = $1", &[run.0.into()])?;
    Ok(())
}
