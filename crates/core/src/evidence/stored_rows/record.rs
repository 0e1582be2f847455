//! Updates the rows with a run, in the transaction that records the run.

use crate::evidence::facts::{CaseId, Failure, FailureKey, Outcome, RunFacts, RunSeq, StackFiles};
use crate::evidence::judge::{CaseJudgement, Judgement, judge};
use crate::evidence::stored_rows::causes::Cause;
use crate::evidence::stored_rows::failure_traits::FailureTraits;
use crate::evidence::stored_rows::fixes::{Fix, ProofStatus};
use crate::evidence::stored_rows::history::TestHistory;
use crate::evidence::stored_rows::memory::EvidenceMemory;
use crate::evidence::stored_rows::order::Order;
use crate::evidence::stored_rows::window::RunMask;
use crate::evidence::verdict::VerdictKind;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of outages that are remembered.
const MAX_OUTAGES: usize = 64;
/// Maximum number of lasting causes.
const MAX_CAUSES: usize = 256;
/// Maximum number of watched fixes.
const MAX_FIXES: usize = 1024;
/// Maximum number of edits among the fixes. It is smaller than [`MAX_FIXES`], because the changes of each edit are
/// stored too.
const MAX_EDITS: usize = 128;

/// A run with the results of its cases.
pub struct RunResults<'a> {
    /// The run.
    pub run: &'a RunFacts,
    /// The failing cases.
    pub failures: &'a [Failure],
    /// Cases that failed and then passed.
    pub retried: &'a [CaseId],
    /// The cases that ran, in order.
    pub order: Order,
    /// Files in the stacks of the failing cases.
    pub stacks: &'a StackFiles,
    /// True if the difference between the run and its commit is known.
    pub knows_edits: bool,
}

impl EvidenceMemory {
    /// Judges a run and records it.
    pub fn record(&mut self, recorded: RunResults<'_>) -> Judgement {
        let RunResults { run, failures, retried, order, stacks, knows_edits: has_edits } = recorded;
        for case in failures.iter().map(|failure| &failure.case).chain(retried) {
            self.begin_history(*case);
        }
        let judgement = judge(self, run, failures, &order, stacks);
        let failing: BTreeMap<CaseId, &CaseJudgement> =
            judgement.verdicts.iter().map(|case_judgement| (case_judgement.failure.case, case_judgement)).collect();
        let retried: BTreeSet<CaseId> = retried.iter().copied().collect();
        let same_tree = self.runs_on_same_tree(run);
        let mut learned = BTreeMap::new();
        for (case, test) in self.tests.iter_mut().filter(|(case, _)| order.contains(**case)) {
            let outcome = match failing.get(case) {
                Some(case_judgement) if case_judgement.is_outage => Outcome::Outage,
                Some(case_judgement) => Outcome::Failed(case_judgement.failure),
                None if retried.contains(case) => Outcome::PassedAfterRetry,
                None => Outcome::Passed,
            };
            test.record(run.seq, outcome, &same_tree);
            update_failure_modes(test, *case, failing.get(case).copied(), &order);
            if let Some(case_judgement) = failing.get(case) {
                learn_traits(&mut self.traits, test, case_judgement, &mut learned);
            }
        }
        self.remember_outages(&judgement);
        self.close_causes(run, &failing, &order, has_edits);
        self.refute_fixes(run, &judgement);
        self.open_causes(run, &judgement);
        self.window.push(RunFacts { newly_failing: judgement.newly_failing, ..run.clone() });
        self.orders.push(run.seq, order);
        judgement
    }

    /// Returns the runs whose changes have to be stored. These are the runs before and after each fix, and the newest
    /// run, because the next edit may break something. For a lasting failure, these are also its newest run, because a
    /// fix may follow it, and the runs before and after its start, because its verdict names the edit between them.
    pub fn runs_with_needed_edits(&self) -> BTreeSet<RunSeq> {
        let newest = self.window.runs().next_back().map(|run| run.seq);
        let fixes = self.fixes.iter().flat_map(|fix| [fix.failed, fix.passed]);
        let before = |first: RunSeq| self.window.runs().rev().map(|run| run.seq).find(|seq| *seq < first);
        let began = self.causes.iter().flat_map(|cause| [Some(cause.first), before(cause.first)]).flatten();
        self.causes.iter().map(|cause| cause.last).chain(began).chain(fixes).chain(newest).collect()
    }

