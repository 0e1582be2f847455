//! Selects and shortens the failures and causes of a run for an answer, so that the answer stays within a size that an
//! agent can read.

use super::cause::{self, Causes, FailureSight, SiteSight};
use crate::{
    Engine, EngineError,
    answer::view,
    contract::{CaseVerdict, Cause, FailureBrief, KnownPattern},
    evidence::{
        fixes::mended_before,
        learned_commits::{FailedAt, changed_before},
    },
    failures::{matching, suggestion::known_pattern},
    memory::finding::shared::related_fixes,
};
use argus_core::{
    Ambient, Analysis, Category, builtin::BUILTINS, display, evidence::kept::fixes::Fix, stable_sort::StableSort,
    summary::shortened_message,
};
use argus_store::{Tx, runs::cases::Case};
use std::collections::{HashMap, HashSet};

/// Maximum number of failures, and of causes, in an answer.
pub(crate) const MAX_LISTED: usize = 20;

/// Maximum number of listed failures of one cause.
const MAX_OF_CAUSE: usize = 3;

/// Budgets in characters of JSON: for the first failure, for each further failure, and in total. A run with one failure
/// takes about 300 tokens, and no run takes more than about 2,500.
const FIRST_FAILURE_CHARS: usize = 900;
const FURTHER_FAILURE_CHARS: usize = 1_500;
const ALL_FAILURES_CHARS: usize = 9_000;

/// Maximum characters of a message and of a fix, from the roomiest to the tightest level.
const MAX_MESSAGE_CHARS: [usize; 4] = [400, 240, 160, 100];
const FIX: [usize; 4] = [300, 240, 160, 120];

/// Maximum number of hint commits for a failure. The host removes commits that have left the branch.
const MAX_CHANGED_BEFORE: usize = 2;

/// Maximum number of case names of a cause, from the roomiest to the tightest level.
const NAMES: [usize; 4] = [20, 6, 3, 1];

/// A failure that can be listed.
pub(crate) struct BriefCandidate {
    /// Index of the case in the run.
    pub(crate) at: usize,
    pub(crate) analysis: Analysis,
    pub(crate) sight: FailureSight,
}

/// Failures that can be listed: the first failure of each of the largest groups, and a few further failures. A group stands
/// in for a cause, because causes are known only after the run is judged.
#[derive(Default)]
pub(crate) struct Candidates {
    of_groups: Vec<BriefCandidate>,
    further: Vec<BriefCandidate>,
    groups: HashMap<u64, Group>,
    sites: HashMap<u64, SiteSight>,
    /// Index and site of each failed case.
    failed: Vec<(usize, u64)>,
}

#[derive(Default)]
struct Group {
    failures: u32,
    has_candidate: bool,
}

/// Groups by error type and line. Values in the message do not count.
fn group_of(sight: &FailureSight) -> u64 {
    sight.raised.unwrap_or(sight.site)
}

impl Candidates {
    pub(crate) fn add(&mut self, candidate: BriefCandidate) {
        let sight = &candidate.sight;
        self.failed.push((candidate.at, sight.site));
        self.sites.entry(sight.site).or_insert_with(|| SiteSight::of(sight));
        let id = group_of(sight);
        let group = self.groups.entry(id).or_default();
        group.failures += 1;
        let failures = group.failures;
        if group.has_candidate {
            if self.further.len() < MAX_LISTED {
                self.further.push(candidate);
            }
        } else if let Some(place) = self.place_for(failures) {
            self.groups.entry(id).and_modify(|group| group.has_candidate = true);
            match self.of_groups.get_mut(place) {
                None => self.of_groups.push(candidate),
                Some(fewer) => {
                    self.groups.entry(group_of(&fewer.sight)).and_modify(|group| group.has_candidate = false);
                    *fewer = candidate;
                }
            }
        }
    }

    /// Position for the candidate of a group with this number of failures: at the end, or in place of the smallest group.
    fn place_for(&self, failures: u32) -> Option<usize> {
        if self.of_groups.len() < MAX_LISTED {
            return Some(self.of_groups.len());
        }
        let of = |one: &BriefCandidate| self.groups.get(&group_of(&one.sight)).map_or(0, |group| group.failures);
        let (place, fewest) = self.of_groups.iter().map(of).enumerate().rev().min_by_key(|(_, failures)| *failures)?;
        (fewest < failures).then_some(place)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.failed.is_empty()
    }

