//! Diagnoses a failure: category, verdict, known pattern and fixes. The diagnosis counts as an occurrence of the pattern.
//! If the database cannot be written, the answer is still returned, with a warning.

use super::{
    lookup::{self, FailedCase},
    matching::{self, Match},
    related,
    report_fix::unknown_pattern,
    suggestion::{self, DifferingValues, Suggestion},
    trial,
};
use crate::{
    Engine, EngineError,
    answer::{text, view},
    contract::{
        CaseVerdict, Cause, ChangedBefore, DiagnoseParams, DiagnosticResult, FixRecord, MemoryKind, MendedBefore,
        Related, SuspectCommit, Tried, Verdict,
    },
    evidence::{
        failure_facts::failure_facts,
        fixes::{load_fixes, mended_before},
        judging,
        learned_commits::{FailedAt, changed_before},
    },
    memory,
    runs::{
        case_name::clean_name,
        cause::{self, CasesOfCause, FailureSight},
    },
};
use argus_core::{
    Ambient, Analysis, FailureKind, builtin, evidence::verdict::VerdictKind, search::Query, stable_sort::StableSort,
};
use argus_store::{
    Tx,
    patterns::{
        self, PatternKey, merging,
        sameness::{self, NewWord},
    },
};
use std::{cell::OnceCell, collections::HashSet};

/// Maximum number of fixes in an answer.
const MAX_FIXES: u32 = 20;

/// Maximum characters of each fix. The pattern's resource has the full text.
const MAX_FIX_CHARS: usize = 1000;

/// Maximum number of refuted fixes in the warnings.
const MAX_REFUTATIONS: usize = 3;

/// Everything that the database knows about a failure.
struct Finding {
    found: Match,
    /// Results of trying the fix of its own pattern.
    tried: Option<Tried>,
    is_new: bool,
    history: Vec<FixRecord>,
    related: Vec<Related>,
    suggested: Suggestion,
    /// Commit or edit that fixed it before, if no reported fix is known.
    mended_before: Option<MendedBefore>,
    /// Hint commits, if no fix is known.
    changed_before: Vec<ChangedBefore>,
    /// Similarity and differing lines, if the signature is known but the values differ.
    values: DifferingValues,
}

impl Finding {
    /// Returns `true` if a fix was reported on the shown pattern.
    fn has_own_fix(&self) -> bool {
        self.found.pattern.as_ref().is_some_and(trial::has_own_fix)
    }

    /// Returns `true` if the suggested fix has only failed.
    fn has_only_failed(&self) -> bool {
        self.tried.is_some_and(trial::has_only_failed)
    }
}

/// The analyzed failure, without the knowledge of the database.
struct AnalyzedFailure {
    case: FailedCase,
    /// Verdict by all runs that are known now.
    found: Option<CaseVerdict>,
    analysis: Analysis,
    /// Search query for the debug memory. Created on demand, because for a long text it takes a fifth of the call.
    query: OnceCell<Query>,
    sight: FailureSight,
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
pub fn diagnose(engine: &Engine, ambient: &Ambient, params: &DiagnoseParams) -> Result<DiagnosticResult, EngineError> {
    let seen = analyze(engine, ambient, params)?;
    let not_same_as = params.not_same_as.as_deref();
    let count = |tx: &mut Tx<'_>| {
        let finding = count_diagnosis(engine, ambient, tx, &seen.case, &seen.analysis, not_same_as)?;
        if let Some(id) = not_same_as {
            keep_word(engine, ambient, tx, &seen.analysis, id)?;
        }
        Ok(with_hints(engine, ambient, tx, &seen, finding))
    };
    let (mut finding, not_stored) = match engine.write(ambient, count) {
        Ok(finding) => (finding, None),
        Err(error) if engine.may_answer_unstored(&error) => {
            let look = |tx: &mut Tx<'_>| {
                let finding = looked_up(engine, tx, &seen.analysis, &seen.case.name)?;
                Ok(with_hints(engine, ambient, tx, &seen, finding))
            };
            (engine.read(ambient, look)?, Some(error))
        }
        Err(error) => return Err(error),
    };
    if !finding.has_own_fix() || finding.has_only_failed() {
        let foreign = memory::finding::foreign::related_incidents(engine, ambient, &seen.analysis, seen.query(engine));
        finding.related.extend(foreign);
    }
    Ok(answer(engine, seen, finding, not_stored.as_ref()))
}