    /// Returns `true` if the verdicts on these failures need the orders of earlier runs. They do if a test fails with
    /// an error that it has no order evidence for.
    pub fn needs_orders(&self, failures: &[Failure], retried: &[CaseId]) -> bool {
        let is_known = |failure: &Failure| {
            let failure_mode =
                self.tests.get(&failure.case).and_then(|test| test.failure_mode(FailureKey::from_failure(failure)));
            failure_mode.is_some_and(|failure_mode| failure_mode.order.is_some())
        };
        !failures.iter().all(is_known) || retried.iter().any(|case| !self.tests.contains_key(case))
    }

    /// Creates the row of a test at its first failure. Until then, the test passed whenever it ran.
    fn begin_history(&mut self, case: CaseId) {
        let Self { window, orders, tests, .. } = self;
        tests.entry(case).or_insert_with(|| {
            let ran = window.runs().filter(|run| orders.has_case_run(run.order, case));
            TestHistory::from_passes(&ran.map(|run| run.seq).collect::<Vec<RunSeq>>())
        });
    }

    fn runs_on_same_tree(&self, run: &RunFacts) -> Vec<RunSeq> {
        let view = self.window.view();
        view.runs.iter().filter(|earlier| earlier.has_same_tree_as(run)).map(|earlier| earlier.seq).collect()
    }

    fn remember_outages(&mut self, judgement: &Judgement) {
        for outage in judgement.verdicts.iter().filter_map(|case_judgement| case_judgement.outage_probability) {
            self.outages.retain(|known| known.common != outage.common);
            self.outages.push(outage);
        }
        let too_many = self.outages.len().saturating_sub(MAX_OUTAGES);
        self.outages.drain(..too_many);
    }

    /// Closes causes whose tests pass again, and records the changes since their last failure as fixes.
    fn close_causes(
        &mut self,
        run: &RunFacts,
        failing: &BTreeMap<CaseId, &CaseJudgement>,
        order: &Order,
        has_edits: bool,
    ) {
        let view = self.window.view_from(run);
        let is_edited = view.is_on_edit();
        for fix in &mut self.fixes {
            fix.record_commit(run, view.commits_since(fix.failed).next());
            if fix.is_contained_in(run)
                && fix.cases.keys().all(|case| order.contains(*case) && !failing.contains_key(case))
            {
                fix.record_pass();
            }
        }
        // A pass on a commit that is older than the last failure does not show a fix.
        let is_later = |cause: &&Cause| view.is_on_older_commit_than(cause.last);
        let later: BTreeSet<u64> = self.causes.iter().filter(is_later).map(|cause| cause.id).collect();
        let mut kept = Vec::new();
        for mut cause in std::mem::take(&mut self.causes) {
            let still_fails = cause.cases.iter().any(|(case, (_, signature))| {
                failing.get(case).is_some_and(|case_judgement| case_judgement.failure.signature == *signature)
            });
            let passed: Vec<CaseId> = cause
                .cases
                .keys()
                .filter(|case| order.contains(**case) && !failing.contains_key(case))
                .copied()
                .collect();
            let edit = if still_fails || passed.len() < cause.cases.len() || !has_edits {
                None
            } else {
                self.find_fixing_edit(&cause, run).filter(|_| is_edited)
            };
            if let Some(edit) = edit {
                self.add_fix(edit);
            }
            if passed.is_empty() || is_edited && !cause.only_edited || later.contains(&cause.id) {
                kept.push(cause);
            } else if still_fails {
                cause.cases.retain(|case, _| !passed.contains(case));
                kept.push(cause);
            } else if let Some(fix) = self.find_fixing_commits(&cause, run) {
                self.add_fix(fix);
            }
        }
        self.causes = kept;
        let too_many = self.fixes.len().saturating_sub(MAX_FIXES);
        self.fixes.drain(..too_many);
        let mut too_many = self.fixes.iter().filter(|fix| fix.edited.is_some()).count().saturating_sub(MAX_EDITS);
        self.fixes.retain(|fix| {
            let is_dropped = fix.edited.is_some() && too_many > 0;
            too_many -= usize::from(is_dropped);
            !is_dropped
        });
    }

