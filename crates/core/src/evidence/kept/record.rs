//! Updates the rows with a run, in the transaction that records the run.

use crate::evidence::facts::{CaseId, Failure, Outcome, RunFacts, RunSeq, StackFiles, Trait};
use crate::evidence::judge::{Judged, Judgement, judge};
use crate::evidence::kept::causes::Cause;
use crate::evidence::kept::fixes::{Fix, ProofStatus};
use crate::evidence::kept::history::TestHistory;
use crate::evidence::kept::memory::Memory;
use crate::evidence::kept::order::Order;
use crate::evidence::kept::traits::Traits;
use crate::evidence::kept::window::Mask;
use crate::evidence::verdict::VerdictKind;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of outages that are remembered.
const MAX_OUTAGES: usize = 64;
/// Maximum number of lasting causes.
const MAX_CAUSES: usize = 256;
/// Maximum number of watched fixes.
const MAX_FIXES: usize = 1024;
/// Maximum number of edits among the fixes. It is smaller because the changes of each edit are stored too.
const MAX_EDITS: usize = 128;

/// A run with the results of its cases.
pub struct Recorded<'a> {
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
    pub has_edits: bool,
}

impl Memory {
    /// Judges a run and records it.
    pub fn record(&mut self, recorded: Recorded<'_>) -> Judgement {
        let Recorded { run, failures, retried, order, stacks, has_edits } = recorded;
        for case in failures.iter().map(|failure| &failure.case).chain(retried) {
            self.begin_history(*case);
        }
        let judgement = judge(self, run, failures, &order, stacks);
        let failing: BTreeMap<CaseId, &Judged> =
            judgement.verdicts.iter().map(|judged| (judged.failure.case, judged)).collect();
        let retried: BTreeSet<CaseId> = retried.iter().copied().collect();
        let same_tree = self.same_tree(run);
        for (case, test) in self.tests.iter_mut().filter(|(case, _)| order.contains(**case)) {
            let outcome = match failing.get(case) {
                Some(judged) if judged.is_outage => Outcome::Outage,
                Some(judged) => Outcome::Failed(judged.failure),
                None if retried.contains(case) => Outcome::PassedAfterRetry,
                None => Outcome::Passed,
            };
            test.record(run.seq, outcome, &same_tree);
            note(test, *case, failing.get(case).copied(), &order);
            if let Some(judged) = failing.get(case) {
                learn(&mut self.traits, test, judged);
            }
        }
        self.remember_outages(&judgement);
        self.close_causes(run, &failing, &order, has_edits);
        self.refute_fixes(run, &judgement);
        self.open_causes(run, &judgement);
        self.window.push(RunFacts { began: judgement.began, ..run.clone() });
        self.orders.push(run.seq, order);
        judgement
    }

    /// Runs whose changes have to be stored: runs at which an edit that fixes something may start or end, and the
    /// newest run, because the next edit may break something.
    pub fn needs_edits_of(&self) -> BTreeSet<RunSeq> {
        let newest = self.window.runs().next_back().map(|run| run.seq);
        let fixes = self.fixes.iter().filter(|fix| fix.edited.is_some()).flat_map(|fix| [fix.failed, fix.passed]);
        self.causes.iter().map(|cause| cause.last).chain(fixes).chain(newest).collect()
    }

    /// Returns `true` if the verdicts on these failures need the orders of earlier runs. They do if a test fails with
    /// an error that it has no order evidence for.
    pub fn needs_orders(&self, failures: &[Failure], retried: &[CaseId]) -> bool {
        let is_known = |failure: &Failure| {
            let strand = self.tests.get(&failure.case).and_then(|test| test.strand(Trait::of(failure)));
            strand.is_some_and(|strand| strand.order.is_some())
        };
        !failures.iter().all(is_known) || retried.iter().any(|case| !self.tests.contains_key(case))
    }

