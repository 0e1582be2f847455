//! The only crate with SQL: schema, migrations, and the functions that read and write inside a transaction.
//!
//! Every function takes an open transaction ([`Tx`]) and plain data. The caller decides what belongs into one
//! transaction, because it passes the body to [`Database::read`] or [`Database::write`]. SQL is written in the subset
//! that SQLite and PostgreSQL share; [`Database`] hides the differences.
//!
//! ```
//! use argus_store::{FileAccess, Sqlite, StoreError, runs};
//! let database = Sqlite::open(":memory:", None, FileAccess::ReadWrite)?;
//! let newest = database.read(0, |tx| runs::list_newest_ids(tx, 3))?;
//! assert!(newest.is_empty());
//! # Ok::<(), StoreError>(())
//! ```
//!
//! `argus-core` decides what a failure is. Callers pass the time and new ids as values, and no row type leaves this
//! crate.

pub mod access;
pub mod calls;
pub mod database;
pub mod error;
pub mod evidence;
pub mod fix_commits;
pub mod incidents;
mod keys;
pub mod patterns;
pub mod runs;
pub mod search;
pub mod shared_links;
pub mod solutions;

#[cfg(feature = "native-postgres")]
pub use database::postgres::{CopiedDatabase, NativeDriver};
pub use database::{
    Database, Tx,
    postgres::{CheckedSchemas, Postgres},
    sqlite::{FileAccess, Sqlite},
};
pub use error::{StoreError, StoreErrorKind};
