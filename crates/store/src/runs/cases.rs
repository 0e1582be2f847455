//! Cases of a run, with details for failed cases.

use super::RunKey;
use crate::{
    database::{FromCell, Row, Tx, Value},
    error::StoreError,
};
use argus_core::{Category, FailureEvent, case_name::stabilize_case_name};
use std::borrow::Cow;

/// Status of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Passed, possibly in a later attempt.
    Passed,
    /// Failed in every attempt.
    Failed,
    /// Did not run.
    Skipped,
}

/// A case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Qualified name, `file > suite > name`.
    pub name: String,
    /// Status at the end of the run.
    pub status: Status,
    /// True if the case failed and then passed within the run.
    pub flaky: bool,
    /// Status as the runner reported it.
    pub runner_status: Option<String>,
    /// Milliseconds.
    pub duration_ms: Option<f64>,
    /// Number of attempts.
    pub attempts: u32,
    /// Set if the case failed.
    pub failure: Option<Box<Failure>>,
}

/// The SQL condition on the name of a case. A name that contains an address or the hash of an object differs in each
/// run, so such names are compared with LIKE.
pub(crate) struct NameCondition<'n> {
    value: Cow<'n, str>,
    is_pattern: bool,
}

impl<'n> NameCondition<'n> {
    pub(crate) fn new(name: &'n str) -> Self {
        let stable = stabilize_case_name(name);
        if stable == name {
            return Self { value: Cow::Borrowed(name), is_pattern: false };
        }
        let escaped = stable.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
        let pattern = ["<HEX>", "<HASH>", "<ID>"].iter().fold(escaped, |pattern, name| pattern.replace(name, "%"));
        Self { value: Cow::Owned(pattern), is_pattern: true }
    }

    /// Returns the statement for an equal name, or the statement for a pattern of `LIKE` with `\` as escape character.
    pub(crate) fn choose_statement(&self, equal: &'static str, like: &'static str) -> &'static str {
        if self.is_pattern { like } else { equal }
    }

    pub(crate) fn value(&self) -> Value<'_> {
        (&*self.value).into()
    }
}

/// Details of a failed case. All texts are redacted and limited in length.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Category at the time of recording.
    pub category: Category,
    /// Error in one line.
    pub headline: String,
    /// Signature at the time of recording.
    pub signature: String,
    /// Error text, if the report has one.
    pub error: Option<String>,
    /// End of the standard output.
    pub stdout_tail: Option<String>,
    /// End of the standard error.
    pub stderr_tail: Option<String>,
    /// Structured details. The text of the event is empty, because it is stored in the fields above.
    pub facts: FailureEvent,
    /// Verdict on the failure when the run was recorded (JSON).
    pub verdict: Option<String>,
}

const FAILURE_COLUMNS: usize = 15;

macro_rules! failure_columns {
    () => {
        "f.category, f.headline, f.signature, f.error, f.stdout_tail, f.stderr_tail, f.exception_type, f.exit_code, \
         f.signal, f.container_status, f.oom_killed, f.runner, f.verdict"
    };
}
pub(crate) use failure_columns;

macro_rules! case_columns {
    () => {
        "c.name, c.status, c.rank, c.runner_status, c.duration_ms, c.attempts"
    };
}
pub(crate) use case_columns;

/// Inserts all cases of a run in the order of the report.
pub fn insert_all(tx: &mut Tx<'_>, run: RunKey, cases: &[Case]) -> Result<(), StoreError> {
    const CASES: &str = "INSERT INTO cases (run_key, rank, seq, name, status, runner_status, duration_ms, attempts) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    const FAILURES: &str = "INSERT INTO failures (run_key, seq, category, headline, signature, error, stdout_tail, \
                            stderr_tail, exception_type, exit_code, signal, container_status, oom_killed, runner, \
                            verdict) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    tx.execute_many(CASES, (0_i64..).zip(cases).map(|(seq, case)| case_row(run, seq, case)))?;
    let failed = (0_i64..).zip(cases).filter_map(|(seq, case)| Some((seq, case.failure.as_deref()?)));
    tx.execute_many(FAILURES, failed.map(|(seq, failure)| failure_row(run, seq, failure)))
}

