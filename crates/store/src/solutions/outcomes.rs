//! Results of trying solutions, and their sums per environment.

use crate::{
    database::{Row, Tx, Value},
    error::StoreError,
    keys::{PatternKey, SolutionKey},
};
use std::collections::BTreeSet;

/// Author of a new record. `None` means unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorder<'a> {
    /// A client with its version, a person, or an import.
    pub by: Option<&'a str>,
    /// Name of the machine.
    pub from: Option<&'a str>,
}

/// Author of a stored record. `None` means that the record was stored before these columns existed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRecorder {
    /// A client with its version, a person, or an import.
    pub by: Option<String>,
    /// Name of the machine.
    pub from: Option<String>,
}

impl StoredRecorder {
    /// Reads the next two columns of a row.
    pub(crate) fn read(row: &mut Row) -> Result<Self, StoreError> {
        Ok(Self { by: row.read()?, from: row.read()? })
    }
}

impl From<Recorder<'_>> for StoredRecorder {
    fn from(recorder: Recorder<'_>) -> Self {
        Self { by: recorder.by.map(ToOwned::to_owned), from: recorder.from.map(ToOwned::to_owned) }
    }
}

/// An outcome to insert.
#[derive(Clone, Copy, Debug)]
pub struct NewOutcome<'a> {
    /// `out-…`.
    pub id: &'a str,
    /// The solution that was tried.
    pub solution: SolutionKey,
    /// The pattern whose counts it belongs to.
    pub counted_on: Option<PatternKey>,
    /// True if it solved the problem.
    pub worked: bool,
    /// The environment as it was passed, as JSON.
    pub env: Option<&'a str>,
    /// Canonical form of the environment.
    pub env_bucket: &'a str,
    /// Notes, redacted.
    pub notes: Option<&'a str>,
    /// Id of the search that returned the solution.
    pub lookup_id: Option<&'a str>,
    /// Id of the run of the failure.
    pub run_id: Option<&'a str>,
    /// Name of the failed case.
    pub case_name: Option<&'a str>,
    /// Id of the later run in which the case passed.
    pub proved_by: Option<&'a str>,
    /// Id of the run or report that took a success back.
    pub refuted_by: Option<&'a str>,
    /// Author of the record.
    pub recorder: Recorder<'a>,
    /// UTC milliseconds.
    pub now: i64,
}

/// A stored outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// `out-…`, or `fix-…` of a reported fix.
    pub id: String,
    /// True if it solved the problem.
    pub worked: bool,
    /// The environment as it was passed, as JSON.
    pub env: Option<String>,
    /// Canonical form of the environment.
    pub env_bucket: String,
    /// Notes.
    pub notes: Option<String>,
    /// Id of the search that returned the solution.
    pub lookup_id: Option<String>,
    /// Id of the run of the failure.
    pub run_id: Option<String>,
    /// Name of the failed case.
    pub case_name: Option<String>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// Author of the record.
    pub recorded: StoredRecorder,
    /// Id of the later run in which the case passed.
    pub proved_by: Option<String>,
    /// Id of the run or report that took a success back.
    pub refuted_by: Option<String>,
}

/// Sums of a solution's outcomes in one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentStats {
    /// Canonical form of the environment.
    pub env_bucket: String,
    /// Number of successes.
    pub worked: u32,
    /// Number of failures.
    pub failed: u32,
    /// UTC milliseconds.
    pub last_confirmed_at: Option<i64>,
    /// UTC milliseconds.
    pub last_failed_at: Option<i64>,
}

/// Inserts outcomes and updates the sums of their solutions. Outcomes with a known id are skipped. Returns the number
/// of new outcomes.
pub fn record_outcomes(tx: &mut Tx<'_>, new: &[NewOutcome<'_>]) -> Result<u32, StoreError> {
    const SQL: &str = "INSERT INTO outcomes (id, solution_key, pattern_key, worked, env, env_bucket, notes, \
                       lookup_id, run_id, case_name, created_at, recorded_by, recorded_from, proved_by, refuted_by) \
                       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT DO NOTHING \
                       RETURNING solution_key";
    let params: Vec<_> = new.iter().map(outcome_row).collect();
    let added: Vec<SolutionKey> = (tx.query_many(SQL, &params)?.into_iter().flatten())
        .map(|mut row| row.read().map(SolutionKey))
        .collect::<Result<_, _>>()?;
    for solution in BTreeSet::from_iter(&added) {
        update_sums(tx, *solution)?;
    }
    Ok(u32::try_from(added.len()).unwrap_or(u32::MAX))
}

