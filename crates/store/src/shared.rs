//! What of a memory is somebody else's, out of the files that a repository shares, and what came of it here.

use crate::{
    database::{Row, Tx},
    error::StoreError,
    solutions::outcomes::Success,
};
use std::collections::BTreeMap;

/// A report of a shared fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedUse {
    /// The fix that was tried.
    pub shared_id: String,
    /// It was reported as a success.
    pub worked: bool,
    /// What runs have said of it.
    pub success: Success,
}

/// Notes that what has `id` here is somebody else's, or a trial of it.
pub fn note(tx: &mut Tx<'_>, id: &str, shared_id: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO shared_uses (id, shared_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    tx.post(SQL, &[id.into(), shared_id.into()])
}

/// All of it: what stands here under which id is of which shared one.
pub fn all(tx: &mut Tx<'_>) -> Result<BTreeMap<String, String>, StoreError> {
    let rows = tx.query("SELECT id, shared_id FROM shared_uses ORDER BY id", &[])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

/// Of which shared one this is; none where it is the user's own.
pub fn shared_id_of(tx: &mut Tx<'_>, id: &str) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT shared_id FROM shared_uses WHERE id = $1", &[id.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// What was reported here of these shared fixes, oldest first.
pub fn uses_of(tx: &mut Tx<'_>, shared_ids: &[&str]) -> Result<Vec<SharedUse>, StoreError> {
    const SQL: &str = "SELECT u.shared_id, o.worked, o.run_id, o.proved_by, o.refuted_by, o.passes, o.passes_needed, \
                       o.changed \
                       FROM shared_uses u JOIN outcomes o ON o.id = u.id \
                       WHERE u.shared_id = $1 AND o.run_id IS NOT NULL ORDER BY o.key";
    let read = |mut row: Row| {
        Ok(SharedUse {
            shared_id: row.read()?,
            worked: row.read()?,
            success: Success {
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

/// Those of these ids that this memory has: of fixes, solutions and incidents.
pub fn known_of(tx: &mut Tx<'_>, ids: &[&str]) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT known.id FROM (SELECT id FROM outcomes WHERE id = $1 UNION ALL \
                       SELECT id FROM solutions WHERE id = $1 UNION ALL SELECT id FROM incidents WHERE id = $1) AS known \
                       LIMIT 1";
    let wanted: Vec<_> = ids.iter().map(|id| [(*id).into()]).collect();
    tx.query_many(SQL, &wanted)?.into_iter().flatten().map(|mut row| row.read()).collect()
}