/// Returns a page of a run's cases. Failed cases come first, then flaky cases, then the rest, each group in the order
/// of the report.
pub fn list(tx: &mut Tx<'_>, run: RunKey, limit: u32, offset: u32) -> Result<Vec<Case>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        case_columns!(),
        ", ",
        failure_columns!(),
        " FROM cases c LEFT JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
         WHERE c.run_key = $1 ORDER BY c.rank, c.seq LIMIT $2 OFFSET $3"
    );
    let rows = tx.query(SQL, &[run.0.into(), limit.into(), offset.into()])?;
    rows.into_iter().map(|mut row| read_case(&mut row)).collect()
}

/// Returns all cases of a run in the order of the report.
pub fn list_in_report_order(tx: &mut Tx<'_>, run: RunKey) -> Result<Vec<Case>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        case_columns!(),
        ", ",
        failure_columns!(),
        " FROM cases c LEFT JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
         WHERE c.run_key = $1 ORDER BY c.seq"
    );
    let rows = tx.query(SQL, &[run.0.into()])?;
    rows.into_iter().map(|mut row| read_case(&mut row)).collect()
}

/// Returns the failed case with this qualified name. If a report has several, the first.
pub fn find_failed(tx: &mut Tx<'_>, run: RunKey, name: &str) -> Result<Option<Failure>, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        failure_columns!(),
        " FROM cases c JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
         WHERE c.name = $2 AND c.run_key = $1 AND c.status = 'failed' ORDER BY c.seq LIMIT 1"
    );
    let row = tx.query_first(SQL, &[run.0.into(), name.into()])?;
    row.map(|mut row| read_failure(&mut row)).transpose()
}

/// Returns the number of failed cases of a run that have this cause, and the qualified names of the first `limit`
/// cases. The case `first_name` comes first.
pub fn list_with_cause(
    tx: &mut Tx<'_>,
    run: RunKey,
    cause_id: &str,
    first_name: &str,
    limit: u32,
) -> Result<(u32, Vec<String>), StoreError> {
    const SQL: &str = "SELECT c.name, COUNT(*) OVER () FROM cases c \
                       JOIN failures f ON f.run_key = c.run_key AND f.seq = c.seq \
                       WHERE c.run_key = $1 AND f.verdict LIKE $2 \
                       ORDER BY CASE WHEN c.name = $3 THEN 0 ELSE 1 END, c.seq LIMIT $4";
    let has_cause = format!("%\"causeId\":\"{cause_id}\"%");
    let (mut count, mut names) = (0, Vec::new());
    for mut row in tx.query(SQL, &[run.0.into(), (&has_cause).into(), first_name.into(), limit.into()])? {
        names.push(row.read()?);
        count = row.read()?;
    }
    Ok((count, names))
}

/// Returns the verdicts on the failed cases of a run (JSON), in the order of the report.
pub fn list_verdicts(tx: &mut Tx<'_>, run: RunKey, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT verdict FROM failures WHERE run_key = $1 AND verdict IS NOT NULL ORDER BY seq LIMIT $2";
    tx.query(SQL, &[run.0.into(), limit.into()])?.into_iter().map(|mut row| row.read()).collect()
}

/// Replaces the verdict (JSON) on a failed case.
pub fn set_verdict(tx: &mut Tx<'_>, run: RunKey, name: &str, verdict: &str) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE failures SET verdict = $3 WHERE run_key = $1 AND seq = \
                       (SELECT seq FROM cases WHERE run_key = $1 AND name = $2 AND status = 'failed' \
                        ORDER BY seq LIMIT 1)";
    tx.execute_deferred(SQL, &[run.0.into(), name.into(), verdict.into()])
}

/// Returns the status of the case with this qualified name.
pub fn find_status(tx: &mut Tx<'_>, run: RunKey, name: &str) -> Result<Option<Status>, StoreError> {
    const SQL: &str = "SELECT status FROM cases WHERE run_key = $1 AND name = $2 ORDER BY rank, seq LIMIT 1";
    let row = tx.query_first(SQL, &[run.0.into(), name.into()])?;
    row.map(|mut row| row.read()).transpose()
}

