//! Reported fixes of failures. A fix is stored as a solution of its pattern plus an outcome with run and case.

use super::{
    NewSolution, insert_all, not_inserted_error,
    outcomes::{self, Recorder, StoredRecorder},
    update_best_solution,
};
use crate::{
    database::Tx,
    error::StoreError,
    keys::SolutionKey,
    patterns::{Pattern, PatternKey},
    search::DocumentOwner,
};

/// A fix to insert.
#[derive(Clone, Copy, Debug)]
pub struct NewFix<'a> {
    /// `fix-…`.
    pub id: &'a str,
    /// `sol-…`. Ignored if the same steps are already stored.
    pub solution_id: &'a str,
    /// The pattern that learns the steps.
    pub learning_pattern: PatternKey,
    /// The pattern whose counts change. It differs from `learner` if a built-in pattern matched and a learned pattern
    /// was created.
    pub counted_pattern: PatternKey,
    /// Id of the run of the failure.
    pub run_id: &'a str,
    /// Name of the failed case.
    pub case_name: &'a str,
    /// Description of the change, redacted.
    pub steps: &'a str,
    /// Hash of the steps that ignores case and whitespace.
    pub digest: &'a str,
    /// True if it was reported to resolve the failure.
    pub worked: bool,
    /// Id of the run that proved the fix.
    pub proved_by: Option<&'a str>,
    /// Number of passes since the failure.
    pub passes: u32,
    /// Number of passes that prove the fix, at least 1.
    pub passes_needed: u32,
    /// Changes between the failure and the first pass, as JSON.
    pub changed: Option<&'a str>,
    /// Id (`fix-…`) of an earlier report that this report corrects.
    pub supersedes: Option<&'a str>,
    /// Environment in which the fix was tried, as JSON.
    pub env: Option<&'a str>,
    /// Canonical form of the environment. Empty if unknown.
    pub env_bucket: &'a str,
    /// Author of the report.
    pub recorder: Recorder<'a>,
    /// UTC milliseconds.
    pub now: i64,
}

/// A reported fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// `fix-…`.
    pub id: String,
    /// Id of the run of the failure.
    pub run_id: String,
    /// Name of the failed case.
    pub case_name: String,
    /// Description of the change.
    pub steps: String,
    /// True if it was reported to resolve the failure.
    pub worked: bool,
    /// Id of the later run in which the case passed.
    pub proved_by: Option<String>,
    /// Id of the later run in which the case failed again, or of the later report that corrects this report.
    pub refuted_by: Option<String>,
    /// Number of later runs in which the case passed in the first attempt.
    pub passes: u32,
    /// Number of passes that prove the fix.
    pub passes_needed: u32,
    /// True if a person marked it wrong, so that it does not count as a success.
    pub is_wrong: bool,
    /// UTC milliseconds.
    pub created_at: i64,
    /// Author of the report.
    pub recorded: StoredRecorder,
}

/// Stores a fix: adds its steps if they are new, adds its outcome, and updates the solution's totals and the learner's
/// best solution. Returns false if a person marked these steps wrong.
pub fn record_fix(tx: &mut Tx<'_>, fix: &NewFix<'_>) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO outcomes (id, solution_key, pattern_key, started_pattern, worked, run_id, case_name, \
                       env, env_bucket, created_at, recorded_by, recorded_from, proved_by, passes, passes_needed, \
                       changed) \
                       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let (solution, is_wrong) = find_or_add_solution(tx, fix)?;
    let started = (fix.learning_pattern != fix.counted_pattern).then_some(fix.learning_pattern);
    let params = [
        fix.id.into(),
        solution.into(),
        fix.counted_pattern.into(),
        started.into(),
        fix.worked.into(),
        fix.run_id.into(),
        fix.case_name.into(),
        fix.env.into(),
        fix.env_bucket.into(),
        fix.now.into(),
        fix.recorder.by.into(),
        fix.recorder.from.into(),
        fix.proved_by.into(),
        fix.passes.into(),
        fix.passes_needed.into(),
        fix.changed.into(),
    ];
    if let Some(earlier) = fix.supersedes {
        mark_superseded(tx, earlier, fix.id)?;
    }
    if !fix.worked {
        refute_claims(tx, fix, solution)?;
    }
    tx.execute_deferred(SQL, &params)?;
    outcomes::update_sums(tx, solution)?;
    update_best_solution(tx, fix.learning_pattern)?;
    Ok(!is_wrong)
}

/// Refutes earlier claims of success for the same steps and failure, because the new report says that they did not
/// help.
fn refute_claims(tx: &mut Tx<'_>, fix: &NewFix<'_>, solution: SolutionKey) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET refuted_by = $4 WHERE solution_key = $1 AND run_id = $2 AND case_name = $3 \
                       AND worked = 1 AND proved_by IS NULL AND refuted_by IS NULL";
    tx.execute_deferred(SQL, &[solution.into(), fix.run_id.into(), fix.case_name.into(), fix.id.into()])
}

