//! Tests that ran in an earlier run but not in this run.

use crate::{
    Engine, EngineError,
    contract::{MissingTestsParams, MissingTestsResult},
    failures::lookup,
};
use argus_core::CallContext;
use argus_store::{
    Tx,
    runs::{RunKey, test_results},
};
use std::collections::BTreeSet;

/// Runs that are compared: a matrix or a sharded job records several runs of the same commit.
const MAX_BASE_RUNS: usize = 10;

/// Returns the tests of an earlier run that did not run in this run. Of the given earlier runs, it uses the run that
/// has the most tests in common with this run, because a run of another shard or of a single file would make every test
/// look missing.
pub fn missing_tests(
    engine: &Engine,
    context: &CallContext,
    params: &MissingTestsParams,
) -> Result<MissingTestsResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<MissingTestsResult, EngineError> {
        let (head, _) = lookup::find_run(tx, &params.run_id)?;
        let mut bases: Vec<RunKey> = Vec::new();
        for id in params.base_run_ids.iter().take(MAX_BASE_RUNS) {
            bases.push(lookup::find_run(tx, id)?.0);
        }
        let ran = |cases: Vec<(String, _)>| cases.into_iter().map(|(name, _)| name).collect::<BTreeSet<String>>();
        let mut outcomes = test_results::list_outcomes(tx, &[&[head], bases.as_slice()].concat())?.into_iter().map(ran);
        let here = outcomes.next().unwrap_or_default();
        // Among equal runs, the first is the newest, because callers list the newest run first.
        let mut best: Option<(usize, &String, BTreeSet<String>)> = None;
        for (id, names) in params.base_run_ids.iter().zip(outcomes) {
            let common = names.intersection(&here).count();
            if best.as_ref().is_none_or(|(most, ..)| common > *most) {
                best = Some((common, id, names));
            }
        }
        let Some((common, id, names)) = best.filter(|(common, ..)| *common > 0) else {
            return Ok(MissingTestsResult { base_run_id: None, ran: 0, missing: Vec::new() });
        };
        let missing = if common == names.len() { Vec::new() } else { names.difference(&here).cloned().collect() };
        let ran = u32::try_from(names.len()).unwrap_or(u32::MAX);
        Ok(MissingTestsResult { base_run_id: Some(id.clone()), ran, missing })
    };
    engine.read(context, body)
}
