//! Computes the verdicts on the failures of a run.

mod precedents;
mod run_outage;

use crate::evidence::explanations::flakiness;
use crate::evidence::explanations::outage::MACHINE_SHARE;
use crate::evidence::explanations::weigh::{self, Seen, Weighed};
use crate::evidence::facts::{CaseId, Failure, FileId, RunFacts, RunSeq, StackFiles, Trait};
use crate::evidence::kept::causes::{self, Cause};
use crate::evidence::kept::fixes::Fix;
use crate::evidence::kept::history::{Observation, TestHistory, up_to_last_commit};
use crate::evidence::kept::memory::{Memory, Outage};
use crate::evidence::kept::order::{Order, OrderEvidence};
use crate::evidence::kept::traits::{CHANCE, KINDS};
use crate::evidence::kept::window::View;
use crate::evidence::reasons;
use crate::evidence::suspects::{self, Evidence};
use crate::evidence::verdict::{Since, Suspect, Verdict, VerdictKind};
use run_outage::RunOutage;
use std::collections::BTreeSet;

/// Verdicts on the failures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// A verdict for each failing case, ordered by case id.
    pub verdicts: Vec<Judged>,
    /// Number of tests that started to fail with the changes of this run ([`RunFacts::began`]).
    pub began: u32,
}

/// A failing case with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The failure.
    pub failure: Failure,
    /// The verdict.
    pub verdict: Verdict,
    /// Id of the cause.
    pub cause: u64,
    /// The outage that caused the failure, if it has the error of that outage.
    pub outage: Option<Outage>,
    /// True if an outage of the run caused the failure, so that it says nothing about the test.
    pub is_outage: bool,
    /// Estimated number of tests that the same change broke.
    pub together: f64,
    /// Evidence about the tests that ran before it, including this run.
    pub order: OrderEvidence,
    /// True if the stack has a file that was changed since the last pass.
    pub touched: bool,
    /// True if a commit since the last pass touched a file of the change that fixed it before.
    pub undone: bool,
    /// Probabilities of code, chance, environment and order, given that it is not the machine.
    pub weighed: [f64; KINDS],
}

/// Judges the failures of a run from the runs before it. `order` has the cases in the order of execution, and `stacks` the
/// files in the stacks of the failures.
pub fn judge(memory: &Memory, run: &RunFacts, failures: &[Failure], order: &Order, stacks: &StackFiles) -> Judgement {
    let mut failures = failures.to_vec();
    failures.sort_by_key(|failure| failure.case);
    let view = memory.window.seen_from(run);
    let has_never_passed = |case: &CaseId| memory.tests.get(case).and_then(TestHistory::last_pass).is_none();
    let differs = |failure: &&Failure| {
        let files = failure.file_and_stack(stacks);
        run.edited_files.iter().any(|(file, _)| files.contains(file))
    };
    let mut judging = Judging {
        memory,
        run,
        view: &view,
        order,
        stacks,
        conditions: view.conditions(),
        only_failed: failures.iter().map(|failure| failure.case).filter(has_never_passed).collect(),
        began: 0,
        differing: (count(failures.iter().filter(differs)), count(failures.iter())),
    };
    let groups = causes::group(&failures, |case| memory.tests.get(&case));
    let groups: Vec<_> = groups.iter().flat_map(|group| judging.split(&failures, group)).collect();
    let outage = judging.outage(&groups);
    if outage.is_none() {
        judging.began = judging.begin_to_fail(&failures);
    }
    let mut verdicts: Vec<Judged> =
        groups.iter().flat_map(|(cause, members)| judging.group(*cause, members, outage)).collect();
    verdicts.sort_by_key(|judged| judged.failure.case);
    Judgement { verdicts, began: judging.began }
}

/// Judges a failure of an earlier run again, with the evidence of later runs on the same commits and files. None if the run is
/// too old, or if there is no such evidence.
pub fn judge_again(memory: &Memory, seq: RunSeq, failure: &Failure, stacks: &StackFiles) -> Option<Judged> {
    let run = memory.window.get(seq)?;
    let history = memory.tests.get(&failure.case)?;
    let view = memory.window.seen_again(seq)?;
    let is_later = |earlier: &&RunFacts| earlier.seq > seq && history.at(earlier.seq).is_some();
    view.runs.iter().copied().find(is_later)?;
    let order = Order::unknown(vec![failure.case]);
    let judging = Judging {
        memory,
        run,
        view: &view,
        order: &order,
        stacks,
        conditions: view.conditions(),
        only_failed: BTreeSet::new(),
        began: run.began,
        differing: (0, 1),
    };
    judging.group(None, &[*failure], None).pop()
}

