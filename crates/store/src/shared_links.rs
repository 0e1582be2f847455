//! Maps local ids to the ids of fixes, solutions and incidents that were imported from files in the repository.

use crate::{
    database::{Row, Tx},
    error::StoreError,
    solutions::outcomes::SuccessEvidence,
};
use std::collections::BTreeMap;

/// A local report about a shared fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedUse {
    /// Id of the fix that was tried.
    pub shared_id: String,
    /// True if the fix was reported as a success.
    pub worked: bool,
    /// How later runs confirmed or refuted it.
    pub success: SuccessEvidence,
}

/// Records that the row with `id` was imported from a shared entry, or is a report about a shared fix.
pub fn link_to_shared(tx: &mut Tx<'_>, id: &str, shared_id: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO shared_uses (id, shared_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    tx.execute_deferred(SQL, &[id.into(), shared_id.into()])
}

/// Returns all pairs of local id and shared id.
pub fn list_all(tx: &mut Tx<'_>) -> Result<BTreeMap<String, String>, StoreError> {
    let rows = tx.query("SELECT id, shared_id FROM shared_uses ORDER BY id", &[])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

/// Returns the shared id of a local id, or `None` if the row is the user's own.
pub fn find_shared_id(tx: &mut Tx<'_>, id: &str) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT shared_id FROM shared_uses WHERE id = $1", &[id.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Returns local reports about these shared fixes, oldest first.
pub fn list_uses(tx: &mut Tx<'_>, shared_ids: &[&str]) -> Result<Vec<SharedUse>, StoreError> {
    const SQL: &str = "SELECT u.shared_id, o.worked, o.run_id, o.proved_by, o.refuted_by, o.passes, o.passes_needed, \
                       o.changed \
                       FROM shared_uses u JOIN outcomes o ON o.id = u.id \
                       WHERE u.shared_id = $1 AND o.run_id IS NOT NULL ORDER BY o.key";
    let read = |mut row: Row| {
        Ok(SharedUse {
            shared_id: row.read()?,
            worked: row.read()?,
            success: SuccessEvidence {
                run_id: row.read()?,
                proved_by: row.read()?,
                refuted_by: row.read()?,
                passes: row.read()?,
                passes_needed: row.read()?,
                changed: row.read()?,
            },
        })
    };
    let wanted: Vec<_> = shared_ids.iter().map(|id| [(*id).into()]).collect();
    tx.query_many(SQL, &wanted)?.into_iter().flatten().map(read).collect()
}

/// Returns the ids in `ids` that exist in this database as a fix, a solution or an incident.
pub fn filter_existing_ids(tx: &mut Tx<'_>, ids: &[&str]) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT known.id FROM (SELECT id FROM outcomes WHERE id = $1 UNION ALL \
                       SELECT id FROM solutions WHERE id = $1 UNION ALL SELECT id FROM incidents WHERE id = $1) AS known \
                       LIMIT 1";
    let wanted: Vec<_> = ids.iter().map(|id| [(*id).into()]).collect();
    tx.query_many(SQL, &wanted)?.into_iter().flatten().map(|mut row| row.read()).collect()
}
