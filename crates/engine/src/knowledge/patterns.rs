//! Lists patterns.

use crate::{
    Engine, EngineError,
    answer::view,
    contract::{FailurePattern, PatternSort, PatternSource, PatternsParams, PatternsResult, SignatureParams},
    failures::trial,
    limits::MAX_PATTERNS,
    runs::history::{is_more, page},
};
use argus_core::{Ambient, Category, builtin::BUILTINS, confidence::confidence, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{self, Order, Pattern},
};
use std::cmp::Ordering;

/// Maximum offset, because deep pages are slow. A filter is the better way.
const MAX_OFFSET: u32 = 100_000;

/// Returns a page of patterns in the requested order. The counts are of all patterns that match the filter.
pub fn patterns(engine: &Engine, ambient: &Ambient, params: &PatternsParams) -> Result<PatternsResult, EngineError> {
    let limit = page("limit", params.limit, MAX_PATTERNS, MAX_PATTERNS)?;
    let offset = params.offset.unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(EngineError::invalid(format!(
            "offset is {offset}; it may be {MAX_OFFSET} at most. Filter by category."
        )));
    }
    let body = |tx: &mut Tx<'_>| -> Result<PatternsResult, EngineError> {
        let (built_in_count, learned_count, provisional_count) = counts(tx, params)?;
        let total = built_in_count + learned_count + provisional_count;
        let stored = sorted(tx, params, offset + limit)?;
        let mut page: Vec<Pattern> = stored.into_iter().skip(offset as usize).collect();
        let room = limit.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
        if room > 0 && provisional_count > 0 {
            // They come last in every order: all that is known of them is that they were met.
            let skipped = offset.saturating_sub(built_in_count + learned_count);
            page.extend(patterns::provisional(tx, params.category, room, skipped)?);
        }
        let tried = trial::tried_fixes(tx, &page)?;
        let shown = page.iter().zip(tried).map(|(pattern, tried)| view::pattern(pattern, tried, engine.options.locale));
        let patterns: Vec<_> = shown.collect();
        let has_more = is_more(offset, patterns.len(), total);
        Ok(PatternsResult { patterns, total, built_in_count, learned_count, provisional_count, has_more })
    };
    engine.read(ambient, body)
}

/// Returns the learned pattern with this signature, or the built-in pattern for `builtin::CATEGORY`.
pub fn find_by_signature(
    engine: &Engine,
    ambient: &Ambient,
    SignatureParams { signature }: &SignatureParams,
) -> Result<Option<FailurePattern>, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<Option<FailurePattern>, EngineError> {
        let recipe = if signature.starts_with("builtin::") { patterns::BUILTIN_RECIPE } else { &engine.recipe };
        let found = patterns::by_signature(tx, recipe, signature)?;
        let Some(pattern) = found else { return Ok(None) };
        let tried = trial::tried_fix(tx, &pattern)?;
        Ok(Some(view::pattern(&pattern, tried, engine.options.locale)))
    };
    engine.read(ambient, body)
}

/// Numbers of built-in, learned and provisional patterns that match the filter.
fn counts(tx: &mut Tx<'_>, params: &PatternsParams) -> Result<(u32, u32, u32), EngineError> {
    let fits = |category: Category| params.category.is_none_or(|wanted| wanted == category);
    let builtin = BUILTINS.iter().filter(|builtin| fits(builtin.category)).count();
    let builtin = u32::try_from(builtin).expect("six at most");
    let listed = patterns::listed_counts(tx)?.into_iter().filter(|counts| fits(counts.category));
    let (learned, provisional) =
        listed.fold((0, 0), |sum, counts| (sum.0 + counts.learned, sum.1 + counts.provisional));
    Ok(match params.source {
        None => (builtin, learned, provisional),
        Some(PatternSource::BuiltIn) => (builtin, 0, 0),
        Some(PatternSource::Learned) => (0, learned, provisional),
    })
}

/// Returns the first patterns of the filter. Each category is read in order from its index, and the lists are merged
/// here.
fn sorted(tx: &mut Tx<'_>, params: &PatternsParams, most: u32) -> Result<Vec<Pattern>, EngineError> {
    let sort = params.sort_by.unwrap_or_default();
    let mut found = Vec::new();
    if params.source == Some(PatternSource::BuiltIn) {
        for builtin in &BUILTINS {
            found.extend(patterns::by_id(tx, builtin.id)?);
        }
        found.retain(|pattern| params.category.is_none_or(|wanted| wanted == pattern.category));
    } else {
        let own = [params.category].into_iter().flatten();
        let categories: Vec<Category> = if params.category.is_some() { own.collect() } else { Category::ALL.to_vec() };
        // An additional row per category replaces the built-in pattern that the source filter may remove.
        found = patterns::list(tx, &categories, order(sort), most + 1)?;
        found.retain(|pattern| params.source.is_none() || !pattern.is_builtin);
    }
    found.stable_sort_by(|a, b| compare(sort, a, b));
    found.truncate(most as usize);
    Ok(found)
}

/// Sorts descending. Equal patterns are sorted by age, newest first, like in the index.
fn compare(sort: PatternSort, a: &Pattern, b: &Pattern) -> Ordering {
    let sure = |pattern: &Pattern| confidence(pattern.resolutions, pattern.occurrences);
    let by = match sort {
        PatternSort::Confidence => sure(b).total_cmp(&sure(a)),
        PatternSort::Occurrences => b.occurrences.cmp(&a.occurrences),
        PatternSort::LastSeen => b.last_seen_at.cmp(&a.last_seen_at),
    };
    by.then_with(|| b.key.cmp(&a.key))
}

const fn order(sort: PatternSort) -> Order {
    match sort {
        PatternSort::Confidence => Order::Confidence,
        PatternSort::Occurrences => Order::Occurrences,
        PatternSort::LastSeen => Order::LastSeen,
    }
}
