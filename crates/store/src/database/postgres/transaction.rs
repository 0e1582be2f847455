//! A PostgreSQL transaction: which statements are sent together, and how it ends.

use super::{Answer, Batch, Postgres, Statement, migrate};
use crate::{
    database::{Row, Value},
    error::{StoreError, StoreErrorKind},
};

/// Maximum number of queued statements. A full queue is sent even if no answer is needed, because it is held in memory.
const MAX_QUEUED_STATEMENTS: usize = 1_000;

/// Time limit of a statement on the server, because a host that stopped waiting cannot cancel a statement. The value is
/// below the time limit of a call.
const STATEMENT_TIMEOUT: &str = "25s";

/// The mode in which a transaction begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransactionMode {
    Reading,
    Writing,
    /// Fails soon if another writer is active.
    WritingWithShortTimeout,
}

impl TransactionMode {
    const fn sql(self) -> &'static str {
        match self {
            Self::Reading => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Self::Writing | Self::WritingWithShortTimeout => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }

    /// Returns how long to wait for another writer. The times are the same as for a SQLite file.
    const fn lock_timeout(self) -> &'static str {
        match self {
            Self::Reading | Self::Writing => "8s",
            Self::WritingWithShortTimeout => "100ms",
        }
    }

    /// Returns the statement that reads the schema version. For a writer, it also locks the project's writer row.
    const fn version_sql(self) -> &'static str {
        match self {
            Self::Reading => "SELECT version FROM writer",
            Self::Writing | Self::WritingWithShortTimeout => "UPDATE writer SET turns = turns + 1 RETURNING version",
        }
    }
}

impl Postgres {
    /// Queues the beginning of a transaction. It is sent with the first statement.
    pub(super) fn begin(&self, begin: TransactionMode, schema: &str) {
        // The settings are local to the transaction, so that a pooler may give the connection to another client
        // afterwards.
        const SETTINGS: &str = "SELECT set_config('role', $1, true), set_config('search_path', $2, true), \
                                set_config('lock_timeout', $3, true), set_config('statement_timeout', $4, true)";
        // The name is quoted, because it may contain a dash.
        let path = format!("\"{schema}\"");
        let settings =
            [schema, path.as_str(), begin.lock_timeout(), STATEMENT_TIMEOUT].map(|value| Value::Text(value).into());
        self.pending.replace(vec![
            Statement::without_params(begin.sql()),
            Statement { sql: SETTINGS.into(), params: settings.into() },
            Statement::without_params(begin.version_sql()),
        ]);
        self.version_statement_index.set(Some(2));
        self.failure.set(None);
    }

    /// Sends the queued statements.
    fn send(&self, is_last: bool) -> Result<Vec<Answer>, StoreError> {
        let statements = self.pending.take();
        if let Some(kind) = self.failure.get() {
            return Err(StoreError::new(kind, "a statement of its transaction has failed before"));
        }
        let answered = self.driver.run(Batch { statements, is_last }).map_err(StoreError::from);
        let mut answers = answered.inspect_err(|error| self.failure.set(Some(error.kind())))?;
        if let Some(at) = self.version_statement_index.take() {
            migrate::require_current_version(answers.get_mut(at))?;
        }
        Ok(answers)
    }

    fn queue(&self, sql: &'static str, params: &[Value<'_>]) {
        let params = params.iter().map(|param| (*param).into()).collect();
        self.pending.borrow_mut().push(Statement { sql: sql.into(), params });
    }

    pub(super) fn commit(&self) -> Result<(), StoreError> {
        // If the queue contains only the statements of `begin`, nothing was sent and there is nothing to commit.
        if self.version_statement_index.get().is_some_and(|at| self.pending.borrow().len() == at + 1) {
            self.pending.take();
            self.version_statement_index.take();
            return Ok(());
        }
        self.pending.borrow_mut().push(Statement::without_params("COMMIT"));
        let answers = self.send(true)?;
        // A COMMIT of a failed transaction rolls back, and the server does not report that as an error.
        match answers.last() {
            Some(answer) if answer.tag == "COMMIT" => Ok(()),
            _ => Err(StoreError::new(
                StoreErrorKind::Internal,
                "the server rolled back the transaction in place of the commit",
            )),
        }
    }

    pub(super) fn abandon(&self) {
        self.pending.take();
        self.version_statement_index.take();
        self.driver.abandon();
    }
}

/// Runs statements in the open transaction.
#[derive(Clone, Copy, Debug)]
pub struct PostgresTx<'a> {
    pub(super) database: &'a Postgres,
}

impl PostgresTx<'_> {
    fn query_answer(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Answer, StoreError> {
        self.database.queue(sql, params);
        let answer = self.database.send(false)?.pop();
        answer.ok_or_else(missing_answer_error)
    }

    fn send_if_full(&mut self) -> Result<(), StoreError> {
        if self.database.pending.borrow().len() >= MAX_QUEUED_STATEMENTS {
            self.database.send(false)?;
        }
        Ok(())
    }
}

impl PostgresTx<'_> {
    pub(crate) fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        Ok(convert_rows(self.query_answer(sql, params)?))
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        Ok(self.query_answer(sql, params)?.changed_rows())
    }

    pub(crate) fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError> {
        for row in rows {
            self.database.queue(sql, &row);
            self.send_if_full()?;
        }
        Ok(())
    }

    pub(crate) fn post(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError> {
        self.database.queue(sql, params);
        self.send_if_full()
    }

    pub(crate) fn query_many<const N: usize>(
        &mut self,
        sql: &'static str,
        params: &[[Value<'_>; N]],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut answers = Vec::with_capacity(params.len());
        for chunk in params.chunks(MAX_QUEUED_STATEMENTS) {
            for row in chunk {
                self.database.queue(sql, row);
            }
            let mut answered = self.database.send(false)?;
            let first = answered.len().checked_sub(chunk.len()).ok_or_else(missing_answer_error)?;
            answers.extend(answered.drain(first..).map(convert_rows));
        }
        Ok(answers)
    }
}

fn convert_rows(answer: Answer) -> Vec<Row> {
    answer.rows.into_iter().map(Row::new).collect()
}

fn missing_answer_error() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "the driver left a statement without an answer")
}
