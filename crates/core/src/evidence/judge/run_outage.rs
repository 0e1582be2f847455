//! Finds the outage of a run: failures that the machine caused, rather than the code or chance.

use super::Judging;
use crate::evidence::{
    explanations::outage::{self, Change},
    facts::{ErrorSource, Failure, Trait},
    kept::{causes::Cause, history::TestHistory},
    verdict::VerdictKind,
};
use std::collections::BTreeMap;

/// An outage of the run that is judged.
#[derive(Clone, Copy)]
pub(super) struct RunOutage {
    pub(super) common: Trait,
    /// The error of the outage, if all its failures have the same error.
    error: Option<u64>,
    /// Share of the run's tests that the outage hit.
    hit: f64,
    probability: f64,
}

impl RunOutage {
    /// Probability that a failure without another explanation is part of the outage.
    pub(super) fn probability_of(&self, failure: &Failure) -> f64 {
        match self.error {
            Some(error) if error != failure.signature => outage::residual_probability(self.hit, failure),
            _ => self.probability,
        }
    }

    /// Returns `true` if the failure has another error than the outage.
    pub(super) fn has_other_error(&self, failure: &Failure) -> bool {
        self.common != Trait::of(failure) && self.error.is_some_and(|error| error != failure.signature)
    }
}

impl Judging<'_> {
    /// The outage of the run, if any: the largest group that is an outage, else failures with the same error from many
    /// functions, else all unexplained failures together.
    pub(super) fn outage(&self, groups: &[(Option<&Cause>, Vec<Failure>)]) -> Option<RunOutage> {
        let by_function = groups.iter().map(|(_, members)| members.clone());
        let unexplained: Vec<Failure> =
            groups.iter().flat_map(|(_, members)| members).filter(|one| self.is_unexplained(one)).copied().collect();
        let mut by_error: BTreeMap<u64, Vec<Failure>> = BTreeMap::new();
        for failure in &unexplained {
            by_error.entry(failure.signature).or_default().push(*failure);
        }
        let one_error = by_function.chain(by_error.into_values()).filter(|members| self.is_outage(members));
        if let Some(members) = one_error.max_by_key(Vec::len) {
            let first = members.first()?;
            let probability = self.outage_probability(&members);
            let (common, error) = (Trait::of(first), Some(first.signature));
            return Some(RunOutage { common, error, hit: self.share(&members), probability });
        }
        let probability = self.probability_of(&unexplained, false);
        let hit = self.share(&unexplained);
        (probability > 0.5).then_some(RunOutage { common: Trait::Signature(0), error: None, hit, probability })
    }

    fn is_outage(&self, members: &[Failure]) -> bool {
        self.outage_probability(members) > 0.5
    }

    pub(super) fn outage_probability(&self, members: &[Failure]) -> f64 {
        let Some(common) = members.first().map(Trait::of) else { return 0.0 };
        let known = self.memory.outages.iter().any(|known| known.common == common);
        self.probability_of(members, known)
    }

    fn probability_of(&self, failures: &[Failure], known: bool) -> f64 {
        let has_passed = failures.iter().any(|one| self.has_passed(one));
        let change = self.change_before(failures);
        outage::probability(self.run, outage::Cluster { failures, known, has_passed, change })
    }

    /// Returns `true` if a test that passed before fails with a machine error for the first time, without a change that
    /// touches the failure, or has failed like this ever since. A failure that returns after a pass may as well be
    /// chance.
    pub(super) fn is_of_machine(&self, failure: &Failure, history: Option<&TestHistory>) -> bool {
        let found = history.and_then(|history| history.strand(Trait::of(failure))).and_then(|strand| strand.found);
        failure.source == ErrorSource::Machine
            && found.is_none_or(|found| {
                found == VerdictKind::Infrastructure && history.and_then(TestHistory::last_outcome) == Some(true)
            })
            && self.has_passed(failure)
            && self.change_before(&[*failure]) != Change::Touches
    }

    /// Changes since the tests of these failures passed.
    fn change_before(&self, failures: &[Failure]) -> Change {
        let passed = |one: &Failure| self.view.index(self.memory.tests.get(&one.case)?.last_pass()?);
        let touches = |one: &&Failure| {
            let files = one.file_and_stack(self.stacks);
            one.names_change || passed(one).is_some_and(|passed| self.view.is_touched_since(passed, &files))
        };
        let is_edited = |one: &Failure| {
            passed(one).is_some_and(|passed| self.view.trees[passed] != self.view.trees[self.view.runs.len() - 1])
        };
        if 2 * failures.iter().filter(touches).count() > failures.len() {
            Change::Touches
        } else if self.view.is_on_edit() && failures.iter().any(is_edited) {
            Change::Edits
        } else {
            Change::Elsewhere
        }
    }

    fn share(&self, members: &[Failure]) -> f64 {
        f64::from(u32::try_from(members.len()).unwrap_or(u32::MAX)) / f64::from(self.run.ran.max(1))
    }

    /// Returns `true` if the test never failed like this before.
    pub(super) fn is_unexplained(&self, failure: &Failure) -> bool {
        let known = self.memory.tests.get(&failure.case).and_then(|test| test.strand(Trait::of(failure)));
        known.is_none()
    }
}
