//! The embedded database: SQLite through rusqlite, either native or on wasm over a VFS of the host. A transaction is
//! atomic within the process because nothing yields inside it.
//!
//! No file is created before the first write. Until then, reads see an empty database of this version that contains
//! only the built-in patterns. A file of an earlier version is migrated before it is read. If the file cannot be
//! written now, reads see a migrated copy.

pub mod identity;
mod migrate;
mod migrated_copy;
pub mod probe;
mod schema;
mod snapshot;
mod statement;
mod transaction;

use crate::{
    database::Tx,
    error::{StoreError, StoreErrorKind},
};
use migrate::SchemaStatus;
pub(crate) use migrate::latest_version;
use migrated_copy::MigratedCopy;
use rusqlite::{Connection, Error as SqliteError, OpenFlags, config::DbConfig, ffi, limits::Limit};
pub use statement::SqliteTx;
use statement::mark_if_moved;
use std::{
    cell::{Cell as Flag, RefCell, RefMut},
    time::Duration,
};
pub(crate) use transaction::in_transaction;
use transaction::{BEGIN_READ, BEGIN_WRITE, Transaction};

/// How long to wait for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(8);

/// How long an optional write waits for a lock. A few transactions of other processes take less time.
const SHORT_TIMEOUT: Duration = Duration::from_millis(100);

/// Maximum bytes of a row in a foreign file. The longest rows that Argus itself writes are posting lists: all documents
/// with a common word, in a search segment of some hundred thousand documents.
const MAX_FOREIGN_ROW_BYTES: i32 = 2 * 1024 * 1024;

/// Large enough for all statements of the store, so that no statement is compiled twice.
const MAX_CACHED_STATEMENTS: usize = 240;

/// Settings of every connection. `configure` sets the journal mode.
/// - FULL: a commit that was acknowledged survives a power failure.
/// - cache: 16 MiB, so that the inner pages of a million patterns stay in memory.
const SETTINGS: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = FULL;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
";

/// Whether a file may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Created by the first write if it is missing.
    ReadWrite,
    /// Never changed.
    ReadOnly,
}

/// A database file, or `:memory:`.
#[derive(Debug)]
pub struct Sqlite {
    path: String,
    vfs: Option<String>,
    mode: FileAccess,
    lock_timeout: Duration,
    /// The id of the file. A new file gets this id when it is created.
    identity: Option<String>,
    /// Maximum bytes of a row. `None` means SQLite's own limit.
    max_row_bytes: Option<i32>,
    file: RefCell<Option<Connection>>,
    /// True if the id of the open file was checked.
    is_id_checked: Flag<bool>,
    /// True if the open file was moved or deleted. The next use opens the path again. If a read or write notices this
    /// while it begins, it begins once more with the new file.
    moved: Flag<bool>,
    /// An empty database for reads while the file does not exist.
    empty: RefCell<Option<Connection>>,
    /// The copy for reads of a file of an earlier version that cannot be written.
    migrated_copy: RefCell<Option<MigratedCopy>>,
    outer: Flag<OuterState>,
}

/// State of the outer transaction that [`Sqlite::in_one_transaction`] opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OuterState {
    None,
    Open,
    /// A write in the transaction failed, so everything must be rolled back.
    Failed,
}

/// The source of a read.
enum ReadSource<'s> {
    File(Transaction<RefMut<'s, Connection>>),
    /// The file is missing or empty.
    NoFile,
    /// The file has an earlier version and cannot be migrated now.
    OldFile,
}

impl Sqlite {
    /// Opens a database. Returns an error if an existing file is not a readable Argus database. A missing file is no
    /// error and is not created.
    pub fn open(path: &str, vfs: Option<&str>, mode: FileAccess) -> Result<Self, StoreError> {
        Self::open_with(path, vfs, mode, None, None)
    }

    /// Like [`Sqlite::open`] for a file with a known id. A new file gets this id when it is created; a file with
    /// another id or without an id is refused.
    pub fn open_with_id(path: &str, vfs: Option<&str>, mode: FileAccess, id: Option<&str>) -> Result<Self, StoreError> {
        Self::open_with(path, vfs, mode, id, None)
    }

    /// Like [`Sqlite::open`] for a file from another user, whose rows may be larger than memory. A row that is longer
    /// than any row that Argus writes is an error.
    pub fn open_foreign(path: &str, vfs: Option<&str>, mode: FileAccess) -> Result<Self, StoreError> {
        Self::open_with(path, vfs, mode, None, Some(MAX_FOREIGN_ROW_BYTES))
    }

