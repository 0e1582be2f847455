//! Solutions and what came of trying them, for both memories. A reported fix is a solution of its pattern
//! plus an outcome with run and case.
//! Does not: rank for the debug memory.

use crate::{
    database::Tx,
    error::StoreError,
    patterns::{Pattern, PatternKey},
};

/// A fix to record.
#[derive(Clone, Copy, Debug)]
pub struct NewFix<'a> {
    /// `fix-…`.
    pub id: &'a str,
    /// `sol-…`, used where these steps are not known yet.
    pub solution_id: &'a str,
    /// The pattern that learns the steps.
    pub learner: PatternKey,
    /// The pattern it counts on; another one where a built-in matched and a learned pattern was started.
    pub counted_on: PatternKey,
    /// Run of the failure.
    pub run_id: &'a str,
    /// Case of the failure.
    pub case_name: &'a str,
    /// What was changed; redacted.
    pub steps: &'a str,
    /// The same for equal steps, whatever their case and spacing.
    pub digest: &'a str,
    /// It resolved the failure.
    pub worked: bool,
    /// UTC milliseconds.
    pub now: i64,
}

/// One reported fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// `fix-…`.
    pub id: String,
    /// Run of the failure.
    pub run_id: String,
    /// Case of the failure.
    pub case_name: String,
    /// What was changed.
    pub steps: String,
    /// It resolved the failure.
    pub worked: bool,
    /// UTC milliseconds.
    pub created_at: i64,
}

/// A reported fix says nothing of its environment.
const NO_BUCKET: &str = "";

/// Records a fix: its steps once, its outcome, the sums, and the learner's best solution.
pub async fn record_fix(tx: &mut impl Tx, fix: &NewFix<'_>) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO outcomes (id, solution_key, pattern_key, started_pattern, worked, run_id, case_name, \
                       env_bucket, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let solution = learn(tx, fix).await?;
    let started = (fix.learner != fix.counted_on).then_some(fix.learner);
    let params = [
        fix.id.into(),
        solution.into(),
        fix.counted_on.into(),
        started.into(),
        fix.worked.into(),
        fix.run_id.into(),
        fix.case_name.into(),
        NO_BUCKET.into(),
        fix.now.into(),
    ];
    tx.execute(SQL, &params).await?;
    sum(tx, solution, fix).await?;
    choose_best(tx, fix.learner).await
}

/// The history of a pattern, newest first: what counted on it, and the outcome that started it.
pub async fn history(tx: &mut impl Tx, pattern: &Pattern, limit: u32) -> Result<Vec<Fix>, StoreError> {
    const COUNTED: &str = "SELECT o.id, o.run_id, o.case_name, s.steps, o.worked, o.created_at, o.key FROM outcomes o \
                           JOIN solutions s ON s.key = o.solution_key \
                           WHERE o.pattern_key = $1 AND o.run_id IS NOT NULL ORDER BY o.key DESC LIMIT $2";
    const STARTED: &str = "SELECT o.id, o.run_id, o.case_name, s.steps, o.worked, o.created_at, o.key FROM outcomes o \
                           JOIN solutions s ON s.key = o.solution_key \
                           WHERE o.started_pattern = $1 ORDER BY o.key DESC LIMIT $2";
    let params = [pattern.key.into(), limit.into()];
    let mut rows = tx.query(COUNTED, &params).await?;
    rows.extend(tx.query(STARTED, &params).await?);
    let mut fixes = Vec::with_capacity(rows.len());
    for mut row in rows {
        let fix = Fix {
            id: row.read()?,
            run_id: row.read()?,
            case_name: row.read()?,
            steps: row.read()?,
            worked: row.read()?,
            created_at: row.read()?,
        };
        fixes.push((row.read::<i64>()?, fix));
    }
    fixes.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    fixes.truncate(limit as usize);
    Ok(fixes.into_iter().map(|(_, fix)| fix).collect())
}

/// A success was already reported for this failure of this run.
pub async fn is_resolved(tx: &mut impl Tx, run_id: &str, case_name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM outcomes WHERE run_id = $1 AND case_name = $2 AND worked = 1 LIMIT 1";
    Ok(tx.query_first(SQL, &[run_id.into(), case_name.into()]).await?.is_some())
}

async fn learn(tx: &mut impl Tx, fix: &NewFix<'_>) -> Result<i64, StoreError> {
    const KNOWN: &str = "SELECT key FROM solutions WHERE pattern_key = $1 AND digest = $2 AND env_bucket = $3 LIMIT 1";
    const SQL: &str = "INSERT INTO solutions (id, pattern_key, steps, digest, env_bucket, created_at) \
                       VALUES ($1, $2, $3, $4, $5, $6) RETURNING key";
    let known = [fix.learner.into(), fix.digest.into(), NO_BUCKET.into()];
    if let Some(mut row) = tx.query_first(KNOWN, &known).await? {
        return row.read();
    }
    let params = [
        fix.solution_id.into(),
        fix.learner.into(),
        fix.steps.into(),
        fix.digest.into(),
        NO_BUCKET.into(),
        fix.now.into(),
    ];
    let row = tx.query_first(SQL, &params).await?;
    row.ok_or_else(|| StoreError::corrupt("an inserted solution gave no key"))?.read()
}

async fn sum(tx: &mut impl Tx, solution: i64, fix: &NewFix<'_>) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO solution_env_stats \
                       (solution_key, env_bucket, worked, failed, last_confirmed_at, last_failed_at) \
                       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (solution_key, env_bucket) DO UPDATE SET \
                       worked = solution_env_stats.worked + excluded.worked, \
                       failed = solution_env_stats.failed + excluded.failed, \
                       last_confirmed_at = COALESCE(excluded.last_confirmed_at, solution_env_stats.last_confirmed_at), \
                       last_failed_at = COALESCE(excluded.last_failed_at, solution_env_stats.last_failed_at)";
    let (confirmed, failed) = if fix.worked { (Some(fix.now), None) } else { (None, Some(fix.now)) };
    let params =
        [solution.into(), NO_BUCKET.into(), fix.worked.into(), (!fix.worked).into(), confirmed.into(), failed.into()];
    tx.execute(SQL, &params).await.map(drop)
}

/// The best solution worked at least once; successes against failures (Laplace), then the later success.
pub(crate) async fn choose_best(tx: &mut impl Tx, pattern: PatternKey) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET best_solution = (SELECT s.key FROM solutions s \
                       JOIN solution_env_stats e ON e.solution_key = s.key WHERE s.pattern_key = $1 \
                       GROUP BY s.key HAVING SUM(e.worked) > 0 \
                       ORDER BY (SUM(e.worked) + 1.0) / (SUM(e.worked) + SUM(e.failed) + 2.0) DESC, \
                       MAX(e.last_confirmed_at) DESC, s.key DESC LIMIT 1) WHERE key = $1 AND source = 'learned'";
    tx.execute(SQL, &[pattern.into()]).await.map(drop)
}
