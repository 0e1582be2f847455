//! Selects and shortens the failures and causes of a run for an answer, so that the answer stays within a size that an
//! agent can read.

use super::cause::{self, Causes, FailureSummary, SiteSummary};
use crate::{
    Engine, EngineError,
    answer::row_conversion,
    contract::{CaseVerdict, Cause, FailureBrief, KnownPattern},
    evidence::{
        fixes::find_proved_fix,
        learned_commits::{FailureLocation, find_related_commits},
    },
    failures::{matching, suggestion::find_known_pattern},
    memory::finding::shared::find_related_fixes,
};
use argus_core::{
    Analysis, CallContext, Category, builtin::BUILTIN_PATTERNS, display, evidence::stored_rows::fixes::Fix,
    stable_sort::StableSort, summary::shorten_message,
};
use argus_store::{Tx, runs::cases::Case};
use std::collections::{HashMap, HashSet};

/// Maximum number of failures, and of causes, in an answer.
pub(crate) const MAX_LISTED: usize = 20;

/// Maximum number of listed failures of a cause.
const MAX_FAILURES_PER_CAUSE: usize = 3;

/// Maximum characters of JSON for the first failure, for each further failure, and for all failures of an answer. An
/// answer with one failure takes about 300 tokens, and no answer takes more than about 2,500.
const MAX_FIRST_FAILURE_CHARS: usize = 900;
const MAX_FURTHER_FAILURE_CHARS: usize = 1_500;
const MAX_ALL_FAILURES_CHARS: usize = 9_000;

/// Maximum characters of a message and of a fix at each level of shortening. Later levels are shorter.
const MAX_MESSAGE_CHARS: [usize; 4] = [400, 240, 160, 100];
const MAX_FIX_CHARS: [usize; 4] = [300, 240, 160, 120];

/// Maximum number of hint commits for a failure. The host removes commits that have left the branch.
const MAX_CHANGED_BEFORE: usize = 2;

/// Maximum number of case names of a cause at each level of shortening.
const CASE_NAME_LIMITS: [usize; 4] = [20, 6, 3, 1];

/// A failure that can be listed.
pub(crate) struct FailureCandidate {
    /// Index of the case in the run.
    pub(crate) at: usize,
    pub(crate) analysis: Analysis,
    pub(crate) summary: FailureSummary,
}

/// Failures that can be listed: the first failure of each of the largest groups, and a few further failures. Groups are
/// used instead of causes, because causes are known only after the run is judged.
#[derive(Default)]
pub(crate) struct FailureCandidates {
    group_firsts: Vec<FailureCandidate>,
    further: Vec<FailureCandidate>,
    groups: HashMap<u64, Group>,
    sites: HashMap<u64, SiteSummary>,
    /// Index and site of each failed case.
    failed: Vec<(usize, u64)>,
}

#[derive(Default)]
struct Group {
    failures: u32,
    has_candidate: bool,
}

/// Returns the id of the group: failures with the same error type and line are a group, whatever values their messages
/// have.
fn group_id(summary: &FailureSummary) -> u64 {
    summary.raised_hash.unwrap_or(summary.site)
}

impl FailureCandidates {
    pub(crate) fn add(&mut self, candidate: FailureCandidate) {
        let summary = &candidate.summary;
        self.failed.push((candidate.at, summary.site));
        self.sites.entry(summary.site).or_insert_with(|| SiteSummary::from_failure(summary));
        let id = group_id(summary);
        let group = self.groups.entry(id).or_default();
        group.failures += 1;
        let failures = group.failures;
        if group.has_candidate {
            if self.further.len() < MAX_LISTED {
                self.further.push(candidate);
            }
        } else if let Some(place) = self.position_for(failures) {
            self.groups.entry(id).and_modify(|group| group.has_candidate = true);
            match self.group_firsts.get_mut(place) {
                None => self.group_firsts.push(candidate),
                Some(fewer) => {
                    self.groups.entry(group_id(&fewer.summary)).and_modify(|group| group.has_candidate = false);
                    *fewer = candidate;
                }
            }
        }
    }

    /// Returns the position for the candidate of a group with this number of failures: at the end, or in place of the
    /// smallest group.
    fn position_for(&self, failures: u32) -> Option<usize> {
        if self.group_firsts.len() < MAX_LISTED {
            return Some(self.group_firsts.len());
        }
        let group_failures = |candidate: &FailureCandidate| {
            self.groups.get(&group_id(&candidate.summary)).map_or(0, |group| group.failures)
        };
        let (place, fewest) =
            self.group_firsts.iter().map(group_failures).enumerate().rev().min_by_key(|(_, failures)| *failures)?;
        (fewest < failures).then_some(place)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.failed.is_empty()
    }

    fn group_causes(&self, cases: &[Case], verdicts: &[CaseVerdict]) -> Causes {
        let failed = self.failed.iter().filter_map(|(at, site)| Some((&*cases.get(*at)?.name, self.sites.get(site)?)));
        Causes::group(failed, verdicts)
    }
}