fn outcome_row<'a>(new: &NewOutcome<'a>) -> [Value<'a>; 15] {
    [
        new.id.into(),
        new.solution.into(),
        new.counted_on.into(),
        new.worked.into(),
        new.env.into(),
        new.env_bucket.into(),
        new.notes.into(),
        new.lookup_id.into(),
        new.run_id.into(),
        new.case_name.into(),
        new.now.into(),
        new.recorder.by.into(),
        new.recorder.from.into(),
        new.proved_by.into(),
        new.refuted_by.into(),
    ]
}

/// Returns the sums of a solution per environment, most successes first.
pub fn read_stats(tx: &mut Tx<'_>, solution: SolutionKey) -> Result<Vec<EnvironmentStats>, StoreError> {
    const SQL: &str = "SELECT env_bucket, worked, failed, last_confirmed_at, last_failed_at FROM solution_env_stats \
                       WHERE solution_key = $1 ORDER BY worked DESC, failed DESC, env_bucket";
    let rows = tx.query(SQL, &[solution.into()])?;
    let read = rows.into_iter().map(|mut row| {
        Ok(EnvironmentStats {
            env_bucket: row.read()?,
            worked: row.read()?,
            failed: row.read()?,
            last_confirmed_at: row.read()?,
            last_failed_at: row.read()?,
        })
    });
    read.collect()
}

