//! Computes the verdicts on the failures of a run.

mod cause_ids;
mod precedents;
mod run_outage;

use crate::evidence::explanations::flakiness;
use crate::evidence::explanations::outage::MACHINE_SHARE;
use crate::evidence::explanations::weigh::{self, ErrorEvidence, WeighedExplanations};
use crate::evidence::facts::{CaseId, Failure, FailureKey, FileId, RunFacts, RunSeq, StackFiles};
use crate::evidence::reasons;
use crate::evidence::stored_rows::causes::{self, Cause};
use crate::evidence::stored_rows::failure_traits::{CHANCE_INDEX, EXPLANATION_COUNT};
use crate::evidence::stored_rows::fixes::Fix;
use crate::evidence::stored_rows::history::{Observation, TestHistory, observations_up_to_last_commit};
use crate::evidence::stored_rows::memory::{EvidenceMemory, Outage};
use crate::evidence::stored_rows::order::{Order, OrderEvidence};
use crate::evidence::stored_rows::window::RunView;
use crate::evidence::suspects::{self, TestEvidence};
use crate::evidence::verdict::{FailureStart, Suspect, Verdict, VerdictKind};
use run_outage::RunOutage;
use std::collections::BTreeSet;

/// Verdicts on the failures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// A verdict for each failing case, ordered by case id.
    pub verdicts: Vec<CaseJudgement>,
    /// Number of tests that started to fail with the changes of this run ([`RunFacts::newly_failing`]).
    pub newly_failing: u32,
    /// Number of failures for which no earlier test was searched, because too many tests failed. The search starts with
    /// their next failure.
    pub unsearched: u32,
}

/// A failing case with its verdict and the evidence that later runs need.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseJudgement {
    /// The failure.
    pub failure: Failure,
    /// The verdict.
    pub verdict: Verdict,
    /// Id of the cause.
    pub cause: u64,
    /// The outage that caused the failure, if it has the error of that outage.
    pub outage_probability: Option<Outage>,
    /// True if an outage of the run caused the failure, so that it is not evidence about the test.
    pub is_outage: bool,
    /// Estimated number of tests that the same change broke.
    pub tests_together: f64,
    /// Evidence about the tests that ran before the failing test, including this run.
    pub order: OrderEvidence,
    /// True if the stack has a file that was changed since the last pass.
    pub touched: bool,
    /// True if a commit since the last pass touched a file of an earlier fix of this failure.
    pub undone: bool,
    /// Probabilities of code, chance, environment and order, given that the machine did not cause the failure.
    pub probabilities: [f64; EXPLANATION_COUNT],
}

/// Judges the failures of a run from the runs before it. `order` has the cases in the order of execution, and `stacks`
/// the files in the stacks of the failures.
pub fn judge(
    memory: &EvidenceMemory,
    run: &RunFacts,
    failures: &[Failure],
    order: &Order,
    stacks: &StackFiles,
) -> Judgement {
    let mut failures = failures.to_vec();
    failures.sort_by_key(|failure| failure.case);
    let view = memory.window.view_from(run);
    let has_never_passed = |case: &CaseId| memory.tests.get(case).and_then(TestHistory::last_pass).is_none();
    let involves_edited_file = |failure: &&Failure| {
        let files = failure.test_and_stack_files(stacks);
        run.edited_files.iter().any(|(file, _)| files.contains(file))
    };
    let mut context = JudgingContext {
        memory,
        run,
        view: &view,
        order,
        stacks,
        conditions: view.distinctive_conditions(),
        never_passed_cases: failures.iter().map(|failure| failure.case).filter(has_never_passed).collect(),
        newly_failing: 0,
        failures_with_edited_files: (count(failures.iter().filter(involves_edited_file)), count(failures.iter())),
    };
    let mut groups = causes::group_by_cause(&failures, |case| memory.tests.get(&case));
    causes::join_by_changed_file(&mut groups, |index| context.find_only_changed_file(&failures[index]));
    let groups: Vec<_> = groups.iter().flat_map(|group| context.split_by_lasting_cause(&failures, group)).collect();
    let outage = context.find_run_outage(&groups);
    if outage.is_none() {
        context.newly_failing = context.count_newly_failing(&failures);
    }
    let mut verdicts: Vec<CaseJudgement> =
        groups.iter().flat_map(|(cause, members)| context.judge_group(*cause, members, outage)).collect();
    verdicts.sort_by_key(|judgement| judgement.failure.case);
    let is_unsearched = |judgement: &&CaseJudgement| !order.is_unknown() && !judgement.order.has_begun();
    let unsearched = count(verdicts.iter().filter(is_unsearched));
    Judgement { verdicts, newly_failing: context.newly_failing, unsearched }
}

