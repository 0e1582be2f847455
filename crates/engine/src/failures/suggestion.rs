//! Selects the best fix for a failure: the fix of its own pattern, otherwise a fix that was learned for the same error
//! in another case, otherwise the text of a built-in pattern. Confidence is not used, because it drops with each
//! diagnosis without a reported fix.

use super::{
    matching::Match,
    trial::{self, Trial},
};
use crate::{
    Engine,
    answer::{fix_change, text, view},
    contract::{Difference, FixTrust, KnownPattern, SameCause, SuggestedFrom, Tried},
    memory::input,
};
use argus_core::{
    Analysis, Category, FailureEvent,
    confidence::confidence,
    display,
    similarity::similarity,
    summary::Summary,
    values::{differ_beside_addresses, differ_in_values},
};
use argus_store::{
    StoreError, Tx,
    patterns::{self, Pattern, similar},
    solutions::{SolutionKey, outcomes},
};

/// Maximum number of patterns of one error that are considered.
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
    /// Results of trying it. None for a built-in tip.
    pub(crate) tried: Option<Tried>,
    /// How far runs have proved it.
    pub(crate) trust: Option<FixTrust>,
    /// The pattern that it was learned for, if that is another pattern or had other values.
    pub(crate) from: Option<Pattern>,
    /// Differing values, there and here.
    differences: Vec<Difference>,
    /// Number of reports that it did not help this failure, for which it was not learned.
    failed_here: u32,
    /// A pattern of another case with the same error and values, if the failure has no pattern of its own.
    pub(crate) same_cause: Option<Pattern>,
}

impl Suggestion {
    pub(crate) fn suggested_from(&self) -> Option<SuggestedFrom> {
        self.from.as_ref().map(|pattern| SuggestedFrom {
            pattern_id: pattern.id.clone(),
            case_name: pattern.case_name.clone(),
            confidence: confidence(pattern.resolutions, pattern.occurrences),
            differences: self.differences.clone(),
        })
    }

    pub(crate) fn is_claimed(&self) -> bool {
        self.tried.is_some_and(Tried::is_claimed)
    }

    /// Returns `true` if it was learned for this failure and proved by a run.
    pub(crate) fn is_own_and_proved(&self) -> bool {
        self.from.is_none() && self.tried.is_some_and(|tried| tried.proved > 0)
    }

    /// Returns `true` if it has failed and was never proved.
    fn has_only_failed(&self) -> bool {
        self.tried.is_some_and(trial::has_only_failed)
    }

    pub(crate) fn describe_trial(&self) -> Option<String> {
        self.fix.as_ref().map(|_| {
            let seen = self.trust.as_ref().and_then(trial::describe_passes);
            let here = if self.failed_here > 0 { "; it did not help here" } else { "" };
            let change = self.trust.as_ref().and_then(|trust| trust.change.as_ref()).filter(|change| change.unnamed);
            let other =
                change.map(|change| format!("; {} changed then, which it does not mention", fix_change::files(change)));
            trial::describe_trial(self.tried)
                + seen.as_deref().unwrap_or_default()
                + other.as_deref().unwrap_or_default()
                + here
        })
    }

    /// Warning if it did not help this failure.
    pub(crate) fn warning(&self) -> Option<String> {
        let (steps, from) = (self.fix.as_ref()?, self.from.as_ref().filter(|_| self.failed_here > 0)?);
        let times = if self.failed_here == 1 { String::new() } else { format!(" {} times", self.failed_here) };
        Some(format!(
            "'{}' is suggested because it fixed the same error of '{}'; it was tried here{times} and did not help.",
            text::quoted(steps),
            text::quoted(&from.case_name),
        ))
    }

    /// The pattern of another case with the same error that is listed first among the related patterns, with the results of
    /// trying its fix.
    pub(crate) fn first_related(&self) -> Option<(&Pattern, Option<Tried>)> {
        self.from.as_ref().filter(|_| self.differences.is_empty()).map(|pattern| (pattern, self.tried))
    }

    pub(crate) fn same_cause_as(&self) -> Option<SameCause> {
        let pattern = self.same_cause.as_ref()?;
        Some(SameCause { pattern_id: pattern.id.clone(), case_name: pattern.case_name.clone() })
    }
}

/// Similarity and differing lines of two failures with the same normalized text. None if their values are equal.
pub(crate) type DifferingValues = Option<(f64, Vec<Difference>)>;

