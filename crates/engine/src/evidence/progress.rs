//! Counts the passes that prove a reported fix, and the passes that were already seen.

use super::rows;
use crate::{EngineError, answer::view, failures::lookup::FailedCase};
use argus_core::evidence::{facts::fingerprint, kept::fixes::Progress};
use argus_store::Tx;

/// Returns the progress of a fix for a failure. `has_passed` states whether the test passes now.
pub(crate) fn progress(tx: &mut Tx<'_>, case: &FailedCase, has_passed: bool) -> Result<Progress, EngineError> {
    let by_one_pass = Progress { passes: u32::from(has_passed), needed: 1 };
    let found = view::found_to_be(&case.failure).map(|found| found.verdict.kind);
    if !Progress::needs_history(found) {
        return Ok(by_one_pass);
    }
    let Some(mut memory) = rows::load(tx)? else { return Ok(by_one_pass) };
    let id = fingerprint(&case.name);
    rows::load_tests(tx, &mut memory, &[id])?;
    let Some(history) = memory.tests.get(&id) else { return Ok(by_one_pass) };
    let Progress { passes, needed } = Progress::of(found, &case.run_id, history, &memory.window, &memory.traits);
    Ok(Progress { passes: if has_passed { passes } else { 0 }, needed })
}