/// Returns the environments of recent outcomes, most frequent first.
pub fn list_environments(tx: &mut Tx<'_>, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT env_bucket FROM (SELECT env_bucket FROM solution_env_stats \
                       ORDER BY solution_key DESC LIMIT 5000) AS newest WHERE env_bucket <> '' \
                       GROUP BY env_bucket ORDER BY COUNT(*) DESC, env_bucket LIMIT $1";
    let rows = tx.query(SQL, &[limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

macro_rules! columns {
    () => {
        "SELECT id, worked, env, env_bucket, notes, lookup_id, run_id, case_name, created_at, recorded_by, recorded_from, \
         proved_by, refuted_by FROM outcomes "
    };
}

/// Returns the outcomes of each solution, oldest first.
pub fn list_of_solutions(tx: &mut Tx<'_>, solutions: &[SolutionKey]) -> Result<Vec<Vec<Outcome>>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE solution_key = $1 ORDER BY key");
    let wanted: Vec<_> = solutions.iter().map(|solution| [(*solution).into()]).collect();
    tx.query_many(SQL, &wanted)?.into_iter().map(read_outcomes).collect()
}

/// Stores which runs or reports proved or refuted outcomes after they were stored here, and updates the sums.
pub fn store_proofs(tx: &mut Tx<'_>, outcomes: &[NewOutcome<'_>]) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET proved_by = COALESCE(proved_by, $3), refuted_by = COALESCE(refuted_by, $4) \
                       WHERE id = $1 AND solution_key = $2 AND (COALESCE(proved_by, $3, '') <> COALESCE(proved_by, '') \
                       OR COALESCE(refuted_by, $4, '') <> COALESCE(refuted_by, '')) RETURNING solution_key";
    let decided = outcomes.iter().filter(|outcome| outcome.proved_by.is_some() || outcome.refuted_by.is_some());
    let params = decided.map(|outcome| {
        [outcome.id.into(), outcome.solution.into(), outcome.proved_by.into(), outcome.refuted_by.into()]
    });
    let rows = tx.query_many(SQL, &params.collect::<Vec<_>>())?;
    let changed: BTreeSet<SolutionKey> =
        rows.into_iter().flatten().map(|mut row| row.read().map(SolutionKey)).collect::<Result<_, _>>()?;
    for solution in changed {
        update_sums(tx, solution)?;
    }
    Ok(())
}

/// Returns the outcomes of a solution, oldest first.
pub fn list_of_solution(tx: &mut Tx<'_>, solution: SolutionKey) -> Result<Vec<Outcome>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE solution_key = $1 ORDER BY key");
    read_outcomes(tx.query(SQL, &[solution.into()])?)
}

/// Returns the last `limit` outcomes of a solution, newest first.
pub fn list_newest_of_solution(tx: &mut Tx<'_>, solution: SolutionKey, limit: u32) -> Result<Vec<Outcome>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE solution_key = $1 ORDER BY key DESC LIMIT $2");
    read_outcomes(tx.query(SQL, &[solution.into(), limit.into()])?)
}

fn read_outcomes(rows: Vec<Row>) -> Result<Vec<Outcome>, StoreError> {
    let read = rows.into_iter().map(|mut row| {
        Ok(Outcome {
            id: row.read()?,
            worked: row.read()?,
            env: row.read()?,
            env_bucket: row.read()?,
            notes: row.read()?,
            lookup_id: row.read()?,
            run_id: row.read()?,
            case_name: row.read()?,
            created_at: row.read()?,
            recorded: StoredRecorder::read(&mut row)?,
            proved_by: row.read()?,
            refuted_by: row.read()?,
        })
    });
    read.collect()
}

/// Returns reports about a pattern, newest first: those that changed its counts, and the report that created it.
pub fn list_reports(tx: &mut Tx<'_>, pattern: PatternKey, limit: u32) -> Result<Vec<Report>, StoreError> {
    const COUNTED: &str = "SELECT o.key, o.id, s.id, o.run_id, o.case_name, s.steps, \
                           CASE WHEN o.refuted_by IS NULL THEN o.worked ELSE 0 END, \
                           s.wrong_at IS NOT NULL, o.created_at, r.key IS NOT NULL, \
                           o.recorded_by, o.recorded_from FROM outcomes o \
                           JOIN solutions s ON s.key = o.solution_key LEFT JOIN runs r ON r.id = o.run_id \
                           WHERE o.pattern_key = $1 ORDER BY o.key DESC LIMIT $2";
    const STARTED: &str = "SELECT o.key, o.id, s.id, o.run_id, o.case_name, s.steps, \
                           CASE WHEN o.refuted_by IS NULL THEN o.worked ELSE 0 END, \
                           s.wrong_at IS NOT NULL, o.created_at, r.key IS NOT NULL, \
                           o.recorded_by, o.recorded_from FROM outcomes o \
                           JOIN solutions s ON s.key = o.solution_key LEFT JOIN runs r ON r.id = o.run_id \
                           WHERE o.started_pattern = $1 ORDER BY o.key DESC LIMIT $2";
    let params = [pattern.into(), limit.into()];
    let mut rows = tx.query(COUNTED, &params)?;
    rows.extend(tx.query(STARTED, &params)?);
    let mut reports = Vec::with_capacity(rows.len());
    for mut row in rows {
        let key: i64 = row.read()?;
        let report = Report {
            id: row.read()?,
            solution_id: row.read()?,
            run_id: row.read()?,
            case_name: row.read()?,
            steps: row.read()?,
            worked: row.read()?,
            is_wrong: row.read()?,
            created_at: row.read()?,
            is_run_recorded: row.read()?,
            recorded: StoredRecorder::read(&mut row)?,
        };
        reports.push((key, report));
    }
    reports.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    reports.dedup_by_key(|(key, _)| *key);
    reports.truncate(limit as usize);
    Ok(reports.into_iter().map(|(_, report)| report).collect())
}

/// A report that a solution was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// `fix-…` or `out-…`.
    pub id: String,
    /// `sol-…`.
    pub solution_id: String,
    /// Id of the run of the failure.
    pub run_id: Option<String>,
    /// Name of the failed case.
    pub case_name: Option<String>,
    /// The steps that were tried.
    pub steps: String,
    /// True if it was reported as a success and is not refuted.
    pub worked: bool,
    /// True if a person marked the steps wrong.
    pub is_wrong: bool,
    /// UTC milliseconds.
    pub created_at: i64,
    /// True if the run of the failure was not deleted by retention.
    pub is_run_recorded: bool,
    /// Author of the report.
    pub recorded: StoredRecorder,
}