    fn causes(&self, cases: &[Case], verdicts: &[CaseVerdict]) -> Causes {
        let failed = self.failed.iter().filter_map(|(at, site)| Some((&*cases.get(*at)?.name, self.sites.get(site)?)));
        Causes::of(failed, verdicts)
    }
}

/// The failures and causes of an answer.
#[derive(Default)]
pub(crate) struct Brief {
    pub(crate) failures: Vec<FailureBrief>,
    pub(crate) causes: Vec<Cause>,
    pub(crate) more_causes: u32,
}

/// Looks up what is known about the failures of a run. This does not count as an occurrence. `verdicts` assign the causes.
pub(crate) fn brief<'a>(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    cases: &'a [Case],
    candidates: &'a Candidates,
    verdicts: &[CaseVerdict],
    fixes: &[Fix],
) -> Result<Brief, EngineError> {
    let found = candidates.causes(cases, verdicts);
    let by_count = found.sorted();
    let named = |candidate: &'a BriefCandidate| {
        let case = cases.get(candidate.at)?;
        Some((candidate, case, found.id_of(&case.name)?))
    };
    // First one failure of each cause, in the order of the causes, then further failures.
    let rank: HashMap<&str, usize> = by_count.iter().map(|cause| cause.cause_id.as_str()).zip(0..).collect();
    let mut of_cause: HashMap<&str, usize> = HashMap::new();
    let mut place_in_cause = |cause| {
        let count = of_cause.entry(cause).or_default();
        *count += 1;
        *count
    };
    let (mut firsts, further): (Vec<_>, Vec<_>) = (candidates.of_groups.iter().chain(&candidates.further))
        .filter_map(named)
        .map(|(candidate, case, cause)| ((candidate, case, cause), place_in_cause(cause)))
        .filter(|(_, place)| *place <= MAX_OF_CAUSE)
        .partition(|(_, place)| *place == 1);
    firsts.stable_sort_by_key(|((_, _, cause), _)| rank.get(cause));
    let by_name: HashMap<&str, &CaseVerdict> =
        verdicts.iter().map(|verdict| (verdict.case_name.as_str(), verdict)).collect();
    let mut failures = Vec::with_capacity((firsts.len() + further.len()).min(MAX_LISTED));
    let mut places = Vec::with_capacity(failures.capacity());
    for ((candidate, case, cause), _) in firsts.into_iter().chain(further).take(MAX_LISTED) {
        let mut shown = failure(engine, ambient, tx, case, candidate, fixes, cause)?;
        shown.verdict = by_name.get(case.name.as_str()).map(|found| view::brief_verdict(found));
        failures.push((candidate.at, shown));
        places.push(FailedAt::of(&case.name, &candidate.sight));
    }
    let is_fixed = |failure: &FailureBrief| {
        failure.shared.is_some()
            || failure.mended_before.is_some()
            || failure.known.as_ref().is_some_and(|known| known.tried.is_some())
    };
    let changed = changed_before(engine, tx, &places)?;
    for ((_, failure), changed) in failures.iter_mut().zip(changed).filter(|((_, failure), _)| !is_fixed(failure)) {
        failure.changed_before = changed.into_iter().take(MAX_CHANGED_BEFORE).collect();
    }
    let room = ALL_FAILURES_CHARS.min(FIRST_FAILURE_CHARS + FURTHER_FAILURE_CHARS * failures.len().saturating_sub(1));
    let all_causes = by_count.len();
    let fits = |brief: &Brief| brief_chars(brief) <= room;
    let shortened = (0..MAX_MESSAGE_CHARS.len()).map(|level| shorten_to_level(&failures, &by_count, level));
    // Names and fixes can be too long even at the tightest level. Then fewer failures are listed.
    let fewer = (1..failures.len())
        .rev()
        .map(|most| shorten_to_level(&failures[..most], &by_count, MAX_MESSAGE_CHARS.len() - 1));
    let first = || shorten_to_level(&failures[..failures.len().min(1)], &by_count, MAX_MESSAGE_CHARS.len() - 1);
    let mut brief = shortened.chain(fewer).find(fits).unwrap_or_else(first);
    brief.more_causes = u32::try_from(all_causes - brief.causes.len()).unwrap_or(u32::MAX);
    Ok(brief)
}

