//! Tests with whole databases, and their helpers. All tests are in a single program, because linking each program takes
//! time.
#![allow(clippy::unwrap_used, reason = "clippy allows this only in functions that are marked as tests")]

mod database;
mod identity;
mod postgres;
mod sameness;
mod search;
mod snapshot;

use argus_store::{FileAccess, Sqlite};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The time of every transaction.
const NOW: i64 = 1;

fn open(path: &Path) -> Sqlite {
    Sqlite::open(path.to_str().unwrap(), None, FileAccess::ReadWrite).unwrap()
}

/// Returns the path of a file that does not exist. The path is below `target`, so that tests leave no files elsewhere.
fn missing_file(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.db"));
    for suffix in ["", "-journal"] {
        let _ = fs::remove_file(format!("{}{suffix}", path.display()));
    }
    path
}
