//! PostgreSQL, and what speaks its protocol, through a driver of the host. A project is a schema with a role of its own.
//!
//! A round trip costs what a whole transaction costs on a file, so statements whose answers nobody reads are sent with
//! the next one whose answer somebody does ([`Tx::post`]), and the first takes the transaction's beginning along.
//!
//! One writer a project: who writes takes the one row of `writer` by updating it. READ COMMITTED then sees all that was
//! committed before; a SELECT FOR UPDATE under REPEATABLE READ would wait and read the state from before the wait.
//! Readers see one snapshot and never wait.

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

/// Before the name of a project in that of its schema and role.
const PREFIX: &str = "argus_";

/// PostgreSQL cuts a name off after 63.
const MAX_NAME_BYTES: usize = 50;

/// The server's own memory, of tokens and of what was done with them.
pub const SERVER: &str = "_server";

/// The schema that is read where a project has none yet. No project is called so, for a name begins with a letter or a
/// digit.
const NOTHING: &str = "argus__nothing";

/// Schemas that this process knows to be of this version. They are looked at once, for they are never deleted or taken
/// back while a server runs.
#[derive(Clone, Debug, Default)]
pub struct KnownSchemas(Rc<RefCell<BTreeSet<String>>>);

/// The memory of one project, for one call at a time.
#[derive(Debug)]
pub struct Postgres {
    driver: Rc<dyn Driver>,
    schema: String,
    known: KnownSchemas,
    outer: Cell<Outer>,
    pending: RefCell<Vec<Statement>>,
    /// Which of `pending` answers the version of the schema.
    version_at: Cell<Option<usize>>,
    /// Why nothing more can be asked in the open transaction: what failed in it fails all of it, also where its error was
    /// not passed on.
    failure: Cell<Option<StoreErrorKind>>,
}

/// The transaction that those of a body are part of, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outer {
    None,
    /// Nothing was asked in it yet.
    Unasked,
    /// It has only read, so that others may write meanwhile.
    Reading,
    /// It has taken the project's turn.
    Writing,
    /// A write inside it failed, so that nothing of it may stay.
    Failed,
}

impl Postgres {
    /// The memory of a project, whose name is at most 50 characters of `a-z0-9._-`; it becomes part of statements.
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

    /// Makes the project's schema, or brings it to this version.
    pub fn migrate(&self, now: i64) -> Result<(), StoreError> {
        migrate::migrate(&*self.driver, NOTHING, now)?;
        migrate::migrate(&*self.driver, &self.schema, now)
    }

    /// What the project's schema is to this version.
    pub fn state(&self) -> Result<SchemaState, StoreError> {
        migrate::state(&*self.driver, &self.schema)
    }

    /// The projects that have a schema.
    pub fn projects(&self) -> Result<Vec<String>, StoreError> {
        migrate::projects(&*self.driver)
    }

    /// How often the project was written; it rises with every write.
    pub fn writes(&self) -> Result<i64, StoreError> {
        migrate::writes(&*self.driver, &self.schema)
    }

    /// Looked at once.
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

    /// What was written stays only where the outcome is good.
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

    /// With the first write: what was read until then is of a moment before, and nobody had to wait for it.
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
                // Nothing of it is to stay, so that nobody waits for its end.
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
