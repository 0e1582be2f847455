//! A copy of the database as it is at one moment, while others go on working with it.
//! No file is overwritten. What was deleted is not taken along, nor the id: whoever gets a copy could make another
//! database that its owner would take for their own. Nor is code that was not committed, nor what was learned of commits.

use super::migrate;
use crate::{
    Sqlite,
    error::{StoreError, StoreErrorKind},
};

impl Sqlite {
    pub(crate) fn vacuum_into(&self, path: &str) -> Result<(), StoreError> {
        let missing = || StoreError::new(StoreErrorKind::Unavailable, "there is no file to copy yet");
        let connection = self.existing()?.ok_or_else(missing)?;
        connection.execute("VACUUM INTO ?1", [path])?;
        self.without_identity(path)
    }

    /// Nothing is left of it in the free space either, nor in a journal.
    fn without_identity(&self, path: &str) -> Result<(), StoreError> {
        let copy = self.open_other(path)?;
        let version = migrate::version(&copy)?;
        if version < migrate::FIRST_VERSION_WITH_IDENTITY {
            return Ok(());
        }
        copy.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON; DELETE FROM memory;")?;
        if version >= migrate::FIRST_VERSION_WITH_EDITS {
            copy.execute("UPDATE edits SET hunks = NULL", [])?;
        }
        if version >= migrate::FIRST_VERSION_WITH_FIX_COMMITS {
            copy.execute_batch("DELETE FROM fix_commits; DELETE FROM fix_commit_clues;")?;
        }
        Ok(())
    }
}
