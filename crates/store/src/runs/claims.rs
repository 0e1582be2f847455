//! Claims: fixes that were reported as a success, and the runs that prove or refute them. Fixes are stored by
//! `solutions`. The engine decides whether a failure is the failure that a claim says is fixed.

use super::{
    RunKey,
    cases::{NameCondition, Status},
};
use crate::{
    database::{Tx, Value},
    error::StoreError,
    keys::PatternKey,
    solutions::{self, SolutionKey, outcomes},
};

/// Number of newest claims that a run may decide.
const MAX_CLAIMS: u32 = 5_000;

/// Number of newest runs to search for a case.
const MAX_SEARCHED_RUNS: u32 = 50;

/// The result of a case in the newest run that contains it. Runs before the run of the failure do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestResult {
    /// `run-…`.
    pub run_id: String,
    /// Status of the case in this run.
    pub status: Status,
    /// True if the case failed and then passed in this run.
    pub flaky: bool,
}

/// Returns the latest result of a case since the run of its failure. Returns `None` if that run was deleted or no run
/// since has the case.
pub fn find_latest_result(tx: &mut Tx<'_>, run_id: &str, case_name: &str) -> Result<Option<LatestResult>, StoreError> {
    const SINCE: &str = "SELECT r.key, r.id FROM runs r JOIN runs f ON f.id = $1 \
                         WHERE (r.started_at, r.key) >= (f.started_at, f.key) AND r.is_foreign = 0 \
                         ORDER BY r.started_at DESC, r.key DESC LIMIT $2";
    macro_rules! how {
        ($name:literal) => {
            concat!(
                "SELECT status, rank = 1 FROM cases WHERE run_key = $1 AND status <> 'skipped' AND name ",
                $name,
                " ORDER BY rank LIMIT 1"
            )
        };
    }
    let name = NameCondition::new(case_name);
    let how = name.choose_statement(how!("= $2"), how!("LIKE $2 ESCAPE '\\'"));
    for mut row in tx.query(SINCE, &[run_id.into(), MAX_SEARCHED_RUNS.into()])? {
        let (key, id) = (RunKey(row.read()?), row.read()?);
        if let Some(mut row) = tx.query_first(how, &[key.0.into(), name.value()])? {
            return Ok(Some(LatestResult { run_id: id, status: row.read()?, flaky: row.read()? }));
        }
        if has_whole_passed(tx, key, case_name)? {
            return Ok(Some(LatestResult { run_id: id, status: Status::Passed, flaky: false }));
        }
    }
    Ok(None)
}

/// End of the name of the case that represents a file that could not be loaded.
const SUITE_CASE_NAME: &str = "(suite)";

/// Returns the prefix of the names of a file's cases, if `case_name` represents a file that failed as a whole.
pub fn suite_name_prefix(case_name: &str) -> Option<&str> {
    case_name.strip_suffix(SUITE_CASE_NAME).filter(|start| !start.is_empty())
}

/// Returns true if the command or the file that the case represents succeeded in a run. Such a case exists only when it
/// fails, so a success has no row of this name.
fn has_whole_passed(tx: &mut Tx<'_>, run: RunKey, case_name: &str) -> Result<bool, StoreError> {
    const COMMAND: &str = "SELECT 1 FROM runs WHERE key = $1 AND command = $2 AND status = 'passed'";
    const CASES: &str = "SELECT COUNT(*), COUNT(CASE WHEN status = 'failed' THEN 1 END) FROM cases \
                         WHERE run_key = $1 AND status <> 'skipped' AND SUBSTR(name, 1, $3) = $2";
    if tx.query_first(COMMAND, &[run.0.into(), case_name.into()])?.is_some() {
        return Ok(true);
    }
    let Some(start) = suite_name_prefix(case_name) else { return Ok(false) };
    let length = i64::try_from(start.chars().count()).unwrap_or(i64::MAX);
    let Some(mut row) = tx.query_first(CASES, &[run.0.into(), start.into(), length.into()])? else {
        return Ok(false);
    };
    let (ran, failed): (i64, i64) = (row.read()?, row.read()?);
    Ok(ran > 0 && failed == 0)
}

/// A reported success that a run may prove or refute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    key: i64,
    solution: SolutionKey,
    /// The pattern that learned the steps.
    pub pattern: Option<PatternKey>,
    /// Description of the change.
    pub steps: String,
    /// The case that was fixed.
    pub case_name: String,
    /// Id of the run of the failure.
    pub failed_run_id: String,
    /// Start of that run, UTC milliseconds. If the run was deleted, the time of the report.
    pub failed_at: i64,
    /// Time of the report, UTC milliseconds.
    pub reported_at: i64,
    /// The machine that reported the fix.
    pub reported_from: Option<String>,
    /// Branch of the run of the failure, if known.
    pub git_branch: Option<String>,
    /// Number of later runs in which the case passed in the first attempt.
    pub passes: u32,
    /// Number of passes that prove the claim. It is above 1 if the failure occurs by chance.
    pub passes_needed: u32,
    /// True if enough passes were seen.
    pub is_proved: bool,
    /// Changes between the failure and the first pass, as JSON.
    pub changed: Option<String>,
}

