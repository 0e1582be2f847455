//! Exchange of patterns between memories: read in pages, found by signature, and added in bulk. Counts from another
//! memory are stored with that memory's id and the id of the pattern there, so that a repeated import does not count
//! twice.

use super::{
    Pattern, PatternKey, SignatureSet, add_to_learned_count, columns,
    daily_counts::{self, DailyCounts},
    filter_text, read_pattern, set_merge_target, similar_patterns, tables,
};
use crate::{
    database::{Row, Tx},
    error::StoreError,
    keys::SolutionKey,
    search,
};
use argus_core::Category;

/// Upper limit for counts, so that sums over memories stay in range.
const MAX_COUNT: i64 = 1_000_000_000;

/// Counts of a pattern in another memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedCounts {
    /// Id of the memory.
    pub memory: String,
    /// Id of the pattern in that memory.
    pub pattern: String,
    /// Number of diagnoses there.
    pub occurrences: u32,
    /// Number of successful fixes there.
    pub resolutions: u32,
}

/// A failure of a pattern: the pattern's own row, or a row that was merged into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFailure {
    /// `pat-…`.
    pub id: String,
    /// Recipe of the signature.
    pub recipe: String,
    /// Exact signature.
    pub signature: String,
    /// Test case that it was learned from.
    pub case_name: String,
    /// Normalized text.
    pub normalized: String,
    /// Description of one line.
    pub description: String,
    /// The redacted failure as JSON.
    pub sample: Option<String>,
}

/// Data of a pattern that is not in its row.
#[derive(Clone, Debug)]
pub struct PatternDetails {
    /// The pattern's own failure, followed by the failures that were merged into it.
    pub known: Vec<KnownFailure>,
    /// Earlier signatures of these failures.
    pub signatures: Vec<String>,
    /// Daily counts, oldest first.
    pub days: Vec<DailyCounts>,
    /// Counts from other memories.
    pub imported_counts: Vec<ImportedCounts>,
}

/// Returns learned patterns that are not merged, ordered by id, starting after `after`.
pub fn list_page(tx: &mut Tx<'_>, after: &str, limit: u32) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        tables!(),
        "WHERE p.id > $1 AND p.source = 'learned' AND p.merged_into IS NULL ORDER BY p.id LIMIT $2"
    );
    let rows = tx.query(SQL, &[after.into(), limit.into()])?;
    rows.into_iter().map(|mut row| read_pattern(&mut row)).collect()
}

/// Returns the details of each pattern, with at most `days` daily counts each.
pub fn read_details(tx: &mut Tx<'_>, patterns: &[Pattern], days: u32) -> Result<Vec<PatternDetails>, StoreError> {
    const KNOWN: &str = "SELECT p.id, p.recipe, p.signature, p.case_name, p.normalized, p.description, s.event \
                         FROM patterns p LEFT JOIN pattern_samples s ON s.pattern_key = p.key \
                         WHERE p.key = $1 UNION ALL \
                         SELECT * FROM (SELECT p.id, p.recipe, p.signature, p.case_name, p.normalized, p.description, \
                         s.event FROM patterns p LEFT JOIN pattern_samples s ON s.pattern_key = p.key \
                         WHERE p.merged_into = $1 ORDER BY p.key) AS parts";
    const SIGNATURES: &str = "SELECT signature FROM pattern_signatures WHERE pattern_key = $1 ORDER BY signature";
    const TAKEN: &str = "SELECT memory, pattern, occurrences, resolutions FROM taken_counts WHERE pattern_key = $1 \
                         ORDER BY memory, pattern";
    let wanted: Vec<_> = patterns.iter().map(|pattern| [pattern.key.into()]).collect();
    let keys: Vec<_> = patterns.iter().map(|pattern| pattern.key).collect();
    let known = tx.query_many(KNOWN, &wanted)?;
    let signatures = tx.query_many(SIGNATURES, &wanted)?;
    let days = read_daily_counts(tx, &keys, days)?;
    let taken = tx.query_many(TAKEN, &wanted)?;
    let mut details = Vec::with_capacity(patterns.len());
    for (((known, signatures), days), taken) in known.into_iter().zip(signatures).zip(days).zip(taken) {
        details.push(PatternDetails {
            known: known.into_iter().map(|mut row| read_known_failure(&mut row)).collect::<Result<_, _>>()?,
            signatures: signatures.into_iter().map(|mut row| row.read()).collect::<Result<_, _>>()?,
            days,
            imported_counts: taken.into_iter().map(read_imported).collect::<Result<_, _>>()?,
        });
    }
    Ok(details)
}

pub(super) fn read_known_failure(row: &mut Row) -> Result<KnownFailure, StoreError> {
    Ok(KnownFailure {
        id: row.read()?,
        recipe: row.read()?,
        signature: row.read()?,
        case_name: row.read()?,
        normalized: row.read()?,
        description: row.read()?,
        sample: row.read()?,
    })
}

fn read_imported(mut row: Row) -> Result<ImportedCounts, StoreError> {
    Ok(ImportedCounts { memory: row.read()?, pattern: row.read()?, occurrences: row.read()?, resolutions: row.read()? })
}