/// Reads the failure with its cause, and analyzes it.
fn analyze(engine: &Engine, ambient: &Ambient, params: &DiagnoseParams) -> Result<AnalyzedFailure, EngineError> {
    let wanted = clean_name(engine, &params.case_name);
    let body = |tx: &mut Tx<'_>| -> Result<_, EngineError> {
        let (run, case) = lookup::failed_case(tx, &params.run_id, &wanted)?;
        let of_cause = CasesOfCause::load(tx, run, &case)?;
        Ok((case, of_cause))
    };
    let (case, of_cause) = engine.read(ambient, body)?;
    let event = lookup::event_of(&case.failure);
    let analysis = engine.analyzer.analyze(event.clone(), &case.name);
    let sight = cause::describe_failure(engine, &analysis, &event, &case.name);
    let facts = failure_facts(&case.name, case.failure.category, &analysis, &sight);
    let again = |tx: &mut Tx<'_>| judging::judged_again(engine, tx, &params.run_id, &case.name, &facts, &analysis);
    let found = engine.read(ambient, again)?.or_else(|| view::found_to_be(&case.failure));
    let whole_cause = of_cause.shown(&sight);
    Ok(AnalyzedFailure {
        case,
        found,
        analysis,
        query: OnceCell::new(),
        sight,
        cause: whole_cause,
        exit_code: event.exit_code,
        signal: event.signal,
    })
}

fn count_diagnosis(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
    not_same_as: Option<&str>,
) -> Result<Finding, EngineError> {
    let (mut found, counted_before) = match not_same_as {
        Some(id) => split(engine, ambient, tx, case, analysis, id)?,
        None => (matching::find_signed(engine, tx, analysis, &case.name)?, None),
    };
    if found.pattern.is_none() && found.own.is_none() {
        let mut finding = finding(engine, tx, &case.name, analysis, found, true)?;
        matching::ensure_known(engine, ambient, tx, case, analysis, &mut finding.found)?;
        return Ok(finding);
    }
    matching::ensure_known(engine, ambient, tx, case, analysis, &mut found)?;
    if let Some(pattern) = found.pattern.as_mut().filter(|pattern| counted_before != Some(pattern.key)) {
        patterns::count_occurrence(tx, pattern, ambient.now)?;
    }
    finding(engine, tx, &case.name, analysis, found, false)
}

/// Matches the failure again after a person or an agent has said that it is not the same as `notSameAs`, and moves its count.
fn split(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    case: &FailedCase,
    analysis: &Analysis,
    id: &str,
) -> Result<(Match, Option<PatternKey>), EngineError> {
    let other = patterns::by_id(tx, id.trim())?.filter(|pattern| !pattern.is_builtin);
    let other = other.ok_or_else(|| unknown_pattern(id))?;
    let before = matching::find_signed(engine, tx, analysis, &case.name)?;
    if before.own.as_ref().is_none_or(|own| own.key != other.key) {
        return Ok((before, None));
    }
    let row = patterns::row_by_signature(tx, &engine.recipe, &analysis.signatures.exact)?;
    match row {
        Some(row) if row.key == other.key => return Err(cannot_be_told_apart(&other.id)),
        Some(row) => {
            let provisional = builtin::matching(analysis.classification.category).is_some();
            merging::split(tx, row.key, provisional)?;
        }
        None => {}
    }
    let now = matching::find(engine, tx, analysis, &case.name, Some(other.key))?;
    let (was, is) = (before.shown_key(), now.shown_key());
    if was != is
        && let Some(was) = was
    {
        patterns::take_back_occurrence(tx, was, ambient.now)?;
    }
    Ok((now, was))
}

/// Stores the decision that the two are different, unless the database already keeps them apart.
fn keep_word(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    id: &str,
) -> Result<(), EngineError> {
    let row = patterns::row_by_signature(tx, &engine.recipe, &analysis.signatures.exact)?;
    let other = patterns::by_id(tx, id.trim())?;
    if let (Some(row), Some(other)) = (row, other)
        && row.key != other.key
    {
        let word = NewWord { id: &ambient.id("dec"), is_same: false, now: ambient.now };
        sameness::say(tx, row.key, other.key, word)?;
    }
    Ok(())
}

