//! The seam between the store and a database: transactions, and statements inside them.

pub mod any;
pub mod copy;
pub mod postgres;
pub mod sqlite;

use crate::error::StoreError;
use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    vec::IntoIter,
};

/// A database that runs transactions.
///
/// Early returns roll back. The error type is the caller's, so that a refusal of the engine
/// (an unknown case) rolls back like one of the database. Each is handed the time (`now`, UTC milliseconds): a
/// transaction that makes a database, or brings it to this version, writes down when.
#[allow(async_fn_in_trait, reason = "one thread: nothing here needs Send")]
pub trait Database {
    /// An open transaction.
    type Tx<'a>: Tx
    where
        Self: 'a;

    /// Reads from one consistent state.
    async fn read<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut Self::Tx<'_>) -> Result<T, E>;

    /// Reads and writes as one; nobody else writes meanwhile.
    async fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut Self::Tx<'_>) -> Result<T, E>;

    /// Like `write`, but waits only a moment where somebody else has the lock, and fails then.
    async fn write_now<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut Self::Tx<'_>) -> Result<T, E>;

    /// Runs `body`, all of whose transactions on this database are then one write: what they wrote stays together or
    /// not at all. What is read before the first write may be of an earlier moment, as it may be where they are not one.
    async fn in_one<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce() -> Result<T, E>;

    /// Whether that is so now.
    fn is_in_one(&self) -> bool;

    /// Whether it is a team's, which holds nothing that must not leave a machine.
    fn is_shared(&self) -> bool {
        false
    }

    /// Whether there is one yet. A missing one is read as an empty one, and made when it is written.
    async fn exists(&self, now: i64) -> Result<bool, StoreError>;

    /// Writes a copy into a new file. Others may read meanwhile; who wants to write waits.
    async fn snapshot(&self, path: &str) -> Result<(), StoreError>;
}

/// Statements of one transaction. Parameters are `$1`, `$2`, ...
#[allow(async_fn_in_trait, reason = "one thread: nothing here needs Send")]
pub trait Tx {
    /// All rows of a statement.
    async fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError>;

    /// How many rows a statement changed.
    async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError>;

    /// The same statement for many parameter rows.
    async fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError>;

    /// Changes something. How many rows nobody asks, so it may be sent with what comes next and fail there: at the
    /// latest where the transaction ends.
    async fn post(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError> {
        self.execute(sql, params).await.map(drop)
    }

    /// The rows of the same statement for each of many parameter rows.
    async fn query_many<const N: usize>(
        &mut self,
        sql: &'static str,
        params: &[[Value<'_>; N]],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut answers = Vec::with_capacity(params.len());
        for row in params {
            answers.push(self.query(sql, row).await?);
        }
        Ok(answers)
    }

    /// The first row, if there is one.
    async fn query_first(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'v> {
    /// SQL's NULL.
    Null,
    /// 64-bit integer; booleans and times too.
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

/// A value of an answered row.
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
    /// The same as a parameter.
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

/// One answered row, read column by column in the order of the SELECT.
#[derive(Debug)]
pub struct Row(IntoIter<Cell>);

impl Row {
    /// A row of these cells.
    pub fn new(cells: Vec<Cell>) -> Self {
        Self(cells.into_iter())
    }

    /// The columns that were not read.
    pub(crate) fn into_cells(self) -> Vec<Cell> {
        self.0.collect()
    }

    /// The next column.
    pub fn read<T: FromCell>(&mut self) -> Result<T, StoreError> {
        let cell = self.0.next().ok_or_else(|| StoreError::corrupt("a row has fewer columns than it should"))?;
        T::from_cell(cell)
    }
}

/// What a column can be read as.
pub trait FromCell: Sized {
    /// An error where the stored type is not the schema's.
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
    #[allow(clippy::cast_precision_loss, reason = "durations and scores; SQLite may hold a whole one as an integer")]
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

/// Runs a future that never waits, as all of the embedded database are.
pub fn finish<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the embedded database never waits"),
    }
}
