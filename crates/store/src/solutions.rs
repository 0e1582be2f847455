//! Solutions and the results of trying them, for patterns and incidents. Reported fixes are in `fixes`. `argus-core`
//! ranks the solutions of the debug memory; `outcomes` stores results.

mod fixes;
pub mod lookups;
pub mod outcomes;
mod reported_successes;

pub use crate::keys::SolutionKey;
pub use fixes::{Fix, NewFix, is_reported_success, is_resolved, list_confirmed, list_history, record_fix};
pub use reported_successes::{ReportedSuccess, list_reported_successes};

use crate::{
    database::{Row, Tx},
    error::StoreError,
    keys::IncidentKey,
    patterns::{PatternKey, filter_text},
    search::{self, DocumentOwner},
};
use outcomes::{Recorder, StoredRecorder};

/// A solution to insert.
#[derive(Clone, Copy, Debug)]
pub struct NewSolution<'a> {
    /// `sol-…`. Ignored if the same steps are already stored for this environment.
    pub id: &'a str,
    /// The incident or pattern that it solves.
    pub owner: DocumentOwner,
    /// Instructions, redacted.
    pub steps: &'a str,
    /// Hash of the steps that ignores case and whitespace.
    pub digest: &'a str,
    /// The environment as it was passed, as JSON.
    pub env: Option<&'a str>,
    /// Canonical form of the environment.
    pub env_bucket: &'a str,
    /// Author of the record.
    pub recorder: Recorder<'a>,
    /// UTC milliseconds.
    pub now: i64,
}

/// A stored solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Row key.
    pub key: SolutionKey,
    /// `sol-…`.
    pub id: String,
    /// The incident or pattern that it solves.
    pub owner: DocumentOwner,
    /// Instructions.
    pub steps: String,
    /// The environment as it was passed, as JSON.
    pub env: Option<String>,
    /// Canonical form of the environment.
    pub env_bucket: String,
    /// UTC milliseconds.
    pub created_at: i64,
    /// True if a person marked it wrong, so that it is not suggested.
    pub is_wrong: bool,
    /// Author of the record.
    pub recorder: StoredRecorder,
}

macro_rules! column_names {
    () => {
        "key, id, incident_key, pattern_key, steps, env, env_bucket, created_at, wrong_at IS NOT NULL, recorded_by, \
         recorded_from"
    };
}

macro_rules! columns {
    () => {
        concat!("SELECT ", column_names!(), " FROM solutions ")
    };
}

macro_rules! successes {
    () => {
        "(SELECT COALESCE(SUM(e.worked), 0) FROM solution_env_stats e WHERE e.solution_key = solutions.key) DESC, \
         key DESC "
    };
}

/// Inserts a solution, or finds the stored solution with the same steps and environment. Returns true if it is new.
pub fn add(tx: &mut Tx<'_>, new: &NewSolution<'_>) -> Result<(Solution, bool), StoreError> {
    add_all(tx, &[*new])?.pop().ok_or_else(not_inserted_error)
}

/// Like [`add`] for several solutions, in the same order. No two of them may have the same owner, steps and
/// environment.
pub fn add_all(tx: &mut Tx<'_>, new: &[NewSolution<'_>]) -> Result<Vec<(Solution, bool)>, StoreError> {
    const KNOWN: &str = concat!(
        columns!(),
        "WHERE incident_key = $1 AND digest = $3 AND env_bucket = $4 UNION ALL ",
        columns!(),
        "WHERE pattern_key = $2 AND digest = $3 AND env_bucket = $4 LIMIT 1"
    );
    let wanted = new.iter().map(|solution| {
        let [incident, pattern] = solution.owner.columns();
        [incident, pattern, solution.digest.into(), solution.env_bucket.into()]
    });
    let known = tx.query_many(KNOWN, &wanted.collect::<Vec<_>>())?;
    let missing = new.iter().zip(&known).filter(|(_, rows)| rows.is_empty()).map(|(solution, _)| *solution);
    let mut inserted = insert_all(tx, &missing.collect::<Vec<_>>())?.into_iter();
    let added = known.into_iter().map(|mut rows| match rows.pop() {
        Some(mut row) => Ok((read_solution(&mut row)?, false)),
        None => Ok((inserted.next().ok_or_else(not_inserted_error)?, true)),
    });
    added.collect()
}

