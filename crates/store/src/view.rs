//! Patterns as a person looks through them: by any column, by words, page by page. What is sorted is slim, key and
//! value straight from an index; the rows of a page are read afterwards.
//! Does not: know the texts of built-ins, so whoever lists them puts them in.

use crate::{
    database::{Cell, FromCell, Row, Tx, Value},
    error::StoreError,
    patterns::{PatternKey, shown_category},
};
use argus_core::Category;
use std::cmp::Ordering;

/// What patterns can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Its letters, in lower case.
    Description,
    /// How sure it is.
    Confidence,
    /// How often it was diagnosed.
    Occurrences,
    /// How often it was fixed.
    Resolutions,
    /// The last diagnosis.
    LastSeen,
}

/// Where a pattern stands in an order.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What it is sorted by.
    pub value: Sorted,
    /// Which.
    pub key: PatternKey,
}

/// A value to sort by.
#[derive(Clone, Debug, PartialEq)]
pub enum Sorted {
    /// Counts, moments and scores.
    Number(f64),
    /// Letters.
    Text(String),
}

impl Placed {
    /// Ascending, equal ones oldest first.
    pub fn compare(&self, other: &Self) -> Ordering {
        let by = match (&self.value, &other.value) {
            (Sorted::Number(a), Sorted::Number(b)) => a.total_cmp(b),
            (Sorted::Text(a), Sorted::Text(b)) => a.cmp(b),
            (Sorted::Number(_), Sorted::Text(_)) => Ordering::Less,
            (Sorted::Text(_), Sorted::Number(_)) => Ordering::Greater,
        };
        by.then_with(|| self.key.cmp(&other.key))
    }
}

macro_rules! description {
    () => {
        "lower(COALESCE(p.person_description, p.description))"
    };
}

/// A statement in both directions: `$sql` with the column, then with the column and each direction.
macro_rules! in_order {
    ($column:expr, $words:expr) => {
        (
            concat!(
                "SELECT ",
                $column,
                ", p.key FROM patterns p WHERE ",
                shown_category!(),
                " = $1 AND p.merged_into IS NULL ",
                $words,
                "ORDER BY ",
                $column,
                ", p.key LIMIT $2"
            ),
            concat!(
                "SELECT ",
                $column,
                ", p.key FROM patterns p WHERE ",
                shown_category!(),
                " = $1 AND p.merged_into IS NULL ",
                $words,
                "ORDER BY ",
                $column,
                " DESC, p.key DESC LIMIT $2"
            ),
        )
    };
}

macro_rules! by_column {
    ($by:expr, $words:expr) => {
        match $by {
            Column::Description => in_order!(description!(), $words),
            Column::Confidence => in_order!("p.confidence", $words),
            Column::Occurrences => in_order!("p.occurrences", $words),
            Column::Resolutions => in_order!("p.resolutions", $words),
            Column::LastSeen => in_order!("p.last_seen_at", $words),
        }
    };
}

/// The first patterns of a category in an order, built-ins too, each with its value.
pub async fn in_order(
    tx: &mut impl Tx,
    category: Category,
    by: Column,
    descending: bool,
    limit: u32,
) -> Result<Vec<Placed>, StoreError> {
    let (ascending_sql, descending_sql) = by_column!(by, "");
    let sql = if descending { descending_sql } else { ascending_sql };
    placed(tx.query(sql, &[category.as_str().into(), limit.into()]).await?)
}

/// The same for learned ones with these words.
pub async fn in_order_with(
    tx: &mut impl Tx,
    category: Category,
    by: Column,
    descending: bool,
    limit: u32,
    words: &str,
) -> Result<Vec<Placed>, StoreError> {
    let (ascending_sql, descending_sql) = by_column!(
        by,
        "AND EXISTS (SELECT 1 FROM pattern_texts t WHERE t.category = $1 AND t.pattern_key = p.key \
         AND instr(t.text, lower($3)) > 0) "
    );
    let sql = if descending { descending_sql } else { ascending_sql };
    placed(tx.query(sql, &[category.as_str().into(), limit.into(), words.into()]).await?)
}

/// The values of some patterns, in no order.
pub async fn values(tx: &mut impl Tx, keys: &[PatternKey], by: Column) -> Result<Vec<Placed>, StoreError> {
    let sql = match by {
        Column::Description => concat!("SELECT ", description!(), ", p.key FROM patterns p WHERE p.key = $1"),
        Column::Confidence => "SELECT p.confidence, p.key FROM patterns p WHERE p.key = $1",
        Column::Occurrences => "SELECT p.occurrences, p.key FROM patterns p WHERE p.key = $1",
        Column::Resolutions => "SELECT p.resolutions, p.key FROM patterns p WHERE p.key = $1",
        Column::LastSeen => "SELECT p.last_seen_at, p.key FROM patterns p WHERE p.key = $1",
    };
    let mut found = Vec::with_capacity(keys.len());
    for key in keys {
        found.extend(placed(tx.query(sql, &[(*key).into()]).await?)?);
    }
    Ok(found)
}

/// Learned patterns with these words, at most `limit`, by category.
pub async fn with_words(tx: &mut impl Tx, words: &str, limit: u32) -> Result<Vec<(Category, PatternKey)>, StoreError> {
    const SQL: &str = "SELECT category, pattern_key FROM pattern_texts WHERE instr(text, lower($1)) > 0 LIMIT $2";
    let rows = tx.query(SQL, &[words.into(), limit.into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.read()?, PatternKey(row.read()?)))).collect()
}

/// How many learned patterns of each category have these words.
pub async fn count_words(tx: &mut impl Tx, words: &str) -> Result<Vec<(Category, u32)>, StoreError> {
    const SQL: &str = "SELECT category, COUNT(*) FROM pattern_texts WHERE instr(text, lower($1)) > 0 GROUP BY category";
    let rows = tx.query(SQL, &[words.into()]).await?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

/// The recorded signatures by which failures of a pattern are known, older ones too.
pub async fn signatures(tx: &mut impl Tx, key: PatternKey) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT signature FROM patterns WHERE key = $1 UNION \
                       SELECT signature FROM pattern_signatures WHERE pattern_key = $1";
    let rows = tx.query(SQL, &[Value::from(key)]).await?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

fn placed(rows: Vec<Row>) -> Result<Vec<Placed>, StoreError> {
    rows.into_iter().map(|mut row| Ok(Placed { value: row.read()?, key: PatternKey(row.read()?) })).collect()
}

impl FromCell for Sorted {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match cell {
            Cell::Text(text) => Ok(Self::Text(text)),
            other => f64::from_cell(other).map(Self::Number),
        }
    }
}
