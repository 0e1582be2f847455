//! Test rows, by which a caller verifies that a write reaches the file.

use crate::{database::Tx, error::StoreError};

/// Writes a row. Use a separate transaction, so that the row reaches the disk.
pub fn write_probe(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    tx.execute("INSERT INTO probes (id) VALUES ($1)", &[id.into()]).map(drop)
}

/// Deletes the row. Returns false if the row is missing.
pub fn delete_probe(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    Ok(tx.execute("DELETE FROM probes WHERE id = $1", &[id.into()])? == 1)
}
