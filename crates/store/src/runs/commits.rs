//! Runs relative to a commit: the runs of the commit, the runs before them and the runs after them.

use super::{Run, RunKey, columns, read_run};
use crate::{
    database::{Row, Tx},
    error::StoreError,
};

/// Returns commits of recorded runs that start with `prefix`, ordered by their newest run.
pub fn list_with_prefix(tx: &mut Tx<'_>, prefix: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT git_commit FROM runs WHERE git_commit >= $1 AND git_commit < $2 \
                       AND is_foreign = 0 GROUP BY git_commit ORDER BY MAX(started_at) DESC, git_commit LIMIT $3";
    let after = format!("{prefix}\u{10ffff}");
    let rows = tx.query(SQL, &[prefix.into(), (&after).into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// The first run that represents a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitStart {
    /// The first run of the commit. If the commit ran only with uncommitted changes, the last run before it, if there
    /// is one.
    pub key: RunKey,
    /// Start of that run.
    pub started_at: i64,
    /// True if the commit ran only with uncommitted changes.
    pub has_only_dirty_runs: bool,
}

/// Finds the run that represents the state of a commit. A run with uncommitted changes shows later code, so if the
/// commit has only such runs, the run before them represents it.
pub fn find_commit_start(tx: &mut Tx<'_>, commit: &str) -> Result<Option<CommitStart>, StoreError> {
    const FIRST: &str = "SELECT key, started_at, COALESCE(git_dirty, 0) FROM runs WHERE git_commit = $1 \
                         AND is_foreign = 0 ORDER BY COALESCE(git_dirty, 0), started_at, key LIMIT 1";
    const BEFORE: &str = "SELECT key, started_at FROM runs WHERE (started_at, key) < ($1, $2) \
                          AND is_foreign = 0 ORDER BY started_at DESC, key DESC LIMIT 1";
    let Some(mut row) = tx.query_first(FIRST, &[commit.into()])? else { return Ok(None) };
    let first =
        CommitStart { key: RunKey(row.read()?), started_at: row.read()?, has_only_dirty_runs: row.read::<i64>()? != 0 };
    if !first.has_only_dirty_runs {
        return Ok(Some(first));
    }
    match tx.query_first(BEFORE, &[first.started_at.into(), first.key.0.into()])? {
        Some(mut row) => Ok(Some(CommitStart { key: RunKey(row.read()?), started_at: row.read()?, ..first })),
        None => Ok(Some(first)),
    }
}

/// Returns the runs of a commit and all runs before it, newest first.
pub fn list_until(
    tx: &mut Tx<'_>,
    commit: &str,
    start: CommitStart,
    limit: u32,
) -> Result<Vec<(RunKey, Run)>, StoreError> {
    const SQL: &str = concat!(
        "SELECT key, ",
        columns!(),
        " FROM runs WHERE is_foreign = 0 AND ((started_at, key) <= ($2, $3) \
         OR (git_commit = $1 AND COALESCE(git_dirty, 0) = 0)) \
         ORDER BY started_at DESC, key DESC LIMIT $4"
    );
    let params = [commit.into(), start.started_at.into(), start.key.0.into(), limit.into()];
    tx.query(SQL, &params)?.into_iter().map(read_keyed_run).collect()
}

/// Returns the runs of other code after the first run of a commit, newest first.
pub fn list_after(
    tx: &mut Tx<'_>,
    commit: &str,
    start: CommitStart,
    limit: u32,
) -> Result<Vec<(RunKey, Run)>, StoreError> {
    const SQL: &str = concat!(
        "SELECT key, ",
        columns!(),
        " FROM runs WHERE is_foreign = 0 AND (started_at, key) > ($2, $3) \
         AND (git_commit IS NULL OR git_commit <> $1 OR COALESCE(git_dirty, 0) <> 0) \
         ORDER BY started_at DESC, key DESC LIMIT $4"
    );
    let params = [commit.into(), start.started_at.into(), start.key.0.into(), limit.into()];
    tx.query(SQL, &params)?.into_iter().map(read_keyed_run).collect()
}

fn read_keyed_run(mut row: Row) -> Result<(RunKey, Run), StoreError> {
    Ok((RunKey(row.read()?), read_run(&mut row)?))
}
