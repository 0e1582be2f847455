//! Finds the pattern of a failure: the pattern with the same signature, otherwise a similar pattern of the same case,
//! otherwise the built-in pattern of the category. These functions do not count occurrences; the caller does.

use super::{
    lookup,
    recompute_signatures::{self, RecomputeProgress},
};
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{self, FixRecord, MatchMethod},
};
use argus_core::{
    Analysis, CallContext, FailureEvent,
    bound::truncate_middle_to,
    builtin, display,
    evidence::stored_rows::fixes::ProofStatus,
    summary::{MAX_HEADLINE_CHARS, Summary},
    text_comparison::{self, TextComparison},
};
use argus_store::{
    StoreError, Tx,
    patterns::{self, NewPattern, Pattern, PatternKey, merge_decisions, merging},
    solutions::{self, Fix},
};
use std::cell::OnceCell;

/// Maximum size of a stored sample. Most error texts are shorter, so they are stored in full.
const MAX_SAMPLE_BYTES: usize = 4 * 1024;

/// Maximum number of patterns of a case that a failure is compared with, newest first.
const MAX_COMPARED_PATTERNS: u32 = 48;

/// Maximum number of differing lines in an answer, and of characters of each line.
const MAX_DIFFERENCE_LINES: usize = 3;
const MAX_DIFFERENCE_CHARS: usize = 160;

/// The patterns that a failure matches.
pub(crate) struct Match {
    /// The learned pattern, otherwise the built-in pattern.
    pub(crate) pattern: Option<Pattern>,
    /// The learned or provisional pattern of this failure. It is provisional while the answer shows a built-in
    /// pattern.
    pub(crate) own_pattern: Option<Pattern>,
    matched_by: MatchedBy,
    /// The pattern that this call excludes with `notSameAs`.
    excluded_pattern: Option<PatternKey>,
    different_patterns: OnceCell<Vec<PatternKey>>,
}

enum MatchedBy {
    Signature,
    Alike(TextComparison),
    None,
}

impl Match {
    /// Returns the key of the pattern that the answer shows.
    pub(crate) fn shown_key(&self) -> Option<PatternKey> {
        self.pattern.as_ref().map(|pattern| pattern.key)
    }

    pub(crate) const fn is_by_signature(&self) -> bool {
        matches!(self.matched_by, MatchedBy::Signature)
    }

    /// Returns the patterns that a person or an agent declared different, in this call or earlier. Their fixes must
    /// not be suggested for this failure.
    pub(crate) fn different_patterns(&self, tx: &mut Tx<'_>) -> Result<&[PatternKey], StoreError> {
        if let Some(different_patterns) = self.different_patterns.get() {
            return Ok(different_patterns);
        }
        let mut different_patterns = Vec::from_iter(self.excluded_pattern);
        if let Some(own) = &self.own_pattern {
            different_patterns.extend(merge_decisions::list_different_failures(tx, own.key)?);
        }
        Ok(self.different_patterns.get_or_init(|| different_patterns))
    }

    pub(crate) fn to_contract(&self) -> contract::Match {
        let (how, similarity, differences) = match &self.matched_by {
            MatchedBy::Signature => (MatchMethod::Signature, Some(1.0), &[][..]),
            MatchedBy::Alike(likeness) => (MatchMethod::Alike, Some(likeness.similarity), &likeness.differences[..]),
            MatchedBy::None => (MatchMethod::None, None, &[][..]),
        };
        let line = |text: &str| display::sanitize_line(text, MAX_DIFFERENCE_CHARS);
        contract::Match {
            how,
            pattern_id: self.own_pattern.as_ref().map(|own| own.id.clone()),
            similarity,
            builtin_id: self.pattern.as_ref().filter(|pattern| pattern.is_builtin).map(|pattern| pattern.id.clone()),
            differences: differences
                .iter()
                .take(MAX_DIFFERENCE_LINES)
                .map(|(before, now)| contract::Difference { before: line(before), now: line(now) })
                .collect(),
        }
    }
}

