//! Shows current problems: why the newest run failed, which other tests are unhealthy, and which fixes are unproved.
//! Runs of foreign copies, such as forks, are ignored, because they do not show the state of this copy.

use super::{
    health::{add_last_failures, list_unhealthy_tests},
    run::{MAX_GROUPED_FAILURES, group_failures},
    take_first,
};
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{NoParams, TestEvidence, ViewNowResult},
    evidence::fixes,
};
use argus_core::{CallContext, evidence::stored_rows::fixes::ProofStatus};
use argus_store::{
    Tx,
    runs::{self, RunFilter, RunKey, case_history},
};
use std::collections::BTreeSet;

/// Maximum number of entries in each list.
const MAX_LISTED: usize = 20;

/// Returns the overview that a person sees first.
pub fn view_now(engine: &Engine, context: &CallContext, _: &NoParams) -> Result<ViewNowResult, EngineError> {
    let tests = list_unhealthy_tests(engine, context)?;
    let mut known = fixes::fixes(engine, context, &NoParams {})?;
    known.fixes.retain(|fix| fix.status == ProofStatus::Candidate);
    known.reported.retain(|fix| fix.trust.state == ProofStatus::Claimed);
    let (fixes, more_fixes) = take_first(known.fixes, MAX_LISTED);
    let (claims, more_claims) = take_first(known.reported, MAX_LISTED);
    let body = |tx: &mut Tx<'_>| -> Result<ViewNowResult, EngineError> {
        let newest = runs::find_newest_non_foreign(tx)?;
        let (causes, more_causes, tests) = match &newest {
            Some((key, _)) => {
                let (causes, more) = group_failures(engine, tx, *key)?;
                (causes, more, remove_failed_tests(tx, *key, tests)?)
            }
            None => (Vec::new(), 0, tests),
        };
        let (tests, more_tests) = take_first(tests, MAX_LISTED);
        Ok(ViewNowResult {
            runs: runs::count(tx, RunFilter::default())?,
            run: newest.map(|(_, run)| row_conversion::convert_run(run)),
            causes,
            more_causes,
            tests: add_last_failures(tx, tests)?,
            more_tests,
            claims,
            more_claims,
            fixes,
            more_fixes,
        })
    };
    engine.read(context, body)
}

/// Removes the tests that failed in the run, because the causes of the run already list them.
fn remove_failed_tests(
    tx: &mut Tx<'_>,
    run: RunKey,
    mut tests: Vec<TestEvidence>,
) -> Result<Vec<TestEvidence>, EngineError> {
    let failed = case_history::list_failed(tx, run, MAX_GROUPED_FAILURES)?;
    let failed: BTreeSet<String> = failed.into_iter().map(|case| case.name).collect();
    tests.retain(|test| !failed.contains(&test.case_name));
    Ok(tests)
}
