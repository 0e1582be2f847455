//! Adds reasons to a verdict: evidence for it, evidence against it, and the run that would settle it.

use crate::evidence::explanations::flakiness;
use crate::evidence::explanations::outage;
use crate::evidence::facts::{CaseId, Failure, RunSeq};
use crate::evidence::stored_rows::history::{Observation, TestHistory};
use crate::evidence::stored_rows::order::OrderEvidence;
use crate::evidence::stored_rows::window::RunView;
use crate::evidence::verdict::{Reason, SettlingRun, Suspect, Verdict, VerdictKind};
use std::collections::BTreeSet;

/// Evidence that a verdict is based on.
pub struct VerdictEvidence<'a> {
    /// The runs.
    pub view: &'a RunView<'a>,
    /// The failure.
    pub failure: &'a Failure,
    /// The kept history of the test.
    pub history: Option<&'a TestHistory>,
    /// Results of the test. The last result is that of this run.
    pub observations: &'a [Observation],
    /// Number of tests in which this error occurred by chance.
    pub tests_failing_by_chance: u32,
    /// Evidence about the tests that ran before the failing test.
    pub order: &'a OrderEvidence,
    /// Number of tests that fail for the same cause in this run.
    pub tests_together: u32,
    /// Number of failures of this run that involve a file that differs from the commit, and the total number of
    /// failures.
    pub failures_with_edited_files: (u32, u32),
}

/// A run at a commit is suggested only if the suspects up to this commit have at least this share of the probability,
/// and the later suspects too.
const MIN_HALF_PROBABILITY: f64 = 0.1;
/// A verdict with at least this probability needs no further run.
const SETTLED_PROBABILITY: f64 = 0.95;

/// Fills in the reasons of the verdict and the run that would settle it.
pub fn fill_in_reasons(verdict: &mut Verdict, evidence: &VerdictEvidence<'_>, is_outage: bool) {
    let Some(now) = evidence.view.runs.last() else { return };
    let flake_rate = evidence.flake_rate_reason();
    let lost = verdict.suspects.iter().filter(|suspect| suspect.is_lost).count();
    let (code, chance): (Vec<Reason>, Vec<Reason>) = (
        evidence.code_reasons(u32::try_from(lost).unwrap_or(u32::MAX)),
        chance_reasons(evidence.view, evidence.observations, evidence.tests_failing_by_chance),
    );
    let is_spread = evidence.tests_together > 1;
    let together = Reason::Together { run: now.seq, cases: evidence.tests_together };
    let condition = verdict.condition.clone().map(|condition| evidence.condition_reason(condition));
    let polluter = verdict.polluter.and_then(|polluter| evidence.polluter_reason(polluter));
    (verdict.because, verdict.against) = match verdict.kind {
        VerdictKind::Regression | VerdictKind::Broken => {
            (code.into_iter().chain(is_spread.then_some(together)).collect(), chance)
        }
        VerdictKind::Flaky => (chance.into_iter().chain(flake_rate).collect(), code),
        VerdictKind::Infrastructure if is_outage => (evidence.outage_reasons(), code),
        VerdictKind::Infrastructure => (evidence.machine_error_reason().into_iter().collect(), code),
        VerdictKind::Environment => (condition.into_iter().collect(), chance),
        VerdictKind::Order => (polluter.into_iter().collect(), chance),
        VerdictKind::New => (evidence.first_run_of_edit_reason().into_iter().chain(chance).collect(), code),
        VerdictKind::Unknown => {
            (reasons_for_unknown(now.seq, &verdict.weighed), code.into_iter().chain(chance).collect())
        }
    };
    if verdict.because.is_empty() {
        verdict
            .because
            .push(Reason::FirstTime { run: now.seq, passed: flakiness::count_outcomes(evidence.observations).1 });
    }
    verdict.settle = evidence.choose_settling_run(verdict, is_outage);
}

/// Returns the two most likely explanations as the reason for an unknown verdict.
fn reasons_for_unknown(run: RunSeq, weighed: &[(VerdictKind, f64)]) -> Vec<Reason> {
    let mut by_probability = weighed.to_vec();
    by_probability.sort_by(|first, second| second.1.total_cmp(&first.1));
    match by_probability[..] {
        [likeliest, next, ..] => vec![Reason::Undecided { run, likeliest, next }],
        _ => Vec::new(),
    }
}

/// Indices of the runs of the view with a usable result of the test, and the index of the judged run.
pub fn runs_with_result(view: &RunView<'_>, history: Option<&TestHistory>) -> impl Iterator<Item = usize> {
    let has_result = move |at: &usize| {
        *at + 1 == view.runs.len() || history.is_some_and(|history| history.has_failed_in(view.runs[*at].seq).is_some())
    };
    (0..view.runs.len()).filter(has_result)
}

