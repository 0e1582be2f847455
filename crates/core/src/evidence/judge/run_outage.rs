//! Finds the outage of a run: failures that the machine caused, rather than the code or chance.

use super::JudgingContext;
use crate::evidence::{
    explanations::outage::{self, ChangeRelation},
    facts::{ErrorSource, Failure, FailureKey},
    stored_rows::{causes::Cause, history::TestHistory},
    verdict::VerdictKind,
};
use std::collections::BTreeMap;

/// An outage of the run that is judged.
#[derive(Clone, Copy)]
pub(super) struct RunOutage {
    pub(super) common: FailureKey,
    /// The error of the outage, if all its failures have the same error.
    error: Option<u64>,
    /// Share of the run's tests that the outage hit.
    hit_share: f64,
    probability: f64,
}

impl RunOutage {
    /// Returns the probability that a failure without another explanation is part of the outage.
    pub(super) fn probability_of(&self, failure: &Failure) -> f64 {
        match self.error {
            Some(error) if error != failure.signature => outage::residual_probability(self.hit_share, failure),
            _ => self.probability,
        }
    }

    /// Returns `true` if the failure has another error than the outage.
    pub(super) fn has_other_error(&self, failure: &Failure) -> bool {
        self.common != FailureKey::from_failure(failure) && self.error.is_some_and(|error| error != failure.signature)
    }
}

impl JudgingContext<'_> {
    /// Finds the outage of the run: the largest group of failures with the same cause or the same error that is an
    /// outage. Without such a group, all unexplained failures together can be the outage.
    pub(super) fn find_run_outage(&self, groups: &[(Option<&Cause>, Vec<Failure>)]) -> Option<RunOutage> {
        let by_cause = groups.iter().map(|(_, members)| members.clone());
        let unexplained: Vec<Failure> = groups
            .iter()
            .flat_map(|(_, members)| members)
            .filter(|failure| self.is_unexplained(failure))
            .copied()
            .collect();
        let mut by_error: BTreeMap<u64, Vec<Failure>> = BTreeMap::new();
        for failure in &unexplained {
            by_error.entry(failure.signature).or_default().push(*failure);
        }
        let single_error_groups = by_cause.chain(by_error.into_values()).filter(|members| self.is_outage(members));
        if let Some(members) = single_error_groups.max_by_key(Vec::len) {
            let first = members.first()?;
            let probability = self.outage_probability(&members);
            let (common, error) = (FailureKey::from_failure(first), Some(first.signature));
            return Some(RunOutage { common, error, hit_share: self.share_of_run(&members), probability });
        }
        let probability = self.probability_for_failures(&unexplained, false);
        let share = self.share_of_run(&unexplained);
        (probability > 0.5).then_some(RunOutage {
            common: FailureKey::Signature(0),
            error: None,
            hit_share: share,
            probability,
        })
    }

    fn is_outage(&self, members: &[Failure]) -> bool {
        self.outage_probability(members) > 0.5
    }

    pub(super) fn outage_probability(&self, members: &[Failure]) -> f64 {
        let Some(common) = members.first().map(FailureKey::from_failure) else { return 0.0 };
        let known = self.memory.outages.iter().any(|known| known.common == common);
        self.probability_for_failures(members, known)
    }

    fn probability_for_failures(&self, failures: &[Failure], known: bool) -> f64 {
        let has_passed = failures.iter().any(|failure| self.has_passed(failure));
        let change = self.classify_change(failures);
        outage::compute_probability(self.run, outage::Cluster { failures, known, has_passed, change })
    }

    /// Returns `true` if a test that passed before fails with a machine error and no change touches the failure. The
    /// failure must be the first with this error, or the test must have failed because of the machine ever since. A
    /// failure that returns after a pass may be chance.
    pub(super) fn is_machine_failure(&self, failure: &Failure, history: Option<&TestHistory>) -> bool {
        let verdict_kind = history
            .and_then(|history| history.failure_mode(FailureKey::from_failure(failure)))
            .and_then(|failure_mode| failure_mode.verdict_kind);
        failure.source == ErrorSource::Machine
            && verdict_kind.is_none_or(|kind| {
                kind == VerdictKind::Infrastructure && history.and_then(TestHistory::has_failed_last) == Some(true)
            })
            && self.has_passed(failure)
            && self.classify_change(&[*failure]) != ChangeRelation::TouchesFailures
    }

    /// Classifies the changes since the tests of these failures passed.
    fn classify_change(&self, failures: &[Failure]) -> ChangeRelation {
        let last_pass = |failure: &Failure| self.view.index(self.memory.tests.get(&failure.case)?.last_pass()?);
        let touches = |failure: &&Failure| {
            let files = failure.test_and_stack_files(self.stacks);
            failure.names_change || last_pass(failure).is_some_and(|passed| self.view.is_touched_since(passed, &files))
        };
        let is_edited = |failure: &Failure| {
            last_pass(failure).is_some_and(|passed| {
                self.view.first_on_tree[passed] != self.view.first_on_tree[self.view.runs.len() - 1]
            })
        };
        if 2 * failures.iter().filter(touches).count() > failures.len() {
            ChangeRelation::TouchesFailures
        } else if self.view.is_on_edit() && failures.iter().any(is_edited) {
            ChangeRelation::UnrelatedEdits
        } else {
            ChangeRelation::Unrelated
        }
    }

    fn share_of_run(&self, members: &[Failure]) -> f64 {
        f64::from(u32::try_from(members.len()).unwrap_or(u32::MAX)) / f64::from(self.run.ran.max(1))
    }

    /// Returns `true` if the test never failed with this error before.
    pub(super) fn is_unexplained(&self, failure: &Failure) -> bool {
        let known =
            self.memory.tests.get(&failure.case).and_then(|test| test.failure_mode(FailureKey::from_failure(failure)));
        known.is_none()
    }
}
