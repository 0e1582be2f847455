//! Patterns of the knowledge base: lookup, listing and counting. Values that a person set replace learned values, and a
//! merged pattern leads to its target.
//!
//! The texts of built-in patterns are in `argus-core`. Similarity search is in `similar`, merging in `merging`, and
//! values that a person sets in `edits`.

pub mod daily_counts;
pub mod edits;
pub mod exchange;
pub(super) mod filter_text;
mod listing_updates;
pub mod merge_decisions;
pub mod merging;
pub mod similar_patterns;
pub mod sorted_listing;

pub use crate::keys::PatternKey;

use crate::{
    database::{Row, Tx},
    error::StoreError,
    keys::SolutionKey,
};
use argus_core::Category;

/// A pattern. A built-in pattern has only ids and statistics here; its texts are in `argus-core`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Row key.
    pub key: PatternKey,
    /// `pat-…` or `builtin-…`.
    pub id: String,
    /// True for the six patterns that come with Argus.
    pub is_builtin: bool,
    /// Category by the rules, before any override.
    pub category: Category,
    /// Hex digits, or `builtin::CATEGORY` for a built-in pattern.
    pub signature: String,
    /// Test case that it was learned from.
    pub case_name: String,
    /// Normalized text that it was learned from.
    pub normalized: String,
    /// A single line as it was learned. Empty for a built-in pattern.
    pub description: String,
    /// Number of diagnoses.
    pub occurrences: u32,
    /// Number of successful fixes that were reported.
    pub resolutions: u32,
    /// UTC milliseconds.
    pub first_seen_at: i64,
    /// UTC milliseconds.
    pub last_seen_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
    /// Steps of the solution that a person set, otherwise of the best learned solution.
    pub best_fix: Option<String>,
    /// Key of the solution with these steps.
    pub suggested_solution: Option<SolutionKey>,
    /// Values that a person set.
    pub overrides: Overrides,
    /// The pattern that this pattern was merged into. A provisional pattern has its own key here.
    pub merged_into: Option<PatternKey>,
}

/// Values that a person set on a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Category.
    pub category: Option<Category>,
    /// Description of one line.
    pub description: Option<String>,
    /// Suggested solution.
    pub solution: Option<SolutionKey>,
    /// UTC milliseconds of the last edit. It stays set when all values were removed again.
    pub edited_at: Option<i64>,
}

impl Overrides {
    /// Returns true if a person set any value.
    pub const fn has_overrides(&self) -> bool {
        self.category.is_some() || self.description.is_some() || self.solution.is_some()
    }
}

impl Pattern {
    /// Returns true if the pattern only serves to recognize the failure again. Answers show a built-in pattern instead
    /// until a fix is reported.
    pub fn is_provisional(&self) -> bool {
        self.merged_into == Some(self.key)
    }

    /// Returns the category to display: the category that a person set, otherwise the learned category.
    pub fn shown_category(&self) -> Category {
        self.overrides.category.unwrap_or(self.category)
    }

    /// Returns the description to display. It is empty for a built-in pattern without an override.
    pub fn shown_description(&self) -> &str {
        self.overrides.description.as_deref().unwrap_or(&self.description)
    }
}

/// A pattern to insert.
#[derive(Clone, Debug)]
pub struct NewPattern<'a> {
    /// `pat-…`.
    pub id: &'a str,
    /// Signatures under a recipe, the version of the signature algorithm.
    pub identity: SignatureSet<'a>,
    /// Test case that it is learned from.
    pub case_name: &'a str,
    /// Description of one line.
    pub description: &'a str,
    /// Initial number of diagnoses.
    pub occurrences: u32,
    /// Initial number of successful fixes, at most `occurrences`.
    pub resolutions: u32,
    /// UTC milliseconds.
    pub now: i64,
    /// The redacted failure as JSON, kept so that a later recipe can sign it again.
    pub sample: &'a str,
}

