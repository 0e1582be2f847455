//! The failures of a run as an agent gets them: what each is, which have one cause, and what is known; in so many
//! characters as an agent can read.

use super::cause::{self, Causes, FailureSight, SiteSight};
use crate::{
    Engine, EngineError,
    contract::{CaseVerdict, Cause, FailureBrief},
    evidence::learned_commits::{FailedAt, changed_before},
    failures::{matching, suggestion::known_pattern},
    memory::finding::shared::related_fixes,
};
use argus_core::{Ambient, Analysis, display, summary::shortened_message};
use argus_store::{Database, runs::cases::Case};
use std::collections::{HashMap, HashSet};

/// Failures, and causes, that an answer lists at most.
pub(crate) const MAX_LISTED: usize = 20;

/// Characters of failures and causes for the first failure, for each further one, and for all of them together: a run with
/// one failure is said in 300 tokens, whatever a run is in 2,500.
const FIRST_FAILURE_CHARS: usize = 900;
const FURTHER_FAILURE_CHARS: usize = 1_500;
const ALL_FAILURES_CHARS: usize = 9_000;

/// Characters of a message and of a fix where there is room, and where there is little.
const MAX_MESSAGE_CHARS: [usize; 4] = [400, 240, 160, 100];
const FIX: [usize; 4] = [300, 240, 160, 120];

/// Commits that are a hint for one failure; one of them may be gone from the branch, which only the host sees.
const MAX_CHANGED_BEFORE: usize = 2;

/// Names of a cause's cases where there is room, and where there is little.
const NAMES: [usize; 4] = [20, 6, 3, 1];

/// A failure that may be listed.
pub(crate) struct BriefCandidate {
    /// Index of its case.
    pub(crate) at: usize,
    pub(crate) analysis: Analysis,
    pub(crate) sight: FailureSight,
}

/// Which failures may be listed: one of each of the sites with most of them, and some further ones.
#[derive(Default)]
pub(crate) struct Candidates {
    of_sites: Vec<BriefCandidate>,
    further: Vec<BriefCandidate>,
    sites: HashMap<u64, Site>,
    /// The index of each failed case, and its site.
    failed: Vec<(usize, u64)>,
}

struct Site {
    sight: SiteSight,
    failures: u32,
    has_candidate: bool,
}

impl Candidates {
    pub(crate) fn add(&mut self, candidate: BriefCandidate) {
        let at = candidate.sight.site;
        self.failed.push((candidate.at, at));
        let new = || Site { sight: SiteSight::of(&candidate.sight), failures: 0, has_candidate: false };
        let site = self.sites.entry(at).or_insert_with(new);
        site.failures += 1;
        let failures = site.failures;
        if site.has_candidate {
            if self.further.len() < MAX_LISTED {
                self.further.push(candidate);
            }
        } else if let Some(place) = self.place_for(failures) {
            self.sites.entry(at).and_modify(|site| site.has_candidate = true);
            match self.of_sites.get_mut(place) {
                None => self.of_sites.push(candidate),
                Some(fewer) => {
                    self.sites.entry(fewer.sight.site).and_modify(|site| site.has_candidate = false);
                    *fewer = candidate;
                }
            }
        }
    }

    /// Where a candidate of a site with so many failures goes: behind the others, or in place of the last with fewest.
    fn place_for(&self, failures: u32) -> Option<usize> {
        if self.of_sites.len() < MAX_LISTED {
            return Some(self.of_sites.len());
        }
        let of = |candidate: &BriefCandidate| self.sites.get(&candidate.sight.site).map_or(0, |site| site.failures);
        let (place, fewest) = self.of_sites.iter().map(of).enumerate().rev().min_by_key(|(_, failures)| *failures)?;
        (fewest < failures).then_some(place)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.failed.is_empty()
    }

