//! Selects the best fix for a failure: the fix of its own pattern, otherwise a fix that was learned for the same error
//! in another case, otherwise the text of a built-in pattern. Confidence is not used, because it drops with each
//! diagnosis without a reported fix.

use super::{
    fix_results::{self, FixResults},
    matching::Match,
};
use crate::{
    Engine,
    answer::{fix_change, message_text, row_conversion},
    contract::{Difference, FixTrialCounts, FixTrust, KnownPattern, SameCausePattern, SuggestionSource},
    memory::input_cleaning,
};
use argus_core::{
    Analysis, Category, FailureEvent,
    confidence::confidence,
    display,
    message_values::{differ_beyond_addresses, differ_in_values},
    similarity::similarity,
    summary::Summary,
};
use argus_store::{
    StoreError, Tx,
    patterns::{self, Pattern, similar_patterns},
    solutions::{SolutionKey, outcomes},
};

/// Maximum number of patterns with the same error that are considered.
const MAX_FAMILY_PATTERNS: u32 = 50;

/// Maximum number of differing lines, and of characters of each.
const MAX_DIFFERENCE_LINES: usize = 3;
const MAX_DIFFERENCE_CHARS: usize = 160;

/// Maximum characters of a message that are compared.
const MAX_COMPARED_CHARS: usize = 600;

/// A suggested fix and its origin.
#[derive(Clone, Default)]
pub(crate) struct Suggestion {
    pub(crate) fix: Option<String>,
    /// Results of trying the fix. `None` for a built-in tip.
    pub(crate) tried: Option<FixTrialCounts>,
    /// How far runs have proved the fix.
    pub(crate) trust: Option<FixTrust>,
    /// The pattern for which the fix was learned, if that is another pattern or its values differ.
    pub(crate) source_pattern: Option<Pattern>,
    /// Values that differ between that pattern and this failure.
    differences: Vec<Difference>,
    /// Number of reports that a fix from another pattern did not help this failure.
    failed_here: u32,
    /// A pattern of another case with the same error and values, if the failure has no pattern of its own.
    pub(crate) same_cause: Option<Pattern>,
}

impl Suggestion {
    pub(crate) fn suggested_from(&self) -> Option<SuggestionSource> {
        self.source_pattern.as_ref().map(|pattern| SuggestionSource {
            pattern_id: pattern.id.clone(),
            case_name: pattern.case_name.clone(),
            confidence: confidence(pattern.resolutions, pattern.occurrences),
            differences: self.differences.clone(),
        })
    }

    pub(crate) fn is_claimed(&self) -> bool {
        self.tried.is_some_and(FixTrialCounts::is_claimed)
    }

    /// Returns `true` if the fix was learned for this failure and a run proved it.
    pub(crate) fn is_own_and_proved(&self) -> bool {
        self.source_pattern.is_none() && self.tried.is_some_and(|tried| tried.proved > 0)
    }

    /// Returns `true` if all reports say that the fix failed.
    fn has_only_failed(&self) -> bool {
        self.tried.is_some_and(fix_results::has_only_failed)
    }

    pub(crate) fn describe_results(&self) -> Option<String> {
        self.fix.as_ref().map(|_| {
            let seen = self.trust.as_ref().and_then(fix_results::describe_passes);
            let here = if self.failed_here > 0 { "; it did not help here" } else { "" };
            let change = self.trust.as_ref().and_then(|trust| trust.change.as_ref()).filter(|change| change.unnamed);
            let other = change.map(|change| {
                format!("; it does not mention the change of {}", fix_change::format_changed_files(change))
            });
            fix_results::describe_fix_results(self.tried)
                + seen.as_deref().unwrap_or_default()
                + other.as_deref().unwrap_or_default()
                + here
        })
    }

    /// Returns a warning if the fix was tried for this failure and did not help.
    pub(crate) fn failed_here_warning(&self) -> Option<String> {
        let (steps, from) = (self.fix.as_ref()?, self.source_pattern.as_ref().filter(|_| self.failed_here > 0)?);
        let times = if self.failed_here == 1 { String::new() } else { format!(" {} times", self.failed_here) };
        Some(format!(
            "'{}' is suggested because it fixed the same error of '{}'; it was tried for this failure{times} and did not help.",
            message_text::quote(steps),
            message_text::quote(&from.case_name),
        ))
    }

    /// Returns the pattern of another case with the same error that comes first among the related patterns, with the
    /// results of trying its fix.
    pub(crate) fn first_related(&self) -> Option<(&Pattern, Option<FixTrialCounts>)> {
        self.source_pattern.as_ref().filter(|_| self.differences.is_empty()).map(|pattern| (pattern, self.tried))
    }

    pub(crate) fn same_cause_as(&self) -> Option<SameCausePattern> {
        let pattern = self.same_cause.as_ref()?;
        Some(SameCausePattern { pattern_id: pattern.id.clone(), case_name: pattern.case_name.clone() })
    }
}

