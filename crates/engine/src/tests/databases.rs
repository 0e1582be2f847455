//! The database of a world, and tests whose outcome may depend on it. They run on SQLite, and again on PostgreSQL where
//! `ARGUS_TEST_POSTGRES` is the URL of a server:
//! `cargo test --workspace --tests -- --include-ignored databases:: postgres::`

pub(super) mod every_call;
mod listing;
mod once;
mod round_trips;

use crate::tests::prelude::*;
use argus_store::CopiedDatabase;

pub(crate) type AnyDatabase = argus_store::AnyDatabase<Rc<NativeDriver>>;
pub(crate) type AnyTx<'a> = argus_store::AnyTx<'a, Rc<NativeDriver>>;

/// One that holds nothing and is gone with the test, or with the server.
pub(super) fn fresh() -> AnyDatabase {
    match server() {
        Some(_) => memory_in(&copied()),
        None => file(":memory:").unwrap(),
    }
}

pub(super) fn file(path: &str) -> Result<AnyDatabase, StoreError> {
    Sqlite::open(path, None, Mode::ReadWrite).map(AnyDatabase::Sqlite)
}

/// A database of a test's own on the server.
fn copied() -> CopiedDatabase {
    CopiedDatabase::new(&server().expect("ARGUS_TEST_POSTGRES is set")).unwrap()
}

/// Its memory, over a new connection.
fn memory_in(copied: &CopiedDatabase) -> AnyDatabase {
    AnyDatabase::Postgres(copied.memory(&copied.connect().unwrap()).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "the server is told by a variable")]
fn server() -> Option<String> {
    std::env::var("ARGUS_TEST_POSTGRES").ok()
}