/// Finds the patterns that a failure of this case matches. `other_than` excludes a pattern.
pub(crate) fn find_match(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    case_name: &str,
    other_than: Option<PatternKey>,
) -> Result<Match, StoreError> {
    let may_be = |pattern: &Pattern| other_than != Some(pattern.key);
    let exact = patterns::find_including_provisional(tx, &engine.signature_version, &analysis.signatures.signature)?
        .filter(may_be);
    let (own, how) = match exact {
        Some(own) => (Some(own), MatchedBy::Signature),
        None => match find_most_similar(engine, tx, analysis, case_name, other_than)? {
            Some((own, likeness)) => (Some(own), MatchedBy::Alike(likeness)),
            None => (None, MatchedBy::None),
        },
    };
    let pattern = match &own {
        Some(own) if !own.is_provisional() => Some(own.clone()),
        _ => match builtin::find_builtin_pattern(analysis.classification.category) {
            Some(builtin) => patterns::find_by_id(tx, builtin.id)?,
            None => None,
        },
    };
    Ok(Match {
        pattern,
        own_pattern: own,
        matched_by: how,
        excluded_pattern: other_than,
        different_patterns: OnceCell::new(),
    })
}

/// Like [`find_match`], but when no pattern has this signature, re-signs a batch of patterns that have an old signature
/// version and retries, because patterns are re-signed lazily after an upgrade. If the batch does not cover all of
/// them, the patterns of the case are re-signed too.
pub(crate) fn find_match_after_resigning(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    case_name: &str,
) -> Result<Match, EngineError> {
    let found = find_match(engine, tx, analysis, case_name, None)?;
    if found.is_by_signature() {
        return Ok(found);
    }
    match recompute_signatures::recompute_batch(engine, tx)? {
        RecomputeProgress::None => return Ok(found),
        RecomputeProgress::All => {}
        RecomputeProgress::Some => recompute_signatures::recompute_case(engine, tx, case_name)?,
    }
    Ok(find_match(engine, tx, analysis, case_name, None)?)
}

fn find_most_similar(
    engine: &Engine,
    tx: &mut Tx<'_>,
    analysis: &Analysis,
    case_name: &str,
    other_than: Option<PatternKey>,
) -> Result<Option<(Pattern, TextComparison)>, StoreError> {
    let mut best: Option<(PatternKey, TextComparison)> = None;
    let alike = (case_name, analysis.classification.category);
    for (key, text) in patterns::list_texts_by_case(tx, &engine.signature_version, alike, MAX_COMPARED_PATTERNS)? {
        let likeness =
            text_comparison::compare_texts(&text, &analysis.normalized_error).filter(|_| other_than != Some(key));
        // If two patterns are equally similar, the newer pattern wins, because patterns come newest first.
        if let Some(likeness) = likeness
            && best.as_ref().is_none_or(|(_, best)| best.similarity < likeness.similarity)
        {
            best = Some((key, likeness));
        }
    }
    match best {
        Some((key, likeness)) => Ok(patterns::get(tx, key)?.map(|pattern| (pattern, likeness))),
        None => Ok(None),
    }
}

/// Stores the failure so that its signature is found next time: as an alias of the similar pattern, as a provisional
/// pattern if a built-in pattern is shown, or as a learned pattern.
pub(crate) fn upsert_pattern(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &lookup::FailedCase,
    analysis: &Analysis,
    found: &mut Match,
) -> Result<(), EngineError> {
    match (&found.matched_by, &found.own_pattern) {
        (MatchedBy::Alike(_), Some(own)) => {
            let key = own.key;
            insert_pattern(engine, context, tx, case, analysis, NewPatternKind::Alias(key))?;
        }
        (MatchedBy::Signature, Some(own)) if own.is_provisional() && found.pattern.is_none() => {
            merging::promote_provisional(tx, own.key)?;
            found.own_pattern = patterns::get(tx, own.key)?;
            found.pattern.clone_from(&found.own_pattern);
        }
        (_, None) if found.pattern.is_some() => {
            found.own_pattern = Some(insert_pattern(engine, context, tx, case, analysis, NewPatternKind::Provisional)?);
        }
        (_, None) => found.own_pattern = Some(learn_pattern(engine, context, tx, case, analysis, 0)?),
        _ => {}
    }
    Ok(())
}

/// Creates a learned pattern from a failure.
pub(crate) fn learn_pattern(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &lookup::FailedCase,
    analysis: &Analysis,
    resolutions: u32,
) -> Result<Pattern, EngineError> {
    insert_pattern(engine, context, tx, case, analysis, NewPatternKind::Learned { resolutions })
}

/// How a failure is stored.
#[derive(Clone, Copy)]
enum NewPatternKind {
    Learned { resolutions: u32 },
    Alias(PatternKey),
    Provisional,
}

