//! A file or a server, by what is known when a program runs: what stands on it is compiled once for both.

use super::{
    Database, Row, Tx, Value,
    postgres::{Driver, Postgres, PostgresTx},
    sqlite::{Sqlite, SqliteTx},
};
use crate::error::StoreError;

/// Either database.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a process has a handful")]
pub enum AnyDatabase<D> {
    /// The embedded one.
    Sqlite(Sqlite),
    /// One project of a server.
    Postgres(Postgres<D>),
}

/// Statements of the open transaction of either.
#[derive(Debug)]
pub enum AnyTx<'a, D> {
    /// Of the embedded one.
    Sqlite(SqliteTx<'a>),
    /// Of a server.
    Postgres(PostgresTx<'a, D>),
}

/// Does the same with whichever it is.
macro_rules! with {
    ($kind:ident, $either:expr, $one:ident => $run:expr) => {
        match $either {
            $kind::Sqlite($one) => $run,
            $kind::Postgres($one) => $run,
        }
    };
}

/// Runs a transaction of whichever it is, whose body takes either.
macro_rules! transaction {
    ($self:ident.$kind:ident($now:ident, $body:ident)) => {
        match $self {
            Self::Sqlite(database) => {
                let body = async |tx: &mut SqliteTx<'_>| $body(&mut AnyTx::Sqlite(*tx)).await;
                database.$kind($now, body).await
            }
            Self::Postgres(database) => {
                let body = async |tx: &mut PostgresTx<'_, D>| $body(&mut AnyTx::Postgres(*tx)).await;
                database.$kind($now, body).await
            }
        }
    };
}

impl<D: Driver + 'static> Database for AnyDatabase<D> {
    type Tx<'a> = AnyTx<'a, D>;

    async fn read<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut AnyTx<'_, D>) -> Result<T, E>,
    {
        transaction!(self.read(now, body))
    }

    async fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut AnyTx<'_, D>) -> Result<T, E>,
    {
        transaction!(self.write(now, body))
    }

    async fn write_now<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut AnyTx<'_, D>) -> Result<T, E>,
    {
        transaction!(self.write_now(now, body))
    }

    async fn in_one<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce() -> Result<T, E>,
    {
        with!(Self, self, database => database.in_one(now, body).await)
    }

    fn is_shared(&self) -> bool {
        with!(Self, self, database => database.is_shared())
    }

    fn is_in_one(&self) -> bool {
        with!(Self, self, database => database.is_in_one())
    }

    async fn exists(&self, now: i64) -> Result<bool, StoreError> {
        with!(Self, self, database => database.exists(now).await)
    }

    async fn snapshot(&self, path: &str) -> Result<(), StoreError> {
        with!(Self, self, database => database.snapshot(path).await)
    }
}

impl<D: Driver> Tx for AnyTx<'_, D> {
    async fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        with!(Self, self, tx => tx.query(sql, params).await)
    }

    async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        with!(Self, self, tx => tx.execute(sql, params).await)
    }

    async fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError> {
        with!(Self, self, tx => tx.execute_many(sql, rows).await)
    }

    async fn post(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError> {
        with!(Self, self, tx => tx.post(sql, params).await)
    }

    async fn query_many<const N: usize>(
        &mut self,
        sql: &'static str,
        params: &[[Value<'_>; N]],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        with!(Self, self, tx => tx.query_many(sql, params).await)
    }
}
