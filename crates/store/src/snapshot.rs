//! A copy of the database as it is at one moment, while others go on working with it.
//! Does not: overwrite a file, or take along what was deleted.

use crate::{Sqlite, error::StoreError, error::StoreErrorKind};
use rusqlite::Connection;

impl Sqlite {
    pub(crate) async fn vacuum_into(&self, path: &str) -> Result<(), StoreError> {
        let copy = async |connection: &Connection| -> Result<(), StoreError> {
            connection.execute("VACUUM INTO ?1", [path])?;
            Ok(())
        };
        let copied = self.with_file(false, copy).await?;
        copied.ok_or_else(|| StoreError::new(StoreErrorKind::Unavailable, "there is no file to copy yet"))
    }
}
