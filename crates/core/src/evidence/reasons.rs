//! Adds reasons to a verdict: evidence for it, evidence against it, and the run that would settle it.

use crate::evidence::explanations::flakiness;
use crate::evidence::explanations::outage;
use crate::evidence::facts::{CaseId, Failure, RunSeq};
use crate::evidence::kept::history::{Observation, TestHistory};
use crate::evidence::kept::order::OrderEvidence;
use crate::evidence::kept::window::View;
use crate::evidence::verdict::{Reason, Settle, Suspect, Verdict, VerdictKind};
use std::collections::BTreeSet;

/// Evidence that a verdict is based on.
pub struct Facts<'a> {
    /// The runs.
    pub view: &'a View<'a>,
    /// The failure.
    pub failure: &'a Failure,
    /// The kept history of the test.
    pub history: Option<&'a TestHistory>,
    /// Results of the test. The last result is that of this run.
    pub seen: &'a [Observation],
    /// Number of tests in which this error occurred by chance.
    pub chance_elsewhere: u32,
    /// Evidence about the tests that ran before it.
    pub order: &'a OrderEvidence,
    /// Number of tests that fail for the same cause in this run.
    pub together: u32,
    /// Number of failures of this run that involve a file that differs from the commit, and the total number of
    /// failures.
    pub differing: (u32, u32),
}

/// A run is not worth suggesting if either part of the suspects has less than this probability.
const NEARLY_SURE: f64 = 0.1;
/// Probability from which on a verdict needs no further run.
const SETTLED: f64 = 0.95;

/// Fills in the reasons of the verdict and the run that would settle it.
pub fn explain(verdict: &mut Verdict, facts: &Facts<'_>, is_outage: bool) {
    let Some(now) = facts.view.runs.last() else { return };
    let history = facts.past();
    let (code, chance): (Vec<Reason>, Vec<Reason>) =
        (facts.for_code(), for_chance(facts.view, facts.seen, facts.chance_elsewhere));
    let spread = facts.together > 1;
    let together = Reason::Together { run: now.seq, cases: facts.together };
    let condition = verdict.condition.clone().map(|condition| facts.condition(condition));
    let polluter = verdict.polluter.and_then(|polluter| facts.ran_before(polluter));
    (verdict.because, verdict.against) = match verdict.kind {
        VerdictKind::Regression | VerdictKind::Broken => {
            (code.into_iter().chain(spread.then_some(together)).collect(), chance)
        }
        VerdictKind::Flaky => (chance.into_iter().chain(history).collect(), code),
        VerdictKind::Infrastructure if is_outage => (facts.for_outage(), code),
        VerdictKind::Infrastructure => (facts.of_machine().into_iter().collect(), code),
        VerdictKind::Environment => (condition.into_iter().collect(), chance),
        VerdictKind::Order => (polluter.into_iter().collect(), chance),
        VerdictKind::New => (facts.first_of_edit().into_iter().chain(chance).collect(), code),
        VerdictKind::Unknown => (undecided(now.seq, &verdict.weighed), code.into_iter().chain(chance).collect()),
    };
    if verdict.because.is_empty() {
        verdict.because.push(Reason::FirstTime { run: now.seq, passed: flakiness::counts(facts.seen).1 });
    }
    verdict.settle = facts.settle(verdict, is_outage);
}

/// The reason for an unknown verdict: the two most likely explanations.
fn undecided(run: RunSeq, weighed: &[(VerdictKind, f64)]) -> Vec<Reason> {
    let mut by_chance = weighed.to_vec();
    by_chance.sort_by(|one, other| other.1.total_cmp(&one.1));
    match by_chance[..] {
        [likeliest, next, ..] => vec![Reason::Undecided { run, likeliest, next }],
        _ => Vec::new(),
    }
}

/// Indices of the runs of the view with a usable result of the test, and the index of the judged run.
pub fn runs_of(view: &View<'_>, history: Option<&TestHistory>) -> impl Iterator<Item = usize> {
    let has_it = move |at: &usize| {
        *at + 1 == view.runs.len() || history.is_some_and(|history| history.at(view.runs[*at].seq).is_some())
    };
    (0..view.runs.len()).filter(has_it)
}