/// Signatures of a failure under a recipe.
#[derive(Clone, Copy, Debug)]
pub struct SignatureSet<'a> {
    /// Name of the recipe.
    pub recipe: &'a str,
    /// Category under this recipe.
    pub category: Category,
    /// Exact signature.
    pub signature: &'a str,
    /// Family signature.
    pub family: &'a str,
    /// Normalized text.
    pub normalized: &'a str,
    /// Keys of the normalized text for the similarity search.
    pub bands: [u32; 4],
}

/// Sort order of a listing. All orders are descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Highest confidence first.
    Confidence,
    /// Most frequent first.
    Occurrences,
    /// Latest first.
    LastSeen,
}

macro_rules! columns {
    () => {
        "p.key, p.id, p.source, p.category, p.signature, p.case_name, p.normalized, p.description, p.occurrences, \
         p.resolutions, p.first_seen_at, p.last_seen_at, p.updated_at, s.steps, s.key, p.person_category, \
         p.person_description, p.person_solution, p.edited_at, p.merged_into"
    };
}
pub(crate) use columns;

macro_rules! tables {
    () => {
        " FROM patterns p LEFT JOIN solutions s ON s.key = COALESCE(p.person_solution, p.best_solution) "
    };
}
pub(crate) use tables;

/// The SQL of the displayed category. It must equal the expression in the indexes, so that SQLite can use them.
macro_rules! shown_category {
    () => {
        "COALESCE(p.person_category, p.category)"
    };
}
pub(crate) use shown_category;

/// Returns the learned pattern with an exact signature under a recipe, or the pattern it was merged into.
pub fn find_by_signature(tx: &mut Tx<'_>, recipe: &str, signature: &str) -> Result<Option<Pattern>, StoreError> {
    let found = find_including_provisional(tx, recipe, signature)?;
    Ok(found.filter(|pattern| !pattern.is_provisional()))
}

/// Like [`find_by_signature`], but also returns a provisional pattern.
pub fn find_including_provisional(
    tx: &mut Tx<'_>,
    recipe: &str,
    signature: &str,
) -> Result<Option<Pattern>, StoreError> {
    let found = find_row_by_signature(tx, recipe, signature)?;
    follow_merge(tx, found)
}

/// Returns patterns of a case and a category under a recipe, newest first. Returns the normalized text of each row with
/// the key of its pattern; for a merged row that is the target.
pub fn list_texts_by_case(
    tx: &mut Tx<'_>,
    recipe: &str,
    (case_name, category): (&str, Category),
    limit: u32,
) -> Result<Vec<(PatternKey, String)>, StoreError> {
    const SQL: &str = "SELECT COALESCE(merged_into, key), normalized FROM patterns \
                       WHERE case_name = $1 AND recipe = $2 AND category = $3 ORDER BY key DESC LIMIT $4";
    let params = [case_name.into(), recipe.into(), category.as_str().into(), limit.into()];
    let rows = tx.query(SQL, &params)?;
    rows.into_iter().map(|mut row| Ok((PatternKey(row.read()?), row.read()?))).collect()
}

/// Returns the row with an exact signature under a recipe, without following a merge.
pub fn find_row_by_signature(tx: &mut Tx<'_>, recipe: &str, signature: &str) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe = $1 AND p.signature = $2");
    read_optional(tx.query_first(SQL, &[recipe.into(), signature.into()])?)
}

