//! What can go wrong with a database, by what a person can do about it.
//! No message carries stored text.

use rusqlite::{Error as SqliteError, ErrorCode, ffi};
use std::fmt;

/// What a person can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// Another process held the lock longer than the time-out.
    Locked,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// No space left.
    Full,
    /// Damaged, or not a database of Argus at all.
    Corrupt,
    /// Written by a newer version.
    Newer,
    /// Somebody else's transaction came in between; the same may be tried again.
    Conflict,
    /// Its schema is of an earlier version, and whoever uses it may not change that.
    Older,
    /// It cannot be opened.
    Unavailable,
    /// Its server lets this user in no database of this name.
    NotLetIn,
    /// Its server lets this user in, and not do what is needed.
    NotPermitted,
    /// Its server does not answer, or not any more; whether what was just written stays is not known.
    Unreachable,
    /// A mistake in this program.
    Internal,
}

/// A kind, and what the database said.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<SqliteError>>,
}

impl StoreError {
    pub(crate) fn new(kind: StoreErrorKind, message: &str) -> Self {
        Self { kind, message: message.to_owned(), source: None }
    }

    pub(crate) fn corrupt(message: &str) -> Self {
        Self::new(StoreErrorKind::Corrupt, message)
    }

    /// By what a person can do about it.
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// The file has gone from under the open connection; opening again helps.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(self.source.as_deref(), Some(SqliteError::SqliteFailure(cause, _))
            if has_moved(*cause))
    }

    /// Reading may still work although writing did not.
    pub const fn is_about_writing(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Locked | StoreErrorKind::ReadOnly | StoreErrorKind::Full)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

impl From<SqliteError> for StoreError {
    fn from(source: SqliteError) -> Self {
        let kind = match &source {
            SqliteError::SqliteFailure(cause, _) => kind_of(*cause),
            _ => StoreErrorKind::Internal,
        };
        Self { kind, message: source.to_string(), source: Some(Box::new(source)) }
    }
}

/// Another file is in its place, or none: SQLite then misses it when it makes the journal.
const fn has_moved(cause: ffi::Error) -> bool {
    matches!(cause.extended_code, ffi::SQLITE_READONLY_DBMOVED | ffi::SQLITE_IOERR_FSTAT)
}

const fn kind_of(cause: ffi::Error) -> StoreErrorKind {
    match cause.code {
        _ if has_moved(cause) => StoreErrorKind::Unavailable,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreErrorKind::Locked,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreErrorKind::ReadOnly,
        ErrorCode::DiskFull => StoreErrorKind::Full,
        // Rows are only limited in somebody else's file.
        ErrorCode::TooBig | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreErrorKind::Corrupt,
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::FileLockingProtocolFailed => {
            StoreErrorKind::Unavailable
        }
        _ => StoreErrorKind::Internal,
    }
}
