//! Fixes that were reported as a success, and the runs that prove them.
//! Does not: record fixes (see `solutions`), or conclude anything from a proof.

use crate::{
    cases::{Case, Status},
    database::Tx,
    error::StoreError,
    outcomes,
    patterns::PatternKey,
    runs::{Run, RunKey},
    solutions,
};
use std::collections::{BTreeSet, HashSet};

/// Newest claims that a run may prove.
const CLAIMS: u32 = 5_000;

/// Newest runs that are looked through for a case.
const RUNS: u32 = 50;

/// The newest run that has a case, no older than the one of the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newest {
    /// `run-…`.
    pub run_id: String,
    /// How the case ended there.
    pub status: Status,
    /// It failed there and then passed.
    pub flaky: bool,
}

/// How a case ended last, from the run of its failure on; None where that run is gone.
pub async fn newest_of(tx: &mut impl Tx, run_id: &str, case_name: &str) -> Result<Option<Newest>, StoreError> {
    const SINCE: &str = "SELECT r.key, r.id FROM runs r JOIN runs f ON f.id = $1 \
                         WHERE (r.started_at, r.key) >= (f.started_at, f.key) \
                         ORDER BY r.started_at DESC, r.key DESC LIMIT $2";
    const HOW: &str = "SELECT status, rank = 1 FROM cases WHERE run_key = $1 AND name = $2 AND status <> 'skipped' \
                       ORDER BY rank LIMIT 1";
    for mut row in tx.query(SINCE, &[run_id.into(), RUNS.into()]).await? {
        let (key, id) = (RunKey(row.read()?), row.read()?);
        if let Some(mut row) = tx.query_first(HOW, &[key.0.into(), case_name.into()]).await? {
            return Ok(Some(Newest { run_id: id, status: row.read()?, flaky: row.read()? }));
        }
    }
    Ok(None)
}

/// Proves what was claimed of the cases that passed in a run that was just recorded.
pub async fn prove(tx: &mut impl Tx, run: &Run, cases: &[Case]) -> Result<(), StoreError> {
    const CLAIMED: &str = "SELECT o.key, s.pattern_key, o.case_name, COALESCE(r.started_at, o.created_at) \
                           FROM outcomes o JOIN solutions s ON s.key = o.solution_key LEFT JOIN runs r ON r.id = o.run_id \
                           WHERE o.worked = 1 AND o.proved_by IS NULL AND o.run_id IS NOT NULL \
                           ORDER BY o.key DESC LIMIT $1";
    let claims = tx.query(CLAIMED, &[CLAIMS.into()]).await?;
    if claims.is_empty() {
        return Ok(());
    }
    let passed = cases.iter().filter(|case| case.status == Status::Passed && !case.flaky);
    let passed: HashSet<&str> = passed.map(|case| case.name.as_str()).collect();
    let mut patterns = BTreeSet::new();
    for mut row in claims {
        let (key, pattern, case_name): (i64, Option<i64>, String) = (row.read()?, row.read()?, row.read()?);
        if passed.contains(case_name.as_str()) && row.read::<i64>()? <= run.started_at {
            outcomes::proved(tx, key, &run.id).await?;
            patterns.extend(pattern);
        }
    }
    for pattern in patterns {
        solutions::choose_best(tx, PatternKey(pattern)).await?;
    }
    Ok(())
}
