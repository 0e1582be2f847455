//! Finds patterns that are similar to a failure, for example when the matched pattern has no fix. Patterns below
//! `MIN_SIMILARITY` are not shown.

use super::{fix_results, suggestion};
use crate::{
    Engine,
    answer::row_conversion,
    contract::{Difference, FixTrialCounts, RelatedEntry, RelatedKind},
};
use argus_core::{Analysis, similarity::similarity, stable_sort::StableSort};
use argus_store::{
    StoreError, Tx,
    patterns::{self, Pattern, PatternKey, similar_patterns},
};

/// Minimum similarity of a related pattern. Less similar texts have common words, but different causes.
const MIN_SIMILARITY: f64 = 0.6;

/// Maximum number of related patterns in an answer, because an agent reads only a few.
const MAX_RELATED: usize = 5;

/// Maximum number of patterns of a family that are compared.
const MAX_FAMILY_PATTERNS: u32 = 50;

/// A similar pattern with its similarity. `differences` is filled only if the normalized texts are equal and the
/// values differ.
struct RelatedPattern {
    score: f64,
    pattern: Pattern,
    differences: Vec<Difference>,
    tried: Option<FixTrialCounts>,
}

/// Returns patterns that are similar to a failure. `except` lists patterns to leave out: those declared different, and
/// the pattern that the answer already shows. `first` is the pattern of the suggested fix and comes first.
pub(crate) fn find_related(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    except: &[PatternKey],
    first: Option<(&Pattern, Option<FixTrialCounts>)>,
) -> Result<Vec<RelatedEntry>, StoreError> {
    let mut found = find_similar(tx, (&analysis.normalized_error, &analysis.signatures.family), except)?;
    for related in found.iter_mut().filter(|related| related.score >= 1.0) {
        if let Some((score, differences)) = suggestion::compare_values(tx, analysis, &related.pattern)? {
            (related.score, related.differences) = (score, differences);
        }
    }
    sort_by_relevance(&mut found);
    if let Some((first, tried)) = first {
        found.retain(|related| related.pattern.key != first.key);
        found.insert(0, RelatedPattern { score: 1.0, pattern: first.clone(), differences: Vec::new(), tried });
    }
    Ok(convert_all(engine, found))
}

/// Like [`find_related`], for a normalized text and a family signature, for example of a stored pattern. Patterns of
/// the family come first, then the other patterns by similarity. Among equally similar patterns, the pattern with the
/// better proved fix comes first.
pub(crate) fn find_related_by_text(
    engine: &Engine,
    tx: &mut Tx<'_>,
    (normalized, family): (&str, &str),
    except: &[PatternKey],
) -> Result<Vec<RelatedEntry>, StoreError> {
    let mut found = find_similar(tx, (normalized, family), except)?;
    sort_by_relevance(&mut found);
    Ok(convert_all(engine, found))
}

fn find_similar(
    tx: &mut Tx<'_>,
    (normalized, family): (&str, &str),
    except: &[PatternKey],
) -> Result<Vec<RelatedPattern>, StoreError> {
    let bands = argus_core::similarity::minhash_sketch(normalized);
    let mut found: Vec<RelatedPattern> = Vec::new();
    let create =
        |score: f64, pattern| RelatedPattern { score: score.min(1.0), pattern, differences: Vec::new(), tried: None };
    for pattern in similar_patterns::list_by_family(tx, family, MAX_FAMILY_PATTERNS)? {
        found.push(create(1.0, pattern));
    }
    for (key, text) in similar_patterns::list_texts_by_bands(tx, bands)? {
        let score = similarity(normalized, &text);
        if score >= MIN_SIMILARITY
            && let Some(pattern) = patterns::get(tx, key)?
            && found.iter().all(|other| other.pattern.key != pattern.key)
        {
            found.push(create(score, pattern));
        }
    }
    found.retain(|related| !related.pattern.is_provisional() && !except.contains(&related.pattern.key));
    for related in &mut found {
        related.tried = fix_results::count_fix_results(tx, &related.pattern)?;
    }
    Ok(found)
}

/// Sorts by similarity. Among equally similar patterns, those with a fix come first, and a proved fix comes before a
/// claimed fix.
fn sort_by_relevance(found: &mut [RelatedPattern]) {
    found.stable_sort_by(|a, b| {
        let evidence = |related: &RelatedPattern| suggestion::rank_fix(&related.pattern, related.tried);
        b.score.total_cmp(&a.score).then_with(|| evidence(b).cmp(&evidence(a)))
    });
}

fn convert_all(engine: &Engine, found: Vec<RelatedPattern>) -> Vec<RelatedEntry> {
    found.into_iter().take(MAX_RELATED).map(|related| convert_related(engine, related)).collect()
}

fn convert_related(
    engine: &Engine,
    RelatedPattern { score, pattern, differences, tried }: RelatedPattern,
) -> RelatedEntry {
    let view = row_conversion::convert_pattern(&pattern, tried, engine.options.locale);
    RelatedEntry {
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
