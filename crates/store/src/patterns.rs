//! Patterns of the knowledge base: lookup, listing, counting. What a person set stands in for what was learned, and a
//! merged pattern leads to the one it was merged into.
//! The texts of built-ins are in core. Likeness is in `similar`, merging in `merging`, what a person sets in `edits`.

pub mod daily_counts;
pub mod edits;
pub mod exchange;
pub(super) mod filter_text;
pub mod merging;
pub mod sameness;
mod shown;
pub mod similar;
pub mod view;

pub use crate::keys::PatternKey;

use crate::{
    database::{Row, Tx},
    error::StoreError,
    keys::SolutionKey,
};
use argus_core::Category;

/// One pattern. Of a built-in, only ids and statistics are meant; its texts are core's.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Where it is.
    pub key: PatternKey,
    /// `pat-…` or `builtin-…`.
    pub id: String,
    /// One of the six.
    pub is_builtin: bool,
    /// What it is, as the rules say.
    pub category: Category,
    /// Hex, or `builtin::CATEGORY`.
    pub signature: String,
    /// Case it was learned from.
    pub case_name: String,
    /// Stable text it was learned from.
    pub normalized: String,
    /// One line, as it was learned; empty for a built-in.
    pub description: String,
    /// How often it was diagnosed.
    pub occurrences: u32,
    /// How often a fix was reported as successful.
    pub resolutions: u32,
    /// UTC milliseconds.
    pub first_seen_at: i64,
    /// UTC milliseconds.
    pub last_seen_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
    /// Steps of the solution that a person set, else of its best one.
    pub best_fix: Option<String>,
    /// That solution.
    pub suggests: Option<SolutionKey>,
    /// What a person set.
    pub overrides: Overrides,
    /// Of one that was merged into another, or is alike: where it leads. A provisional one leads to itself.
    pub merged_into: Option<PatternKey>,
}

/// What a person set on a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// What it is.
    pub category: Option<Category>,
    /// One line.
    pub description: Option<String>,
    /// What it suggests.
    pub solution: Option<SolutionKey>,
    /// UTC milliseconds; also where everything was taken back.
    pub edited_at: Option<i64>,
}

impl Overrides {
    /// Anything is set.
    pub const fn is_any(&self) -> bool {
        self.category.is_some() || self.description.is_some() || self.solution.is_some()
    }
}

impl Pattern {
    /// It only makes the failure known again: a built-in speaks for it until a fix is reported.
    pub fn is_provisional(&self) -> bool {
        self.merged_into == Some(self.key)
    }

    /// What it is to everybody.
    pub fn shown_category(&self) -> Category {
        self.overrides.category.unwrap_or(self.category)
    }

    /// One line to everybody; empty for a built-in of which a person set none.
    pub fn shown_description(&self) -> &str {
        self.overrides.description.as_deref().unwrap_or(&self.description)
    }
}

/// A pattern to learn.
#[derive(Clone, Debug)]
pub struct NewPattern<'a> {
    /// `pat-…`.
    pub id: &'a str,
    /// Its identity under a recipe.
    pub identity: Identity<'a>,
    /// Case it is learned from.
    pub case_name: &'a str,
    /// One line.
    pub description: &'a str,
    /// To begin with.
    pub occurrences: u32,
    /// To begin with; at most `occurrences`.
    pub resolutions: u32,
    /// UTC milliseconds.
    pub now: i64,
    /// The redacted failure as JSON, to sign it again.
    pub sample: &'a str,
}

/// What a recipe makes of a failure.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// Which recipe.
    pub recipe: &'a str,
    /// Its category.
    pub category: Category,
    /// Exact signature.
    pub signature: &'a str,
    /// Family signature.
    pub family: &'a str,
    /// Stable text.
    pub normalized: &'a str,
    /// Band keys of the stable text.
    pub bands: [u32; 4],
}

/// Order of a listing; all descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Surest first.
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

/// As the indexes have it.
macro_rules! shown_category {
    () => {
        "COALESCE(p.person_category, p.category)"
    };
}
pub(crate) use shown_category;

