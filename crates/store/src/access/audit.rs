//! Audit log of a server: edits that were made with a token, and requests that were denied.

use crate::{Tx, error::StoreError};

/// Number of newest entries to keep. They take about 20 MB.
const MAX_STORED_AUDIT_ENTRIES: i64 = 100_000;

/// An audited action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// UTC milliseconds.
    pub at: i64,
    /// `None` if the request had no token or an unknown token.
    pub token_id: Option<String>,
    /// `None` if the action was not about a project.
    pub project: Option<String>,
    /// Name of a call, or `login`.
    pub action: String,
    /// True if the action was denied.
    pub is_denied: bool,
}

const OUTCOME_DONE: &str = "done";
const OUTCOME_DENIED: &str = "denied";

/// Adds an entry and deletes the oldest entries above the limit.
pub fn add_entry(tx: &mut Tx<'_>, entry: &AuditRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO audit_entries (at, token_id, project, action, outcome) \
                       VALUES ($1, $2, $3, $4, $5) RETURNING key";
    let AuditRow { at, token_id, project, action, is_denied } = entry;
    let outcome = if *is_denied { OUTCOME_DENIED } else { OUTCOME_DONE };
    let values = [(*at).into(), token_id.into(), project.into(), action.into(), outcome.into()];
    let added = tx.query_first(SQL, &values)?;
    let key: i64 = added.ok_or_else(|| StoreError::corrupt("an entry that was added has no key"))?.read()?;
    tx.execute_deferred("DELETE FROM audit_entries WHERE key <= $1", &[(key - MAX_STORED_AUDIT_ENTRIES).into()])?;
    Ok(())
}

/// Returns the newest entries first, at most `limit`.
pub fn list_newest(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<AuditRow>, StoreError> {
    const SQL: &str = "SELECT at, token_id, project, action, outcome FROM audit_entries ORDER BY key DESC LIMIT $1";
    let rows = tx.query(SQL, &[limit.into()])?;
    rows.into_iter()
        .map(|mut row| {
            let (at, token_id, project, action) = (row.read()?, row.read()?, row.read()?, row.read()?);
            let outcome: String = row.read()?;
            Ok(AuditRow { at, token_id, project, action, is_denied: outcome == OUTCOME_DENIED })
        })
        .collect()
}
