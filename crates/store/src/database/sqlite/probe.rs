//! Proves that a write really works.

use crate::{database::Tx, error::StoreError};

/// Writes a row. In a transaction of its own, so that it reaches the disk.
pub async fn set(tx: &mut impl Tx, id: &str) -> Result<(), StoreError> {
    tx.execute("INSERT INTO probes (id) VALUES ($1)", &[id.into()]).await.map(drop)
}

/// Deletes it; false if it had not arrived.
pub async fn clear(tx: &mut impl Tx, id: &str) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM probes WHERE id = $1", &[id.into()]).await? == 1)
}
