//! Tests copies of a database that is in use.

use crate::{NOW, open};
use argus_store::{
    Sqlite, StoreError, Tx,
    database::sqlite::probe,
    fix_commits::{self, FixCommit},
    runs,
};
use std::{fs, path::PathBuf};

fn create_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("argus-snapshot-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

fn delete_row(database: &Sqlite, id: &str) -> bool {
    database.write(NOW, |tx| probe::delete_probe(tx, id)).expect("reads")
}

fn write_row(database: &Sqlite, id: &str) {
    database.write(NOW, |tx| probe::write_probe(tx, id)).expect("writes");
}

#[test]
fn snapshot_contains_only_committed_data() {
    let folder = create_folder("committed");
    let (file, copy) = (folder.join("argus.db"), folder.join("copy.db"));
    let (one, other) = (open(&file), open(&file));
    write_row(&one, "kept");
    let half: Result<(), StoreError> = other.write(NOW, |tx| {
        probe::write_probe(tx, "half")?;
        // `other` holds the write lock and has not committed.
        one.snapshot(copy.to_str().expect("UTF-8"))
    });
    half.expect("a reader does not wait");
    write_row(&one, "later");
    let copied = open(&copy);
    assert!(delete_row(&copied, "kept") && !delete_row(&copied, "half") && !delete_row(&copied, "later"));
    assert_eq!(copied.read(NOW, |tx| runs::list_newest_ids(tx, 3)).expect("a whole database"), Vec::<String>::new());
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn snapshot_omits_learned_commits() {
    let folder = create_folder("learned");
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
        let look = |tx: &mut Tx<'_>| fix_commits::find_by_clues(tx, &[7, u64::MAX, 8], 5);
        of.read::<_, StoreError, _>(NOW, look).expect("reads")
    };
    assert_eq!(found(&database), [vec![commit.clone()], vec![commit.clone()], Vec::new()]);
    assert_eq!(found(&open(&copy)), [Vec::new(), Vec::new(), Vec::new()]);
    assert!(
        !fs::read(&copy).expect("reads").windows(11).any(|part| part == b"src/cart.js"),
        "free pages contain no traces either"
    );
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn snapshot_overwrites_no_file() {
    let folder = create_folder("taken");
    let (file, copy) = (folder.join("argus.db"), folder.join("copy.db"));
    let database = open(&file);
    assert!(database.snapshot(copy.to_str().expect("UTF-8")).is_err(), "there is nothing to copy");
    assert!(!copy.exists() && !file.exists());
    write_row(&database, "kept");
    fs::write(&copy, "somebody's").expect("written");
    assert!(database.snapshot(copy.to_str().expect("UTF-8")).is_err());
    assert_eq!(fs::read_to_string(&copy).expect("still there"), "somebody's");
    fs::remove_dir_all(folder).expect("removed");
}