/// The fix of the failure's own pattern.
#[derive(Clone)]
pub(crate) struct OwnFix {
    pub(crate) trial: Option<Trial>,
    /// Comparison with the failure that the pattern was learned from.
    pub(crate) values: DifferingValues,
}

/// Returns the fix of the pattern. None if it has none.
pub(crate) fn own_fix(tx: &mut Tx<'_>, analysis: &Analysis, found: &Match) -> Result<Option<OwnFix>, StoreError> {
    let Some(own) = found.pattern.as_ref().filter(|pattern| trial::has_own_fix(pattern)) else { return Ok(None) };
    let trial = trial::trial_of(tx, own)?;
    let values = if found.is_by_signature() { differing_values(tx, analysis, own)? } else { None };
    Ok(Some(OwnFix { trial, values }))
}

/// Returns the known pattern of a matched failure with the best fix.
pub(crate) fn known_pattern(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    found: &Match,
    case_name: &str,
) -> Result<Option<KnownPattern>, StoreError> {
    let own_fix = own_fix(tx, analysis, found)?;
    let suggested = best_suggestion(engine, tx, analysis, found, case_name, own_fix)?;
    // A fix of another pattern counts as known even if this failure has no pattern.
    let elsewhere = suggested.from.as_ref().or(suggested.same_cause.as_ref());
    let Some(pattern) = found.pattern.as_ref().or(elsewhere) else { return Ok(None) };
    let origin = suggested.suggested_from();
    let own_confidence = || confidence(pattern.resolutions, pattern.occurrences);
    Ok(Some(KnownPattern {
        pattern_id: pattern.id.clone(),
        confidence: origin.as_ref().map_or_else(own_confidence, |origin| origin.confidence),
        tried: suggested.tried,
        claimed: suggested.is_claimed(),
        standing: suggested.describe_trial(),
        same_cause_as: suggested.same_cause_as(),
        suggested_from: origin,
        suggested_fix: suggested.fix,
        trust: suggested.trust,
    }))
}

/// Returns the best fix for a matched failure.
pub(crate) fn best_suggestion(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    found: &Match,
    case_name: &str,
    own_fix: Option<OwnFix>,
) -> Result<Suggestion, StoreError> {
    let pattern = found.pattern.as_ref();
    let tip = pattern.and_then(|pattern| view::suggested_fix(pattern, engine.options.locale));
    let own = own_fix.map(|own_fix| of_its_own(found, own_fix, tip.clone()));
    let is_set = pattern.is_some_and(|pattern| pattern.overrides.solution.is_some());
    let has_own = own.is_some();
    // A refuted fix is not suggested unless a person set it.
    if let Some(own) = own.filter(|own| is_set || !own.has_only_failed()) {
        return Ok(own);
    }
    let SameError { fixed, known } = same_error(tx, analysis, found, case_name)?;
    let same_cause = known.filter(|_| pattern.is_none_or(|pattern| pattern.is_builtin));
    Ok(match fixed {
        Some(FixedPattern { pattern, trial: Trial { tried, trust }, failed_here, differences }) => Suggestion {
            fix: pattern.best_fix.clone(),
            tried: Some(tried),
            trust,
            from: Some(pattern),
            differences,
            failed_here,
            same_cause,
        },
        None => Suggestion { fix: tip.filter(|_| !has_own), same_cause, ..Suggestion::default() },
    })
}

/// The fix of the pattern itself.
fn of_its_own(found: &Match, OwnFix { trial, values }: OwnFix, fix: Option<String>) -> Suggestion {
    let (tried, trust) = trial.map(|trial| (trial.tried, trial.trust)).unzip();
    let (from, differences) =
        values.map_or((None, Vec::new()), |(_, differences)| (found.pattern.clone(), differences));
    Suggestion { fix, tried, trust: trust.flatten(), from, differences, failed_here: 0, same_cause: None }
}

/// Patterns of the same error in other cases.
#[derive(Default)]
struct SameError {
    /// The pattern with the best fix.
    fixed: Option<FixedPattern>,
    /// The first pattern with the same values, with or without a fix.
    known: Option<Pattern>,
}

struct FixedPattern {
    pattern: Pattern,
    /// Results of trying the fix, including reports for this failure.
    trial: Trial,
    failed_here: u32,
    differences: Vec<Difference>,
}

impl FixedPattern {
    fn evidence(&self) -> (bool, bool, Evidence) {
        (self.failed_here == 0, self.differences.is_empty(), evidence(&self.pattern, Some(self.trial.tried)))
    }
}