    fn open_with(
        path: &str,
        vfs: Option<&str>,
        mode: FileAccess,
        id: Option<&str>,
        max_row_bytes: Option<i32>,
    ) -> Result<Self, StoreError> {
        let sqlite = Self {
            path: path.to_owned(),
            vfs: vfs.map(ToOwned::to_owned),
            mode,
            lock_timeout: BUSY_TIMEOUT,
            identity: id.map(ToOwned::to_owned),
            max_row_bytes,
            file: RefCell::new(None),
            is_id_checked: Flag::new(false),
            moved: Flag::new(false),
            empty: RefCell::new(None),
            migrated_copy: RefCell::new(None),
            outer: Flag::new(OuterState::None),
        };
        if let Some(connection) = sqlite.connect(false)? {
            // The transaction makes both checks see the same state, because another process may be creating the file.
            let tx = Transaction::begin(&connection, BEGIN_READ)?;
            sqlite.check_id(&connection)?;
            drop(tx);
            sqlite.file.replace(Some(connection));
        }
        Ok(sqlite)
    }

    /// Creates the file if it is missing, so that it has its id before anything is written.
    pub fn create(&self, now: i64) -> Result<(), StoreError> {
        self.write(now, |_| Ok::<(), StoreError>(()))
    }

    /// Checks the id of an open file before its content is used. An empty file is checked again the next time, because
    /// another process may have filled it meanwhile.
    fn check_id(&self, connection: &Connection) -> Result<(), StoreError> {
        if self.is_id_checked.get() {
            return Ok(());
        }
        let is_empty = migrate::read_schema_status(connection)? == SchemaStatus::Empty;
        identity::check_id(connection, self.identity.as_deref())?;
        self.is_id_checked.set(!is_empty);
        Ok(())
    }

    /// Migrates the file to this version. A new file gets its id in the same transaction.
    fn migrate_file(&self, connection: &Connection, now: i64) -> Result<(), StoreError> {
        self.check_id(connection)?;
        let is_new = migrate::read_schema_status(connection)? == SchemaStatus::Empty;
        migrate::migrate(connection, now)?;
        match &self.identity {
            Some(id) if is_new => identity::set_id(connection, id),
            _ => Ok(()),
        }
    }

    /// Sets how long to wait for a lock of another process. The default is 8 seconds.
    pub fn set_lock_timeout(&mut self, lock_timeout: Duration) -> Result<(), StoreError> {
        self.lock_timeout = lock_timeout;
        match self.file.get_mut() {
            Some(connection) => Ok(connection.busy_timeout(lock_timeout)?),
            None => Ok(()),
        }
    }

    /// Opens a connection. Returns `None` if the file is missing and must not be created.
    fn connect(&self, create: bool) -> Result<Option<Connection>, StoreError> {
        let access = match (self.mode, create || self.path == ":memory:") {
            (FileAccess::ReadOnly, _) => OpenFlags::SQLITE_OPEN_READ_ONLY,
            (FileAccess::ReadWrite, false) => OpenFlags::SQLITE_OPEN_READ_WRITE,
            (FileAccess::ReadWrite, true) => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
        match self.open_connection(&self.path, access) {
            Ok(connection) => self.configure(&connection).map(|()| Some(connection)),
            Err(error) if !create && is_missing(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn open_connection(&self, path: &str, access: OpenFlags) -> Result<Connection, SqliteError> {
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        match self.vfs.as_deref() {
            Some(vfs) => Connection::open_with_flags_and_vfs(path, flags, vfs),
            None => Connection::open_with_flags(path, flags),
        }
    }

    /// Opens another file on the same file system for writing.
    pub(crate) fn open_writable_connection(&self, path: &str) -> Result<Connection, StoreError> {
        let connection = self.open_connection(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::restrict_connection(&connection)?;
        Ok(connection)
    }

    fn configure(&self, connection: &Connection) -> Result<(), StoreError> {
        connection.busy_timeout(self.lock_timeout)?;
        connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
        connection.execute_batch(SETTINGS)?;
        schema::restrict_connection(connection)?;
        if let Some(max) = self.max_row_bytes {
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max)?;
        }
        // Keeps query plans independent of bound values. Otherwise SQLite recompiles a statement when a value changes.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        if self.mode == FileAccess::ReadWrite {
            // The journal file stays and only its header is cleared. This costs less than creating and deleting the
            // file.
            connection.query_row("PRAGMA journal_mode = PERSIST", [], |_| Ok(()))?;
            connection.query_row("PRAGMA journal_size_limit = 4194304", [], |_| Ok(()))?;
        }
        Ok(())
    }

    /// Returns the open file, or `None` if the file is missing.
    pub(crate) fn open_existing_file(&self) -> Result<Option<RefMut<'_, Connection>>, StoreError> {
        self.file(false, self.lock_timeout)
    }

    /// Returns the file, which is opened first if needed. Returns `None` if the file is missing and must not be
    /// created.
    fn file(&self, create: bool, lock_timeout: Duration) -> Result<Option<RefMut<'_, Connection>>, StoreError> {
        let mut slot = self.file.try_borrow_mut().map_err(|_| nested_transaction_error())?;
        if self.moved.take() {
            *slot = None;
        }
        if slot.is_none() {
            self.is_id_checked.set(false);
            *slot = self.connect(create)?;
        }
        let Ok(connection) = RefMut::filter_map(slot, Option::as_mut) else { return Ok(None) };
        connection.busy_timeout(lock_timeout)?;
        Ok(Some(connection))
    }

    /// Begins to read from the file, from its migrated copy, or from an empty database.
    fn begin_reading(&self, now: i64) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        if self.is_in_transaction() {
            return self.join_outer();
        }
        match self.open_read_source(now)? {
            ReadSource::File(tx) => Ok(tx),
            ReadSource::OldFile => Transaction::begin(self.get_migrated_copy(now)?, BEGIN_READ),
            ReadSource::NoFile => Transaction::begin(self.get_empty_database(now)?, BEGIN_READ),
        }
    }

