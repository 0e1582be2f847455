//! Tests over whole databases, and their helpers. They are one program, because each test program has to be linked.
#![allow(clippy::unwrap_used, reason = "tests; clippy knows only functions marked as one")]

mod database;
mod identity;
mod postgres;
mod sameness;
mod search;
mod snapshot;

use argus_store::{Mode, Sqlite};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The time of every transaction.
const NOW: i64 = 1;

fn open(path: &Path) -> Sqlite {
    Sqlite::open(path.to_str().unwrap(), None, Mode::ReadWrite).unwrap()
}

/// Path of a file that does not exist. It is below `target`, so that tests leave no files elsewhere.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.db"));
    for suffix in ["", "-journal"] {
        let _ = fs::remove_file(format!("{}{suffix}", path.display()));
    }
    path
}
