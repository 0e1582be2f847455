//! Signs patterns again that an older recipe, or other rules of the project, had signed, a batch at a time.
//! Nobody waits for all of them: whoever records a run or misses a pattern does one batch.

use crate::{Engine, EngineError};
use argus_core::{Analysis, FailureEvent, similarity};
use argus_store::{
    Tx,
    patterns::{self, Identity, merging},
};

/// A batch adds a few milliseconds to a call.
const BATCH_PATTERNS: u32 = 200;

/// How many were signed again; 0 when none is left.
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

/// Without its sample the stable text is the best there is; normalizing is idempotent.
pub(crate) fn text_only(normalized: &str) -> FailureEvent {
    FailureEvent { text: normalized.to_owned(), ..FailureEvent::default() }
}

/// What the engine's recipe makes of a failure.
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
