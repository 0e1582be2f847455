//! Finds candidates that are similar to a failure, using indexes only. `argus-core` computes how similar they are.

use super::{Pattern, PatternKey, columns, tables};
use crate::{
    database::{Tx, Value},
    error::StoreError,
    patterns,
};

/// Number of newest patterns to look at per band. A band that many patterns share is weak evidence, and the limit keeps
/// the cost of a search constant.
const MAX_PATTERNS_PER_BAND: u32 = 24;

/// Returns patterns of the same family without duplicates. A merged pattern is replaced by its target.
pub fn list_by_family(tx: &mut Tx<'_>, family: &str, limit: u32) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.family = $1 ORDER BY p.key LIMIT $2");
    let rows = tx.query(SQL, &[family.into(), limit.into()])?;
    let mut found: Vec<Pattern> = Vec::with_capacity(rows.len());
    for mut row in rows {
        let pattern = patterns::read_pattern(&mut row)?;
        let into = match pattern.merged_into {
            Some(into) => patterns::get(tx, into)?,
            None => Some(pattern),
        };
        found.extend(into.filter(|into| found.iter().all(|other| other.key != into.key)));
    }
    Ok(found)
}

/// Returns the keys and normalized texts of patterns that share a band, including merged patterns.
pub fn list_texts_by_bands(tx: &mut Tx<'_>, bands: [u32; 4]) -> Result<Vec<(PatternKey, String)>, StoreError> {
    const KEYS: &str = "SELECT pattern_key FROM pattern_bands WHERE band = $1 ORDER BY pattern_key DESC LIMIT $2";
    const SQL: &str = "SELECT normalized FROM patterns WHERE key = $1";
    let wanted: Vec<_> = number_bands(bands).map(|band| [band.into(), MAX_PATTERNS_PER_BAND.into()]).collect();
    let rows = tx.query_many(KEYS, &wanted)?.into_iter().flatten();
    let mut keys = rows.map(|mut row| row.read()).collect::<Result<Vec<i64>, _>>()?;
    keys.sort_unstable();
    keys.dedup();
    let wanted: Vec<_> = keys.iter().map(|key| [(*key).into()]).collect();
    let texts = keys.iter().zip(tx.query_many(SQL, &wanted)?);
    texts.flat_map(|(key, rows)| rows.into_iter().map(|mut row| Ok((PatternKey(*key), row.read()?)))).collect()
}

pub(crate) fn add_bands(tx: &mut Tx<'_>, key: PatternKey, bands: [u32; 4]) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_bands (band, pattern_key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    tx.execute_many(SQL, number_bands(bands).map(|band| [Value::Int(band), key.into()]))
}

pub(crate) fn remove_bands(tx: &mut Tx<'_>, key: PatternKey, bands: [u32; 4]) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM pattern_bands WHERE band = $1 AND pattern_key = $2";
    tx.execute_many(SQL, number_bands(bands).map(|band| [Value::Int(band), key.into()]))
}

/// Combines the number of the band with its hash, so that equal hashes in different bands do not match.
fn number_bands(bands: [u32; 4]) -> impl Iterator<Item = i64> {
    (0_i64..).zip(bands).map(|(number, hash)| (number << 32) | i64::from(hash))
}
