//! Diagnoses a failure: category, verdict, known pattern and fixes. The diagnosis counts as an occurrence of the
//! pattern, unless the caller asks about the same failure again. If the database cannot be written, the answer is still
//! returned, with a warning.

use super::{
    fix_results,
    lookup::{self, FailedCase},
    matching::{self, Match},
    related,
    report_fix::pattern_not_found_error,
    suggestion::{self, DifferingValues, Suggestion},
};
use crate::{
    Engine, EngineError,
    answer::{message_text, row_conversion},
    contract::{
        CaseVerdict, Cause, DiagnoseParams, DiagnosticResult, FixRecord, FixTrialCounts, MemoryKind, PreviousFix,
        RelatedCommit, RelatedEntry, SuspectCommit, Verdict,
    },
    evidence::{
        failure_facts::build_failure_facts,
        fixes::{find_proved_fix, load_fixes},
        judging,
        learned_commits::{FailureLocation, find_related_commits},
    },
    memory,
    runs::{
        case_name::clean_name,
        cause::{self, CauseCases, FailureSummary},
    },
};
use argus_core::{
    Analysis, CallContext, FailureKind, builtin, evidence::verdict::VerdictKind, search::Query, stable_sort::StableSort,
};
use argus_store::{
    Tx,
    patterns::{
        self, PatternKey,
        merge_decisions::{self, NewMergeDecision},
        merging,
    },
    runs::{RunKey, cases},
};
use std::{cell::OnceCell, collections::HashSet};

/// Maximum number of fixes in an answer.
const MAX_FIXES: u32 = 20;

/// Maximum number of characters of each fix. The pattern's resource has the full text.
const MAX_FIX_CHARS: usize = 1000;

/// Maximum number of refuted fixes in the warnings.
const MAX_REFUTATIONS: usize = 3;

/// The knowledge of the database about a failure.
struct KnownFailure {
    found: Match,
    /// Results of trying the fix of the matched pattern.
    tried: Option<FixTrialCounts>,
    is_new_pattern: bool,
    history: Vec<FixRecord>,
    related: Vec<RelatedEntry>,
    suggested: Suggestion,
    /// Commit or edit that fixed the failure before, if no reported fix is known.
    mended_before: Option<PreviousFix>,
    /// Learned commits that may help, if no fix is known.
    changed_before: Vec<RelatedCommit>,
    /// Similarity and differing lines, if the signature is known but the values differ.
    values: DifferingValues,
}

impl KnownFailure {
    /// Returns `true` if a fix was reported on the shown pattern.
    fn has_own_fix(&self) -> bool {
        self.found.pattern.as_ref().is_some_and(fix_results::has_own_fix)
    }

    /// Returns `true` if the suggested fix has only failed.
    fn has_only_failed(&self) -> bool {
        self.tried.is_some_and(fix_results::has_only_failed)
    }
}

/// The analyzed failure, before it is matched with patterns.
struct AnalyzedFailure {
    run: RunKey,
    case: FailedCase,
    /// Verdict from all runs that are recorded now.
    verdict: Option<CaseVerdict>,
    analysis: Analysis,
    /// Search query for the debug memory. Created on demand, because for a long text it takes a fifth of the call.
    query: OnceCell<Query>,
    summary: FailureSummary,
    cause: Cause,
    exit_code: Option<i32>,
    signal: Option<String>,
}

impl AnalyzedFailure {
    fn query(&self, engine: &Engine) -> &Query {
        self.query.get_or_init(|| Query::new(&self.analysis.redacted, &engine.analyzer))
    }
}

