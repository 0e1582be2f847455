//! Patterns for a list that a person sorts, filters and pages through. Sorting reads only key and value from an index;
//! the rows of a page are read afterwards. The texts of built-in patterns are in `argus-core`, so the caller has to add
//! them.

use super::{PatternKey, shown_category};
use crate::{
    database::{Cell, FromCell, Row, Tx, Value},
    error::StoreError,
};
use argus_core::Category;
use std::cmp::Ordering;

/// Sort columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortColumn {
    /// Description in lower case.
    Description,
    /// Confidence.
    Confidence,
    /// Number of diagnoses.
    Occurrences,
    /// Number of successful fixes.
    Resolutions,
    /// Time of the last diagnosis.
    LastSeen,
}

/// The position of a pattern in a sort order.
#[derive(Clone, Debug, PartialEq)]
pub struct SortEntry {
    /// Value of the sort column.
    pub value: SortValue,
    /// Key of the pattern.
    pub key: PatternKey,
}

/// A value of a sort column.
#[derive(Clone, Debug, PartialEq)]
pub enum SortValue {
    /// A count, a time or a score.
    Number(f64),
    /// A text.
    Text(String),
}

impl SortEntry {
    /// Compares in ascending order. Entries with equal values are ordered by age, oldest first.
    pub fn compare(&self, other: &Self) -> Ordering {
        let by = match (&self.value, &other.value) {
            (SortValue::Number(a), SortValue::Number(b)) => a.total_cmp(b),
            (SortValue::Text(a), SortValue::Text(b)) => a.cmp(b),
            (SortValue::Number(_), SortValue::Text(_)) => Ordering::Less,
            (SortValue::Text(_), SortValue::Number(_)) => Ordering::Greater,
        };
        by.then_with(|| self.key.cmp(&other.key))
    }
}

macro_rules! description {
    () => {
        "lower(COALESCE(p.person_description, p.description))"
    };
}

/// The ascending and the descending form of a statement.
macro_rules! sorted_statements {
    ($column:expr) => {
        (
            concat!(
                "SELECT ",
                $column,
                ", p.key FROM patterns p WHERE ",
                shown_category!(),
                " = $1 AND p.merged_into IS NULL ORDER BY ",
                $column,
                ", p.key LIMIT $2"
            ),
            concat!(
                "SELECT ",
                $column,
                ", p.key FROM patterns p WHERE ",
                shown_category!(),
                " = $1 AND p.merged_into IS NULL ORDER BY ",
                $column,
                " DESC, p.key DESC LIMIT $2"
            ),
        )
    };
}

/// Returns the first patterns of a category in a sort order, including built-in patterns.
pub fn list_sorted(
    tx: &mut Tx<'_>,
    category: Category,
    by: SortColumn,
    descending: bool,
    limit: u32,
) -> Result<Vec<SortEntry>, StoreError> {
    let (ascending_sql, descending_sql) = match by {
        SortColumn::Description => sorted_statements!(description!()),
        SortColumn::Confidence => sorted_statements!("p.confidence"),
        SortColumn::Occurrences => sorted_statements!("p.occurrences"),
        SortColumn::Resolutions => sorted_statements!("p.resolutions"),
        SortColumn::LastSeen => sorted_statements!("p.last_seen_at"),
    };
    let sql = if descending { descending_sql } else { ascending_sql };
    read_entries(tx.query(sql, &[category.as_str().into(), limit.into()])?)
}

/// Returns learned patterns of all categories, sorted by description.
pub fn list_by_description(
    tx: &mut Tx<'_>,
    descending: bool,
    limit: u32,
    offset: u32,
) -> Result<Vec<SortEntry>, StoreError> {
    const ASCENDING: &str = concat!(
        "SELECT ",
        description!(),
        ", p.key FROM patterns p WHERE p.merged_into IS NULL AND p.source = 'learned' ORDER BY ",
        description!(),
        ", p.key LIMIT $1 OFFSET $2"
    );
    const DESCENDING: &str = concat!(
        "SELECT ",
        description!(),
        ", p.key FROM patterns p WHERE p.merged_into IS NULL AND p.source = 'learned' ORDER BY ",
        description!(),
        " DESC, p.key DESC LIMIT $1 OFFSET $2"
    );
    let sql = if descending { DESCENDING } else { ASCENDING };
    read_entries(tx.query(sql, &[limit.into(), offset.into()])?)
}

/// Returns sort entries of the given patterns, unsorted.
pub fn read_sort_entries(tx: &mut Tx<'_>, keys: &[PatternKey], by: SortColumn) -> Result<Vec<SortEntry>, StoreError> {
    let sql = match by {
        SortColumn::Description => concat!("SELECT ", description!(), ", p.key FROM patterns p WHERE p.key = $1"),
        SortColumn::Confidence => "SELECT p.confidence, p.key FROM patterns p WHERE p.key = $1",
        SortColumn::Occurrences => "SELECT p.occurrences, p.key FROM patterns p WHERE p.key = $1",
        SortColumn::Resolutions => "SELECT p.resolutions, p.key FROM patterns p WHERE p.key = $1",
        SortColumn::LastSeen => "SELECT p.last_seen_at, p.key FROM patterns p WHERE p.key = $1",
    };
    let wanted: Vec<_> = keys.iter().map(|key| [(*key).into()]).collect();
    read_entries(tx.query_many(sql, &wanted)?.into_iter().flatten())
}

/// Maximum number of texts that are read at once, because they are held in memory.
const MAX_TEXTS_PER_READ: u32 = 1_000;

/// Returns learned patterns of a category whose text contains `words`, oldest first.
pub fn find_containing(tx: &mut Tx<'_>, category: Category, words: &str) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "SELECT pattern_key, text FROM pattern_texts WHERE category = $1 AND pattern_key > $2 \
                       ORDER BY pattern_key LIMIT $3";
    // The stored text is in ASCII lower case, like the database's `lower`.
    let words = words.to_ascii_lowercase();
    let finder = memchr::memmem::Finder::new(&words);
    let (mut found, mut after, mut is_more) = (Vec::new(), i64::MIN, true);
    while is_more {
        let rows = tx.query(SQL, &[category.as_str().into(), after.into(), MAX_TEXTS_PER_READ.into()])?;
        is_more = rows.len() == MAX_TEXTS_PER_READ as usize;
        for mut row in rows {
            after = row.read()?;
            if finder.find(row.read::<String>()?.as_bytes()).is_some() {
                found.push(PatternKey(after));
            }
        }
    }
    Ok(found)
}

/// Returns all signatures of a pattern's failures, including earlier signatures.
pub fn list_signatures(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT signature FROM patterns WHERE key = $1 UNION \
                       SELECT signature FROM pattern_signatures WHERE pattern_key = $1";
    let rows = tx.query(SQL, &[Value::from(key)])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

fn read_entries(rows: impl IntoIterator<Item = Row>) -> Result<Vec<SortEntry>, StoreError> {
    rows.into_iter().map(|mut row| Ok(SortEntry { value: row.read()?, key: PatternKey(row.read()?) })).collect()
}

impl FromCell for SortValue {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Text(text) => Ok(Self::Text(text)),
            other => f64::from_cell(other).map(Self::Number),
        }
    }
}
