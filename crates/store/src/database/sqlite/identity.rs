//! The id by which a user knows a file as their own.
//! The host keeps the ids that a user knows.

use super::{
    Mode, Sqlite, in_transaction,
    migrate::{self, Schema},
    migrated_copy::uri,
    schema,
};
use crate::error::{StoreError, StoreErrorKind};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

/// What a file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// There is no file, or nothing in it.
    Nothing,
    /// It is from before there were ids.
    Unnamed,
    /// Its id.
    Named(String),
}

/// Reads the id of a file that may be anybody's: no lock is taken, no journal rolled back, nothing written. What a
/// writer is changing meanwhile may look damaged.
pub fn identify(path: &str, vfs: Option<&str>) -> Result<Identity, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match Connection::open_with_flags(format!("{}&immutable=1", uri(path, vfs)), flags) {
        Ok(connection) => connection,
        Err(error) if super::is_missing(&error) => return Ok(Identity::Nothing),
        Err(error) => return Err(error.into()),
    };
    schema::restrict(&connection)?;
    of(&connection)
}

/// The id of an open file, whose schema is checked first.
pub(crate) fn of(connection: &Connection) -> Result<Identity, StoreError> {
    if migrate::inspect(connection)? == Schema::Empty {
        return Ok(Identity::Nothing);
    }
    let version = migrate::version(connection)?;
    schema::check(connection, version)?;
    if version < migrate::FIRST_VERSION_WITH_IDENTITY {
        return Ok(Identity::Unnamed);
    }
    let id = connection.query_row("SELECT id FROM memory", [], |row| row.get(0)).optional()?;
    Ok(id.map_or(Identity::Unnamed, Identity::Named))
}

/// Refuses a file that has another id than the wanted one, or none. Where no id is wanted, any file passes.
pub(crate) fn require(connection: &Connection, wanted: Option<&str>) -> Result<(), StoreError> {
    match (of(connection)?, wanted) {
        (Identity::Nothing, _) | (_, None) => Ok(()),
        (Identity::Named(id), Some(wanted)) if id == wanted => Ok(()),
        _ => Err(StoreError::new(StoreErrorKind::Unavailable, "another database has taken its place; call again")),
    }
}

/// Gives the file an id, in place of any it has.
pub(crate) fn name(connection: &Connection, id: &str) -> Result<(), StoreError> {
    connection.execute("DELETE FROM memory", [])?;
    connection.execute("INSERT INTO memory (id) VALUES ($1)", [id])?;
    Ok(())
}

/// Makes an existing file the user's own: brings it to this version and gives it `id`. An id that it has is somebody
/// else's, who could make another file with it.
pub fn adopt(path: &str, vfs: Option<&str>, id: &str, now: i64) -> Result<(), StoreError> {
    let database = Sqlite::open(path, vfs, Mode::ReadWrite)?;
    let missing = || StoreError::new(StoreErrorKind::Unavailable, "there is no such file");
    let connection = database.existing()?.ok_or_else(missing)?;
    in_transaction(&connection, || {
        migrate::migrate(&connection, now)?;
        name(&connection, id)
    })
}