/// Judges a failure of an earlier run again, with the evidence of later runs on the same commits and files. Returns
/// `None` if the run is too old or if no later run has a result of the test.
pub fn judge_earlier_failure(
    memory: &EvidenceMemory,
    seq: RunSeq,
    failure: &Failure,
    stacks: &StackFiles,
) -> Option<CaseJudgement> {
    let run = memory.window.get(seq)?;
    let history = memory.tests.get(&failure.case)?;
    let view = memory.window.view_with_later_runs(seq)?;
    let is_later = |earlier: &&RunFacts| earlier.seq > seq && history.has_failed_in(earlier.seq).is_some();
    view.runs.iter().copied().find(is_later)?;
    let order = Order::with_unknown_order(vec![failure.case]);
    let context = JudgingContext {
        memory,
        run,
        view: &view,
        order: &order,
        stacks,
        conditions: view.distinctive_conditions(),
        never_passed_cases: BTreeSet::new(),
        newly_failing: run.newly_failing,
        failures_with_edited_files: (0, 1),
    };
    context.judge_group(None, &[*failure], None).pop()
}

struct JudgingContext<'a> {
    memory: &'a EvidenceMemory,
    run: &'a RunFacts,
    view: &'a RunView<'a>,
    order: &'a Order,
    stacks: &'a StackFiles,
    conditions: Vec<&'a (String, String)>,
    never_passed_cases: BTreeSet<CaseId>,
    newly_failing: u32,
    failures_with_edited_files: (u32, u32),
}

/// The evidence for a failure, before its group is considered.
struct WeighedFailure<'a> {
    failure: Failure,
    history: Option<&'a TestHistory>,
    observations: Vec<Observation>,
    order: OrderEvidence,
    tests_together: f64,
    weighed: WeighedExplanations,
}

impl WeighedFailure<'_> {
    /// Returns `true` if the start of the failure was observed: the test passed before, or it is new in this run.
    fn has_observed_start(&self) -> bool {
        self.history.is_none_or(TestHistory::lacks_usable_results)
            || self.observations.iter().any(|result| !result.failed)
    }
}

impl<'a> JudgingContext<'a> {
    /// Splits a group by the lasting causes that its failures may belong to.
    fn split_by_lasting_cause(&self, failures: &[Failure], group: &[usize]) -> Vec<(Option<&'a Cause>, Vec<Failure>)> {
        let mut parts: Vec<(Option<&Cause>, Vec<Failure>)> = Vec::new();
        for index in group {
            let failure = failures[*index];
            let history = self.memory.tests.get(&failure.case);
            let newest = || self.memory.causes.iter().rev();
            let lasting = newest()
                .find(|cause| cause.cases.contains_key(&failure.case) && cause.may_cause(&failure, history))
                .or_else(|| newest().find(|cause| cause.may_cause(&failure, history)));
            match parts.iter_mut().find(|(cause, _)| cause.map(|cause| cause.id) == lasting.map(|cause| cause.id)) {
                Some((_, members)) => members.push(failure),
                None => parts.push((lasting, vec![failure])),
            }
        }
        parts
    }

