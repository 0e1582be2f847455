//! Copies the database at a single moment while other processes keep using it. No existing file is overwritten.
//!
//! The copy has no deleted data and no id. With the id, a person who gets the copy could make a database that the owner
//! of the original mistakes for their own. The copy also lacks uncommitted code and data that was learned from commits.

use super::migrate;
use crate::{
    Sqlite,
    error::{StoreError, StoreErrorKind},
};

impl Sqlite {
    pub(crate) fn vacuum_into(&self, path: &str) -> Result<(), StoreError> {
        let missing = || StoreError::new(StoreErrorKind::Unavailable, "the file to copy does not exist yet");
        let connection = self.open_existing_file()?.ok_or_else(missing)?;
        connection.execute("VACUUM INTO ?1", [path])?;
        self.remove_private_data(path)
    }

    /// Removes the id and private data from a copy, including traces in free pages and in a journal.
    fn remove_private_data(&self, path: &str) -> Result<(), StoreError> {
        let copy = self.open_writable_connection(path)?;
        let version = migrate::read_version(&copy)?;
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
