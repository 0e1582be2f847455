//! Checks that a file has exactly the schema of its version. No SQL from the file is executed: a trigger, a view or a
//! computed column that Argus did not create is refused.

use super::migrate::{latest_version, run_migrations};
use crate::error::StoreError;
use argus_core::sign::sha256_hex;
use rusqlite::{Connection, config::DbConfig};
use std::{cell::RefCell, collections::BTreeSet};

/// A row of `sqlite_schema`: type, name, table and SQL.
type SchemaEntry = (String, String, String, Option<String>);

/// Tables that SQLite's ANALYZE creates. They do not change results of queries.
const STATISTICS_TABLES: [&str; 2] =
    ["CREATE TABLE sqlite_stat1(tbl,idx,stat)", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"];

/// A constraint as in the first files of version 1, for example `tests/fixtures/version-1.db`, and in its present form.
/// Both forms have the same meaning.
const OLD_AND_NEW_STATUS_CHECK: (&str, &str) = (
    "CHECK (status IN ('passed', 'failed', 'skipped'))",
    "CHECK (status = 'passed' OR status = 'failed' OR status = 'skipped')",
);

/// SHA-256 of the schema of the latest version. It is a constant, because creating the schema at each opening would
/// take longer than the rest of the opening.
const LATEST_SCHEMA_DIGEST: &str = "aa560b5b2dce8d05556944b4772ca7c53e2c0d81cc2ea04cfa746c7c2a89079e";

thread_local! {
    /// The schema of each version, filled when it is first needed.
    static EXPECTED_SCHEMAS: RefCell<Vec<Option<BTreeSet<SchemaEntry>>>> = const { RefCell::new(Vec::new()) };
}

/// Secures a connection to a file from any source: no SQL of its schema is executed, and a damaged page is detected
/// when it is read.
pub(crate) fn restrict_connection(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    Ok(())
}

/// Returns an error if the schema differs from the schema of `version`.
pub(crate) fn check(connection: &Connection, version: i64) -> Result<(), StoreError> {
    let found = read_entries(connection)?;
    if version == latest_version() && digest_entries(&found) == LATEST_SCHEMA_DIGEST {
        return Ok(());
    }
    EXPECTED_SCHEMAS.with_borrow_mut(|known| {
        known.resize_with(usize::try_from(latest_version()).unwrap_or_default() + 1, || None);
        let slot = usize::try_from(version).ok().and_then(|version| known.get_mut(version));
        let slot = slot.ok_or_else(|| StoreError::corrupt("this program does not know its version"))?;
        let expected = match slot {
            Some(expected) => expected,
            None => slot.insert(build_expected_entries(version)?),
        };
        compare_entries(expected, &found)
    })
}

fn digest_entries(entries: &BTreeSet<SchemaEntry>) -> String {
    let own: Vec<_> = entries.iter().filter(|entry| !is_statistics(entry)).collect();
    sha256_hex(&format!("{own:?}"))
}

fn compare_entries(expected: &BTreeSet<SchemaEntry>, found: &BTreeSet<SchemaEntry>) -> Result<(), StoreError> {
    if let Some((kind, ..)) = found.difference(expected).find(|entry| !is_statistics(entry)) {
        let what = match kind.as_str() {
            "trigger" | "view" => format!("it has a {kind}"),
            _ => format!("it has a changed {kind}, or a {kind} of another program"),
        };
        return Err(StoreError::corrupt(&format!("{what}, which Argus never creates, so none of it was run")));
    }
    match expected.difference(found).next() {
        Some((kind, name, ..)) => Err(StoreError::corrupt(&format!("its {kind} {name} is missing"))),
        None => Ok(()),
    }
}

fn is_statistics((kind, _, _, sql): &SchemaEntry) -> bool {
    kind == "table" && sql.as_deref().is_some_and(|sql| STATISTICS_TABLES.contains(&sql))
}

fn build_expected_entries(version: i64) -> Result<BTreeSet<SchemaEntry>, StoreError> {
    let connection = Connection::open_in_memory()?;
    run_migrations(&connection, 0, version, 0)?;
    read_entries(&connection)
}

fn read_entries(connection: &Connection) -> Result<BTreeSet<SchemaEntry>, StoreError> {
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_schema")?;
    let rows = statement.query_map([], |row| {
        let sql: Option<String> = row.get(3)?;
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            sql.map(|sql| sql.replace(OLD_AND_NEW_STATUS_CHECK.0, OLD_AND_NEW_STATUS_CHECK.1)),
        ))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::{LATEST_SCHEMA_DIGEST, build_expected_entries, digest_entries, latest_version};

    #[test]
    fn latest_digest_matches_migrations() {
        assert_eq!(
            LATEST_SCHEMA_DIGEST,
            digest_entries(&build_expected_entries(latest_version()).expect("the scripts run"))
        );
    }
}
