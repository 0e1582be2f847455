//! Finds patterns that are similar to a failure, for example when the matched pattern has no fix. Patterns below
//! `MIN_SIMILARITY` are not shown.

use super::{suggestion, trial};
use crate::{
    Engine,
    answer::view,
    contract::{Difference, Related, RelatedKind, Tried},
};
use argus_core::{Analysis, similarity::similarity, stable_sort::StableSort};
use argus_store::{
    StoreError, Tx,
    patterns::{self, Pattern, PatternKey, similar},
};

/// Two texts below this similarity share words, but not a cause.
const MIN_SIMILARITY: f64 = 0.6;

/// Maximum number of related patterns in an answer, because an agent reads only a few.
const MAX_SHOWN: usize = 5;

/// Maximum number of patterns of one family that are compared.
const MAX_FAMILY_PATTERNS: u32 = 50;

/// A similar pattern with its similarity. `differences` is filled only if the normalized texts are equal and the
/// values differ.
struct RelatedPattern {
    score: f64,
    pattern: Pattern,
    differences: Vec<Difference>,
    tried: Option<Tried>,
}

/// Returns patterns that are similar to a failure. `except` lists the patterns that it is not and the pattern that the
/// answer already shows. `first` is the pattern of the suggested fix and comes first.
pub(crate) fn related(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    except: &[PatternKey],
    first: Option<(&Pattern, Option<Tried>)>,
) -> Result<Vec<Related>, StoreError> {
    let mut found = alike(tx, (&analysis.normalized_error, &analysis.signatures.family), except)?;
    for like in found.iter_mut().filter(|like| like.score >= 1.0) {
        if let Some((score, differences)) = suggestion::differing_values(tx, analysis, &like.pattern)? {
            (like.score, like.differences) = (score, differences);
        }
    }
    sort_by_relevance(&mut found);
    if let Some((first, tried)) = first {
        found.retain(|like| like.pattern.key != first.key);
        found.insert(0, RelatedPattern { score: 1.0, pattern: first.clone(), differences: Vec::new(), tried });
    }
    Ok(shown_all(engine, found))
}

/// Like [`related`], for a normalized text and a family signature, for example of a stored pattern. Patterns of the
/// family come first, then by similarity. If two are equal, the pattern with the better proved fix comes first.
pub(crate) fn related_by_text(
    engine: &Engine,
    tx: &mut Tx<'_>,
    (normalized, family): (&str, &str),
    except: &[PatternKey],
) -> Result<Vec<Related>, StoreError> {
    let mut found = alike(tx, (normalized, family), except)?;
    sort_by_relevance(&mut found);
    Ok(shown_all(engine, found))
}

fn alike(
    tx: &mut Tx<'_>,
    (normalized, family): (&str, &str),
    except: &[PatternKey],
) -> Result<Vec<RelatedPattern>, StoreError> {
    let bands = argus_core::similarity::sketch(normalized);
    let mut found: Vec<RelatedPattern> = Vec::new();
    let like =
        |score: f64, pattern| RelatedPattern { score: score.min(1.0), pattern, differences: Vec::new(), tried: None };
    for pattern in similar::of_family(tx, family, MAX_FAMILY_PATTERNS)? {
        found.push(like(1.0, pattern));
    }
    for (key, text) in similar::of_bands(tx, bands)? {
        let score = similarity(normalized, &text);
        if score >= MIN_SIMILARITY
            && let Some(pattern) = patterns::get(tx, key)?
            && found.iter().all(|other| other.pattern.key != pattern.key)
        {
            found.push(like(score, pattern));
        }
    }
    found.retain(|like| !like.pattern.is_provisional() && !except.contains(&like.pattern.key));
    for like in &mut found {
        like.tried = trial::tried_fix(tx, &like.pattern)?;
    }
    Ok(found)
}

/// Sorts by similarity. If two are equal, a pattern with a fix comes first, and a proved fix comes before a claimed
/// fix.
fn sort_by_relevance(found: &mut [RelatedPattern]) {
    found.stable_sort_by(|a, b| {
        let evidence = |like: &RelatedPattern| suggestion::evidence(&like.pattern, like.tried);
        b.score.total_cmp(&a.score).then_with(|| evidence(b).cmp(&evidence(a)))
    });
}

fn shown_all(engine: &Engine, found: Vec<RelatedPattern>) -> Vec<Related> {
    found.into_iter().take(MAX_SHOWN).map(|like| shown(engine, like)).collect()
}

fn shown(engine: &Engine, RelatedPattern { score, pattern, differences, tried }: RelatedPattern) -> Related {
    let view = view::pattern(&pattern, tried, engine.options.locale);
    Related {
        kind: RelatedKind::Pattern,
        id: view.id,
        description: view.description,
        similarity: score,
        differences,
        suggested_fix: view.suggested_fix,
        tried,
        claimed: view.claimed,
        confidence: Some(view.confidence),
        memory: None,
        origin: None,
    }
}