    fn add_fix(&mut self, fix: Fix) {
        self.fixes.iter_mut().for_each(|earlier| earlier.record_later_fix(&fix));
        self.fixes.push(fix);
    }

    /// Returns the edit that fixed a cause, if nothing was committed since its last failure. At most one fixing edit is
    /// recorded for each such failure. The tree identifies the edit, so the result is `None` if the tree is the same as
    /// at the last failure.
    fn find_fixing_edit(&self, cause: &Cause, run: &RunFacts) -> Option<Fix> {
        let failed = self.window.get(cause.last)?;
        let is_edit = run.commit.is_some() && failed.commit == run.commit && failed.tree != run.tree;
        let is_known = self.fixes.iter().any(|fix| {
            fix.edited.is_some()
                && fix.failed == cause.last
                && cause.cases.keys().any(|case| fix.cases.contains_key(case))
        });
        let mut fix = Fix {
            edited: Some(run.tree.clone()),
            files: run.files_edited_since(failed),
            status: ProofStatus::Candidate,
            ..Fix::new_claim(cause.id, Vec::new(), case_signatures(cause), cause.last, 1.0)
        };
        fix.passed = run.seq;
        fix.record_pass();
        (is_edit && !is_known).then_some(fix)
    }

    /// Returns the commits that may have fixed a cause: those between its last failure and this run.
    fn find_fixing_commits(&self, cause: &Cause, run: &RunFacts) -> Option<Fix> {
        let view = self.window.view_from(run);
        let commits = view.commits_since(cause.last).cloned().collect();
        let mut fix = Fix {
            cause: cause.id,
            commits,
            edited: None,
            files: view.files_committed_since(cause.last),
            cases: case_signatures(cause),
            failed: cause.last,
            passed: run.seq,
            complete: None,
            rate: 1.0,
            passes: 0,
            status: ProofStatus::Candidate,
        };
        fix.record_pass();
        // If an edit was committed unchanged, the fix is already known as the edit.
        let is_known = self
            .fixes
            .iter()
            .any(|edit| edit.cause == cause.id && edit.failed == cause.last && edit.edited.as_ref() == Some(&run.tree));
        (!cause.only_edited && !fix.commits.is_empty() && !is_known).then_some(fix)
    }

    fn refute_fixes(&mut self, run: &RunFacts, judgement: &Judgement) {
        let view = self.window.view_from(run);
        let is_edited = view.is_on_edit();
        let is_fix_present =
            |fix: &Fix| fix.is_contained_in(run) && (fix.is_uncommitted() || !is_edited) && !fix.may_be_undone(&view);
        for case_judgement in &judgement.verdicts {
            let Failure { case, signature, .. } = case_judgement.failure;
            let kind = case_judgement.verdict.kind;
            // A flaky failure refutes a fix if the fixed failure was flaky too. A failure on an edited tree that is
            // committed by now counts as broken.
            let is_caused_by_code = matches!(kind, VerdictKind::Regression | VerdictKind::Broken);
            let is_back = |fix: &Fix| is_caused_by_code || kind == VerdictKind::Flaky && fix.rate < 1.0;
            if let Some(fix) = self
                .fixes
                .iter_mut()
                .rev()
                .find(|fix| fix.fixes_error(case, signature) && is_fix_present(fix))
                .filter(|fix| is_back(fix))
            {
                fix.refute();
            }
        }
    }

