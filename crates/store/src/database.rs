//! A database with its transactions and their statements: an embedded file, or one project of a server.

pub mod copy;
pub mod postgres;
pub mod sqlite;

use crate::error::StoreError;
use postgres::{Postgres, PostgresTx};
use sqlite::{Sqlite, SqliteTx};
use std::vec::IntoIter;

/// A database that runs transactions.
///
/// If the body of a transaction returns an error, the transaction is rolled back. The caller chooses the error type, so
/// that an error of the engine, such as an unknown case, also rolls back. Every transaction takes the current time
/// (`now`, UTC milliseconds), because a transaction that creates or migrates the database stores the time.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a process has a handful")]
pub enum Database {
    /// An embedded file.
    Sqlite(Sqlite),
    /// A project of a server.
    Postgres(Postgres),
}

/// The open transaction of a [`Database`]. Parameters of its statements are `$1`, `$2`, ...
#[derive(Debug)]
pub enum Tx<'a> {
    /// Transaction of an embedded file.
    Sqlite(SqliteTx<'a>),
    /// Transaction of a server.
    Postgres(PostgresTx<'a>),
}

/// Runs the same expression for both variants.
macro_rules! dispatch {
    ($kind:ident, $either:expr, $one:ident => $run:expr) => {
        match $either {
            $kind::Sqlite($one) => $run,
            $kind::Postgres($one) => $run,
        }
    };
}

impl Database {
    /// Reads from a consistent state.
    pub fn read<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        dispatch!(Self, self, database => database.read(now, body))
    }

    /// Reads and writes in one transaction, while no other process writes.
    pub fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        dispatch!(Self, self, database => database.write(now, body))
    }

    /// Like `write`, but fails after 100 ms while another writer holds the lock.
    pub fn write_with_short_timeout<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        dispatch!(Self, self, database => database.write_with_short_timeout(now, body))
    }

    /// Runs `body` and commits all of its writes together, or none. On a server, data that `body` reads before its
    /// first write may be older than data that it reads later.
    pub fn in_one_transaction<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce() -> Result<T, E>,
    {
        dispatch!(Self, self, database => database.in_one_transaction(now, body))
    }

    /// Returns true while [`Database::in_one_transaction`] runs.
    pub fn is_in_transaction(&self) -> bool {
        dispatch!(Self, self, database => database.is_in_transaction())
    }

    /// Returns true if the database belongs to a team, so that it must not store data that is private to a machine.
    pub const fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Returns true if the database was created. Reads of a missing database find no data, and the first write creates
    /// the database.
    pub fn exists(&self, now: i64) -> Result<bool, StoreError> {
        dispatch!(Self, self, database => database.exists(now))
    }

    /// Writes a copy into a new file. Other processes can read meanwhile, but writers wait.
    pub fn snapshot(&self, path: &str) -> Result<(), StoreError> {
        dispatch!(Self, self, database => database.snapshot(path))
    }
}

impl Tx<'_> {
    /// Runs a statement and returns all rows.
    pub fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        dispatch!(Self, self, tx => tx.query(sql, params))
    }

    /// Runs a statement and returns the first row, or `None`.
    pub fn query_first(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, params)?.into_iter().next())
    }

    /// Runs the same statement for each parameter row and returns the rows of each.
    pub fn query_many<const N: usize>(
        &mut self,
        sql: &'static str,
        params: &[[Value<'_>; N]],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        dispatch!(Self, self, tx => tx.query_many(sql, params))
    }

    /// Runs a statement and returns the number of changed rows.
    pub fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        dispatch!(Self, self, tx => tx.execute(sql, params))
    }

    /// Executes the same statement for each parameter row.
    pub fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError> {
        dispatch!(Self, self, tx => tx.execute_many(sql, rows))
    }

    /// Executes a statement without returning the number of changed rows. On a server the statement may be sent
    /// together with the next statement, so an error may appear later: when the transaction ends at the latest.
    pub fn execute_deferred(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.execute(sql, params).map(drop),
            Self::Postgres(tx) => tx.post(sql, params),
        }
    }
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'v> {
    /// SQL's NULL.
    Null,
    /// 64-bit integer; also used for booleans and times.
    Int(i64),
    /// Double precision.
    Real(f64),
    /// Text.
    Text(&'v str),
    /// Bytes that only this program reads.
    Bytes(&'v [u8]),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Self::Int(value.into())
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Int(value.into())
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(value: &'v str) -> Self {
        Self::Text(value)
    }
}

impl<'v> From<&'v String> for Value<'v> {
    fn from(value: &'v String) -> Self {
        Self::Text(value)
    }
}

