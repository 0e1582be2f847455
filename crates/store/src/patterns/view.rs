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
pub enum Column {
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
macro_rules! in_order {
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

/// The first patterns of a category in a sort order, including built-in patterns.
pub fn in_order(
    tx: &mut Tx<'_>,
    category: Category,
    by: Column,
    descending: bool,
    limit: u32,
) -> Result<Vec<SortEntry>, StoreError> {
    let (ascending_sql, descending_sql) = match by {
        Column::Description => in_order!(description!()),
        Column::Confidence => in_order!("p.confidence"),
        Column::Occurrences => in_order!("p.occurrences"),
        Column::Resolutions => in_order!("p.resolutions"),
        Column::LastSeen => in_order!("p.last_seen_at"),
    };
    let sql = if descending { descending_sql } else { ascending_sql };
    read_placed(tx.query(sql, &[category.as_str().into(), limit.into()])?)
}

/// Learned patterns of all categories, sorted by description.
pub fn in_letters(tx: &mut Tx<'_>, descending: bool, limit: u32, offset: u32) -> Result<Vec<SortEntry>, StoreError> {
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
    read_placed(tx.query(sql, &[limit.into(), offset.into()])?)
}

/// Sort entries of the given patterns, unsorted.
pub fn values(tx: &mut Tx<'_>, keys: &[PatternKey], by: Column) -> Result<Vec<SortEntry>, StoreError> {
    let sql = match by {
        Column::Description => concat!("SELECT ", description!(), ", p.key FROM patterns p WHERE p.key = $1"),
        Column::Confidence => "SELECT p.confidence, p.key FROM patterns p WHERE p.key = $1",
        Column::Occurrences => "SELECT p.occurrences, p.key FROM patterns p WHERE p.key = $1",
        Column::Resolutions => "SELECT p.resolutions, p.key FROM patterns p WHERE p.key = $1",
        Column::LastSeen => "SELECT p.last_seen_at, p.key FROM patterns p WHERE p.key = $1",
    };
    let wanted: Vec<_> = keys.iter().map(|key| [(*key).into()]).collect();
    read_placed(tx.query_many(sql, &wanted)?.into_iter().flatten())
}

/// Limits the memory that a search needs.
const TEXTS_PER_READ: u32 = 1_000;

/// Learned patterns of a category whose text contains `words`, oldest first.
pub fn with_words(tx: &mut Tx<'_>, category: Category, words: &str) -> Result<Vec<PatternKey>, StoreError> {
    const SQL: &str = "SELECT pattern_key, text FROM pattern_texts WHERE category = $1 AND pattern_key > $2 \
                       ORDER BY pattern_key LIMIT $3";
    // The stored text is in ASCII lower case, like the database's `lower`.
    let words = words.to_ascii_lowercase();
    let finder = memchr::memmem::Finder::new(&words);
    let (mut found, mut after, mut is_more) = (Vec::new(), i64::MIN, true);
    while is_more {
        let rows = tx.query(SQL, &[category.as_str().into(), after.into(), TEXTS_PER_READ.into()])?;
        is_more = rows.len() == TEXTS_PER_READ as usize;
        for mut row in rows {
            after = row.read()?;
            if finder.find(row.read::<String>()?.as_bytes()).is_some() {
                found.push(PatternKey(after));
            }
        }
    }
    Ok(found)
}

/// All signatures of a pattern's failures, including earlier signatures.
pub fn signatures(tx: &mut Tx<'_>, key: PatternKey) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT signature FROM patterns WHERE key = $1 UNION \
                       SELECT signature FROM pattern_signatures WHERE pattern_key = $1";
    let rows = tx.query(SQL, &[Value::from(key)])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

fn read_placed(rows: impl IntoIterator<Item = Row>) -> Result<Vec<SortEntry>, StoreError> {
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
