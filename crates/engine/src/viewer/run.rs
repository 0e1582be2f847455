//! Shows a run with its causes and cases, and a failed case in full.

use super::{check_page, clean_filter_text, grid::convert_outcome, take_first};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::{message_text::quote, row_conversion, time_format::format_iso},
    contract::{
        CaseHistoryEntry, CaseRecord, CaseState, CaseVerdict, FailureGroup, KnownPattern, ViewCaseParams,
        ViewCaseResult, ViewRunParams, ViewRunResult,
    },
    evidence::fixes::{find_proved_fix, load_fixes},
    failures::{lookup, matching, suggestion::find_known_pattern},
    runs::{cause, history::has_more_after},
};
use argus_core::{CallContext, display, normalize::normalize, stable_sort::StableSort};
use argus_store::{
    Tx,
    patterns::{self, Pattern, PatternKey, merging},
    runs::{
        self, RunKey,
        case_history::{self, CaseFilter, CaseOutcome, FailedCase},
        cases,
    },
};
use std::collections::BTreeMap;

/// Default number of cases on a page.
const DEFAULT_LIMIT: u32 = 100;
/// Maximum number of failures that are grouped. Further failures are ignored.
pub(super) const MAX_GROUPED_FAILURES: u32 = 10_000;
/// Maximum number of groups in an answer.
const MAX_GROUPS: usize = 100;
/// Maximum number of case names in a group.
const MAX_GROUP_NAMES: usize = 20;
/// Maximum number of characters of an error in a list.
const MAX_ERROR_CHARS: usize = 4_000;
/// Maximum number of characters of a fix in a list.
const MAX_FIX_CHARS: usize = 1_000;
/// Maximum number of runs in the history of a case.
const MAX_HISTORY_RUNS: u32 = 50;
/// Maximum number of cases that are scanned for the history of a case.
const MAX_CASES_READ: u32 = 100_000;

/// Returns a run with its failures by cause and a page of its cases.
pub fn view_run(engine: &Engine, context: &CallContext, params: &ViewRunParams) -> Result<ViewRunResult, EngineError> {
    let (limit, offset) = check_page(params.limit, DEFAULT_LIMIT, params.offset)?;
    let filter_text = clean_filter_text(params.text.as_deref()).map(|filter_text| filter_text.to_ascii_lowercase());
    let body = |tx: &mut Tx<'_>| -> Result<ViewRunResult, EngineError> {
        let (key, run) = lookup::find_run(tx, &params.id)?;
        let state = match params.status.map(stored_outcome) {
            Some(None) => return Err(EngineError::invalid_input("status is 'absent', but a run has no absent cases.")),
            state => state.flatten(),
        };
        let filter = CaseFilter { outcome: state, words: filter_text.as_deref() };
        let is_all = filter.outcome.is_none() && filter.words.is_none();
        let total = if is_all { run.passed + run.failed + run.skipped } else { case_history::count(tx, key, filter)? };
        let cases: Vec<_> = case_history::list(tx, key, filter, limit, offset)?.into_iter().map(convert_case).collect();
        let (groups, more_groups) = group_failures(engine, tx, key)?;
        let (previous_id, next_id) = runs::find_neighbor_ids(tx, key, run.started_at)?;
        Ok(ViewRunResult {
            runner: run.runner.clone(),
            exit_code: run.exit_code,
            signal: run.signal.clone(),
            timed_out: run.timed_out,
            run: row_conversion::convert_run(run),
            previous_id,
            next_id,
            groups,
            more_groups,
            has_more: has_more_after(offset, cases.len(), total),
            cases,
            total,
        })
    };
    engine.read(context, body)
}