/// The learned pattern of an exact signature under a recipe, or the one it was merged into.
pub fn by_signature(tx: &mut Tx<'_>, recipe: &str, signature: &str) -> Result<Option<Pattern>, StoreError> {
    let found = identity(tx, recipe, signature)?;
    Ok(found.filter(|pattern| !pattern.is_provisional()))
}

/// The same, or the provisional one.
pub fn identity(tx: &mut Tx<'_>, recipe: &str, signature: &str) -> Result<Option<Pattern>, StoreError> {
    let found = row_by_signature(tx, recipe, signature)?;
    follow_merge(tx, found)
}

/// Those of a case and a category under a recipe, newest first, with their stable texts: all rows, and where each leads.
pub fn of_case(
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

/// The row of an exact signature under a recipe, merged or not.
pub fn row_by_signature(tx: &mut Tx<'_>, recipe: &str, signature: &str) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe = $1 AND p.signature = $2");
    first(tx.query_first(SQL, &[recipe.into(), signature.into()])?)
}

/// One that a search found, or the one it was merged into.
pub fn get(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<Pattern>, StoreError> {
    let found = row_of(tx, key)?;
    follow_merge(tx, found)
}

/// Any pattern by id, or the one it was merged into.
pub fn by_id(tx: &mut Tx<'_>, id: &str) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.id = $1");
    let found = first(tx.query_first(SQL, &[id.into()])?)?;
    follow_merge(tx, found)
}

/// The patterns that a person merged into this one.
pub fn merged_into(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.merged_into = $1 ORDER BY p.key");
    let rows = tx.query(SQL, &[key.into()])?;
    rows.into_iter().map(|mut row| pattern(&mut row)).collect()
}

/// One row, merged or not.
pub(crate) fn row_of(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<Pattern>, StoreError> {
    const SQL: &str = concat!("SELECT ", columns!(), tables!(), "WHERE p.key = $1");
    first(tx.query_first(SQL, &[key.into()])?)
}

/// What was merged leads to one that was not.
fn follow_merge(tx: &mut Tx<'_>, found: Option<Pattern>) -> Result<Option<Pattern>, StoreError> {
    match found.as_ref().and_then(|pattern| pattern.merged_into) {
        Some(into) => row_of(tx, into),
        None => Ok(found),
    }
}

/// Recipe under which built-ins are stored; their signatures never change.
pub const BUILTIN_RECIPE: &str = "built-in";

/// The first of each of these categories.
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
    tx.query_many(sql, &wanted)?.into_iter().flatten().map(|mut row| pattern(&mut row)).collect()
}

/// How many learned patterns each category has.
pub fn learned_counts(tx: &mut Tx<'_>) -> Result<Vec<(Category, u32)>, StoreError> {
    let rows = tx.query("SELECT category, learned FROM pattern_counts", &[])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

/// Ids that begin so, newest first.
pub fn ids_with_prefix(tx: &mut Tx<'_>, prefix: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT id FROM patterns WHERE id >= $1 AND id < $2 AND merged_into IS NULL \
                       ORDER BY id DESC LIMIT $3";
    let after = format!("{prefix}\u{10ffff}");
    let rows = tx.query(SQL, &[prefix.into(), (&after).into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Learns a pattern.
pub fn insert(tx: &mut Tx<'_>, new: &NewPattern<'_>) -> Result<PatternKey, StoreError> {
    let key = insert_row(tx, new)?;
    count(tx, new.identity.category, 1)?;
    filter_text::insert(tx, new.identity.category, key, new.description, new.case_name)?;
    daily_counts::record(tx, key, new.now, new.occurrences, new.resolutions)?;
    Ok(key)
}

/// Makes a failure known as one of a pattern that it is alike. None: as a provisional one.
pub fn insert_leading(
    tx: &mut Tx<'_>,
    new: &NewPattern<'_>,
    into: Option<PatternKey>,
) -> Result<PatternKey, StoreError> {
    let key = insert_row(tx, new)?;
    redirect(tx, key, into.unwrap_or(key))?;
    Ok(key)
}

pub(crate) fn redirect(tx: &mut Tx<'_>, from: PatternKey, into: PatternKey) -> Result<(), StoreError> {
    tx.post("UPDATE patterns SET merged_into = $2 WHERE key = $1", &[from.into(), into.into()])
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
    tx.post("INSERT INTO pattern_samples (pattern_key, event) VALUES ($1, $2)", &sample)?;
    similar::index(tx, key, new.identity.bands)?;
    Ok(key)
}

/// One more diagnosis of a pattern that was read in this transaction.
pub fn count_occurrence(tx: &mut Tx<'_>, pattern: &mut Pattern, now: i64) -> Result<(), StoreError> {
    pattern.occurrences += 1;
    (pattern.last_seen_at, pattern.updated_at) = (now, now);
    write_counts(tx, pattern)
}

/// One diagnosis less: it was of another failure. Where each was of a fix, there is none to take back.
pub fn take_back_occurrence(tx: &mut Tx<'_>, key: PatternKey, now: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE patterns SET occurrences = occurrences - 1, updated_at = $2 \
                       WHERE key = $1 AND occurrences > resolutions";
    tx.post(SQL, &[key.into(), now.into()])?;
    daily_counts::record_stored(tx, key, now)
}

/// One more successful fix of a pattern that was read in this transaction; occurrences rise only where resolutions would
/// pass them.
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
    tx.post(SQL, &params)?;
    daily_counts::record(tx, key, updated_at, occurrences, resolutions)
}

/// The redacted failure it was learned from, as JSON.
pub fn sample(tx: &mut Tx<'_>, key: PatternKey) -> Result<Option<String>, StoreError> {
    let row = tx.query_first("SELECT event FROM pattern_samples WHERE pattern_key = $1", &[key.0.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Family signature, and the steps that were learned to be the best.
pub fn family_and_best(tx: &mut Tx<'_>, key: PatternKey) -> Result<(String, Option<String>), StoreError> {
    const SQL: &str = "SELECT p.family, s.steps FROM patterns p LEFT JOIN solutions s ON s.key = p.best_solution \
                       WHERE p.key = $1";
    let row = tx.query_first(SQL, &[key.into()])?;
    let mut row = row.ok_or_else(|| StoreError::corrupt("a pattern that was just read is gone"))?;
    Ok((row.read()?, row.read()?))
}

/// Learned patterns that were signed by another recipe.
pub fn signed_otherwise(tx: &mut Tx<'_>, recipe: &str, limit: u32) -> Result<Vec<Pattern>, StoreError> {
    const SQL: &str =
        concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe < $1 AND p.recipe <> 'built-in' LIMIT $2");
    const ABOVE: &str =
        concat!("SELECT ", columns!(), tables!(), "WHERE p.recipe > $1 AND p.recipe <> 'built-in' LIMIT $2");
    let mut rows = tx.query(SQL, &[recipe.into(), limit.into()])?;
    if rows.is_empty() {
        rows = tx.query(ABOVE, &[recipe.into(), limit.into()])?;
    }
    rows.into_iter().map(|mut row| pattern(&mut row)).collect()
}

/// Adds to the count of a category.
pub(crate) fn count(tx: &mut Tx<'_>, category: Category, change: i64) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO pattern_counts (category, learned) VALUES ($1, $2) \
                       ON CONFLICT (category) DO UPDATE SET learned = pattern_counts.learned + excluded.learned";
    tx.post(SQL, &[category.as_str().into(), change.into()])
}

fn first(row: Option<Row>) -> Result<Option<Pattern>, StoreError> {
    row.map(|mut row| pattern(&mut row)).transpose()
}

pub(crate) fn pattern(row: &mut Row) -> Result<Pattern, StoreError> {
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
        suggests: row.read::<Option<i64>>()?.map(SolutionKey),
        overrides: Overrides {
            category: row.read()?,
            description: row.read()?,
            solution: row.read::<Option<i64>>()?.map(SolutionKey),
            edited_at: row.read()?,
        },
        merged_into: row.read::<Option<i64>>()?.map(PatternKey),
    })
}
