//! Cases of many runs: where failures were seen, what changed between two runs, how tests ended over time.

use super::{
    RunKey,
    cases::{self, Case},
};
use crate::{
    database::{Cell, FromCell, Row, Tx, Value},
    error::StoreError,
};
use argus_core::Category;

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseOutcome {
    /// At every attempt.
    Failed,
    /// It failed and then passed.
    Flaky,
    /// At the first attempt.
    Passed,
    /// Not run.
    Skipped,
}

/// A failed case, slim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCase {
    /// Qualified name.
    pub name: String,
    /// When it was recorded.
    pub category: Category,
    /// One line.
    pub headline: String,
    /// When it was recorded.
    pub signature: String,
}

/// Where a case failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureOccurrence {
    /// The run.
    pub run: RunKey,
    /// Where in it.
    pub seq: i64,
    /// When it was recorded.
    pub signature: String,
}

/// Which cases of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaseFilter<'a> {
    /// Only those that ended so.
    pub state: Option<CaseOutcome>,
    /// Only with these words in name or headline; ASCII letters in lower case.
    pub words: Option<&'a str>,
}

/// 0 failed, 1 flaky, 2 passed, 3 skipped.
macro_rules! state {
    () => {
        "CASE WHEN c.rank < 2 THEN c.rank WHEN c.status = 'skipped' THEN 3 ELSE 2 END"
    };
}

macro_rules! filtered {
    () => {
        " FROM cases c LEFT JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
         WHERE c.run_key = $1 AND c.rank >= $2 AND c.rank <= $3 AND (c.rank < 2 OR c.status = $4 OR $4 = '') \
         AND ($5 = '' OR replace(lower(c.name), $5, '') <> lower(c.name) \
         OR replace(lower(f.headline), $5, '') <> lower(f.headline)) "
    };
}

/// One page of the cases of a run that fit: failed first, then flaky, then the rest, each in the report's order.
pub fn list(
    tx: &mut Tx<'_>,
    run: RunKey,
    filter: CaseFilter<'_>,
    limit: u32,
    offset: u32,
) -> Result<Vec<Case>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        cases::case_columns!(),
        ", ",
        cases::failure_columns!(),
        filtered!(),
        "ORDER BY c.rank, c.seq LIMIT $6 OFFSET $7"
    );
    let [run, least, most, status, words] = bounds(run, filter);
    let rows = tx.query(SQL, &[run, least, most, status, words, limit.into(), offset.into()])?;
    rows.into_iter().map(|mut row| cases::case(&mut row)).collect()
}

/// How many cases of a run fit.
pub fn count(tx: &mut Tx<'_>, run: RunKey, filter: CaseFilter<'_>) -> Result<u32, StoreError> {
    const SQL: &str = concat!("SELECT COUNT(*)", filtered!());
    tx.query_first(SQL, &bounds(run, filter))?.map_or(Ok(0), |mut row| row.read())
}

fn bounds(run: RunKey, filter: CaseFilter<'_>) -> [Value<'_>; 5] {
    let (least, most, status) = match filter.state {
        None => (0, 2, ""),
        Some(CaseOutcome::Failed) => (0, 0, ""),
        Some(CaseOutcome::Flaky) => (1, 1, ""),
        Some(CaseOutcome::Passed) => (2, 2, "passed"),
        Some(CaseOutcome::Skipped) => (2, 2, "skipped"),
    };
    [run.0.into(), least.into(), most.into(), status.into(), filter.words.unwrap_or_default().into()]
}

/// The failed cases of a run, in the report's order.
pub fn failed(tx: &mut Tx<'_>, run: RunKey, limit: u32) -> Result<Vec<FailedCase>, StoreError> {
    const SQL: &str = "SELECT c.name, f.category, f.headline, f.signature FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.run_key = $1 AND c.rank = 0 ORDER BY c.seq LIMIT $2";
    read_failed(tx.query(SQL, &[run.0.into(), limit.into()])?)
}