    fn causes(&self, cases: &[Case], verdicts: &[CaseVerdict]) -> Causes {
        let failed =
            self.failed.iter().filter_map(|(at, site)| Some((&*cases.get(*at)?.name, &self.sites.get(site)?.sight)));
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

/// What is known about the failures of a run, whose verdicts say which have one cause; shown, not counted.
pub(crate) async fn brief<'a, D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    tx: &mut D::Tx<'_>,
    cases: &'a [Case],
    candidates: &'a Candidates,
    verdicts: &[CaseVerdict],
) -> Result<Brief, EngineError> {
    let found = candidates.causes(cases, verdicts);
    let by_count = found.sorted();
    let named = |candidate: &'a BriefCandidate| {
        let case = cases.get(candidate.at)?;
        Some((candidate, case, found.id_of(&case.name)?))
    };
    // One of each cause, of that with most failures first; then what is further of them.
    let rank: HashMap<&str, usize> = by_count.iter().map(|cause| cause.cause_id.as_str()).zip(0..).collect();
    let mut seen = HashSet::new();
    let (mut firsts, further): (Vec<_>, Vec<_>) = (candidates.of_sites.iter().chain(&candidates.further))
        .filter_map(named)
        .partition(|(_, _, cause)| seen.insert(*cause));
    firsts.sort_by_key(|(_, _, cause)| rank.get(cause));
    let mut failures = Vec::with_capacity((firsts.len() + further.len()).min(MAX_LISTED));
    let mut places = Vec::with_capacity(failures.capacity());
    for (candidate, case, cause) in firsts.into_iter().chain(further).take(MAX_LISTED) {
        failures.push((candidate.at, failure(engine, ambient, tx, case, candidate, cause).await?));
        places.push(FailedAt::of(&case.name, &candidate.sight));
    }
    let is_fixed = |failure: &FailureBrief| {
        failure.shared.is_some() || failure.known.as_ref().is_some_and(|known| known.tried.is_some())
    };
    let changed = changed_before(engine, tx, &places).await?;
    for ((_, failure), changed) in failures.iter_mut().zip(changed).filter(|((_, failure), _)| !is_fixed(failure)) {
        failure.changed_before = changed.into_iter().take(MAX_CHANGED_BEFORE).collect();
    }
    let room = ALL_FAILURES_CHARS.min(FIRST_FAILURE_CHARS + FURTHER_FAILURE_CHARS * failures.len().saturating_sub(1));
    let all_causes = by_count.len();
    let fits = |brief: &Brief| brief_chars(brief) <= room;
    let shortened = (0..MAX_MESSAGE_CHARS.len()).map(|level| shorten_to_level(&failures, &by_count, level));
    // Long names and fixes: as many whole failures, with their causes, as there is room for.
    let fewer = (1..failures.len())
        .rev()
        .map(|most| shorten_to_level(&failures[..most], &by_count, MAX_MESSAGE_CHARS.len() - 1));
    let first = || shorten_to_level(&failures[..failures.len().min(1)], &by_count, MAX_MESSAGE_CHARS.len() - 1);
    let mut brief = shortened.chain(fewer).find(fits).unwrap_or_else(first);
    brief.more_causes = u32::try_from(all_causes - brief.causes.len()).unwrap_or(u32::MAX);
    Ok(brief)
}

async fn failure<D: Database>(
    engine: &Engine<D>,
    ambient: &Ambient,
    tx: &mut D::Tx<'_>,
    case: &Case,
    BriefCandidate { analysis, sight, .. }: &BriefCandidate,
    cause_id: &str,
) -> Result<FailureBrief, EngineError> {
    let found = matching::find(engine, tx, analysis, &case.name, None).await?;
    let known = known_pattern(engine, tx, analysis, &found, &case.name).await?;
    let is_proved = known.as_ref().and_then(|known| known.tried).is_some_and(|tried| tried.proved > 0);
    let shared = if is_proved { Vec::new() } else { related_fixes(engine, ambient, Some(&mut *tx), analysis).await? };
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
        shared: shared.into_iter().find(|fix| fix.suggested_fix.is_some()),
        known,
        changed_before: Vec::new(),
    })
}

/// The same with shorter texts; the failures in the order of the report.
fn shorten_to_level(failures: &[(usize, FailureBrief)], causes: &[&Cause], level: usize) -> Brief {
    let mut seen: HashMap<&str, Option<&str>> = HashMap::new();
    let mut listed: Vec<(usize, FailureBrief)> = Vec::with_capacity(failures.len());
    for (at, failure) in failures {
        let mut shown = failure.clone();
        // What the first of the cause has said already.
        let first = *seen.entry(&failure.cause_id).or_insert(None);
        if first.is_some() && first == failure.message.as_deref() {
            shown.message = None;
        } else {
            seen.insert(&failure.cause_id, failure.message.as_deref());
        }
        shown.message = shown.message.map(|message| shortened_message(&message, MAX_MESSAGE_CHARS[level]));
        if let Some(known) = &mut shown.known {
            known.suggested_fix = known.suggested_fix.take().map(|fix| display::shortened(&fix, FIX[level]));
        }
        if let Some(shared) = &mut shown.shared {
            shared.suggested_fix = shared.suggested_fix.take().map(|fix| display::shortened(&fix, FIX[level]));
        }
        listed.push((*at, shown));
    }
    listed.sort_by_key(|(at, _)| *at);
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
    Brief { failures: listed.into_iter().map(|(_, failure)| failure).collect(), causes, more_causes: 0 }
}

/// Characters of its JSON.
fn brief_chars(brief: &Brief) -> usize {
    let json = |text: Result<String, serde_json::Error>| text.map_or(0, |text| text.chars().count());
    json(serde_json::to_string(&brief.failures)) + json(serde_json::to_string(&brief.causes))
}
