//! Re-signs patterns that were signed by an older version or by other rules of the project. Each call re-signs only a
//! batch, so that no call waits for all patterns.

use crate::{Engine, EngineError};
use argus_core::{Analysis, FailureEvent, similarity};
use argus_store::{
    Tx,
    patterns::{self, Identity, merging},
};

/// A batch of this size adds a few milliseconds to a call.
const BATCH_PATTERNS: u32 = 200;

/// Re-signs one batch. Returns the number of re-signed patterns, which is 0 if none are stale.
pub(crate) fn recompute_batch(engine: &Engine, tx: &mut Tx<'_>) -> Result<usize, EngineError> {
    let stale = patterns::signed_otherwise(tx, &engine.recipe, BATCH_PATTERNS)?;
    for pattern in &stale {
        let event = match patterns::sample(tx, pattern.key)? {
            Some(sample) => serde_json::from_str(&sample).unwrap_or_else(|_| text_only(&pattern.normalized)),
            None => text_only(&pattern.normalized),
        };
        let analysis = engine.analyzer.analyze(event, &pattern.case_name);
        merging::recompute_signature(tx, pattern, identity(engine, &analysis))?;
    }
    Ok(stale.len())
}

/// Builds an event from the normalized text of a pattern without a sample. This works because normalizing is
/// idempotent.
pub(crate) fn text_only(normalized: &str) -> FailureEvent {
    FailureEvent { text: normalized.to_owned(), ..FailureEvent::default() }
}

/// Returns the identity of a failure under the engine's current rules.
pub(crate) fn identity<'a>(engine: &'a Engine, analysis: &'a Analysis) -> Identity<'a> {
    Identity {
        recipe: &engine.recipe,
        category: analysis.classification.category,
        signature: &analysis.signatures.exact,
        family: &analysis.signatures.family,
        normalized: &analysis.normalized_error,
        bands: similarity::sketch(&analysis.normalized_error),
    }
}