struct Judging<'a> {
    memory: &'a Memory,
    run: &'a RunFacts,
    view: &'a View<'a>,
    order: &'a Order,
    stacks: &'a StackFiles,
    conditions: Vec<&'a (String, String)>,
    only_failed: BTreeSet<CaseId>,
    began: u32,
    differing: (u32, u32),
}

/// The evidence for a failure, before its group is considered.
struct Weighing<'a> {
    failure: Failure,
    history: Option<&'a TestHistory>,
    seen: Vec<Observation>,
    order: OrderEvidence,
    together: f64,
    weighed: Weighed,
}

impl Weighing<'_> {
    /// Returns `true` if the start of the failure was observed: the test passed before, or it is new in this run.
    fn is_seen_to_begin(&self) -> bool {
        self.history.is_none_or(TestHistory::is_new) || self.seen.iter().any(|one| !one.failed)
    }
}

impl<'a> Judging<'a> {
    /// Splits the members of a group by the lasting cause that they may belong to.
    fn split(&self, failures: &[Failure], group: &[usize]) -> Vec<(Option<&'a Cause>, Vec<Failure>)> {
        let mut parts: Vec<(Option<&Cause>, Vec<Failure>)> = Vec::new();
        for index in group {
            let failure = failures[*index];
            let history = self.memory.tests.get(&failure.case);
            let newest = || self.memory.causes.iter().rev();
            let lasting = newest()
                .find(|cause| cause.cases.contains_key(&failure.case) && cause.may_be_of(&failure, history))
                .or_else(|| newest().find(|cause| cause.may_be_of(&failure, history)));
            match parts.iter_mut().find(|(cause, _)| cause.map(|one| one.id) == lasting.map(|one| one.id)) {
                Some((_, members)) => members.push(failure),
                None => parts.push((lasting, vec![failure])),
            }
        }
        parts
    }

    /// Number of failures whose test last passed on other files and was not known to fail like this by chance.
    fn begin_to_fail(&self, failures: &[Failure]) -> u32 {
        let begins = |failure: &&Failure| {
            let Some(history) = self.memory.tests.get(&failure.case) else { return false };
            let found = history.strand(Trait::of(failure)).and_then(|strand| strand.found);
            let passed = history.last_pass().filter(|_| history.last_outcome() == Some(false));
            let is_on_other_files =
                |seq| self.view.index(seq).is_some_and(|at| self.view.trees.last() != self.view.trees.get(at));
            found != Some(VerdictKind::Flaky) && passed.is_some_and(is_on_other_files)
        };
        u32::try_from(failures.iter().filter(begins).count()).unwrap_or(u32::MAX)
    }

    fn has_passed(&self, failure: &Failure) -> bool {
        self.memory.tests.get(&failure.case).and_then(TestHistory::last_pass).is_some()
    }

    fn group(&self, lasting: Option<&Cause>, members: &[Failure], of_run: Option<RunOutage>) -> Vec<Judged> {
        let own = self.outage_probability(members);
        let Some(first) = members.first() else { return Vec::new() };
        let is_unexplained = members.iter().all(|one| self.is_unexplained(one));
        let by_run = of_run.filter(|_| is_unexplained).map_or(0.0, |of_run| of_run.probability_of(first));
        let of_run = of_run.filter(|_| by_run > own && by_run > 0.5);
        let common = of_run.map_or_else(|| Trait::of(first), |one| one.common);
        let comes_along = of_run.is_some_and(|one| one.has_other_error(first));
        let outage = own.max(by_run);
        let together = u32::try_from(members.len()).unwrap_or(u32::MAX);
        let files = self.files(members, lasting);
        let weighings: Vec<Weighing<'_>> =
            members.iter().map(|failure| self.weigh(failure, lasting, together, &files)).collect();
        let is_seen_to_begin = weighings.iter().any(Weighing::is_seen_to_begin);
        // Nothing is known from before the first run.
        let is_first = self.view.runs.len() == 1;
        let suspects = if is_seen_to_begin && !is_first {
            let fixed = members.iter().flat_map(|failure| self.fixed_files(failure));
            self.suspects(&weighings, &files.iter().copied().chain(fixed).collect())
        } else {
            Vec::new()
        };
        let shared = Shared { outage, lasting, together, suspects, common, comes_along, site: first.site };
        weighings.into_iter().map(|weighing| self.judged(weighing, &shared)).collect()
    }

