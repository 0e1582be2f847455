//! Converts stored rows for the contract. Values that a person set replace learned values.

use crate::{
    answer::moment::iso,
    contract::{
        BriefVerdict, CaseRecord, CaseVerdict, FailurePattern, FixRecord, PatternSource, RunRecord, RunStatus, Shuffle,
        Tried, ViewPatternRow,
    },
    failures::trial,
};
use argus_core::{
    builtin::{BUILTINS, Builtin, Locale},
    confidence::confidence,
    display,
    evidence::verdict::VerdictKind,
};
use argus_report::CaseStatus;
use argus_store::{
    patterns::Pattern,
    runs::{
        Run,
        cases::{Case, Failure, Status},
    },
    solutions::Fix,
};

pub(crate) fn pattern(stored: &Pattern, tried: Option<Tried>, locale: Locale) -> FailurePattern {
    let builtin = builtin(stored);
    let readable = || format!("{}::{}::{}", stored.category, stored.case_name, stored.normalized);
    FailurePattern {
        id: stored.id.clone(),
        category: stored.shown_category(),
        signature: stored.signature.clone(),
        signature_pattern: builtin.map_or_else(readable, |known| known.signature_pattern.to_owned()),
        description: description(stored),
        standing: suggested_fix(stored, locale).map(|_| trial::describe_trial(tried)),
        suggested_fix: suggested_fix(stored, locale),
        tried,
        claimed: tried.is_some_and(Tried::is_claimed),
        confidence: confidence(stored.resolutions, stored.occurrences),
        occurrences: stored.occurrences.max(u32::from(stored.is_provisional())),
        resolutions: stored.resolutions,
        source: if stored.is_builtin { PatternSource::BuiltIn } else { PatternSource::Learned },
        provisional: stored.is_provisional(),
        first_seen_at: iso(stored.first_seen_at),
        last_seen_at: iso(stored.last_seen_at),
        updated_at: iso(stored.updated_at),
    }
}

const MAX_ROW_FIX_BYTES: usize = 1000;

/// Converts a pattern to a row of the table.
pub(crate) fn row(stored: &Pattern, locale: Locale) -> ViewPatternRow {
    ViewPatternRow {
        id: stored.id.clone(),
        category: stored.shown_category(),
        description: description(stored),
        suggested_fix: suggested_fix(stored, locale).map(|fix| display::shortened(&fix, MAX_ROW_FIX_BYTES)),
        confidence: confidence(stored.resolutions, stored.occurrences),
        occurrences: stored.occurrences,
        resolutions: stored.resolutions,
        source: if stored.is_builtin { PatternSource::BuiltIn } else { PatternSource::Learned },
        case_name: (!stored.is_builtin).then(|| stored.case_name.clone()),
        first_seen_at: iso(stored.first_seen_at),
        last_seen_at: iso(stored.last_seen_at),
        edited: stored.overrides.is_any(),
    }
}

/// Returns the description that a person set, otherwise the text of the built-in pattern, otherwise the learned
/// description.
pub(crate) fn description(stored: &Pattern) -> String {
    match (&stored.overrides.description, builtin(stored)) {
        (None, Some(known)) => known.description.to_owned(),
        _ => stored.shown_description().to_owned(),
    }
}

/// Returns the fix that a person set, otherwise the text of the built-in pattern in the reader's language, otherwise
/// the best reported fix.
pub(crate) fn suggested_fix(stored: &Pattern, locale: Locale) -> Option<String> {
    match builtin(stored) {
        Some(known) if stored.overrides.solution.is_none() => Some(known.suggested_fix(locale).to_owned()),
        _ => stored.best_fix.clone(),
    }
}

/// Converts a fix in the history of `stored`, even if the fix counted on another pattern. Its description has at most
/// `most` characters.
pub(crate) fn fix(stored: &Pattern, fix: Fix, most: usize) -> FixRecord {
    let counts_passes = fix.worked && fix.passes_needed > 1;
    FixRecord {
        id: fix.id,
        pattern_id: stored.id.clone(),
        run_id: fix.run_id,
        case_name: fix.case_name,
        of_other_failure: false,
        fix_description: display::shortened(&fix.steps, most),
        success: fix.worked && !fix.is_wrong,
        state: fix.worked.then(|| trial::state(fix.proved_by.as_deref(), fix.refuted_by.as_deref())),
        passes: counts_passes.then_some(fix.passes),
        passes_needed: counts_passes.then_some(fix.passes_needed),
        proved_by: fix.proved_by,
        refuted_by: fix.refuted_by,
        created_at: iso(fix.created_at),
        recorded_by: fix.recorded.by,
        recorded_from: fix.recorded.from,
    }
}

/// Reads the shuffle options of a run.
pub(crate) fn shuffle(stored: Option<&str>) -> Option<Shuffle> {
    stored.and_then(|json| serde_json::from_str(json).ok())
}

pub(crate) fn run(stored: Run) -> RunRecord {
    RunRecord {
        id: stored.id,
        timestamp: iso(stored.started_at),
        git_commit: stored.git_commit,
        git_branch: stored.git_branch,
        foreign: stored.is_foreign,
        shuffle: shuffle(stored.shuffle.as_deref()),
        dirty: stored.git_dirty,
        tree: None,
        command: stored.command,
        duration_ms: stored.duration_ms,
        passed: stored.passed,
        failed: stored.failed,
        skipped: stored.skipped,
        flaky: stored.flaky,
        status: if stored.has_failed { RunStatus::Failed } else { RunStatus::Passed },
    }
}

pub(crate) fn case(stored: Case) -> CaseRecord {
    let failure = stored.failure.map(|failure| *failure);
    let found = failure.as_ref().and_then(found_to_be);
    let (category, headline, signature, error) = match failure {
        Some(known) => (Some(known.category), Some(known.headline), Some(known.signature), known.error),
        None => (None, None, None, None),
    };
    CaseRecord {
        case_name: stored.name,
        status: match stored.status {
            Status::Passed => CaseStatus::Passed,
            Status::Failed => CaseStatus::Failed,
            Status::Skipped => CaseStatus::Skipped,
        },
        flaky: stored.flaky,
        runner_status: stored.runner_status,
        duration_ms: stored.duration_ms,
        attempts: stored.attempts,
        category,
        headline,
        error,
        signature,
        verdict: found.as_ref().map(brief_verdict),
        cause_id: found.as_ref().map(|found| found.cause_id.clone()),
        precedents: found.and_then(|found| found.precedents),
    }
}

/// Reads the verdict that was stored when the run was recorded.
pub(crate) fn found_to_be(failure: &Failure) -> Option<CaseVerdict> {
    failure.verdict.as_deref().and_then(|verdict| serde_json::from_str(verdict).ok())
}

/// Minimum probability of a commit in a brief verdict. Above it, the commit is more likely than all others together.
const MIN_SUSPICION: f64 = 0.5;

pub(crate) fn brief_verdict(CaseVerdict { verdict, suspects, .. }: &CaseVerdict) -> BriefVerdict {
    let is_of_code = matches!(verdict.kind, VerdictKind::Regression | VerdictKind::Broken);
    let suspect = suspects.first().filter(|one| is_of_code && one.probability >= MIN_SUSPICION);
    BriefVerdict {
        kind: verdict.kind,
        probability: two_digits(verdict.probability),
        suspect: suspect.map(|one| one.commit.clone()),
    }
}

/// Rounds a probability for an answer.
pub(crate) fn two_digits(probability: f64) -> f64 {
    (probability * 100.0).round() / 100.0
}

pub(crate) fn builtin(stored: &Pattern) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| stored.is_builtin && builtin.id == stored.id)
}
