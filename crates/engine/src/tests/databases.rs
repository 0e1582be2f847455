//! The database of a world, and tests whose result may depend on the database. They run on SQLite, and also on
//! PostgreSQL if `ARGUS_TEST_POSTGRES` is the URL of a server:
//! `cargo test --workspace --tests -- --include-ignored databases:: postgres::`

pub(super) mod every_call;
mod listing;
mod once;
mod round_trips;

use crate::tests::prelude::*;
use argus_store::CopiedDatabase;

/// Returns an empty database that is deleted with the test or with the server.
pub(super) fn empty_database() -> Database {
    match server_url() {
        Some(_) => open_memory(&create_database_copy()),
        None => open_file(":memory:").unwrap(),
    }
}

pub(super) fn open_file(path: &str) -> Result<Database, StoreError> {
    Sqlite::open(path, None, FileAccess::ReadWrite).map(Database::Sqlite)
}

/// Creates a separate database on the server.
fn create_database_copy() -> CopiedDatabase {
    CopiedDatabase::new(&server_url().expect("ARGUS_TEST_POSTGRES is set")).unwrap()
}

/// Opens the memory of the database on a new connection.
fn open_memory(copied: &CopiedDatabase) -> Database {
    Database::Postgres(copied.memory(&copied.connect().unwrap()).unwrap())
}

#[expect(clippy::disallowed_methods, reason = "the server is told by a variable")]
fn server_url() -> Option<String> {
    std::env::var("ARGUS_TEST_POSTGRES").ok()
}
