//! Stores memories in PostgreSQL, or in a server that supports its protocol, through a driver of the host. Each project
//! has a schema and a role of the same name.
//!
//! A round trip costs as much as a whole transaction on a file. Statements whose answers are not read
//! ([`Tx::execute_deferred`]) are therefore sent together with the next statement whose answer is read. The beginning
//! of a transaction is sent with its first statement.
//!
//! Each project has a single writer at a time: a writer updates the single row of the table `writer`. Under READ
//! COMMITTED the writer then sees everything that was committed before. SELECT FOR UPDATE under REPEATABLE READ would
//! wait and then read the state from before the wait. Readers see a snapshot and never wait.

mod driver;
mod migrate;
#[cfg(feature = "native-postgres")]
mod native;
mod transaction;

pub use driver::{Answer, Batch, Driver, DriverError, Statement};
pub use migrate::SchemaState;
#[cfg(feature = "native-postgres")]
pub use native::{CopiedDatabase, NativeDriver};
pub use transaction::PostgresTx;

use crate::{
    database::Tx,
    error::{StoreError, StoreErrorKind},
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
};
use transaction::TransactionMode;

/// Prefix of the names of schemas and roles, such as `argus_shop` for the project `shop`.
const SCHEMA_PREFIX: &str = "argus_";

/// Maximum length of a project name. PostgreSQL truncates names of schemas after 63 bytes.
const MAX_PROJECT_NAME_BYTES: usize = 50;

/// Project name of the server's own memory, which holds tokens and the audit log.
pub const SERVER_PROJECT: &str = "_server";

/// An empty schema to read from when a project has no schema yet. No project can have this name, because a project's
/// name begins with a letter or a digit.
const EMPTY_SCHEMA: &str = "argus__nothing";

/// Schemas that this process has checked and that have the current version. One check is enough, because schemas are
/// never deleted or downgraded while a server runs.
#[derive(Clone, Debug, Default)]
pub struct CheckedSchemas(Rc<RefCell<BTreeSet<String>>>);

/// The memory of a project. It handles one call at a time.
#[derive(Debug)]
pub struct Postgres {
    driver: Rc<dyn Driver>,
    schema: String,
    known: CheckedSchemas,
    outer: Cell<OuterTransactionState>,
    pending: RefCell<Vec<Statement>>,
    /// Index in `pending` of the statement that returns the schema version.
    version_statement_index: Cell<Option<usize>>,
    /// Set when a statement of the open transaction failed. The whole transaction fails then, even if the caller
    /// ignored the error.
    failure: Cell<Option<StoreErrorKind>>,
}

/// State of the outer transaction that [`Postgres::in_one_transaction`] opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OuterTransactionState {
    None,
    /// The transaction has sent no statement yet.
    NotStarted,
    /// The transaction has only read, so other writers can write meanwhile.
    Reading,
    /// The transaction holds the project's writer row.
    Writing,
    /// A write in the transaction failed, so everything must be rolled back.
    Failed,
}

impl Postgres {
    /// Opens the memory of a project. The name has at most 50 characters of `a-z0-9._-`, because it becomes part of SQL
    /// statements.
    pub fn new(driver: Rc<dyn Driver>, project: &str, known: CheckedSchemas) -> Result<Self, StoreError> {
        let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        if project.is_empty() || project.len() > MAX_PROJECT_NAME_BYTES || !project.bytes().all(is_allowed) {
            return Err(StoreError::new(StoreErrorKind::Internal, "this is not a valid project name"));
        }
        Ok(Self {
            driver,
            schema: format!("{SCHEMA_PREFIX}{project}"),
            known,
            outer: Cell::new(OuterTransactionState::None),
            pending: RefCell::new(Vec::new()),
            version_statement_index: Cell::new(None),
            failure: Cell::new(None),
        })
    }

    /// Creates the project's schema or migrates it to the current version.
    pub fn migrate(&self, now: i64) -> Result<(), StoreError> {
        migrate::migrate(&*self.driver, EMPTY_SCHEMA, now)?;
        migrate::migrate(&*self.driver, &self.schema, now)
    }

    /// Returns the state of the project's schema.
    pub fn schema_state(&self) -> Result<SchemaState, StoreError> {
        migrate::read_state(&*self.driver, &self.schema)
    }

    /// Returns the names of the projects that have a schema.
    pub fn list_projects(&self) -> Result<Vec<String>, StoreError> {
        migrate::list_projects(&*self.driver)
    }

    /// Returns the number of writes to the project so far.
    pub fn count_writes(&self) -> Result<i64, StoreError> {
        migrate::count_writes(&*self.driver, &self.schema)
    }

    /// Checks the schema at the server only once per process.
    fn has_schema(&self) -> Result<bool, StoreError> {
        if self.known.0.borrow().contains(&self.schema) {
            return Ok(true);
        }
        let exists = match self.schema_state()? {
            SchemaState::Missing => return Ok(false),
            state => state.require_current().map(|()| true)?,
        };
        self.known.0.borrow_mut().insert(self.schema.clone());
        Ok(exists)
    }

