//! Runs statements on a SQLite connection.

use crate::{
    database::{Cell, Row, Value},
    error::{StoreError, StoreErrorKind},
};
use rusqlite::{
    Connection, Statement,
    types::{ToSqlOutput, ValueRef},
};
use std::cell::Cell as Flag;

/// Runs statements in the open transaction.
#[derive(Clone, Copy, Debug)]
pub struct SqliteTx<'a> {
    pub(super) connection: &'a Connection,
    /// Set when the file turns out to be moved or deleted.
    pub(super) moved: &'a Flag<bool>,
}

impl SqliteTx<'_> {
    pub(crate) fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        mark_if_moved(query(self.connection, sql, params), self.moved)
    }

    pub(crate) fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        mark_if_moved(execute(self.connection, sql, params), self.moved)
    }

    pub(crate) fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError> {
        mark_if_moved(execute_many(self.connection, sql, rows), self.moved)
    }

    pub(crate) fn query_many<const N: usize>(
        &mut self,
        sql: &'static str,
        params: &[[Value<'_>; N]],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        mark_if_moved(query_many(self.connection, sql, params), self.moved)
    }
}

fn query(connection: &Connection, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let order = parameter_positions(&statement)?;
    bind_params(&mut statement, &order, params)?;
    read_rows(&mut statement)
}

fn query_many<const N: usize>(
    connection: &Connection,
    sql: &str,
    params: &[[Value<'_>; N]],
) -> Result<Vec<Vec<Row>>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let order = parameter_positions(&statement)?;
    let ask = |params: &[_; N]| {
        bind_params(&mut statement, &order, params)?;
        read_rows(&mut statement)
    };
    params.iter().map(ask).collect()
}

fn read_rows(statement: &mut Statement<'_>) -> Result<Vec<Row>, StoreError> {
    let width = statement.column_count();
    let mut rows = statement.raw_query();
    let mut answer = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = (0..width).map(|column| convert_cell(row.get_ref(column)?)).collect::<Result<_, StoreError>>()?;
        answer.push(Row::new(cells));
    }
    Ok(answer)
}

fn execute(connection: &Connection, sql: &str, params: &[Value<'_>]) -> Result<u64, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let order = parameter_positions(&statement)?;
    bind_params(&mut statement, &order, params)?;
    Ok(statement.raw_execute()? as u64)
}

fn execute_many<'v, const N: usize>(
    connection: &Connection,
    sql: &str,
    rows: impl Iterator<Item = [Value<'v>; N]>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let order = parameter_positions(&statement)?;
    for row in rows {
        bind_params(&mut statement, &order, &row)?;
        statement.raw_execute()?;
    }
    Ok(())
}

/// Sets `moved` if the outcome shows that the file was moved or deleted.
pub(super) fn mark_if_moved<T>(outcome: Result<T, StoreError>, moved: &Flag<bool>) -> Result<T, StoreError> {
    if outcome.as_ref().is_err_and(StoreError::is_moved) {
        moved.set(true);
    }
    outcome
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(value),
            Value::Real(value) => ValueRef::Real(value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
        }))
    }
}

fn bind_params(statement: &mut Statement<'_>, order: &[usize], params: &[Value<'_>]) -> Result<(), StoreError> {
    for (index, position) in (1..).zip(order) {
        statement.raw_bind_parameter(index, params.get(*position).ok_or_else(unbound_parameter_error)?)?;
    }
    Ok(())
}

/// Returns for each parameter the index of its value. SQLite numbers `$n` parameters in the order of appearance, so the
/// index comes from the name of the parameter.
fn parameter_positions(statement: &Statement<'_>) -> Result<Vec<usize>, StoreError> {
    let position = |index| statement.parameter_name(index)?.strip_prefix('$')?.parse::<usize>().ok()?.checked_sub(1);
    (1..=statement.parameter_count()).map(|index| position(index).ok_or_else(unbound_parameter_error)).collect()
}

fn convert_cell(value: ValueRef<'_>) -> Result<Cell, StoreError> {
    match value {
        ValueRef::Null => Ok(Cell::Null),
        ValueRef::Integer(value) => Ok(Cell::Int(value)),
        ValueRef::Real(value) => Ok(Cell::Real(value)),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cell::Text(text.to_owned())),
            Err(_) => Err(StoreError::corrupt("a stored text is not UTF-8")),
        },
        ValueRef::Blob(bytes) => Ok(Cell::Bytes(bytes.to_vec())),
    }
}

fn unbound_parameter_error() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a statement has a parameter without a value")
}