/// Returns the pattern with this key, or the pattern it was merged into.
pub fn get(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<Pattern>, StoreError> {
    let found = find_row(tx, key)?;
    follow_merge(tx, found)
}

/// Returns the pattern with this id, or the pattern it was merged into.
pub fn find_by_id(tx: &mut Tx<'_>, id: &str) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.id = $1");
    let found = read_optional(tx.query_first(SQL, &[id.into()])?)?;
    follow_merge(tx, found)
}

/// Returns the patterns that a person merged into this pattern.
pub fn list_merged(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.merged_into = $1 ORDER BY p.key");
    let rows = tx.query(SQL, &[key.into()])?;
    rows.into_iter().map(|mut row| read_pattern(&mut row)).collect()
}

/// Returns the row with this key, without following a merge.
pub(crate) fn find_row(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.key = $1");
    read_optional(tx.query_first(SQL, &[key.into()])?)
}

/// Replaces a merged pattern by its target.
fn follow_merge(tx: &mut Tx<'_>, found: Option<Pattern>) -> Result<Option<Pattern>, StoreError> {
    match found.as_ref().and_then(|pattern| pattern.merged_into) {
        Some(into) => find_row(tx, into),
        None => Ok(found),
    }
}

/// Recipe of built-in patterns. Their signatures never change.
pub const BUILTIN_RECIPE: &str = "built-in";

/// Returns the first `limit` patterns of each category.
pub fn list(tx: &mut Tx<'_>, categories: &[Category], order: Order, limit: u32) -> Result<Vec<Pattern>, StoreError> {
    const CONFIDENCE: &str = concat!(
        "SELECT ",
        columns!(),
        tables!(),
        "WHERE ",
        shown_category!(),
        " = $1 AND p.merged_into IS NULL ORDER BY p.confidence DESC, p.key DESC LIMIT $2"
    );
    const OCCURRENCES: &str = concat!(
        "SELECT ",
        columns!(),
        tables!(),
        "WHERE ",
        shown_category!(),
        " = $1 AND p.merged_into IS NULL ORDER BY p.occurrences DESC, p.key DESC LIMIT $2"
    );
    const LAST_SEEN: &str = concat!(
        "SELECT ",
        columns!(),
        tables!(),
        "WHERE ",
        shown_category!(),
        " = $1 AND p.merged_into IS NULL ORDER BY p.last_seen_at DESC, p.key DESC LIMIT $2"
    );
    let sql = match order {
        Order::Confidence => CONFIDENCE,
        Order::Occurrences => OCCURRENCES,
        Order::LastSeen => LAST_SEEN,
    };
    let wanted: Vec<_> = categories.iter().map(|category| [category.as_str().into(), limit.into()]).collect();
    tx.query_many(sql, &wanted)?.into_iter().flatten().map(|mut row| read_pattern(&mut row)).collect()
}

/// Numbers of learned and provisional patterns.
#[derive(Clone, Copy, Debug)]
pub struct PatternCounts {
    /// The category of the patterns. It may occur in several entries.
    pub category: Category,
    /// Learned patterns.
    pub learned: u32,
    /// Provisional patterns.
    pub provisional: u32,
}

/// Counts the patterns that a list shows beside the built-in patterns.
pub fn count_patterns_by_category(tx: &mut Tx<'_>) -> Result<Vec<PatternCounts>, StoreError> {
    // A single statement, because each statement is a round trip on a server.
    const SQL: &str = concat!(
        "SELECT category, learned, 0 FROM pattern_counts UNION ALL SELECT ",
        shown_category!(),
        ", 0, COUNT(*) FROM patterns p WHERE p.merged_into IS NOT NULL AND p.merged_into = p.key GROUP BY 1"
    );
    let counts =
        |mut row: Row| Ok(PatternCounts { category: row.read()?, learned: row.read()?, provisional: row.read()? });
    tx.query(SQL, &[])?.into_iter().map(counts).collect()
}

/// Returns provisional patterns of a category, or of all of them, the most recently seen first.
pub fn list_provisional(
    tx: &mut Tx<'_>,
    category: Option<Category>,
    limit: u32,
    offset: u32,
) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        tables!(),
        "WHERE p.merged_into IS NOT NULL AND p.merged_into = p.key AND ($1 = '' OR ",
        shown_category!(),
        " = $1) ORDER BY p.last_seen_at DESC, p.key DESC LIMIT $2 OFFSET $3"
    );
    let asked = [category.map_or("", Category::as_str).into(), limit.into(), offset.into()];
    tx.query(SQL, &asked)?.into_iter().map(|mut row| read_pattern(&mut row)).collect()
}