/// Returns a failed case with all its details, its known pattern, and its outcomes in other runs.
pub fn view_case(
    engine: &Engine,
    context: &CallContext,
    params: &ViewCaseParams,
) -> Result<ViewCaseResult, EngineError> {
    let body = |tx: &mut Tx<'_>| -> Result<ViewCaseResult, EngineError> {
        let (key, run) = lookup::find_run(tx, &params.run_id)?;
        let Some(failure) = cases::find_failed(tx, key, &params.case_name)? else {
            let message = format!("Run '{}' has no failed case '{}'.", run.id, quote(&params.case_name));
            return Err(EngineError::new(ErrorCode::CaseNotFailed, message));
        };
        let event = lookup::rebuild_event(&failure);
        let analysis = engine.analyzer.analyze(event.clone(), &params.case_name);
        let summary = cause::describe_failure(engine, &analysis, &event, &params.case_name);
        let found = matching::find_match(engine, tx, &analysis, &params.case_name, None)?;
        let known = find_known_pattern(engine, tx, &analysis, &found, &params.case_name)?;
        let is_reported = known.as_ref().is_some_and(|known| known.tried.is_some());
        let fixes = if is_reported { Vec::new() } else { load_fixes(tx)? };
        let mended_before = find_proved_fix(tx, &fixes, &params.case_name, &analysis)?;
        let pattern = found.pattern;
        Ok(ViewCaseResult {
            category: pattern.as_ref().and_then(|pattern| pattern.overrides.category).unwrap_or(failure.category),
            failure_kind: summary.kind,
            place: summary.place,
            test_place: summary.test_place,
            pattern: pattern.map(|pattern| row_conversion::convert_pattern_to_row(&pattern, engine.options.locale)),
            known,
            mended_before,
            history: read_history(tx, &params.case_name)?,
            headline: failure.headline,
            error: failure.error,
            stdout_tail: failure.stdout_tail,
            stderr_tail: failure.stderr_tail,
        })
    };
    engine.read(context, body)
}

fn read_history(tx: &mut Tx<'_>, name: &str) -> Result<Vec<CaseHistoryEntry>, EngineError> {
    let (mut ends, mut read) = (Vec::new(), 0);
    for (key, run) in runs::list_newest(tx, MAX_HISTORY_RUNS)? {
        read += run.passed + run.failed + run.skipped;
        if read > MAX_CASES_READ && !ends.is_empty() {
            break;
        }
        if let Some(state) = case_history::find_outcome(tx, key, name)? {
            ends.push(CaseHistoryEntry {
                run_id: run.id,
                timestamp: format_iso(run.started_at),
                state: convert_outcome(state),
            });
        }
    }
    Ok(ends)
}

fn convert_case(case: cases::Case) -> CaseRecord {
    let mut record = row_conversion::convert_case(case);
    record.error = record.error.map(|error| display::truncate_chars(&error, MAX_ERROR_CHARS));
    record
}

const fn stored_outcome(state: CaseState) -> Option<CaseOutcome> {
    match state {
        CaseState::Passed => Some(CaseOutcome::Passed),
        CaseState::Failed => Some(CaseOutcome::Failed),
        CaseState::Flaky => Some(CaseOutcome::Flaky),
        CaseState::Skipped => Some(CaseOutcome::Skipped),
        CaseState::Absent => None,
    }
}

/// Collects the failures of a group that have a common cause.
struct FailureGroupBuilder {
    first: FailedCase,
    names: Vec<String>,
    count: u32,
    /// The case that represents the group: the first case with the shown pattern.
    known_case: String,
    pattern: Option<Pattern>,
    verdict: Option<CaseVerdict>,
}

