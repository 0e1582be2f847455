//! The only crate with SQL: schema, migrations, and what is read and written in a transaction.
//!
//! Every function takes an open transaction ([`Tx`]) and plain data; the caller decides what belongs
//! into one transaction by the body it gives to [`Database::read`] or [`Database::write`].
//! SQL is written in the subset that SQLite and PostgreSQL share; [`Database`] hides the differences.
//!
//! ```
//! use argus_store::{Mode, Sqlite, StoreError, runs};
//! # fn now<F: Future>(future: F) -> F::Output { future }
//! let database = Sqlite::open(":memory:", None, Mode::ReadWrite)?;
//! let newest = database.read(0, |tx| runs::newest_ids(tx, 3))?;
//! assert!(newest.is_empty());
//! # Ok::<(), StoreError>(())
//! ```
//!
//! `argus-core` decides what a failure is; time and ids are handed in, and no row leaves the crate.

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
pub mod shared;
pub mod solutions;

#[cfg(feature = "native-postgres")]
pub use database::postgres::{CopiedDatabase, NativeDriver};
pub use database::{
    Database, Tx,
    postgres::{KnownSchemas, Postgres},
    sqlite::{Mode, Sqlite},
};
pub use error::{StoreError, StoreErrorKind};
