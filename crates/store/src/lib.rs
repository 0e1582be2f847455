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
//! let newest = now(database.read(async |tx| runs::newest_ids(tx, 3).await))?;
//! assert!(newest.is_empty());
//! # Ok::<(), StoreError>(())
//! ```
//!
//! Does not: decide anything about failures, read a clock, make ids, or let a row out.

pub mod calls;
pub mod case_history;
pub mod cases;
pub mod claims;
pub mod daily_counts;
pub mod database;
pub mod edits;
pub mod error;
pub mod identity;
pub mod incidents;
pub mod lookups;
pub mod merging;
mod migrate;
mod older;
pub mod outcomes;
mod pattern_filter_text;
pub mod patterns;
pub mod probe;
pub mod retention;
pub mod runs;
mod schema;
pub mod search;
pub mod similar;
mod snapshot;
pub mod solutions;
pub mod sqlite;
pub mod view;

pub use database::{Database, Tx, finish};
pub use error::{StoreError, StoreErrorKind};
pub use sqlite::{Mode, Sqlite};
