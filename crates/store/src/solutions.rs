//! Solutions and what came of trying them, for both memories. A reported fix is a solution of its pattern
//! plus an outcome with run and case.
//! Ranking for the debug memory is done by core; what only its tools write is in `outcomes`.

pub mod lookups;
pub mod outcomes;
mod reported;

pub use crate::keys::SolutionKey;
pub use reported::{Reported, reported};

use crate::{
    database::{Row, Tx},
    error::StoreError,
    keys::IncidentKey,
    patterns::{Pattern, PatternKey, filter_text},
    search::{self, Owner},
};
use outcomes::{Recorded, Recorder};

/// A solution to add.
#[derive(Clone, Copy, Debug)]
pub struct NewSolution<'a> {
    /// `sol-…`, used where these steps are not known yet for this environment.
    pub id: &'a str,
    /// What it solves.
    pub owner: Owner,
    /// What to do; redacted.
    pub steps: &'a str,
    /// The same for equal steps, whatever their case and spacing.
    pub digest: &'a str,
    /// The environment as it was given, as JSON.
    pub env: Option<&'a str>,
    /// Its canonical form.
    pub env_bucket: &'a str,
    /// Who adds it.
    pub recorder: Recorder<'a>,
    /// UTC milliseconds.
    pub now: i64,
}

/// A stored solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Where its outcomes are.
    pub key: SolutionKey,
    /// `sol-…`.
    pub id: String,
    /// What it solves.
    pub owner: Owner,
    /// What to do.
    pub steps: String,
    /// As it was given, as JSON.
    pub env: Option<String>,
    /// Its canonical form.
    pub env_bucket: String,
    /// UTC milliseconds.
    pub created_at: i64,
    /// A person judged it as wrong: it is no suggestion.
    pub is_wrong: bool,
    /// Who added it.
    pub recorded: Recorded,
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

/// Adds a solution; the one that is there already where steps and environment are known. True: it is new.
pub async fn add(tx: &mut impl Tx, new: &NewSolution<'_>) -> Result<(Solution, bool), StoreError> {
    add_all(tx, &[*new]).await?.pop().ok_or_else(not_inserted)
}

/// Adds some, in this order, as [`add`] does; no two may have owner, steps and environment in common.
pub async fn add_all(tx: &mut impl Tx, new: &[NewSolution<'_>]) -> Result<Vec<(Solution, bool)>, StoreError> {
    const KNOWN: &str = concat!(
        columns!(),
        "WHERE incident_key = $1 AND digest = $3 AND env_bucket = $4 UNION ALL ",
        columns!(),
        "WHERE pattern_key = $2 AND digest = $3 AND env_bucket = $4 LIMIT 1"
    );
    let wanted = new.iter().map(|one| {
        let [incident, pattern] = one.owner.columns();
        [incident, pattern, one.digest.into(), one.env_bucket.into()]
    });
    let known = tx.query_many(KNOWN, &wanted.collect::<Vec<_>>()).await?;
    let missing = new.iter().zip(&known).filter(|(_, rows)| rows.is_empty()).map(|(one, _)| *one);
    let mut inserted = insert_all(tx, &missing.collect::<Vec<_>>()).await?.into_iter();
    let added = known.into_iter().map(|mut rows| match rows.pop() {
        Some(mut row) => Ok((solution(&mut row)?, false)),
        None => Ok((inserted.next().ok_or_else(not_inserted)?, true)),
    });
    added.collect()
}

/// Adds some that are not there yet. Steps that a person judged as wrong are wrong in every environment.
async fn insert_all(tx: &mut impl Tx, new: &[NewSolution<'_>]) -> Result<Vec<Solution>, StoreError> {
    const SQL: &str = concat!(
        "INSERT INTO solutions (id, incident_key, pattern_key, steps, digest, env, env_bucket, created_at, recorded_by, \
         recorded_from, wrong_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, COALESCE(\
         (SELECT MAX(wrong_at) FROM solutions WHERE incident_key = $2 AND digest = $5), \
         (SELECT MAX(wrong_at) FROM solutions WHERE pattern_key = $3 AND digest = $5))) RETURNING ",
        column_names!()
    );
    let params = new.iter().map(|one| {
        let [incident, pattern] = one.owner.columns();
        [
            one.id.into(),
            incident,
            pattern,
            one.steps.into(),
            one.digest.into(),
            one.env.into(),
            one.env_bucket.into(),
            one.now.into(),
            one.recorder.by.into(),
            one.recorder.from.into(),
        ]
    });
    let rows = tx.query_many(SQL, &params.collect::<Vec<_>>()).await?;
    for one in new {
        if let Owner::Pattern(pattern) = one.owner {
            search::wait(tx, pattern).await?;
        }
    }
    rows.into_iter().flatten().map(|mut row| solution(&mut row)).collect()
}

fn not_inserted() -> StoreError {
    StoreError::corrupt("an inserted solution is not there")
}

/// What is written in a solution.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// What to do; redacted.
    pub steps: &'a str,
    /// The same for equal steps, whatever their case and spacing.
    pub digest: &'a str,
    /// The environment as it was given, as JSON.
    pub env: Option<&'a str>,
    /// Its canonical form.
    pub env_bucket: &'a str,
}

/// Gives one of an incident other texts; its outcomes stay where they were made.
pub async fn update(tx: &mut impl Tx, key: SolutionKey, new: &Texts<'_>) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE solutions SET steps = $2, digest = $3, env = $4, env_bucket = $5 WHERE key = $1";
    tx.post(SQL, &[key.into(), new.steps.into(), new.digest.into(), new.env.into(), new.env_bucket.into()]).await
}

/// One by its id.
pub async fn by_id(tx: &mut impl Tx, id: &str) -> Result<Option<Solution>, StoreError> {
    Ok(by_ids(tx, [id]).await?.pop())
}

/// Those of these ids that there are.
pub async fn by_ids(tx: &mut impl Tx, ids: impl IntoIterator<Item = &str>) -> Result<Vec<Solution>, StoreError> {
    let ids: Vec<_> = ids.into_iter().map(|id| [id.into()]).collect();
    let rows = tx.query_many(concat!(columns!(), "WHERE id = $1"), &ids).await?;
    rows.into_iter().flatten().map(|mut row| solution(&mut row)).collect()
}

/// The one whose report has this id: `fix-…`.
pub async fn by_fix(tx: &mut impl Tx, fix_id: &str) -> Result<Option<Solution>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE key = (SELECT solution_key FROM outcomes WHERE id = $1)");
    let row = tx.query_first(SQL, &[fix_id.into()]).await?;
    row.map(|mut row| solution(&mut row)).transpose()
}