fn cannot_be_told_apart(id: &str) -> EngineError {
    EngineError::invalid(format!(
        "This failure has the very signature of '{id}': the same test, the same message, the same place. \
         notSameAs splits what was matched because it was alike."
    ))
}

fn looked_up(engine: &Engine, tx: &mut Tx<'_>, analysis: &Analysis, case_name: &str) -> Result<Finding, EngineError> {
    let found = matching::find(engine, tx, analysis, case_name, None)?;
    finding(engine, tx, case_name, analysis, found, false)
}

fn finding(
    engine: &Engine,
    tx: &mut Tx<'_>,
    case_name: &str,
    analysis: &Analysis,
    found: Match,
    is_new: bool,
) -> Result<Finding, EngineError> {
    let pattern = found.pattern.as_ref();
    let mut history = match pattern {
        Some(pattern) => matching::fix_history(tx, pattern, MAX_FIXES, MAX_FIX_CHARS)?,
        None => Vec::new(),
    };
    if pattern.is_some_and(|pattern| pattern.is_builtin) {
        for fix in &mut history {
            // A success of this failure would have created a learned pattern.
            fix.of_other_failure = fix.state.is_some() || fix.case_name != case_name;
        }
    }
    let own_fix = suggestion::own_fix(tx, analysis, &found)?;
    let suggested = suggestion::best_suggestion(engine, tx, analysis, &found, case_name, own_fix.clone())?;
    let tried = own_fix.as_ref().and_then(|own_fix| Some(own_fix.trial.as_ref()?.tried));
    let related = if pattern.is_some_and(trial::has_own_fix) {
        Vec::new()
    } else {
        let others = found.others(tx)?.iter().copied();
        let except: Vec<_> = others.chain(found.shown_key()).collect();
        related::related(engine, tx, analysis, &except, suggested.first_related())?
    };
    let mended_before = if suggested.tried.is_some() {
        None
    } else {
        let kept = load_fixes(tx)?;
        mended_before(tx, &kept, case_name, analysis)?
    };
    let values = match (found.own.as_ref().filter(|_| found.is_by_signature()), own_fix) {
        (Some(own), Some(own_fix)) if found.shown_key() == Some(own.key) => own_fix.values,
        (Some(own), _) => suggestion::differing_values(tx, analysis, own)?,
        (None, _) => None,
    };
    Ok(Finding { found, tried, is_new, history, related, suggested, mended_before, changed_before: Vec::new(), values })
}

/// Adds incidents of the debug memory and learned commits if no reported fix is known. They are optional: if they cannot be
/// read, the answer stays as it is.
fn with_hints(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    seen: &AnalyzedFailure,
    mut finding: Finding,
) -> Finding {
    if !finding.has_own_fix()
        && let Ok(incidents) = memory::finding::related_incidents::incidents(engine, ambient, tx, seen.query(engine))
    {
        finding.related.extend(incidents);
        // The suggested pattern stays first.
        let from = usize::from(finding.suggested.first_related().is_some());
        finding.related[from..].stable_sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    }
    let is_mended = finding.suggested.tried.is_some() || finding.mended_before.is_some();
    if !is_mended && let Ok(mut found) = changed_before(engine, tx, &[FailedAt::of(&seen.case.name, &seen.sight)]) {
        finding.changed_before = found.pop().unwrap_or_default();
    }
    finding
}