/// Recomputes the sums of a solution. Several equal reports about one failure count once, and a refuted success counts
/// as a failure.
pub(crate) fn update_sums(tx: &mut Tx<'_>, solution: SolutionKey) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO solution_env_stats \
                       (solution_key, env_bucket, worked, failed, last_confirmed_at, last_failed_at) \
                       SELECT solution_key, env_bucket, SUM(helped), SUM(1 - helped), \
                       MAX(CASE WHEN helped = 1 THEN latest END), MAX(CASE WHEN helped = 0 THEN latest END) FROM (\
                       SELECT solution_key, env_bucket, CASE WHEN worked = 1 AND refuted_by IS NULL THEN 1 ELSE 0 END \
                       AS helped, MAX(created_at) AS latest FROM outcomes WHERE solution_key = $1 \
                       GROUP BY solution_key, env_bucket, helped, COALESCE(run_id, id), COALESCE(case_name, '')) AS told \
                       GROUP BY solution_key, env_bucket";
    tx.execute_deferred("DELETE FROM solution_env_stats WHERE solution_key = $1", &[solution.into()])?;
    tx.execute_deferred(SQL, &[solution.into()])
}

/// Results of trying a solution. Each failure counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutcomeCounts {
    /// Successes that a later run confirmed.
    pub proved: u32,
    /// Successes that were reported but not confirmed by a run.
    pub claimed: u32,
    /// Failures, and successes that were refuted.
    pub failed: u32,
}

macro_rules! counts {
    () => {
        "SELECT COUNT(CASE WHEN proved > 0 THEN 1 END) AS proved_ones, \
         COUNT(CASE WHEN proved = 0 AND helped > 0 THEN 1 END) AS claimed_ones, \
         COUNT(CASE WHEN failed > 0 THEN 1 END) AS failed_ones FROM (SELECT \
         SUM(CASE WHEN worked = 1 AND refuted_by IS NULL AND proved_by IS NOT NULL THEN 1 ELSE 0 END) \
         AS proved, SUM(CASE WHEN worked = 1 AND refuted_by IS NULL THEN 1 ELSE 0 END) AS helped, \
         SUM(CASE WHEN worked = 1 AND refuted_by IS NULL THEN 0 ELSE 1 END) AS failed FROM outcomes \
         WHERE solution_key = $1 GROUP BY COALESCE(run_id, id), COALESCE(case_name, '')) AS told"
    };
}

/// Returns the counts for a solution.
pub fn count_outcomes(tx: &mut Tx<'_>, solution: SolutionKey) -> Result<OutcomeCounts, StoreError> {
    Ok(count_outcomes_of_each(tx, &[solution])?.pop().unwrap_or_default())
}

/// Returns the counts for each solution.
pub fn count_outcomes_of_each(tx: &mut Tx<'_>, solutions: &[SolutionKey]) -> Result<Vec<OutcomeCounts>, StoreError> {
    const SQL: &str = counts!();
    let wanted: Vec<_> = solutions.iter().map(|solution| [(*solution).into()]).collect();
    let rows = tx.query_many(SQL, &wanted)?.into_iter().flatten();
    let read = |mut row: Row| Ok(OutcomeCounts { proved: row.read()?, claimed: row.read()?, failed: row.read()? });
    rows.map(read).collect()
}