/// Those of one incident or pattern that may be suggested: the ones that worked most often, then the newest.
pub async fn best_of_owner(tx: &mut impl Tx, owner: Owner, limit: u32) -> Result<Vec<Solution>, StoreError> {
    const OF_INCIDENT: &str =
        concat!(columns!(), "WHERE incident_key = $1 AND wrong_at IS NULL ORDER BY ", successes!(), "LIMIT $2");
    const OF_PATTERN: &str =
        concat!(columns!(), "WHERE pattern_key = $1 AND wrong_at IS NULL ORDER BY ", successes!(), "LIMIT $2");
    let rows = match owner {
        Owner::Incident(key) => tx.query(OF_INCIDENT, &[key.into(), limit.into()]).await?,
        Owner::Pattern(key) => tx.query(OF_PATTERN, &[key.into(), limit.into()]).await?,
    };
    rows.into_iter().map(|mut row| solution(&mut row)).collect()
}

/// The same with those that a person judged as wrong, which come last.
pub async fn all_of_owner(tx: &mut impl Tx, owner: Owner, limit: u32) -> Result<Vec<Solution>, StoreError> {
    const OF_INCIDENT: &str =
        concat!(columns!(), "WHERE incident_key = $1 ORDER BY wrong_at IS NOT NULL, ", successes!(), "LIMIT $2");
    const OF_PATTERN: &str =
        concat!(columns!(), "WHERE pattern_key = $1 ORDER BY wrong_at IS NOT NULL, ", successes!(), "LIMIT $2");
    let rows = match owner {
        Owner::Incident(key) => tx.query(OF_INCIDENT, &[key.into(), limit.into()]).await?,
        Owner::Pattern(key) => tx.query(OF_PATTERN, &[key.into(), limit.into()]).await?,
    };
    rows.into_iter().map(|mut row| solution(&mut row)).collect()
}

/// All of each of these patterns, in the order they were added.
pub async fn of_patterns(tx: &mut impl Tx, patterns: &[PatternKey]) -> Result<Vec<Vec<Solution>>, StoreError> {
    const SQL: &str = concat!(columns!(), "WHERE pattern_key = $1 ORDER BY key");
    let wanted: Vec<_> = patterns.iter().map(|pattern| [(*pattern).into()]).collect();
    let rows = tx.query_many(SQL, &wanted).await?.into_iter();
    rows.map(|rows| rows.into_iter().map(|mut row| solution(&mut row)).collect()).collect()
}

