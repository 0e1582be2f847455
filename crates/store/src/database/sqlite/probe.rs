//! Verifies that a write reaches the file.

use crate::{database::Tx, error::StoreError};

/// Writes a row. Use a separate transaction, so that the row reaches the disk.
pub fn set(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    tx.execute("INSERT INTO probes (id) VALUES ($1)", &[id.into()]).map(drop)
}

/// Deletes the row. Returns false if it was not there.
pub fn clear(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM probes WHERE id = $1", &[id.into()])? == 1)
}
