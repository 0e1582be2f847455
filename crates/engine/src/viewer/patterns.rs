//! The table of patterns: sorted by any column, filtered by category, source and text, with counts for each filter.
//! Only the sort values of the patterns are read until the patterns of the page are known.
//!
//! A sort order is a list of sections with known sizes, so that a page is found without reading the pages before it. A
//! section merges built-in patterns, which are in memory, with learned patterns, which an index returns in order for
//! each category. Built-in patterns that never occurred come last in every order, because they are not relevant for
//! this project.

use super::{check_page, clean_filter_text, saturate_to_u32};
use crate::{
    Engine, EngineError,
    answer::row_conversion as answer_view,
    contract::{CategoryCount, PatternSource, SourceCount, ViewPatternSort, ViewPatternsParams, ViewPatternsResult},
    runs::history::has_more_after,
};
use argus_core::{CallContext, Category, builtin::BUILTIN_PATTERNS, confidence::confidence, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{
        self, Pattern, PatternKey,
        sorted_listing::{self, SortColumn, SortEntry, SortValue},
    },
};
use std::collections::BTreeMap;

/// Maximum number of matches of a category whose sort values are read individually. For more matches, the index is
/// scanned until the page is full.
const MAX_INDIVIDUAL_READS: usize = 1_500;

/// Default number of patterns on a page.
const DEFAULT_LIMIT: u32 = 100;

/// Returns a page, and the number of patterns for each filter.
pub fn view_patterns(
    engine: &Engine,
    context: &CallContext,
    params: &ViewPatternsParams,
) -> Result<ViewPatternsResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let body = |tx: &mut Tx<'_>| -> Result<ViewPatternsResult, EngineError> {
        let all = FilteredPatterns::find(engine, tx, clean_filter_text(params.text.as_deref()))?;
        let sections = build_sections(params);
        let total = sections.iter().map(|section| all.count_patterns(section)).sum();
        let mut rows = Vec::new();
        for key in all.read_page_keys(tx, &sections, limit, offset)? {
            let builtin = all.builtins.iter().find(|builtin| builtin.key == key).cloned();
            let pattern = if builtin.is_some() { builtin } else { patterns::get(tx, key)? };
            rows.extend(pattern.map(|pattern| answer_view::convert_pattern_to_row(&pattern, engine.options.locale)));
        }
        Ok(ViewPatternsResult {
            has_more: has_more_after(offset, rows.len(), total),
            patterns: rows,
            total,
            categories: all.count_by_category(params.source),
            sources: all.count_by_source(params.category),
        })
    };
    engine.read(context, body)
}

/// The patterns that contain the text of the filter.
struct FilteredPatterns {
    filter_text: Option<String>,
    builtins: Vec<Pattern>,
    /// Number of learned patterns in each category.
    counts: Vec<(Category, u32)>,
    /// Learned patterns that contain the text of the filter, by category, oldest first.
    found: BTreeMap<&'static str, Vec<PatternKey>>,
    /// Keys of the built-in patterns. The index returns them too, so they are removed from its results.
    builtin_keys: Vec<PatternKey>,
    descriptions: Vec<String>,
}

/// A group of patterns that are sorted together.
struct Section {
    categories: Vec<Category>,
    builtins: BuiltinSelection,
    learned: bool,
    by: SortColumn,
    descending: bool,
}

/// Selects the built-in patterns of a section.
#[derive(Clone, Copy)]
enum BuiltinSelection {
    None,
    Occurred,
    NeverOccurred,
}

impl Section {
    fn contains(&self, builtin: &Pattern) -> bool {
        let is_selected = match self.builtins {
            BuiltinSelection::None => false,
            BuiltinSelection::Occurred => builtin.occurrences > 0,
            BuiltinSelection::NeverOccurred => builtin.occurrences == 0,
        };
        is_selected && self.categories.contains(&builtin.category)
    }
}

impl FilteredPatterns {
    fn find(engine: &Engine, tx: &mut Tx<'_>, filter_text: Option<String>) -> Result<Self, EngineError> {
        let mut builtins = Vec::with_capacity(BUILTIN_PATTERNS.len());
        for builtin in &BUILTIN_PATTERNS {
            builtins.extend(patterns::find_by_id(tx, builtin.id)?);
        }
        let builtin_keys = builtins.iter().map(|builtin| builtin.key).collect();
        let counts = patterns::count_learned(tx)?;
        let (mut counts, mut found) = (counts, BTreeMap::new());
        if let Some(filter_text) = &filter_text {
            let has = |text: String| text.to_lowercase().contains(&filter_text.to_lowercase());
            let locale = engine.options.locale;
            builtins.retain(|builtin| {
                has(answer_view::find_description(builtin))
                    || answer_view::find_suggested_fix(builtin, locale).is_some_and(has)
            });
            for (category, count) in &mut counts {
                let keys = sorted_listing::find_containing(tx, *category, filter_text)?;
                *count = saturate_to_u32(keys.len());
                found.insert(category.as_str(), keys);
            }
        }
        let descriptions =
            builtins.iter().map(|builtin| answer_view::find_description(builtin).to_ascii_lowercase()).collect();
        Ok(Self { filter_text, builtins, counts, found, builtin_keys, descriptions })
    }