    fn weigh(
        &self,
        failure: &Failure,
        lasting: Option<&Cause>,
        together: u32,
        files: &BTreeSet<FileId>,
    ) -> Weighing<'a> {
        let history = self.memory.tests.get(&failure.case);
        let fixed = self.fixed_files(failure).collect();
        let seen = weigh::with_now(self.view, history, Trait::of(failure), files, &fixed, self.began);
        let order = self.order_evidence(failure, history);
        let fails_otherwise =
            history.is_some_and(|history| !history.other_failures_since_pass(self.view, Trait::of(failure)).is_empty());
        let together = match lasting {
            Some(cause) if !cause.cases.contains_key(&failure.case) => JOINS,
            _ if failure.function.is_none() => 1.0_f64.max(f64::from(together) / 2.0),
            _ => f64::from(together),
        };
        let of_case = Seen {
            observations: &seen,
            looks: self.memory.traits.log_likelihoods(failure),
            together,
            // An order-dependent test fails in the same way each time.
            order: Some(&order).filter(|_| !fails_otherwise),
            both_outcomes: history.is_some_and(|history| history.totals.both_outcomes > 0),
            before: history.and_then(|history| history.strand(Trait::of(failure))).and_then(weigh::found_before),
            cases: self.run.ran,
        };
        let weighed = weigh::weigh(self.view, &of_case, &self.conditions);
        Weighing { failure: *failure, history, seen, order, together, weighed }
    }

    fn order_evidence(&self, failure: &Failure, history: Option<&TestHistory>) -> OrderEvidence {
        let known =
            history.and_then(|history| history.strand(Trait::of(failure))).and_then(|strand| strand.order.clone());
        if let Some(mut known) = known {
            known.record(failure.case, self.order, true);
            return known;
        }
        if self.order.is_unknown() {
            return OrderEvidence::default();
        }
        let passed = |seq: RunSeq| history.is_some_and(|history| history.at(seq) == Some(false));
        OrderEvidence::start(failure.case, self.order, &self.only_failed, &self.memory.orders.of_runs(passed))
    }

    /// Files in the stacks and test files of all failures of the cause, in this run and in earlier runs.
    fn files(&self, members: &[Failure], lasting: Option<&Cause>) -> BTreeSet<FileId> {
        let now = members.iter().flat_map(|failure| failure.file_and_stack(self.stacks));
        let before = lasting.into_iter().flat_map(|cause| cause.cases.keys().map(|case| (case, cause.common)));
        let strands = before.filter_map(|(case, common)| self.memory.tests.get(case)?.strand(common));
        now.chain(strands.map(|one| one.newest.file)).collect()
    }

    /// Files of the changes that fixed a failure before. It comes back when a commit undoes such a change.
    fn fixed_files(&self, failure: &Failure) -> impl Iterator<Item = FileId> {
        let fixes = if self.view.is_on_edit() { &[][..] } else { &self.memory.fixes[..] };
        let is_of_it = |fix: &&Fix| fix.is_of(failure.case, failure.signature) && fix.may_be_undone(self.view);
        fixes.iter().filter(is_of_it).flat_map(|fix| fix.files.iter().copied())
    }

    fn suspects(&self, weighings: &[Weighing<'_>], files: &BTreeSet<FileId>) -> Vec<Suspect> {
        let flake_rate = |weighing: &Weighing<'_>| {
            let known = weighing.history.filter(|history| !history.is_new());
            known.map_or(NEVER_SEEN_FLAKING, flakiness::chance_rate)
        };
        let evidence: Vec<Evidence<'_>> = weighings
            .iter()
            .map(|weighing| Evidence { seen: &weighing.seen, flake_rate: flake_rate(weighing) })
            .collect();
        suspects::suspects(self.view, &evidence, files)
    }

    fn judged(&self, weighing: Weighing<'_>, shared: &Shared<'_>) -> Judged {
        let Weighing { failure, history, seen, order, together, weighed } = weighing;
        let rest = 1.0 - shared.outage;
        let chances = weighed.chances();
        let never_passed = history.is_some_and(|history| !history.is_new() && !history.has_passed());
        let is_broken = never_passed || self.is_broken(history, &failure, shared);
        let code = if is_broken { VerdictKind::Broken } else { VerdictKind::Regression };
        let of_machine = if self.is_of_machine(&failure, history) { MACHINE_SHARE } else { 0.0 };
        // A test that failed before may fail by chance. At a first failure, the error is better evidence.
        let has_failed_before = seen.iter().rev().skip(1).any(|one| one.failed);
        let chance_of_machine = if has_failed_before { 0.0 } else { of_machine };
        let by_machine = weighed.code * of_machine + weighed.flaky * chance_of_machine;
        let weighed_kinds = vec![
            (code, weighed.code * rest * (1.0 - of_machine)),
            (VerdictKind::Flaky, weighed.flaky * rest * (1.0 - chance_of_machine)),
            (VerdictKind::Infrastructure, shared.outage + rest * by_machine),
            (VerdictKind::Environment, weighed.environment * rest),
            (VerdictKind::Order, weighed.order * rest),
        ];
        let chance_elsewhere = self.memory.traits.tests_with(failure.signature)[CHANCE];
        let facts = reasons::Facts {
            view: self.view,
            failure: &failure,
            history,
            seen: &seen,
            chance_elsewhere,
            order: &order,
            together: shared.together,
            differing: self.differing,
        };
        let has_history = history.is_some_and(|history| !history.is_new());
        let may_be_chance = reasons::may_be_chance(self.view, history, &seen, chance_elsewhere);
        let (kind, probability) = VerdictKind::likeliest(&weighed_kinds, has_history, may_be_chance);
        let polluter = weighed.polluter.filter(|_| kind == VerdictKind::Order);
        let condition = weighed.condition.filter(|_| kind == VerdictKind::Environment);
        let precedents = self.precedents(kind, &failure, history, condition.as_ref(), shared.common);
        let mut verdict = Verdict {
            precedents,
            kind,
            probability,
            weighed: weighed_kinds,
            since: self.since(kind, &failure, &seen, shared),
            because: Vec::new(),
            against: Vec::new(),
            settle: None,
            polluter: polluter.map(|(case, _)| case),
            condition,
            suspects: Vec::new(),
        };
        if may_have_suspects(&verdict, code) {
            verdict.suspects.clone_from(&shared.suspects);
        }
        let is_outage = kind == VerdictKind::Infrastructure && shared.outage >= 0.5;
        reasons::explain(&mut verdict, &facts, is_outage);
        let outage = is_outage.then(|| self.known_outage(shared.common));
        Judged {
            cause: outage.map_or_else(|| self.cause_id(kind, &failure, shared), |outage| shared.cause_of(outage)),
            outage: outage.filter(|_| !shared.comes_along),
            is_outage,
            failure,
            verdict,
            together,
            order,
            touched: seen.last().is_some_and(|now| now.touched),
            undone: seen.last().is_some_and(|now| now.undone),
            weighed: chances,
        }
    }

    /// Returns `true` if the test failed like this before and has not passed since.
    fn is_broken(&self, history: Option<&TestHistory>, failure: &Failure, shared: &Shared<'_>) -> bool {
        let mut own = history.map(|history| history.observations(self.view, Trait::of(failure))).unwrap_or_default();
        // Later runs of older commits do not change where the failure started.
        own.retain(|one| self.view.runs[one.at].seq < self.run.seq);
        let before = up_to_last_commit(self.view, &own);
        let last_known = before.iter().rev().find(|one| one.failed || !self.view.uncommitted[one.at]);
        let failed_last = before.last().is_some_and(|one| one.failed);
        let lasts = shared.lasting.is_some_and(|cause| !cause.cases.contains_key(&failure.case));
        failed_last || lasts || last_known.is_some_and(|one| one.failed && !self.view.uncommitted[one.at])
    }

    fn since(&self, kind: VerdictKind, failure: &Failure, seen: &[Observation], shared: &Shared<'_>) -> Option<Since> {
        if !matches!(kind, VerdictKind::Broken | VerdictKind::Regression) {
            return None;
        }
        let history = |case: &CaseId| self.memory.tests.get(case);
        let own = match seen.iter().rposition(|one| !one.failed) {
            Some(passed) => {
                // A pass on an edit that was undone does not end the failure.
                let kept_pass = seen.iter().rposition(|one| !one.failed && self.view.kept[one.at]);
                let lasting = &seen[kept_pass.map_or(0, |at| at + 1)..];
                let first_kept = lasting.iter().find(|one| one.failed && self.view.kept[one.at]);
                first_kept.into_iter().chain(seen.get(passed + 1)).map(|one| one.at).min()
            }
            None => reasons::runs_of(self.view, history(&failure.case)).next(),
        };
        let lasting = shared.lasting.filter(|cause| !self.view.is_on_older_commit_than(cause.first));
        let lasting = lasting.and_then(|cause| self.view.index(cause.first));
        let first = self.view.runs[own.into_iter().chain(lasting).min()?];
        let mut cases =
            std::iter::once(&failure.case).chain(shared.lasting.into_iter().flat_map(|one| one.cases.keys()));
        let is_seen_to_begin = cases.any(|case| history(case).is_some_and(|test| test.has_passed_before(first.seq)));
        Some(Since { run: first.seq, commit: first.commit.clone().filter(|_| is_seen_to_begin) })
    }

    /// The outage of the previous run if it continues, else a new outage.
    fn known_outage(&self, common: Trait) -> Outage {
        let seq = self.run.seq;
        let known = self.memory.outages.iter().find(|known| known.common == common);
        let lasts = known.filter(|known| known.last + 1 == seq);
        let first = known.map_or(seq, |known| known.first.unwrap_or(known.last));
        Outage {
            id: lasts.map_or_else(|| new_id(common, seq), |known| known.id),
            common,
            first: Some(first),
            last: seq,
        }
    }

    fn cause_id(&self, kind: VerdictKind, failure: &Failure, shared: &Shared<'_>) -> u64 {
        match kind {
            VerdictKind::Flaky | VerdictKind::Order | VerdictKind::Environment => {
                hash(failure.function.unwrap_or(failure.case), failure.signature)
            }
            _ => {
                shared.lasting.map_or_else(|| hash(new_id(shared.common, self.run.seq), shared.site), |cause| cause.id)
            }
        }
    }
}