/// Inserts new solutions. Steps that a person marked wrong are wrong in every environment.
fn insert_all(tx: &mut Tx<'_>, new: &[NewSolution<'_>]) -> Result<Vec<Solution>, StoreError> {
    const SQL: &str = concat!(
        "INSERT INTO solutions (id, incident_key, pattern_key, steps, digest, env, env_bucket, created_at, recorded_by, \
         recorded_from, wrong_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, COALESCE(\
         (SELECT MAX(wrong_at) FROM solutions WHERE incident_key = $2 AND digest = $5), \
         (SELECT MAX(wrong_at) FROM solutions WHERE pattern_key = $3 AND digest = $5))) RETURNING ",
        column_names!()
    );
    let params = new.iter().map(|solution| {
        let [incident, pattern] = solution.owner.columns();
        [
            solution.id.into(),
            incident,
            pattern,
            solution.steps.into(),
            solution.digest.into(),
            solution.env.into(),
            solution.env_bucket.into(),
            solution.now.into(),
            solution.recorder.by.into(),
            solution.recorder.from.into(),
        ]
    });
    let rows = tx.query_many(SQL, &params.collect::<Vec<_>>())?;
    for solution in new {
        if let DocumentOwner::Pattern(pattern) = solution.owner {
            search::queue_pattern(tx, pattern)?;
        }
    }
    rows.into_iter().flatten().map(|mut row| read_solution(&mut row)).collect()
}

fn not_inserted_error() -> StoreError {
    StoreError::corrupt("an inserted solution is not there")
}

/// The texts of a solution.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Instructions, redacted.
    pub steps: &'a str,
    /// Hash of the steps that ignores case and whitespace.
    pub digest: &'a str,
    /// The environment as it was passed, as JSON.
    pub env: Option<&'a str>,
    /// Canonical form of the environment.
    pub env_bucket: &'a str,
}

/// Replaces the texts of an incident's solution. Existing outcomes keep their environment.
pub fn update(tx: &mut Tx<'_>, key: SolutionKey, new: &Texts<'_>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE solutions SET steps = $2, digest = $3, env = $4, env_bucket = $5 WHERE key = $1";
    tx.execute_deferred(SQL, &[key.into(), new.steps.into(), new.digest.into(), new.env.into(), new.env_bucket.into()])
}

/// Returns the solution with this id.
pub fn find_by_id(tx: &mut Tx<'_>, id: &str) -> Result<Option<Solution>, StoreError> {
    Ok(find_by_ids(tx, [id])?.pop())
}

/// Returns the solutions with these ids. Unknown ids are skipped.
pub fn find_by_ids<'i>(tx: &mut Tx<'_>, ids: impl IntoIterator<Item = &'i str>) -> Result<Vec<Solution>, StoreError> {
    let ids: Vec<_> = ids.into_iter().map(|id| [id.into()]).collect();
    let rows = tx.query_many(concat!(columns!(), "WHERE id = $1"), &ids)?;
    rows.into_iter().flatten().map(|mut row| read_solution(&mut row)).collect()
}

/// Returns ids that start with `prefix`, in descending order. Ids that Argus creates rise with time.
pub fn list_ids_with_prefix(tx: &mut Tx<'_>, prefix: &str, limit: u32) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT id FROM solutions WHERE id >= $1 AND id < $2 ORDER BY id DESC LIMIT $3";
    let after = format!("{prefix}\u{10ffff}");
    let rows = tx.query(SQL, &[prefix.into(), (&after).into(), limit.into()])?;
    rows.into_iter().map(|mut row| row.read()).collect()
}

/// Returns the solution that the report `fix-…` is about.
pub fn find_by_fix(tx: &mut Tx<'_>, fix_id: &str) -> Result<Option<Solution>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE key = (SELECT solution_key FROM outcomes WHERE id = $1)");
    let row = tx.query_first(SQL, &[fix_id.into()])?;
    row.map(|mut row| read_solution(&mut row)).transpose()
}

