//! Results of tests over many runs: one test run by run, or all tests of some runs.

use super::{RunKey, case_history::CaseOutcome, cases::NameCondition};
use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
};
use std::collections::BTreeMap;

/// The result of a test in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct TestRun {
    /// Row key of the run.
    pub key: RunKey,
    /// `run-…`.
    pub id: String,
    /// UTC milliseconds.
    pub started_at: i64,
    /// Full commit hash.
    pub git_commit: Option<String>,
    /// Branch.
    pub git_branch: Option<String>,
    /// True if there were uncommitted changes.
    pub git_dirty: Option<bool>,
    /// True if the run comes from another copy of the project.
    pub is_foreign: bool,
    /// Outcome of the test. If several cases have the name, the worst outcome.
    pub outcome: CaseOutcome,
    /// Milliseconds. If several cases have the name, the longest duration.
    pub duration_ms: Option<f64>,
    /// Name in this run, because addresses in names differ.
    pub name: String,
}

/// Short description of a failed case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureHeadline {
    /// Error in one line.
    pub headline: String,
    /// Verdict on the failure when the run was recorded (JSON).
    pub verdict: Option<String>,
}

/// Position of a test among the cases of a run that were not skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestPosition {
    /// The test did not run.
    Absent,
    /// The test comes after this many cases.
    After {
        /// Number of cases before it.
        cases: u32,
        /// Number of distinct names in the run.
        of: u32,
    },
}

/// Maximum number of runs per query.
const MAX_RUNS_PER_QUERY: u32 = 512;

/// Returns the runs in which a test ran, newest first. `places` maps ids of runs to the position of the test. Passed
/// cases have no index by name, so for a run without a position, all its cases are read.
pub fn list_runs_of_test(
    tx: &mut Tx<'_>,
    name: &str,
    places: &BTreeMap<String, TestPosition>,
    limit: u32,
    offset: u32,
) -> Result<Vec<TestRun>, StoreError> {
    const RUNS: &str = "SELECT key, id, started_at, git_commit, git_branch, git_dirty, is_foreign, passed + failed, \
                        skipped FROM runs ORDER BY started_at DESC, key DESC LIMIT $1 OFFSET $2";
    // The ranks are listed so that SQLite can use `rank` and `seq` as bounds of the primary key.
    macro_rules! case {
        ($name:literal) => {
            concat!(
                "SELECT MIN(rank), MAX(duration_ms), MIN(name) FROM cases WHERE run_key = $1 AND rank IN (0, 1, 2) \
                 AND seq >= $2 AND seq <= $3 AND status <> 'skipped' AND name ",
                $name
            )
        };
    }
    let name = NameCondition::new(name);
    let case = name.choose_statement(case!("= $4"), case!("LIKE $4 ESCAPE '\\'"));
    let (offset, wanted) = (offset as usize, offset.saturating_add(limit) as usize);
    let (mut found, mut seen, mut batch_size) = (Vec::new(), 0_u32, limit.clamp(1, MAX_RUNS_PER_QUERY));
    while found.len() < wanted {
        let rows = tx.query(RUNS, &[batch_size.into(), seen.into()])?;
        let is_last = rows.len() < batch_size as usize;
        let (mut runs, mut bounds) = (Vec::new(), Vec::new());
        for mut row in rows {
            let run = read_run(&mut row)?;
            let (ran, skipped): (u32, u32) = (row.read()?, row.read()?);
            let (first, last) = match places.get(&run.id) {
                Some(TestPosition::Absent) => continue,
                // The position counts only cases that ran, so at most all skipped cases can come in between.
                Some(TestPosition::After { cases, of }) if *of == ran => {
                    (*cases, i64::from(*cases) + i64::from(skipped))
                }
                _ => (0, i64::MAX),
            };
            bounds.push([run.key.0.into(), first.into(), last.into(), name.value()]);
            runs.push(run);
        }
        for (run, rows) in runs.into_iter().zip(tx.query_many(case, &bounds)?) {
            let Some(mut row) = rows.into_iter().next() else { continue };
            if let Some(outcome) = row.read()? {
                found.push(TestRun { outcome, duration_ms: row.read()?, name: row.read()?, ..run });
            }
        }
        if is_last {
            break;
        }
        seen = seen.saturating_add(batch_size);
        batch_size = batch_size.saturating_mul(2).min(MAX_RUNS_PER_QUERY);
    }
    Ok(found.into_iter().take(wanted).skip(offset).collect())
}

