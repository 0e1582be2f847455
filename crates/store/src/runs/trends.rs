//! Aggregates over the newest runs. Each function uses one statement, so that the number of round trips does not depend
//! on the number of runs and cases.

use super::RunKey;
use crate::{
    database::{Row, Tx},
    error::StoreError,
};

/// Duration of a case that passed in the first attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct PassDuration {
    /// The run.
    pub run: RunKey,
    /// Qualified name.
    pub name: String,
    /// Milliseconds.
    pub ms: f64,
}

/// Returns the durations of cases that passed in the first attempt, in the newest `runs` runs. Cases that never took
/// `least_ms` milliseconds are left out by the query, because most tests of most projects are that fast.
pub fn list_pass_durations(tx: &mut Tx<'_>, runs: u32, least_ms: f64) -> Result<Vec<PassDuration>, StoreError> {
    const SQL: &str = "WITH newest AS (SELECT key FROM runs WHERE is_foreign = 0 \
                       ORDER BY started_at DESC, key DESC LIMIT $1) SELECT c.run_key, c.name, c.duration_ms FROM cases c \
                       WHERE c.run_key IN (SELECT key FROM newest) AND c.rank = 2 AND c.status = 'passed' \
                       AND c.duration_ms IS NOT NULL AND c.name IN (SELECT s.name FROM cases s \
                       WHERE s.run_key IN (SELECT key FROM newest) AND s.rank = 2 AND s.status = 'passed' \
                       AND s.duration_ms >= $2)";
    let rows = tx.query(SQL, &[runs.into(), least_ms.into()])?;
    let read = |mut row: Row| Ok(PassDuration { run: RunKey(row.read()?), name: row.read()?, ms: row.read()? });
    rows.into_iter().map(read).collect()
}

/// Returns for the newest `failed_runs` runs with failures the number of failures with the verdict `flaky`. Runs
/// without such failures are left out.
pub fn count_flaky_failures(tx: &mut Tx<'_>, failed_runs: u32) -> Result<Vec<(RunKey, u32)>, StoreError> {
    // Quotes inside a JSON string are escaped, so this text can only match the verdict itself.
    const SQL: &str = "SELECT f.run_key, COUNT(*) FROM failures f WHERE f.run_key IN (SELECT key FROM runs \
                       WHERE failed > 0 ORDER BY started_at DESC, key DESC LIMIT $1) \
                       AND f.verdict LIKE '%\"verdict\":{\"kind\":\"flaky\",%' GROUP BY f.run_key";
    let rows = tx.query(SQL, &[failed_runs.into()])?;
    rows.into_iter().map(|mut row| Ok((RunKey(row.read()?), row.read()?))).collect()
}

/// Returns for each name the id and start of the last recorded run in which the case failed.
pub fn find_last_failures(tx: &mut Tx<'_>, names: &[&str]) -> Result<Vec<Option<(String, i64)>>, StoreError> {
    const SQL: &str = "SELECT r.id, r.started_at FROM cases c JOIN runs r ON r.key = c.run_key \
                       WHERE c.name = $1 AND c.status = 'failed' AND r.is_foreign = 0 \
                       ORDER BY c.run_key DESC LIMIT 1";
    let params: Vec<_> = names.iter().map(|name| [(*name).into()]).collect();
    let answers = tx.query_many(SQL, &params)?;
    let first = |rows: Vec<Row>| rows.into_iter().next().map(|mut row| Ok((row.read()?, row.read()?))).transpose();
    answers.into_iter().map(first).collect()
}
