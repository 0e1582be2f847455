//! A transaction of a connection, rolled back unless it is committed.

use crate::error::StoreError;
use rusqlite::Connection;
use std::ops::Deref;

pub(super) const READING: &str = "BEGIN";
pub(super) const WRITING: &str = "BEGIN IMMEDIATE";

/// Rolls back unless it is committed. rusqlite's own compiles its statements at each use.
pub(super) struct Transaction<C: Deref<Target = Connection>> {
    pub(super) connection: C,
    /// Another one ends it.
    pub(super) is_part: bool,
}

impl<C: Deref<Target = Connection>> Transaction<C> {
    pub(super) fn begin(connection: C, sql: &str) -> Result<Self, StoreError> {
        connection.prepare_cached(sql)?.raw_execute()?;
        Ok(Self { connection, is_part: false })
    }

    pub(super) fn commit(self) -> Result<(), StoreError> {
        if self.is_part {
            return Ok(());
        }
        self.connection.prepare_cached("COMMIT")?.raw_execute()?;
        Ok(())
    }
}

impl<C: Deref<Target = Connection>> Drop for Transaction<C> {
    fn drop(&mut self) {
        // Committed, or rolled back by SQLite itself.
        if !self.is_part && !self.connection.is_autocommit() {
            // What cannot be rolled back now is when the file is opened next.
            let _ = self.connection.prepare_cached("ROLLBACK").and_then(|mut rollback| rollback.raw_execute());
        }
    }
}

/// Runs `body` in a write transaction, which is rolled back where it fails.
pub(crate) fn in_transaction(
    connection: &Connection,
    body: impl FnOnce() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let tx = Transaction::begin(connection, WRITING)?;
    body()?;
    tx.commit()
}
