//! The table of patterns: sorted by any column, filtered by category, source and words, with counts for each filter.
//! Only the sort values of patterns are read until the page is known.
//!
//! A sort order is a list of sections with known sizes, so that a page is found without reading the pages before it. A
//! section merges built-in patterns, which are in memory, with learned patterns, which an index returns in order for
//! each category. Built-in patterns that never occurred come last in every order, because they say nothing about this
//! project.

use super::{page, size, words};
use crate::{
    Engine, EngineError,
    answer::view as show,
    contract::{CategoryCount, PatternSource, SourceCount, ViewPatternSort, ViewPatternsParams, ViewPatternsResult},
    runs::history::is_more,
};
use argus_core::{Ambient, Category, builtin::BUILTINS, confidence::confidence, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{
        self, Pattern, PatternKey,
        view::{self, Column, SortEntry, SortValue},
    },
};
use std::collections::BTreeMap;

/// Maximum number of matches of a category whose sort values are read one by one. If there are more, the index is
/// scanned until the page is full.
const MAX_READ_ONE_BY_ONE: usize = 1_500;

/// Default number of patterns on a page.
const DEFAULT_LIMIT: u32 = 100;

/// Returns a page, and the number of patterns for each filter.
pub fn view_patterns(
    engine: &Engine,
    ambient: &Ambient,
    params: &ViewPatternsParams,
) -> Result<ViewPatternsResult, EngineError> {
    let (limit, offset) = page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let body = |tx: &mut Tx<'_>| -> Result<ViewPatternsResult, EngineError> {
        let all = All::find(engine, tx, words(params.text.as_deref()))?;
        let sections = sections(params);
        let total = sections.iter().map(|section| all.size_of(section)).sum();
        let mut rows = Vec::new();
        for key in all.keys(tx, &sections, limit, offset)? {
            let builtin = all.builtins.iter().find(|builtin| builtin.key == key).cloned();
            let pattern = if builtin.is_some() { builtin } else { patterns::get(tx, key)? };
            rows.extend(pattern.map(|pattern| show::row(&pattern, engine.options.locale)));
        }
        Ok(ViewPatternsResult {
            has_more: is_more(offset, rows.len(), total),
            patterns: rows,
            total,
            categories: all.categories(params.source),
            sources: all.sources(params.category),
        })
    };
    engine.read(ambient, body)
}

/// The patterns that contain the words of the filter.
struct All {
    words: Option<String>,
    builtins: Vec<Pattern>,
    /// Number of learned patterns in each category.
    counts: Vec<(Category, u32)>,
    /// Learned patterns that contain the words, by category, oldest first.
    found: BTreeMap<&'static str, Vec<PatternKey>>,
    /// Keys of the built-in patterns, which the index returns too and which are removed there.
    builtin_keys: Vec<PatternKey>,
    descriptions: Vec<String>,
}

/// A group of patterns that are sorted together.
struct Section {
    categories: Vec<Category>,
    builtins: BuiltIns,
    learned: bool,
    by: Column,
    descending: bool,
}

/// Selects the built-in patterns of a section.
#[derive(Clone, Copy)]
enum BuiltIns {
    None,
    Met,
    NeverMet,
}

impl Section {
    fn has(&self, builtin: &Pattern) -> bool {
        let fits = match self.builtins {
            BuiltIns::None => false,
            BuiltIns::Met => builtin.occurrences > 0,
            BuiltIns::NeverMet => builtin.occurrences == 0,
        };
        fits && self.categories.contains(&builtin.category)
    }
}

impl All {
    fn find(engine: &Engine, tx: &mut Tx<'_>, words: Option<String>) -> Result<Self, EngineError> {
        let mut builtins = Vec::with_capacity(BUILTINS.len());
        for builtin in &BUILTINS {
            builtins.extend(patterns::by_id(tx, builtin.id)?);
        }
        let builtin_keys = builtins.iter().map(|builtin| builtin.key).collect();
        let counts = patterns::learned_counts(tx)?;
        let (mut counts, mut found) = (counts, BTreeMap::new());
        if let Some(words) = &words {
            let has = |text: String| text.to_lowercase().contains(&words.to_lowercase());
            let locale = engine.options.locale;
            builtins.retain(|builtin| {
                has(show::description(builtin)) || show::suggested_fix(builtin, locale).is_some_and(has)
            });
            for (category, count) in &mut counts {
                let keys = view::with_words(tx, *category, words)?;
                *count = size(keys.len());
                found.insert(category.as_str(), keys);
            }
        }
        let descriptions = builtins.iter().map(|builtin| show::description(builtin).to_ascii_lowercase()).collect();
        Ok(Self { words, builtins, counts, found, builtin_keys, descriptions })
    }

