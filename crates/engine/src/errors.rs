//! Errors of calls: a code for programs, and a message with the next step. Messages never contain unredacted text or
//! stack traces.

use crate::answer::text;
use argus_core::Analyzer;
use argus_store::{StoreError, StoreErrorKind};
use serde::{Deserialize, Serialize};

/// Codes of the public contracts, of files and of databases, in the order of the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// No run has this id.
    RunNotFound,
    /// The run has no such case, or several.
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
        Self { code, message: text::message(message.as_ref()), source: None }
    }

    /// Redacts the message by the project's own patterns too.
    pub(crate) fn redacted_by(self, analyzer: &Analyzer) -> Self {
        Self { message: text::redacted_by(analyzer, &self.message), ..self }
    }

    pub(crate) fn invalid(message: impl AsRef<str>) -> Self {
        Self::new(ErrorCode::InvalidInput, message)
    }

    /// Returns `true` if the error came from writing. Reading may still work.
    pub(crate) fn is_about_writing(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is_about_writing())
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
            StoreErrorKind::Full => (
                ErrorCode::DatabaseFull,
                "No space is left for the database. Free some and try again; nothing was lost",
            ),
            StoreErrorKind::Corrupt => (
                ErrorCode::DatabaseCorrupt,
                "The file is damaged or not a database of Argus, and is left as it is. Move it away or restore it",
            ),
            StoreErrorKind::Newer => {
                (ErrorCode::DatabaseNewer, "The database was written by a newer version of Argus. Update this one")
            }
            StoreErrorKind::Conflict => {
                (ErrorCode::DatabaseLocked, "Another call changed the same at the same time. Make this one again")
            }
            StoreErrorKind::Older => (
                ErrorCode::DatabaseUnavailable,
                "The schema of this memory is of an earlier version. argus-mcp migrate brings it to this one",
            ),
            StoreErrorKind::Unreachable => (
                ErrorCode::DatabaseUnavailable,
                "The database server does not answer. Make the call again in a few seconds; if it never does, check host \
                 and port of its URL",
            ),
            StoreErrorKind::NotLetIn => (
                ErrorCode::DatabaseUnavailable,
                "The database server does not let this user in. Check user, password and name of the database in its URL",
            ),
            StoreErrorKind::NotPermitted => (
                ErrorCode::DatabaseUnavailable,
                "The user of the database may not do this. It needs CREATE on the database, CREATEROLE, and to have made \
                 its schemas and roles",
            ),
            StoreErrorKind::Unavailable => (
                ErrorCode::DatabaseUnavailable,
                "The database cannot be opened. Check that its folder exists and can be written",
            ),
            StoreErrorKind::Internal => (ErrorCode::InternalError, "The database refused a statement"),
        };
        Self { code, message: text::message(&format!("{next} ({source}).")), source: Some(Box::new(source)) }
    }
}