    /// Opens the source of a read. Tries a second time if the file was moved or deleted.
    fn open_read_source(&self, now: i64) -> Result<ReadSource<'_>, StoreError> {
        let source = self.try_open_read_source(now);
        if self.moved.get() { self.try_open_read_source(now) } else { source }
    }

    fn try_open_read_source(&self, now: i64) -> Result<ReadSource<'_>, StoreError> {
        let Some(connection) = self.open_existing_file()? else { return Ok(ReadSource::NoFile) };
        let tx = mark_if_moved(Transaction::begin(connection, BEGIN_READ), &self.moved)?;
        mark_if_moved(self.check_id(&tx.connection), &self.moved)?;
        match mark_if_moved(migrate::read_schema_status(&tx.connection), &self.moved)? {
            SchemaStatus::Current => Ok(ReadSource::File(tx)),
            SchemaStatus::Empty => Ok(ReadSource::NoFile),
            SchemaStatus::Older if self.mode == FileAccess::ReadOnly => Ok(ReadSource::OldFile),
            SchemaStatus::Older => {
                drop(tx);
                match self.migrate_before_read(now) {
                    // The read does not wait for the lock. The next read tries to migrate again.
                    Err(error) if matches!(error.kind(), StoreErrorKind::ReadOnly | StoreErrorKind::Locked) => {
                        Ok(ReadSource::OldFile)
                    }
                    upgraded => upgraded,
                }
            }
        }
    }

    /// Migrates a file of an earlier version before it is read.
    fn migrate_before_read(&self, now: i64) -> Result<ReadSource<'_>, StoreError> {
        let Some(connection) = self.file(false, self.lock_timeout.min(SHORT_TIMEOUT))? else {
            return Ok(ReadSource::NoFile);
        };
        in_transaction(&connection, || migrate::migrate(&connection, now))?;
        connection.busy_timeout(self.lock_timeout)?;
        Transaction::begin(connection, BEGIN_READ).map(ReadSource::File)
    }

    /// Begins to write. Creates the file if it is missing, also if it was deleted while it was open.
    fn begin_writing(
        &self,
        lock_timeout: Duration,
        now: i64,
    ) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        if self.is_in_transaction() {
            return self.join_outer();
        }
        if self.mode == FileAccess::ReadOnly {
            return Err(StoreError::new(StoreErrorKind::ReadOnly, "it was opened for reading only"));
        }
        let transaction = self.open_write_transaction(lock_timeout, now);
        if self.moved.get() { self.open_write_transaction(lock_timeout, now) } else { transaction }
    }

    fn open_write_transaction(
        &self,
        lock_timeout: Duration,
        now: i64,
    ) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        let connection = self.file(true, lock_timeout)?.expect("a file opened for writing is created");
        let tx = mark_if_moved(Transaction::begin(connection, BEGIN_WRITE), &self.moved)?;
        mark_if_moved(self.migrate_file(&tx.connection, now), &self.moved)?;
        Ok(tx)
    }

    /// Returns a transaction that is part of the outer transaction.
    fn join_outer(&self) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        let slot = self.file.try_borrow_mut().map_err(|_| nested_transaction_error())?;
        match RefMut::filter_map(slot, Option::as_mut) {
            // SQLite rolls back by itself after some errors, for example a full disk.
            Ok(connection) if self.outer.get() == OuterState::Open && !connection.is_autocommit() => {
                Ok(Transaction { connection, is_nested: true })
            }
            _ => Err(rolled_back_error()),
        }
    }

    /// Commits the outer transaction if everything succeeded, otherwise rolls it back.
    fn end_outer(&self, succeeded: bool) -> Result<(), StoreError> {
        let slot = self.file.try_borrow_mut().map_err(|_| nested_transaction_error())?;
        let whole = self.outer.replace(OuterState::None) == OuterState::Open;
        let Ok(connection) = RefMut::filter_map(slot, Option::as_mut) else { return Err(rolled_back_error()) };
        if connection.is_autocommit() {
            return Err(rolled_back_error());
        }
        let tx = Transaction { connection, is_nested: false };
        match (succeeded, whole) {
            (true, true) => mark_if_moved(tx.commit(), &self.moved),
            (true, false) => Err(rolled_back_error()),
            (false, _) => Ok(()),
        }
    }

    /// Makes sure that a partial write of the outer transaction is not committed.
    fn fail_outer(&self) {
        if self.is_in_transaction() {
            self.outer.set(OuterState::Failed);
        }
    }

    fn finish<T, E, F>(&self, tx: Transaction<RefMut<'_, Connection>>, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        let answer = body(&mut Tx::Sqlite(SqliteTx { connection: &tx.connection, moved: &self.moved }))?;
        mark_if_moved(tx.commit(), &self.moved)?;
        Ok(answer)
    }

    /// Returns the migrated copy, which is created again if the file has changed.
    fn get_migrated_copy(&self, now: i64) -> Result<RefMut<'_, Connection>, StoreError> {
        let mut slot = self.migrated_copy.try_borrow_mut().map_err(|_| nested_transaction_error())?;
        let kept = match slot.take() {
            Some(migrated_copy) if migrated_copy.is_current()? => migrated_copy,
            _ => {
                let migrated_copy = MigratedCopy::create(&self.path, self.vfs.as_deref(), now)?;
                migrated_copy.connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
                migrated_copy.connection.busy_timeout(self.lock_timeout)?;
                if let Some(max) = self.max_row_bytes {
                    migrated_copy.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max)?;
                }
                migrated_copy
            }
        };
        Ok(RefMut::map(slot, |slot| &mut slot.insert(kept).connection))
    }

    fn get_empty_database(&self, now: i64) -> Result<RefMut<'_, Connection>, StoreError> {
        let mut slot = self.empty.try_borrow_mut().map_err(|_| nested_transaction_error())?;
        let connection = match slot.take() {
            Some(connection) => connection,
            None => create_empty_database(now)?,
        };
        Ok(RefMut::map(slot, |slot| slot.insert(connection)))
    }
}