/// Returns the counts of each pattern for the newest `limit` days, oldest first.
pub fn read_daily_counts(
    tx: &mut Tx<'_>,
    patterns: &[PatternKey],
    limit: u32,
) -> Result<Vec<Vec<DailyCounts>>, StoreError> {
    const SQL: &str = "SELECT day, occurrences, resolutions FROM pattern_days WHERE pattern_key = $1 \
                       ORDER BY day DESC LIMIT $2";
    let wanted: Vec<_> = patterns.iter().map(|pattern| [(*pattern).into(), limit.into()]).collect();
    let read = |mut row: Row| Ok(DailyCounts { day: row.read()?, occurrences: row.read()?, resolutions: row.read()? });
    let rows = tx.query_many(SQL, &wanted)?.into_iter();
    rows.map(|rows| rows.into_iter().rev().map(read).collect()).collect()
}

/// Returns for each signature its pattern or the pattern it was merged into. Includes provisional patterns.
pub fn find_by_signatures(
    tx: &mut Tx<'_>,
    recipe: &str,
    signatures: &[&str],
) -> Result<Vec<Option<Pattern>>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe = $1 AND p.signature = $2");
    const ROW: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.key = $1");
    let wanted: Vec<_> = signatures.iter().map(|signature| [recipe.into(), (*signature).into()]).collect();
    let rows = tx.query_many(SQL, &wanted)?.into_iter();
    let mut found: Vec<Option<Pattern>> =
        rows.map(|mut rows| rows.pop().map(|mut row| read_pattern(&mut row)).transpose()).collect::<Result<_, _>>()?;
    let leads = |found: &Pattern| found.merged_into.filter(|into| *into != found.key);
    let into: Vec<_> = found.iter().flatten().filter_map(leads).map(|into| [into.into()]).collect();
    let mut into = tx.query_many(ROW, &into)?.into_iter();
    for failure in found.iter_mut().filter(|failure| failure.as_ref().and_then(leads).is_some()) {
        *failure = into.next().and_then(|mut rows| rows.pop()).map(|mut row| read_pattern(&mut row)).transpose()?;
    }
    Ok(found)
}

/// Returns for each id whether a pattern has this id.
pub fn are_ids_used(tx: &mut Tx<'_>, ids: &[&str]) -> Result<Vec<bool>, StoreError> {
    let wanted: Vec<_> = ids.iter().map(|id| [(*id).into()]).collect();
    let rows = tx.query_many("SELECT 1 FROM patterns WHERE id = $1", &wanted)?;
    Ok(rows.into_iter().map(|rows| !rows.is_empty()).collect())
}

/// A failure to insert.
#[derive(Clone, Copy, Debug)]
pub struct ImportedFailure<'a> {
    /// `pat-…`; must be unused.
    pub id: &'a str,
    /// Signatures under a recipe; must be unknown here.
    pub identity: SignatureSet<'a>,
    /// Test case that it was learned from.
    pub case_name: &'a str,
    /// Description of one line.
    pub description: &'a str,
    /// The redacted failure as JSON.
    pub sample: &'a str,
    /// The pattern that the failure belongs to. `None` means that the failure is a pattern itself.
    pub into: Option<PatternKey>,
    /// UTC milliseconds.
    pub first_seen_at: i64,
}

/// Inserts failures with counts of zero and returns their keys. Call [`promote_to_learned`] for the failures that are
/// patterns.
pub fn insert_all(tx: &mut Tx<'_>, new: &[ImportedFailure<'_>]) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, \
                       description, occurrences, resolutions, first_seen_at, last_seen_at, updated_at) \
                       VALUES ($1, 'learned', $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $9, $9) RETURNING key";
    let params = new.iter().map(|failure| {
        [
            failure.id.into(),
            failure.identity.category.as_str().into(),
            failure.identity.recipe.into(),
            failure.identity.signature.into(),
            failure.identity.family.into(),
            failure.case_name.into(),
            failure.identity.normalized.into(),
            failure.description.into(),
            failure.first_seen_at.into(),
        ]
    });
    let rows = tx.query_many(SQL, &params.collect::<Vec<_>>())?;
    let mut keys = Vec::with_capacity(new.len());
    for (failure, mut rows) in new.iter().zip(rows) {
        let row = rows.pop().ok_or_else(|| StoreError::corrupt("an inserted pattern gave no key"));
        let key = row?.read().map(PatternKey)?;
        let sample = [key.into(), failure.sample.into()];
        tx.execute_deferred("INSERT INTO pattern_samples (pattern_key, event) VALUES ($1, $2)", &sample)?;
        similar_patterns::add_bands(tx, key, failure.identity.bands)?;
        if let Some(into) = failure.into {
            set_merge_target(tx, key, into)?;
        }
        keys.push(key);
    }
    Ok(keys)
}

