//! What the host sends and receives. A driver has at most one open transaction; its connection is the host's affair.

use crate::{
    database::Cell,
    error::{StoreError, StoreErrorKind},
};
use std::{borrow::Cow, fmt};

/// Sends statements to a server.
pub trait Driver: fmt::Debug {
    /// Sends all in one round trip, on the connection of the open transaction or, where none is open, on any. After the
    /// first that fails none is executed, and the error is that one's.
    fn run(&self, batch: Batch) -> Result<Vec<Answer>, DriverError>;

    /// Gives up the open transaction: nothing of it stays, and the next batch goes to a connection that knows nothing of
    /// it.
    fn abandon(&self);
}

/// Statements of one round trip.
#[derive(Debug)]
pub struct Batch {
    /// In order.
    pub statements: Vec<Statement>,
    /// No transaction is open after these, so that the connection is free.
    pub is_last: bool,
}

/// One statement. Parameters are `$1`, `$2`, ...
#[derive(Debug)]
pub struct Statement {
    /// SQL text.
    pub sql: Cow<'static, str>,
    /// Their values.
    pub params: Vec<Cell>,
}

/// What a statement answered.
#[derive(Debug)]
pub struct Answer {
    /// Rows, in order.
    pub rows: Vec<Vec<Cell>>,
    /// As the server says: `INSERT 0 3`, `COMMIT`.
    pub tag: String,
}

/// Why a batch was not done.
#[derive(Debug)]
pub struct DriverError {
    /// SQLSTATE; empty where no server answered.
    pub code: String,
    /// Without stored text: a server's details quote rows.
    pub message: String,
}

impl Statement {
    /// A statement without parameters.
    pub(super) fn plain(sql: impl Into<Cow<'static, str>>) -> Self {
        Self { sql: sql.into(), params: Vec::new() }
    }
}

impl Answer {
    /// How many rows were changed.
    pub(super) fn changed(&self) -> u64 {
        self.tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default()
    }
}

impl From<DriverError> for StoreError {
    fn from(DriverError { code, message }: DriverError) -> Self {
        let message = if code.is_empty() { message } else { format!("{message} [{code}]") };
        Self::new(kind_of(&code), &message)
    }
}

/// By SQLSTATE (PostgreSQL's manual, Appendix A).
fn kind_of(code: &str) -> StoreErrorKind {
    match (code.get(..2).unwrap_or_default(), code) {
        // lock_not_available, query_canceled: what statement_timeout and lock_timeout do.
        (_, "55P03" | "57014") => StoreErrorKind::Locked,
        // Serialization failure, deadlock: class 40 is rolled back by the server. And invalid_sql_statement_name,
        // duplicate_prepared_statement: a pooler has changed the connection, and the host prepares none the next time.
        ("40", _) | (_, "26000" | "42P05") => StoreErrorKind::Conflict,
        // disk_full
        (_, "53100") => StoreErrorKind::Full,
        // read_only_sql_transaction: a replica.
        (_, "25006") => StoreErrorKind::ReadOnly,
        // No answer; connection exceptions; too many connections; an operator's intervention, as a restart.
        ("" | "08" | "53" | "57", _) => StoreErrorKind::Unreachable,
        // A role that may not log in or is missing, a password; a missing database.
        ("28", _) | (_, "3D000") => StoreErrorKind::NotLetIn,
        // A privilege; a schema or a role that was taken away.
        (_, "42501" | "3F000" | "42704") => StoreErrorKind::NotPermitted,
        ("XX", "XX001" | "XX002") => StoreErrorKind::Corrupt,
        _ => StoreErrorKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::{StoreErrorKind, kind_of};

    #[test]
    fn a_code_says_what_can_be_done() {
        use StoreErrorKind::{Conflict, Corrupt, Full, Internal, Locked, NotLetIn, NotPermitted, Unreachable};
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
            ("53100", Full),
            ("42501", NotPermitted),
            ("28000", NotLetIn),
            ("28P01", NotLetIn),
            ("3D000", NotLetIn),
            ("42P01", Internal),
            ("XX001", Corrupt),
        ];
        for (code, kind) in kinds {
            assert_eq!(kind_of(code), kind, "{code}");
        }
    }
}
