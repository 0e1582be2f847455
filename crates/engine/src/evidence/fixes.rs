//! Changes after which failures were gone, and how sure each is.

use super::rows;
use crate::{
    Engine, EngineError,
    contract::{FixEvidence, FixesResult, NoParams},
};
use argus_core::Ambient;
use argus_store::Database;

/// The newest first; of several commits that may have been it, the newest first.
pub async fn fixes<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    _: &NoParams,
) -> Result<FixesResult, EngineError> {
    let body = async |tx: &mut D::Tx<'_>| -> Result<_, EngineError> {
        let mut memory = rows::load(tx).await?.unwrap_or_default();
        let names = rows::load_all_tests(tx, &mut memory).await?;
        Ok((memory, names))
    };
    let (memory, names) = engine.read(ambient, body).await?;
    let run_id = |seq| memory.window.get(seq).map(|run| run.id.clone());
    let fixes = memory.fixes.iter().rev().flat_map(|fix| {
        let case_names: Vec<String> = fix.cases.keys().filter_map(|case| names.get(case).cloned()).collect();
        fix.commits.iter().map(move |commit| FixEvidence {
            fix_id: format!("fix-{:016x}-{:.12}", fix.cause, commit),
            commit: commit.clone(),
            case_names: case_names.clone(),
            status: fix.status,
            passes: fix.passes,
            failed_in: run_id(fix.failed),
            passed_in: run_id(fix.passed),
        })
    });
    Ok(FixesResult { fixes: fixes.collect() })
}