/// Reads and analyzes the failure without a lock, then matches and counts it in one write transaction.
pub fn diagnose(
    engine: &Engine,
    context: &CallContext,
    params: &DiagnoseParams,
) -> Result<DiagnosticResult, EngineError> {
    let failure = analyze_failure(engine, context, params)?;
    let not_same_as = params.not_same_as.as_deref();
    let count = |tx: &mut Tx<'_>| {
        let known = count_diagnosis(engine, context, tx, &failure.case, &failure.analysis, not_same_as)?;
        mark_as_diagnosed(tx, &failure)?;
        if let Some(id) = not_same_as {
            record_difference(engine, context, tx, &failure.analysis, id)?;
        }
        Ok(add_hints(engine, context, tx, &failure, known))
    };
    let look = |tx: &mut Tx<'_>| {
        let known = look_up_without_counting(engine, tx, &failure.analysis, &failure.case.name)?;
        Ok(add_hints(engine, context, tx, &failure, known))
    };
    let was_counted = params.once == Some(true) && not_same_as.is_none() && failure.case.was_diagnosed();
    let (mut known, not_stored) = if was_counted {
        (engine.read(context, look)?, None)
    } else {
        match engine.write(context, count) {
            Ok(known) => (known, None),
            Err(error) if engine.can_answer_without_storing(&error) => (engine.read(context, look)?, Some(error)),
            Err(error) => return Err(error),
        }
    };
    if !known.has_own_fix() || known.has_only_failed() {
        let foreign = memory::finding::foreign::find_related(engine, context, &failure.analysis, failure.query(engine));
        known.related.extend(foreign);
    }
    Ok(build_answer(engine, failure, known, not_stored.as_ref()))
}

/// Reads the failure with its cause, and analyzes it.
fn analyze_failure(
    engine: &Engine,
    context: &CallContext,
    params: &DiagnoseParams,
) -> Result<AnalyzedFailure, EngineError> {
    let wanted = clean_name(engine, &params.case_name);
    let body = |tx: &mut Tx<'_>| -> Result<_, EngineError> {
        let (run, case) = lookup::find_failed_case(tx, &params.run_id, &wanted)?;
        let cases_of_cause = CauseCases::load(tx, run, &case)?;
        Ok((run, case, cases_of_cause))
    };
    let (run, case, cases_of_cause) = engine.read(context, body)?;
    let event = lookup::rebuild_event(&case.failure);
    let analysis = engine.analyzer.analyze(event.clone(), &case.name);
    let summary = cause::describe_failure(engine, &analysis, &event, &case.name);
    let facts = build_failure_facts(&case.name, case.failure.category, &analysis, &summary);
    let judge_earlier_failure =
        |tx: &mut Tx<'_>| judging::judge_earlier_failure_again(engine, tx, &case.run_id, &case.name, &facts, &analysis);
    let verdict =
        engine.read(context, judge_earlier_failure)?.or_else(|| row_conversion::parse_stored_verdict(&case.failure));
    let whole_cause = cases_of_cause.into_cause(&summary);
    Ok(AnalyzedFailure {
        run,
        case,
        verdict,
        analysis,
        query: OnceCell::new(),
        summary,
        cause: whole_cause,
        exit_code: event.exit_code,
        signal: event.signal,
    })
}

/// Marks the failure as diagnosed in its stored verdict. Failures that earlier versions recorded have no verdict, so
/// they cannot be marked.
fn mark_as_diagnosed(tx: &mut Tx<'_>, failure: &AnalyzedFailure) -> Result<(), EngineError> {
    let Some(verdict) =
        row_conversion::parse_stored_verdict(&failure.case.failure).filter(|verdict| verdict.diagnosed.is_none())
    else {
        return Ok(());
    };
    let noted = CaseVerdict { diagnosed: Some(true), ..verdict };
    let json = serde_json::to_string(&noted).map_err(|error| EngineError::invalid_input(error.to_string()))?;
    Ok(cases::set_verdict(tx, failure.run, &failure.case.name, &json)?)
}