/// Those of these that a person wrote.
pub async fn written_by_person(tx: &mut impl Tx, solutions: &[SolutionKey]) -> Result<Vec<bool>, StoreError> {
    const SQL: &str = "SELECT by_person <> 0 FROM solutions WHERE key = $1";
    let wanted: Vec<_> = solutions.iter().map(|solution| [(*solution).into()]).collect();
    let rows = tx.query_many(SQL, &wanted).await?.into_iter();
    rows.map(|mut rows| rows.pop().map_or(Ok(false), |mut row| row.read())).collect()
}

/// What a person has judged elsewhere of a solution that is new here.
pub async fn take_judgement(
    tx: &mut impl Tx,
    key: SolutionKey,
    by_person: bool,
    wrong_at: Option<i64>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE solutions SET by_person = $2, wrong_at = COALESCE(wrong_at, $3) WHERE key = $1";
    tx.post(SQL, &[key.into(), by_person.into(), wrong_at.into()]).await
}

/// All of one incident or pattern, in the order they were added.
pub async fn of_owner(tx: &mut impl Tx, owner: Owner) -> Result<Vec<Solution>, StoreError> {
    let rows = match owner {
        Owner::Incident(key) => {
            tx.query(concat!(columns!(), "WHERE incident_key = $1 ORDER BY key"), &[key.into()]).await?
        }
        Owner::Pattern(key) => {
            tx.query(concat!(columns!(), "WHERE pattern_key = $1 ORDER BY key"), &[key.into()]).await?
        }
    };
    rows.into_iter().map(|mut row| solution(&mut row)).collect()
}

/// How many of one incident or pattern may be suggested.
pub async fn usable_of(tx: &mut impl Tx, owner: Owner) -> Result<u32, StoreError> {
    const OF_INCIDENT: &str = "SELECT COUNT(*) FROM solutions WHERE incident_key = $1 AND wrong_at IS NULL";
    const OF_PATTERN: &str = "SELECT COUNT(*) FROM solutions WHERE pattern_key = $1 AND wrong_at IS NULL";
    let row = match owner {
        Owner::Incident(key) => tx.query_first(OF_INCIDENT, &[key.into()]).await?,
        Owner::Pattern(key) => tx.query_first(OF_PATTERN, &[key.into()]).await?,
    };
    row.map_or(Ok(0), |mut row| row.read())
}

/// How many one incident or pattern has.
pub async fn count_of(tx: &mut impl Tx, owner: Owner) -> Result<u32, StoreError> {
    let row = match owner {
        Owner::Incident(key) => {
            tx.query_first("SELECT COUNT(*) FROM solutions WHERE incident_key = $1", &[key.into()]).await?
        }
        Owner::Pattern(key) => {
            tx.query_first("SELECT COUNT(*) FROM solutions WHERE pattern_key = $1", &[key.into()]).await?
        }
    };
    row.map_or(Ok(0), |mut row| row.read())
}

fn solution(row: &mut Row) -> Result<Solution, StoreError> {
    let (key, id) = (SolutionKey(row.read()?), row.read()?);
    let owner = match (row.read::<Option<i64>>()?, row.read::<Option<i64>>()?) {
        (Some(incident), _) => Owner::Incident(IncidentKey(incident)),
        (None, Some(pattern)) => Owner::Pattern(PatternKey(pattern)),
        (None, None) => return Err(StoreError::corrupt("a solution solves nothing")),
    };
    let (steps, env, env_bucket) = (row.read()?, row.read()?, row.read()?);
    let (created_at, is_wrong, recorded) = (row.read()?, row.read()?, Recorded::read(row)?);
    Ok(Solution { key, id, owner, steps, env, env_bucket, created_at, is_wrong, recorded })
}