    fn learned_count(&self, categories: &[Category]) -> u32 {
        let of = |(category, count): &(Category, u32)| if categories.contains(category) { *count } else { 0 };
        self.counts.iter().map(of).sum()
    }

    fn builtin(&self, categories: &[Category]) -> u32 {
        size(self.builtins.iter().filter(|builtin| categories.contains(&builtin.category)).count())
    }

    fn size_of(&self, section: &Section) -> u32 {
        let builtins = size(self.builtins.iter().filter(|builtin| section.has(builtin)).count());
        builtins + if section.learned { self.learned_count(&section.categories) } else { 0 }
    }

    fn categories(&self, source: Option<PatternSource>) -> Vec<CategoryCount> {
        let count = |category: Category| {
            let builtin = if source == Some(PatternSource::Learned) { 0 } else { self.builtin(&[category]) };
            builtin + if source == Some(PatternSource::BuiltIn) { 0 } else { self.learned_count(&[category]) }
        };
        let counts = Category::ALL.map(|category| CategoryCount { category, count: count(category) });
        counts.into_iter().filter(|counted| counted.count > 0).collect()
    }

    fn sources(&self, category: Option<Category>) -> Vec<SourceCount> {
        let one = category.map(|category| [category]);
        let categories = one.as_ref().map_or(&Category::ALL[..], |one| &one[..]);
        vec![
            SourceCount { source: PatternSource::BuiltIn, count: self.builtin(categories) },
            SourceCount { source: PatternSource::Learned, count: self.learned_count(categories) },
        ]
    }