/// Returns true if `fix_id` is a reported success for the case in any run.
pub fn is_reported_success(tx: &mut Tx<'_>, fix_id: &str, case_name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM outcomes WHERE id = $1 AND case_name = $2 AND worked = 1";
    Ok(tx.query_first(SQL, &[fix_id.into(), case_name.into()])?.is_some())
}

/// Returns the confirmed fixes of a failure of a run, oldest first: the id and the steps of each.
pub fn list_confirmed(tx: &mut Tx<'_>, run_id: &str, case_name: &str) -> Result<Vec<(String, String)>, StoreError> {
    const SQL: &str = "SELECT o.id, s.steps FROM outcomes o JOIN solutions s ON s.key = o.solution_key \
                       WHERE o.run_id = $1 AND o.case_name = $2 AND o.worked = 1 AND o.proved_by IS NOT NULL \
                       AND o.refuted_by IS NULL AND s.wrong_at IS NULL ORDER BY o.key";
    let rows = tx.query(SQL, &[run_id.into(), case_name.into()])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

/// Marks a reported success as refuted, because the report `by` corrects it.
fn mark_superseded(tx: &mut Tx<'_>, fix_id: &str, by: &str) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET refuted_by = COALESCE(refuted_by, $2) WHERE id = $1 RETURNING solution_key";
    if let Some(mut row) = tx.query_first(SQL, &[fix_id.into(), by.into()])? {
        outcomes::update_sums(tx, SolutionKey(row.read()?))?;
    }
    Ok(())
}

macro_rules! fix_columns {
    () => {
        "SELECT o.id, o.run_id, o.case_name, s.steps, o.worked, o.proved_by, o.refuted_by, o.passes, \
         o.passes_needed, s.wrong_at IS NOT NULL, o.created_at, o.recorded_by, o.recorded_from, o.key FROM outcomes o \
         JOIN solutions s ON s.key = o.solution_key "
    };
}

/// Returns reports about a pattern, newest first: those that changed its counts, and the report that created it.
pub fn list_history(tx: &mut Tx<'_>, pattern: &Pattern, limit: u32) -> Result<Vec<Fix>, StoreError> {
    const SQL: &str = concat!(
        "SELECT * FROM (",
        fix_columns!(),
        "WHERE o.pattern_key = $1 AND o.run_id IS NOT NULL ORDER BY o.key DESC LIMIT $2) AS counted UNION ALL \
         SELECT * FROM (",
        fix_columns!(),
        "WHERE o.started_pattern = $1 ORDER BY o.key DESC LIMIT $2) AS started"
    );
    let rows = tx.query(SQL, &[pattern.key.into(), limit.into()])?;
    let mut fixes = Vec::with_capacity(rows.len());
    for mut row in rows {
        let fix = Fix {
            id: row.read()?,
            run_id: row.read()?,
            case_name: row.read()?,
            steps: row.read()?,
            worked: row.read()?,
            proved_by: row.read()?,
            refuted_by: row.read()?,
            passes: row.read()?,
            passes_needed: row.read()?,
            is_wrong: row.read()?,
            created_at: row.read()?,
            recorded: StoredRecorder::read(&mut row)?,
        };
        fixes.push((row.read::<i64>()?, fix));
    }
    fixes.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    fixes.truncate(limit as usize);
    Ok(fixes.into_iter().map(|(_, fix)| fix).collect())
}

/// Returns true if a success was already reported for this failure and a person has not marked its steps wrong.
pub fn is_resolved(tx: &mut Tx<'_>, run_id: &str, case_name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM outcomes o JOIN solutions s ON s.key = o.solution_key \
                       WHERE o.run_id = $1 AND o.case_name = $2 AND o.worked = 1 AND s.wrong_at IS NULL LIMIT 1";
    Ok(tx.query_first(SQL, &[run_id.into(), case_name.into()])?.is_some())
}

/// Finds or stores the solution of a fix. Each distinct list of steps is one solution of the pattern,
/// regardless of the environment. Also returns true if a person marked the solution wrong.
fn find_or_add_solution(tx: &mut Tx<'_>, fix: &NewFix<'_>) -> Result<(SolutionKey, bool), StoreError> {
    const KNOWN: &str = "SELECT key, wrong_at IS NOT NULL FROM solutions WHERE pattern_key = $1 AND digest = $2 \
                         ORDER BY key LIMIT 1";
    if let Some(mut row) = tx.query_first(KNOWN, &[fix.learning_pattern.into(), fix.digest.into()])? {
        return Ok((SolutionKey(row.read()?), row.read()?));
    }
    let new = NewSolution {
        id: fix.solution_id,
        owner: DocumentOwner::Pattern(fix.learning_pattern),
        steps: fix.steps,
        digest: fix.digest,
        env: fix.env,
        env_bucket: fix.env_bucket,
        recorder: fix.recorder,
        now: fix.now,
    };
    let inserted = insert_all(tx, &[new])?.pop().ok_or_else(not_inserted_error)?;
    Ok((inserted.key, inserted.is_wrong))
}