fn count_diagnosis(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
    not_same_as: Option<&str>,
) -> Result<KnownFailure, EngineError> {
    let (mut found, counted_before) = match not_same_as {
        Some(id) => separate_from_pattern(engine, context, tx, case, analysis, id)?,
        None => (matching::find_match_after_resigning(engine, tx, analysis, &case.name)?, None),
    };
    if found.pattern.is_none() && found.own_pattern.is_none() {
        let mut known = collect_known(engine, tx, &case.name, analysis, found, true)?;
        matching::upsert_pattern(engine, context, tx, case, analysis, &mut known.found)?;
        return Ok(known);
    }
    matching::upsert_pattern(engine, context, tx, case, analysis, &mut found)?;
    if let Some(pattern) = found.pattern.as_mut().filter(|pattern| counted_before != Some(pattern.key)) {
        patterns::count_occurrence(tx, pattern, context.now_ms)?;
    }
    collect_known(engine, tx, &case.name, analysis, found, false)
}

/// Separates the failure from the pattern `id`, because the caller says that they are different (`notSameAs`). Matches
/// the failure again and moves its count. Returns the new match and the pattern that counted the failure before.
fn separate_from_pattern(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
    id: &str,
) -> Result<(Match, Option<PatternKey>), EngineError> {
    let other = patterns::find_by_id(tx, id.trim())?.filter(|pattern| !pattern.is_builtin);
    let other = other.ok_or_else(|| pattern_not_found_error(id))?;
    let before = matching::find_match_after_resigning(engine, tx, analysis, &case.name)?;
    if before.own_pattern.as_ref().is_none_or(|own| own.key != other.key) {
        return Ok((before, None));
    }
    let row = patterns::find_row_by_signature(tx, &engine.signature_version, &analysis.signatures.signature)?;
    match row {
        Some(row) if row.key == other.key => return Err(equal_signature_error(&other.id)),
        Some(row) => {
            let provisional = builtin::find_builtin_pattern(analysis.classification.category).is_some();
            merging::separate_row(tx, row.key, provisional)?;
        }
        None => {}
    }
    let now = matching::find_match(engine, tx, analysis, &case.name, Some(other.key))?;
    let (was, is) = (before.shown_key(), now.shown_key());
    if was != is
        && let Some(was) = was
    {
        patterns::uncount_occurrence(tx, was, context.now_ms)?;
    }
    Ok((now, was))
}

/// Stores the decision that the failure and the pattern `id` are different.
fn record_difference(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    id: &str,
) -> Result<(), EngineError> {
    let row = patterns::find_row_by_signature(tx, &engine.signature_version, &analysis.signatures.signature)?;
    let other = patterns::find_by_id(tx, id.trim())?;
    if let (Some(row), Some(other)) = (row, other)
        && row.key != other.key
    {
        let decision = NewMergeDecision { id: &context.create_id("dec"), is_same: false, now: context.now_ms };
        merge_decisions::record_merge_decision(tx, row.key, other.key, decision)?;
    }
    Ok(())
}

fn equal_signature_error(id: &str) -> EngineError {
    EngineError::invalid_input(format!(
        "This failure has exactly the signature of '{id}': the same test, the same message, the same place. \
         notSameAs can only separate failures that were matched because they are similar."
    ))
}

fn look_up_without_counting(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    case_name: &str,
) -> Result<KnownFailure, EngineError> {
    let found = matching::find_match(engine, tx, analysis, case_name, None)?;
    collect_known(engine, tx, case_name, analysis, found, false)
}