    fn begin_reading(&self) -> Result<(), StoreError> {
        let schema = if self.has_schema()? { &self.schema } else { EMPTY_SCHEMA };
        self.begin(TransactionMode::Reading, schema);
        Ok(())
    }

    fn begin_writing(&self, begin: TransactionMode, now: i64) -> Result<(), StoreError> {
        if !self.has_schema()? {
            migrate::migrate(&*self.driver, &self.schema, now)?;
            self.known.0.borrow_mut().insert(self.schema.clone());
        }
        self.begin(begin, &self.schema);
        Ok(())
    }

    fn run_and_end<T, E, F>(&self, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        let answer = self.run_in_open_transaction(body);
        self.commit_or_roll_back(answer)
    }

    fn run_in_open_transaction<T, E, F>(&self, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        body(&mut Tx::Postgres(PostgresTx { database: self }))
    }

    /// Commits if the outcome is `Ok`, otherwise rolls back.
    fn commit_or_roll_back<T, E: From<StoreError>>(&self, outcome: Result<T, E>) -> Result<T, E> {
        match outcome {
            Ok(value) => {
                self.commit().inspect_err(|_| self.abandon())?;
                Ok(value)
            }
            Err(error) => {
                self.abandon();
                Err(error)
            }
        }
    }

    fn run_write<T, E, F>(&self, begin: TransactionMode, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        match self.outer.get() {
            OuterTransactionState::None => {
                self.begin_writing(begin, now)?;
                self.run_and_end(body)
            }
            OuterTransactionState::NotStarted | OuterTransactionState::Reading | OuterTransactionState::Writing => {
                let turn = self.become_writer(now).map_err(E::from);
                turn.and_then(|()| self.run_in_open_transaction(body))
                    .inspect_err(|_| self.outer.set(OuterTransactionState::Failed))
            }
            OuterTransactionState::Failed => Err(rolled_back_error().into()),
        }
    }

    /// Switches the outer transaction from reading to writing at its first write. Earlier reads saw an older snapshot,
    /// but they did not have to wait for a writer.
    fn become_writer(&self, now: i64) -> Result<(), StoreError> {
        if self.outer.replace(OuterTransactionState::Writing) != OuterTransactionState::Writing {
            self.abandon();
            self.begin_writing(TransactionMode::Writing, now)?;
        }
        Ok(())
    }
}

impl Postgres {
    /// See [`Database`](crate::Database).
    pub fn read<T, E, F>(&self, _: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        match self.outer.get() {
            OuterTransactionState::None => {
                self.begin_reading()?;
                let answer = self.run_in_open_transaction(body);
                // A read has nothing to commit, so no caller needs to wait for its end.
                self.abandon();
                answer
            }
            OuterTransactionState::NotStarted => {
                self.begin_reading()?;
                self.outer.set(OuterTransactionState::Reading);
                self.run_in_open_transaction(body)
            }
            OuterTransactionState::Reading | OuterTransactionState::Writing => self.run_in_open_transaction(body),
            OuterTransactionState::Failed => Err(rolled_back_error().into()),
        }
    }

    /// See [`Database`](crate::Database).
    pub fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        self.run_write(TransactionMode::Writing, now, body)
    }

    /// See [`Database`](crate::Database).
    pub fn write_with_short_timeout<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        self.run_write(TransactionMode::WritingWithShortTimeout, now, body)
    }

    /// See [`Database`](crate::Database).
    pub fn in_one_transaction<T, E, F>(&self, _: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce() -> Result<T, E>,
    {
        if self.is_in_transaction() {
            return Err(StoreError::new(StoreErrorKind::Internal, "a transaction was opened inside another").into());
        }
        self.outer.set(OuterTransactionState::NotStarted);
        let outcome = body();
        match self.outer.replace(OuterTransactionState::None) {
            OuterTransactionState::Writing => self.commit_or_roll_back(outcome),
            OuterTransactionState::Failed => self.commit_or_roll_back(outcome.and(Err(rolled_back_error().into()))),
            OuterTransactionState::None | OuterTransactionState::NotStarted | OuterTransactionState::Reading => {
                self.abandon();
                outcome
            }
        }
    }

    /// See [`Database`](crate::Database).
    pub fn is_in_transaction(&self) -> bool {
        self.outer.get() != OuterTransactionState::None
    }

    /// See [`Database`](crate::Database).
    pub fn exists(&self, _: i64) -> Result<bool, StoreError> {
        self.has_schema()
    }

    /// See [`Database`](crate::Database).
    pub fn snapshot(&self, _: &str) -> Result<(), StoreError> {
        Err(StoreError::new(StoreErrorKind::Unavailable, "use argus-mcp backup to copy it"))
    }
}

fn rolled_back_error() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a write of this call failed, so the whole call was rolled back")
}