    /// Returns the keys of a page.
    fn keys(
        &self,
        tx: &mut Tx<'_>,
        sections: &[Section],
        limit: u32,
        offset: u32,
    ) -> Result<Vec<PatternKey>, EngineError> {
        let (mut keys, mut skip) = (Vec::new(), offset);
        for section in sections {
            let (size, left) = (self.size_of(section), limit - super::size(keys.len()));
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
        let behind = self.size_of(section) - skip - take;
        let turned = behind < skip;
        let descending = section.descending != turned;
        let skip = if turned { behind } else { skip };
        let compare = |a: &SortEntry, b: &SortEntry| if descending { b.compare(a) } else { a.compare(b) };
        let (mut placed, mut before) = self.learned_part(tx, section, descending, skip, take)?;
        let first = placed.first().filter(|_| before > 0).cloned();
        for builtin in self.placed_builtins(section) {
            match &first {
                Some(first) if compare(&builtin, first).is_lt() => before += 1,
                _ => placed.push(builtin),
            }
        }
        // The parts are mostly sorted, so that a stable sort needs a single pass.
        placed.stable_sort_by(compare);
        let part = placed.into_iter().skip((skip - before) as usize).take(take as usize).map(|placed| placed.key);
        let mut keys: Vec<PatternKey> = part.collect();
        if turned {
            keys.reverse();
        }
        Ok(keys)
    }

    /// Returns learned patterns of a section and the number of patterns skipped before them. It starts at the
    /// beginning, or early enough that the built-in patterns, at most six, cannot shift the part out of it.
    fn learned_part(
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
        if section.by == Column::Description && self.words.is_none() && section.categories.len() > 1 {
            let before = skip.saturating_sub(size(BUILTINS.len()));
            let placed = view::in_letters(tx, descending, skip + take - before, before)?;
            return Ok((placed, before));
        }
        let mut placed = Vec::new();
        for category in &section.categories {
            placed.extend(self.read_placed(tx, *category, section.by, descending, skip + take)?);
        }
        Ok((placed, 0))
    }

    /// Returns the first learned patterns of a category. They are unordered if only a few contain the words.
    fn read_placed(
        &self,
        tx: &mut Tx<'_>,
        category: Category,
        by: Column,
        descending: bool,
        most: u32,
    ) -> Result<Vec<SortEntry>, EngineError> {
        if self.learned_count(&[category]) == 0 {
            return Ok(Vec::new());
        }
        if self.words.is_none() {
            // Reads an additional entry to replace the built-in pattern among them.
            let mut placed = view::in_order(tx, category, by, descending, most + 1)?;
            placed.retain(|placed| !self.builtin_keys.contains(&placed.key));
            return Ok(placed);
        }
        let found = self.found.get(category.as_str()).map(Vec::as_slice).unwrap_or_default();
        if found.len() <= MAX_READ_ONE_BY_ONE {
            return Ok(view::values(tx, found, by)?);
        }
        let mut limit = most.saturating_mul(2).max(DEFAULT_LIMIT);
        loop {
            let mut placed = view::in_order(tx, category, by, descending, limit)?;
            let is_all = size(placed.len()) < limit;
            placed.retain(|placed| found.binary_search(&placed.key).is_ok());
            if is_all || size(placed.len()) >= most {
                return Ok(placed);
            }
            limit = limit.saturating_mul(4);
        }
    }

    fn placed_builtins(&self, section: &Section) -> Vec<SortEntry> {
        let own = self.builtins.iter().zip(&self.descriptions).filter(|(builtin, _)| section.has(builtin));
        let place = |(builtin, description): (&Pattern, &String)| {
            #[expect(clippy::cast_precision_loss, reason = "a moment of this age of the world is far below 2^53")]
            let value = match section.by {
                Column::Description => SortValue::Text(description.clone()),
                Column::Confidence => SortValue::Number(confidence(builtin.resolutions, builtin.occurrences)),
                Column::Occurrences => SortValue::Number(f64::from(builtin.occurrences)),
                Column::Resolutions => SortValue::Number(f64::from(builtin.resolutions)),
                Column::LastSeen => SortValue::Number(builtin.last_seen_at as f64),
            };
            SortEntry { value, key: builtin.key }
        };
        own.map(place).collect()
    }
}

fn sections(params: &ViewPatternsParams) -> Vec<Section> {
    let learned = params.source != Some(PatternSource::BuiltIn);
    if params.source == Some(PatternSource::Learned) {
        return sections_of(params, BuiltIns::None, learned);
    }
    let mut sections = sections_of(params, BuiltIns::Met, learned);
    sections.extend(sections_of(params, BuiltIns::NeverMet, false));
    sections
}

fn sections_of(params: &ViewPatternsParams, builtins: BuiltIns, learned: bool) -> Vec<Section> {
    let categories = params.category.map_or_else(|| Category::ALL.to_vec(), |category| vec![category]);
    let descending = params.descending.unwrap_or(true);
    let sort = params.sort.unwrap_or_default();
    let Some(by) = column(sort) else {
        let mut sections: Vec<Section> = if sort == ViewPatternSort::Category {
            let mut categories = categories;
            categories.stable_sort_by_key(|category| category.as_str());
            let section = |category| most_frequent(vec![category], builtins, learned);
            categories.into_iter().map(section).collect()
        } else {
            vec![most_frequent(categories.clone(), builtins, false), most_frequent(categories, BuiltIns::None, learned)]
        };
        if descending {
            sections.reverse();
        }
        return sections;
    };
    vec![Section { categories, builtins, learned, by, descending }]
}

fn most_frequent(categories: Vec<Category>, builtins: BuiltIns, learned: bool) -> Section {
    Section { categories, builtins, learned, by: Column::Occurrences, descending: true }
}

const fn column(sort: ViewPatternSort) -> Option<Column> {
    match sort {
        ViewPatternSort::Category | ViewPatternSort::Source => None,
        ViewPatternSort::Description => Some(Column::Description),
        ViewPatternSort::Confidence => Some(Column::Confidence),
        ViewPatternSort::Occurrences => Some(Column::Occurrences),
        ViewPatternSort::Resolutions => Some(Column::Resolutions),
        ViewPatternSort::LastSeen => Some(Column::LastSeen),
    }
}