/// The failed cases of a run that were of a category.
pub fn failed_of(tx: &mut Tx<'_>, run: RunKey, category: Category, limit: u32) -> Result<Vec<FailedCase>, StoreError> {
    const SQL: &str = "SELECT c.name, f.category, f.headline, f.signature FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.run_key = $1 AND c.rank = 0 AND f.category = $2 ORDER BY c.seq LIMIT $3";
    read_failed(tx.query(SQL, &[run.0.into(), category.as_str().into(), limit.into()])?)
}

/// Where a case of this name failed, newest first.
pub fn occurrences(tx: &mut Tx<'_>, name: &str, limit: u32) -> Result<Vec<FailureOccurrence>, StoreError> {
    const SQL: &str = "SELECT c.run_key, c.seq, f.signature FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.name = $1 AND c.status = 'failed' ORDER BY c.run_key DESC, c.seq LIMIT $2";
    let rows = tx.query(SQL, &[name.into(), limit.into()])?;
    let read =
        |mut row: Row| Ok(FailureOccurrence { run: RunKey(row.read()?), seq: row.read()?, signature: row.read()? });
    rows.into_iter().map(read).collect()
}

/// Of one failure: id and start of its run, and the failure's headline.
pub fn describe_occurrence(
    tx: &mut Tx<'_>,
    occurrence: &FailureOccurrence,
) -> Result<Option<(String, i64, String)>, StoreError> {
    const SQL: &str = "SELECT r.id, r.started_at, f.headline FROM failures f JOIN runs r ON r.key = f.run_key \
                       WHERE f.run_key = $1 AND f.seq = $2";
    let row = tx.query_first(SQL, &[occurrence.run.0.into(), occurrence.seq.into()])?;
    row.map(|mut row| Ok((row.read()?, row.read()?, row.read()?))).transpose()
}

/// How each case of a run ended, in the order of listing.
pub fn states(tx: &mut Tx<'_>, run: RunKey) -> Result<Vec<(String, CaseOutcome)>, StoreError> {
    const SQL: &str = concat!("SELECT c.name, ", state!(), " FROM cases c WHERE c.run_key = $1 ORDER BY c.rank, c.seq");
    read_states(tx.query(SQL, &[run.0.into()])?)
}

/// How cases of a run ended that did not fail there and failed in another.
pub fn states_of_failed_in(
    tx: &mut Tx<'_>,
    run: RunKey,
    other: RunKey,
) -> Result<Vec<(String, CaseOutcome)>, StoreError> {
    const SQL: &str = concat!(
        "SELECT c.name, ",
        state!(),
        " FROM cases c WHERE c.run_key = $1 AND c.rank > 0 AND EXISTS (SELECT 1 FROM cases o \
         WHERE o.name = c.name AND o.run_key = $2 AND o.status = 'failed') ORDER BY c.rank, c.seq"
    );
    read_states(tx.query(SQL, &[run.0.into(), other.0.into()])?)
}

/// How the case of this name ended in a run; the worst of several.
pub fn state_of(tx: &mut Tx<'_>, run: RunKey, name: &str) -> Result<Option<CaseOutcome>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        state!(),
        " FROM cases c WHERE c.run_key = $1 AND c.name = $2 ORDER BY c.rank, c.seq LIMIT 1"
    );
    let row = tx.query_first(SQL, &[run.0.into(), name.into()])?;
    row.map(|mut row| row.read()).transpose()
}

fn read_failed(rows: Vec<Row>) -> Result<Vec<FailedCase>, StoreError> {
    let read = |mut row: Row| {
        Ok(FailedCase { name: row.read()?, category: row.read()?, headline: row.read()?, signature: row.read()? })
    };
    rows.into_iter().map(read).collect()
}

fn read_states(rows: Vec<Row>) -> Result<Vec<(String, CaseOutcome)>, StoreError> {
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}

impl FromCell for CaseOutcome {
    fn from_cell(cell: Cell) -> Result<Self, StoreError> {
        match i64::from_cell(cell)? {
            0 => Ok(Self::Failed),
            1 => Ok(Self::Flaky),
            2 => Ok(Self::Passed),
            3 => Ok(Self::Skipped),
            _ => Err(StoreError::corrupt("a case ended in a way that does not exist")),
        }
    }
}
