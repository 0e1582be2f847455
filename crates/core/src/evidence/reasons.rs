//! Says why a verdict is what it is, what speaks against it, and which run would settle it.

use crate::evidence::explanations::flakiness;
use crate::evidence::explanations::outage;
use crate::evidence::facts::{CaseId, Failure, RunSeq};
use crate::evidence::kept::history::{Observation, TestHistory};
use crate::evidence::kept::order::OrderEvidence;
use crate::evidence::kept::window::View;
use crate::evidence::verdict::{Reason, Settle, Suspect, Verdict, VerdictKind};
use std::collections::BTreeSet;

/// What a verdict was made from.
pub struct Facts<'a> {
    /// The runs.
    pub view: &'a View<'a>,
    /// The failure.
    pub failure: &'a Failure,
    /// What is kept of the test.
    pub history: Option<&'a TestHistory>,
    /// What it did, this run last.
    pub seen: &'a [Observation],
    /// Tests in which this error was chance.
    pub chance_elsewhere: u32,
    /// What ran before it.
    pub order: &'a OrderEvidence,
    /// Tests that fail for the same cause in this run.
    pub together: u32,
    /// Failures of this run with a file that differs from its commit, and all of them.
    pub differing: (u32, u32),
}

/// A run that leaves so little of the chance on one side tells nothing.
const NEARLY_SURE: f64 = 0.1;
/// From this chance on there is nothing to settle.
const SETTLED: f64 = 0.95;

/// Fills in the reasons and what would settle it.
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

/// That none of the explanations carries: the two likeliest.
fn undecided(run: RunSeq, weighed: &[(VerdictKind, f64)]) -> Vec<Reason> {
    let mut by_chance = weighed.to_vec();
    by_chance.sort_by(|one, other| other.1.total_cmp(&one.1));
    match by_chance[..] {
        [likeliest, next, ..] => vec![Reason::Undecided { run, likeliest, next }],
        _ => Vec::new(),
    }
}

/// Indices of the runs of the view that a test ran in, as far as they say anything of it, and of the one that is judged.
pub fn runs_of(view: &View<'_>, history: Option<&TestHistory>) -> impl Iterator<Item = usize> {
    let has_it = move |at: &usize| {
        *at + 1 == view.runs.len() || history.is_some_and(|history| history.at(view.runs[*at].seq).is_some())
    };
    (0..view.runs.len()).filter(has_it)
}

/// Whether chance may be the answer for the newest failure of those seen, which is the last of them.
pub fn may_be_chance(
    view: &View<'_>,
    history: Option<&TestHistory>,
    seen: &[Observation],
    chance_elsewhere: u32,
) -> bool {
    let has_both = history.is_some_and(|history| history.totals.both_outcomes > 0);
    has_both || !for_chance(view, seen, chance_elsewhere).is_empty()
}

/// What speaks for chance.
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
    // What failed on an edited tree came by the edit: it recurs without a change where both outcomes are on one tree.
    // A pass on an older commit, such as one that searches for the culprit runs on, does not come after the failure.
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

    /// Where nothing was seen before, and the files are not those of a commit: which these are.
    fn first_of_edit(&self) -> Option<Reason> {
        let [only] = self.view.runs[..] else { return None };
        let (there, failures) = self.differing;
        let differs = only.dirty && only.commit.is_some();
        differs.then_some(Reason::DiffersFromCommit { run: only.seq, there, failures })
    }

    /// What speaks for a change of the code.
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

    /// Where no pass is known: not more than that, for when it began is not seen.
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

    /// Of one test that fails with an error that machines have.
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

    /// The commit before which, with it, about half of the chance lies: a run there leaves half of the suspects. None where one
    /// suspect is nearly sure.
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
            // On the same files a pass shows chance, and one more failure speaks for the code.
            VerdictKind::New => Some(Settle::RerunAlone),
            VerdictKind::Regression
            | VerdictKind::Broken
            | VerdictKind::Infrastructure
            | VerdictKind::Flaky
            | VerdictKind::Unknown => once,
        }
    }
}