/// Returns the number of failures of a pattern that these steps were reported not to fix. Each failure counts once.
/// `case_name` limits the count to one case, because a built-in pattern covers failures of many cases.
pub fn count_failures_of_steps(
    tx: &mut Tx<'_>,
    pattern: PatternKey,
    digest: &str,
    case_name: Option<&str>,
) -> Result<u32, StoreError> {
    const SQL: &str = "SELECT COUNT(*) FROM (SELECT 1 AS one FROM solutions s JOIN outcomes o ON o.solution_key = s.key \
                       WHERE s.pattern_key = $1 AND s.digest = $2 AND ($3 = '' OR o.case_name = $3) \
                       AND (o.worked = 0 OR o.refuted_by IS NOT NULL) \
                       GROUP BY COALESCE(o.run_id, o.id), COALESCE(o.case_name, '')) AS told";
    let params = [pattern.into(), digest.into(), case_name.unwrap_or_default().into()];
    tx.query_first(SQL, &params)?.map_or(Ok(0), |mut row| row.read())
}

/// Counts of a solution, with its best outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolutionSummary {
    /// Counts over all outcomes.
    pub counts: OutcomeCounts,
    /// The best reported success: proved before claimed before refuted.
    pub best: Option<SuccessEvidence>,
}

/// A reported success for a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuccessEvidence {
    /// Id of the run of the failure.
    pub run_id: String,
    /// Id of the run that proved it.
    pub proved_by: Option<String>,
    /// Id of the run or report that took it back.
    pub refuted_by: Option<String>,
    /// Number of later runs in which the case passed in the first attempt.
    pub passes: u32,
    /// Number of passes that prove it.
    pub passes_needed: u32,
    /// Changes between the failure and the first pass, as JSON.
    pub changed: Option<String>,
}

/// Returns for each solution its counts and its best outcome.
pub fn read_solution_summaries(tx: &mut Tx<'_>, solutions: &[SolutionKey]) -> Result<Vec<SolutionSummary>, StoreError> {
    const SQL: &str = concat!(
        "SELECT counted.*, best.run_id, best.proved_by, best.refuted_by, best.passes, best.passes_needed, best.changed \
         FROM (",
        counts!(),
        ") AS counted LEFT JOIN (SELECT run_id, proved_by, refuted_by, passes, passes_needed, changed FROM outcomes \
         WHERE solution_key = $1 AND worked = 1 AND run_id IS NOT NULL ORDER BY \
         CASE WHEN refuted_by IS NOT NULL THEN 2 WHEN proved_by IS NULL THEN 1 ELSE 0 END, passes DESC, key DESC \
         LIMIT 1) AS best ON 1 = 1"
    );
    let wanted: Vec<_> = solutions.iter().map(|solution| [(*solution).into()]).collect();
    let rows = tx.query_many(SQL, &wanted)?.into_iter().flatten();
    let read = |mut row: Row| {
        let counts = OutcomeCounts { proved: row.read()?, claimed: row.read()?, failed: row.read()? };
        let run_id: Option<String> = row.read()?;
        let (proved_by, refuted_by) = (row.read()?, row.read()?);
        let (passes, needed): (Option<u32>, Option<u32>) = (row.read()?, row.read()?);
        let changed = row.read()?;
        let best = run_id.map(|run_id| SuccessEvidence {
            run_id,
            proved_by,
            refuted_by,
            passes: passes.unwrap_or_default(),
            passes_needed: needed.unwrap_or(1),
            changed,
        });
        Ok(SolutionSummary { counts, best })
    };
    rows.map(read).collect()
}

/// Returns for each environment the number of successes that a run could confirm but none has.
pub fn count_claims_by_bucket(tx: &mut Tx<'_>, solution: SolutionKey) -> Result<Vec<(String, u32)>, StoreError> {
    const SQL: &str = "SELECT env_bucket, COUNT(*) FROM (SELECT env_bucket FROM outcomes WHERE solution_key = $1 \
                       AND worked = 1 AND refuted_by IS NULL AND run_id IS NOT NULL \
                       GROUP BY env_bucket, run_id, case_name HAVING MAX(proved_by) IS NULL) AS told \
                       GROUP BY env_bucket";
    let rows = tx.query(SQL, &[solution.into()])?;
    rows.into_iter().map(|mut row| Ok((row.read()?, row.read()?))).collect()
}
