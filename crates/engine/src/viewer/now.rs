//! Shows current problems: why the newest run failed, which other tests are unhealthy, and which fixes are unproved.
//! Runs of foreign copies, such as forks, are ignored, because they say nothing about this copy.

use super::{
    first,
    health::{unhealthy_tests, with_last_failures},
    run::{MAX_GROUPED_FAILURES, groups},
};
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{NoParams, TestEvidence, ViewNowResult},
    evidence::fixes,
};
use argus_core::{Ambient, evidence::kept::fixes::ProofStatus};
use argus_store::{
    Tx,
    runs::{self, RunFilter, RunKey, case_history},
};
use std::collections::BTreeSet;

/// Maximum number of entries in each list.
const MAX_LISTED: usize = 20;

/// Returns the overview that a person sees first.
pub fn view_now(engine: &Engine, ambient: &Ambient, _: &NoParams) -> Result<ViewNowResult, EngineError> {
    let tests = unhealthy_tests(engine, ambient)?;
    let mut known = fixes::fixes(engine, ambient, &NoParams {})?;
    known.fixes.retain(|fix| fix.status == ProofStatus::Candidate);
    known.reported.retain(|fix| fix.trust.state == ProofStatus::Claimed);
    let (fixes, more_fixes) = first(known.fixes, MAX_LISTED);
    let (claims, more_claims) = first(known.reported, MAX_LISTED);
    let body = |tx: &mut Tx<'_>| -> Result<ViewNowResult, EngineError> {
        let newest = runs::newest_own(tx)?;
        let (causes, more_causes, tests) = match &newest {
            Some((key, _)) => {
                let (causes, more) = groups(engine, tx, *key)?;
                (causes, more, not_failed_in(tx, *key, tests)?)
            }
            None => (Vec::new(), 0, tests),
        };
        let (tests, more_tests) = first(tests, MAX_LISTED);
        Ok(ViewNowResult {
            runs: runs::count(tx, RunFilter::default())?,
            run: newest.map(|(_, run)| view::run(run)),
            causes,
            more_causes,
            tests: with_last_failures(tx, tests)?,
            more_tests,
            claims,
            more_claims,
            fixes,
            more_fixes,
        })
    };
    engine.read(ambient, body)
}

/// Removes the tests that failed in the run, because the causes of the run already list them.
fn not_failed_in(tx: &mut Tx<'_>, run: RunKey, mut tests: Vec<TestEvidence>) -> Result<Vec<TestEvidence>, EngineError> {
    let failed = case_history::failed(tx, run, MAX_GROUPED_FAILURES)?;
    let failed: BTreeSet<String> = failed.into_iter().map(|case| case.name).collect();
    tests.retain(|test| !failed.contains(&test.case_name));
    Ok(tests)
}
