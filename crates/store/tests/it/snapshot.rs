//! Copies of a database that is in use.

use crate::{NOW, open};
use argus_store::{
    Sqlite, StoreError, Tx,
    database::sqlite::probe,
    fix_commits::{self, FixCommit},
    runs,
};
use std::{fs, path::PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("argus-snapshot-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

fn has(database: &Sqlite, id: &str) -> bool {
    database.write(NOW, |tx| probe::clear(tx, id)).expect("reads")
}

fn add(database: &Sqlite, id: &str) {
    database.write(NOW, |tx| probe::set(tx, id)).expect("writes");
}

#[test]
fn snapshot_has_committed_data_only() {
    let folder = folder("committed");
    let (file, copy) = (folder.join("argus.db"), folder.join("copy.db"));
    let (one, other) = (open(&file), open(&file));
    add(&one, "kept");
    let half: Result<(), StoreError> = other.write(NOW, |tx| {
        probe::set(tx, "half")?;
        // `other` holds the write lock and has not committed.
        one.snapshot(copy.to_str().expect("UTF-8"))
    });
    half.expect("a reader is not kept away");
    add(&one, "later");
    let copied = open(&copy);
    assert!(has(&copied, "kept") && !has(&copied, "half") && !has(&copied, "later"));
    assert_eq!(copied.read(NOW, |tx| runs::newest_ids(tx, 3)).expect("a whole database"), Vec::<String>::new());
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn snapshot_leaves_out_learned_commits() {
    let folder = folder("learned");
    let (file, copy) = (folder.join("argus.db"), folder.join("copy.db"));
    let database = open(&file);
    let commit = FixCommit {
        key: u64::MAX,
        commit: "cafe".repeat(10),
        committed_at: 1,
        sources: "[\"src/cart.js\"]".to_owned(),
    };
    let added = |tx: &mut Tx<'_>| fix_commits::add(tx, &commit, &[7, u64::MAX]);
    assert!(database.write(NOW, added).expect("writes"));
    database.snapshot(copy.to_str().expect("UTF-8")).expect("a copy");
    let found = |of: &Sqlite| {
        let look = |tx: &mut Tx<'_>| fix_commits::found_by(tx, &[7, u64::MAX, 8], 5);
        of.read::<_, StoreError, _>(NOW, look).expect("reads")
    };
    assert_eq!(found(&database), [vec![commit.clone()], vec![commit.clone()], Vec::new()]);
    assert_eq!(found(&open(&copy)), [Vec::new(), Vec::new(), Vec::new()]);
    assert!(!fs::read(&copy).expect("reads").windows(11).any(|part| part == b"src/cart.js"), "nor in free space");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn snapshot_overwrites_no_file() {
    let folder = folder("taken");
    let (file, copy) = (folder.join("argus.db"), folder.join("copy.db"));
    let database = open(&file);
    assert!(database.snapshot(copy.to_str().expect("UTF-8")).is_err(), "there is nothing to copy");
    assert!(!copy.exists() && !file.exists());
    add(&database, "kept");
    fs::write(&copy, "somebody's").expect("written");
    assert!(database.snapshot(copy.to_str().expect("UTF-8")).is_err());
    assert_eq!(fs::read_to_string(&copy).expect("still there"), "somebody's");
    fs::remove_dir_all(folder).expect("removed");
}
