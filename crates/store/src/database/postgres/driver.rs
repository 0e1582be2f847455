//! The interface to the host that sends statements. A driver has at most one open transaction; the host manages
//! connections.

use crate::{
    database::Cell,
    error::{StoreError, StoreErrorKind},
};
use std::{borrow::Cow, fmt};

/// Sends statements to a PostgreSQL server.
pub trait Driver: fmt::Debug {
    /// Sends all statements in one round trip. They use the connection of the open transaction or, if no transaction is
    /// open, any connection. Execution stops at the first statement that fails and returns its error.
    fn run(&self, batch: Batch) -> Result<Vec<Answer>, DriverError>;

    /// Abandons the open transaction, so that it is rolled back. The next batch uses another connection.
    fn abandon(&self);
}

/// Statements for one round trip.
#[derive(Debug)]
pub struct Batch {
    /// Executed in this order.
    pub statements: Vec<Statement>,
    /// True if no transaction is open after these statements, so that the host can reuse the connection.
    pub is_last: bool,
}

/// A statement with parameters `$1`, `$2`, ...
#[derive(Debug)]
pub struct Statement {
    /// SQL text.
    pub sql: Cow<'static, str>,
    /// Values of the parameters.
    pub params: Vec<Cell>,
}

/// The answer to a statement.
#[derive(Debug)]
pub struct Answer {
    /// Rows, in order.
    pub rows: Vec<Vec<Cell>>,
    /// Command tag of the server, for example `INSERT 0 3` or `COMMIT`.
    pub tag: String,
}

/// The error of a batch.
#[derive(Debug)]
pub struct DriverError {
    /// SQLSTATE. Empty if no server answered.
    pub code: String,
    /// Must not contain stored text. The detail field of a server's error is left out because it quotes rows.
    pub message: String,
}

impl Statement {
    /// Creates a statement without parameters.
    pub(super) fn without_params(sql: impl Into<Cow<'static, str>>) -> Self {
        Self { sql: sql.into(), params: Vec::new() }
    }
}

impl Answer {
    /// Returns the number of changed rows, which is the last word of the tag.
    pub(super) fn changed_rows(&self) -> u64 {
        self.tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default()
    }
}

impl From<DriverError> for StoreError {
    fn from(DriverError { code, message }: DriverError) -> Self {
        let message = if code.is_empty() { message } else { format!("{message} [{code}]") };
        Self::new(error_kind(&code), &message)
    }
}

/// Maps an SQLSTATE (PostgreSQL manual, Appendix A).
fn error_kind(code: &str) -> StoreErrorKind {
    match (code.get(..2).unwrap_or_default(), code) {
        // lock_not_available and query_canceled come from lock_timeout and statement_timeout.
        (_, "55P03" | "57014") => StoreErrorKind::Locked,
        // Class 40 covers serialization failures and deadlocks; the server has rolled back. invalid_sql_statement_name
        // and duplicate_prepared_statement mean that a pooler changed the connection; the host prepares no statement at
        // the next try.
        ("40", _) | (_, "26000" | "42P05") => StoreErrorKind::Conflict,
        // disk_full
        (_, "53100") => StoreErrorKind::StorageFull,
        // read_only_sql_transaction: the server is a replica.
        (_, "25006") => StoreErrorKind::ReadOnly,
        // No answer, connection exceptions, too many connections, and operator intervention such as a restart.
        ("" | "08" | "53" | "57", _) => StoreErrorKind::Unreachable,
        // A missing role, a role that may not log in, a wrong password, or a missing database.
        ("28", _) | (_, "3D000") => StoreErrorKind::LoginRejected,
        // A missing privilege, or a schema or role that was removed.
        (_, "42501" | "3F000" | "42704") => StoreErrorKind::NotPermitted,
        ("XX", "XX001" | "XX002") => StoreErrorKind::Corrupt,
        _ => StoreErrorKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::{StoreErrorKind, error_kind};

    #[test]
    fn error_kind_maps_sqlstate() {
        use StoreErrorKind::{
            Conflict, Corrupt, Internal, Locked, LoginRejected, NotPermitted, StorageFull, Unreachable,
        };
        let kinds = [
            ("40001", Conflict),
            ("40P01", Conflict),
            ("26000", Conflict),
            ("42P05", Conflict),
            ("55P03", Locked),
            ("57014", Locked),
            ("57P01", Unreachable),
            ("08006", Unreachable),
            ("", Unreachable),
            ("53300", Unreachable),
            ("53100", StorageFull),
            ("42501", NotPermitted),
            ("28000", LoginRejected),
            ("28P01", LoginRejected),
            ("3D000", LoginRejected),
            ("42P01", Internal),
            ("XX001", Corrupt),
        ];
        for (code, kind) in kinds {
            assert_eq!(error_kind(code), kind, "{code}");
        }
    }
}