fn insert_pattern(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &lookup::FailedCase,
    analysis: &Analysis,
    write: NewPatternKind,
) -> Result<Pattern, EngineError> {
    let id = context.create_id("pat");
    let description =
        build_headline(analysis, &Summary::read(&analysis.redacted), &lookup::rebuild_event(&case.failure));
    let sample = build_sample_json(engine, &lookup::rebuild_event(&case.failure), &case.name, analysis)?;
    let new = NewPattern {
        id: &id,
        identity: recompute_signatures::build_identity(engine, analysis),
        case_name: &case.name,
        description: &description,
        occurrences: u32::from(matches!(write, NewPatternKind::Learned { .. })),
        resolutions: if let NewPatternKind::Learned { resolutions } = write { resolutions } else { 0 },
        now: context.now_ms,
        sample: &sample,
    };
    match write {
        NewPatternKind::Learned { .. } => patterns::insert(tx, &new)?,
        NewPatternKind::Alias(into) => patterns::insert_alias(tx, &new, Some(into))?,
        NewPatternKind::Provisional => patterns::insert_alias(tx, &new, None)?,
    };
    let learned = patterns::find_by_id(tx, &id)?;
    learned.ok_or_else(|| EngineError::new(crate::ErrorCode::InternalError, "A pattern that was just learned is gone."))
}

/// Describes the failure in one line, for people.
pub(crate) fn build_headline(analysis: &Analysis, summary: &Summary, event: &FailureEvent) -> String {
    let lines = [summary.headline(), display::sanitize_line(&analysis.normalized.headline, MAX_HEADLINE_CHARS)];
    if let Some(line) = lines.into_iter().find(|line| !line.is_empty()) {
        return line;
    }
    match (&event.exception_type, &event.signal, event.exit_code) {
        (Some(kind), _, _) => display::sanitize_line(kind, MAX_HEADLINE_CHARS),
        (None, Some(signal), _) => format!("ended by {signal}, without an error text"),
        (None, None, Some(code)) => format!("exit code {code}, without an error text"),
        (None, None, None) => "failed without an error text".to_owned(),
    }
}

/// Returns the reported fixes of a pattern, newest first. Each description is shortened to `max_chars` characters.
pub(crate) fn load_fix_history(
    tx: &mut Tx<'_>,
    pattern: &Pattern,
    limit: u32,
    max_chars: usize,
) -> Result<Vec<FixRecord>, StoreError> {
    let fixes = solutions::list_history(tx, pattern, limit)?;
    let is_superseded: Vec<bool> =
        (0..fixes.len()).map(|at| fixes[..at].iter().any(|newer| supersedes(newer, &fixes[at]))).collect();
    let shown = fixes.into_iter().zip(is_superseded).map(|(fix, is_superseded)| {
        let mut record = row_conversion::convert_fix(pattern, fix, max_chars);
        if is_superseded && record.state == Some(ProofStatus::Claimed) {
            record.state = Some(ProofStatus::Superseded);
        }
        record
    });
    Ok(shown.collect())
}

/// Returns `true` if `newer` is a success for the same case with other steps, and neither wrong nor refuted.
fn supersedes(newer: &Fix, older: &Fix) -> bool {
    let is_valid = newer.worked && !newer.is_wrong && newer.refuted_by.is_none();
    is_valid && newer.case_name == older.case_name && newer.steps != older.steps
}

/// Returns the failure as JSON. The text is shortened only if the short text has the same signatures, because the
/// sample is analyzed again after an upgrade.
pub(crate) fn build_sample_json(
    engine: &Engine,
    event: &FailureEvent,
    case_name: &str,
    analysis: &Analysis,
) -> Result<String, EngineError> {
    let mut event = FailureEvent { text: analysis.redacted.clone(), ..event.clone() };
    if event.text.len() > MAX_SAMPLE_BYTES {
        let short =
            FailureEvent { text: truncate_middle_to(&event.text, MAX_SAMPLE_BYTES).into_owned(), ..event.clone() };
        if engine.analyzer.analyze(short.clone(), case_name).signatures == analysis.signatures {
            event = short;
        }
    }
    serde_json::to_string(&event).map_err(|error| {
        EngineError::new(crate::ErrorCode::InternalError, format!("A failure could not be kept: {error}."))
    })
}