/// Reads a run. Outcome, duration and name are filled in later.
fn read_run(row: &mut Row) -> Result<TestRun, StoreError> {
    Ok(TestRun {
        key: RunKey(row.read()?),
        id: row.read()?,
        started_at: row.read()?,
        git_commit: row.read()?,
        git_branch: row.read()?,
        git_dirty: row.read()?,
        is_foreign: row.read()?,
        outcome: CaseOutcome::Passed,
        duration_ms: None,
        name: String::new(),
    })
}

/// Returns the newest run with a verdict on a failure of the test: its id and the verdict (JSON).
pub fn find_newest_verdict(tx: &mut Tx<'_>, name: &str) -> Result<Option<(String, String)>, StoreError> {
    const SQL: &str = "SELECT r.id, f.verdict FROM cases c JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       JOIN runs r ON r.key = c.run_key \
                       WHERE c.name = $1 AND c.status = 'failed' AND f.verdict IS NOT NULL AND r.is_foreign = 0 \
                       ORDER BY r.started_at DESC, r.key DESC, c.seq LIMIT 1";
    let row = tx.query_first(SQL, &[name.into()])?;
    row.map(|mut row| Ok((row.read()?, row.read()?))).transpose()
}

/// Returns short descriptions of failed cases, in the order of the input. Each case is given by its run and name.
pub fn read_failure_headlines(
    tx: &mut Tx<'_>,
    cases: &[(RunKey, &str)],
) -> Result<Vec<Option<FailureHeadline>>, StoreError> {
    const SQL: &str = "SELECT f.headline, f.verdict FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.name = $2 AND c.run_key = $1 AND c.status = 'failed' ORDER BY c.seq LIMIT 1";
    let params: Vec<[Value<'_>; 2]> = cases.iter().map(|(run, name)| [run.0.into(), (*name).into()]).collect();
    let headline = |mut row: Row| Ok(FailureHeadline { headline: row.read()?, verdict: row.read()? });
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().map(|rows| rows.into_iter().next().map(headline).transpose()).collect()
}

/// Returns for each run the outcomes of the cases that ran, failed cases first.
pub fn list_outcomes(tx: &mut Tx<'_>, runs: &[RunKey]) -> Result<Vec<Vec<(String, CaseOutcome)>>, StoreError> {
    const SQL: &str = "SELECT name, rank FROM cases WHERE run_key = $1 AND status <> 'skipped' ORDER BY rank, seq";
    let params: Vec<[Value<'_>; 1]> = runs.iter().map(|run| [run.0.into()]).collect();
    let read = |mut row: Row| Ok((row.read()?, row.read()?));
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().map(|rows| rows.into_iter().map(read).collect()).collect()
}

/// Returns for each run the names of the failed cases whose verdict contains `text`. Only names leave the database,
/// because verdicts are long and a run may have many.
pub fn list_cases_with_verdict_containing(
    tx: &mut Tx<'_>,
    runs: &[RunKey],
    text: &str,
) -> Result<Vec<Vec<String>>, StoreError> {
    const SQL: &str = "SELECT c.name FROM cases c JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.run_key = $1 AND c.rank = 0 AND replace(f.verdict, $2, '') <> f.verdict";
    let params: Vec<[Value<'_>; 2]> = runs.iter().map(|run| [run.0.into(), text.into()]).collect();
    let rows = tx.query_many(SQL, &params)?;
    rows.into_iter().map(|rows| rows.into_iter().map(|mut row| row.read()).collect()).collect()
}

/// Names of tests that failed at least once, and of tests in runs since a time.
macro_rules! known {
    () => {
        " FROM (SELECT name, 0 AS later FROM test_histories UNION ALL SELECT name, 1 AS later FROM cases \
         WHERE run_key IN (SELECT key FROM runs WHERE started_at >= $1)) known "
    };
}

/// Returns the names of tests that contain `part`, ignoring the case of ASCII letters. The exact name comes first, then
/// names that end with `ending`, then the rest.
pub fn list_names_containing(
    tx: &mut Tx<'_>,
    since: i64,
    part: &str,
    ending: &str,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    const SQL: &str = concat!(
        "SELECT name",
        known!(),
        "WHERE name = $2 OR replace(lower(name), $3, '') <> lower(name) GROUP BY name \
         ORDER BY CASE WHEN name = $2 THEN 0 WHEN length(name) > length($4) \
         AND substr(name, length(name) - length($4) + 1) = $4 THEN 1 ELSE 2 END, MIN(later), name LIMIT $5"
    );
    let lower = part.to_ascii_lowercase();
    let rows = tx.query(SQL, &[since.into(), part.into(), (&lower).into(), ending.into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Returns the names of tests. Tests that failed at least once come first.
pub fn list_names(tx: &mut Tx<'_>, since: i64, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = concat!("SELECT name", known!(), "GROUP BY name ORDER BY MIN(later), name LIMIT $2");
    let rows = tx.query(SQL, &[since.into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}
