//! The database of a world: SQLite, or PostgreSQL where `ARGUS_TEST_POSTGRES` says which server.

use argus_store::{KnownSchemas, Mode, NativeDriver, Postgres, Sqlite, StoreError, database::postgres::SERVER, finish};
use std::{
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
};

pub(crate) type AnyDatabase = argus_store::AnyDatabase<Rc<NativeDriver>>;
pub(crate) type AnyTx<'a> = argus_store::AnyTx<'a, Rc<NativeDriver>>;

/// Of the projects of one run of the tests.
static PROJECTS: AtomicU64 = AtomicU64::new(0);

/// One that holds nothing and is gone with the test, or with the server.
pub(super) fn fresh() -> AnyDatabase {
    if server().is_none() {
        return file(":memory:").unwrap();
    }
    let (driver, project) = connection();
    AnyDatabase::Postgres(Postgres::new(driver, &project, KnownSchemas::default()).unwrap())
}

pub(super) fn file(path: &str) -> Result<AnyDatabase, StoreError> {
    Sqlite::open(path, None, Mode::ReadWrite).map(AnyDatabase::Sqlite)
}

#[expect(clippy::disallowed_methods, reason = "the server is told by a variable")]
fn server() -> Option<String> {
    std::env::var("ARGUS_TEST_POSTGRES").ok()
}

pub(super) fn connect() -> Rc<NativeDriver> {
    let url = server().expect("ARGUS_TEST_POSTGRES is set");
    Rc::new(NativeDriver::connect(&url).expect("its server answers"))
}

/// A connection, and the name of a project that nobody else has.
pub(super) fn connection() -> (Rc<NativeDriver>, String) {
    let driver = connect();
    finish(Postgres::new(Rc::clone(&driver), SERVER, KnownSchemas::default()).unwrap().migrate(0)).unwrap();
    let name = format!("t{}-{}", std::process::id(), PROJECTS.fetch_add(1, Ordering::Relaxed));
    (driver, name)
}
