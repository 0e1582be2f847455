//! The best fix that is known for a failure: its pattern's own, else one that was learned for the same error in another
//! case, else the tip of a built-in.
//! Does not: rank by confidence, which sinks with every diagnosis that nobody reported a fix for.

use crate::{
    Engine,
    contract::{Difference, SuggestedFrom},
    view,
};
use argus_core::{
    Analysis, Category, FailureEvent, confidence::confidence, display, similarity::similarity, summary::Summary,
};
use argus_store::{
    StoreError, Tx,
    patterns::{self, Pattern},
    similar,
};

/// Patterns of one error that are looked at.
const FAMILY: u32 = 50;

/// Lines of a difference that are said, and characters of each.
const DIFFERENCES: usize = 3;
const DIFFERENCE: usize = 160;

/// Characters of a message that are compared.
const COMPARED: usize = 600;

/// A fix, and where it comes from.
#[derive(Default)]
pub(crate) struct Suggestion {
    pub(crate) fix: Option<String>,
    /// The pattern of another case that it was learned for.
    pub(crate) from: Option<Pattern>,
}

impl Suggestion {
    pub(crate) fn origin(&self) -> Option<SuggestedFrom> {
        self.from.as_ref().map(|pattern| SuggestedFrom {
            pattern_id: pattern.id.clone(),
            case_name: pattern.case_name.clone(),
            confidence: confidence(pattern.resolutions, pattern.occurrences),
        })
    }
}

/// The best fix for a failure that `pattern` was found for.
pub(crate) async fn best<D>(
    engine: &Engine<D>,
    tx: &mut impl Tx,
    analysis: &Analysis,
    pattern: Option<&Pattern>,
) -> Result<Suggestion, StoreError> {
    let tip = pattern.and_then(|pattern| view::suggested_fix(pattern, engine.options.locale));
    if pattern.is_some_and(has_own_fix) {
        return Ok(Suggestion { fix: tip, from: None });
    }
    let other = same_error(tx, analysis, pattern).await?;
    Ok(match other {
        Some(other) => Suggestion { fix: other.best_fix.clone(), from: Some(other) },
        None => Suggestion { fix: tip, from: None },
    })
}

/// It was learned, or a person chose it; a built-in's tip is none.
pub(crate) fn has_own_fix(pattern: &Pattern) -> bool {
    pattern.best_fix.is_some() && (!pattern.is_builtin || pattern.person.solution.is_some())
}

/// The pattern of the same error in another case that has the best fix.
async fn same_error(
    tx: &mut impl Tx,
    analysis: &Analysis,
    own: Option<&Pattern>,
) -> Result<Option<Pattern>, StoreError> {
    let mut best: Option<Pattern> = None;
    let is_other = |pattern: &Pattern| own.is_none_or(|own| own.key != pattern.key);
    let mut candidates = similar::of_family(tx, &analysis.signatures.family, FAMILY).await?;
    // The same words in another function, which the family tells apart.
    for (key, text) in similar::of_bands(tx, argus_core::similarity::sketch(&analysis.normalized_error)).await? {
        if text == analysis.normalized_error
            && let Some(pattern) = patterns::get(tx, key).await?
        {
            candidates.push(pattern);
        }
    }
    for pattern in candidates {
        let fits = !pattern.is_builtin && !pattern.is_provisional() && pattern.best_fix.is_some() && is_other(&pattern);
        let better = |best: &Pattern| evidence(&pattern) > evidence(best);
        if fits && best.as_ref().is_none_or(better) && differing_values(tx, analysis, &pattern).await?.is_none() {
            best = Some(pattern);
        }
    }
    Ok(best)
}

/// What speaks for a pattern's fix: how often it helped, then how recently.
pub(crate) fn evidence(pattern: &Pattern) -> (bool, u32, i64) {
    (pattern.best_fix.is_some(), pattern.resolutions, pattern.updated_at)
}

/// Of two assertions with the same stable text: how alike they are, and what differs, where the compared values do.
pub(crate) async fn differing_values(
    tx: &mut impl Tx,
    analysis: &Analysis,
    pattern: &Pattern,
) -> Result<Option<(f64, Vec<Difference>)>, StoreError> {
    if analysis.classification.category != Category::AssertionMismatch {
        return Ok(None);
    }
    let sample = patterns::sample(tx, pattern.key).await?;
    let Some(event) = sample.and_then(|sample| serde_json::from_str::<FailureEvent>(&sample).ok()) else {
        return Ok(None);
    };
    let message = |text: &str| Summary::read(text).message(COMPARED);
    let (before, now) = (message(&event.text), message(&analysis.redacted));
    if before == now {
        return Ok(None);
    }
    let lines = before.lines().zip(now.lines()).filter(|(before, now)| before != now);
    let line = |text: &str| display::line(text, DIFFERENCE);
    let differences: Vec<_> =
        lines.take(DIFFERENCES).map(|(before, now)| Difference { before: line(before), now: line(now) }).collect();
    // Half of it is the stable text, which is the same, and half what was printed.
    Ok((!differences.is_empty()).then(|| (f64::midpoint(1.0, similarity(&before, &now)).min(0.99), differences)))
}