/// The failures and causes of an answer.
#[derive(Default)]
pub(crate) struct SelectedFailures {
    pub(crate) failures: Vec<FailureBrief>,
    pub(crate) causes: Vec<Cause>,
    pub(crate) more_causes: u32,
}

/// Selects the failures and causes for the answer, and looks up known fixes of these failures, which does not count as
/// an occurrence. `verdicts` assign the causes.
pub(crate) fn select_failures<'a>(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    cases: &'a [Case],
    candidates: &'a FailureCandidates,
    verdicts: &[CaseVerdict],
    fixes: &[Fix],
) -> Result<SelectedFailures, EngineError> {
    let grouped = candidates.group_causes(cases, verdicts);
    let by_count = grouped.sorted_by_urgency();
    let named = |candidate: &'a FailureCandidate| {
        let case = cases.get(candidate.at)?;
        Some((candidate, case, grouped.cause_id_of_case(&case.name)?))
    };
    // First a failure of each cause, in the order of the causes, then further failures.
    let rank: HashMap<&str, usize> = by_count.iter().map(|cause| cause.cause_id.as_str()).zip(0..).collect();
    let mut of_cause: HashMap<&str, usize> = HashMap::new();
    let mut position_in_cause = |cause| {
        let count = of_cause.entry(cause).or_default();
        *count += 1;
        *count
    };
    let (mut firsts, further): (Vec<_>, Vec<_>) = (candidates.group_firsts.iter().chain(&candidates.further))
        .filter_map(named)
        .map(|(candidate, case, cause)| ((candidate, case, cause), position_in_cause(cause)))
        .filter(|(_, place)| *place <= MAX_FAILURES_PER_CAUSE)
        .partition(|(_, place)| *place == 1);
    firsts.stable_sort_by_key(|((_, _, cause), _)| rank.get(cause));
    let by_name: HashMap<&str, &CaseVerdict> =
        verdicts.iter().map(|verdict| (verdict.case_name.as_str(), verdict)).collect();
    let mut failures = Vec::with_capacity((firsts.len() + further.len()).min(MAX_LISTED));
    let mut places = Vec::with_capacity(failures.capacity());
    for ((candidate, case, cause), _) in firsts.into_iter().chain(further).take(MAX_LISTED) {
        let mut shown = build_failure(engine, context, tx, case, candidate, fixes, cause)?;
        shown.verdict = by_name.get(case.name.as_str()).map(|found| row_conversion::shorten_verdict(found));
        failures.push((candidate.at, shown));
        places.push(FailureLocation::from_summary(&case.name, &candidate.summary));
    }
    let is_fixed = |failure: &FailureBrief| {
        failure.shared.is_some()
            || failure.mended_before.is_some()
            || failure.known.as_ref().is_some_and(|known| known.tried.is_some())
    };
    let changed = find_related_commits(engine, tx, &places)?;
    for ((_, failure), changed) in failures.iter_mut().zip(changed).filter(|((_, failure), _)| !is_fixed(failure)) {
        failure.changed_before = changed.into_iter().take(MAX_CHANGED_BEFORE).collect();
    }
    let room = MAX_ALL_FAILURES_CHARS
        .min(MAX_FIRST_FAILURE_CHARS + MAX_FURTHER_FAILURE_CHARS * failures.len().saturating_sub(1));
    let all_causes = by_count.len();
    let fits = |selected: &SelectedFailures| count_json_chars(selected) <= room;
    let shortened = (0..MAX_MESSAGE_CHARS.len()).map(|level| shorten_to_level(&failures, &by_count, level));
    // If names and fixes are too long even at the shortest level, fewer failures are listed.
    let fewer = (1..failures.len())
        .rev()
        .map(|most| shorten_to_level(&failures[..most], &by_count, MAX_MESSAGE_CHARS.len() - 1));
    let first = || shorten_to_level(&failures[..failures.len().min(1)], &by_count, MAX_MESSAGE_CHARS.len() - 1);
    let mut selected = shortened.chain(fewer).find(fits).unwrap_or_else(first);
    selected.more_causes = u32::try_from(all_causes - selected.causes.len()).unwrap_or(u32::MAX);
    Ok(selected)
}

