//! Patterns that are like a failure, for when nothing matched that has a fix.
//! Does not: claim a match; below the threshold it says nothing.

use crate::{
    Engine,
    contract::{Related, RelatedKind},
    view,
};
use argus_core::{Analysis, confidence::confidence, similarity::similarity};
use argus_store::{
    StoreError, Tx,
    patterns::{self, Pattern},
    similar,
};

/// Below this two texts share words, not a cause.
const THRESHOLD: f64 = 0.6;

/// An agent reads no more.
const SHOWN: usize = 5;

/// Patterns of one family that are looked at.
const FAMILY: u32 = 50;

/// Patterns that are like a failure. `own` is the pattern the answer already shows.
pub(crate) async fn related<D>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    analysis: &Analysis,
    own: Option<&Pattern>,
) -> Result<Vec<Related>, StoreError> {
    like(engine, tx, (&analysis.normalized_error, &analysis.signatures.family), own).await
}

/// The same for a stable text and a family signature: same family first, then by likeness; a fix breaks ties.
pub(crate) async fn like<D>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    (normalized, family): (&str, &str),
    own: Option<&Pattern>,
) -> Result<Vec<Related>, StoreError> {
    let bands = argus_core::similarity::sketch(normalized);
    let mut found: Vec<(f64, Pattern)> = Vec::new();
    for pattern in similar::of_family(tx, family, FAMILY).await? {
        found.push((1.0, pattern));
    }
    for (key, text) in similar::of_bands(tx, bands).await? {
        let score = similarity(normalized, &text);
        if score >= THRESHOLD
            && let Some(pattern) = patterns::get(tx, key).await?
            && found.iter().all(|(_, other)| other.key != pattern.key)
        {
            found.push((score, pattern));
        }
    }
    found.retain(|(_, pattern)| !pattern.is_provisional() && own.is_none_or(|own| own.key != pattern.key));
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| by_fix(&b.1).total_cmp(&by_fix(&a.1))));
    Ok(found.into_iter().take(SHOWN).map(|(score, pattern)| shown(engine, score, &pattern)).collect())
}

/// A known fix is worth more than none, a surer one more than another.
fn by_fix(pattern: &Pattern) -> f64 {
    let fixed = if pattern.best_fix.is_some() { 1.0 } else { 0.0 };
    fixed + confidence(pattern.resolutions, pattern.occurrences)
}

fn shown<D>(engine: &Engine<D>, score: f64, pattern: &Pattern) -> Related {
    let view = view::pattern(pattern, engine.options.locale);
    Related {
        kind: RelatedKind::Pattern,
        id: view.id,
        description: view.description,
        similarity: score.min(1.0),
        suggested_fix: view.suggested_fix,
        confidence: Some(view.confidence),
        memory: None,
    }
}
