//! The only crate with SQL: schema, migrations, and what is read and written in a transaction.
//!
//! Every function takes an open transaction ([`Tx`]) and plain data; the caller decides what belongs
//! into one transaction by the body it gives to [`Database::read`] or [`Database::write`].
//! SQL is written in the subset that SQLite and PostgreSQL share; what differs stands behind [`Database`].
//!
//! ```
//! use argus_store::{Database, Mode, Sqlite, StoreError, runs};
//! # fn now<F: Future>(future: F) -> F::Output { argus_store::finish(future) }
//! let database = Sqlite::open(":memory:", None, Mode::ReadWrite)?;
//! let newest = now(database.read(0, async |tx| runs::newest_ids(tx, 3).await))?;
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
    any::{AnyDatabase, AnyTx},
    finish,
    postgres::{KnownSchemas, Postgres},
    sqlite::{Mode, Sqlite},
};
pub use error::{StoreError, StoreErrorKind};
