//! Counts of a pattern at the end of each day on which they changed. Counts from before the migration to version 3 are
//! unknown.

use super::PatternKey;
use crate::{database::Tx, error::StoreError};

/// Milliseconds per day. Days count from the Unix epoch.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Counts at the end of one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyCounts {
    /// Days since the Unix epoch, UTC.
    pub day: i64,
    /// Total number of diagnoses.
    pub occurrences: u32,
    /// Total number of successful fixes.
    pub resolutions: u32,
}

/// Stores the counts for the day of `now`, replacing earlier counts of that day.
pub(crate) fn store_counts(
    tx: &mut Tx<'_>,
    key: PatternKey,
    now: i64,
    occurrences: u32,
    resolutions: u32,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_days (pattern_key, day, occurrences, resolutions) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (pattern_key, day) DO UPDATE SET \
                       occurrences = excluded.occurrences, resolutions = excluded.resolutions";
    let params = [key.into(), now.div_euclid(DAY_MS).into(), occurrences.into(), resolutions.into()];
    tx.execute_deferred(SQL, &params)
}

/// Like [`store_counts`], but reads the counts from the pattern's row.
pub(crate) fn store_current_counts(tx: &mut Tx<'_>, key: PatternKey, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_days (pattern_key, day, occurrences, resolutions) \
                       SELECT key, $2, occurrences, resolutions FROM patterns WHERE key = $1 \
                       ON CONFLICT (pattern_key, day) DO UPDATE SET \
                       occurrences = excluded.occurrences, resolutions = excluded.resolutions";
    tx.execute_deferred(SQL, &[key.into(), now.div_euclid(DAY_MS).into()])
}

/// Returns the counts of a pattern for the newest `limit` days, oldest first.
pub fn list_daily_counts(tx: &mut Tx<'_>, key: PatternKey, limit: u32) -> Result<Vec<DailyCounts>, StoreError> {
    const SQL: &str = "SELECT day, occurrences, resolutions FROM pattern_days WHERE pattern_key = $1 \
                       ORDER BY day DESC LIMIT $2";
    let rows = tx.query(SQL, &[key.into(), limit.into()])?;
    let read = |mut row: crate::database::Row| {
        Ok(DailyCounts { day: row.read()?, occurrences: row.read()?, resolutions: row.read()? })
    };
    rows.into_iter().rev().map(read).collect()
}
