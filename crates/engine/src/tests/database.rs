//! The database of a world: SQLite, or PostgreSQL where `ARGUS_TEST_POSTGRES` says which server.

use argus_store::{
    Database, KnownSchemas, Mode, NativeDriver, Postgres, Sqlite, StoreError, Tx,
    database::{Row, Value},
    finish,
    postgres::SERVER,
};
use std::{
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
};

/// A transaction without its kind and its lifetime: nothing here waits.
pub(crate) trait Statements {
    fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError>;
    fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError>;
    fn post(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError>;
}

impl<T: Tx> Statements for T {
    fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        finish(Tx::query(self, sql, params))
    }

    fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        finish(Tx::execute(self, sql, params))
    }

    fn post(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError> {
        finish(Tx::post(self, sql, params))
    }
}

/// A transaction of either.
pub(crate) struct AnyTx<'a>(&'a mut (dyn Statements + 'a));

impl Tx for AnyTx<'_> {
    async fn query(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        self.0.query(sql, params)
    }

    async fn execute(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<u64, StoreError> {
        self.0.execute(sql, params)
    }

    async fn execute_many<'v, const N: usize>(
        &mut self,
        sql: &'static str,
        mut rows: impl Iterator<Item = [Value<'v>; N]>,
    ) -> Result<(), StoreError> {
        rows.try_for_each(|row| self.0.post(sql, &row))
    }

    async fn post(&mut self, sql: &'static str, params: &[Value<'_>]) -> Result<(), StoreError> {
        self.0.post(sql, params)
    }
}

/// Either.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one a test")]
pub(crate) enum AnyDatabase {
    Sqlite(Sqlite),
    Postgres(Postgres<Rc<NativeDriver>>),
}

/// Of the projects of one run of the tests.
static PROJECTS: AtomicU64 = AtomicU64::new(0);

impl AnyDatabase {
    /// One that holds nothing and is gone with the test, or with the server.
    pub(super) fn fresh() -> Self {
        if server().is_none() {
            return Self::file(":memory:").unwrap();
        }
        let (driver, project) = connection();
        Self::Postgres(Postgres::new(driver, &project, KnownSchemas::default()).unwrap())
    }

    pub(super) fn file(path: &str) -> Result<Self, StoreError> {
        Sqlite::open(path, None, Mode::ReadWrite).map(Self::Sqlite)
    }
}

#[expect(clippy::disallowed_methods, reason = "the server is told by a variable")]
fn server() -> Option<String> {
    std::env::var("ARGUS_TEST_POSTGRES").ok()
}

/// A connection, and the name of a project that nobody else has.
pub(super) fn connection() -> (Rc<NativeDriver>, String) {
    let driver = NativeDriver::connect(&server().expect("ARGUS_TEST_POSTGRES is set")).expect("its server answers");
    let driver = Rc::new(driver);
    finish(Postgres::new(Rc::clone(&driver), SERVER, KnownSchemas::default()).unwrap().migrate(0)).unwrap();
    let name = format!("t{}-{}", std::process::id(), PROJECTS.fetch_add(1, Ordering::Relaxed));
    (driver, name)
}

macro_rules! on_either {
    ($self:ident, $body:ident, $database:ident => $run:expr) => {
        match $self {
            Self::Sqlite($database) => {
                let $body = async |tx: &mut <Sqlite as Database>::Tx<'_>| $body(&mut AnyTx(tx)).await;
                $run
            }
            Self::Postgres($database) => {
                let $body =
                    async |tx: &mut <Postgres<Rc<NativeDriver>> as Database>::Tx<'_>| $body(&mut AnyTx(tx)).await;
                $run
            }
        }
    };
}

impl Database for AnyDatabase {
    type Tx<'a> = AnyTx<'a>;

    async fn read<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut AnyTx<'_>) -> Result<T, E>,
    {
        on_either!(self, body, database => database.read(now, body).await)
    }

    async fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut AnyTx<'_>) -> Result<T, E>,
    {
        on_either!(self, body, database => database.write(now, body).await)
    }

    async fn write_now<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce(&mut AnyTx<'_>) -> Result<T, E>,
    {
        on_either!(self, body, database => database.write_now(now, body).await)
    }

    async fn in_one<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: AsyncFnOnce() -> Result<T, E>,
    {
        match self {
            Self::Sqlite(database) => database.in_one(now, body).await,
            Self::Postgres(database) => database.in_one(now, body).await,
        }
    }

    fn is_in_one(&self) -> bool {
        match self {
            Self::Sqlite(database) => database.is_in_one(),
            Self::Postgres(database) => database.is_in_one(),
        }
    }

    async fn exists(&self, now: i64) -> Result<bool, StoreError> {
        match self {
            Self::Sqlite(database) => database.exists(now).await,
            Self::Postgres(database) => database.exists(now).await,
        }
    }

    async fn snapshot(&self, path: &str) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(database) => database.snapshot(path).await,
            Self::Postgres(database) => database.snapshot(path).await,
        }
    }
}