impl Sqlite {
    /// See [`Database`](crate::Database).
    pub fn read<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        self.finish(self.begin_reading(now)?, body)
    }

    /// See [`Database`](crate::Database).
    pub fn write<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        self.finish(self.begin_writing(self.lock_timeout, now)?, body).inspect_err(|_| self.fail_outer())
    }

    /// See [`Database`](crate::Database).
    pub fn write_with_short_timeout<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        let tx = self.begin_writing(self.lock_timeout.min(SHORT_TIMEOUT), now)?;
        self.finish(tx, body).inspect_err(|_| self.fail_outer())
    }

    /// See [`Database`](crate::Database).
    pub fn in_one_transaction<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce() -> Result<T, E>,
    {
        if self.is_in_transaction() {
            return Err(nested_transaction_error().into());
        }
        let mut outer = self.begin_writing(self.lock_timeout, now)?;
        // The transaction stays open after the connection is released.
        outer.is_nested = true;
        drop(outer);
        self.outer.set(OuterState::Open);
        let outcome = body();
        let ended = self.end_outer(outcome.is_ok());
        let value = outcome?;
        ended?;
        Ok(value)
    }

    /// See [`Database`](crate::Database).
    pub fn is_in_transaction(&self) -> bool {
        self.outer.get() != OuterState::None
    }

    /// See [`Database`](crate::Database).
    pub fn exists(&self, now: i64) -> Result<bool, StoreError> {
        Ok(self.is_in_transaction() || !matches!(self.open_read_source(now)?, ReadSource::NoFile))
    }

    /// See [`Database`](crate::Database).
    pub fn snapshot(&self, path: &str) -> Result<(), StoreError> {
        self.vacuum_into(path)
    }
}

fn create_empty_database(now: i64) -> Result<Connection, StoreError> {
    let connection = Connection::open_in_memory()?;
    migrate::migrate(&connection, now)?;
    Ok(connection)
}

/// Returns true if the file is missing. A directory at the path or a missing permission has another, extended code.
pub(crate) fn is_missing(error: &SqliteError) -> bool {
    matches!(error, SqliteError::SqliteFailure(cause, _) if cause.extended_code == ffi::SQLITE_CANTOPEN)
}

fn nested_transaction_error() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a transaction was opened inside another")
}

fn rolled_back_error() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a write of this call failed, so the whole call was rolled back")
}
