//! Re-signs patterns that were signed by an older version or by other rules of the project. Each call re-signs only a
//! batch, so that no call waits for all patterns.

use crate::{Engine, EngineError};
use argus_core::{Analysis, FailureEvent, similarity};
use argus_store::{
    Tx,
    patterns::{self, Pattern, SignatureSet, merging},
};

/// Maximum number of patterns in a batch. A batch of this size adds a few milliseconds to a call.
const BATCH_PATTERNS: u32 = 200;

/// How many of the stale patterns were signed again.
pub(crate) enum RecomputeProgress {
    /// No pattern was stale.
    None,
    /// More patterns may be stale.
    Some,
    All,
}

/// Signs a batch of stale patterns again.
pub(crate) fn recompute_batch(engine: &Engine, tx: &mut Tx<'_>) -> Result<RecomputeProgress, EngineError> {
    let stale = patterns::list_outdated(tx, &engine.signature_version, BATCH_PATTERNS)?;
    re_sign(engine, tx, &stale)?;
    Ok(match stale.len() {
        0 => RecomputeProgress::None,
        count if count < BATCH_PATTERNS as usize => RecomputeProgress::All,
        _ => RecomputeProgress::Some,
    })
}

/// Signs the stale patterns of a case again, so that a failure of this case is compared with all of them.
pub(crate) fn recompute_case(engine: &Engine, tx: &mut Tx<'_>, case_name: &str) -> Result<(), EngineError> {
    let stale = patterns::list_outdated_by_case(tx, &engine.signature_version, case_name, BATCH_PATTERNS)?;
    re_sign(engine, tx, &stale)
}

fn re_sign(engine: &Engine, tx: &mut Tx<'_>, stale: &[Pattern]) -> Result<(), EngineError> {
    for pattern in stale {
        let event = match patterns::read_sample(tx, pattern.key)? {
            Some(sample) => serde_json::from_str(&sample).unwrap_or_else(|_| event_from_text(&pattern.normalized)),
            None => event_from_text(&pattern.normalized),
        };
        let analysis = engine.analyzer.analyze(event, &pattern.case_name);
        merging::recompute_signature(tx, pattern, build_identity(engine, &analysis))?;
    }
    Ok(())
}

/// Builds an event from the normalized text of a pattern without a sample. This works because normalizing is
/// idempotent.
pub(crate) fn event_from_text(normalized: &str) -> FailureEvent {
    FailureEvent { text: normalized.to_owned(), ..FailureEvent::default() }
}

/// Returns the identity of a failure under the engine's current rules.
pub(crate) fn build_identity<'a>(engine: &'a Engine, analysis: &'a Analysis) -> SignatureSet<'a> {
    SignatureSet {
        recipe: &engine.signature_version,
        category: analysis.classification.category,
        signature: &analysis.signatures.signature,
        family: &analysis.signatures.family,
        normalized: &analysis.normalized_error,
        bands: similarity::minhash_sketch(&analysis.normalized_error),
    }
}
