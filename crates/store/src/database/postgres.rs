//! PostgreSQL, or a server that speaks its protocol, through a driver of the host. A project is a schema with a role of
//! the same name.
//!
//! A round trip costs as much as a whole transaction on a file. Statements whose answers are not read ([`Tx::post`])
//! are therefore sent together with the next statement whose answer is read. The beginning of a transaction is sent
//! with its first statement.
//!
//! Each project has one writer at a time: a writer updates the single row of the table `writer`. Under READ COMMITTED
//! the writer then sees everything that was committed before. SELECT FOR UPDATE under REPEATABLE READ would wait and
//! then read the state from before the wait. Readers see one snapshot and never wait.

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
use transaction::Begin;

/// Schema and role of a project are named `argus_<project>`.
const PREFIX: &str = "argus_";

/// PostgreSQL truncates names after 63 bytes.
const MAX_NAME_BYTES: usize = 50;

/// Project name of the server's own memory, which holds tokens and the audit log.
pub const SERVER: &str = "_server";

/// An empty schema to read from when a project has no schema yet. No project can have this name, because a project's
/// name begins with a letter or a digit.
const NOTHING: &str = "argus__nothing";

/// Schemas that this process has checked and that have the current version. One check is enough, because schemas are
/// never deleted or downgraded while a server runs.
#[derive(Clone, Debug, Default)]
pub struct KnownSchemas(Rc<RefCell<BTreeSet<String>>>);

/// The memory of one project. It handles one call at a time.
#[derive(Debug)]
pub struct Postgres {
    driver: Rc<dyn Driver>,
    schema: String,
    known: KnownSchemas,
    outer: Cell<Outer>,
    pending: RefCell<Vec<Statement>>,
    /// Index in `pending` of the statement that answers the schema version.
    version_at: Cell<Option<usize>>,
    /// Set when a statement of the open transaction failed. The whole transaction fails then, even if the caller
    /// ignored the error.
    failure: Cell<Option<StoreErrorKind>>,
}

/// State of the outer transaction that [`Postgres::in_one`] opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outer {
    None,
    /// No statement was sent in it yet.
    Unasked,
    /// It has only read, so other writers can write meanwhile.
    Reading,
    /// It holds the project's writer row.
    Writing,
    /// A write inside it failed, so everything must be rolled back.
    Failed,
}

impl Postgres {
    /// Opens the memory of a project. The name has at most 50 characters of `a-z0-9._-`, because it becomes part of SQL
    /// statements.
    pub fn new(driver: Rc<dyn Driver>, project: &str, known: KnownSchemas) -> Result<Self, StoreError> {
        let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_' | b'-');
        if project.is_empty() || project.len() > MAX_NAME_BYTES || !project.bytes().all(is_allowed) {
            return Err(StoreError::new(StoreErrorKind::Internal, "that is no name of a project"));
        }
        Ok(Self {
            driver,
            schema: format!("{PREFIX}{project}"),
            known,
            outer: Cell::new(Outer::None),
            pending: RefCell::new(Vec::new()),
            version_at: Cell::new(None),
            failure: Cell::new(None),
        })
    }

    /// Creates the project's schema or migrates it to the current version.
    pub fn migrate(&self, now: i64) -> Result<(), StoreError> {
        migrate::migrate(&*self.driver, NOTHING, now)?;
        migrate::migrate(&*self.driver, &self.schema, now)
    }

    /// State of the project's schema.
    pub fn state(&self) -> Result<SchemaState, StoreError> {
        migrate::state(&*self.driver, &self.schema)
    }

    /// Names of the projects that have a schema.
    pub fn projects(&self) -> Result<Vec<String>, StoreError> {
        migrate::projects(&*self.driver)
    }

    /// Number of writes to the project so far. It rises with every write.
    pub fn writes(&self) -> Result<i64, StoreError> {
        migrate::writes(&*self.driver, &self.schema)
    }

