//! What somebody said of two failures: that they are one, or that they are two. Of a pair the last word counts.
//! What a memory makes of it is in `merging`.

use super::{
    PatternKey,
    exchange::{Known, read_known},
};
use crate::{
    database::{Row, Tx},
    error::StoreError,
};

/// A word about two failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// `dec-…`.
    pub id: String,
    /// One of them.
    pub failure: Known,
    /// The other.
    pub other: Known,
    /// They are one.
    pub is_same: bool,
    /// UTC milliseconds.
    pub said_at: i64,
}

/// A word to keep.
#[derive(Clone, Copy, Debug)]
pub struct NewWord<'a> {
    /// `dec-…`; free.
    pub id: &'a str,
    /// They are one.
    pub is_same: bool,
    /// UTC milliseconds.
    pub now: i64,
}

/// Keeps what is said of two, in place of the contrary; the same once more is no news.
pub fn say(
    tx: &mut Tx<'_>,
    failure: PatternKey,
    other: PatternKey,
    NewWord { id, is_same, now }: NewWord<'_>,
) -> Result<(), StoreError> {
    const TAKE_BACK: &str = "DELETE FROM sameness WHERE is_same <> $3 \
                             AND ((pattern_key = $1 AND other_key = $2) OR (pattern_key = $2 AND other_key = $1))";
    const SAY: &str = "INSERT INTO sameness (pattern_key, other_key, id, is_same, said_at) \
                       SELECT p.key, o.key, $3, $4, $5 FROM patterns p, patterns o WHERE p.key = $1 AND o.key = $2 \
                       AND NOT EXISTS (SELECT 1 FROM sameness s WHERE (s.pattern_key = $1 AND s.other_key = $2) \
                       OR (s.pattern_key = $2 AND s.other_key = $1))";
    tx.post(TAKE_BACK, &[failure.into(), other.into(), is_same.into()])?;
    tx.post(SAY, &[failure.into(), other.into(), id.into(), is_same.into(), now.into()])
}

/// All that was said, in the order of the ids, after this one.
pub fn page(tx: &mut Tx<'_>, after: &str, limit: u32) -> Result<Vec<Said>, StoreError> {
    const SQL: &str = "SELECT s.id, s.is_same, s.said_at, \
                       p.id, p.recipe, p.signature, p.case_name, p.normalized, p.description, a.event, \
                       o.id, o.recipe, o.signature, o.case_name, o.normalized, o.description, b.event \
                       FROM sameness s JOIN patterns p ON p.key = s.pattern_key JOIN patterns o ON o.key = s.other_key \
                       LEFT JOIN pattern_samples a ON a.pattern_key = p.key \
                       LEFT JOIN pattern_samples b ON b.pattern_key = o.key \
                       WHERE s.id > $1 ORDER BY s.id LIMIT $2";
    let read = |mut row: Row| {
        let (id, is_same, said_at) = (row.read()?, row.read()?, row.read()?);
        Ok(Said { id, is_same, said_at, failure: read_known(&mut row)?, other: read_known(&mut row)? })
    };
    tx.query(SQL, &[after.into(), limit.into()])?.into_iter().map(read).collect()
}

/// Those that this one is said not to be.
pub fn others_than(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "SELECT other_key FROM sameness WHERE pattern_key = $1 AND is_same = 0 \
                       UNION SELECT pattern_key FROM sameness WHERE other_key = $1 AND is_same = 0";
    let rows = tx.query(SQL, &[key.into()])?;
    rows.into_iter().map(|mut row| row.read().map(PatternKey)).collect()
}

/// The id of the last word that this one is another.
pub fn joined_by(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT id FROM sameness WHERE (pattern_key = $1 OR other_key = $1) AND is_same = 1 \
                       ORDER BY said_at DESC, id DESC LIMIT 1";
    tx.query_first(SQL, &[key.into()])?.map(|mut row| row.read()).transpose()
}

/// What was said of a row that goes is said of the one that stands for the same failure.
pub(super) fn move_to(tx: &mut Tx<'_>, from: PatternKey, into: PatternKey) -> Result<(), StoreError> {
    const MOVE: &str = "INSERT INTO sameness (pattern_key, other_key, id, is_same, said_at) \
                        SELECT CASE WHEN pattern_key = $1 THEN $2 ELSE pattern_key END, \
                        CASE WHEN other_key = $1 THEN $2 ELSE other_key END, id, is_same, said_at \
                        FROM sameness WHERE pattern_key = $1 OR other_key = $1 ON CONFLICT DO NOTHING";
    tx.post(MOVE, &[from.into(), into.into()])?;
    tx.post("DELETE FROM sameness WHERE pattern_key = $1 OR other_key = $1", &[from.into()])?;
    tx.post("DELETE FROM sameness WHERE pattern_key = $1 AND other_key = $1", &[into.into()])
}