/// Returns `true` if chance can explain the newest failure in `seen`, which is its last element.
pub fn may_be_chance(
    view: &View<'_>,
    history: Option<&TestHistory>,
    seen: &[Observation],
    chance_elsewhere: u32,
) -> bool {
    let has_both = history.is_some_and(|history| history.totals.both_outcomes > 0);
    has_both || !for_chance(view, seen, chance_elsewhere).is_empty()
}

/// Evidence for chance.
fn for_chance(view: &View<'_>, seen: &[Observation], chance_elsewhere: u32) -> Vec<Reason> {
    let seq = |one: &Observation| view.runs[one.at].seq;
    let mut reasons = Vec::new();
    for (index, one) in seen.iter().enumerate().rev() {
        let is_twin = |other: &&Observation| other.failed != one.failed && view.trees[other.at] == view.trees[one.at];
        if let Some(twin) = seen[..index].iter().rev().find(is_twin) {
            let (passed, failed) = if one.failed { (twin, one) } else { (one, twin) };
            reasons.push(Reason::BothOutcomes { passed: seq(passed), failed: seq(failed) });
            break;
        }
    }
    // A failure on an edited tree came from the edit. Without a change, such a failure recurs only if both outcomes
    // occur on one tree. A pass on an older commit, for example during a bisection, does not come after the failure.
    let is_after = |pass: &Observation, one: &Observation| {
        !pass.failed && one.at < pass.at && view.places[one.at] <= view.places[pass.at]
    };
    let recurs =
        |one: &&Observation| one.failed && !view.uncommitted[one.at] && seen.iter().any(|pass| is_after(pass, one));
    let earlier: Vec<_> = seen.iter().filter(recurs).collect();
    if let Some(last) = earlier.last() {
        let times = u32::try_from(earlier.len()).unwrap_or(u32::MAX);
        reasons.push(Reason::CameBefore { times, last: seq(last) });
    }
    if let Some(now) = seen.last().filter(|_| chance_elsewhere > 0) {
        reasons.push(Reason::ChanceElsewhere { run: seq(now), tests: chance_elsewhere });
    }
    reasons
}

