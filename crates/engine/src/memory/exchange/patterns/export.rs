//! Exports the learned patterns page by page, in the format of the import. Built-in patterns are left out, because
//! each memory has them. Provisional patterns are left out, because they have no fix.

use super::{CountsLine, FailureLine, MAX_DAILY_COUNTS, OverridesLine, PatternLine};
use crate::{
    Engine, EngineError,
    answer::time_format::format_iso,
    contract::{PatternsExportPage, PatternsExportParams},
    failures::recompute_signatures::event_from_text,
    memory::exchange::{
        export::{convert_outcome, convert_solution, serialization_error},
        import::SolutionLine,
    },
};
use argus_core::{CallContext, Category};
use argus_store::{
    Tx,
    patterns::{
        self, Overrides, Pattern,
        exchange::{self, KnownFailure, PatternDetails},
    },
    solutions::{self, Solution, outcomes},
};

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 200;

/// Returns a page of the learned patterns of the primary memory.
pub fn export(
    engine: &Engine,
    context: &CallContext,
    params: &PatternsExportParams,
) -> Result<PatternsExportPage, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(EngineError::invalid_input(format!("limit is {limit}; it must be from 1 to {MAX_LIMIT}.")));
    }
    let body = |tx: &mut Tx<'_>| {
        let mut page = exchange::list_page(tx, params.after.as_deref().unwrap_or_default(), limit + 1)?;
        let has_more = page.len() > limit as usize;
        page.truncate(limit as usize);
        let mut lines = String::new();
        for line in build_lines(tx, &page)? {
            lines.push_str(&serde_json::to_string(&line).map_err(|error| serialization_error(&error))?);
            lines.push('\n');
        }
        let next = page.last().filter(|_| has_more).map(|pattern| pattern.id.clone());
        let total = patterns::count_learned(tx)?.iter().map(|(_, count)| count).sum();
        Ok(PatternsExportPage { lines, patterns: u32::try_from(page.len()).unwrap_or(u32::MAX), total, next })
    };
    engine.read(context, body)
}

/// Converts patterns to lines in the same order.
pub(in crate::memory::exchange) fn build_lines(
    tx: &mut Tx<'_>,
    page: &[Pattern],
) -> Result<Vec<PatternLine>, EngineError> {
    let details = exchange::read_details(tx, page, MAX_DAILY_COUNTS)?;
    let keys: Vec<_> = page.iter().map(|pattern| pattern.key).collect();
    let solutions = solutions::list_of_patterns(tx, &keys)?;
    let keys: Vec<_> = solutions.iter().flatten().map(|solution| solution.key).collect();
    let mut outcomes = outcomes::list_of_solutions(tx, &keys)?.into_iter();
    let mut by_person = solutions::are_written_by_person(tx, &keys)?.into_iter();
    let mut lines = Vec::with_capacity(page.len());
    for ((pattern, details), solutions) in page.iter().zip(details).zip(solutions) {
        let person = convert_overrides(&pattern.overrides, &solutions);
        let fixes = solutions.into_iter().map(|solution| SolutionLine {
            wrong: solution.is_wrong,
            by_person: by_person.next().unwrap_or_default(),
            ..convert_solution(solution, outcomes.next().into_iter().flatten().map(convert_outcome).collect())
        });
        lines.push(build_line(pattern, details, person, fixes.collect()));
    }
    Ok(lines)
}

fn build_line(
    pattern: &Pattern,
    details: PatternDetails,
    person: Option<OverridesLine>,
    solutions: Vec<SolutionLine>,
) -> PatternLine {
    let counts = list_counts(pattern, &details);
    let mut signatures: Vec<_> = details.known.iter().map(|known| known.signature.clone()).collect();
    signatures.extend(details.signatures);
    let mut known = details.known.into_iter().map(convert_failure);
    let own = known.next().unwrap_or_else(|| FailureLine {
        id: pattern.id.clone(),
        recipe: String::new(),
        case_name: pattern.case_name.clone(),
        description: pattern.description.clone(),
        sample: event_from_text(&pattern.normalized),
    });
    PatternLine {
        r#type: "pattern".to_owned(),
        known: own,
        signatures,
        category: Some(pattern.category.as_str().to_owned()),
        first_seen_at: format_iso(pattern.first_seen_at),
        last_seen_at: format_iso(pattern.last_seen_at),
        counts,
        days: details.days.iter().map(|day| (day.day, day.occurrences, day.resolutions)).collect(),
        person,
        parts: known.collect(),
        solutions,
    }
}

pub(in crate::memory::exchange) fn convert_failure(known: KnownFailure) -> FailureLine {
    let sample = known.sample.and_then(|sample| serde_json::from_str(&sample).ok());
    FailureLine {
        sample: sample.unwrap_or_else(|| event_from_text(&known.normalized)),
        id: known.id,
        recipe: known.recipe,
        case_name: known.case_name,
        description: known.description,
    }
}

/// Returns the counts of this memory, followed by the counts that were imported from each other memory.
fn list_counts(pattern: &Pattern, details: &PatternDetails) -> Vec<CountsLine> {
    let taken = details.imported_counts.iter();
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

fn convert_overrides(overrides: &Overrides, solutions: &[Solution]) -> Option<OverridesLine> {
    let edited_at = overrides.edited_at.filter(|_| overrides.has_overrides())?;
    let set = |solution: &&Solution| Some(solution.key) == overrides.solution;
    Some(OverridesLine {
        category: overrides.category.map(Category::as_str).map(ToOwned::to_owned),
        description: overrides.description.clone(),
        solution: solutions.iter().find(set).map(|solution| solution.id.clone()),
        edited_at: format_iso(edited_at),
    })
}