fn answer(
    engine: &Engine,
    AnalyzedFailure { found, analysis, sight, cause, exit_code, signal, .. }: AnalyzedFailure,
    finding: Finding,
    not_stored: Option<&EngineError>,
) -> DiagnosticResult {
    let mut warnings: Vec<String> = not_stored.map(not_counted).into_iter().collect();
    let of_others = |related: &&Related| related.memory == Some(MemoryKind::Foreign);
    let (shared, foreign): (Vec<_>, Vec<_>) =
        finding.related.iter().filter(of_others).partition(|related| related.origin.is_some());
    if !foreign.is_empty() {
        warnings.push(memory::finding::foreign::WARNING.to_owned());
    }
    if !shared.is_empty() {
        warnings.push(memory::finding::shared::WARNING.to_owned());
        warnings.extend(shared.into_iter().filter_map(memory::finding::shared::refutation));
    }
    warnings.extend(finding.suggested.warning());
    if !finding.suggested.is_own_and_proved() {
        warnings.extend(refutations(&finding.history, finding.suggested.fix.as_deref()));
    }
    let (verdict, suspects) = found.map(|found| (found.verdict, found.suspects)).unzip();
    let verdict = verdict
        .map(|verdict| without_idle_rerun(verdict, sight.kind))
        .map(|verdict| Verdict { probability: view::two_digits(verdict.probability), ..verdict });
    let suspects = suspects
        .into_iter()
        .flatten()
        .map(|one: SuspectCommit| SuspectCommit { probability: view::two_digits(one.probability), ..one });
    let evidence = analysis.classification.evidence.as_ref();
    let evidence = evidence.and_then(|span| analysis.redacted.get(span.start..span.end)).map(text::quoted);
    let mut matched = finding.found.answer();
    if let Some((similarity, differences)) = finding.values {
        (matched.similarity, matched.differences) = (Some(similarity), differences);
    }
    let chosen = finding.found.pattern.as_ref().and_then(|pattern| pattern.overrides.category);
    let pattern = finding.found.pattern.map(|pattern| view::pattern(&pattern, finding.tried, engine.options.locale));
    DiagnosticResult {
        category: chosen.unwrap_or(analysis.classification.category),
        failure_kind: sight.kind,
        message: if sight.message.is_empty() { sight.headline } else { sight.message },
        place: sight.place,
        test_place: sight.test_place,
        exit_code,
        signal,
        cause,
        verdict,
        suspects: suspects.collect(),
        signature: analysis.signatures.exact,
        signature_pattern: analysis.signatures.pattern,
        suggested_from: finding.suggested.suggested_from(),
        tried: finding.suggested.tried,
        claimed: finding.suggested.is_claimed(),
        standing: finding.suggested.describe_trial(),
        trust: finding.suggested.trust.clone(),
        mended_before: finding.mended_before,
        changed_before: finding.changed_before,
        same_cause_as: finding.suggested.same_cause_as(),
        suggested_fix: finding.suggested.fix,
        confidence: pattern.as_ref().map(|pattern| pattern.confidence),
        pattern,
        matched,
        fix_history: finding.history,
        is_new_pattern: finding.is_new,
        rule: analysis.classification.rule,
        evidence,
        related: finding.related,
        warnings,
        not_stored: not_stored.map(|error| error.code),
    }
}

/// Removes the suggestion to rerun a test whose error is the same each time, since a rerun would show nothing new.
pub(crate) fn without_idle_rerun(verdict: Verdict, kind: FailureKind) -> Verdict {
    let is_of_history = !matches!(verdict.kind, VerdictKind::New | VerdictKind::Unknown);
    let settle = verdict.settle.filter(|_| is_of_history || !kind.is_same_each_time());
    Verdict { settle, ..verdict }
}

/// Warnings about refuted fixes of this failure, each once. The suggested fix is left out, because its standing says the same.
fn refutations<'a>(history: &'a [FixRecord], suggested: Option<&'a str>) -> impl Iterator<Item = String> + 'a {
    let mut said: HashSet<String> = suggested.map(text::folded).into_iter().collect();
    let refuted = history.iter().filter(|fix| !fix.of_other_failure && fix.refuted_by.is_some());
    refuted
        .filter(move |fix| said.insert(text::folded(&fix.fix_description)))
        .filter_map(refutation)
        .take(MAX_REFUTATIONS)
}

/// Warning about a refuted fix, so that it is not tried again.
fn refutation(fix: &FixRecord) -> Option<String> {
    let by = fix.refuted_by.as_ref()?;
    let steps = text::quoted(&fix.fix_description);
    let after = fix.passes.filter(|passes| *passes > 0);
    let after = after.map_or_else(String::new, |passes| format!(" after {passes} runs that passed"));
    Some(if by.starts_with("fix-") {
        format!("'{steps}' was reported as a success, and {by} takes that back: it did not help.")
    } else {
        format!("'{steps}' was reported as a success, and {by} refutes it: the failure was met again{after}.")
    })
}

fn not_counted(error: &EngineError) -> String {
    format!("Not counted and nothing learned. {} The answer is what was known before.", error.message)
}
