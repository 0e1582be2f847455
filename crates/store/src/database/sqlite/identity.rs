//! The id by which a user recognizes a file as their own. The host keeps the list of the ids that a user owns.

use super::{
    Mode, Sqlite, in_transaction,
    migrate::{self, Schema},
    migrated_copy::uri,
    schema,
};
use crate::error::{StoreError, StoreErrorKind};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

/// The id of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The file is missing or empty.
    Nothing,
    /// The file was made by a version without ids.
    Unnamed,
    /// The id of the file.
    Named(String),
}

/// Reads the id of a file that may belong to anybody. It takes no lock, rolls back no journal and writes nothing. A
/// file that is being written meanwhile may look damaged.
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

/// The id of an open file. The schema is checked first.
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

/// Returns an error if the file has another id or none. Any file passes if `wanted` is `None`.
pub(crate) fn require(connection: &Connection, wanted: Option<&str>) -> Result<(), StoreError> {
    match (of(connection)?, wanted) {
        (Identity::Nothing, _) | (_, None) => Ok(()),
        (Identity::Named(id), Some(wanted)) if id == wanted => Ok(()),
        _ => Err(StoreError::new(StoreErrorKind::Unavailable, "another database has taken its place; call again")),
    }
}

/// Gives the file an id and replaces any earlier id.
pub(crate) fn name(connection: &Connection, id: &str) -> Result<(), StoreError> {
    connection.execute("DELETE FROM memory", [])?;
    connection.execute("INSERT INTO memory (id) VALUES ($1)", [id])?;
    Ok(())
}

/// Makes an existing file the user's own: migrates it to this version and gives it `id`. An existing id is replaced,
/// because its creator could make another file with the same id.
pub fn adopt(path: &str, vfs: Option<&str>, id: &str, now: i64) -> Result<(), StoreError> {
    let database = Sqlite::open(path, vfs, Mode::ReadWrite)?;
    let missing = || StoreError::new(StoreErrorKind::Unavailable, "there is no such file");
    let connection = database.existing()?.ok_or_else(missing)?;
    in_transaction(&connection, || {
        migrate::migrate(&connection, now)?;
        name(&connection, id)
    })
}