fn failure(
    engine: &Engine,
    ambient: &Ambient,
    tx: &mut Tx<'_>,
    case: &Case,
    BriefCandidate { analysis, sight, .. }: &BriefCandidate,
    fixes: &[Fix],
    cause_id: &str,
) -> Result<FailureBrief, EngineError> {
    let found = matching::find(engine, tx, analysis, &case.name, None)?;
    let known = known_pattern(engine, tx, analysis, &found, &case.name)?;
    let known = known.filter(|known| !is_assertion_tip(known, analysis));
    let is_proved = known.as_ref().and_then(|known| known.tried).is_some_and(|tried| tried.proved > 0);
    let is_reported = known.as_ref().is_some_and(|known| known.tried.is_some());
    let mended_before = if is_reported { None } else { mended_before(tx, fixes, &case.name, analysis)? };
    let shared = if is_proved { Vec::new() } else { related_fixes(engine, ambient, Some(&mut *tx), analysis)? };
    let facts = case.failure.as_ref().map(|failure| &failure.facts);
    let category = found.pattern.and_then(|pattern| pattern.overrides.category);
    Ok(FailureBrief {
        case_name: case.name.clone(),
        category: category.unwrap_or(analysis.classification.category),
        failure_kind: sight.kind,
        message: cause::further_message(&sight.message, &sight.headline, cause::MAX_MESSAGE_CHARS),
        headline: sight.headline.clone(),
        place: sight.place.clone(),
        test_place: sight.test_place.clone(),
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

/// Shortens the texts to a level, orders the failures as the report does, and removes what repeats the first failure of the
/// same cause.
fn shorten_to_level(failures: &[(usize, FailureBrief)], causes: &[&Cause], level: usize) -> Brief {
    let mut in_order: Vec<&(usize, FailureBrief)> = failures.iter().collect();
    in_order.stable_sort_by_key(|(at, _)| *at);
    let mut firsts: HashMap<&str, &FailureBrief> = HashMap::new();
    let mut listed: Vec<FailureBrief> = Vec::with_capacity(failures.len());
    for (_, failure) in in_order {
        let mut shown = failure.clone();
        match firsts.get(failure.cause_id.as_str()) {
            Some(first) => leave_out_repeated(&mut shown, first),
            None => {
                firsts.insert(&failure.cause_id, failure);
            }
        }
        shown.message = shown.message.map(|message| shortened_message(&message, MAX_MESSAGE_CHARS[level]));
        if let Some(known) = &mut shown.known {
            known.suggested_fix = known.suggested_fix.take().map(|fix| display::shortened(&fix, FIX[level]));
        }
        if let Some(shared) = &mut shown.shared {
            shared.suggested_fix = shared.suggested_fix.take().map(|fix| display::shortened(&fix, FIX[level]));
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
        cause.cases.truncate(NAMES[level]);
    }
    Brief { failures: listed, causes, more_causes: 0 }
}

/// Returns `true` if the pattern has only the built-in text for assertions, which is too general to help.
fn is_assertion_tip(known: &KnownPattern, analysis: &Analysis) -> bool {
    let has_no_fix = known.tried.is_none() && known.suggested_from.is_none() && known.same_cause_as.is_none();
    analysis.classification.category == Category::AssertionMismatch
        && has_no_fix
        && BUILTINS.iter().any(|builtin| builtin.id == known.pattern_id)
}

fn leave_out_repeated(failure: &mut FailureBrief, first: &FailureBrief) {
    if failure.message == first.message {
        failure.message = None;
    }
    let fix = |failure: &FailureBrief| failure.known.as_ref().and_then(|known| known.suggested_fix.clone());
    if fix(failure) == fix(first) {
        failure.known = None;
    }
    let mend = |failure: &FailureBrief| failure.mended_before.as_ref().map(|mend| mend.fix_id.clone());
    if mend(failure) == mend(first) {
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

/// Length of the JSON in characters.
fn brief_chars(brief: &Brief) -> usize {
    let json = |text: Result<String, serde_json::Error>| text.map_or(0, |text| text.chars().count());
    json(serde_json::to_string(&brief.failures)) + json(serde_json::to_string(&brief.causes))
}
