//! Recorded runs. Their cases are in `cases`; `retention` deletes old runs.

pub mod case_history;
pub mod cases;
pub mod claims;
pub mod commits;
pub mod retention;
pub mod test_results;
pub mod trends;

use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
};

/// A recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// `run-…`.
    pub id: String,
    /// UTC milliseconds.
    pub started_at: i64,
    /// Wall-clock time in milliseconds.
    pub duration_ms: f64,
    /// True if a case or the command failed.
    pub has_failed: bool,
    /// Number of passed cases, including flaky cases.
    pub passed: u32,
    /// Number of failed cases.
    pub failed: u32,
    /// Number of skipped cases.
    pub skipped: u32,
    /// Number of flaky cases.
    pub flaky: u32,
    /// Command line, redacted.
    pub command: Option<String>,
    /// Name of the test runner.
    pub runner: Option<String>,
    /// Exit code of the command.
    pub exit_code: Option<i32>,
    /// Signal that ended the command.
    pub signal: Option<String>,
    /// True if the command was stopped by its time limit.
    pub timed_out: bool,
    /// Full commit hash.
    pub git_commit: Option<String>,
    /// Branch.
    pub git_branch: Option<String>,
    /// True if there were uncommitted changes.
    pub git_dirty: Option<bool>,
    /// True if the run comes from another copy of the project, for example a fork. It is stored but is not evidence
    /// about this project.
    pub is_foreign: bool,
    /// JSON that describes the shuffling of the tests.
    pub shuffle: Option<String>,
}

/// Row key of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunKey(pub(crate) i64);

/// Selects the runs to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunFilter {
    /// `Some(true)` for failed runs only, `Some(false)` for passed runs only.
    pub has_failed: Option<bool>,
    /// Earliest start, UTC milliseconds.
    pub since: Option<i64>,
}

macro_rules! columns {
    () => {
        "id, started_at, duration_ms, status, passed, failed, skipped, flaky, command, runner, exit_code, signal, \
         timed_out, git_commit, git_branch, git_dirty, is_foreign, shuffle"
    };
}
use columns;

/// Inserts a run.
pub fn insert(tx: &mut Tx<'_>, run: &Run) -> Result<RunKey, StoreError> {
    const SQL: &str = concat!(
        "INSERT INTO runs (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING key"
    );
    let params: [Value<'_>; 18] = [
        (&run.id).into(),
        run.started_at.into(),
        run.duration_ms.into(),
        status_text(run.has_failed).into(),
        run.passed.into(),
        run.failed.into(),
        run.skipped.into(),
        run.flaky.into(),
        (&run.command).into(),
        (&run.runner).into(),
        run.exit_code.into(),
        (&run.signal).into(),
        run.timed_out.into(),
        (&run.git_commit).into(),
        (&run.git_branch).into(),
        run.git_dirty.into(),
        run.is_foreign.into(),
        (&run.shuffle).into(),
    ];
    let row = tx.query_first(SQL, &params)?;
    row.ok_or_else(|| StoreError::corrupt("an inserted run gave no key"))?.read().map(RunKey)
}

/// Returns the run with this id.
pub fn find_by_id(tx: &mut Tx<'_>, id: &str) -> Result<Option<(RunKey, Run)>, StoreError> {
    const SQL: &str = concat!("SELECT key, ", columns!(), " FROM runs WHERE id = $1");
    let Some(mut row) = tx.query_first(SQL, &[id.into()])? else { return Ok(None) };
    Ok(Some((RunKey(row.read()?), read_run(&mut row)?)))
}

/// Returns the id of the run with this key.
pub fn find_id(tx: &mut Tx<'_>, key: RunKey) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT id FROM runs WHERE key = $1", &[key.0.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Returns a page of runs, newest first.
pub fn list(tx: &mut Tx<'_>, filter: RunFilter, limit: u32, offset: u32) -> Result<Vec<Run>, StoreError> {
    const ALL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM runs WHERE started_at >= $1 ORDER BY started_at DESC, key DESC LIMIT $2 OFFSET $3"
    );
    const OF_STATUS: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM runs WHERE status = $4 AND started_at >= $1 ORDER BY started_at DESC, key DESC LIMIT $2 OFFSET $3"
    );
    let page = [since_param(filter), limit.into(), offset.into()];
    let rows = match filter.has_failed {
        None => tx.query(ALL, &page)?,
        Some(failed) => tx.query(OF_STATUS, &[page[0], page[1], page[2], status_text(failed).into()])?,
    };
    rows.into_iter().map(|mut row| read_run(&mut row)).collect()
}

