//! Shows a pattern with its fixes, its confidence over time and the failures that matched it.

use super::{check_page, saturate_to_u32, take_page};
use crate::{
    Engine, EngineError,
    answer::{row_conversion as answer_view, time_format::format_iso},
    contract::{
        AffectedTest, ConfidencePoint, FixView, LearnedValues, MergedPattern, PatternOccurrence, PersonValues,
        SolutionView, ViewPatternParams, ViewPatternResult,
    },
    failures::{fix_results, related, report_fix::pattern_not_found_error},
    runs::history::has_more_after,
};
use argus_core::{CallContext, FailureEvent, confidence::confidence, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{
        self, Pattern,
        daily_counts::{self, DAY_MS, DailyCounts},
        sorted_listing,
    },
    runs::{
        self,
        case_history::{self, FailureOccurrence},
    },
    search::DocumentOwner,
    solutions::{
        self,
        outcomes::{self, Report},
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// Default number of failures on a page.
const DEFAULT_LIMIT: u32 = 50;
/// Maximum number of reported fixes.
const MAX_FIXES: u32 = 100;
/// Maximum number of solutions.
const MAX_SOLUTIONS: u32 = 50;
/// Maximum number of days in the curve.
const MAX_DAYS: u32 = 400;
/// Maximum number of tests in an answer.
const MAX_TESTS: usize = 50;
/// Maximum number of failures of a case that are read.
const MAX_CASE_FAILURES: u32 = 5_000;
/// Maximum number of runs that are searched for failures of a built-in pattern, and of failures that are returned.
const MAX_SEARCHED_RUNS: u32 = 100;
const MAX_FOUND_FAILURES: usize = 5_000;

/// Returns a pattern with all its details.
pub fn view_pattern(
    engine: &Engine,
    context: &CallContext,
    params: &ViewPatternParams,
) -> Result<ViewPatternResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let body = |tx: &mut Tx<'_>| -> Result<ViewPatternResult, EngineError> {
        let pattern = patterns::find_by_id(tx, params.id.trim())?.ok_or_else(|| pattern_not_found_error(&params.id))?;
        let merged = patterns::list_merged(tx, pattern.key)?;
        let (family, best_fix) = patterns::read_family_and_steps(tx, pattern.key)?;
        let own = |fix: &Option<String>| pattern.overrides.solution.and_then(|_| fix.clone());
        let sample = patterns::read_sample(tx, pattern.key)?;
        let sample = sample.and_then(|event| serde_json::from_str::<FailureEvent>(&event).ok());
        let related = if pattern.is_builtin {
            Vec::new()
        } else {
            related::find_related_by_text(engine, tx, (&pattern.normalized, &family), &[pattern.key])?
        };
        let reports = outcomes::list_reports(tx, pattern.key, MAX_FIXES)?;
        let days = daily_counts::list_daily_counts(tx, pattern.key, MAX_DAYS)?;
        let (seen, seen_total, tests) = if pattern.is_builtin {
            find_occurrences_of_builtin(tx, &pattern, limit, offset)?
        } else {
            find_occurrences_of_learned(tx, &pattern, &merged, limit, offset)?
        };
        Ok(ViewPatternResult {
            learned: build_learned_values(&pattern, best_fix, engine.options.locale),
            set: PersonValues {
                category: pattern.overrides.category,
                description: pattern.overrides.description.clone(),
                suggested_fix: own(&pattern.best_fix),
                edited_at: pattern.overrides.edited_at.map(format_iso),
            },
            case_name: (!pattern.is_builtin).then(|| pattern.case_name.clone()),
            merged: merged.into_iter().map(convert_merged).collect(),
            solutions: list_solutions(tx, &pattern)?,
            confidence_over_time: build_confidence_curve(&pattern, &reports, &days, context.now_ms),
            confidence_known_since: days.first().map(|first| format_iso(first.day.saturating_mul(DAY_MS))),
            fixes: reports.into_iter().map(convert_report).collect(),
            has_more: has_more_after(offset, seen.len(), seen_total),
            seen,
            seen_total,
            tests,
            related,
            sample: sample.map(|event| event.text).filter(|text| !text.is_empty()),
            pattern: answer_view::convert_pattern(
                &pattern,
                fix_results::count_fix_results(tx, &pattern)?,
                engine.options.locale,
            ),
        })
    };
    engine.read(context, body)
}

