//! A migrated view of a file that has an earlier version and must not be changed. The file is only read, and only data
//! that the migrations change is held in memory.
//!
//! Tables that later migrations alter are copied into memory and migrated by the usual scripts. The other tables, which
//! hold the runs and all their cases, become views of the file. Patterns are also copied if built-in patterns are
//! missing. Limit: if a script writes to a table that no script alters, that table must be added to the copied tables.

use super::migrate::{self, latest_version, query_integer, run_migrations};
use crate::error::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::{collections::BTreeMap, fmt::Write};

/// Settings of the copy. No journal is needed, because a failed copy is discarded.
const SETTINGS: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA foreign_keys = OFF;
";

/// The migrated copy with its source attached.
#[derive(Debug)]
pub(crate) struct MigratedCopy {
    pub(crate) connection: Connection,
    /// Version and data version of the file when the copy was made.
    version: i64,
    data_version: i64,
}

impl MigratedCopy {
    pub(crate) fn create(path: &str, vfs: Option<&str>, now: i64) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_in_memory_with_flags(flags)?;
        connection.execute_batch(SETTINGS)?;
        connection.execute("ATTACH $1 AS older", [read_only_uri(path, vfs)])?;
        connection.execute_batch("PRAGMA older.cache_size = -16384")?;
        let (version, data_version) = read_versions(&connection)?;
        connection.execute_batch("BEGIN")?;
        copy_and_migrate(&connection, version, now)?;
        connection.execute_batch("COMMIT; PRAGMA main.journal_mode = MEMORY")?;
        Ok(Self { connection, version, data_version })
    }

    /// Returns true if the file has not changed since the copy was made.
    pub(crate) fn is_current(&self) -> Result<bool, StoreError> {
        Ok(read_versions(&self.connection)? == (self.version, self.data_version))
    }
}

fn read_versions(connection: &Connection) -> Result<(i64, i64), StoreError> {
    Ok((
        query_integer(connection, "PRAGMA older.user_version")?,
        query_integer(connection, "PRAGMA older.data_version")?,
    ))
}

fn copy_and_migrate(connection: &Connection, version: i64, now: i64) -> Result<(), StoreError> {
    let newest = Connection::open_in_memory()?;
    migrate::migrate(&newest, now)?;
    run_migrations(connection, 0, version, now)?;
    let (before, after) = (list_tables(connection)?, list_tables(&newest)?);
    let lacks_builtins = migrate::lacks_builtins(connection, "older")?;
    let (viewed, copied): (Vec<_>, Vec<_>) = before
        .iter()
        .partition(|(table, sql)| after.get(*table) == Some(*sql) && !(lacks_builtins && *table == "patterns"));
    for (table, _) in copied {
        let (columns, indexes) = (list_columns(connection, table)?, list_indexes(connection, table)?);
        // Filling a table and then creating its indexes is faster than updating the indexes for each row.
        for (index, _) in &indexes {
            connection.execute_batch(&format!("DROP INDEX main.{index}"))?;
        }
        connection.execute_batch(&format!(
            "DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {columns} FROM older.{table};"
        ))?;
        for (_, sql) in &indexes {
            connection.execute_batch(sql)?;
        }
    }
    run_migrations(connection, version, latest_version(), now)?;
    for (table, _) in viewed {
        connection.execute_batch(&format!(
            "DROP TABLE main.{table}; CREATE TEMP VIEW {table} AS SELECT * FROM older.{table};"
        ))?;
    }
    Ok(())
}

/// Returns each table with the SQL that creates the table and its indexes.
fn list_tables(connection: &Connection) -> Result<BTreeMap<String, Vec<String>>, StoreError> {
    const SQL: &str = "SELECT tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, sql";
    let mut statement = connection.prepare(SQL)?;
    let mut rows = statement.query([])?;
    let mut tables: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        tables.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(tables)
}

/// Returns the name and the SQL of each index of a table.
fn list_indexes(connection: &Connection, table: &str) -> Result<Vec<(String, String)>, StoreError> {
    const SQL: &str = "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = $1 \
                       AND sql IS NOT NULL";
    let mut statement = connection.prepare(SQL)?;
    let indexes = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(indexes.collect::<Result<_, _>>()?)
}

/// Returns the names of the stored columns, without computed columns.
fn list_columns(connection: &Connection, table: &str) -> Result<String, StoreError> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info($1, 'main')")?;
    let names = statement.query_map([table], |row| row.get::<_, String>(0))?;
    Ok(names.collect::<Result<Vec<_>, _>>()?.join(", "))
}

/// Returns a URI that opens the file for reading only.
pub(crate) fn read_only_uri(path: &str, vfs: Option<&str>) -> String {
    let mut uri = String::from("file:");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?mode=ro");
    if let Some(vfs) = vfs {
        let _ = write!(uri, "&vfs={vfs}");
    }
    uri
}

#[cfg(test)]
mod tests {
    #[test]
    fn uri_escapes_special_characters() {
        assert_eq!(super::read_only_uri("/a b/c?d#e.db", Some("argus")), "file:/a%20b/c%3Fd%23e.db?mode=ro&vfs=argus");
    }
}
