//! The counts of a pattern at the end of each day on which they changed.
//! What was before a database was brought to version 3 is not known.

use super::PatternKey;
use crate::{database::Tx, error::StoreError};

/// The day of a moment counts from the Unix epoch.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The counts at the end of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DailyCounts {
    /// Since the Unix epoch, UTC.
    pub day: i64,
    /// How often it had been diagnosed.
    pub occurrences: u32,
    /// How often a fix had been reported as successful.
    pub resolutions: u32,
}

/// Keeps what was just counted as the end of this day.
pub(crate) fn record(
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
    tx.post(SQL, &params)
}

/// The same for counts that are to be read.
pub(crate) fn record_stored(tx: &mut Tx<'_>, key: PatternKey, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_days (pattern_key, day, occurrences, resolutions) \
                       SELECT key, $2, occurrences, resolutions FROM patterns WHERE key = $1 \
                       ON CONFLICT (pattern_key, day) DO UPDATE SET \
                       occurrences = excluded.occurrences, resolutions = excluded.resolutions";
    tx.post(SQL, &[key.into(), now.div_euclid(DAY_MS).into()])
}

/// The last days of a pattern, oldest first.
pub fn of_pattern(tx: &mut Tx<'_>, key: PatternKey, limit: u32) -> Result<Vec<DailyCounts>, StoreError> {
    const SQL: &str = "SELECT day, occurrences, resolutions FROM pattern_days WHERE pattern_key = $1 \
                       ORDER BY day DESC LIMIT $2";
    let rows = tx.query(SQL, &[key.into(), limit.into()])?;
    let read = |mut row: crate::database::Row| {
        Ok(DailyCounts { day: row.read()?, occurrences: row.read()?, resolutions: row.read()? })
    };
    rows.into_iter().rev().map(read).collect()
}
