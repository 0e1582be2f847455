//! Tests ids of files, and files with foreign schemas whose SQL must never run.

use crate::{NOW, missing_file};
use argus_store::{
    FileAccess, Sqlite, StoreError, StoreErrorKind,
    database::sqlite::{
        identity::{Identity, adopt, identify},
        probe,
    },
    runs,
};
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

/// Number of rounds. With this number, some rounds open the file while it is being created.
const CREATION_ROUNDS: usize = 100;

fn open_own(path: &Path, id: &str) -> Result<Sqlite, StoreError> {
    Sqlite::open_with_id(path.to_str().unwrap(), None, FileAccess::ReadWrite, Some(id))
}

/// Uses a new id each time, so that an error comes from the file and not from a duplicate row.
fn write_new_row(database: &Sqlite) -> Result<(), StoreError> {
    static ADDED: AtomicU32 = AtomicU32::new(0);
    let id = ADDED.fetch_add(1, Ordering::Relaxed).to_string();
    database.write(NOW, |tx| probe::write_probe(tx, &id))
}

fn read_identity(path: &Path) -> Result<Identity, StoreError> {
    identify(path.to_str().unwrap(), None)
}

fn copy_of_version_3(name: &str) -> PathBuf {
    let path = missing_file(name);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-3.db"), &path).unwrap();
    path
}

#[test]
fn file_keeps_the_id_with_which_it_was_created() {
    let path = missing_file("made");
    assert_eq!(read_identity(&path).unwrap(), Identity::Nothing);
    open_own(&path, "mem-1").unwrap().create(NOW).unwrap();
    assert_eq!(read_identity(&path).unwrap(), Identity::WithId("mem-1".to_owned()));
    write_new_row(&open_own(&path, "mem-1").unwrap()).unwrap();
    assert_eq!(open_own(&path, "mem-2").unwrap_err().kind(), StoreErrorKind::Unavailable);
}

#[test]
fn second_creator_of_a_file_is_rejected() {
    let path = missing_file("race");
    let (one, other) = (open_own(&path, "mem-1").unwrap(), open_own(&path, "mem-2").unwrap());
    one.create(NOW).unwrap();
    assert_eq!(write_new_row(&other).unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(read_identity(&path).unwrap(), Identity::WithId("mem-1".to_owned()));
}

#[test]
fn file_can_be_opened_during_its_creation() {
    for round in 0..CREATION_ROUNDS {
        let path = missing_file(&format!("being-made-{round}"));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                write_new_row(&open_own(&path, "mem-own").unwrap()).unwrap();
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) {
                open_own(&path, "mem-own").unwrap();
            }
        });
    }
}

#[test]
fn file_that_replaced_the_open_file_is_rejected() {
    let (path, other) = (missing_file("replaced"), copy_of_version_3("replacing"));
    let database = open_own(&path, "mem-1").unwrap();
    write_new_row(&database).unwrap();
    fs::rename(&other, &path).unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(write_new_row(&database).unwrap_err().kind(), StoreErrorKind::Unavailable);
    let read = database.read(NOW, |tx| runs::list_newest_ids(tx, 1));
    assert_eq!(read.unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(fs::read(&path).unwrap(), before, "the other file is unchanged");
}

#[test]
fn adopt_gives_an_id_to_a_file_of_an_earlier_version() {
    let path = copy_of_version_3("older");
    let before = fs::read(&path).unwrap();
    assert_eq!(read_identity(&path).unwrap(), Identity::WithoutId);
    assert_eq!(open_own(&path, "mem-1").unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(fs::read(&path).unwrap(), before, "opening and reading migrate nothing");
    adopt(path.to_str().unwrap(), None, "mem-1", NOW).unwrap();
    assert_eq!(read_identity(&path).unwrap(), Identity::WithId("mem-1".to_owned()));
    let kept = open_own(&path, "mem-1").unwrap().read(NOW, |tx| runs::list_newest_ids(tx, 1));
    assert_eq!(kept.unwrap().len(), 1);
}

#[test]
fn adopt_replaces_an_existing_id() {
    let path = missing_file("adopted");
    open_own(&path, "mem-theirs").unwrap().create(NOW).unwrap();
    adopt(path.to_str().unwrap(), None, "mem-mine", NOW).unwrap();
    assert_eq!(read_identity(&path).unwrap(), Identity::WithId("mem-mine".to_owned()));
    assert!(
        !fs::read(&path).unwrap().windows(10).any(|bytes| bytes == b"mem-theirs")
            || open_own(&path, "mem-theirs").is_err()
    );
}

#[test]
fn snapshot_has_no_id() {
    let (path, copy) = (missing_file("original"), missing_file("copy"));
    let database = open_own(&path, "mem-secret-id").unwrap();
    write_new_row(&database).unwrap();
    database.snapshot(copy.to_str().unwrap()).unwrap();
    assert_eq!(read_identity(&copy).unwrap(), Identity::WithoutId);
    assert!(!fs::read(&copy).unwrap().windows(13).any(|bytes| bytes == b"mem-secret-id"));
}

/// Each statement is a change that an attacker may hide in a file with this version's schema.
#[test]
fn file_with_a_changed_schema_is_rejected() {
    let hidden = [
        "CREATE TRIGGER t AFTER INSERT ON probes BEGIN DELETE FROM runs; END",
        "CREATE TRIGGER t AFTER INSERT ON lookups BEGIN UPDATE patterns SET resolutions = occurrences; END",
        "CREATE VIEW v AS SELECT * FROM runs",
        "DROP TABLE probes; CREATE VIEW probes AS SELECT id FROM runs",
        "CREATE TABLE extra (x)",
        "CREATE INDEX extra ON runs (status)",
        "CREATE INDEX extra ON runs (abs(key))",
        "DROP INDEX runs_newest",
        "ALTER TABLE runs ADD COLUMN extra TEXT",
        "DROP TABLE probes; CREATE TABLE probes (id TEXT PRIMARY KEY, x GENERATED ALWAYS AS (hex(zeroblob(9))))",
        "CREATE VIRTUAL TABLE extra USING fts5(x)",
    ];
    for (number, sql) in hidden.into_iter().enumerate() {
        let path = missing_file(&format!("hidden-{number}"));
        open_own(&path, "mem-1").unwrap().create(NOW).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = fs::read(&path).unwrap();
        for mode in [FileAccess::ReadWrite, FileAccess::ReadOnly] {
            let opened = Sqlite::open(path.to_str().unwrap(), None, mode);
            assert_eq!(opened.unwrap_err().kind(), StoreErrorKind::Corrupt, "{sql}");
        }
        assert_eq!(read_identity(&path).unwrap_err().kind(), StoreErrorKind::Corrupt, "{sql}");
        assert_eq!(adopt(path.to_str().unwrap(), None, "mem-2", NOW).unwrap_err().kind(), StoreErrorKind::Corrupt);
        assert_eq!(fs::read(&path).unwrap(), before, "{sql}: the file is unchanged");
    }
}

#[test]
fn file_with_statistics_of_analyze_is_accepted() {
    let path = missing_file("analyzed");
    open_own(&path, "mem-1").unwrap().create(NOW).unwrap();
    write_new_row(&open_own(&path, "mem-1").unwrap()).unwrap();
    Connection::open(&path).unwrap().execute_batch("ANALYZE").unwrap();
    open_own(&path, "mem-1").unwrap();
}
