//! The id by which a program recognizes a file as the user's own. The host keeps the list of the ids that a user owns.

use super::{
    FileAccess, Sqlite, in_transaction,
    migrate::{self, SchemaStatus},
    migrated_copy::read_only_uri,
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
    WithoutId,
    /// The id of the file.
    WithId(String),
}

/// Reads the id of a file from any source. Takes no lock, rolls back no journal and writes nothing. A file that another
/// process is writing may look damaged.
pub fn identify(path: &str, vfs: Option<&str>) -> Result<Identity, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match Connection::open_with_flags(format!("{}&immutable=1", read_only_uri(path, vfs)), flags) {
        Ok(connection) => connection,
        Err(error) if super::is_missing(&error) => return Ok(Identity::Nothing),
        Err(error) => return Err(error.into()),
    };
    schema::restrict_connection(&connection)?;
    read_identity(&connection)
}

/// Returns the id of an open file. Checks the schema first.
pub(crate) fn read_identity(connection: &Connection) -> Result<Identity, StoreError> {
    if migrate::read_schema_status(connection)? == SchemaStatus::Empty {
        return Ok(Identity::Nothing);
    }
    let version = migrate::read_version(connection)?;
    schema::check(connection, version)?;
    if version < migrate::FIRST_VERSION_WITH_IDENTITY {
        return Ok(Identity::WithoutId);
    }
    let id = connection.query_row("SELECT id FROM memory", [], |row| row.get(0)).optional()?;
    Ok(id.map_or(Identity::WithoutId, Identity::WithId))
}

/// Returns an error if the file has another id or none. Any file passes if `wanted` is `None`.
pub(crate) fn check_id(connection: &Connection, wanted: Option<&str>) -> Result<(), StoreError> {
    match (read_identity(connection)?, wanted) {
        (Identity::Nothing, _) | (_, None) => Ok(()),
        (Identity::WithId(id), Some(wanted)) if id == wanted => Ok(()),
        _ => Err(StoreError::new(StoreErrorKind::Unavailable, "another database replaced it; call again")),
    }
}

/// Gives the file an id and replaces any earlier id.
pub(crate) fn set_id(connection: &Connection, id: &str) -> Result<(), StoreError> {
    connection.execute("DELETE FROM memory", [])?;
    connection.execute("INSERT INTO memory (id) VALUES ($1)", [id])?;
    Ok(())
}

/// Makes an existing file the user's own: migrates it to this version and gives it `id`. An existing id is replaced,
/// because its creator could make another file with the same id.
pub fn adopt(path: &str, vfs: Option<&str>, id: &str, now: i64) -> Result<(), StoreError> {
    let database = Sqlite::open(path, vfs, FileAccess::ReadWrite)?;
    let missing = || StoreError::new(StoreErrorKind::Unavailable, "the file does not exist");
    let connection = database.open_existing_file()?.ok_or_else(missing)?;
    in_transaction(&connection, || {
        migrate::migrate(&connection, now)?;
        set_id(&connection, id)
    })
}