    /// Returns the number of failures that the changes of this run may have introduced. The newest result of such a
    /// test was a pass on a different tree, and the test was not known to fail with this error by chance.
    fn count_newly_failing(&self, failures: &[Failure]) -> u32 {
        let is_newly_failing = |failure: &&Failure| {
            let Some(history) = self.memory.tests.get(&failure.case) else { return false };
            let verdict_kind = history
                .failure_mode(FailureKey::from_failure(failure))
                .and_then(|failure_mode| failure_mode.verdict_kind);
            let passed = history.last_pass().filter(|_| history.has_failed_last() == Some(false));
            let is_on_other_files = |seq| {
                self.view.index(seq).is_some_and(|at| self.view.first_on_tree.last() != self.view.first_on_tree.get(at))
            };
            verdict_kind != Some(VerdictKind::Flaky) && passed.is_some_and(is_on_other_files)
        };
        u32::try_from(failures.iter().filter(is_newly_failing).count()).unwrap_or(u32::MAX)
    }

    /// Returns the only file that changed since the test passed. `None` if several files changed, if the file contains
    /// the test itself, or if the stack has a line of the project outside its tests.
    fn find_only_changed_file(&self, failure: &Failure) -> Option<FileId> {
        if failure.function.is_some() || failure.in_project {
            return None;
        }
        let passed = self.view.index(self.memory.tests.get(&failure.case)?.last_pass()?)?;
        let changed = self.view.files_changed_since(passed);
        changed.first().copied().filter(|file| changed.len() == 1 && *file != failure.file)
    }

    fn has_passed(&self, failure: &Failure) -> bool {
        self.memory.tests.get(&failure.case).and_then(TestHistory::last_pass).is_some()
    }

    fn judge_group(
        &self,
        lasting: Option<&Cause>,
        members: &[Failure],
        run_outage: Option<RunOutage>,
    ) -> Vec<CaseJudgement> {
        let group_probability = self.outage_probability(members);
        let Some(first) = members.first() else { return Vec::new() };
        let is_unexplained = members.iter().all(|failure| self.is_unexplained(failure));
        let run_probability =
            run_outage.filter(|_| is_unexplained).map_or(0.0, |run_outage| run_outage.probability_of(first));
        let run_outage = run_outage.filter(|_| run_probability > group_probability && run_probability > 0.5);
        let common = run_outage.map_or_else(|| FailureKey::from_failure(first), |outage| outage.common);
        let has_other_error = run_outage.is_some_and(|outage| outage.has_other_error(first));
        let outage = group_probability.max(run_probability);
        let tests_together = u32::try_from(members.len()).unwrap_or(u32::MAX);
        let files = self.cause_files(members, lasting);
        let weighings: Vec<WeighedFailure<'_>> =
            members.iter().map(|failure| self.weigh_failure(failure, lasting, tests_together, &files)).collect();
        let has_observed_start = weighings.iter().any(WeighedFailure::has_observed_start);
        // Without an earlier run, the start of a failure is unknown.
        let is_first = self.view.runs.len() == 1;
        let suspects = if has_observed_start && !is_first {
            let fixed_files = members.iter().flat_map(|failure| self.files_of_undone_fixes(failure));
            self.find_suspects(&weighings, &files.iter().copied().chain(fixed_files).collect())
        } else {
            Vec::new()
        };
        let shared =
            GroupFacts { outage, lasting, tests_together, suspects, common, has_other_error, site: first.site };
        weighings.into_iter().map(|weighing| self.build_judgement(weighing, &shared)).collect()
    }