fn build_learned_values(
    pattern: &Pattern,
    best_fix: Option<String>,
    locale: argus_core::builtin::Locale,
) -> LearnedValues {
    let builtin = answer_view::find_builtin(pattern);
    LearnedValues {
        category: pattern.category,
        description: builtin.map_or_else(|| pattern.description.clone(), |known| known.description.to_owned()),
        suggested_fix: builtin.map_or(best_fix, |known| Some(known.suggested_fix(locale).to_owned())),
    }
}

fn convert_merged(pattern: Pattern) -> MergedPattern {
    MergedPattern {
        description: pattern.shown_description().to_owned(),
        id: pattern.id,
        case_name: pattern.case_name,
        occurrences: pattern.occurrences,
    }
}

fn convert_report(report: Report) -> FixView {
    FixView {
        fix_id: report.id,
        solution_id: report.solution_id,
        run_id: report.run_id,
        run_recorded: report.is_run_recorded,
        case_name: report.case_name,
        fix_description: report.steps,
        success: report.worked,
        wrong: report.is_wrong,
        created_at: format_iso(report.created_at),
        recorded_by: report.recorded.by,
        recorded_from: report.recorded.from,
    }
}

/// Returns the solutions of a pattern: the suggested solution first, wrong solutions last.
fn list_solutions(tx: &mut Tx<'_>, pattern: &Pattern) -> Result<Vec<SolutionView>, EngineError> {
    let mut shown = Vec::new();
    for solution in solutions::list_with_wrong(tx, DocumentOwner::Pattern(pattern.key), MAX_SOLUTIONS)? {
        let stats = outcomes::read_stats(tx, solution.key)?;
        shown.push(SolutionView {
            suggested: pattern.suggested_solution == Some(solution.key),
            set: pattern.overrides.solution == Some(solution.key),
            wrong: solution.is_wrong,
            solution_id: solution.id,
            steps: solution.steps,
            env_bucket: solution.env_bucket,
            worked: stats.iter().map(|row| row.worked).fold(0, u32::saturating_add),
            failed: stats.iter().map(|row| row.failed).fold(0, u32::saturating_add),
            last_confirmed_at: stats.iter().filter_map(|row| row.last_confirmed_at).max().map(format_iso),
            created_at: format_iso(solution.created_at),
        });
    }
    shown.stable_sort_by_key(|solution| !solution.suggested);
    Ok(shown)
}

/// Returns the confidence over time: from the reports before the first stored day, then for each stored day, then now.
fn build_confidence_curve(
    pattern: &Pattern,
    reports: &[Report],
    days: &[DailyCounts],
    now: i64,
) -> Vec<ConfidencePoint> {
    let point = |at: i64, occurrences, resolutions, known| ConfidencePoint {
        at: format_iso(at),
        confidence: confidence(resolutions, occurrences),
        occurrences,
        resolutions,
        known,
    };
    let since = days.first().map_or(now, |first| first.day.saturating_mul(DAY_MS));
    let before: Vec<&Report> = reports.iter().rev().filter(|report| report.created_at < since).collect();
    let mut points = Vec::new();
    if pattern.first_seen_at < since {
        points.push(point(pattern.first_seen_at, u32::from(!pattern.is_builtin), 0, false));
    }
    let (mut seen_failures, mut resolved_failures) = (BTreeSet::new(), BTreeSet::new());
    for report in before {
        let failure = (report.run_id.as_ref().unwrap_or(&report.id), report.case_name.as_ref());
        seen_failures.insert(failure);
        if report.worked && !report.is_wrong {
            resolved_failures.insert(failure);
        }
        points.push(point(
            report.created_at,
            saturate_to_u32(seen_failures.len()),
            saturate_to_u32(resolved_failures.len()),
            false,
        ));
    }
    for day in days {
        let end = day.day.saturating_add(1).saturating_mul(DAY_MS).saturating_sub(1).min(now);
        points.push(point(end, day.occurrences, day.resolutions, true));
    }
    if points.last().is_none_or(|last| last.at != format_iso(now)) {
        points.push(point(now, pattern.occurrences, pattern.resolutions, true));
    }
    points
}