/// Returns the newest runs with their keys.
pub fn list_newest(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<(RunKey, Run)>, StoreError> {
    const SQL: &str = concat!("SELECT key, ", columns!(), " FROM runs ORDER BY started_at DESC, key DESC LIMIT $1");
    let rows = tx.query(SQL, &[limit.into()])?;
    rows.into_iter().map(|mut row| Ok((RunKey(row.read()?), read_run(&mut row)?))).collect()
}

/// Returns the run at this position, where the newest run has position 1.
pub fn find_nth_newest(tx: &mut Tx<'_>, place: u32) -> Result<Option<(RunKey, Run)>, StoreError> {
    const SQL: &str =
        concat!("SELECT key, ", columns!(), " FROM runs ORDER BY started_at DESC, key DESC LIMIT 1 OFFSET $1");
    let Some(before) = place.checked_sub(1) else { return Ok(None) };
    let Some(mut row) = tx.query_first(SQL, &[before.into()])? else { return Ok(None) };
    Ok(Some((RunKey(row.read()?), read_run(&mut row)?)))
}

/// Returns the newest run that is not foreign.
pub fn find_newest_non_foreign(tx: &mut Tx<'_>) -> Result<Option<(RunKey, Run)>, StoreError> {
    const SQL: &str = concat!(
        "SELECT key, ",
        columns!(),
        " FROM runs WHERE is_foreign = 0 ORDER BY started_at DESC, key DESC LIMIT 1"
    );
    let Some(mut row) = tx.query_first(SQL, &[])? else { return Ok(None) };
    Ok(Some((RunKey(row.read()?), read_run(&mut row)?)))
}

/// Returns the ids of the run before and the run after the run with this key.
pub fn find_neighbor_ids(
    tx: &mut Tx<'_>,
    key: RunKey,
    started_at: i64,
) -> Result<(Option<String>, Option<String>), StoreError> {
    const BEFORE: &str = "SELECT id FROM runs WHERE (started_at, key) < ($1, $2) \
                          ORDER BY started_at DESC, key DESC LIMIT 1";
    const AFTER: &str = "SELECT id FROM runs WHERE (started_at, key) > ($1, $2) ORDER BY started_at, key LIMIT 1";
    let params = [started_at.into(), key.0.into()];
    let mut read = |sql| tx.query_first(sql, &params)?.map(|mut row| row.read()).transpose();
    Ok((read(BEFORE)?, read(AFTER)?))
}

/// Returns the number of runs that match the filter.
pub fn count(tx: &mut Tx<'_>, filter: RunFilter) -> Result<u32, StoreError> {
    const ALL: &str = "SELECT COUNT(*) FROM runs WHERE started_at >= $1";
    const OF_STATUS: &str = "SELECT COUNT(*) FROM runs WHERE status = $2 AND started_at >= $1";
    let row = match filter.has_failed {
        None => tx.query_first(ALL, &[since_param(filter)])?,
        Some(failed) => tx.query_first(OF_STATUS, &[since_param(filter), status_text(failed).into()])?,
    };
    row.map_or(Ok(0), |mut row| row.read())
}

/// Returns the ids of the newest runs.
pub fn list_newest_ids(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT id FROM runs ORDER BY started_at DESC, key DESC LIMIT $1";
    tx.query(SQL, &[limit.into()])?.into_iter().map(|mut row| row.read()).collect()
}

/// Returns ids that start with `prefix`, newest first.
pub fn list_ids_with_prefix(tx: &mut Tx<'_>, prefix: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT id FROM runs WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let after = format!("{prefix}\u{10ffff}");
    let rows = tx.query(SQL, &[prefix.into(), (&after).into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

fn read_run(row: &mut Row) -> Result<Run, StoreError> {
    Ok(Run {
        id: row.read()?,
        started_at: row.read()?,
        duration_ms: row.read()?,
        has_failed: row.read::<String>()? == "failed",
        passed: row.read()?,
        failed: row.read()?,
        skipped: row.read()?,
        flaky: row.read()?,
        command: row.read()?,
        runner: row.read()?,
        exit_code: row.read()?,
        signal: row.read()?,
        timed_out: row.read()?,
        git_commit: row.read()?,
        git_branch: row.read()?,
        git_dirty: row.read()?,
        is_foreign: row.read()?,
        shuffle: row.read()?,
    })
}

fn since_param(filter: RunFilter) -> Value<'static> {
    filter.since.unwrap_or(i64::MIN).into()
}

const fn status_text(has_failed: bool) -> &'static str {
    if has_failed { "failed" } else { "passed" }
}