fn collect_known(
    engine: &Engine,
    tx: &mut Tx<'_>,
    case_name: &str,
    analysis: &Analysis,
    found: Match,
    is_new_pattern: bool,
) -> Result<KnownFailure, EngineError> {
    let pattern = found.pattern.as_ref();
    let mut history = match pattern {
        Some(pattern) => matching::load_fix_history(tx, pattern, MAX_FIXES, MAX_FIX_CHARS)?,
        None => Vec::new(),
    };
    if pattern.is_some_and(|pattern| pattern.is_builtin) {
        for fix in &mut history {
            // A success of this failure would have created a learned pattern.
            fix.of_other_failure = fix.state.is_some() || fix.case_name != case_name;
        }
    }
    let own_fix = suggestion::load_own_fix(tx, analysis, &found)?;
    let suggested = suggestion::find_best_suggestion(engine, tx, analysis, &found, case_name, own_fix.clone())?;
    let tried = own_fix.as_ref().and_then(|own_fix| Some(own_fix.results.as_ref()?.tried));
    let related = if pattern.is_some_and(fix_results::has_own_fix) {
        Vec::new()
    } else {
        let others = found.different_patterns(tx)?.iter().copied();
        let except: Vec<_> = others.chain(found.shown_key()).collect();
        related::find_related(engine, tx, analysis, &except, suggested.first_related())?
    };
    let mended_before = if suggested.tried.is_some() {
        None
    } else {
        let kept = load_fixes(tx)?;
        find_proved_fix(tx, &kept, case_name, analysis)?
    };
    let values = match (found.own_pattern.as_ref().filter(|_| found.is_by_signature()), own_fix) {
        (Some(own), Some(own_fix)) if found.shown_key() == Some(own.key) => own_fix.values,
        (Some(own), _) => suggestion::compare_values(tx, analysis, own)?,
        (None, _) => None,
    };
    Ok(KnownFailure {
        found,
        tried,
        is_new_pattern,
        history,
        related,
        suggested,
        mended_before,
        changed_before: Vec::new(),
        values,
    })
}

/// Adds incidents of the debug memory and learned commits if no reported fix is known. They are optional: if they
/// cannot be read, the answer stays as it is.
fn add_hints(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    failure: &AnalyzedFailure,
    mut known: KnownFailure,
) -> KnownFailure {
    if !known.has_own_fix()
        && let Ok(incidents) =
            memory::finding::related_incidents::find_related_incidents(engine, context, tx, failure.query(engine))
    {
        known.related.extend(incidents);
        // The suggested pattern stays first.
        let from = usize::from(known.suggested.first_related().is_some());
        known.related[from..].stable_sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    }
    let has_fix = known.suggested.tried.is_some() || known.mended_before.is_some();
    if !has_fix
        && let Ok(mut found) =
            find_related_commits(engine, tx, &[FailureLocation::from_summary(&failure.case.name, &failure.summary)])
    {
        known.changed_before = found.pop().unwrap_or_default();
    }
    known
}

