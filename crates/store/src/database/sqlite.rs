//! The embedded database: SQLite through rusqlite, native or on wasm over a VFS of the host.
//! Nothing yields inside a transaction, so it is atomic inside the process.
//!
//! Nothing is created before the first write. Until then reads see an empty database of this version, which has the
//! built-in patterns and nothing else. A file of an earlier version is migrated before it is read; one that cannot be
//! written, or not now, is shown as if it were.

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
use migrate::Schema;
pub(crate) use migrate::latest as latest_version;
use migrated_copy::MigratedCopy;
use rusqlite::{Connection, Error as SqliteError, OpenFlags, config::DbConfig, ffi, limits::Limit};
pub use statement::SqliteTx;
use statement::note_moved;
use std::{
    cell::{Cell as Flag, RefCell, RefMut},
    time::Duration,
};
pub(crate) use transaction::in_transaction;
use transaction::{READING, Transaction, WRITING};

/// How long a lock of another process is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(8);

/// What is waited where nothing important is to be written: some transactions of others fit into it.
const SHORT_TIMEOUT: Duration = Duration::from_millis(100);

/// Bytes of the longest row of somebody else's file. The longest own ones are lists of a common word in a segment of
/// some hundred thousand documents.
const MAX_FOREIGN_ROW_BYTES: i32 = 2 * 1024 * 1024;

/// All statements of the store fit, so that none is compiled twice.
const MAX_CACHED_STATEMENTS: usize = 240;

/// Set on every connection.
/// - PERSIST: the journal stays and only its header is cleared, which costs less than making and deleting it.
/// - FULL: a commit that was answered survives a power cut.
/// - cache: 16 MiB, so that the inner pages of a million patterns stay in memory.
const SETTINGS: &str = "
    PRAGMA foreign_keys = ON;
    PRAGMA synchronous = FULL;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16384;
";

/// What may be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Created at the first write if it is missing.
    ReadWrite,
    /// Never changed.
    ReadOnly,
}

/// One database file, or `:memory:`.
#[derive(Debug)]
pub struct Sqlite {
    path: String,
    vfs: Option<String>,
    mode: Mode,
    patience: Duration,
    /// The id that the file has, or gets when it is made.
    identity: Option<String>,
    /// Bytes of the longest row that is read; SQLite's own limit where none is set.
    max_row_bytes: Option<i32>,
    file: RefCell<Option<Connection>>,
    /// The open file was found to be the one that was meant.
    is_known: Flag<bool>,
    /// The open file was moved or deleted; what is there then is opened next, at once where nothing was done yet.
    moved: Flag<bool>,
    /// Stands in for a file that does not exist yet.
    empty: RefCell<Option<Connection>>,
    /// Stands in for a file of an earlier version that cannot be written.
    migrated_copy: RefCell<Option<MigratedCopy>>,
    outer: Flag<Outer>,
}

/// The transaction that those of a body are part of, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outer {
    None,
    Open,
    /// A write inside it failed, so that nothing of it may stay.
    Failed,
}

/// What a read reads from.
enum Readable<'s> {
    File(Transaction<RefMut<'s, Connection>>),
    /// There is nothing to read from.
    Nothing,
    /// An earlier version that cannot be brought to this one.
    Older,
}

impl Sqlite {
    /// Checks that an existing file is a readable database of Argus; a missing one is fine and stays missing.
    pub fn open(path: &str, vfs: Option<&str>, mode: Mode) -> Result<Self, StoreError> {
        Self::opened_with(path, vfs, mode, None, None)
    }

    /// The same of a file with an id: it gets it where it is made, and one with another id, or with none, is refused.
    pub fn open_own(path: &str, vfs: Option<&str>, mode: Mode, id: Option<&str>) -> Result<Self, StoreError> {
        Self::opened_with(path, vfs, mode, id, None)
    }

    /// The same of somebody else's file, in which any text or list may be longer than memory: a row that is longer than
    /// this program writes is an error.
    pub fn open_foreign(path: &str, vfs: Option<&str>, mode: Mode) -> Result<Self, StoreError> {
        Self::opened_with(path, vfs, mode, None, Some(MAX_FOREIGN_ROW_BYTES))
    }