    fn weigh_failure(
        &self,
        failure: &Failure,
        lasting: Option<&Cause>,
        tests_together: u32,
        files: &BTreeSet<FileId>,
    ) -> WeighedFailure<'a> {
        let history = self.memory.tests.get(&failure.case);
        let fixed = self.files_of_undone_fixes(failure).collect();
        let observations = weigh::observations_with_new_failure(
            self.view,
            history,
            FailureKey::from_failure(failure),
            files,
            &fixed,
            self.newly_failing,
        );
        let order = self.collect_order_evidence(failure, history);
        let order_here = order.for_failure_in(failure.case, self.order);
        let fails_with_other_errors = history.is_some_and(|history| {
            !history.other_failures_since_pass(self.view, FailureKey::from_failure(failure)).is_empty()
        });
        let tests_together = match lasting {
            Some(cause) if !cause.cases.contains_key(&failure.case) => LASTING_CAUSE_TESTS,
            _ if failure.function.is_none() => 1.0_f64.max(f64::from(tests_together) / 2.0),
            _ => f64::from(tests_together),
        };
        let evidence = ErrorEvidence {
            observations: &observations,
            failure,
            traits: &self.memory.traits,
            tests_together,
            // An order-dependent test fails in the same way each time.
            order: Some(&order_here).filter(|_| !fails_with_other_errors),
            both_outcomes: history.is_some_and(|history| history.totals.both_outcomes > 0),
            stored_probabilities: history
                .and_then(|history| history.failure_mode(FailureKey::from_failure(failure)))
                .and_then(weigh::stored_probabilities_outside_window),
            cases: self.run.ran,
        };
        let weighed = weigh::weigh(self.view, &evidence, &self.conditions);
        WeighedFailure { failure: *failure, history, observations, order, tests_together, weighed }
    }

    fn collect_order_evidence(&self, failure: &Failure, history: Option<&TestHistory>) -> OrderEvidence {
        let stored = history
            .and_then(|history| history.failure_mode(FailureKey::from_failure(failure)))
            .and_then(|failure_mode| failure_mode.order.clone());
        if let Some(mut stored) = stored {
            stored.record(failure.case, self.order, true);
            return stored;
        }
        let (_, failures) = self.failures_with_edited_files;
        if self.order.is_unknown() || self.order.has_too_many_before(failure.case, failures as usize) {
            return OrderEvidence::default();
        }
        let passed = |seq: RunSeq| history.is_some_and(|history| history.has_failed_in(seq) == Some(false));
        OrderEvidence::from_first_failure(
            failure.case,
            self.order,
            &self.never_passed_cases,
            &self.memory.orders.orders_of_runs(passed),
        )
    }

    /// Returns the files in the stacks and the test files of all failures of the cause, in this run and in earlier
    /// runs.
    fn cause_files(&self, members: &[Failure], lasting: Option<&Cause>) -> BTreeSet<FileId> {
        let now = members.iter().flat_map(|failure| failure.test_and_stack_files(self.stacks));
        let before = lasting.into_iter().flat_map(|cause| cause.cases.keys().map(|case| (case, cause.common)));
        let failure_modes = before.filter_map(|(case, common)| self.memory.tests.get(case)?.failure_mode(common));
        now.chain(failure_modes.map(|mode| mode.newest.file)).collect()
    }

    /// Returns the files of those earlier fixes of a failure that a commit may have undone. If a fix is undone, its
    /// failure returns.
    fn files_of_undone_fixes(&self, failure: &Failure) -> impl Iterator<Item = FileId> {
        let is_undone_fix = |fix: &&Fix| {
            let is_undone = if self.view.is_on_edit() { fix.is_lost(self.view) } else { fix.may_be_undone(self.view) };
            is_undone && fix.fixes_error(failure.case, failure.signature)
        };
        self.memory.fixes.iter().filter(is_undone_fix).flat_map(|fix| fix.files.iter().copied())
    }

    fn find_suspects(&self, weighings: &[WeighedFailure<'_>], files: &BTreeSet<FileId>) -> Vec<Suspect> {
        let flake_rate = |weighing: &WeighedFailure<'_>| {
            let known = weighing.history.filter(|history| !history.lacks_usable_results());
            known.map_or(FLAKE_RATE_WITHOUT_HISTORY, flakiness::compute_flake_rate)
        };
        let evidence: Vec<TestEvidence<'_>> = weighings
            .iter()
            .map(|weighing| TestEvidence { observations: &weighing.observations, flake_rate: flake_rate(weighing) })
            .collect();
        suspects::find_suspects(self.view, &evidence, files)
    }

    fn build_judgement(&self, weighing: WeighedFailure<'_>, shared: &GroupFacts<'_>) -> CaseJudgement {
        let WeighedFailure { failure, history, observations, order, tests_together, weighed } = weighing;
        let rest = 1.0 - shared.outage;
        let probabilities_by_kind = weighed.probabilities_by_kind();
        let never_passed = history.is_some_and(|history| !history.lacks_usable_results() && !history.has_passed());
        let is_broken = never_passed || self.is_broken(history, &failure, shared);
        let code = if is_broken { VerdictKind::Broken } else { VerdictKind::Regression };
        let machine_share = if self.is_machine_failure(&failure, history) { MACHINE_SHARE } else { 0.0 };
        // A test that failed before may fail by chance, so chance keeps its probability. At a first failure, an error
        // that is typical of machines is better evidence than the results.
        let has_failed_before = observations.iter().rev().skip(1).any(|result| result.failed);
        let chance_machine_share = if has_failed_before { 0.0 } else { machine_share };
        let machine_weight = weighed.code * machine_share + weighed.flaky * chance_machine_share;
        let weighed_kinds = vec![
            (code, weighed.code * rest * (1.0 - machine_share)),
            (VerdictKind::Flaky, weighed.flaky * rest * (1.0 - chance_machine_share)),
            (VerdictKind::Infrastructure, shared.outage + rest * machine_weight),
            (VerdictKind::Environment, weighed.environment * rest),
            (VerdictKind::Order, weighed.order * rest),
        ];
        let tests_failing_by_chance = self.memory.traits.count_tests_with_error(failure.signature)[CHANCE_INDEX];
        let facts = reasons::VerdictEvidence {
            view: self.view,
            failure: &failure,
            history,
            observations: &observations,
            tests_failing_by_chance,
            order: &order,
            tests_together: shared.tests_together,
            failures_with_edited_files: self.failures_with_edited_files,
        };
        let has_history = history.is_some_and(|history| !history.lacks_usable_results());
        let may_be_chance = reasons::may_be_chance(self.view, history, &observations, tests_failing_by_chance);
        let (kind, probability) = VerdictKind::choose_likeliest(&weighed_kinds, has_history, may_be_chance);
        let polluter = weighed.polluter.filter(|_| kind == VerdictKind::Order);
        let condition = weighed.condition.filter(|_| kind == VerdictKind::Environment);
        let precedents = self.find_precedents(kind, &failure, history, condition.as_ref(), shared.common);
        let mut verdict = Verdict {
            precedents,
            kind,
            probability,
            weighed: weighed_kinds,
            since: self.find_start(kind, &failure, &observations, shared),
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
        reasons::fill_in_reasons(&mut verdict, &facts, is_outage);
        let outage = is_outage.then(|| self.continue_or_start_outage(shared.common));
        CaseJudgement {
            cause: outage
                .map_or_else(|| self.choose_cause_id(kind, &failure, shared), |outage| shared.outage_cause_id(outage)),
            outage_probability: outage.filter(|_| !shared.has_other_error),
            is_outage,
            failure,
            verdict,
            tests_together,
            order,
            touched: observations.last().is_some_and(|now| now.touched),
            undone: observations.last().is_some_and(|now| now.undone),
            probabilities: probabilities_by_kind,
        }
    }

    /// Returns `true` if the test already failed with this error and has not passed since.
    fn is_broken(&self, history: Option<&TestHistory>, failure: &Failure, shared: &GroupFacts<'_>) -> bool {
        let mut own = history
            .map(|history| history.observations(self.view, FailureKey::from_failure(failure)))
            .unwrap_or_default();
        // Later runs of older commits do not change where the failure started.
        own.retain(|result| self.view.runs[result.run_index].seq < self.run.seq);
        // An older commit is tested, because the branch was reset: the failure starts with the reset.
        if shared.suspects.first().is_some_and(|suspect| suspect.is_lost) {
            return own.last().is_some_and(|result| result.failed);
        }
        let before = observations_up_to_last_commit(self.view, &own);
        let last_known = before.iter().rev().find(|result| result.failed || !self.view.ran_on_edit[result.run_index]);
        let failed_last = before.last().is_some_and(|result| result.failed);
        let joins_lasting_cause = shared.lasting.is_some_and(|cause| !cause.cases.contains_key(&failure.case));
        failed_last
            || joins_lasting_cause
            || last_known.is_some_and(|result| result.failed && !self.view.ran_on_edit[result.run_index])
    }

    fn find_start(
        &self,
        kind: VerdictKind,
        failure: &Failure,
        observations: &[Observation],
        shared: &GroupFacts<'_>,
    ) -> Option<FailureStart> {
        if !matches!(kind, VerdictKind::Broken | VerdictKind::Regression) {
            return None;
        }
        let history = |case: &CaseId| self.memory.tests.get(case);
        let own = match observations.iter().rposition(|result| !result.failed) {
            Some(last_pass) => {
                // A pass on an edit that was undone does not end the failure.
                let kept_pass =
                    observations.iter().rposition(|result| !result.failed && self.view.became_commit[result.run_index]);
                let lasting = &observations[kept_pass.map_or(0, |at| at + 1)..];
                let first_kept =
                    lasting.iter().find(|result| result.failed && self.view.became_commit[result.run_index]);
                first_kept.into_iter().chain(observations.get(last_pass + 1)).map(|result| result.run_index).min()
            }
            None => reasons::runs_with_result(self.view, history(&failure.case)).next(),
        };
        let lasting = shared.lasting.filter(|cause| !self.view.is_on_older_commit_than(cause.first));
        let lasting = lasting.and_then(|cause| self.view.index(cause.first));
        let first = self.view.runs[own.into_iter().chain(lasting).min()?];
        let mut cases =
            std::iter::once(&failure.case).chain(shared.lasting.into_iter().flat_map(|cause| cause.cases.keys()));
        let has_observed_start = cases.any(|case| history(case).is_some_and(|test| test.has_passed_before(first.seq)));
        Some(FailureStart { run: first.seq, commit: first.commit.clone().filter(|_| has_observed_start) })
    }
}