/// Groups failures that have a common cause or a common pattern. If the run was recorded without verdicts, failures
/// with equal normalized headlines are grouped.
pub(super) fn group_failures(
    engine: &Engine,
    tx: &mut Tx<'_>,
    run: RunKey,
) -> Result<(Vec<FailureGroup>, u32), EngineError> {
    let mut groups: Vec<FailureGroupBuilder> = Vec::new();
    let mut by_cause: BTreeMap<String, usize> = BTreeMap::new();
    let read = |json: String| serde_json::from_str::<CaseVerdict>(&json).ok();
    let stored = cases::list_verdicts(tx, run, MAX_GROUPED_FAILURES)?;
    let verdicts: BTreeMap<String, CaseVerdict> =
        stored.into_iter().filter_map(read).map(|verdict| (verdict.case_name.clone(), verdict)).collect();
    let mut by_pattern: BTreeMap<PatternKey, usize> = BTreeMap::new();
    for failed in case_history::list_failed(tx, run, MAX_GROUPED_FAILURES)? {
        let pattern = match patterns::find_by_signature(tx, &engine.signature_version, &failed.signature)? {
            None => merging::find_by_earlier_signature(tx, &failed.signature)?,
            found => found,
        };
        let verdict = verdicts.get(&failed.name).cloned();
        let cause = verdict.as_ref().map_or_else(
            || format!("{} {}", failed.category.as_str(), normalize(&failed.headline).text),
            |verdict| verdict.cause_id.clone(),
        );
        let known = pattern.as_ref().and_then(|pattern| by_pattern.get(&pattern.key));
        let at = known.or_else(|| by_cause.get(&cause)).copied().unwrap_or(groups.len());
        by_cause.entry(cause).or_insert(at);
        if let Some(pattern) = &pattern {
            by_pattern.entry(pattern.key).or_insert(at);
        }
        match groups.get_mut(at) {
            Some(group) => group.add(failed, pattern),
            None => groups.push(FailureGroupBuilder {
                names: vec![failed.name.clone()],
                known_case: failed.name.clone(),
                first: failed,
                count: 1,
                pattern,
                verdict,
            }),
        }
    }
    groups.stable_sort_by_key(|group| std::cmp::Reverse(group.count));
    let (groups, more) = take_first(groups, MAX_GROUPS);
    let mut shown = Vec::with_capacity(groups.len());
    for group in groups {
        shown.push(group.build(engine, tx, run)?);
    }
    Ok((shown, more))
}

impl FailureGroupBuilder {
    /// Adds a failure. If the group has several patterns, the pattern with the most occurrences is shown.
    fn add(&mut self, failed: FailedCase, pattern: Option<Pattern>) {
        self.count += 1;
        let occurrences = |pattern: &Option<Pattern>| pattern.as_ref().map(|pattern| pattern.occurrences);
        if occurrences(&pattern) > occurrences(&self.pattern) {
            self.pattern = pattern;
            self.known_case.clone_from(&failed.name);
        }
        if self.names.len() < MAX_GROUP_NAMES {
            self.names.push(failed.name);
        }
    }

    fn build(self, engine: &Engine, tx: &mut Tx<'_>, run: RunKey) -> Result<FailureGroup, EngineError> {
        let edited = self.pattern.as_ref().and_then(|pattern| pattern.overrides.description.clone());
        let category = self.pattern.as_ref().map_or(self.first.category, Pattern::shown_category);
        let (matched, known) = match cases::find_failed(tx, run, &self.known_case)? {
            Some(failure) => {
                let analysis = engine.analyzer.analyze(lookup::rebuild_event(&failure), &self.known_case);
                let found = matching::find_match(engine, tx, &analysis, &self.known_case, None)?;
                let known = find_known_pattern(engine, tx, &analysis, &found, &self.known_case)?;
                (found.pattern, known.map(shorten_fix))
            }
            None => (None, None),
        };
        let pattern = self.pattern.or(matched);
        Ok(FailureGroup {
            category,
            headline: edited.unwrap_or(self.first.headline),
            count: self.count,
            cause_id: self.verdict.as_ref().map(|verdict| verdict.cause_id.clone()),
            verdict: self.verdict.as_ref().map(row_conversion::shorten_verdict),
            case_names: self.names,
            pattern: pattern.map(|pattern| row_conversion::convert_pattern_to_row(&pattern, engine.options.locale)),
            known,
        })
    }
}

fn shorten_fix(known: KnownPattern) -> KnownPattern {
    let suggested_fix = known.suggested_fix.map(|fix| display::truncate_chars(&fix, MAX_FIX_CHARS));
    KnownPattern { suggested_fix, ..known }
}
