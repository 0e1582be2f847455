//! Errors of calls: a code for programs, and a message with the next step. Messages never contain unredacted text or
//! stack traces.

use crate::answer::text;
use argus_core::Analyzer;
use argus_store::{StoreError, StoreErrorKind};
use serde::{Deserialize, Serialize};

/// The codes of the public contracts, and those of files and databases, in the order in which they are explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS, schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// No run of this id.
    RunNotFound,
    /// No such case in the run, or several.
    CaseNotFound,
    /// The case passed or was skipped in the run.
    CaseNotFailed,
    /// No pattern of this id.
    PatternNotFound,
    /// No incident or pattern of this id.
    IncidentNotFound,
    /// No solution of this id.
    SolutionNotFound,
    /// No search of this id.
    LookupNotFound,
    /// An argument is out of its range.
    InvalidInput,
    /// A call that has a name of its own was made before.
    CallRepeated,
    /// A report file does not exist.
    ReportNotFound,
    /// A report file is not a report.
    ReportUnreadable,
    /// A report file is larger than the cap.
    ReportTooLarge,
    /// Another process held the database too long.
    DatabaseLocked,
    /// The database cannot be written.
    DatabaseReadOnly,
    /// No space left on the disk.
    DatabaseFull,
    /// Damaged, or not a database of Argus.
    DatabaseCorrupt,
    /// Written by a newer version.
    DatabaseNewer,
    /// It cannot be opened.
    DatabaseUnavailable,
    /// The team's server does not answer. Made by the host, as the next one is.
    TeamUnreachable,
    /// The team's server does not take the token, or not for this.
    TeamDenied,
    /// The state of a fix loop is damaged, or none at all.
    StateUnreadable,
    /// The state of a fix loop was written by a newer version.
    StateNewer,
    /// The state of a fix loop belongs to another command.
    StateMismatch,
    /// A mistake in this program.
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
