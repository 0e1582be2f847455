//! Counts the passes that prove a reported fix, and the passes that were already seen.

use super::evidence_rows;
use crate::{EngineError, answer::row_conversion, failures::lookup::FailedCase};
use argus_core::evidence::{facts::case_id, stored_rows::fixes::ProofProgress};
use argus_store::Tx;

/// Returns the progress of a fix for a failure. `has_passed` states whether the test passes now.
pub(crate) fn compute_progress(
    tx: &mut Tx<'_>,
    case: &FailedCase,
    has_passed: bool,
) -> Result<ProofProgress, EngineError> {
    let by_one_pass = ProofProgress { passes: u32::from(has_passed), needed: 1 };
    let verdict_kind = row_conversion::parse_stored_verdict(&case.failure).map(|verdict| verdict.verdict.kind);
    if !ProofProgress::needs_history(verdict_kind) {
        return Ok(by_one_pass);
    }
    let Some(mut memory) = evidence_rows::load(tx)? else { return Ok(by_one_pass) };
    let id = case_id(&case.name);
    evidence_rows::load_tests(tx, &mut memory, &[id])?;
    let Some(history) = memory.tests.get(&id) else { return Ok(by_one_pass) };
    let ProofProgress { passes, needed } =
        ProofProgress::compute(verdict_kind, &case.run_id, history, &memory.window, &memory.traits);
    Ok(ProofProgress { passes: if has_passed { passes } else { 0 }, needed })
}