/// Returns solutions of one incident or pattern that may be suggested. Solutions with more successes come first, then
/// newer solutions.
pub fn list_best(tx: &mut Tx<'_>, owner: DocumentOwner, limit: u32) -> Result<Vec<Solution>, StoreError> {
    const OF_INCIDENT: &str =
        concat!(columns!(), "WHERE incident_key = $1 AND wrong_at IS NULL ORDER BY ", successes!(), "LIMIT $2");
    const OF_PATTERN: &str =
        concat!(columns!(), "WHERE pattern_key = $1 AND wrong_at IS NULL ORDER BY ", successes!(), "LIMIT $2");
    let rows = match owner {
        DocumentOwner::Incident(key) => tx.query(OF_INCIDENT, &[key.into(), limit.into()])?,
        DocumentOwner::Pattern(key) => tx.query(OF_PATTERN, &[key.into(), limit.into()])?,
    };
    rows.into_iter().map(|mut row| read_solution(&mut row)).collect()
}

/// Like [`list_best`], but includes solutions that a person marked wrong. They come last.
pub fn list_with_wrong(tx: &mut Tx<'_>, owner: DocumentOwner, limit: u32) -> Result<Vec<Solution>, StoreError> {
    const OF_INCIDENT: &str =
        concat!(columns!(), "WHERE incident_key = $1 ORDER BY wrong_at IS NOT NULL, ", successes!(), "LIMIT $2");
    const OF_PATTERN: &str =
        concat!(columns!(), "WHERE pattern_key = $1 ORDER BY wrong_at IS NOT NULL, ", successes!(), "LIMIT $2");
    let rows = match owner {
        DocumentOwner::Incident(key) => tx.query(OF_INCIDENT, &[key.into(), limit.into()])?,
        DocumentOwner::Pattern(key) => tx.query(OF_PATTERN, &[key.into(), limit.into()])?,
    };
    rows.into_iter().map(|mut row| read_solution(&mut row)).collect()
}

/// Returns all solutions of each pattern, in the order of insertion.
pub fn list_of_patterns(tx: &mut Tx<'_>, patterns: &[PatternKey]) -> Result<Vec<Vec<Solution>>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE pattern_key = $1 ORDER BY key");
    let wanted: Vec<_> = patterns.iter().map(|pattern| [(*pattern).into()]).collect();
    let rows = tx.query_many(SQL, &wanted)?.into_iter();
    rows.map(|rows| rows.into_iter().map(|mut row| read_solution(&mut row)).collect()).collect()
}

/// Returns for each solution whether a person wrote it.
pub fn are_written_by_person(tx: &mut Tx<'_>, solutions: &[SolutionKey]) -> Result<Vec<bool>, StoreError> {
    const SQL: &str = "SELECT by_person <> 0 FROM solutions WHERE key = $1";
    let wanted: Vec<_> = solutions.iter().map(|solution| [(*solution).into()]).collect();
    let rows = tx.query_many(SQL, &wanted)?.into_iter();
    rows.map(|mut rows| rows.pop().map_or(Ok(false), |mut row| row.read())).collect()
}

/// Takes over a person's judgment from another memory for a solution that is new here.
pub fn import_judgment(
    tx: &mut Tx<'_>,
    key: SolutionKey,
    by_person: bool,
    wrong_at: Option<i64>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE solutions SET by_person = $2, wrong_at = COALESCE(wrong_at, $3) WHERE key = $1";
    tx.execute_deferred(SQL, &[key.into(), by_person.into(), wrong_at.into()])
}

/// Returns all solutions of one incident or pattern, in the order of insertion.
pub fn list_of_owner(tx: &mut Tx<'_>, owner: DocumentOwner) -> Result<Vec<Solution>, StoreError> {
    let rows = match owner {
        DocumentOwner::Incident(key) => {
            tx.query(concat!(columns!(), "WHERE incident_key = $1 ORDER BY key"), &[key.into()])?
        }
        DocumentOwner::Pattern(key) => {
            tx.query(concat!(columns!(), "WHERE pattern_key = $1 ORDER BY key"), &[key.into()])?
        }
    };
    rows.into_iter().map(|mut row| read_solution(&mut row)).collect()
}

/// Returns the number of solutions of one incident or pattern that may be suggested.
pub fn count_usable(tx: &mut Tx<'_>, owner: DocumentOwner) -> Result<u32, StoreError> {
    const OF_INCIDENT: &str = "SELECT COUNT(*) FROM solutions WHERE incident_key = $1 AND wrong_at IS NULL";
    const OF_PATTERN: &str = "SELECT COUNT(*) FROM solutions WHERE pattern_key = $1 AND wrong_at IS NULL";
    let row = match owner {
        DocumentOwner::Incident(key) => tx.query_first(OF_INCIDENT, &[key.into()])?,
        DocumentOwner::Pattern(key) => tx.query_first(OF_PATTERN, &[key.into()])?,
    };
    row.map_or(Ok(0), |mut row| row.read())
}