/// A fix to record.
#[derive(Clone, Copy, Debug)]
pub struct NewFix<'a> {
    /// `fix-…`.
    pub id: &'a str,
    /// `sol-…`, used where these steps are not known yet.
    pub solution_id: &'a str,
    /// The pattern that learns the steps.
    pub learner: PatternKey,
    /// The pattern it counts on; another one where a built-in matched and a learned pattern was started.
    pub counted_on: PatternKey,
    /// Run of the failure.
    pub run_id: &'a str,
    /// Case of the failure.
    pub case_name: &'a str,
    /// What was changed; redacted.
    pub steps: &'a str,
    /// The same for equal steps, whatever their case and spacing.
    pub digest: &'a str,
    /// It resolved the failure.
    pub worked: bool,
    /// The run that proved it.
    pub proved_by: Option<&'a str>,
    /// Passes that were seen since the failure, and how many prove it.
    pub passes: u32,
    /// At least one.
    pub passes_needed: u32,
    /// What changed until the first pass, as JSON.
    pub changed: Option<&'a str>,
    /// The earlier report that this one corrects: `fix-…`.
    pub supersedes: Option<&'a str>,
    /// Environment in which it was tried, as JSON, and its canonical form; empty: not known.
    pub env: Option<&'a str>,
    /// Its canonical form; empty: not known.
    pub env_bucket: &'a str,
    /// Who reports it.
    pub recorder: Recorder<'a>,
    /// UTC milliseconds.
    pub now: i64,
}

/// One reported fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// `fix-…`.
    pub id: String,
    /// Run of the failure.
    pub run_id: String,
    /// Case of the failure.
    pub case_name: String,
    /// What was changed.
    pub steps: String,
    /// It was reported to have resolved the failure.
    pub worked: bool,
    /// The later run in which the case passed.
    pub proved_by: Option<String>,
    /// The later run in which the case failed again, or the later report that takes it back.
    pub refuted_by: Option<String>,
    /// Runs since in which the case passed at once.
    pub passes: u32,
    /// How many prove it.
    pub passes_needed: u32,
    /// A person judged it as wrong, so that it counts as no success.
    pub is_wrong: bool,
    /// UTC milliseconds.
    pub created_at: i64,
    /// Who reported it.
    pub recorded: Recorded,
}

/// Records a fix: its steps once, its outcome, the sums, and the learner's best solution. False: a person judged these
/// steps as wrong.
pub async fn record_fix(tx: &mut impl Tx, fix: &NewFix<'_>) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO outcomes (id, solution_key, pattern_key, started_pattern, worked, run_id, case_name, \
                       env, env_bucket, created_at, recorded_by, recorded_from, proved_by, passes, passes_needed, \
                       changed) \
                       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let (solution, is_wrong) = learn(tx, fix).await?;
    let started = (fix.learner != fix.counted_on).then_some(fix.learner);
    let params = [
        fix.id.into(),
        solution.into(),
        fix.counted_on.into(),
        started.into(),
        fix.worked.into(),
        fix.run_id.into(),
        fix.case_name.into(),
        fix.env.into(),
        fix.env_bucket.into(),
        fix.now.into(),
        fix.recorder.by.into(),
        fix.recorder.from.into(),
        fix.proved_by.into(),
        fix.passes.into(),
        fix.passes_needed.into(),
        fix.changed.into(),
    ];
    if let Some(earlier) = fix.supersedes {
        supersede(tx, earlier, fix.id).await?;
    }
    if !fix.worked {
        take_back(tx, fix, solution).await?;
    }
    tx.post(SQL, &params).await?;
    outcomes::sum_up(tx, solution).await?;
    choose_best(tx, fix.learner).await?;
    Ok(!is_wrong)
}

/// Who says that steps did not help takes back what was claimed of them for the same failure.
async fn take_back(tx: &mut impl Tx, fix: &NewFix<'_>, solution: SolutionKey) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET refuted_by = $4 WHERE solution_key = $1 AND run_id = $2 AND case_name = $3 \
                       AND worked = 1 AND proved_by IS NULL AND refuted_by IS NULL";
    tx.post(SQL, &[solution.into(), fix.run_id.into(), fix.case_name.into(), fix.id.into()]).await
}

/// Whether this is the id of a success that was reported for the case, on any run.
pub async fn is_success_of(tx: &mut impl Tx, fix_id: &str, case_name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM outcomes WHERE id = $1 AND case_name = $2 AND worked = 1";
    Ok(tx.query_first(SQL, &[fix_id.into(), case_name.into()]).await?.is_some())
}

/// Takes back a reported success, because the report `by` corrects it.
async fn supersede(tx: &mut impl Tx, fix_id: &str, by: &str) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET refuted_by = COALESCE(refuted_by, $2) WHERE id = $1 RETURNING solution_key";
    if let Some(mut row) = tx.query_first(SQL, &[fix_id.into(), by.into()]).await? {
        outcomes::sum_up(tx, SolutionKey(row.read()?)).await?;
    }
    Ok(())
}

