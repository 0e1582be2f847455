//! Migrates a database file from any earlier version to this version's schema. Files of other programs or newer
//! versions are not changed.

use crate::error::{StoreError, StoreErrorKind};
use argus_core::builtin::BUILTIN_PATTERNS;
use rusqlite::{Connection, params};

/// `ARGU` in ASCII, stored in the header of every Argus database.
pub(crate) const APPLICATION_ID: i64 = 0x4152_4755;

/// A script per version, starting with version 1. A script is never edited after its release.
const MIGRATIONS: [&str; 19] = [
    include_str!("../../migrations/0001.sql"),
    include_str!("../../migrations/0002.sql"),
    include_str!("../../migrations/0003.sql"),
    include_str!("../../migrations/0004.sql"),
    include_str!("../../migrations/0005.sql"),
    include_str!("../../migrations/0006.sql"),
    include_str!("../../migrations/0007.sql"),
    include_str!("../../migrations/0008.sql"),
    include_str!("../../migrations/0009.sql"),
    include_str!("../../migrations/0010.sql"),
    include_str!("../../migrations/0011.sql"),
    include_str!("../../migrations/0012.sql"),
    include_str!("../../migrations/0013.sql"),
    include_str!("../../migrations/0014.sql"),
    include_str!("../../migrations/0015.sql"),
    include_str!("../../migrations/0016.sql"),
    include_str!("../../migrations/0017.sql"),
    include_str!("../../migrations/0018.sql"),
    include_str!("../../migrations/0019.sql"),
];

/// The first version that gives files an id.
pub(crate) const FIRST_VERSION_WITH_IDENTITY: i64 = 4;

/// The first version that stores uncommitted edits.
pub(crate) const FIRST_VERSION_WITH_EDITS: i64 = 15;

/// The first version that stores facts from commits.
pub(crate) const FIRST_VERSION_WITH_FIX_COMMITS: i64 = 17;

/// State of a file relative to this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaStatus {
    /// The file is empty.
    Empty,
    /// The file has an earlier version.
    Older,
    /// The file has this version.
    Current,
}

/// Reads the status of the schema. Returns an error for a newer version or for a file of another program.
pub(crate) fn read_schema_status(connection: &Connection) -> Result<SchemaStatus, StoreError> {
    let version = read_version(connection)?;
    if version == latest_version() {
        return Ok(SchemaStatus::Current);
    }
    let application = query_integer(connection, "PRAGMA application_id")?;
    if application == APPLICATION_ID && version > latest_version() {
        let message =
            format!("its schema has version {version}, but this program supports versions up to {}", latest_version());
        return Err(StoreError::new(StoreErrorKind::NewerSchema, &message));
    }
    if application == APPLICATION_ID {
        return Ok(SchemaStatus::Older);
    }
    let tables = query_integer(connection, "SELECT COUNT(*) FROM sqlite_schema")?;
    if application == 0 && version == 0 && tables == 0 {
        return Ok(SchemaStatus::Empty);
    }
    Err(StoreError::corrupt("it is a database of another program"))
}

/// Runs the missing scripts. Must be called inside a write transaction.
pub(crate) fn migrate(connection: &Connection, now: i64) -> Result<(), StoreError> {
    let version = match read_schema_status(connection)? {
        SchemaStatus::Current => return Ok(()),
        SchemaStatus::Empty | SchemaStatus::Older => read_version(connection)?,
    };
    run_migrations(connection, version, latest_version(), now)
}

pub(crate) fn read_version(connection: &Connection) -> Result<i64, StoreError> {
    query_integer(connection, "PRAGMA user_version")
}

/// Runs the scripts after version `from` up to version `to`. The latest version also gets all built-in patterns.
pub(crate) fn run_migrations(connection: &Connection, from: i64, to: i64, now: i64) -> Result<(), StoreError> {
    for (next, script) in (1_i64..).zip(MIGRATIONS) {
        if next > from && next <= to {
            connection.execute_batch(script)?;
        }
    }
    if to == latest_version() {
        seed_builtins(connection, now)?;
    }
    connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {to};"))?;
    Ok(())
}

/// Inserts rows for the built-in patterns that have none. Their texts are in `argus-core`.
fn seed_builtins(connection: &Connection, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, \
                       description, occurrences, resolutions, first_seen_at, last_seen_at, updated_at) \
                       VALUES (?1, 'built-in', ?2, 'built-in', ?3, ?3, '', '', '', 0, 0, ?4, ?4, ?4) \
                       ON CONFLICT DO NOTHING";
    let mut insert = connection.prepare(SQL)?;
    for builtin in &BUILTIN_PATTERNS {
        insert.execute(params![builtin.id, builtin.category.as_str(), builtin.signature(), now])?;
    }
    Ok(())
}

/// Returns true if a built-in pattern is missing in `database`, which may be an attached database.
pub(crate) fn lacks_builtins(connection: &Connection, database: &str) -> Result<bool, StoreError> {
    let stored =
        query_integer(connection, &format!("SELECT COUNT(*) FROM {database}.patterns WHERE recipe = 'built-in'"))?;
    Ok(usize::try_from(stored).is_ok_and(|stored| stored < BUILTIN_PATTERNS.len()))
}

pub(crate) fn latest_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("a handful of migrations")
}

pub(crate) fn query_integer(connection: &Connection, sql: &str) -> Result<i64, StoreError> {
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::{BUILTIN_PATTERNS, latest_version};

    /// A file that already has the latest version gets no new built-ins, so a changed list needs a new version.
    #[test]
    fn changed_builtins_need_a_new_version() {
        let ids = BUILTIN_PATTERNS.map(|builtin| (builtin.id, builtin.category.as_str()));
        let seeded_by_version_8 = [
            ("builtin-conn-refused", "CONNECTION_REFUSED"),
            ("builtin-timeout", "TIMEOUT"),
            ("builtin-container-oom", "CONTAINER_OOM"),
            ("builtin-http-error", "HTTP_ERROR"),
            ("builtin-mock-mismatch", "MOCK_MISMATCH"),
            ("builtin-assertion", "ASSERTION_MISMATCH"),
        ];
        assert_eq!(ids, seeded_by_version_8, "add a migration, then say here which version has this list");
        assert!(latest_version() >= 8);
    }
}
