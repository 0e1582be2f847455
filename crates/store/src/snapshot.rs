//! A copy of the database as it is at one moment, while others go on working with it.
//! Does not: overwrite a file, or take along what was deleted, or the id: whoever gets a copy could make another
//! database that its owner would take for their own.

use crate::{
    Sqlite,
    error::{StoreError, StoreErrorKind},
    migrate,
};
use rusqlite::Connection;

impl Sqlite {
    pub(crate) async fn vacuum_into(&self, path: &str) -> Result<(), StoreError> {
        let copy = async |connection: &Connection| -> Result<(), StoreError> {
            connection.execute("VACUUM INTO ?1", [path])?;
            self.without_identity(path)
        };
        let copied = self.with_file(false, copy).await?;
        copied.ok_or_else(|| StoreError::new(StoreErrorKind::Unavailable, "there is no file to copy yet"))
    }

    /// Nothing is left of it in the free space either, nor in a journal.
    fn without_identity(&self, path: &str) -> Result<(), StoreError> {
        let copy = self.another(path)?;
        if migrate::version(&copy)? < migrate::WITH_IDENTITY {
            return Ok(());
        }
        copy.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON; DELETE FROM memory;")?;
        Ok(())
    }
}