    fn opened_with(
        path: &str,
        vfs: Option<&str>,
        mode: Mode,
        id: Option<&str>,
        max_row_bytes: Option<i32>,
    ) -> Result<Self, StoreError> {
        let sqlite = Self {
            path: path.to_owned(),
            vfs: vfs.map(ToOwned::to_owned),
            mode,
            patience: BUSY_TIMEOUT,
            identity: id.map(ToOwned::to_owned),
            max_row_bytes,
            file: RefCell::new(None),
            is_known: Flag::new(false),
            moved: Flag::new(false),
            empty: RefCell::new(None),
            migrated_copy: RefCell::new(None),
            outer: Flag::new(Outer::None),
        };
        if let Some(connection) = sqlite.connect(false)? {
            // As it is at one moment: another process may be making it.
            let tx = Transaction::begin(&connection, READING)?;
            sqlite.require_own(&connection)?;
            drop(tx);
            sqlite.file.replace(Some(connection));
        }
        Ok(sqlite)
    }

    /// Makes the file where there is none, so that it has its id before anything is written.
    pub fn create(&self, now: i64) -> Result<(), StoreError> {
        self.write(now, |_| Ok::<(), StoreError>(()))
    }

    /// Whoever opens a file looks at it before anything in it is used, and again where it was empty then: another
    /// process may have made it meanwhile.
    fn require_own(&self, connection: &Connection) -> Result<(), StoreError> {
        if self.is_known.get() {
            return Ok(());
        }
        let is_empty = migrate::inspect(connection)? == Schema::Empty;
        identity::require(connection, self.identity.as_deref())?;
        self.is_known.set(!is_empty);
        Ok(())
    }

    /// Brings the file to this version. A new one gets its id in the same transaction.
    fn bring_up_to_date(&self, connection: &Connection, now: i64) -> Result<(), StoreError> {
        self.require_own(connection)?;
        let is_new = migrate::inspect(connection)? == Schema::Empty;
        migrate::migrate(connection, now)?;
        match &self.identity {
            Some(id) if is_new => identity::name(connection, id),
            _ => Ok(()),
        }
    }