/// Returns the number of learned patterns in each category.
pub fn count_learned(tx: &mut Tx<'_>) -> Result<Vec<(Category, u32)>, StoreError> {
    let rows = tx.query("SELECT category, learned FROM pattern_counts", &[])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

/// Returns ids that start with `prefix`, newest first.
pub fn list_ids_with_prefix(tx: &mut Tx<'_>, prefix: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT id FROM patterns WHERE id >= $1 AND id < $2 AND merged_into IS NULL \
                       ORDER BY id DESC LIMIT $3";
    let after = format!("{prefix}\u{10ffff}");
    let rows = tx.query(SQL, &[prefix.into(), (&after).into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Inserts a learned pattern and updates all counts.
pub fn insert(tx: &mut Tx<'_>, new: &NewPattern<'_>) -> Result<PatternKey, StoreError> {
    let key = insert_row(tx, new)?;
    add_to_learned_count(tx, new.identity.category, 1)?;
    filter_text::insert(tx, new.identity.category, key, new.description, new.case_name)?;
    daily_counts::store_counts(tx, key, new.now, new.occurrences, new.resolutions)?;
    Ok(key)
}

/// Inserts an alias: a row that only serves to recognize a failure and that points to the pattern `into`. If `into` is
/// `None`, the row is provisional.
pub fn insert_alias(tx: &mut Tx<'_>, new: &NewPattern<'_>, into: Option<PatternKey>) -> Result<PatternKey, StoreError> {
    let key = insert_row(tx, new)?;
    set_merge_target(tx, key, into.unwrap_or(key))?;
    Ok(key)
}

pub(crate) fn set_merge_target(tx: &mut Tx<'_>, from: PatternKey, into: PatternKey) -> Result<(), StoreError> {
    tx.execute_deferred("UPDATE patterns SET merged_into = $2 WHERE key = $1", &[from.into(), into.into()])
}

fn insert_row(tx: &mut Tx<'_>, new: &NewPattern<'_>) -> Result<PatternKey, StoreError> {
    const SQL: &str = "INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, \
                       description, occurrences, resolutions, first_seen_at, last_seen_at, updated_at) \
                       VALUES ($1, 'learned', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $11) RETURNING key";
    let params = [
        new.id.into(),
        new.identity.category.as_str().into(),
        new.identity.recipe.into(),
        new.identity.signature.into(),
        new.identity.family.into(),
        new.case_name.into(),
        new.identity.normalized.into(),
        new.description.into(),
        new.occurrences.into(),
        new.resolutions.into(),
        new.now.into(),
    ];
    let row = tx.query_first(SQL, &params)?;
    let key = row.ok_or_else(|| StoreError::corrupt("an inserted pattern gave no key"))?.read().map(PatternKey)?;
    let sample = [key.0.into(), new.sample.into()];
    tx.execute_deferred("INSERT INTO pattern_samples (pattern_key, event) VALUES ($1, $2)", &sample)?;
    similar_patterns::add_bands(tx, key, new.identity.bands)?;
    Ok(key)
}

/// Adds a diagnosis to a pattern that was read in this transaction.
pub fn count_occurrence(tx: &mut Tx<'_>, pattern: &mut Pattern, now: i64) -> Result<(), StoreError> {
    pattern.occurrences += 1;
    (pattern.last_seen_at, pattern.updated_at) = (now, now);
    write_counts(tx, pattern)
}

/// Removes a diagnosis that turned out to belong to another failure. Does nothing if every diagnosis is accounted for
/// by a fix, so that `occurrences` stays at least `resolutions`.
pub fn uncount_occurrence(tx: &mut Tx<'_>, key: PatternKey, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET occurrences = occurrences - 1, updated_at = $2 \
                       WHERE key = $1 AND occurrences > resolutions";
    tx.execute_deferred(SQL, &[key.into(), now.into()])?;
    daily_counts::store_current_counts(tx, key, now)
}

/// Adds a successful fix to a pattern that was read in this transaction. Raises `occurrences` only if it would be
/// lower than `resolutions`.
pub fn count_resolution(tx: &mut Tx<'_>, pattern: &mut Pattern, now: i64) -> Result<(), StoreError> {
    pattern.resolutions += 1;
    pattern.occurrences = pattern.occurrences.max(pattern.resolutions);
    pattern.updated_at = now;
    write_counts(tx, pattern)
}

fn write_counts(tx: &mut Tx<'_>, pattern: &Pattern) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET occurrences = $2, resolutions = $3, last_seen_at = $4, updated_at = $5 \
                       WHERE key = $1";
    let Pattern { key, occurrences, resolutions, last_seen_at, updated_at, .. } = *pattern;
    let params = [key.into(), occurrences.into(), resolutions.into(), last_seen_at.into(), updated_at.into()];
    tx.execute_deferred(SQL, &params)?;
    daily_counts::store_counts(tx, key, updated_at, occurrences, resolutions)
}

/// Returns the redacted failure that the pattern was learned from, as JSON.
pub fn read_sample(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT event FROM pattern_samples WHERE pattern_key = $1", &[key.0.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Returns the family signature and the steps of the best learned solution.
pub fn read_family_and_steps(tx: &mut Tx<'_>, key: PatternKey) -> Result<(String, Option<String>), StoreError> {
    const SQL: &str = "SELECT p.family, s.steps FROM patterns p LEFT JOIN solutions s ON s.key = p.best_solution \
                       WHERE p.key = $1";
    let row = tx.query_first(SQL, &[key.into()])?;
    let mut row = row.ok_or_else(|| StoreError::corrupt("a pattern that was just read is gone"))?;
    Ok((row.read()?, row.read()?))
}

/// Returns the newest patterns of a case that were signed with a recipe other than `recipe`.
pub fn list_outdated_by_case(
    tx: &mut Tx<'_>,
    recipe: &str,
    case_name: &str,
    limit: u32,
) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        tables!(),
        "WHERE p.case_name = $1 AND p.recipe <> $2 AND p.recipe <> 'built-in' ORDER BY p.key DESC LIMIT $3"
    );
    let rows = tx.query(SQL, &[case_name.into(), recipe.into(), limit.into()])?;
    rows.into_iter().map(|mut row| read_pattern(&mut row)).collect()
}

/// Returns patterns of any case that were signed with a recipe other than `recipe`.
pub fn list_outdated(tx: &mut Tx<'_>, recipe: &str, limit: u32) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str =
        concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe < $1 AND p.recipe <> 'built-in' LIMIT $2");
    const ABOVE: &str =
        concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe > $1 AND p.recipe <> 'built-in' LIMIT $2");
    let mut rows = tx.query(SQL, &[recipe.into(), limit.into()])?;
    if rows.is_empty() {
        rows = tx.query(ABOVE, &[recipe.into(), limit.into()])?;
    }
    rows.into_iter().map(|mut row| read_pattern(&mut row)).collect()
}

/// Adds `change` to the number of learned patterns of a category.
pub(crate) fn add_to_learned_count(tx: &mut Tx<'_>, category: Category, change: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_counts (category, learned) VALUES ($1, $2) \
                       ON CONFLICT (category) DO UPDATE SET learned = pattern_counts.learned + excluded.learned";
    tx.execute_deferred(SQL, &[category.as_str().into(), change.into()])
}

fn read_optional(row: Option<Row>) -> Result<Option<Pattern>, StoreError> {
    row.map(|mut row| read_pattern(&mut row)).transpose()
}

pub(crate) fn read_pattern(row: &mut Row) -> Result<Pattern, StoreError> {
    Ok(Pattern {
        key: PatternKey(row.read()?),
        id: row.read()?,
        is_builtin: row.read::<String>()? == "built-in",
        category: row.read()?,
        signature: row.read()?,
        case_name: row.read()?,
        normalized: row.read()?,
        description: row.read()?,
        occurrences: row.read()?,
        resolutions: row.read()?,
        first_seen_at: row.read()?,
        last_seen_at: row.read()?,
        updated_at: row.read()?,
        best_fix: row.read()?,
        suggested_solution: row.read::<Option<i64>>()?.map(SolutionKey),
        overrides: Overrides {
            category: row.read()?,
            description: row.read()?,
            solution: row.read::<Option<i64>>()?.map(SolutionKey),
            edited_at: row.read()?,
        },
        merged_into: row.read::<Option<i64>>()?.map(PatternKey),
    })
}