/// Returns the newest claims that a run may prove or refute. Proved claims are included if the failure occurs by
/// chance, because it may come back.
pub fn list_open_claims(tx: &mut Tx<'_>) -> Result<Vec<Claim>, StoreError> {
    const SQL: &str = "SELECT o.key, s.key, s.pattern_key, s.steps, o.case_name, o.run_id, COALESCE(r.started_at, o.created_at), \
                       o.created_at, o.recorded_from, r.git_branch, o.passes, o.passes_needed, o.proved_by IS NOT NULL, \
                       o.changed \
                       FROM outcomes o JOIN solutions s ON s.key = o.solution_key \
                       LEFT JOIN runs r ON r.id = o.run_id WHERE o.worked = 1 AND o.refuted_by IS NULL \
                       AND o.run_id IS NOT NULL AND (o.proved_by IS NULL OR o.passes_needed > 1) \
                       ORDER BY o.key DESC LIMIT $1";
    let rows = tx.query(SQL, &[MAX_CLAIMS.into()])?;
    let read = rows.into_iter().map(|mut row| {
        Ok(Claim {
            key: row.read()?,
            solution: SolutionKey(row.read()?),
            pattern: row.read::<Option<i64>>()?.map(PatternKey),
            steps: row.read()?,
            case_name: row.read()?,
            failed_run_id: row.read()?,
            failed_at: row.read()?,
            reported_at: row.read()?,
            reported_from: row.read()?,
            git_branch: row.read()?,
            passes: row.read()?,
            passes_needed: row.read()?,
            is_proved: row.read()?,
            changed: row.read()?,
        })
    });
    read.collect()
}

/// Returns for each claim whether it is superseded. A claim is superseded by a later report about the same case and
/// pattern that has other steps and is not refuted.
pub fn are_superseded(tx: &mut Tx<'_>, claims: &[Claim]) -> Result<Vec<bool>, StoreError> {
    const SQL: &str = "SELECT 1 FROM solutions s JOIN outcomes o ON o.solution_key = s.key \
                       WHERE s.pattern_key = $1 AND s.wrong_at IS NULL \
                       AND s.digest <> (SELECT own.digest FROM solutions own WHERE own.key = $2) AND o.key > $3 \
                       AND o.case_name = $4 AND o.worked = 1 AND o.run_id IS NOT NULL AND o.refuted_by IS NULL LIMIT 1";
    let params: Vec<[Value<'_>; 4]> = claims
        .iter()
        .map(|claim| {
            let pattern = claim.pattern.map(|pattern| pattern.0);
            [pattern.into(), claim.solution.0.into(), claim.key.into(), (&claim.case_name).into()]
        })
        .collect();
    Ok(tx.query_many(SQL, &params)?.into_iter().map(|rows| !rows.is_empty()).collect())
}

/// Adds one pass to each claim.
pub fn count_passes(tx: &mut Tx<'_>, claims: &[Claim]) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET passes = passes + 1 WHERE key = $1";
    tx.execute_many(SQL, claims.iter().map(|claim| [claim.key.into()]))
}

/// Stores the changes between the failure and the first pass of each claim's case, as JSON.
pub fn store_changes<'a>(
    tx: &mut Tx<'_>,
    changed: impl IntoIterator<Item = (&'a Claim, &'a str)>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET changed = $2 WHERE key = $1";
    tx.execute_many(SQL, changed.into_iter().map(|(claim, changed)| [claim.key.into(), changed.into()]))
}

/// Stores the run in which the case had passed often enough.
pub fn mark_proved(tx: &mut Tx<'_>, claim: &Claim, run_id: &str) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET proved_by = $2 WHERE key = $1";
    tx.execute_deferred(SQL, &[claim.key.into(), run_id.into()])?;
    choose_best_fix(tx, claim)
}

/// Stores the run in which the case failed again. The claim, proved or not, counts as a failed attempt from then on.
pub fn mark_refuted(tx: &mut Tx<'_>, claim: &Claim, run_id: &str) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE outcomes SET refuted_by = $2 WHERE key = $1";
    tx.execute_deferred(SQL, &[claim.key.into(), run_id.into()])?;
    outcomes::update_sums(tx, claim.solution)?;
    choose_best_fix(tx, claim)
}

fn choose_best_fix(tx: &mut Tx<'_>, claim: &Claim) -> Result<(), StoreError> {
    match claim.pattern {
        Some(pattern) => solutions::update_best_solution(tx, pattern),
        None => Ok(()),
    }
}