/// Lists an inserted or provisional row as a learned pattern. Call it after all values are set.
pub fn promote_to_learned(tx: &mut Tx<'_>, key: PatternKey, category: Category) -> Result<(), StoreError> {
    tx.execute_deferred("UPDATE patterns SET merged_into = NULL WHERE key = $1", &[key.into()])?;
    filter_text::write(tx, key)?;
    add_to_learned_count(tx, category, 1)
}

/// Sets the values that a person set in another memory. The pattern must not be listed yet.
pub fn set_overrides(
    tx: &mut Tx<'_>,
    key: PatternKey,
    (category, description): (Option<Category>, Option<&str>),
    solution: Option<SolutionKey>,
    edited_at: i64,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET person_category = $2, person_description = $3, person_solution = $4, \
                       edited_at = $5 WHERE key = $1";
    let category = category.map(Category::as_str);
    let params = [key.into(), category.into(), description.into(), solution.into(), edited_at.into()];
    tx.execute_deferred(SQL, &params)
}

/// Adds earlier signatures from another memory, unless another pattern here has them.
pub fn add_signatures(tx: &mut Tx<'_>, key: PatternKey, signatures: &[String]) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_signatures (signature, pattern_key) SELECT $1, key FROM patterns \
                       WHERE key = $2 AND NOT EXISTS (SELECT 1 FROM pattern_signatures s WHERE s.signature = $1) \
                       AND NOT EXISTS (SELECT 1 FROM patterns o WHERE o.signature = $1) ON CONFLICT DO NOTHING";
    for signature in signatures {
        tx.execute_deferred(SQL, &[signature.into(), key.into()])?;
    }
    Ok(())
}

/// Returns for each pair of memory and pattern the counts that were already imported, as `(occurrences, resolutions)`.
pub fn read_imported_counts(tx: &mut Tx<'_>, of: &[(&str, &str)]) -> Result<Vec<(u32, u32)>, StoreError> {
    const SQL: &str = "SELECT occurrences, resolutions FROM taken_counts WHERE memory = $1 AND pattern = $2";
    let wanted: Vec<_> = of.iter().map(|(memory, pattern)| [(*memory).into(), (*pattern).into()]).collect();
    let rows = tx.query_many(SQL, &wanted)?.into_iter();
    rows.map(|mut rows| rows.pop().map_or(Ok((0, 0)), |mut row| Ok((row.read()?, row.read()?)))).collect()
}

/// Stores the counts that were imported from a memory. They replace earlier counts.
pub fn store_imported_counts(tx: &mut Tx<'_>, key: PatternKey, counts: &ImportedCounts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO taken_counts (memory, pattern, pattern_key, occurrences, resolutions) \
                       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (memory, pattern) DO UPDATE SET \
                       pattern_key = excluded.pattern_key, occurrences = excluded.occurrences, \
                       resolutions = excluded.resolutions";
    let ImportedCounts { memory, pattern, occurrences, resolutions } = counts;
    tx.execute_deferred(SQL, &[memory.into(), pattern.into(), key.into(), (*occurrences).into(), (*resolutions).into()])
}

/// Counts to add to a pattern.
#[derive(Clone, Copy, Debug, Default)]
pub struct AddedCounts {
    /// Number of diagnoses in the other memory.
    pub occurrences: u32,
    /// Number of successful fixes in the other memory.
    pub resolutions: u32,
    /// UTC milliseconds.
    pub first_seen_at: i64,
    /// UTC milliseconds.
    pub last_seen_at: i64,
}

/// Adds counts of another memory, its daily counts, and the new totals of today.
pub fn add_counts(
    tx: &mut Tx<'_>,
    key: PatternKey,
    added: &AddedCounts,
    days: &[DailyCounts],
    now: i64,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET \
                       occurrences = CASE WHEN occurrences + $2 > $7 THEN $7 ELSE occurrences + $2 END, \
                       resolutions = CASE WHEN resolutions + $3 > occurrences + $2 AND occurrences + $2 <= $7 \
                       THEN occurrences + $2 \
                       WHEN resolutions + $3 > $7 THEN $7 ELSE resolutions + $3 END, \
                       first_seen_at = CASE WHEN first_seen_at < $4 THEN first_seen_at ELSE $4 END, \
                       last_seen_at = CASE WHEN last_seen_at > $5 THEN last_seen_at ELSE $5 END, \
                       updated_at = $6 WHERE key = $1";
    let AddedCounts { occurrences, resolutions, first_seen_at, last_seen_at } = *added;
    let params = [
        key.into(),
        occurrences.into(),
        resolutions.into(),
        first_seen_at.into(),
        last_seen_at.into(),
        now.into(),
        MAX_COUNT.into(),
    ];
    tx.execute_deferred(SQL, &params)?;
    for day in days {
        daily_counts::store_counts(tx, key, day.day * daily_counts::DAY_MS, day.occurrences, day.resolutions)?;
    }
    daily_counts::store_current_counts(tx, key, now)
}

/// Queues a pattern for the search index.
pub fn queue_for_indexing(tx: &mut Tx<'_>, key: PatternKey) -> Result<(), StoreError> {
    search::queue_pattern(tx, key)
}
