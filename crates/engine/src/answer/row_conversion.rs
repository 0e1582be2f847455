//! Converts stored rows to the types of `contract`. Values that a person set replace learned values.

use crate::{
    answer::time_format::format_iso,
    contract::{
        BriefFailingSince, BriefVerdict, CaseRecord, CaseVerdict, FailingSince, FailurePattern, FixRecord,
        FixTrialCounts, PatternSource, PatternTableRow, RunRecord, RunStatus, Shuffle,
    },
    failures::fix_results,
};
use argus_core::{
    builtin::{BUILTIN_PATTERNS, BuiltinPattern, Locale},
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

pub(crate) fn convert_pattern(stored: &Pattern, tried: Option<FixTrialCounts>, locale: Locale) -> FailurePattern {
    let builtin = find_builtin(stored);
    let readable = || format!("{}::{}::{}", stored.category, stored.case_name, stored.normalized);
    FailurePattern {
        id: stored.id.clone(),
        category: stored.shown_category(),
        signature: stored.signature.clone(),
        signature_pattern: builtin.map_or_else(readable, |known| known.signature_pattern.to_owned()),
        description: find_description(stored),
        fix_status: find_suggested_fix(stored, locale).map(|_| fix_results::describe_fix_results(tried)),
        suggested_fix: find_suggested_fix(stored, locale),
        tried,
        claimed: tried.is_some_and(FixTrialCounts::is_claimed),
        confidence: confidence(stored.resolutions, stored.occurrences),
        occurrences: stored.occurrences.max(u32::from(stored.is_provisional())),
        resolutions: stored.resolutions,
        source: if stored.is_builtin { PatternSource::BuiltIn } else { PatternSource::Learned },
        provisional: stored.is_provisional(),
        first_seen_at: format_iso(stored.first_seen_at),
        last_seen_at: format_iso(stored.last_seen_at),
        updated_at: format_iso(stored.updated_at),
    }
}

const MAX_ROW_FIX_BYTES: usize = 1000;

/// Converts a pattern to a row of the viewer's table.
pub(crate) fn convert_pattern_to_row(stored: &Pattern, locale: Locale) -> PatternTableRow {
    PatternTableRow {
        id: stored.id.clone(),
        category: stored.shown_category(),
        description: find_description(stored),
        suggested_fix: find_suggested_fix(stored, locale).map(|fix| display::truncate_chars(&fix, MAX_ROW_FIX_BYTES)),
        confidence: confidence(stored.resolutions, stored.occurrences),
        occurrences: stored.occurrences,
        resolutions: stored.resolutions,
        source: if stored.is_builtin { PatternSource::BuiltIn } else { PatternSource::Learned },
        case_name: (!stored.is_builtin).then(|| stored.case_name.clone()),
        first_seen_at: format_iso(stored.first_seen_at),
        last_seen_at: format_iso(stored.last_seen_at),
        edited: stored.overrides.has_overrides(),
    }
}

/// Returns the description that a person set, otherwise the text of the built-in pattern, otherwise the learned
/// description.
pub(crate) fn find_description(stored: &Pattern) -> String {
    match (&stored.overrides.description, find_builtin(stored)) {
        (None, Some(known)) => known.description.to_owned(),
        _ => stored.shown_description().to_owned(),
    }
}

/// Returns the fix that a person set, otherwise the text of the built-in pattern in the reader's language, otherwise
/// the best reported fix.
pub(crate) fn find_suggested_fix(stored: &Pattern, locale: Locale) -> Option<String> {
    match find_builtin(stored) {
        Some(known) if stored.overrides.solution.is_none() => Some(known.suggested_fix(locale).to_owned()),
        _ => stored.best_fix.clone(),
    }
}

/// Converts a fix in the history of `stored`, even if the fix was counted on another pattern. The description is
/// shortened to `most` characters.
pub(crate) fn convert_fix(stored: &Pattern, fix: Fix, most: usize) -> FixRecord {
    let counts_passes = fix.worked && fix.passes_needed > 1;
    FixRecord {
        id: fix.id,
        pattern_id: stored.id.clone(),
        run_id: fix.run_id,
        case_name: fix.case_name,
        of_other_failure: false,
        fix_description: display::truncate_chars(&fix.steps, most),
        success: fix.worked && !fix.is_wrong,
        state: fix.worked.then(|| fix_results::proof_state(fix.proved_by.as_deref(), fix.refuted_by.as_deref())),
        passes: counts_passes.then_some(fix.passes),
        passes_needed: counts_passes.then_some(fix.passes_needed),
        proved_by: fix.proved_by,
        refuted_by: fix.refuted_by,
        created_at: format_iso(fix.created_at),
        recorded_by: fix.recorded.by,
        recorded_from: fix.recorded.from,
    }
}

/// Parses the stored shuffle options of a run.
pub(crate) fn parse_shuffle(stored: Option<&str>) -> Option<Shuffle> {
    stored.and_then(|json| serde_json::from_str(json).ok())
}

pub(crate) fn convert_run(stored: Run) -> RunRecord {
    RunRecord {
        id: stored.id,
        timestamp: format_iso(stored.started_at),
        git_commit: stored.git_commit,
        git_branch: stored.git_branch,
        foreign: stored.is_foreign,
        shuffle: parse_shuffle(stored.shuffle.as_deref()),
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

pub(crate) fn convert_case(stored: Case) -> CaseRecord {
    let failure = stored.failure.map(|failure| *failure);
    let found = failure.as_ref().and_then(parse_stored_verdict);
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
        verdict: found.as_ref().map(shorten_verdict),
        cause_id: found.as_ref().map(|found| found.cause_id.clone()),
        precedents: found.and_then(|found| found.precedents),
    }
}

/// Parses the verdict that was stored with the failure when its run was recorded.
pub(crate) fn parse_stored_verdict(failure: &Failure) -> Option<CaseVerdict> {
    failure.verdict.as_deref().and_then(|verdict| serde_json::from_str(verdict).ok())
}

/// Minimum probability of the commit that a short verdict names. A commit that is hardly more likely than all others
/// together is not named without its probability.
const MIN_SUSPICION: f64 = 0.6;

pub(crate) fn shorten_verdict(CaseVerdict { verdict, suspects, .. }: &CaseVerdict) -> BriefVerdict {
    let is_caused_by_code = matches!(verdict.kind, VerdictKind::Regression | VerdictKind::Broken);
    let suspect = suspects.first().filter(|one| is_caused_by_code && one.probability >= MIN_SUSPICION);
    BriefVerdict {
        kind: verdict.kind,
        probability: round_to_two_digits(verdict.probability),
        suspect: suspect.map(|one| one.commit.clone()),
        lost: suspect.is_some_and(|one| one.lost),
        since: verdict.since.as_ref().and_then(shorten_since),
    }
}

fn shorten_since(FailingSince { started_at, runs, edited, .. }: &FailingSince) -> Option<BriefFailingSince> {
    // A failure that started in the current run gets no entry, because the entry would take room from other failures.
    let since = BriefFailingSince { started_at: started_at.clone()?, runs: (*runs)?, edited: edited.clone() };
    Some(since).filter(|since| since.runs > 1 || !since.edited.is_empty())
}

/// Rounds a probability for an answer.
pub(crate) fn round_to_two_digits(probability: f64) -> f64 {
    (probability * 100.0).round() / 100.0
}

pub(crate) fn find_builtin(stored: &Pattern) -> Option<&'static BuiltinPattern> {
    BUILTIN_PATTERNS.iter().find(|builtin| stored.is_builtin && builtin.id == stored.id)
}
