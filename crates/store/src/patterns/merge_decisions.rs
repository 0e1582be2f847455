//! Decisions of people that two failures are the same or different. Only the newest decision about a pair counts.
//! `merging` applies the decisions to patterns.

use super::{
    PatternKey,
    exchange::{KnownFailure, read_known_failure},
};
use crate::{
    database::{Row, Tx},
    error::StoreError,
};

/// A decision about two failures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeDecision {
    /// `dec-…`.
    pub id: String,
    /// The first failure.
    pub failure: KnownFailure,
    /// The second failure.
    pub other: KnownFailure,
    /// True if the failures are the same.
    pub is_same: bool,
    /// UTC milliseconds.
    pub said_at: i64,
}

/// A decision to store.
#[derive(Clone, Copy, Debug)]
pub struct NewMergeDecision<'a> {
    /// `dec-…`; must be unused.
    pub id: &'a str,
    /// True if the failures are the same.
    pub is_same: bool,
    /// UTC milliseconds.
    pub now: i64,
}

/// Stores a decision about two failures and deletes the opposite decision. A repeated decision changes nothing.
pub fn record_merge_decision(
    tx: &mut Tx<'_>,
    failure: PatternKey,
    other: PatternKey,
    NewMergeDecision { id, is_same, now }: NewMergeDecision<'_>,
) -> Result<(), StoreError> {
    const TAKE_BACK: &str = "DELETE FROM sameness WHERE is_same <> $3 \
                             AND ((pattern_key = $1 AND other_key = $2) OR (pattern_key = $2 AND other_key = $1))";
    const SAY: &str = "INSERT INTO sameness (pattern_key, other_key, id, is_same, said_at) \
                       SELECT p.key, o.key, $3, $4, $5 FROM patterns p, patterns o WHERE p.key = $1 AND o.key = $2 \
                       AND NOT EXISTS (SELECT 1 FROM sameness s WHERE (s.pattern_key = $1 AND s.other_key = $2) \
                       OR (s.pattern_key = $2 AND s.other_key = $1))";
    tx.execute_deferred(TAKE_BACK, &[failure.into(), other.into(), is_same.into()])?;
    tx.execute_deferred(SAY, &[failure.into(), other.into(), id.into(), is_same.into(), now.into()])
}

/// Returns all decisions, ordered by id, starting after `after`.
pub fn list_page(tx: &mut Tx<'_>, after: &str, limit: u32) -> Result<Vec<MergeDecision>, StoreError> {
    const SQL: &str = "SELECT s.id, s.is_same, s.said_at, \
                       p.id, p.recipe, p.signature, p.case_name, p.normalized, p.description, a.event, \
                       o.id, o.recipe, o.signature, o.case_name, o.normalized, o.description, b.event \
                       FROM sameness s JOIN patterns p ON p.key = s.pattern_key JOIN patterns o ON o.key = s.other_key \
                       LEFT JOIN pattern_samples a ON a.pattern_key = p.key \
                       LEFT JOIN pattern_samples b ON b.pattern_key = o.key \
                       WHERE s.id > $1 ORDER BY s.id LIMIT $2";
    let read = |mut row: Row| {
        let (id, is_same, said_at) = (row.read()?, row.read()?, row.read()?);
        Ok(MergeDecision {
            id,
            is_same,
            said_at,
            failure: read_known_failure(&mut row)?,
            other: read_known_failure(&mut row)?,
        })
    };
    tx.query(SQL, &[after.into(), limit.into()])?.into_iter().map(read).collect()
}

/// Returns the failures that were declared different from this failure.
pub fn list_different_failures(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "SELECT other_key FROM sameness WHERE pattern_key = $1 AND is_same = 0 \
                       UNION SELECT pattern_key FROM sameness WHERE other_key = $1 AND is_same = 0";
    let rows = tx.query(SQL, &[key.into()])?;
    rows.into_iter().map(|mut row| row.read().map(PatternKey)).collect()
}

/// Returns the id of the newest decision that this failure is the same as another.
pub fn find_merge_decision(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT id FROM sameness WHERE (pattern_key = $1 OR other_key = $1) AND is_same = 1 \
                       ORDER BY said_at DESC, id DESC LIMIT 1";
    tx.query_first(SQL, &[key.into()])?.map(|mut row| row.read()).transpose()
}

/// Moves the decisions about a row that is deleted to the row that represents the same failure.
pub(super) fn move_decisions(tx: &mut Tx<'_>, from: PatternKey, into: PatternKey) -> Result<(), StoreError> {
    const MOVE: &str = "INSERT INTO sameness (pattern_key, other_key, id, is_same, said_at) \
                        SELECT CASE WHEN pattern_key = $1 THEN $2 ELSE pattern_key END, \
                        CASE WHEN other_key = $1 THEN $2 ELSE other_key END, id, is_same, said_at \
                        FROM sameness WHERE pattern_key = $1 OR other_key = $1 ON CONFLICT DO NOTHING";
    tx.execute_deferred(MOVE, &[from.into(), into.into()])?;
    tx.execute_deferred("DELETE FROM sameness WHERE pattern_key = $1 OR other_key = $1", &[from.into()])?;
    tx.execute_deferred("DELETE FROM sameness WHERE pattern_key = $1 AND other_key = $1", &[into.into()])
}