fn build_failure(
    engine: &Engine,
    context: &CallContext,
    tx: &mut Tx<'_>,
    case: &Case,
    FailureCandidate { analysis, summary, .. }: &FailureCandidate,
    fixes: &[Fix],
    cause_id: &str,
) -> Result<FailureBrief, EngineError> {
    let found = matching::find_match(engine, tx, analysis, &case.name, None)?;
    let known = find_known_pattern(engine, tx, analysis, &found, &case.name)?;
    let known = known.filter(|known| !is_generic_assertion_tip(known, analysis));
    let is_proved = known.as_ref().and_then(|known| known.tried).is_some_and(|tried| tried.proved > 0);
    let is_reported = known.as_ref().is_some_and(|known| known.tried.is_some());
    let mended_before = if is_reported { None } else { find_proved_fix(tx, fixes, &case.name, analysis)? };
    let shared = if is_proved { Vec::new() } else { find_related_fixes(engine, context, Some(&mut *tx), analysis)? };
    let facts = case.failure.as_ref().map(|failure| &failure.facts);
    let category = found.pattern.and_then(|pattern| pattern.overrides.category);
    Ok(FailureBrief {
        case_name: case.name.clone(),
        category: category.unwrap_or(analysis.classification.category),
        failure_kind: summary.kind,
        message: cause::message_without_headline(&summary.message, &summary.headline, cause::MAX_MESSAGE_CHARS),
        headline: summary.headline.clone(),
        place: summary.place.clone(),
        test_place: summary.test_place.clone(),
        exit_code: facts.and_then(|facts| facts.exit_code),
        signal: facts.and_then(|facts| facts.signal.clone()),
        cause_id: cause_id.to_owned(),
        verdict: None,
        shared: shared.into_iter().find(|fix| fix.suggested_fix.is_some()),
        known,
        source_line: None,
        mended_before,
        changed_before: Vec::new(),
    })
}

/// Shortens the texts to a level, orders the failures as the report does, and removes what repeats the first failure of
/// the same cause.
fn shorten_to_level(failures: &[(usize, FailureBrief)], causes: &[&Cause], level: usize) -> SelectedFailures {
    let mut in_order: Vec<&(usize, FailureBrief)> = failures.iter().collect();
    in_order.stable_sort_by_key(|(at, _)| *at);
    let mut firsts: HashMap<&str, &FailureBrief> = HashMap::new();
    let mut listed: Vec<FailureBrief> = Vec::with_capacity(failures.len());
    for (_, failure) in in_order {
        let mut shown = failure.clone();
        match firsts.get(failure.cause_id.as_str()) {
            Some(first) => remove_repeated_details(&mut shown, first),
            None => {
                firsts.insert(&failure.cause_id, failure);
            }
        }
        shown.message = shown.message.map(|message| shorten_message(&message, MAX_MESSAGE_CHARS[level]));
        if let Some(known) = &mut shown.known {
            known.suggested_fix =
                known.suggested_fix.take().map(|fix| display::truncate_chars(&fix, MAX_FIX_CHARS[level]));
        }
        if let Some(shared) = &mut shown.shared {
            shared.suggested_fix =
                shared.suggested_fix.take().map(|fix| display::truncate_chars(&fix, MAX_FIX_CHARS[level]));
        }
        listed.push(shown);
    }
    let shown: HashSet<&str> = failures.iter().map(|(_, failure)| failure.cause_id.as_str()).collect();
    let mut causes: Vec<Cause> = causes
        .iter()
        .filter(|cause| shown.contains(cause.cause_id.as_str()))
        .take(MAX_LISTED)
        .copied()
        .cloned()
        .collect();
    for cause in &mut causes {
        cause.cases.truncate(CASE_NAME_LIMITS[level]);
    }
    SelectedFailures { failures: listed, causes, more_causes: 0 }
}

/// Returns `true` if the pattern has only the built-in text for assertions, which is too general to help.
fn is_generic_assertion_tip(known: &KnownPattern, analysis: &Analysis) -> bool {
    let has_no_fix = known.tried.is_none() && known.suggested_from.is_none() && known.same_cause_as.is_none();
    analysis.classification.category == Category::AssertionMismatch
        && has_no_fix
        && BUILTIN_PATTERNS.iter().any(|builtin| builtin.id == known.pattern_id)
}

fn remove_repeated_details(failure: &mut FailureBrief, first: &FailureBrief) {
    if failure.message == first.message {
        failure.message = None;
    }
    let fix = |failure: &FailureBrief| failure.known.as_ref().and_then(|known| known.suggested_fix.clone());
    if fix(failure) == fix(first) {
        failure.known = None;
    }
    let previous_fix = |failure: &FailureBrief| failure.mended_before.as_ref().map(|fix| fix.fix_id.clone());
    if previous_fix(failure) == previous_fix(first) {
        failure.mended_before = None;
    }
    let shared = |failure: &FailureBrief| failure.shared.as_ref().map(|fix| fix.id.clone());
    if shared(failure) == shared(first) {
        failure.shared = None;
    }
    if failure.changed_before == first.changed_before {
        failure.changed_before.clear();
    }
}

/// Returns the length of the JSON in characters.
fn count_json_chars(selected: &SelectedFailures) -> usize {
    let json = |text: Result<String, serde_json::Error>| text.map_or(0, |text| text.chars().count());
    json(serde_json::to_string(&selected.failures)) + json(serde_json::to_string(&selected.causes))
}
