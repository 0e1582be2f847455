//! Statements of people that two failures are the same or different. Only the last statement about a pair counts. The
//! effect on patterns is in `merging`.

use super::{
    PatternKey,
    exchange::{Known, read_known},
};
use crate::{
    database::{Row, Tx},
    error::StoreError,
};

/// A statement about two failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// `dec-…`.
    pub id: String,
    /// The first failure.
    pub failure: Known,
    /// The second failure.
    pub other: Known,
    /// True if the failures are the same.
    pub is_same: bool,
    /// UTC milliseconds.
    pub said_at: i64,
}

/// A statement to store.
#[derive(Clone, Copy, Debug)]
pub struct NewWord<'a> {
    /// `dec-…`; must be unused.
    pub id: &'a str,
    /// True if the failures are the same.
    pub is_same: bool,
    /// UTC milliseconds.
    pub now: i64,
}

/// Stores a statement about two failures and deletes a contrary statement. A repeated statement changes nothing.
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

/// All statements, ordered by id, starting after `after`.
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

/// Failures that are stated to be different from this failure.
pub fn others_than(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "SELECT other_key FROM sameness WHERE pattern_key = $1 AND is_same = 0 \
                       UNION SELECT pattern_key FROM sameness WHERE other_key = $1 AND is_same = 0";
    let rows = tx.query(SQL, &[key.into()])?;
    rows.into_iter().map(|mut row| row.read().map(PatternKey)).collect()
}

/// Id of the newest statement that this failure is the same as another.
pub fn joined_by(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT id FROM sameness WHERE (pattern_key = $1 OR other_key = $1) AND is_same = 1 \
                       ORDER BY said_at DESC, id DESC LIMIT 1";
    tx.query_first(SQL, &[key.into()])?.map(|mut row| row.read()).transpose()
}

/// Moves the statements about a row that is deleted to the row that represents the same failure.
pub(super) fn move_to(tx: &mut Tx<'_>, from: PatternKey, into: PatternKey) -> Result<(), StoreError> {
    const MOVE: &str = "INSERT INTO sameness (pattern_key, other_key, id, is_same, said_at) \
                        SELECT CASE WHEN pattern_key = $1 THEN $2 ELSE pattern_key END, \
                        CASE WHEN other_key = $1 THEN $2 ELSE other_key END, id, is_same, said_at \
                        FROM sameness WHERE pattern_key = $1 OR other_key = $1 ON CONFLICT DO NOTHING";
    tx.post(MOVE, &[from.into(), into.into()])?;
    tx.post("DELETE FROM sameness WHERE pattern_key = $1 OR other_key = $1", &[from.into()])?;
    tx.post("DELETE FROM sameness WHERE pattern_key = $1 AND other_key = $1", &[into.into()])
}
