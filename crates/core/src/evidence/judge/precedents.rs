//! Finds earlier runs that failed in the same way, which a gate can take as an excuse.

use super::JudgingContext;
use crate::evidence::{
    explanations::flakiness::{self, Rate},
    facts::{Failure, FailureKey},
    stored_rows::{fixes::PROOF_CONFIDENCE, history::TestHistory},
    verdict::{Precedents, TreeFailures, VerdictKind},
};
use std::collections::BTreeSet;

impl JudgingContext<'_> {
    /// Finds earlier runs of committed trees that failed with the same error and for the same reason, unless that
    /// failure was fixed since. Also finds earlier results of the test on the same tree.
    pub(super) fn find_precedents(
        &self,
        kind: VerdictKind,
        failure: &Failure,
        history: Option<&TestHistory>,
        condition: Option<&(String, String)>,
        common: FailureKey,
    ) -> Precedents {
        let Some(now) = self.view.runs.len().checked_sub(1) else { return Precedents::default() };
        let (run, tree) = (|at: usize| self.view.runs[at].seq, self.view.first_on_tree[now]);
        let is_same_kind = |at: usize| match kind {
            VerdictKind::Infrastructure => {
                let known = self.memory.outages.iter().filter(|known| known.common == common);
                known.flat_map(|known| known.first.into_iter().chain([known.last])).any(|seq| seq == run(at))
            }
            VerdictKind::Environment => condition.is_some_and(|condition| self.view.has_condition(at, condition)),
            _ => true,
        };
        // A failure mode of a function can contain several errors.
        let failure_mode = history.and_then(|history| history.failure_mode(FailureKey::from_failure(failure)));
        let failure_mode = failure_mode.filter(|failure_mode| failure_mode.newest.signature == failure.signature);
        let has_error = |at: usize| {
            kind == VerdictKind::Infrastructure
                || history
                    .zip(failure_mode)
                    .is_some_and(|(history, failure_mode)| history.failed_with(failure_mode, run(at)))
        };
        let is_committed = |at: &usize| !self.view.ran_on_edit[*at];
        let failed: Vec<usize> =
            (0..now).filter(is_committed).filter(|at| has_error(*at) && is_same_kind(*at)).collect();
        let is_same_tree_and_conditions =
            |at: &usize| self.view.first_on_tree[*at] == tree && !self.view.differ_in_conditions(*at, now);
        let outcome = |at: &usize| history.and_then(|history| history.has_failed_in(run(*at)));
        let passed_on_tree =
            (0..now).rev().filter(is_same_tree_and_conditions).find(|at| outcome(at) == Some(false)).map(run);
        let started = |at: usize| self.view.runs[at].started_at;
        // A repeated import of a report does not count as another run.
        let failed_starts_on_tree: BTreeSet<i64> = (0..now)
            .filter(is_same_tree_and_conditions)
            .filter(|at| outcome(at) == Some(true) && started(*at) != started(now))
            .map(started)
            .collect();
        let failed_on_tree = (!failed_starts_on_tree.is_empty() && passed_on_tree.is_none()).then(|| {
            let elsewhere = (0..now).filter(is_committed).filter(|at| self.view.first_on_tree[*at] != tree);
            let outcomes: Vec<bool> = elsewhere.filter_map(|at| outcome(&at)).collect();
            let rate =
                Rate::from_counts(count(outcomes.iter().filter(|failed| **failed).count()), count(outcomes.len()))
                    .mean();
            let runs = count(failed_starts_on_tree.len()) + 1;
            TreeFailures { runs, chance: rate.powf(f64::from(runs)) }
        });
        Precedents {
            failed: failed.iter().copied().filter(|at| !self.has_ended(kind, *at, &failed, history)).map(run).collect(),
            passed_on_tree,
            failed_on_tree,
        }
    }

    /// Returns `true` if the failure of run `at` was fixed later: the test passed on the same branch in as many
    /// consecutive runs as prove a fix. A single pass ends an outage, because during an outage the test fails every
    /// time. `alike` has the runs with the same failure.
    fn has_ended(&self, kind: VerdictKind, at: usize, alike: &[usize], history: Option<&TestHistory>) -> bool {
        let is_comparable = |other: &usize| {
            let has_condition = kind != VerdictKind::Environment || !self.view.differ_in_conditions(*other, at);
            has_condition
                && !self.view.ran_on_edit[*other]
                && self.view.runs[*other].branch == self.view.runs[at].branch
        };
        let passed = |other: &usize| {
            history.is_some_and(|history| history.has_failed_in(self.view.runs[*other].seq) == Some(false))
        };
        let failures = count(alike.iter().filter(|one| **one <= at && is_comparable(one)).count());
        let earlier_passes = count((0..at).filter(|one| is_comparable(one) && passed(one)).count());
        let rate = match kind {
            VerdictKind::Infrastructure => 1.0,
            _ => Rate::from_counts(failures, failures + earlier_passes).mean(),
        };
        let needed = flakiness::count_passes_needed(rate, PROOF_CONFIDENCE);
        let mut in_a_row = 0;
        (at + 1..self.view.runs.len() - 1).filter(is_comparable).any(|other| {
            if alike.contains(&other) {
                in_a_row = 0;
            } else if passed(&other) {
                in_a_row += 1;
            }
            in_a_row >= needed
        })
    }
}

fn count(runs: usize) -> u32 {
    u32::try_from(runs).unwrap_or(u32::MAX)
}
