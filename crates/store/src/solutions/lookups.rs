//! Searches that were made, so that an outcome tells which one led to it.

use crate::{database::Tx, error::StoreError};

/// The newest that stay. An outcome comes within hours of its search.
const MAX_KEPT_LOOKUPS: i64 = 20_000;

/// Remembers a search and forgets the oldest. A call that is made again makes the same search again.
pub fn insert(tx: &mut Tx<'_>, id: &str, query: &str, env_bucket: &str, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO lookups (id, query, env_bucket, created_at) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT DO NOTHING";
    const FORGET: &str = "DELETE FROM lookups WHERE key <= (SELECT MAX(key) FROM lookups) - $1";
    tx.post(SQL, &[id.into(), query.into(), env_bucket.into(), now.into()])?;
    tx.post(FORGET, &[MAX_KEPT_LOOKUPS.into()])
}

/// Whether a search of this id is remembered.
pub fn exists(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    Ok(tx.query_first("SELECT 1 FROM lookups WHERE id = $1", &[id.into()])?.is_some())
}