/// Facts that the members of a group share.
struct GroupFacts<'a> {
    outage: f64,
    lasting: Option<&'a Cause>,
    tests_together: u32,
    suspects: Vec<Suspect>,
    common: FailureKey,
    /// True if the failures are part of an outage with another error.
    has_other_error: bool,
    site: u64,
}

/// A failure with the verdict `unknown` has suspects if a code change caused it with at least this probability. A lower
/// value would accuse innocent commits.
const MIN_CODE_PROBABILITY: f64 = 0.3;

/// Returns `true` if the verdict may name suspects. Failures by chance or by the machine have no culprit, and the start
/// of a failure of a new test was not observed.
fn may_have_suspects(verdict: &Verdict, code: VerdictKind) -> bool {
    match verdict.kind {
        VerdictKind::Infrastructure | VerdictKind::Flaky | VerdictKind::New => false,
        VerdictKind::Unknown => {
            let sum: f64 = verdict.weighed.iter().map(|(_, weight)| weight).sum();
            let code_weight = verdict.weighed.iter().find(|(kind, _)| *kind == code).map_or(0.0, |(_, weight)| *weight);
            code_weight >= MIN_CODE_PROBABILITY * sum
        }
        _ => true,
    }
}

/// Number of tests that a lasting cause is assumed to break. Another failing test then needs little evidence to join
/// the cause.
const LASTING_CAUSE_TESTS: f64 = 50.0;
/// Assumed flake rate of a test without history.
const FLAKE_RATE_WITHOUT_HISTORY: f64 = 0.01;

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
