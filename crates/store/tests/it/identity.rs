//! Ids of files, and foreign schemas whose code must never run.

use crate::{NOW, fresh};
use argus_store::{
    Mode, Sqlite, StoreError, StoreErrorKind,
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

/// Enough rounds that some of them open the file while it is being created.
const ROUNDS_OF_MAKING: usize = 100;

fn own(path: &Path, id: &str) -> Result<Sqlite, StoreError> {
    Sqlite::open_own(path.to_str().unwrap(), None, Mode::ReadWrite, Some(id))
}

/// Uses a new id each time, so that an error comes from the file and not from a duplicate row.
fn add(database: &Sqlite) -> Result<(), StoreError> {
    static ADDED: AtomicU32 = AtomicU32::new(0);
    let id = ADDED.fetch_add(1, Ordering::Relaxed).to_string();
    database.write(NOW, |tx| probe::set(tx, &id))
}

fn identity_of(path: &Path) -> Result<Identity, StoreError> {
    identify(path.to_str().unwrap(), None)
}

fn older(name: &str) -> PathBuf {
    let path = fresh(name);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-3.db"), &path).unwrap();
    path
}

#[test]
fn keeps_the_id_from_creation() {
    let path = fresh("made");
    assert_eq!(identity_of(&path).unwrap(), Identity::Nothing);
    own(&path, "mem-1").unwrap().create(NOW).unwrap();
    assert_eq!(identity_of(&path).unwrap(), Identity::Named("mem-1".to_owned()));
    add(&own(&path, "mem-1").unwrap()).unwrap();
    assert_eq!(own(&path, "mem-2").unwrap_err().kind(), StoreErrorKind::Unavailable);
}

#[test]
fn rejects_the_second_creator_of_a_file() {
    let path = fresh("race");
    let (one, other) = (own(&path, "mem-1").unwrap(), own(&path, "mem-2").unwrap());
    one.create(NOW).unwrap();
    assert_eq!(add(&other).unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(identity_of(&path).unwrap(), Identity::Named("mem-1".to_owned()));
}

#[test]
fn opens_a_file_during_its_creation() {
    for round in 0..ROUNDS_OF_MAKING {
        let path = fresh(&format!("being-made-{round}"));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                add(&own(&path, "mem-own").unwrap()).unwrap();
                done.store(true, Ordering::Release);
            });
            while !done.load(Ordering::Acquire) {
                own(&path, "mem-own").unwrap();
            }
        });
    }
}

#[test]
fn rejects_a_file_that_replaced_the_open_file() {
    let (path, other) = (fresh("replaced"), older("replacing"));
    let database = own(&path, "mem-1").unwrap();
    add(&database).unwrap();
    fs::rename(&other, &path).unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(add(&database).unwrap_err().kind(), StoreErrorKind::Unavailable);
    let read = database.read(NOW, |tx| runs::newest_ids(tx, 1));
    assert_eq!(read.unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(fs::read(&path).unwrap(), before, "nothing was written into it");
}

#[test]
fn older_file_gets_its_id_by_adopt() {
    let path = older("older");
    let before = fs::read(&path).unwrap();
    assert_eq!(identity_of(&path).unwrap(), Identity::Unnamed);
    assert_eq!(own(&path, "mem-1").unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(fs::read(&path).unwrap(), before, "looking migrates nothing");
    adopt(path.to_str().unwrap(), None, "mem-1", NOW).unwrap();
    assert_eq!(identity_of(&path).unwrap(), Identity::Named("mem-1".to_owned()));
    let kept = own(&path, "mem-1").unwrap().read(NOW, |tx| runs::newest_ids(tx, 1));
    assert_eq!(kept.unwrap().len(), 1);
}

#[test]
fn adopt_replaces_an_existing_id() {
    let path = fresh("adopted");
    own(&path, "mem-theirs").unwrap().create(NOW).unwrap();
    adopt(path.to_str().unwrap(), None, "mem-mine", NOW).unwrap();
    assert_eq!(identity_of(&path).unwrap(), Identity::Named("mem-mine".to_owned()));
    assert!(
        !fs::read(&path).unwrap().windows(10).any(|bytes| bytes == b"mem-theirs") || own(&path, "mem-theirs").is_err()
    );
}

#[test]
fn snapshot_has_no_id() {
    let (path, copy) = (fresh("original"), fresh("copy"));
    let database = own(&path, "mem-secret-id").unwrap();
    add(&database).unwrap();
    database.snapshot(copy.to_str().unwrap()).unwrap();
    assert_eq!(identity_of(&copy).unwrap(), Identity::Unnamed);
    assert!(!fs::read(&copy).unwrap().windows(13).any(|bytes| bytes == b"mem-secret-id"));
}

/// Changes that somebody may hide in a file that otherwise has this version's schema.
#[test]
fn rejects_a_changed_schema() {
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
        let path = fresh(&format!("hidden-{number}"));
        own(&path, "mem-1").unwrap().create(NOW).unwrap();
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = fs::read(&path).unwrap();
        for mode in [Mode::ReadWrite, Mode::ReadOnly] {
            let opened = Sqlite::open(path.to_str().unwrap(), None, mode);
            assert_eq!(opened.unwrap_err().kind(), StoreErrorKind::Corrupt, "{sql}");
        }
        assert_eq!(identity_of(&path).unwrap_err().kind(), StoreErrorKind::Corrupt, "{sql}");
        assert_eq!(adopt(path.to_str().unwrap(), None, "mem-2", NOW).unwrap_err().kind(), StoreErrorKind::Corrupt);
        assert_eq!(fs::read(&path).unwrap(), before, "{sql}: nothing of it was run");
    }
}

#[test]
fn accepts_tables_of_analyze() {
    let path = fresh("analyzed");
    own(&path, "mem-1").unwrap().create(NOW).unwrap();
    add(&own(&path, "mem-1").unwrap()).unwrap();
    Connection::open(&path).unwrap().execute_batch("ANALYZE").unwrap();
    own(&path, "mem-1").unwrap();
}