/// Returns `true` if there is evidence that the last observation, the newest failure, occurred by chance.
pub fn may_be_chance(
    view: &RunView<'_>,
    history: Option<&TestHistory>,
    observations: &[Observation],
    tests_failing_by_chance: u32,
) -> bool {
    let has_both = history.is_some_and(|history| history.totals.both_outcomes > 0);
    has_both || !chance_reasons(view, observations, tests_failing_by_chance).is_empty()
}

/// Returns the evidence for chance.
fn chance_reasons(view: &RunView<'_>, observations: &[Observation], tests_failing_by_chance: u32) -> Vec<Reason> {
    let run_number = |result: &Observation| view.runs[result.run_index].seq;
    let mut reasons = Vec::new();
    for (index, result) in observations.iter().enumerate().rev() {
        let is_twin = |earlier: &&Observation| {
            earlier.failed != result.failed
                && view.first_on_tree[earlier.run_index] == view.first_on_tree[result.run_index]
        };
        if let Some(twin) = observations[..index].iter().rev().find(is_twin) {
            let (passed, failed) = if result.failed { (twin, result) } else { (result, twin) };
            reasons.push(Reason::BothOutcomes { passed: run_number(passed), failed: run_number(failed) });
            break;
        }
    }
    // Failures on edited trees do not count, because the edit may have caused them. A later pass on an older commit,
    // for example during a bisection, does not count as a pass after the failure.
    let is_after = |pass: &Observation, failure: &Observation| {
        !pass.failed
            && failure.run_index < pass.run_index
            && view.commit_positions[failure.run_index] <= view.commit_positions[pass.run_index]
    };
    let recurs = |result: &&Observation| {
        result.failed && !view.ran_on_edit[result.run_index] && observations.iter().any(|pass| is_after(pass, result))
    };
    let earlier: Vec<_> = observations.iter().filter(recurs).collect();
    if let Some(last) = earlier.last() {
        let times = u32::try_from(earlier.len()).unwrap_or(u32::MAX);
        reasons.push(Reason::CameBefore { times, last: run_number(last) });
    }
    if let Some(now) = observations.last().filter(|_| tests_failing_by_chance > 0) {
        reasons.push(Reason::ChanceElsewhere { run: run_number(now), tests: tests_failing_by_chance });
    }
    reasons
}