/// Returns the number of solutions of one incident or pattern.
pub fn count_all(tx: &mut Tx<'_>, owner: DocumentOwner) -> Result<u32, StoreError> {
    let row = match owner {
        DocumentOwner::Incident(key) => {
            tx.query_first("SELECT COUNT(*) FROM solutions WHERE incident_key = $1", &[key.into()])?
        }
        DocumentOwner::Pattern(key) => {
            tx.query_first("SELECT COUNT(*) FROM solutions WHERE pattern_key = $1", &[key.into()])?
        }
    };
    row.map_or(Ok(0), |mut row| row.read())
}

fn read_solution(row: &mut Row) -> Result<Solution, StoreError> {
    let (key, id) = (SolutionKey(row.read()?), row.read()?);
    let owner = match (row.read::<Option<i64>>()?, row.read::<Option<i64>>()?) {
        (Some(incident), _) => DocumentOwner::Incident(IncidentKey(incident)),
        (None, Some(pattern)) => DocumentOwner::Pattern(PatternKey(pattern)),
        (None, None) => return Err(StoreError::corrupt("a solution solves nothing")),
    };
    let (steps, env, env_bucket) = (row.read()?, row.read()?, row.read()?);
    let (created_at, is_wrong, recorded) = (row.read()?, row.read()?, StoredRecorder::read(row)?);
    Ok(Solution { key, id, owner, steps, env, env_bucket, created_at, is_wrong, recorder: recorded })
}

/// Chooses the solution that a pattern suggests. It must have at least one reported success that was not taken back.
/// Proved solutions come before claimed solutions. Then the higher rate of proved successes wins, then the higher rate
/// of all successes, and then the later success. Both rates are smoothed by the rule of succession, (s + 1) / (s + f +
/// 2), because a solution may have few outcomes.
pub fn update_best_solution(tx: &mut Tx<'_>, pattern: PatternKey) -> Result<(), StoreError> {
    update_best_solutions(tx, &[pattern])
}

/// Like [`update_best_solution`] for several patterns.
pub fn update_best_solutions(tx: &mut Tx<'_>, patterns: &[PatternKey]) -> Result<(), StoreError> {
    const BEST: &str = "SELECT p.best_solution, (SELECT t.key FROM (SELECT s.key, SUM(e.worked) AS worked, \
                        SUM(e.failed) AS failed, MAX(e.last_confirmed_at) AS latest, (SELECT COUNT(*) FROM (\
                        SELECT 1 FROM outcomes o WHERE o.solution_key = s.key AND o.proved_by IS NOT NULL \
                        AND o.refuted_by IS NULL GROUP BY o.run_id, o.case_name) AS shown) AS proved \
                        FROM solutions s JOIN solution_env_stats e ON e.solution_key = s.key \
                        WHERE s.pattern_key = $1 AND s.wrong_at IS NULL GROUP BY s.key HAVING SUM(e.worked) > 0) AS t \
                        ORDER BY t.proved > 0 DESC, (t.proved + 1.0) / (t.proved + t.failed + 2.0) DESC, \
                        (t.worked + 1.0) / (t.worked + t.failed + 2.0) DESC, t.latest DESC, t.key DESC LIMIT 1) \
                        FROM patterns p WHERE p.key = $1 AND p.source = 'learned'";
    let wanted: Vec<_> = patterns.iter().map(|pattern| [(*pattern).into()]).collect();
    let rows = tx.query_many(BEST, &wanted)?;
    for (pattern, mut rows) in patterns.iter().zip(rows) {
        let Some(mut row) = rows.pop() else { continue };
        let (before, best) = (row.read::<Option<i64>>()?, row.read::<Option<i64>>()?);
        if before != best {
            let params = [(*pattern).into(), best.into()];
            tx.execute_deferred("UPDATE patterns SET best_solution = $2 WHERE key = $1", &params)?;
            filter_text::write(tx, *pattern)?;
        }
    }
    Ok(())
}