fn same_error(tx: &mut Tx<'_>, analysis: &Analysis, found: &Match, case_name: &str) -> Result<SameError, StoreError> {
    let others = found.others(tx)?;
    let may_be = |pattern: &Pattern| found.shown_key() != Some(pattern.key) && !others.contains(&pattern.key);
    let mut candidates = similar::of_family(tx, &analysis.signatures.family, MAX_FAMILY_PATTERNS)?;
    // The same message in another function has another family signature.
    for (key, text) in similar::of_bands(tx, argus_core::similarity::sketch(&analysis.normalized_error))? {
        if text == analysis.normalized_error
            && let Some(pattern) = patterns::get(tx, key)?
        {
            candidates.push(pattern);
        }
    }
    let mut same = SameError::default();
    candidates.retain(|pattern| !pattern.is_builtin && !pattern.is_provisional() && may_be(pattern));
    for pattern in candidates {
        let differences = differing_values(tx, analysis, &pattern)?.map_or_else(Vec::new, |(_, found)| found);
        if differences.is_empty() {
            same.known.get_or_insert_with(|| pattern.clone());
        } else if analysis.classification.category == Category::AssertionMismatch {
            // Two assertions with other values are different failures.
            continue;
        }
        let trial = trial::trial_of(tx, &pattern)?;
        let Some(mut trial) = trial.filter(|trial| !trial::has_only_failed(trial.tried)) else { continue };
        let failed_here = failed_here(tx, found, case_name, &pattern)?;
        trial.tried.failed += failed_here;
        let fixed = FixedPattern { pattern, trial, failed_here, differences };
        if same.fixed.as_ref().is_none_or(|best| fixed.evidence() > best.evidence()) {
            same.fixed = Some(fixed);
        }
    }
    Ok(same)
}

/// Number of reports that the fix of another pattern did not help this failure, on its own pattern or on the built-in pattern
/// that matches it.
fn failed_here(tx: &mut Tx<'_>, found: &Match, case_name: &str, fixed: &Pattern) -> Result<u32, StoreError> {
    let (Some(own), Some(fix)) = (&found.own, &fixed.best_fix) else { return Ok(0) };
    let digest = input::digest(fix);
    let on_own = outcomes::failures_of_steps(tx, own.key, &digest, None)?;
    match found.pattern.as_ref().filter(|shown| shown.is_builtin) {
        Some(builtin) => Ok(on_own + outcomes::failures_of_steps(tx, builtin.key, &digest, Some(case_name))?),
        None => Ok(on_own),
    }
}

/// Sort key of a pattern's fix: whether there is one, whether it is proved, successes minus failures, claims, then age. A
/// diagnosis does not change it.
pub(crate) type Evidence = (bool, bool, i64, u32, Option<SolutionKey>);

pub(crate) fn evidence(pattern: &Pattern, tried: Option<Tried>) -> Evidence {
    let Tried { proved, claimed, failed } = tried.unwrap_or_default();
    let balance = i64::from(proved) - i64::from(failed);
    (tried.is_some(), proved > 0, balance, claimed, pattern.suggests)
}

/// Compares a failure with the failure that a pattern was learned from.
pub(crate) fn differing_values(
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    pattern: &Pattern,
) -> Result<DifferingValues, StoreError> {
    let sample = patterns::sample(tx, pattern.key)?;
    let Some(event) = sample.and_then(|sample| serde_json::from_str::<FailureEvent>(&sample).ok()) else {
        return Ok(None);
    };
    let message = |text: &str| Summary::read(text).message(MAX_COMPARED_CHARS);
    let (before, now) = (message(&event.text), message(&analysis.redacted));
    // The compared values of an assertion can be times or words, so any difference counts.
    let is_assertion = analysis.classification.category == Category::AssertionMismatch;
    let differ = |before: &str, now: &str| {
        if is_assertion { differ_beside_addresses(before, now) } else { differ_in_values(before, now) }
    };
    let lines = before.lines().zip(now.lines()).filter(|(before, now)| differ(before, now));
    let line = |text: &str| display::line(text, MAX_DIFFERENCE_CHARS);
    let differences: Vec<_> = lines
        .take(MAX_DIFFERENCE_LINES)
        .map(|(before, now)| Difference { before: line(before), now: line(now) })
        .collect();
    // The mean of the similarity of the normalized texts, which is 1, and of the printed texts.
    Ok((!differences.is_empty()).then(|| (f64::midpoint(1.0, similarity(&before, &now)).min(0.99), differences)))
}