macro_rules! fix_columns {
    () => {
        "SELECT o.id, o.run_id, o.case_name, s.steps, o.worked, o.proved_by, o.refuted_by, o.passes, \
         o.passes_needed, s.wrong_at IS NOT NULL, o.created_at, o.recorded_by, o.recorded_from, o.key FROM outcomes o \
         JOIN solutions s ON s.key = o.solution_key "
    };
}

/// The history of a pattern, newest first: what counted on it, and the outcome that started it.
pub async fn history(tx: &mut impl Tx, pattern: &Pattern, limit: u32) -> Result<Vec<Fix>, StoreError> {
    const SQL: &str = concat!(
        "SELECT * FROM (",
        fix_columns!(),
        "WHERE o.pattern_key = $1 AND o.run_id IS NOT NULL ORDER BY o.key DESC LIMIT $2) AS counted UNION ALL \
         SELECT * FROM (",
        fix_columns!(),
        "WHERE o.started_pattern = $1 ORDER BY o.key DESC LIMIT $2) AS started"
    );
    let rows = tx.query(SQL, &[pattern.key.into(), limit.into()]).await?;
    let mut fixes = Vec::with_capacity(rows.len());
    for mut row in rows {
        let fix = Fix {
            id: row.read()?,
            run_id: row.read()?,
            case_name: row.read()?,
            steps: row.read()?,
            worked: row.read()?,
            proved_by: row.read()?,
            refuted_by: row.read()?,
            passes: row.read()?,
            passes_needed: row.read()?,
            is_wrong: row.read()?,
            created_at: row.read()?,
            recorded: Recorded::read(&mut row)?,
        };
        fixes.push((row.read::<i64>()?, fix));
    }
    fixes.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
    fixes.truncate(limit as usize);
    Ok(fixes.into_iter().map(|(_, fix)| fix).collect())
}

/// A success was already reported for this failure of this run, by steps that nobody judged as wrong.
pub async fn is_resolved(tx: &mut impl Tx, run_id: &str, case_name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT 1 FROM outcomes o JOIN solutions s ON s.key = o.solution_key \
                       WHERE o.run_id = $1 AND o.case_name = $2 AND o.worked = 1 AND s.wrong_at IS NULL LIMIT 1";
    Ok(tx.query_first(SQL, &[run_id.into(), case_name.into()]).await?.is_some())
}

/// A fix of a pattern is one solution, wherever it was tried; whether it is wrong.
async fn learn(tx: &mut impl Tx, fix: &NewFix<'_>) -> Result<(SolutionKey, bool), StoreError> {
    const KNOWN: &str = "SELECT key, wrong_at IS NOT NULL FROM solutions WHERE pattern_key = $1 AND digest = $2 \
                         ORDER BY key LIMIT 1";
    if let Some(mut row) = tx.query_first(KNOWN, &[fix.learner.into(), fix.digest.into()]).await? {
        return Ok((SolutionKey(row.read()?), row.read()?));
    }
    let new = NewSolution {
        id: fix.solution_id,
        owner: Owner::Pattern(fix.learner),
        steps: fix.steps,
        digest: fix.digest,
        env: fix.env,
        env_bucket: fix.env_bucket,
        recorder: fix.recorder,
        now: fix.now,
    };
    let inserted = insert_all(tx, &[new]).await?.pop().ok_or_else(not_inserted)?;
    Ok((inserted.key, inserted.is_wrong))
}

/// The best solution was reported as a success at least once, and neither a run nor a report took that back: one that is
/// proved before one that is only claimed; then its successes (where any is proved, those) against its failures (Laplace), then the
/// later success.
pub async fn choose_best(tx: &mut impl Tx, pattern: PatternKey) -> Result<(), StoreError> {
    choose_best_of(tx, &[pattern]).await
}

/// The same of each of these patterns.
pub async fn choose_best_of(tx: &mut impl Tx, patterns: &[PatternKey]) -> Result<(), StoreError> {
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
    let rows = tx.query_many(BEST, &wanted).await?;
    for (pattern, mut rows) in patterns.iter().zip(rows) {
        let Some(mut row) = rows.pop() else { continue };
        let (before, best) = (row.read::<Option<i64>>()?, row.read::<Option<i64>>()?);
        if before != best {
            let params = [(*pattern).into(), best.into()];
            tx.post("UPDATE patterns SET best_solution = $2 WHERE key = $1", &params).await?;
            filter_text::write(tx, *pattern).await?;
        }
    }
    Ok(())
}