impl<'v> From<&'v Option<String>> for Value<'v> {
    fn from(value: &'v Option<String>) -> Self {
        value.as_deref().into()
    }
}

impl<T: Into<Self>> From<Option<T>> for Value<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// A value in a result row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// SQL's NULL.
    Null,
    /// 64-bit integer.
    Int(i64),
    /// Double precision.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes that only this program reads.
    Bytes(Vec<u8>),
}

impl Cell {
    pub(crate) fn as_value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Int(value) => Value::Int(*value),
            Self::Real(value) => Value::Real(*value),
            Self::Text(value) => Value::Text(value),
            Self::Bytes(value) => Value::Bytes(value),
        }
    }
}

impl From<Value<'_>> for Cell {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Int(value) => Self::Int(value),
            Value::Real(value) => Self::Real(value),
            Value::Text(value) => Self::Text(value.to_owned()),
            Value::Bytes(value) => Self::Bytes(value.to_vec()),
        }
    }
}

/// A result row, read column by column in the order of the SELECT.
#[derive(Debug)]
pub struct Row(IntoIter<Cell>);

impl Row {
    /// Creates a row from cells.
    pub fn new(cells: Vec<Cell>) -> Self {
        Self(cells.into_iter())
    }

    /// Returns the columns that were not read yet.
    pub(crate) fn into_cells(self) -> Vec<Cell> {
        self.0.collect()
    }

    /// Reads the next column.
    pub fn read<T: FromCell>(&mut self) -> Result<T, StoreError> {
        let cell = self.0.next().ok_or_else(|| StoreError::corrupt("a row has fewer columns than it should"))?;
        T::from_cell(cell)
    }
}

/// A type into which the value of a column can be converted.
pub trait FromCell: Sized {
    /// Returns an error if the stored type differs from the schema.
    fn from_cell(cell: Cell) -> Result<Self, StoreError>;
}

impl FromCell for i64 {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Int(value) => Ok(value),
            other => Err(type_error("an integer", &other)),
        }
    }
}

impl FromCell for u32 {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        let value = i64::from_cell(cell)?;
        Self::try_from(value).map_err(|_| StoreError::corrupt("a stored count is out of range"))
    }
}

impl FromCell for i32 {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        let value = i64::from_cell(cell)?;
        Self::try_from(value).map_err(|_| StoreError::corrupt("a stored number is out of range"))
    }
}

impl FromCell for bool {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        Ok(i64::from_cell(cell)? != 0)
    }
}

impl FromCell for f64 {
    #[allow(
        clippy::cast_precision_loss,
        reason = "durations and scores; SQLite may store a whole number as an integer"
    )]
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Real(value) => Ok(value),
            Cell::Int(value) => Ok(value as Self),
            other => Err(type_error("a number", &other)),
        }
    }
}

impl FromCell for String {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Text(value) => Ok(value),
            other => Err(type_error("a text", &other)),
        }
    }
}

impl FromCell for Vec<u8> {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Bytes(value) => Ok(value),
            other => Err(type_error("bytes", &other)),
        }
    }
}

impl<T: FromCell> FromCell for Option<T> {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Null => Ok(None),
            other => T::from_cell(other).map(Some),
        }
    }
}

fn type_error(wanted: &str, cell: &Cell) -> StoreError {
    let found = match cell {
        Cell::Null => "nothing",
        Cell::Int(_) => "an integer",
        Cell::Real(_) => "a real number",
        Cell::Text(_) => "a text",
        Cell::Bytes(_) => "bytes",
    };
    StoreError::corrupt(&format!("a column should hold {wanted} and holds {found}"))
}