/// Returns distinct qualified names that end with `ending`.
pub fn list_names_ending(tx: &mut Tx<'_>, run: RunKey, ending: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM cases WHERE run_key = $1 AND length(name) > length($2) \
                       AND substr(name, length(name) - length($2) + 1) = $2 \
                       GROUP BY name ORDER BY MIN(rank), MIN(seq) LIMIT $3";
    let rows = tx.query(SQL, &[run.0.into(), ending.into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Returns the names of a run's cases, failed cases first.
pub fn list_names(tx: &mut Tx<'_>, run: RunKey, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM cases WHERE run_key = $1 ORDER BY rank, seq LIMIT $2";
    let rows = tx.query(SQL, &[run.0.into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Returns the id of the newest run in which the case with this name failed.
pub fn find_newest_failure(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT r.id FROM cases c JOIN runs r ON r.key = c.run_key \
                       WHERE c.name = $1 AND c.status = 'failed' ORDER BY c.run_key DESC LIMIT 1";
    let row = tx.query_first(SQL, &[name.into()])?;
    row.map(|mut row| row.read()).transpose()
}

fn case_row(run: RunKey, seq: i64, case: &Case) -> [Value<'_>; 8] {
    [
        run.0.into(),
        sort_rank(case).into(),
        seq.into(),
        (&case.name).into(),
        status_name(case.status).into(),
        (&case.runner_status).into(),
        case.duration_ms.into(),
        case.attempts.into(),
    ]
}

fn failure_row(run: RunKey, seq: i64, failure: &Failure) -> [Value<'_>; FAILURE_COLUMNS] {
    [
        run.0.into(),
        seq.into(),
        failure.category.as_str().into(),
        (&failure.headline).into(),
        (&failure.signature).into(),
        (&failure.error).into(),
        (&failure.stdout_tail).into(),
        (&failure.stderr_tail).into(),
        (&failure.facts.exception_type).into(),
        failure.facts.exit_code.into(),
        (&failure.facts.signal).into(),
        (&failure.facts.container_status).into(),
        failure.facts.oom_killed.into(),
        (&failure.facts.runner).into(),
        (&failure.verdict).into(),
    ]
}

pub(crate) fn read_case(row: &mut Row) -> Result<Case, StoreError> {
    let (name, status) = (row.read()?, row.read()?);
    Ok(Case {
        name,
        status,
        flaky: row.read::<i64>()? == FLAKY_RANK,
        runner_status: row.read()?,
        duration_ms: row.read()?,
        attempts: row.read()?,
        failure: if status == Status::Failed { Some(Box::new(read_failure(row)?)) } else { None },
    })
}

fn read_failure(row: &mut Row) -> Result<Failure, StoreError> {
    Ok(Failure {
        category: row.read()?,
        headline: row.read()?,
        signature: row.read()?,
        error: row.read()?,
        stdout_tail: row.read()?,
        stderr_tail: row.read()?,
        facts: FailureEvent {
            exception_type: row.read()?,
            exit_code: row.read()?,
            signal: row.read()?,
            container_status: row.read()?,
            oom_killed: row.read()?,
            runner: row.read()?,
            ..FailureEvent::default()
        },
        verdict: row.read()?,
    })
}

const FLAKY_RANK: i64 = 1;

const fn sort_rank(case: &Case) -> i64 {
    match (case.status, case.flaky) {
        (Status::Failed, _) => 0,
        (_, true) => FLAKY_RANK,
        (_, false) => 2,
    }
}

const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::Skipped => "skipped",
    }
}

impl FromCell for Status {
    fn from_cell(cell: crate::database::Cell) -> Result<Self, StoreError> {
        match String::from_cell(cell)?.as_str() {
            "passed" => Ok(Self::Passed),
            "failed" => Ok(Self::Failed),
            "skipped" => Ok(Self::Skipped),
            _ => Err(StoreError::corrupt("a case has a status that does not exist")),
        }
    }
}

impl FromCell for Category {
    fn from_cell(cell: crate::database::Cell) -> Result<Self, StoreError> {
        String::from_cell(cell)?.parse().map_err(|_| StoreError::corrupt("a category that does not exist"))
    }
}
