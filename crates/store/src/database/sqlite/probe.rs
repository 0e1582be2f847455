//! Proves that a write really works.

use crate::{database::Tx, error::StoreError};

/// Writes a row. In a transaction of its own, so that it reaches the disk.
pub fn set(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    tx.execute("INSERT INTO probes (id) VALUES ($1)", &[id.into()]).map(drop)
}

/// Deletes it; false if it had not arrived.
pub fn clear(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM probes WHERE id = $1", &[id.into()])? == 1)
}
