//! Errors of calls: a code for programs, and a message with the next step. Messages never contain unredacted text or
//! stack traces.

use crate::answer::message_text;
use argus_core::Analyzer;
use argus_store::{StoreError, StoreErrorKind};
use serde::{Deserialize, Serialize};

/// Error codes of the public contracts, of files and of databases, in the order of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// No run has this id.
    RunNotFound,
    /// The run has no case with this name, or several cases match it.
    CaseNotFound,
    /// The case passed or was skipped in the run.
    CaseNotFailed,
    /// No pattern has this id.
    PatternNotFound,
    /// No incident or pattern has this id.
    IncidentNotFound,
    /// No solution has this id.
    SolutionNotFound,
    /// No search has this id.
    LookupNotFound,
    /// An argument is out of its range.
    InvalidInput,
    /// A call with this id was made before. Its changes are stored.
    CallRepeated,
    /// A report file does not exist.
    ReportNotFound,
    /// A report file is not a report.
    ReportUnreadable,
    /// A report file is too large.
    ReportTooLarge,
    /// Another process locked the database for too long.
    DatabaseLocked,
    /// The database cannot be written.
    DatabaseReadOnly,
    /// No space is left on the disk.
    DatabaseFull,
    /// The file is damaged, or not a database of Argus.
    DatabaseCorrupt,
    /// A newer version wrote the database.
    DatabaseNewer,
    /// The database cannot be opened.
    DatabaseUnavailable,
    /// The team's server does not answer. Only hosts raise this error.
    TeamUnreachable,
    /// The team's server rejects the token, or does not permit the call. Only hosts raise this error.
    TeamDenied,
    /// The state of a fix loop is damaged or missing.
    StateUnreadable,
    /// A newer version wrote the state of a fix loop.
    StateNewer,
    /// The state of a fix loop belongs to another command.
    StateMismatch,
    /// A bug in this program.
    InternalError,
}

/// An error of a call.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// A stable code for programs.
    pub code: ErrorCode,
    /// Describes the problem and the next step, for people.
    pub message: String,
    #[source]
    source: Option<Box<StoreError>>,
}

impl EngineError {
    /// Creates an error without a source. The message is redacted here by the built-in patterns, because it may quote
    /// the caller's text, and at the end of the call by the project's own patterns.
    pub fn new(code: ErrorCode, message: impl AsRef<str>) -> Self {
        Self { code, message: message_text::redact_message(message.as_ref()), source: None }
    }

    /// Redacts the message by the project's own patterns too.
    pub(crate) fn redacted_by(self, analyzer: &Analyzer) -> Self {
        Self { message: message_text::redact_with(analyzer, &self.message), ..self }
    }

    pub(crate) fn invalid_input(message: impl AsRef<str>) -> Self {
        Self::new(ErrorCode::InvalidInput, message)
    }

    /// Returns `true` if a write caused the error, so that reads may still work.
    pub(crate) fn is_write_error(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is_write_error())
    }
}

impl From<StoreError> for EngineError {
    fn from(source: StoreError) -> Self {
        let (code, next) = match source.kind() {
            StoreErrorKind::Locked => {
                (ErrorCode::DatabaseLocked, "Another process is writing to the database. Try again in a few seconds")
            }
            StoreErrorKind::ReadOnly => {
                (ErrorCode::DatabaseReadOnly, "The database cannot be written. Check the permissions of .argus")
            }
            StoreErrorKind::StorageFull => (
                ErrorCode::DatabaseFull,
                "No space is left for the database. Free some space and try again; nothing was lost",
            ),
            StoreErrorKind::Corrupt => (
                ErrorCode::DatabaseCorrupt,
                "The file is damaged or not an Argus database, and was not changed. Move it away or restore it",
            ),
            StoreErrorKind::NewerSchema => {
                (ErrorCode::DatabaseNewer, "The database was written by a newer version of Argus. Update this program")
            }
            StoreErrorKind::Conflict => {
                (ErrorCode::DatabaseLocked, "Another call changed the same data at the same time. Repeat this call")
            }
            StoreErrorKind::OlderSchema => (
                ErrorCode::DatabaseUnavailable,
                "The schema of this memory has an earlier version. Upgrade it with argus-mcp migrate",
            ),
            StoreErrorKind::Unreachable => (
                ErrorCode::DatabaseUnavailable,
                "The database server does not answer. Repeat the call in a few seconds. If it never answers, check the host \
                 and port in its URL",
            ),
            StoreErrorKind::LoginRejected => (
                ErrorCode::DatabaseUnavailable,
                "The database server rejects this user. Check user, password and database name in its URL",
            ),
            StoreErrorKind::NotPermitted => (
                ErrorCode::DatabaseUnavailable,
                "The database user may not do this. It needs CREATE on the database, CREATEROLE, and must have created \
                 its schemas and roles",
            ),
            StoreErrorKind::Unavailable => (
                ErrorCode::DatabaseUnavailable,
                "The database cannot be opened. Check that its folder exists and can be written",
            ),
            StoreErrorKind::Internal => (ErrorCode::InternalError, "The database rejected a statement of Argus"),
        };
        Self {
            code,
            message: message_text::redact_message(&format!("{next} ({source}).")),
            source: Some(Box::new(source)),
        }
    }
}
