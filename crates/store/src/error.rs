//! Errors of a database, grouped by the action that a person can take. Messages never contain stored text.

use rusqlite::{Error as SqliteError, ErrorCode, ffi};
use std::fmt;

/// Groups errors by the action that a person can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// Another process held the lock longer than the time-out.
    Locked,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// No space left.
    StorageFull,
    /// The file is damaged or is not an Argus database.
    Corrupt,
    /// Written by a newer version.
    NewerSchema,
    /// Another writer changed the same data meanwhile. The caller may try the same call again.
    Conflict,
    /// The schema has an earlier version, and this program may not migrate it.
    OlderSchema,
    /// The database cannot be opened.
    Unavailable,
    /// The server rejects this user, or has no database with this name.
    LoginRejected,
    /// The server accepts this user but denies a privilege that is needed.
    NotPermitted,
    /// The server does not answer, or stopped answering. It is unknown whether the last write was committed.
    Unreachable,
    /// A bug in this program.
    Internal,
}

/// A kind with the message of the database.
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

    /// Returns the kind of the error.
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Returns true if the file was moved or deleted while it was open. The caller can open the path again.
    pub(crate) fn is_moved(&self) -> bool {
        matches!(self.source.as_deref(), Some(SqliteError::SqliteFailure(cause, _))
            if is_moved_file_error(*cause))
    }

    /// Returns true if reading may still work although writing failed.
    pub const fn is_write_error(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Locked | StoreErrorKind::ReadOnly | StoreErrorKind::StorageFull)
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
            SqliteError::SqliteFailure(cause, _) => error_kind(*cause),
            _ => StoreErrorKind::Internal,
        };
        Self { kind, message: source.to_string(), source: Some(Box::new(source)) }
    }
}

/// SQLite notices a moved, deleted or replaced file when it creates the journal or reads the file's status.
const fn is_moved_file_error(cause: ffi::Error) -> bool {
    matches!(cause.extended_code, ffi::SQLITE_READONLY_DBMOVED | ffi::SQLITE_IOERR_FSTAT)
}

const fn error_kind(cause: ffi::Error) -> StoreErrorKind {
    match cause.code {
        _ if is_moved_file_error(cause) => StoreErrorKind::Unavailable,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreErrorKind::Locked,
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreErrorKind::ReadOnly,
        ErrorCode::DiskFull => StoreErrorKind::StorageFull,
        // Only foreign files have a limit for the size of a row, so a row that is too big was not written by this
        // program.
        ErrorCode::TooBig | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreErrorKind::Corrupt,
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::FileLockingProtocolFailed => {
            StoreErrorKind::Unavailable
        }
        _ => StoreErrorKind::Internal,
    }
}