    /// Checks the schema at the server only once per process.
    fn is_there(&self) -> Result<bool, StoreError> {
        if self.known.0.borrow().contains(&self.schema) {
            return Ok(true);
        }
        let is_there = match self.state()? {
            SchemaState::Missing => return Ok(false),
            state => state.require_current().map(|()| true)?,
        };
        self.known.0.borrow_mut().insert(self.schema.clone());
        Ok(is_there)
    }

    fn begin_reading(&self) -> Result<(), StoreError> {
        let schema = if self.is_there()? { &self.schema } else { NOTHING };
        self.begin(Begin::Reading, schema);
        Ok(())
    }

    fn begin_writing(&self, begin: Begin, now: i64) -> Result<(), StoreError> {
        if !self.is_there()? {
            migrate::migrate(&*self.driver, &self.schema, now)?;
            self.known.0.borrow_mut().insert(self.schema.clone());
        }
        self.begin(begin, &self.schema);
        Ok(())
    }

    fn finish<T, E, F>(&self, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        let answer = self.part(body);
        self.end(answer)
    }

    fn part<T, E, F>(&self, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        body(&mut Tx::Postgres(PostgresTx { database: self }))
    }

    /// Commits if the outcome is `Ok`, otherwise rolls back.
    fn end<T, E: From<StoreError>>(&self, outcome: Result<T, E>) -> Result<T, E> {
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

    fn written<T, E, F>(&self, begin: Begin, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        match self.outer.get() {
            Outer::None => {
                self.begin_writing(begin, now)?;
                self.finish(body)
            }
            Outer::Unasked | Outer::Reading | Outer::Writing => {
                let turn = self.take_turn(now).map_err(E::from);
                turn.and_then(|()| self.part(body)).inspect_err(|_| self.outer.set(Outer::Failed))
            }
            Outer::Failed => Err(undone().into()),
        }
    }

    /// Switches the outer transaction from reading to writing at its first write. Earlier reads saw an older snapshot,
    /// but they did not have to wait for a writer.
    fn take_turn(&self, now: i64) -> Result<(), StoreError> {
        if self.outer.replace(Outer::Writing) != Outer::Writing {
            self.abandon();
            self.begin_writing(Begin::Writing, now)?;
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
            Outer::None => {
                self.begin_reading()?;
                let answer = self.part(body);
                // A read has nothing to commit, so nobody needs to wait for its end.
                self.abandon();
                answer
            }
            Outer::Unasked => {
                self.begin_reading()?;
                self.outer.set(Outer::Reading);
                self.part(body)
            }
            Outer::Reading | Outer::Writing => self.part(body),
            Outer::Failed => Err(undone().into()),
        }
    }

    /// See [`Database`](crate::Database).
    pub fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        self.written(Begin::Writing, now, body)
    }

    /// See [`Database`](crate::Database).
    pub fn write_now<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        self.written(Begin::WritingNow, now, body)
    }

    /// See [`Database`](crate::Database).
    pub fn in_one<T, E, F>(&self, _: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce() -> Result<T, E>,
    {
        if self.is_in_one() {
            return Err(StoreError::new(StoreErrorKind::Internal, "a transaction was opened inside another").into());
        }
        self.outer.set(Outer::Unasked);
        let outcome = body();
        match self.outer.replace(Outer::None) {
            Outer::Writing => self.end(outcome),
            Outer::Failed => self.end(outcome.and(Err(undone().into()))),
            Outer::None | Outer::Unasked | Outer::Reading => {
                self.abandon();
                outcome
            }
        }
    }

    /// See [`Database`](crate::Database).
    pub fn is_in_one(&self) -> bool {
        self.outer.get() != Outer::None
    }

    /// See [`Database`](crate::Database).
    pub fn exists(&self, _: i64) -> Result<bool, StoreError> {
        self.is_there()
    }

    /// See [`Database`](crate::Database).
    pub fn snapshot(&self, _: &str) -> Result<(), StoreError> {
        Err(StoreError::new(StoreErrorKind::Unavailable, "a copy of it is made by argus-mcp backup"))
    }
}

fn undone() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a write of this call failed, and all of it was undone")
}