    fn open_causes(&mut self, run: &RunFacts, judgement: &Judgement) {
        let is_edited = self.window.view_from(run).is_on_edit();
        let is_caused_by_code = |case_judgement: &&CaseJudgement| {
            matches!(case_judgement.verdict.kind, VerdictKind::Regression | VerdictKind::Broken | VerdictKind::New)
        };
        for case_judgement in judgement.verdicts.iter().filter(is_caused_by_code) {
            let known = self.causes.iter().position(|cause| cause.id == case_judgement.cause);
            let at = known.unwrap_or_else(|| {
                self.causes.push(Cause {
                    id: case_judgement.cause,
                    common: FailureKey::from_failure(&case_judgement.failure),
                    site: Some(case_judgement.failure.site),
                    raised: case_judgement.failure.raised,
                    first: run.seq,
                    last: run.seq,
                    only_edited: true,
                    cases: BTreeMap::new(),
                });
                self.causes.len() - 1
            });
            let cause = &mut self.causes[at];
            cause.last = run.seq;
            cause.only_edited &= is_edited;
            cause.cases.insert(case_judgement.failure.case, (run.seq, case_judgement.failure.signature));
        }
        let too_many = self.causes.len().saturating_sub(MAX_CAUSES);
        self.causes.drain(..too_many);
    }
}

/// Returns the tests of a cause, each with the signature of its error.
fn case_signatures(cause: &Cause) -> BTreeMap<CaseId, u64> {
    cause.cases.iter().map(|(case, (_, signature))| (*case, *signature)).collect()
}

/// Updates the failure modes of a test with the result of a run.
fn update_failure_modes(test: &mut TestHistory, case: CaseId, case_judgement: Option<&CaseJudgement>, order: &Order) {
    if let Some(case_judgement) = case_judgement {
        if let Some(failure_mode) = test.failure_mode_mut(FailureKey::from_failure(&case_judgement.failure)) {
            // A failure that the machine caused is not evidence about this error.
            let is_evidence = !case_judgement.is_outage;
            failure_mode.touched |= RunMask::from(is_evidence && case_judgement.touched);
            failure_mode.undone |= RunMask::from(is_evidence && case_judgement.undone);
            failure_mode.verdict_kind =
                Some(case_judgement.verdict.kind).filter(|_| is_evidence).or(failure_mode.verdict_kind);
            failure_mode.tests_together = failure_mode.tests_together.max(case_judgement.tests_together);
            failure_mode.weighed = case_judgement.probabilities;
            failure_mode.order = Some(case_judgement.order.clone())
                .filter(|order| order.has_begun() && !order.has_too_many_candidates());
        }
        return;
    }
    for failure_mode in &mut test.failure_modes {
        if let Some(evidence) = &mut failure_mode.order {
            evidence.record(case, order, false);
        }
    }
}

/// Counts the properties of the failure if its kind is certain, once for each error of a test. Of the run's failures
/// with the same cause, at most [`MAX_COUNTED_PER_CAUSE`] count, because otherwise one change that breaks many tests
/// would dominate the learned properties of code failures. `learned` has the number for each cause of the run.
fn learn_traits(
    traits: &mut FailureTraits,
    test: &mut TestHistory,
    case_judgement: &CaseJudgement,
    learned: &mut BTreeMap<u64, u32>,
) {
    let kind = match case_judgement.verdict.kind {
        VerdictKind::Regression | VerdictKind::Broken => 0,
        VerdictKind::Flaky => 1,
        VerdictKind::Environment => 2,
        VerdictKind::Order => 3,
        _ => return,
    };
    let failure_mode = test.failure_mode_mut(FailureKey::from_failure(&case_judgement.failure));
    if let Some(failure_mode) = failure_mode.filter(|failure_mode| {
        !failure_mode.is_learned && case_judgement.verdict.probability >= MIN_CERTAIN_PROBABILITY
    }) {
        failure_mode.is_learned = true;
        traits.add_test_with_error(kind, case_judgement.failure.signature);
        let counted = learned.entry(case_judgement.cause).or_default();
        if *counted < MAX_COUNTED_PER_CAUSE {
            *counted += 1;
            traits.add_failure(kind, &case_judgement.failure);
        }
    }
}

/// Maximum number of failures of a cause in a run whose properties are counted.
const MAX_COUNTED_PER_CAUSE: u32 = 4;
/// Minimum probability at which the kind of a failure counts as certain.
const MIN_CERTAIN_PROBABILITY: f64 = 0.95;