impl Facts<'_> {
    fn seq(&self, one: &Observation) -> u32 {
        self.view.runs[one.at].seq
    }

    fn now(&self) -> Option<&Observation> {
        self.seen.last()
    }

    fn last_pass(&self) -> Option<&Observation> {
        self.seen.iter().rev().find(|one| !one.failed)
    }

    fn past(&self) -> Option<Reason> {
        let last = self.seen.iter().rev().skip(1).find(|one| one.failed)?;
        let (failed, _) = flakiness::counts(self.seen);
        Some(Reason::FailsByChance { run: self.seq(last), failures: (failed, u32::try_from(self.seen.len()).ok()?) })
    }

    /// The reason for a first run on an edited tree: how many failures involve a file that differs from the commit.
    fn first_of_edit(&self) -> Option<Reason> {
        let [only] = self.view.runs[..] else { return None };
        let (there, failures) = self.differing;
        let differs = only.dirty && only.commit.is_some();
        differs.then_some(Reason::DiffersFromCommit { run: only.seq, there, failures })
    }

    /// Evidence for a change of the code.
    fn for_code(&self) -> Vec<Reason> {
        let Some(now) = self.now() else { return Vec::new() };
        let Some(passed) = self.last_pass() else { return self.always_failed().into_iter().collect() };
        let stretch: Vec<_> = self.seen.iter().rev().take_while(|one| one.failed).collect();
        let mut reasons = Vec::new();
        let first = stretch.last().copied().unwrap_or(now);
        if stretch.len() > 1 {
            reasons.push(Reason::FailsSince {
                run: self.seq(first),
                runs: u32::try_from(stretch.len()).unwrap_or(u32::MAX),
            });
        }
        if self.view.trees[passed.at] != self.view.trees[first.at] {
            let commits = self.view.places[first.at].abs_diff(self.view.places[passed.at]);
            reasons.push(Reason::Changed { passed: self.seq(passed), failed: self.seq(first), commits });
        }
        if stretch.len() == 1 && flakiness::counts(self.seen).0 == 1 {
            reasons.push(Reason::FirstTime { run: self.seq(now), passed: flakiness::counts(self.seen).1 });
        }
        reasons
    }

    /// The reason if no pass is known. It states no beginning, because the beginning was not observed.
    fn always_failed(&self) -> Option<Reason> {
        let first = self.view.runs[runs_of(self.view, self.history).next()?].seq;
        let runs = u32::try_from(runs_of(self.view, self.history).count()).unwrap_or(u32::MAX);
        (runs > 1).then_some(Reason::AlwaysFailed { first, runs })
    }

    fn for_outage(&self) -> Vec<Reason> {
        let Some(run) = self.view.runs.last() else { return Vec::new() };
        let spread = Reason::Spread { run: run.seq, cases: self.together, files: run.files, ran: run.ran };
        let category = Reason::MachineCategory { run: run.seq, category: self.failure.category };
        [Some(spread), outage::is_of_machine(self.failure.category).then_some(category)].into_iter().flatten().collect()
    }

    /// The reason if a single test fails with an error that machines cause.
    fn of_machine(&self) -> Option<Reason> {
        let (now, passed) = (self.now()?, self.last_pass()?);
        Some(Reason::MachineError { run: self.seq(now), passed: self.seq(passed) })
    }

    fn condition(&self, condition: (String, String)) -> Reason {
        let count = |inside: bool| {
            let here: Vec<_> =
                self.seen.iter().filter(|one| self.view.has(one.at, &condition) == inside).copied().collect();
            (flakiness::counts(&here).0, u32::try_from(here.len()).unwrap_or(u32::MAX))
        };
        let run = self.now().map_or(0, |one| self.seq(one));
        let (inside, outside) = (count(true), count(false));
        Reason::Condition { run, condition, inside, outside }
    }

    fn ran_before(&self, polluter: CaseId) -> Option<Reason> {
        let order = self.order;
        let found = order.candidates.iter().find(|one| one.case == polluter)?;
        let alike: BTreeSet<_> = order
            .candidates
            .iter()
            .filter(|one| (one.failed_before, one.passed_before) == (found.failed_before, found.passed_before))
            .map(|one| one.case)
            .collect();
        Some(Reason::RanBefore {
            run: self.now().map_or(0, |one| self.seq(one)),
            polluter,
            failing: u32::from(found.failed_before),
            others: u32::try_from(alike.len()).unwrap_or(u32::MAX).saturating_sub(1),
        })
    }

    /// The commit that splits the suspects into two parts of about equal probability, so that a run there eliminates
    /// about half of them. None if one suspect is nearly certain.
    fn halving(&self, suspects: &[Suspect]) -> Option<String> {
        let mut by_place: Vec<_> =
            suspects.iter().filter_map(|one| Some((self.view.place_of(&one.commit)?, one))).collect();
        by_place.sort_by_key(|(place, _)| *place);
        let all: f64 = suspects.iter().map(|one| one.probability).sum();
        let mut upto = 0.0;
        let splits = by_place.iter().map(|(_, one)| {
            upto += one.probability / all;
            (upto, &one.commit)
        });
        let distance = |upto: f64| (upto - 0.5).abs();
        let (upto, commit) = splits.min_by(|one, other| distance(one.0).total_cmp(&distance(other.0)))?;
        (distance(upto) < 0.5 - NEARLY_SURE).then(|| commit.clone())
    }

    fn settle(&self, verdict: &Verdict, is_outage: bool) -> Option<Settle> {
        let is_sure = verdict.probability >= SETTLED;
        let once = Some(Settle::RerunAlone).filter(|_| !is_sure);
        match verdict.kind {
            VerdictKind::Infrastructure if is_outage => Some(Settle::RerunAll),
            VerdictKind::Order => verdict.polluter.map(|first| Settle::RunPair { first }),
            VerdictKind::Environment => verdict.condition.clone().map(|condition| Settle::RunElsewhere { condition }),
            VerdictKind::Regression | VerdictKind::Broken if verdict.suspects.len() > 1 => {
                self.halving(&verdict.suspects).map(|commit| Settle::RunAt { commit }).or(once)
            }
            // A pass on the same files shows that the failure is chance; another failure is evidence for the code.
            VerdictKind::New => Some(Settle::RerunAlone),
            VerdictKind::Regression
            | VerdictKind::Broken
            | VerdictKind::Infrastructure
            | VerdictKind::Flaky
            | VerdictKind::Unknown => once,
        }
    }
}