    fn count_learned(&self, categories: &[Category]) -> u32 {
        let count_if_wanted =
            |(category, count): &(Category, u32)| if categories.contains(category) { *count } else { 0 };
        self.counts.iter().map(count_if_wanted).sum()
    }

    fn count_builtins(&self, categories: &[Category]) -> u32 {
        saturate_to_u32(self.builtins.iter().filter(|builtin| categories.contains(&builtin.category)).count())
    }

    fn count_patterns(&self, section: &Section) -> u32 {
        let builtins = saturate_to_u32(self.builtins.iter().filter(|builtin| section.contains(builtin)).count());
        builtins + if section.learned { self.count_learned(&section.categories) } else { 0 }
    }

    fn count_by_category(&self, source: Option<PatternSource>) -> Vec<CategoryCount> {
        let count = |category: Category| {
            let builtin = if source == Some(PatternSource::Learned) { 0 } else { self.count_builtins(&[category]) };
            builtin + if source == Some(PatternSource::BuiltIn) { 0 } else { self.count_learned(&[category]) }
        };
        let counts = Category::ALL.map(|category| CategoryCount { category, count: count(category) });
        counts.into_iter().filter(|counted| counted.count > 0).collect()
    }

    fn count_by_source(&self, category: Option<Category>) -> Vec<SourceCount> {
        let one = category.map(|category| [category]);
        let categories = one.as_ref().map_or(&Category::ALL[..], |one| &one[..]);
        vec![
            SourceCount { source: PatternSource::BuiltIn, count: self.count_builtins(categories) },
            SourceCount { source: PatternSource::Learned, count: self.count_learned(categories) },
        ]
    }

    /// Returns the keys of a page.
    fn read_page_keys(
        &self,
        tx: &mut Tx<'_>,
        sections: &[Section],
        limit: u32,
        offset: u32,
    ) -> Result<Vec<PatternKey>, EngineError> {
        let (mut keys, mut skip) = (Vec::new(), offset);
        for section in sections {
            let (size, left) = (self.count_patterns(section), limit - super::saturate_to_u32(keys.len()));
            if skip >= size || left == 0 {
                skip = skip.saturating_sub(size);
                continue;
            }
            keys.extend(self.read_part(tx, section, skip, left.min(size - skip))?);
            skip = 0;
        }
        Ok(keys)
    }

    /// Reads a part of a section, starting from the nearer end.
    fn read_part(
        &self,
        tx: &mut Tx<'_>,
        section: &Section,
        skip: u32,
        take: u32,
    ) -> Result<Vec<PatternKey>, EngineError> {
        let entries_after = self.count_patterns(section) - skip - take;
        let from_end = entries_after < skip;
        let descending = section.descending != from_end;
        let skip = if from_end { entries_after } else { skip };
        let compare = |a: &SortEntry, b: &SortEntry| if descending { b.compare(a) } else { a.compare(b) };
        let (mut entries, mut before) = self.read_learned_part(tx, section, descending, skip, take)?;
        let first = entries.first().filter(|_| before > 0).cloned();
        for builtin in self.builtin_entries(section) {
            match &first {
                Some(first) if compare(&builtin, first).is_lt() => before += 1,
                _ => entries.push(builtin),
            }
        }
        // The entries are mostly sorted, so a stable sort needs a single pass.
        entries.stable_sort_by(compare);
        let part = entries.into_iter().skip((skip - before) as usize).take(take as usize).map(|entries| entries.key);
        let mut keys: Vec<PatternKey> = part.collect();
        if from_end {
            keys.reverse();
        }
        Ok(keys)
    }

    /// Returns learned patterns of a section, and the number of patterns before them that were skipped. The read starts
    /// so early that the built-in patterns, at most six, cannot move the wanted part before its start.
    fn read_learned_part(
        &self,
        tx: &mut Tx<'_>,
        section: &Section,
        descending: bool,
        skip: u32,
        take: u32,
    ) -> Result<(Vec<SortEntry>, u32), EngineError> {
        if !section.learned {
            return Ok((Vec::new(), 0));
        }
        if section.by == SortColumn::Description && self.filter_text.is_none() && section.categories.len() > 1 {
            let before = skip.saturating_sub(saturate_to_u32(BUILTIN_PATTERNS.len()));
            let entries = sorted_listing::list_by_description(tx, descending, skip + take - before, before)?;
            return Ok((entries, before));
        }
        let mut entries = Vec::new();
        for category in &section.categories {
            entries.extend(self.read_entries(tx, *category, section.by, descending, skip + take)?);
        }
        Ok((entries, 0))
    }

