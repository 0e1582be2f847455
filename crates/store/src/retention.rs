//! Deletes old runs with their cases, a bounded number at a time.
//! Does not: touch patterns, solutions or outcomes.

use crate::{
    database::Tx,
    error::StoreError,
    runs::{self, RunFilter, RunKey},
};

/// What may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Runs that started before this moment go.
    pub since: Option<i64>,
    /// Only this many newest runs stay.
    pub newest: Option<u32>,
}

/// In one transaction at most so many runs are deleted, and no further one after so many cases, so that a limit
/// set late does not make one call wait; the next recorded run goes on.
const RUNS_AT_ONCE: u32 = 50;
const CASES_AT_ONCE: i64 = 200_000;

/// Deletes what is over the limits, oldest first; never `recorded`, the run this transaction adds.
pub async fn apply(tx: &mut impl Tx, keep: Keep, recorded: RunKey) -> Result<u32, StoreError> {
    let mut deleted = 0;
    let mut cases = 0;
    for (run, size) in surplus(tx, keep, recorded).await? {
        if deleted > 0 && cases + size > CASES_AT_ONCE {
            break;
        }
        delete(tx, run).await?;
        deleted += 1;
        cases += size;
    }
    Ok(deleted)
}

/// Both limits take the oldest runs, so the longer list holds the other.
async fn surplus(tx: &mut impl Tx, keep: Keep, recorded: RunKey) -> Result<Vec<(RunKey, i64)>, StoreError> {
    const TOO_OLD: &str = "SELECT key, passed + failed + skipped FROM runs WHERE key <> $1 AND started_at < $2 \
                           ORDER BY started_at, key LIMIT $3";
    const TOO_MANY: &str = "SELECT key, passed + failed + skipped FROM runs WHERE key <> $1 \
                            ORDER BY started_at, key LIMIT $2";
    let mut rows = Vec::new();
    if let Some(since) = keep.since {
        rows = tx.query(TOO_OLD, &[recorded.0.into(), since.into(), RUNS_AT_ONCE.into()]).await?;
    }
    if let Some(newest) = keep.newest {
        let total = runs::count(tx, RunFilter::default()).await?;
        let over = total.saturating_sub(newest.max(1)).min(RUNS_AT_ONCE);
        if over as usize > rows.len() {
            rows = tx.query(TOO_MANY, &[recorded.0.into(), over.into()]).await?;
        }
    }
    rows.into_iter().map(|mut row| Ok((RunKey(row.read()?), row.read()?))).collect()
}

async fn delete(tx: &mut impl Tx, run: RunKey) -> Result<(), StoreError> {
    tx.execute("DELETE FROM failures WHERE run_key = $1", &[run.0.into()]).await?;
    tx.execute("DELETE FROM cases WHERE run_key = $1", &[run.0.into()]).await?;
    tx.execute("DELETE FROM runs WHERE key = $1", &[run.0.into()]).await?;
    Ok(())
}
