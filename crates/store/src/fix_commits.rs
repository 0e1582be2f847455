//! Commits that look like fixes, and the clues by which each commit is found. A clue is the hash of a test file, of a
//! test in a file, or of a symbol in a file.

use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
};

/// A commit with the source files that it changed, as JSON that only the engine reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixCommit {
    /// Hash of the commit id.
    pub key: u64,
    /// Full hash.
    pub commit: String,
    /// UTC milliseconds.
    pub committed_at: i64,
    /// JSON.
    pub sources: String,
}

/// Adds a commit with its clues. Returns false and changes nothing if the commit is already stored.
pub fn add(tx: &mut Tx<'_>, commit: &FixCommit, clues: &[u64]) -> Result<bool, StoreError> {
    const INSERT: &str = "INSERT INTO fix_commits (key, commit_id, committed_at, sources) VALUES ($1, $2, $3, $4) \
                          ON CONFLICT (key) DO NOTHING";
    const CLUE: &str = "INSERT INTO fix_commit_clues (clue, commit_key) VALUES ($1, $2) \
                        ON CONFLICT (clue, commit_key) DO NOTHING";
    let key = to_sql_integer(commit.key);
    let values = [key.into(), (&commit.commit).into(), commit.committed_at.into(), (&commit.sources).into()];
    if tx.execute(INSERT, &values)? == 0 {
        return Ok(false);
    }
    tx.execute_many(CLUE, clues.iter().map(|clue| [to_sql_integer(*clue).into(), key.into()]))?;
    Ok(true)
}

/// Returns the ids of all commits, oldest first.
pub fn list_ids(tx: &mut Tx<'_>) -> Result<Vec<String>, StoreError> {
    let rows = tx.query("SELECT commit_id FROM fix_commits ORDER BY committed_at, key", &[])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Returns for each clue the newest commits that have it, at most `most` per clue.
pub fn find_by_clues(tx: &mut Tx<'_>, clues: &[u64], most: u32) -> Result<Vec<Vec<FixCommit>>, StoreError> {
    const SQL: &str = "SELECT c.key, c.commit_id, c.committed_at, c.sources \
                       FROM fix_commit_clues f JOIN fix_commits c ON c.key = f.commit_key \
                       WHERE f.clue = $1 ORDER BY c.committed_at DESC, c.key LIMIT $2";
    let params: Vec<[Value<'_>; 2]> = clues.iter().map(|clue| [to_sql_integer(*clue).into(), most.into()]).collect();
    let rows = tx.query_many(SQL, &params)?;
    let all = |rows: Vec<Row>| rows.into_iter().map(|mut row| read_commit(&mut row)).collect();
    rows.into_iter().map(all).collect()
}

/// Deletes the oldest commits so that at most `most` stay.
pub fn delete_oldest_commits(tx: &mut Tx<'_>, most: u32) -> Result<(), StoreError> {
    const OLDER: &str = "DELETE FROM fix_commits WHERE key IN \
                         (SELECT key FROM fix_commits ORDER BY committed_at DESC, key LIMIT 1000000000 OFFSET $1)";
    const CLUES: &str = "DELETE FROM fix_commit_clues WHERE commit_key NOT IN (SELECT key FROM fix_commits)";
    if tx.execute(OLDER, &[most.into()])? > 0 {
        tx.execute_deferred(CLUES, &[])?;
    }
    Ok(())
}

fn read_commit(row: &mut Row) -> Result<FixCommit, StoreError> {
    let key: i64 = row.read()?;
    Ok(FixCommit { key: key.cast_unsigned(), commit: row.read()?, committed_at: row.read()?, sources: row.read()? })
}

/// Reinterprets the bits of a hash as a signed integer, because databases have no unsigned integers.
const fn to_sql_integer(hash: u64) -> i64 {
    hash.cast_signed()
}