    /// Returns the first learned patterns of a category. They are unordered if only a few contain the text of
    /// the filter.
    fn read_entries(
        &self,
        tx: &mut Tx<'_>,
        category: Category,
        by: SortColumn,
        descending: bool,
        most: u32,
    ) -> Result<Vec<SortEntry>, EngineError> {
        if self.count_learned(&[category]) == 0 {
            return Ok(Vec::new());
        }
        if self.filter_text.is_none() {
            // Reads an additional entry to replace the built-in pattern among them.
            let mut entries = sorted_listing::list_sorted(tx, category, by, descending, most + 1)?;
            entries.retain(|entries| !self.builtin_keys.contains(&entries.key));
            return Ok(entries);
        }
        let found = self.found.get(category.as_str()).map(Vec::as_slice).unwrap_or_default();
        if found.len() <= MAX_INDIVIDUAL_READS {
            return Ok(sorted_listing::read_sort_entries(tx, found, by)?);
        }
        let mut limit = most.saturating_mul(2).max(DEFAULT_LIMIT);
        loop {
            let mut entries = sorted_listing::list_sorted(tx, category, by, descending, limit)?;
            let is_all = saturate_to_u32(entries.len()) < limit;
            entries.retain(|entries| found.binary_search(&entries.key).is_ok());
            if is_all || saturate_to_u32(entries.len()) >= most {
                return Ok(entries);
            }
            limit = limit.saturating_mul(4);
        }
    }

    fn builtin_entries(&self, section: &Section) -> Vec<SortEntry> {
        let own = self.builtins.iter().zip(&self.descriptions).filter(|(builtin, _)| section.contains(builtin));
        let place = |(builtin, description): (&Pattern, &String)| {
            #[expect(clippy::cast_precision_loss, reason = "a moment of this age of the world is far below 2^53")]
            let value = match section.by {
                SortColumn::Description => SortValue::Text(description.clone()),
                SortColumn::Confidence => SortValue::Number(confidence(builtin.resolutions, builtin.occurrences)),
                SortColumn::Occurrences => SortValue::Number(f64::from(builtin.occurrences)),
                SortColumn::Resolutions => SortValue::Number(f64::from(builtin.resolutions)),
                SortColumn::LastSeen => SortValue::Number(builtin.last_seen_at as f64),
            };
            SortEntry { value, key: builtin.key }
        };
        own.map(place).collect()
    }
}

fn build_sections(params: &ViewPatternsParams) -> Vec<Section> {
    let learned = params.source != Some(PatternSource::BuiltIn);
    if params.source == Some(PatternSource::Learned) {
        return build_sections_with(params, BuiltinSelection::None, learned);
    }
    let mut sections = build_sections_with(params, BuiltinSelection::Occurred, learned);
    sections.extend(build_sections_with(params, BuiltinSelection::NeverOccurred, false));
    sections
}

fn build_sections_with(params: &ViewPatternsParams, builtins: BuiltinSelection, learned: bool) -> Vec<Section> {
    let categories = params.category.map_or_else(|| Category::ALL.to_vec(), |category| vec![category]);
    let descending = params.descending.unwrap_or(true);
    let sort = params.sort.unwrap_or_default();
    let Some(by) = sort_column(sort) else {
        let mut sections: Vec<Section> = if sort == ViewPatternSort::Category {
            let mut categories = categories;
            categories.stable_sort_by_key(|category| category.as_str());
            let section = |category| section_by_occurrences(vec![category], builtins, learned);
            categories.into_iter().map(section).collect()
        } else {
            vec![
                section_by_occurrences(categories.clone(), builtins, false),
                section_by_occurrences(categories, BuiltinSelection::None, learned),
            ]
        };
        if descending {
            sections.reverse();
        }
        return sections;
    };
    vec![Section { categories, builtins, learned, by, descending }]
}

fn section_by_occurrences(categories: Vec<Category>, builtins: BuiltinSelection, learned: bool) -> Section {
    Section { categories, builtins, learned, by: SortColumn::Occurrences, descending: true }
}

const fn sort_column(sort: ViewPatternSort) -> Option<SortColumn> {
    match sort {
        ViewPatternSort::Category | ViewPatternSort::Source => None,
        ViewPatternSort::Description => Some(SortColumn::Description),
        ViewPatternSort::Confidence => Some(SortColumn::Confidence),
        ViewPatternSort::Occurrences => Some(SortColumn::Occurrences),
        ViewPatternSort::Resolutions => Some(SortColumn::Resolutions),
        ViewPatternSort::LastSeen => Some(SortColumn::LastSeen),
    }
}
