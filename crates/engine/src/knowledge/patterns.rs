//! Lists patterns, and finds a pattern by its signature.

use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{FailurePattern, PatternSort, PatternSource, PatternsParams, PatternsResult, SignatureParams},
    failures::fix_results,
    limits::MAX_PATTERNS,
    runs::history::{check_page_limit, has_more_after},
};
use argus_core::{CallContext, Category, builtin::BUILTIN_PATTERNS, confidence::confidence, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{self, Order, Pattern},
};
use std::cmp::Ordering;

/// Maximum offset, because deep pages are slow. Callers should filter instead.
const MAX_OFFSET: u32 = 100_000;

/// Returns a page of patterns in the requested order, with the counts of all patterns that match the filter.
pub fn patterns(
    engine: &Engine,
    context: &CallContext,
    params: &PatternsParams,
) -> Result<PatternsResult, EngineError> {
    let limit = check_page_limit("limit", params.limit, MAX_PATTERNS, MAX_PATTERNS)?;
    let offset = params.offset.unwrap_or(0);
    if offset > MAX_OFFSET {
        return Err(EngineError::invalid_input(format!(
            "offset is {offset}; the maximum is {MAX_OFFSET}. Filter by category."
        )));
    }
    let body = |tx: &mut Tx<'_>| -> Result<PatternsResult, EngineError> {
        let (built_in_count, learned_count, provisional_count) = count_matching(tx, params)?;
        let total = built_in_count + learned_count + provisional_count;
        let stored = read_sorted(tx, params, offset + limit)?;
        let mut page: Vec<Pattern> = stored.into_iter().skip(offset as usize).collect();
        let free_rows = limit.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
        if free_rows > 0 && provisional_count > 0 {
            // Provisional patterns come last in every order, because only their occurrence is known.
            let skipped = offset.saturating_sub(built_in_count + learned_count);
            page.extend(patterns::list_provisional(tx, params.category, free_rows, skipped)?);
        }
        let tried = fix_results::count_fix_results_of_each(tx, &page)?;
        let shown = page
            .iter()
            .zip(tried)
            .map(|(pattern, tried)| row_conversion::convert_pattern(pattern, tried, engine.options.locale));
        let patterns: Vec<_> = shown.collect();
        let has_more = has_more_after(offset, patterns.len(), total);
        Ok(PatternsResult { patterns, total, built_in_count, learned_count, provisional_count, has_more })
    };
    engine.read(context, body)
}

/// Returns the learned pattern with this signature, or the built-in pattern for `builtin::CATEGORY`.
pub fn find_by_signature(
    engine: &Engine,
    context: &CallContext,
    SignatureParams { signature }: &SignatureParams,
) -> Result<Option<FailurePattern>, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<Option<FailurePattern>, EngineError> {
        let recipe =
            if signature.starts_with("builtin::") { patterns::BUILTIN_RECIPE } else { &engine.signature_version };
        let found = patterns::find_by_signature(tx, recipe, signature)?;
        let Some(pattern) = found else { return Ok(None) };
        let tried = fix_results::count_fix_results(tx, &pattern)?;
        Ok(Some(row_conversion::convert_pattern(&pattern, tried, engine.options.locale)))
    };
    engine.read(context, body)
}

/// Returns the numbers of built-in, learned and provisional patterns that match the filter.
fn count_matching(tx: &mut Tx<'_>, params: &PatternsParams) -> Result<(u32, u32, u32), EngineError> {
    let is_wanted = |category: Category| params.category.is_none_or(|wanted| wanted == category);
    let builtin = BUILTIN_PATTERNS.iter().filter(|builtin| is_wanted(builtin.category)).count();
    let builtin = u32::try_from(builtin).expect("six at most");
    let listed = patterns::count_patterns_by_category(tx)?.into_iter().filter(|counts| is_wanted(counts.category));
    let (learned, provisional) =
        listed.fold((0, 0), |sum, counts| (sum.0 + counts.learned, sum.1 + counts.provisional));
    Ok(match params.source {
        None => (builtin, learned, provisional),
        Some(PatternSource::BuiltIn) => (builtin, 0, 0),
        Some(PatternSource::Learned) => (0, learned, provisional),
    })
}

/// Returns the first patterns that match the filter. Each category is read in order from its index, and the lists are
/// merged here.
fn read_sorted(tx: &mut Tx<'_>, params: &PatternsParams, most: u32) -> Result<Vec<Pattern>, EngineError> {
    let sort = params.sort_by.unwrap_or_default();
    let mut found = Vec::new();
    if params.source == Some(PatternSource::BuiltIn) {
        for builtin in &BUILTIN_PATTERNS {
            found.extend(patterns::find_by_id(tx, builtin.id)?);
        }
        found.retain(|pattern| params.category.is_none_or(|wanted| wanted == pattern.category));
    } else {
        let own = [params.category].into_iter().flatten();
        let categories: Vec<Category> = if params.category.is_some() { own.collect() } else { Category::ALL.to_vec() };
        // An additional row per category replaces the built-in pattern that the source filter may remove.
        found = patterns::list(tx, &categories, store_order(sort), most + 1)?;
        found.retain(|pattern| params.source.is_none() || !pattern.is_builtin);
    }
    found.stable_sort_by(|a, b| compare_patterns(sort, a, b));
    found.truncate(most as usize);
    Ok(found)
}

/// Compares for a descending order. Equal patterns are ordered by age, newest first, as in the index.
fn compare_patterns(sort: PatternSort, a: &Pattern, b: &Pattern) -> Ordering {
    let confidence_of = |pattern: &Pattern| confidence(pattern.resolutions, pattern.occurrences);
    let order = match sort {
        PatternSort::Confidence => confidence_of(b).total_cmp(&confidence_of(a)),
        PatternSort::Occurrences => b.occurrences.cmp(&a.occurrences),
        PatternSort::LastSeen => b.last_seen_at.cmp(&a.last_seen_at),
    };
    order.then_with(|| b.key.cmp(&a.key))
}

const fn store_order(sort: PatternSort) -> Order {
    match sort {
        PatternSort::Confidence => Order::Confidence,
        PatternSort::Occurrences => Order::Occurrences,
        PatternSort::LastSeen => Order::LastSeen,
    }
}