fn build_answer(
    engine: &Engine,
    AnalyzedFailure { verdict: found, analysis, summary, cause, exit_code, signal, .. }: AnalyzedFailure,
    known: KnownFailure,
    not_stored: Option<&EngineError>,
) -> DiagnosticResult {
    let mut warnings: Vec<String> = not_stored.map(describe_uncounted).into_iter().collect();
    let is_foreign = |related: &&RelatedEntry| related.memory == Some(MemoryKind::Foreign);
    let (shared, foreign): (Vec<_>, Vec<_>) =
        known.related.iter().filter(is_foreign).partition(|related| related.origin.is_some());
    if !foreign.is_empty() {
        warnings.push(memory::finding::foreign::FOREIGN_WARNING.to_owned());
    }
    if !shared.is_empty() {
        warnings.push(memory::finding::shared::SHARED_WARNING.to_owned());
        warnings.extend(shared.into_iter().filter_map(memory::finding::shared::describe_refutation));
    }
    warnings.extend(known.suggested.failed_here_warning());
    if !known.suggested.is_own_and_proved() {
        warnings.extend(list_refutations(&known.history, known.suggested.fix.as_deref()));
    }
    let (verdict, suspects) = found.map(|found| (found.verdict, found.suspects)).unzip();
    let verdict = verdict
        .map(|verdict| remove_useless_rerun(verdict, summary.kind))
        .map(|verdict| Verdict { probability: row_conversion::round_to_two_digits(verdict.probability), ..verdict });
    let suspects = suspects.into_iter().flatten().map(|one: SuspectCommit| SuspectCommit {
        probability: row_conversion::round_to_two_digits(one.probability),
        ..one
    });
    let evidence = analysis.classification.evidence.as_ref();
    let evidence = evidence.and_then(|span| analysis.redacted.get(span.start..span.end)).map(message_text::quote);
    let mut matched = known.found.to_contract();
    if let Some((similarity, differences)) = known.values {
        (matched.similarity, matched.differences) = (Some(similarity), differences);
    }
    let chosen = known.found.pattern.as_ref().and_then(|pattern| pattern.overrides.category);
    let pattern = known
        .found
        .pattern
        .map(|pattern| row_conversion::convert_pattern(&pattern, known.tried, engine.options.locale));
    DiagnosticResult {
        category: chosen.unwrap_or(analysis.classification.category),
        failure_kind: summary.kind,
        message: if summary.message.is_empty() { summary.headline } else { summary.message },
        place: summary.place,
        test_place: summary.test_place,
        exit_code,
        signal,
        cause,
        verdict,
        suspects: suspects.collect(),
        signature: analysis.signatures.signature,
        signature_pattern: analysis.signatures.signature_text,
        suggested_from: known.suggested.suggested_from(),
        tried: known.suggested.tried,
        claimed: known.suggested.is_claimed(),
        fix_status: known.suggested.describe_results(),
        trust: known.suggested.trust.clone(),
        mended_before: known.mended_before,
        changed_before: known.changed_before,
        same_cause_as: known.suggested.same_cause_as(),
        suggested_fix: known.suggested.fix,
        confidence: pattern.as_ref().map(|pattern| pattern.confidence),
        pattern,
        matched,
        fix_history: known.history,
        is_new_pattern: known.is_new_pattern,
        rule: analysis.classification.rule,
        evidence,
        related: known.related,
        warnings,
        not_stored: not_stored.map(|error| error.code),
    }
}

/// Removes the suggestion to rerun a test whose error is the same each time, since a rerun would show nothing new.
pub(crate) fn remove_useless_rerun(verdict: Verdict, kind: FailureKind) -> Verdict {
    let is_judged_from_history = !matches!(verdict.kind, VerdictKind::New | VerdictKind::Unknown);
    let settle = verdict.settle.filter(|_| is_judged_from_history || !kind.is_deterministic());
    Verdict { settle, ..verdict }
}

/// Describes the refuted fixes of this failure, each once, for warnings. The suggested fix is left out, because its
/// `fix_status` already shows the refutation.
fn list_refutations<'a>(history: &'a [FixRecord], suggested: Option<&'a str>) -> impl Iterator<Item = String> + 'a {
    let mut shown: HashSet<String> = suggested.map(message_text::fold_case_and_spacing).into_iter().collect();
    let refuted = history.iter().filter(|fix| !fix.of_other_failure && fix.refuted_by.is_some());
    refuted
        .filter(move |fix| shown.insert(message_text::fold_case_and_spacing(&fix.fix_description)))
        .filter_map(describe_refutation)
        .take(MAX_REFUTATIONS)
}

/// Describes a refuted fix, so that nobody tries it again.
fn describe_refutation(fix: &FixRecord) -> Option<String> {
    let by = fix.refuted_by.as_ref()?;
    let steps = message_text::quote(&fix.fix_description);
    let after = fix.passes.filter(|passes| *passes > 0);
    let after = after.map_or_else(String::new, |passes| format!(" after {passes} runs that passed"));
    Some(if by.starts_with("fix-") {
        format!("'{steps}' was reported as a success, but {by} withdraws it: the fix did not help.")
    } else {
        format!("'{steps}' was reported as a success, but {by} refutes it: the failure came back{after}.")
    })
}

fn describe_uncounted(error: &EngineError) -> String {
    format!("Not counted, and nothing was recorded. {} The answer shows the earlier state.", error.message)
}