    /// Creates the row of a test at its first failure. Until then, the test passed whenever it ran.
    fn begin_history(&mut self, case: CaseId) {
        let Self { window, orders, tests, .. } = self;
        tests.entry(case).or_insert_with(|| {
            let ran = window.runs().filter(|run| orders.has_run(run.order, case));
            TestHistory::of_passes(&ran.map(|run| run.seq).collect::<Vec<RunSeq>>())
        });
    }

    fn same_tree(&self, run: &RunFacts) -> Vec<RunSeq> {
        let view = self.window.view();
        view.runs.iter().filter(|earlier| earlier.has_tree_of(run)).map(|earlier| earlier.seq).collect()
    }

    fn remember_outages(&mut self, judgement: &Judgement) {
        for outage in judgement.verdicts.iter().filter_map(|judged| judged.outage) {
            self.outages.retain(|known| known.common != outage.common);
            self.outages.push(outage);
        }
        let too_many = self.outages.len().saturating_sub(MAX_OUTAGES);
        self.outages.drain(..too_many);
    }

    /// Closes causes whose tests pass again, and records the changes since their last failure as fixes.
    fn close_causes(&mut self, run: &RunFacts, failing: &BTreeMap<CaseId, &Judged>, order: &Order, has_edits: bool) {
        let view = self.window.seen_from(run);
        let is_edited = view.is_on_edit();
        for fix in &mut self.fixes {
            fix.note_commit(run, view.changes_since(fix.failed).next());
            if fix.is_in(run) && fix.cases.keys().all(|case| order.contains(*case) && !failing.contains_key(case)) {
                fix.record_pass();
            }
        }
        // A pass on a commit that is older than the last failure does not show a fix.
        let is_later = |cause: &&Cause| view.is_on_older_commit_than(cause.last);
        let later: BTreeSet<u64> = self.causes.iter().filter(is_later).map(|cause| cause.id).collect();
        let mut kept = Vec::new();
        for mut cause in std::mem::take(&mut self.causes) {
            let still = cause.cases.iter().any(|(case, (_, signature))| {
                failing.get(case).is_some_and(|judged| judged.failure.signature == *signature)
            });
            let passed: Vec<CaseId> = cause
                .cases
                .keys()
                .filter(|case| order.contains(**case) && !failing.contains_key(case))
                .copied()
                .collect();
            let edit = if still || passed.len() < cause.cases.len() || !has_edits {
                None
            } else {
                self.edit(&cause, run).filter(|_| is_edited)
            };
            if let Some(edit) = edit {
                self.add_fix(edit);
            }
            if passed.is_empty() || is_edited && !cause.only_edited || later.contains(&cause.id) {
                kept.push(cause);
            } else if still {
                cause.cases.retain(|case, _| !passed.contains(case));
                kept.push(cause);
            } else if let Some(fix) = self.fix(&cause, run) {
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
        self.fixes.iter_mut().for_each(|earlier| earlier.record_later(&fix));
        self.fixes.push(fix);
    }

    /// The edit that fixed a cause, if there was no commit since its last failure. Each such failure has at most one
    /// edit. The tree identifies the edit, so that the result is `None` if the tree does not show the edit.
    fn edit(&self, cause: &Cause, run: &RunFacts) -> Option<Fix> {
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
            ..Fix::claimed(cause.id, Vec::new(), cases_of(cause), cause.last, 1.0)
        };
        fix.passed = run.seq;
        fix.record_pass();
        (is_edit && !is_known).then_some(fix)
    }

    /// The commits that may have fixed a cause: those between its last failure and this run.
    fn fix(&self, cause: &Cause, run: &RunFacts) -> Option<Fix> {
        let view = self.window.seen_from(run);
        let commits = view.changes_since(cause.last).cloned().collect();
        let mut fix = Fix {
            cause: cause.id,
            commits,
            edited: None,
            files: view.files_since(cause.last),
            cases: cases_of(cause),
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
        let view = self.window.seen_from(run);
        let is_edited = view.is_on_edit();
        let has = |fix: &Fix| fix.is_in(run) && (fix.is_uncommitted() || !is_edited) && !fix.may_be_undone(&view);
        for judged in &judgement.verdicts {
            let Failure { case, signature, .. } = judged.failure;
            let kind = judged.verdict.kind;
            // A flaky failure refutes a fix if the fixed failure was flaky too. A failure on an edited tree that is
            // committed by now counts as broken.
            let of_code = matches!(kind, VerdictKind::Regression | VerdictKind::Broken);
            let is_back = |fix: &Fix| of_code || kind == VerdictKind::Flaky && fix.rate < 1.0;
            if let Some(fix) = self
                .fixes
                .iter_mut()
                .rev()
                .find(|fix| fix.is_of(case, signature) && has(fix))
                .filter(|fix| is_back(fix))
            {
                fix.record_return();
            }
        }
    }

    fn open_causes(&mut self, run: &RunFacts, judgement: &Judgement) {
        let is_edited = self.window.seen_from(run).is_on_edit();
        let of_code = |one: &&Judged| {
            matches!(one.verdict.kind, VerdictKind::Regression | VerdictKind::Broken | VerdictKind::New)
        };
        for judged in judgement.verdicts.iter().filter(of_code) {
            let known = self.causes.iter().position(|cause| cause.id == judged.cause);
            let at = known.unwrap_or_else(|| {
                self.causes.push(Cause {
                    id: judged.cause,
                    common: Trait::of(&judged.failure),
                    site: Some(judged.failure.site),
                    raised: judged.failure.raised,
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
            cause.cases.insert(judged.failure.case, (run.seq, judged.failure.signature));
        }
        let too_many = self.causes.len().saturating_sub(MAX_CAUSES);
        self.causes.drain(..too_many);
    }
}

/// The tests of a cause, each with the signature of its error.
fn cases_of(cause: &Cause) -> BTreeMap<CaseId, u64> {
    cause.cases.iter().map(|(case, (_, signature))| (*case, *signature)).collect()
}

/// Updates the strands of a test with the result of a run.
fn note(test: &mut TestHistory, case: CaseId, judged: Option<&Judged>, order: &Order) {
    if let Some(judged) = judged {
        if let Some(strand) = test.strand_to_note(Trait::of(&judged.failure)) {
            // A failure that the machine caused says nothing about this error.
            let is_of_test = !judged.is_outage;
            strand.touched |= Mask::from(is_of_test && judged.touched);
            strand.undone |= Mask::from(is_of_test && judged.undone);
            strand.found = Some(judged.verdict.kind).filter(|_| is_of_test).or(strand.found);
            strand.together = strand.together.max(judged.together);
            strand.weighed = judged.weighed;
            // The evidence starts with the first failure in a known order.
            let is_begun = strand.order.is_some() || !order.is_unknown();
            strand.order = Some(judged.order.clone()).filter(|order| is_begun && !order.is_too_wide());
        }
        return;
    }
    for strand in &mut test.strands {
        if let Some(evidence) = &mut strand.order {
            evidence.record(case, order, false);
        }
    }
}

/// Counts the properties of the failure if its kind is certain, once for each error of a test.
fn learn(traits: &mut Traits, test: &mut TestHistory, judged: &Judged) {
    let kind = match judged.verdict.kind {
        VerdictKind::Regression | VerdictKind::Broken => 0,
        VerdictKind::Flaky => 1,
        VerdictKind::Environment => 2,
        VerdictKind::Order => 3,
        _ => return,
    };
    let strand = test.strand_to_note(Trait::of(&judged.failure));
    if let Some(strand) = strand.filter(|strand| !strand.is_learned && judged.verdict.probability >= PLAIN) {
        strand.is_learned = true;
        traits.learn(kind, &judged.failure);
    }
}

/// Probability from which on the kind of a failure is certain.
const PLAIN: f64 = 0.95;
