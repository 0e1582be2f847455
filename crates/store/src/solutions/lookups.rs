//! Searches of the debug memory, so that an outcome can name the search that led to it.

use crate::{database::Tx, error::StoreError};

/// Number of newest searches to keep. An outcome follows its search within hours, so older searches are not needed.
const MAX_KEPT_LOOKUPS: i64 = 20_000;

/// Stores a search and deletes the oldest. A repeated call with the same id changes nothing.
pub fn insert(tx: &mut Tx<'_>, id: &str, query: &str, env_bucket: &str, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO lookups (id, query, env_bucket, created_at) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT DO NOTHING";
    const FORGET: &str = "DELETE FROM lookups WHERE key <= (SELECT MAX(key) FROM lookups) - $1";
    tx.execute_deferred(SQL, &[id.into(), query.into(), env_bucket.into(), now.into()])?;
    tx.execute_deferred(FORGET, &[MAX_KEPT_LOOKUPS.into()])
}

/// Returns true if a search with this id is stored.
pub fn exists(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    Ok(tx.query_first("SELECT 1 FROM lookups WHERE id = $1", &[id.into()])?.is_some())
}