    /// How long a lock of another process is waited for; some seconds if nothing is said.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), StoreError> {
        self.patience = patience;
        match self.file.get_mut() {
            Some(connection) => Ok(connection.busy_timeout(patience)?),
            None => Ok(()),
        }
    }

    /// None: the file is missing and must not be created.
    fn connect(&self, create: bool) -> Result<Option<Connection>, StoreError> {
        let access = match (self.mode, create || self.path == ":memory:") {
            (Mode::ReadOnly, _) => OpenFlags::SQLITE_OPEN_READ_ONLY,
            (Mode::ReadWrite, false) => OpenFlags::SQLITE_OPEN_READ_WRITE,
            (Mode::ReadWrite, true) => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
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

    /// Another file of the same file system, for writing.
    pub(crate) fn open_other(&self, path: &str) -> Result<Connection, StoreError> {
        let connection = self.open_connection(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::restrict(&connection)?;
        Ok(connection)
    }

    fn configure(&self, connection: &Connection) -> Result<(), StoreError> {
        connection.busy_timeout(self.patience)?;
        connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
        connection.execute_batch(SETTINGS)?;
        schema::restrict(connection)?;
        if let Some(max) = self.max_row_bytes {
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max)?;
        }
        // A plan depends on no bound value; else a statement is compiled again whenever one changes.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        if self.mode == Mode::ReadWrite {
            connection.query_row("PRAGMA journal_mode = PERSIST", [], |_| Ok(()))?;
            connection.query_row("PRAGMA journal_size_limit = 4194304", [], |_| Ok(()))?;
        }
        Ok(())
    }

    /// The file, where there is one.
    pub(crate) fn existing(&self) -> Result<Option<RefMut<'_, Connection>>, StoreError> {
        self.file(false, self.patience)
    }

    /// The open file, opened first where that is possible. None: it is missing and must not be created.
    fn file(&self, create: bool, patience: Duration) -> Result<Option<RefMut<'_, Connection>>, StoreError> {
        let mut slot = self.file.try_borrow_mut().map_err(|_| nested())?;
        if self.moved.take() {
            *slot = None;
        }
        if slot.is_none() {
            self.is_known.set(false);
            *slot = self.connect(create)?;
        }
        let Ok(connection) = RefMut::filter_map(slot, Option::as_mut) else { return Ok(None) };
        connection.busy_timeout(patience)?;
        Ok(Some(connection))
    }

    /// Begins to read, from the file or from what stands in for it.
    fn begin_reading(&self, now: i64) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        if self.is_in_one() {
            return self.within_outer();
        }
        match self.readable(now)? {
            Readable::File(tx) => Ok(tx),
            Readable::Older => Transaction::begin(self.current_stand_in(now)?, READING),
            Readable::Nothing => Transaction::begin(self.empty_database(now)?, READING),
        }
    }

    /// A file that has gone is looked for once more.
    fn readable(&self, now: i64) -> Result<Readable<'_>, StoreError> {
        let readable = self.readable_once(now);
        if self.moved.get() { self.readable_once(now) } else { readable }
    }

    fn readable_once(&self, now: i64) -> Result<Readable<'_>, StoreError> {
        let Some(connection) = self.existing()? else { return Ok(Readable::Nothing) };
        let tx = note_moved(Transaction::begin(connection, READING), &self.moved)?;
        note_moved(self.require_own(&tx.connection), &self.moved)?;
        match note_moved(migrate::inspect(&tx.connection), &self.moved)? {
            Schema::Current => Ok(Readable::File(tx)),
            Schema::Empty => Ok(Readable::Nothing),
            Schema::Older if self.mode == Mode::ReadOnly => Ok(Readable::Older),
            Schema::Older => {
                drop(tx);
                match self.upgrade(now) {
                    // Whoever holds the lock is not waited for; the next read may find it free.
                    Err(error) if matches!(error.kind(), StoreErrorKind::ReadOnly | StoreErrorKind::Locked) => {
                        Ok(Readable::Older)
                    }
                    upgraded => upgraded,
                }
            }
        }
    }

    /// A file of an earlier version is brought to this one before it is read.
    fn upgrade(&self, now: i64) -> Result<Readable<'_>, StoreError> {
        let Some(connection) = self.file(false, self.patience.min(SHORT_TIMEOUT))? else {
            return Ok(Readable::Nothing);
        };
        in_transaction(&connection, || migrate::migrate(&connection, now))?;
        connection.busy_timeout(self.patience)?;
        Transaction::begin(connection, READING).map(Readable::File)
    }

    /// Begins to write to the file, making it where there is none. One that has gone is made anew.
    fn begin_writing(&self, patience: Duration, now: i64) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        if self.is_in_one() {
            return self.within_outer();
        }
        if self.mode == Mode::ReadOnly {
            return Err(StoreError::new(StoreErrorKind::ReadOnly, "it was opened for reading only"));
        }
        let writable = self.writable(patience, now);
        if self.moved.get() { self.writable(patience, now) } else { writable }
    }

    fn writable(&self, patience: Duration, now: i64) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        let connection = self.file(true, patience)?.expect("a file opened for writing is created");
        let tx = note_moved(Transaction::begin(connection, WRITING), &self.moved)?;
        note_moved(self.bring_up_to_date(&tx.connection, now), &self.moved)?;
        Ok(tx)
    }

    /// A part of the outer transaction.
    fn within_outer(&self) -> Result<Transaction<RefMut<'_, Connection>>, StoreError> {
        let slot = self.file.try_borrow_mut().map_err(|_| nested())?;
        match RefMut::filter_map(slot, Option::as_mut) {
            // SQLite rolls back by itself where it cannot go on.
            Ok(connection) if self.outer.get() == Outer::Open && !connection.is_autocommit() => {
                Ok(Transaction { connection, is_part: true })
            }
            _ => Err(rolled_back()),
        }
    }

    /// Ends the outer transaction: what was written stays only where nothing failed.
    fn end_outer(&self, succeeded: bool) -> Result<(), StoreError> {
        let slot = self.file.try_borrow_mut().map_err(|_| nested())?;
        let whole = self.outer.replace(Outer::None) == Outer::Open;
        let Ok(connection) = RefMut::filter_map(slot, Option::as_mut) else { return Err(rolled_back()) };
        if connection.is_autocommit() {
            return Err(rolled_back());
        }
        let tx = Transaction { connection, is_part: false };
        match (succeeded, whole) {
            (true, true) => note_moved(tx.commit(), &self.moved),
            (true, false) => Err(rolled_back()),
            (false, _) => Ok(()),
        }
    }

    /// What a failed write has left must not stay.
    fn fail_outer(&self) {
        if self.is_in_one() {
            self.outer.set(Outer::Failed);
        }
    }

    /// Runs `body` in the transaction and commits it.
    fn finish<T, E, F>(&self, tx: Transaction<RefMut<'_, Connection>>, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        let answer = body(&mut Tx::Sqlite(SqliteTx { connection: &tx.connection, moved: &self.moved }))?;
        note_moved(tx.commit(), &self.moved)?;
        Ok(answer)
    }

    /// The stand-in, made anew where the file has changed.
    fn current_stand_in(&self, now: i64) -> Result<RefMut<'_, Connection>, StoreError> {
        let mut slot = self.migrated_copy.try_borrow_mut().map_err(|_| nested())?;
        let kept = match slot.take() {
            Some(migrated_copy) if migrated_copy.is_current()? => migrated_copy,
            _ => {
                let migrated_copy = MigratedCopy::of(&self.path, self.vfs.as_deref(), now)?;
                migrated_copy.connection.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
                migrated_copy.connection.busy_timeout(self.patience)?;
                if let Some(max) = self.max_row_bytes {
                    migrated_copy.connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, max)?;
                }
                migrated_copy
            }
        };
        Ok(RefMut::map(slot, |slot| &mut slot.insert(kept).connection))
    }

    fn empty_database(&self, now: i64) -> Result<RefMut<'_, Connection>, StoreError> {
        let mut slot = self.empty.try_borrow_mut().map_err(|_| nested())?;
        let connection = match slot.take() {
            Some(connection) => connection,
            None => empty_database(now)?,
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
        self.finish(self.begin_writing(self.patience, now)?, body).inspect_err(|_| self.fail_outer())
    }

    /// See [`Database`](crate::Database).
    pub fn write_now<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce(&mut Tx<'_>) -> Result<T, E>,
    {
        let tx = self.begin_writing(self.patience.min(SHORT_TIMEOUT), now)?;
        self.finish(tx, body).inspect_err(|_| self.fail_outer())
    }

    /// See [`Database`](crate::Database).
    pub fn in_one<T, E, F>(&self, now: i64, body: F) -> Result<T, E>
    where
        E: From<StoreError>,
        F: FnOnce() -> Result<T, E>,
    {
        if self.is_in_one() {
            return Err(nested().into());
        }
        let mut outer = self.begin_writing(self.patience, now)?;
        // Its statements go on after the connection is given back.
        outer.is_part = true;
        drop(outer);
        self.outer.set(Outer::Open);
        let outcome = body();
        let ended = self.end_outer(outcome.is_ok());
        let value = outcome?;
        ended?;
        Ok(value)
    }

    /// See [`Database`](crate::Database).
    pub fn is_in_one(&self) -> bool {
        self.outer.get() != Outer::None
    }

    /// See [`Database`](crate::Database).
    pub fn exists(&self, now: i64) -> Result<bool, StoreError> {
        Ok(self.is_in_one() || !matches!(self.readable(now)?, Readable::Nothing))
    }

    /// See [`Database`](crate::Database).
    pub fn snapshot(&self, path: &str) -> Result<(), StoreError> {
        self.vacuum_into(path)
    }
}

fn empty_database(now: i64) -> Result<Connection, StoreError> {
    let connection = Connection::open_in_memory()?;
    migrate::migrate(&connection, now)?;
    Ok(connection)
}

/// Only the plain code: a folder in its place or a missing permission has a code of its own.
pub(crate) fn is_missing(error: &SqliteError) -> bool {
    matches!(error, SqliteError::SqliteFailure(cause, _) if cause.extended_code == ffi::SQLITE_CANTOPEN)
}

fn nested() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a transaction was opened inside another")
}

fn rolled_back() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "a write of this call failed, and all of it was undone")
}
