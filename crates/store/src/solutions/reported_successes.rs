//! Reported successes, with the runs that confirmed or refuted them.

use super::outcomes;
use crate::{
    database::{Row, Tx},
    error::StoreError,
    keys::SolutionKey,
};

/// A reported success with the pattern that learned it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedSuccess {
    /// `fix-…`.
    pub id: String,
    /// `pat-…` or `builtin-…`.
    pub pattern_id: String,
    /// Name of the failed case.
    pub case_name: String,
    /// Description of the change.
    pub steps: String,
    /// Row key of the solution.
    pub solution: SolutionKey,
    /// Author of the steps.
    pub recorded_by: Option<String>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// How later runs confirmed or refuted it.
    pub success: outcomes::SuccessEvidence,
}

/// Reported successes, newest first. Steps that a person marked wrong are left out.
pub fn list_reported_successes(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<ReportedSuccess>, StoreError> {
    const SQL: &str = "SELECT o.id, p.id, o.case_name, s.steps, s.key, s.recorded_by, o.created_at, o.run_id, o.proved_by, o.refuted_by, \
                       o.passes, o.passes_needed, o.changed FROM outcomes o JOIN solutions s ON s.key = o.solution_key \
                       JOIN patterns p ON p.key = s.pattern_key WHERE o.worked = 1 AND s.wrong_at IS NULL \
                       AND o.run_id IS NOT NULL AND o.case_name IS NOT NULL ORDER BY o.key DESC LIMIT $1";
    let read = |mut row: Row| {
        Ok(ReportedSuccess {
            id: row.read()?,
            pattern_id: row.read()?,
            case_name: row.read()?,
            steps: row.read()?,
            solution: SolutionKey(row.read()?),
            recorded_by: row.read()?,
            created_at: row.read()?,
            success: outcomes::SuccessEvidence {
                run_id: row.read()?,
                proved_by: row.read()?,
                refuted_by: row.read()?,
                passes: row.read()?,
                passes_needed: row.read()?,
                changed: row.read()?,
            },
        })
    };
    tx.query(SQL, &[limit.into()])?.into_iter().map(read).collect()
}
