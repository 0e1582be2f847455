//! Checks that a file has exactly the schema of its version. No SQL from the file is executed: a trigger, a view or a
//! computed column that Argus did not create is refused.

use super::migrate::{latest, run_migrations};
use crate::error::StoreError;
use argus_core::sign::sha256_hex;
use rusqlite::{Connection, config::DbConfig};
use std::{cell::RefCell, collections::BTreeSet};

/// One row of `sqlite_schema`: type, name, table and SQL.
type Entry = (String, String, String, Option<String>);

/// Tables that SQLite's ANALYZE creates. They change no result.
const STATISTICS: [&str; 2] =
    ["CREATE TABLE sqlite_stat1(tbl,idx,stat)", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"];

/// A constraint as the first files of version 1 have it, for example `tests/fixtures/version-1.db`, and its present
/// form. Both mean the same.
const FORMERLY: (&str, &str) = (
    "CHECK (status IN ('passed', 'failed', 'skipped'))",
    "CHECK (status = 'passed' OR status = 'failed' OR status = 'skipped')",
);

/// SHA-256 of the schema of the latest version. It is a constant, because creating the schema at each opening would
/// take longer than the rest of the opening.
const LATEST: &str = "aa560b5b2dce8d05556944b4772ca7c53e2c0d81cc2ea04cfa746c7c2a89079e";

thread_local! {
    /// The schema of each version, filled when it is first needed.
    static EXPECTED: RefCell<Vec<Option<BTreeSet<Entry>>>> = const { RefCell::new(Vec::new()) };
}

/// Secures a connection to a file from any source: no SQL of its schema is executed, and a damaged page is detected
/// when it is read.
pub(crate) fn restrict(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    Ok(())
}

/// Returns an error if the schema differs from the schema of `version`.
pub(crate) fn check(connection: &Connection, version: i64) -> Result<(), StoreError> {
    let found = entries(connection)?;
    if version == latest() && digest(&found) == LATEST {
        return Ok(());
    }
    EXPECTED.with_borrow_mut(|known| {
        known.resize_with(usize::try_from(latest()).unwrap_or_default() + 1, || None);
        let slot = usize::try_from(version).ok().and_then(|version| known.get_mut(version));
        let slot = slot.ok_or_else(|| StoreError::corrupt("its version is none of this program's"))?;
        let expected = match slot {
            Some(expected) => expected,
            None => slot.insert(expected_entries(version)?),
        };
        compare(expected, &found)
    })
}

fn digest(entries: &BTreeSet<Entry>) -> String {
    let own: Vec<_> = entries.iter().filter(|entry| !is_statistics(entry)).collect();
    sha256_hex(&format!("{own:?}"))
}

fn compare(expected: &BTreeSet<Entry>, found: &BTreeSet<Entry>) -> Result<(), StoreError> {
    if let Some((kind, ..)) = found.difference(expected).find(|entry| !is_statistics(entry)) {
        let what = match kind.as_str() {
            "trigger" | "view" => format!("it has a {kind}"),
            _ => format!("it has a {kind} of another program, or one that was changed"),
        };
        return Err(StoreError::corrupt(&format!("{what}, and Argus makes none such; nothing of it was run")));
    }
    match expected.difference(found).next() {
        Some((kind, name, ..)) => Err(StoreError::corrupt(&format!("its {kind} {name} is missing"))),
        None => Ok(()),
    }
}

fn is_statistics((kind, _, _, words): &Entry) -> bool {
    kind == "table" && words.as_deref().is_some_and(|words| STATISTICS.contains(&words))
}

fn expected_entries(version: i64) -> Result<BTreeSet<Entry>, StoreError> {
    let connection = Connection::open_in_memory()?;
    run_migrations(&connection, 0, version, 0)?;
    entries(&connection)
}

fn entries(connection: &Connection) -> Result<BTreeSet<Entry>, StoreError> {
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM main.sqlite_schema")?;
    let rows = statement.query_map([], |row| {
        let words: Option<String> = row.get(3)?;
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, words.map(|words| words.replace(FORMERLY.0, FORMERLY.1))))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::{LATEST, digest, expected_entries, latest};

    #[test]
    fn latest_digest_matches_migrations() {
        assert_eq!(LATEST, digest(&expected_entries(latest()).expect("the scripts run")));
    }
}
