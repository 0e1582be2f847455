//! Exports the learned patterns page by page, in the format of the import. Built-in patterns are left out, because
//! each memory has them. Provisional patterns are left out, because they have no fix.

use super::{CountsLine, KnownLine, MAX_DAYS, OverridesLine, PatternLine};
use crate::{
    Engine, EngineError,
    answer::moment::iso,
    contract::{PatternsExportParams, PatternsExported},
    failures::recompute_signatures::text_only,
    memory::exchange::{
        export::{outcome, serialization_error, solution_line},
        import::SolutionLine,
    },
};
use argus_core::{Ambient, Category};
use argus_store::{
    Tx,
    patterns::{
        self, Overrides, Pattern,
        exchange::{self, Details, Known},
    },
    solutions::{self, Solution, outcomes},
};

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 200;

/// Returns a page of the primary memory.
pub fn export(
    engine: &Engine,
    ambient: &Ambient,
    params: &PatternsExportParams,
) -> Result<PatternsExported, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(EngineError::invalid(format!("limit is {limit}; it can be 1 to {MAX_LIMIT}.")));
    }
    let body = |tx: &mut Tx<'_>| {
        let mut page = exchange::page(tx, params.after.as_deref().unwrap_or_default(), limit + 1)?;
        let has_more = page.len() > limit as usize;
        page.truncate(limit as usize);
        let mut lines = String::new();
        for line in lines_of(tx, &page)? {
            lines.push_str(&serde_json::to_string(&line).map_err(|error| serialization_error(&error))?);
            lines.push('\n');
        }
        let next = page.last().filter(|_| has_more).map(|pattern| pattern.id.clone());
        let total = patterns::learned_counts(tx)?.iter().map(|(_, count)| count).sum();
        Ok(PatternsExported { lines, patterns: u32::try_from(page.len()).unwrap_or(u32::MAX), total, next })
    };
    engine.read(ambient, body)
}

/// Converts patterns to lines in the same order.
pub(in crate::memory::exchange) fn lines_of(
    tx: &mut Tx<'_>,
    page: &[Pattern],
) -> Result<Vec<PatternLine>, EngineError> {
    let details = exchange::details(tx, page, MAX_DAYS)?;
    let keys: Vec<_> = page.iter().map(|pattern| pattern.key).collect();
    let solutions = solutions::of_patterns(tx, &keys)?;
    let keys: Vec<_> = solutions.iter().flatten().map(|solution| solution.key).collect();
    let mut outcomes = outcomes::of_solutions(tx, &keys)?.into_iter();
    let mut by_person = solutions::written_by_person(tx, &keys)?.into_iter();
    let mut lines = Vec::with_capacity(page.len());
    for ((pattern, details), solutions) in page.iter().zip(details).zip(solutions) {
        let person = person(&pattern.overrides, &solutions);
        let fixes = solutions.into_iter().map(|solution| SolutionLine {
            wrong: solution.is_wrong,
            by_person: by_person.next().unwrap_or_default(),
            ..solution_line(solution, outcomes.next().into_iter().flatten().map(outcome).collect())
        });
        lines.push(line(pattern, details, person, fixes.collect()));
    }
    Ok(lines)
}

fn line(
    pattern: &Pattern,
    details: Details,
    person: Option<OverridesLine>,
    solutions: Vec<SolutionLine>,
) -> PatternLine {
    let counts = counts(pattern, &details);
    let mut signatures: Vec<_> = details.known.iter().map(|known| known.signature.clone()).collect();
    signatures.extend(details.signatures);
    let mut known = details.known.into_iter().map(known_line);
    let own = known.next().unwrap_or_else(|| KnownLine {
        id: pattern.id.clone(),
        recipe: String::new(),
        case_name: pattern.case_name.clone(),
        description: pattern.description.clone(),
        sample: text_only(&pattern.normalized),
    });
    PatternLine {
        r#type: "pattern".to_owned(),
        known: own,
        signatures,
        category: Some(pattern.category.as_str().to_owned()),
        first_seen_at: iso(pattern.first_seen_at),
        last_seen_at: iso(pattern.last_seen_at),
        counts,
        days: details.days.iter().map(|day| (day.day, day.occurrences, day.resolutions)).collect(),
        person,
        parts: known.collect(),
        solutions,
    }
}

pub(in crate::memory::exchange) fn known_line(known: Known) -> KnownLine {
    let sample = known.sample.and_then(|sample| serde_json::from_str(&sample).ok());
    KnownLine {
        sample: sample.unwrap_or_else(|| text_only(&known.normalized)),
        id: known.id,
        recipe: known.recipe,
        case_name: known.case_name,
        description: known.description,
    }
}

/// Returns the counts of this memory, followed by the counts that were imported from each other memory.
fn counts(pattern: &Pattern, details: &Details) -> Vec<CountsLine> {
    let taken = details.taken.iter();
    let (occurrences, resolutions) = taken.clone().fold((0_u32, 0_u32), |(occurrences, resolutions), taken| {
        (occurrences.saturating_add(taken.occurrences), resolutions.saturating_add(taken.resolutions))
    });
    let own = CountsLine {
        memory: None,
        pattern: pattern.id.clone(),
        occurrences: pattern.occurrences.saturating_sub(occurrences),
        resolutions: pattern.resolutions.saturating_sub(resolutions),
    };
    let others = taken.map(|taken| CountsLine {
        memory: Some(taken.memory.clone()),
        pattern: taken.pattern.clone(),
        occurrences: taken.occurrences,
        resolutions: taken.resolutions,
    });
    std::iter::once(own).chain(others).collect()
}

fn person(overrides: &Overrides, solutions: &[Solution]) -> Option<OverridesLine> {
    let edited_at = overrides.edited_at.filter(|_| overrides.is_any())?;
    let set = |solution: &&Solution| Some(solution.key) == overrides.solution;
    Some(OverridesLine {
        category: overrides.category.map(Category::as_str).map(ToOwned::to_owned),
        description: overrides.description.clone(),
        solution: solutions.iter().find(set).map(|solution| solution.id.clone()),
        edited_at: iso(edited_at),
    })
}
