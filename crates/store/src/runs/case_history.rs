//! Cases across runs: where failures occurred, what changed between two runs, and how tests ended over time.

use super::{
    RunKey,
    cases::{self, Case},
};
use crate::{
    database::{Cell, FromCell, Row, Tx, Value},
    error::StoreError,
};
use argus_core::Category;

/// The outcome of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseOutcome {
    /// Failed in every attempt.
    Failed,
    /// Failed first and passed in a later attempt.
    Flaky,
    /// Passed in the first attempt.
    Passed,
    /// Did not run.
    Skipped,
}

/// A failed case without its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCase {
    /// Qualified name.
    pub name: String,
    /// Category at the time of recording.
    pub category: Category,
    /// Error in one line.
    pub headline: String,
    /// Signature at the time of recording.
    pub signature: String,
}

/// A failure of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureOccurrence {
    /// The run in which the case failed.
    pub run: RunKey,
    /// Position of the case in the run.
    pub seq: i64,
    /// Signature at the time of recording.
    pub signature: String,
}

/// Selects cases of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaseFilter<'a> {
    /// Only cases with this outcome.
    pub outcome: Option<CaseOutcome>,
    /// Only cases whose name or headline contains this text. ASCII letters must be in lower case.
    pub words: Option<&'a str>,
}

/// Computes 0 for failed, 1 for flaky, 2 for passed, 3 for skipped.
macro_rules! outcome_number {
    () => {
        "CASE WHEN c.rank < 2 THEN c.rank WHEN c.status = 'skipped' THEN 3 ELSE 2 END"
    };
}

macro_rules! filtered_cases {
    () => {
        " FROM cases c LEFT JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
         WHERE c.run_key = $1 AND c.rank >= $2 AND c.rank <= $3 AND (c.rank < 2 OR c.status = $4 OR $4 = '') \
         AND ($5 = '' OR replace(lower(c.name), $5, '') <> lower(c.name) \
         OR replace(lower(f.headline), $5, '') <> lower(f.headline)) "
    };
}

/// Returns a page of a run's cases that match the filter. Failed cases come first, then flaky cases, then the rest,
/// each group in the order of the report.
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
        filtered_cases!(),
        "ORDER BY c.rank, c.seq LIMIT $6 OFFSET $7"
    );
    let [run, least, most, status, words] = filter_params(run, filter);
    let rows = tx.query(SQL, &[run, least, most, status, words, limit.into(), offset.into()])?;
    rows.into_iter().map(|mut row| cases::read_case(&mut row)).collect()
}

/// Returns the number of a run's cases that match the filter.
pub fn count(tx: &mut Tx<'_>, run: RunKey, filter: CaseFilter<'_>) -> Result<u32, StoreError> {
    const SQL: &str = concat!("SELECT COUNT(*)", filtered_cases!());
    tx.query_first(SQL, &filter_params(run, filter))?.map_or(Ok(0), |mut row| row.read())
}

fn filter_params(run: RunKey, filter: CaseFilter<'_>) -> [Value<'_>; 5] {
    let (least, most, status) = match filter.outcome {
        None => (0, 2, ""),
        Some(CaseOutcome::Failed) => (0, 0, ""),
        Some(CaseOutcome::Flaky) => (1, 1, ""),
        Some(CaseOutcome::Passed) => (2, 2, "passed"),
        Some(CaseOutcome::Skipped) => (2, 2, "skipped"),
    };
    [run.0.into(), least.into(), most.into(), status.into(), filter.words.unwrap_or_default().into()]
}

/// Returns the failed cases of a run in the order of the report.
pub fn list_failed(tx: &mut Tx<'_>, run: RunKey, limit: u32) -> Result<Vec<FailedCase>, StoreError> {
    const SQL: &str = "SELECT c.name, f.category, f.headline, f.signature FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.run_key = $1 AND c.rank = 0 ORDER BY c.seq LIMIT $2";
    read_failed(tx.query(SQL, &[run.0.into(), limit.into()])?)
}

/// Returns the failed cases of a run with a category.
pub fn list_failed_of_category(
    tx: &mut Tx<'_>,
    run: RunKey,
    category: Category,
    limit: u32,
) -> Result<Vec<FailedCase>, StoreError> {
    const SQL: &str = "SELECT c.name, f.category, f.headline, f.signature FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.run_key = $1 AND c.rank = 0 AND f.category = $2 ORDER BY c.seq LIMIT $3";
    read_failed(tx.query(SQL, &[run.0.into(), category.as_str().into(), limit.into()])?)
}

/// Returns the failures of the case with this name, newest first.
pub fn list_occurrences(tx: &mut Tx<'_>, name: &str, limit: u32) -> Result<Vec<FailureOccurrence>, StoreError> {
    const SQL: &str = "SELECT c.run_key, c.seq, f.signature FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.name = $1 AND c.status = 'failed' ORDER BY c.run_key DESC, c.seq LIMIT $2";
    let rows = tx.query(SQL, &[name.into(), limit.into()])?;
    let read =
        |mut row: Row| Ok(FailureOccurrence { run: RunKey(row.read()?), seq: row.read()?, signature: row.read()? });
    rows.into_iter().map(read).collect()
}

/// Returns the id and the start of the run in which a failure occurred, and the headline of the failure.
pub fn describe_occurrence(
    tx: &mut Tx<'_>,
    occurrence: &FailureOccurrence,
) -> Result<Option<(String, i64, String)>, StoreError> {
    const SQL: &str = "SELECT r.id, r.started_at, f.headline FROM failures f JOIN runs r ON r.key = f.run_key \
                       WHERE f.run_key = $1 AND f.seq = $2";
    let row = tx.query_first(SQL, &[occurrence.run.0.into(), occurrence.seq.into()])?;
    row.map(|mut row| Ok((row.read()?, row.read()?, row.read()?))).transpose()
}

/// Returns the outcome of each case of a run, in the order of a listing.
pub fn list_outcomes(tx: &mut Tx<'_>, run: RunKey) -> Result<Vec<(String, CaseOutcome)>, StoreError> {
    const SQL: &str =
        concat!("SELECT c.name, ", outcome_number!(), " FROM cases c WHERE c.run_key = $1 ORDER BY c.rank, c.seq");
    read_outcomes(tx.query(SQL, &[run.0.into()])?)
}

/// Returns the outcomes in `run` of the cases that failed in `other` but not in `run`.
pub fn list_outcomes_of_failed_in(
    tx: &mut Tx<'_>,
    run: RunKey,
    other: RunKey,
) -> Result<Vec<(String, CaseOutcome)>, StoreError> {
    const SQL: &str = concat!(
        "SELECT c.name, ",
        outcome_number!(),
        " FROM cases c WHERE c.run_key = $1 AND c.rank > 0 AND EXISTS (SELECT 1 FROM cases o \
         WHERE o.name = c.name AND o.run_key = $2 AND o.status = 'failed') ORDER BY c.rank, c.seq"
    );
    read_outcomes(tx.query(SQL, &[run.0.into(), other.0.into()])?)
}

/// Returns the outcome of the case with this name in a run. If several cases have the name, the worst outcome.
pub fn find_outcome(tx: &mut Tx<'_>, run: RunKey, name: &str) -> Result<Option<CaseOutcome>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        outcome_number!(),
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

fn read_outcomes(rows: Vec<Row>) -> Result<Vec<(String, CaseOutcome)>, StoreError> {
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