impl VerdictEvidence<'_> {
    fn run_number(&self, result: &Observation) -> u32 {
        self.view.runs[result.run_index].seq
    }

    fn newest_result(&self) -> Option<&Observation> {
        self.observations.last()
    }

    fn last_pass(&self) -> Option<&Observation> {
        self.observations.iter().rev().find(|result| !result.failed)
    }

    fn flake_rate_reason(&self) -> Option<Reason> {
        let last = self.observations.iter().rev().skip(1).find(|result| result.failed)?;
        let (failed, _) = flakiness::count_outcomes(self.observations);
        Some(Reason::FailsByChance {
            run: self.run_number(last),
            failures: (failed, u32::try_from(self.observations.len()).ok()?),
        })
    }

    /// Returns the reason for a first run on an edited tree: how many failures involve a file that differs from the
    /// commit.
    fn first_run_of_edit_reason(&self) -> Option<Reason> {
        let [only] = self.view.runs[..] else { return None };
        let (failures_there, failures) = self.failures_with_edited_files;
        let differs = only.dirty && only.commit.is_some();
        differs.then_some(Reason::DiffersFromCommit { run: only.seq, there: failures_there, failures })
    }

    /// Returns the evidence for a change of the code. `lost` is the number of suspects that the tree lost.
    fn code_reasons(&self, lost: u32) -> Vec<Reason> {
        let Some(now) = self.newest_result() else { return Vec::new() };
        let Some(passed) = self.last_pass() else { return self.always_failed_reason().into_iter().collect() };
        let failing_stretch: Vec<_> = self.observations.iter().rev().take_while(|result| result.failed).collect();
        let mut reasons = Vec::new();
        let first = failing_stretch.last().copied().unwrap_or(now);
        if failing_stretch.len() > 1 {
            reasons.push(Reason::FailsSince {
                run: self.run_number(first),
                runs: u32::try_from(failing_stretch.len()).unwrap_or(u32::MAX),
            });
        }
        if lost > 0 {
            let (passed, failed) = (self.run_number(passed), self.run_number(first));
            reasons.push(Reason::Lost { passed, failed, commits: lost });
        }
        let [place, before] = [first, passed].map(|result| self.view.commit_positions[result.run_index]);
        let went_back = lost > 0 && place < before;
        if !went_back && self.view.first_on_tree[passed.run_index] != self.view.first_on_tree[first.run_index] {
            let commits = place.abs_diff(before);
            reasons.push(Reason::Changed { passed: self.run_number(passed), failed: self.run_number(first), commits });
        }
        if failing_stretch.len() == 1 && flakiness::count_outcomes(self.observations).0 == 1 {
            reasons.push(Reason::FirstTime {
                run: self.run_number(now),
                passed: flakiness::count_outcomes(self.observations).1,
            });
        }
        reasons
    }

    /// Returns a reason if no pass of the test is known. The reason names no commit, because the start of the failure
    /// was not observed.
    fn always_failed_reason(&self) -> Option<Reason> {
        let first = self.view.runs[runs_with_result(self.view, self.history).next()?].seq;
        let runs = u32::try_from(runs_with_result(self.view, self.history).count()).unwrap_or(u32::MAX);
        (runs > 1).then_some(Reason::AlwaysFailed { first, runs })
    }

    fn outage_reasons(&self) -> Vec<Reason> {
        let Some(run) = self.view.runs.last() else { return Vec::new() };
        let spread = Reason::Spread { run: run.seq, cases: self.tests_together, files: run.files, ran: run.ran };
        let category = Reason::MachineCategory { run: run.seq, category: self.failure.category };
        [Some(spread), outage::is_machine_category(self.failure.category).then_some(category)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Returns the reason for a single test that fails with a machine error.
    fn machine_error_reason(&self) -> Option<Reason> {
        let (now, passed) = (self.newest_result()?, self.last_pass()?);
        Some(Reason::MachineError { run: self.run_number(now), passed: self.run_number(passed) })
    }

    fn condition_reason(&self, condition: (String, String)) -> Reason {
        let count = |inside: bool| {
            let here: Vec<_> = self
                .observations
                .iter()
                .filter(|result| self.view.has_condition(result.run_index, &condition) == inside)
                .copied()
                .collect();
            (flakiness::count_outcomes(&here).0, u32::try_from(here.len()).unwrap_or(u32::MAX))
        };
        let run = self.newest_result().map_or(0, |result| self.run_number(result));
        let (inside, outside) = (count(true), count(false));
        Reason::Condition { run, condition, inside, outside }
    }

    fn polluter_reason(&self, polluter: CaseId) -> Option<Reason> {
        let order = self.order;
        let polluter_counts = order.candidates.iter().find(|candidate| candidate.case == polluter)?;
        let alike: BTreeSet<_> = order
            .candidates
            .iter()
            .filter(|candidate| {
                (candidate.failed_before, candidate.passed_before)
                    == (polluter_counts.failed_before, polluter_counts.passed_before)
            })
            .map(|candidate| candidate.case)
            .collect();
        Some(Reason::RanBefore {
            run: self.newest_result().map_or(0, |result| self.run_number(result)),
            polluter,
            failing: u32::from(polluter_counts.failed_before),
            others: u32::try_from(alike.len()).unwrap_or(u32::MAX).saturating_sub(1),
        })
    }

    /// Returns the commit that splits the suspects into two parts of about equal probability, so that a run there
    /// eliminates about half of them. None if a suspect is nearly certain.
    fn find_bisecting_commit(&self, suspects: &[Suspect]) -> Option<String> {
        // A test of the commits that are left does not show which lost commit it needs.
        if suspects.iter().any(|suspect| suspect.is_lost) {
            return None;
        }
        let mut by_place: Vec<_> = suspects
            .iter()
            .filter_map(|suspect| Some((self.view.commit_position(&suspect.commit)?, suspect)))
            .collect();
        by_place.sort_by_key(|(place, _)| *place);
        let all: f64 = suspects.iter().map(|suspect| suspect.probability).sum();
        let mut cumulative = 0.0;
        let splits = by_place.iter().map(|(_, suspect)| {
            cumulative += suspect.probability / all;
            (cumulative, &suspect.commit)
        });
        let distance = |cumulative: f64| (cumulative - 0.5).abs();
        let (cumulative, commit) = splits.min_by(|first, second| distance(first.0).total_cmp(&distance(second.0)))?;
        (distance(cumulative) < 0.5 - MIN_HALF_PROBABILITY).then(|| commit.clone())
    }

    fn choose_settling_run(&self, verdict: &Verdict, is_outage: bool) -> Option<SettlingRun> {
        let is_sure = verdict.probability >= SETTLED_PROBABILITY;
        let rerun_alone = Some(SettlingRun::RerunAlone).filter(|_| !is_sure);
        match verdict.kind {
            VerdictKind::Infrastructure if is_outage => Some(SettlingRun::RerunAll),
            VerdictKind::Order => verdict.polluter.map(|first| SettlingRun::RunPair { first }),
            VerdictKind::Environment => {
                verdict.condition.clone().map(|condition| SettlingRun::RunElsewhere { condition })
            }
            VerdictKind::Regression | VerdictKind::Broken if verdict.suspects.len() > 1 => self
                .find_bisecting_commit(&verdict.suspects)
                .map(|commit| SettlingRun::RunAt { commit })
                .or(rerun_alone),
            // A pass on the same files shows that the failure is chance; another failure is evidence for the code.
            VerdictKind::New => Some(SettlingRun::RerunAlone),
            VerdictKind::Regression
            | VerdictKind::Broken
            | VerdictKind::Infrastructure
            | VerdictKind::Flaky
            | VerdictKind::Unknown => rerun_alone,
        }
    }
}