/// Similarity and differing lines of two failures with the same normalized text. `None` if their values are equal.
pub(crate) type DifferingValues = Option<(f64, Vec<Difference>)>;

/// The fix of the failure's own pattern.
#[derive(Clone)]
pub(crate) struct OwnFix {
    pub(crate) results: Option<FixResults>,
    /// Comparison with the failure that the pattern was learned from.
    pub(crate) values: DifferingValues,
}

/// Returns the own fix of the matched pattern, if it has one.
pub(crate) fn load_own_fix(tx: &mut Tx<'_>, analysis: &Analysis, found: &Match) -> Result<Option<OwnFix>, StoreError> {
    let Some(own) = found.pattern.as_ref().filter(|pattern| fix_results::has_own_fix(pattern)) else { return Ok(None) };
    let results = fix_results::load_fix_results(tx, own)?;
    let values = if found.is_by_signature() { compare_values(tx, analysis, own)? } else { None };
    Ok(Some(OwnFix { results, values }))
}

/// Returns the known pattern of a matched failure and the best fix for the failure.
pub(crate) fn find_known_pattern(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    found: &Match,
    case_name: &str,
) -> Result<Option<KnownPattern>, StoreError> {
    let own_fix = load_own_fix(tx, analysis, found)?;
    let suggested = find_best_suggestion(engine, tx, analysis, found, case_name, own_fix)?;
    // A fix of another pattern counts as known even if this failure has no pattern.
    let elsewhere = suggested.source_pattern.as_ref().or(suggested.same_cause.as_ref());
    let Some(pattern) = found.pattern.as_ref().or(elsewhere) else { return Ok(None) };
    let origin = suggested.suggested_from();
    let own_confidence = || confidence(pattern.resolutions, pattern.occurrences);
    Ok(Some(KnownPattern {
        pattern_id: pattern.id.clone(),
        confidence: origin.as_ref().map_or_else(own_confidence, |origin| origin.confidence),
        tried: suggested.tried,
        claimed: suggested.is_claimed(),
        fix_status: suggested.describe_results(),
        same_cause_as: suggested.same_cause_as(),
        suggested_from: origin,
        suggested_fix: suggested.fix,
        trust: suggested.trust,
    }))
}

/// Returns the best fix for a matched failure.
pub(crate) fn find_best_suggestion(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    found: &Match,
    case_name: &str,
    own_fix: Option<OwnFix>,
) -> Result<Suggestion, StoreError> {
    let pattern = found.pattern.as_ref();
    let tip = pattern.and_then(|pattern| row_conversion::find_suggested_fix(pattern, engine.options.locale));
    let own = own_fix.map(|own_fix| suggest_own_fix(found, own_fix, tip.clone()));
    let is_set = pattern.is_some_and(|pattern| pattern.overrides.solution.is_some());
    let has_own = own.is_some();
    // A refuted fix is not suggested unless a person set it.
    if let Some(own) = own.filter(|own| is_set || !own.has_only_failed()) {
        return Ok(own);
    }
    let SameErrorPatterns { fixed, known } = find_same_error(tx, analysis, found, case_name)?;
    let same_cause = known.filter(|_| pattern.is_none_or(|pattern| pattern.is_builtin));
    Ok(match fixed {
        Some(PatternWithFix { pattern, results: FixResults { tried, trust }, failed_here, differences }) => {
            Suggestion {
                fix: pattern.best_fix.clone(),
                tried: Some(tried),
                trust,
                source_pattern: Some(pattern),
                differences,
                failed_here,
                same_cause,
            }
        }
        None => Suggestion { fix: tip.filter(|_| !has_own), same_cause, ..Suggestion::default() },
    })
}

/// Builds the suggestion of the pattern's own fix.
fn suggest_own_fix(found: &Match, OwnFix { results, values }: OwnFix, fix: Option<String>) -> Suggestion {
    let (tried, trust) = results.map(|results| (results.tried, results.trust)).unzip();
    let (from, differences) =
        values.map_or((None, Vec::new()), |(_, differences)| (found.pattern.clone(), differences));
    Suggestion {
        fix,
        tried,
        trust: trust.flatten(),
        source_pattern: from,
        differences,
        failed_here: 0,
        same_cause: None,
    }
}

/// Patterns with the same error in other cases.
#[derive(Default)]
struct SameErrorPatterns {
    /// The pattern with the best fix.
    fixed: Option<PatternWithFix>,
    /// The first pattern with the same values, with or without a fix.
    known: Option<Pattern>,
}

struct PatternWithFix {
    pattern: Pattern,
    /// Results of trying the fix, including reports for this failure.
    results: FixResults,
    failed_here: u32,
    differences: Vec<Difference>,
}