/// Facts that the members of a group share.
struct Shared<'a> {
    outage: f64,
    lasting: Option<&'a Cause>,
    together: u32,
    suspects: Vec<Suspect>,
    common: Trait,
    /// True if only an outage with another error explains them.
    comes_along: bool,
    site: u64,
}

impl Shared<'_> {
    /// Other errors during an outage are causes of their own for as long as the outage lasts.
    fn cause_of(&self, outage: Outage) -> u64 {
        if self.comes_along { hash(outage.id, self.site) } else { outage.id }
    }
}

/// Minimum probability of a change of the code for which an unknown failure has suspects. A lower value would accuse innocent
/// commits.
const MIN_CODE_CHANCE: f64 = 0.3;

/// Returns `true` if commits may be suspected. Chance and the machine have no culprit, and the start of a new test was
/// not observed.
fn may_have_suspects(verdict: &Verdict, code: VerdictKind) -> bool {
    match verdict.kind {
        VerdictKind::Infrastructure | VerdictKind::Flaky | VerdictKind::New => false,
        VerdictKind::Unknown => {
            let sum: f64 = verdict.weighed.iter().map(|(_, weight)| weight).sum();
            let of_code = verdict.weighed.iter().find(|(kind, _)| *kind == code).map_or(0.0, |(_, weight)| *weight);
            of_code >= MIN_CODE_CHANCE * sum
        }
        _ => true,
    }
}

/// Weight of a lasting cause: a test that fails by it counts as one of many.
const JOINS: f64 = 50.0;
/// Assumed flake rate of a test without history.
const NEVER_SEEN_FLAKING: f64 = 0.01;

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

fn new_id(common: Trait, run: RunSeq) -> u64 {
    let (kind, value) = match common {
        Trait::Function(value) => (1, value),
        Trait::Signature(value) => (2, value),
    };
    hash(hash(kind, value), u64::from(run))
}

fn hash(one: u64, other: u64) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(&one.to_le_bytes(), other)
}
