//! A transaction on a connection. It rolls back unless it is committed.

use crate::error::StoreError;
use rusqlite::Connection;
use std::ops::Deref;

pub(super) const BEGIN_READ: &str = "BEGIN";
pub(super) const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";

/// Rolls back on drop unless it is committed. rusqlite's transaction type is not used because it compiles its
/// statements at each use.
pub(super) struct Transaction<C: Deref<Target = Connection>> {
    pub(super) connection: C,
    /// True if the transaction is part of an outer transaction, which commits it or rolls it back.
    pub(super) is_nested: bool,
}

impl<C: Deref<Target = Connection>> Transaction<C> {
    pub(super) fn begin(connection: C, sql: &str) -> Result<Self, StoreError> {
        connection.prepare_cached(sql)?.raw_execute()?;
        Ok(Self { connection, is_nested: false })
    }

    pub(super) fn commit(self) -> Result<(), StoreError> {
        if self.is_nested {
            return Ok(());
        }
        self.connection.prepare_cached("COMMIT")?.raw_execute()?;
        Ok(())
    }
}

impl<C: Deref<Target = Connection>> Drop for Transaction<C> {
    fn drop(&mut self) {
        // In autocommit mode it was committed, or SQLite rolled it back by itself.
        if !self.is_nested && !self.connection.is_autocommit() {
            // If this fails, the rollback happens when the file is opened next.
            let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut rollback| rollback.raw_execute());
        }
    }
}

/// Runs `body` in a write transaction and rolls back if it fails.
pub(crate) fn in_transaction(
    connection: &Connection,
    body: impl FnOnce() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let tx = Transaction::begin(connection, BEGIN_WRITE)?;
    body()?;
    tx.commit()
}