impl PatternWithFix {
    fn rank(&self) -> (bool, bool, FixRank) {
        (self.failed_here == 0, self.differences.is_empty(), rank_fix(&self.pattern, Some(self.results.tried)))
    }
}

fn find_same_error(
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    found: &Match,
    case_name: &str,
) -> Result<SameErrorPatterns, StoreError> {
    let others = found.different_patterns(tx)?;
    let is_allowed = |pattern: &Pattern| found.shown_key() != Some(pattern.key) && !others.contains(&pattern.key);
    let mut candidates = similar_patterns::list_by_family(tx, &analysis.signatures.family, MAX_FAMILY_PATTERNS)?;
    // The family signature depends on the function, so equal messages of other functions are found by their text.
    for (key, text) in
        similar_patterns::list_texts_by_bands(tx, argus_core::similarity::minhash_sketch(&analysis.normalized_error))?
    {
        if text == analysis.normalized_error
            && let Some(pattern) = patterns::get(tx, key)?
        {
            candidates.push(pattern);
        }
    }
    let mut same = SameErrorPatterns::default();
    candidates.retain(|pattern| !pattern.is_builtin && !pattern.is_provisional() && is_allowed(pattern));
    for pattern in candidates {
        let differences = compare_values(tx, analysis, &pattern)?.map_or_else(Vec::new, |(_, found)| found);
        if differences.is_empty() {
            same.known.get_or_insert_with(|| pattern.clone());
        } else if analysis.classification.category == Category::AssertionMismatch {
            // Two assertions with other values are different failures.
            continue;
        }
        let results = fix_results::load_fix_results(tx, &pattern)?;
        let Some(mut results) = results.filter(|results| !fix_results::has_only_failed(results.tried)) else {
            continue;
        };
        let failed_here = count_failures_here(tx, found, case_name, &pattern)?;
        results.tried.failed += failed_here;
        let fixed = PatternWithFix { pattern, results, failed_here, differences };
        if same.fixed.as_ref().is_none_or(|best| fixed.rank() > best.rank()) {
            same.fixed = Some(fixed);
        }
    }
    Ok(same)
}

/// Returns the number of reports that the fix of another pattern did not help this failure, on its own pattern or on
/// the built-in pattern that matches it.
fn count_failures_here(tx: &mut Tx<'_>, found: &Match, case_name: &str, fixed: &Pattern) -> Result<u32, StoreError> {
    let (Some(own), Some(fix)) = (&found.own_pattern, &fixed.best_fix) else { return Ok(0) };
    let digest = input_cleaning::steps_digest(fix);
    let on_own = outcomes::count_failures_of_steps(tx, own.key, &digest, None)?;
    match found.pattern.as_ref().filter(|shown| shown.is_builtin) {
        Some(builtin) => Ok(on_own + outcomes::count_failures_of_steps(tx, builtin.key, &digest, Some(case_name))?),
        None => Ok(on_own),
    }
}

/// Sort key of a pattern's fix: whether it was tried, whether it is proved, successes minus failures, claims, then age.
/// A diagnosis does not change this key.
pub(crate) type FixRank = (bool, bool, i64, u32, Option<SolutionKey>);

pub(crate) fn rank_fix(pattern: &Pattern, tried: Option<FixTrialCounts>) -> FixRank {
    let FixTrialCounts { proved, claimed, failed } = tried.unwrap_or_default();
    let balance = i64::from(proved) - i64::from(failed);
    (tried.is_some(), proved > 0, balance, claimed, pattern.suggested_solution)
}

/// Compares a failure with the failure that a pattern was learned from.
pub(crate) fn compare_values(
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    pattern: &Pattern,
) -> Result<DifferingValues, StoreError> {
    let sample = patterns::read_sample(tx, pattern.key)?;
    let Some(event) = sample.and_then(|sample| serde_json::from_str::<FailureEvent>(&sample).ok()) else {
        return Ok(None);
    };
    let message = |text: &str| Summary::read(text).message(MAX_COMPARED_CHARS);
    let (before, now) = (message(&event.text), message(&analysis.redacted));
    // The compared values of an assertion can be times or words, so any difference counts.
    let is_assertion = analysis.classification.category == Category::AssertionMismatch;
    let differ = |before: &str, now: &str| {
        if is_assertion { differ_beyond_addresses(before, now) } else { differ_in_values(before, now) }
    };
    let lines = before.lines().zip(now.lines()).filter(|(before, now)| differ(before, now));
    let line = |text: &str| display::sanitize_line(text, MAX_DIFFERENCE_CHARS);
    let differences: Vec<_> = lines
        .take(MAX_DIFFERENCE_LINES)
        .map(|(before, now)| Difference { before: line(before), now: line(now) })
        .collect();
    // The mean of 1, which is the similarity of the normalized texts, and the similarity of the printed texts.
    Ok((!differences.is_empty()).then(|| (f64::midpoint(1.0, similarity(&before, &now)).min(0.99), differences)))
}