type OccurrencesPage = (Vec<PatternOccurrence>, u32, Vec<AffectedTest>);

/// Finds failures by the case and by the signatures that the pattern and its merged patterns had.
fn find_occurrences_of_learned(
    tx: &mut Tx<'_>,
    pattern: &Pattern,
    merged: &[Pattern],
    limit: u32,
    offset: u32,
) -> Result<OccurrencesPage, EngineError> {
    let mut found: Vec<(FailureOccurrence, &str)> = Vec::new();
    for part in merged.iter().chain([pattern]) {
        let signatures: BTreeSet<String> = sorted_listing::list_signatures(tx, part.key)?.into_iter().collect();
        let occurrences = case_history::list_occurrences(tx, &part.case_name, MAX_CASE_FAILURES)?;
        let own = occurrences.into_iter().filter(|occurrence| signatures.contains(&occurrence.signature));
        found.extend(own.map(|occurrence| (occurrence, part.case_name.as_str())));
    }
    found.stable_sort_by_key(|(occurrence, _)| std::cmp::Reverse((occurrence.run, occurrence.seq)));
    found.dedup_by(|(a, _), (b, _)| a == b);
    let tests = count_by_test(tx, &found)?;
    let total = saturate_to_u32(found.len());
    let mut seen = Vec::new();
    for (occurrence, case_name) in take_page(found, limit, offset) {
        let at = case_history::describe_occurrence(tx, &occurrence)?;
        seen.extend(at.map(|(run_id, started_at, headline)| PatternOccurrence {
            run_id,
            timestamp: format_iso(started_at),
            case_name: case_name.to_owned(),
            headline,
        }));
    }
    Ok((seen, total, tests))
}

fn count_by_test(tx: &mut Tx<'_>, found: &[(FailureOccurrence, &str)]) -> Result<Vec<AffectedTest>, EngineError> {
    let mut by_name: BTreeMap<&str, (u32, &FailureOccurrence)> = BTreeMap::new();
    for (occurrence, name) in found {
        by_name.entry(name).or_insert((0, occurrence)).0 += 1;
    }
    let mut counted: Vec<_> = by_name.into_iter().collect();
    counted.stable_sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let mut tests = Vec::new();
    for (name, (failures, last)) in counted.into_iter().take(MAX_TESTS) {
        if let Some((last_run_id, started_at, _)) = case_history::describe_occurrence(tx, last)? {
            tests.push(AffectedTest {
                case_name: name.to_owned(),
                failures,
                last_run_id,
                last_seen_at: format_iso(started_at),
            });
        }
    }
    Ok(tests)
}

/// Finds failures of the category in the newest runs.
fn find_occurrences_of_builtin(
    tx: &mut Tx<'_>,
    pattern: &Pattern,
    limit: u32,
    offset: u32,
) -> Result<OccurrencesPage, EngineError> {
    let mut found = Vec::new();
    for (key, run) in runs::list_newest(tx, MAX_SEARCHED_RUNS)? {
        if run.failed == 0 {
            continue;
        }
        let limit_left = MAX_FOUND_FAILURES.saturating_sub(found.len());
        for failed in case_history::list_failed_of_category(tx, key, pattern.category, saturate_to_u32(limit_left))? {
            found.push(PatternOccurrence {
                run_id: run.id.clone(),
                timestamp: format_iso(run.started_at),
                case_name: failed.name,
                headline: failed.headline,
            });
        }
    }
    let mut by_name: BTreeMap<&str, (u32, &PatternOccurrence)> = BTreeMap::new();
    for seen in &found {
        by_name.entry(&seen.case_name).or_insert((0, seen)).0 += 1;
    }
    let mut counted: Vec<_> = by_name.into_iter().collect();
    counted.stable_sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let test = |(name, (failures, last)): (&str, (u32, &PatternOccurrence))| AffectedTest {
        case_name: name.to_owned(),
        failures,
        last_run_id: last.run_id.clone(),
        last_seen_at: last.timestamp.clone(),
    };
    let tests = counted.into_iter().take(MAX_TESTS).map(test).collect();
    let total = saturate_to_u32(found.len());
    Ok((take_page(found, limit, offset), total, tests))
}
