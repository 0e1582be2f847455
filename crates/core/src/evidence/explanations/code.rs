//! The likelihood of a test's results if the code broke.
//!
//! The model is a hidden Markov model with two states, working and broken. Only commits change the state, so that it is
//! constant for a tree. An uncommitted edit changes the result on its own tree, but not the results of later commits.
//! A broken test fails.

use crate::evidence::explanations::outage::{BREAKS_ALL_PROBABILITY, NEXT_TEST_BREAK_PROBABILITY};
use crate::evidence::stored_rows::history::{Observation, sort_by_commit};
use crate::evidence::stored_rows::window::{RunMask, RunView, run_bit};
use crate::evidence::suspects::TOUCHED_FILE_WEIGHT;

/// Probability that a given test is affected by an event, by the size of the suite. It is higher in a small suite,
/// because each event affects about the same number of tests.
struct SuiteProbability {
    /// Mean number of tests that the event affects.
    tests: f64,
    /// Minimum probability, for a large suite.
    min: f64,
    /// Maximum probability, for a small suite.
    max: f64,
}

impl SuiteProbability {
    fn for_suite_of(&self, tests: u32) -> f64 {
        (self.tests / f64::from(tests.max(1))).clamp(self.min, self.max)
    }
}

/// Probability that a commit breaks the test.
const COMMIT_BREAKS: SuiteProbability = SuiteProbability { tests: 0.32, min: 0.002, max: 0.05 };
/// Minimum probability that an uncommitted edit breaks the test. Work in progress breaks more tests than the commits
/// that result from it.
const MIN_EDIT_BREAK_PROBABILITY: f64 = 0.01;
/// Minimum probability that an edit breaks a test that did not fail with this error before.
const FIRST_EDIT_BREAK_PROBABILITY: f64 = 0.03;
/// Minimum probability that an edit breaks the test if the edit changes a file that was edited in an earlier failing
/// run and in no passing run.
const SAME_FILE_EDIT_BREAK_PROBABILITY: f64 = 0.3;
/// Minimum probability that a commit breaks a test that has few results. There is a minimum because a memory often
/// begins while the project changes. It is half of [`FIRST_EDIT_BREAK_PROBABILITY`], because commits are often tested
/// as edits first.
const YOUNG_TEST_BREAK_PROBABILITY: f64 = 0.015;
/// A test with fewer earlier results than this has few results.
const FEW_RESULTS: usize = 3;
/// Factor by which a test that failed with this error before is more likely to break again.
const REPEATED_BREAK_FACTOR: f64 = 3.0;
/// Probability that a commit breaks the test if it touches a file of the change that fixed the test, for example a
/// revert, a merge of an old branch, or a reset to a commit before the fix. Such files change for other reasons too.
const UNDONE_FIX_BREAK_PROBABILITY: f64 = 0.3;
/// Probability that the test is broken again if the tree lost a commit, before which the test always failed with this
/// error and since which it passed.
const LOST_FIX_BREAK_PROBABILITY: f64 = 0.95;
/// Probability that a commit or an edit fixes a broken test. In a small project, the next change is often about the
/// broken test.
const CHANGE_FIXES: SuiteProbability = SuiteProbability { tests: 3.0, min: 0.15, max: 0.3 };
/// Probability that the outcome differs between two runs on the same tree if only the code decides.
pub(super) const OUTCOME_FLIP_PROBABILITY: f64 = 0.001;
/// Probability that the test was broken before the first run. Many memories begin while a test is being fixed.
const BROKEN_BEFORE_FIRST_RUN: SuiteProbability = SuiteProbability { tests: 1.0, min: 0.02, max: 0.1 };

/// Returns `ln P` of the observations if the code broke. `tests_together` is the number of tests that fail for the same
/// cause in one run. A single change breaks all of them, so the low probability of that change is split between these
/// tests.
pub fn log_likelihood(view: &RunView<'_>, observations: &[Observation], tests_together: f64) -> f64 {
    let observations = sort_by_commit(view, observations);
    let suite = view.runs.iter().map(|run| run.ran).max().unwrap_or(0);
    let [broken_before_first_run, first_break, fix_once] =
        [BROKEN_BEFORE_FIRST_RUN, COMMIT_BREAKS, CHANGE_FIXES].map(|chance| chance.for_suite_of(suite));
    let (mut working, mut broken) = (1.0 - broken_before_first_run, broken_before_first_run);
    let (mut log, mut failed_before, mut passed_after_failure) = (0.0, false, false);
    let (mut failed_in, mut passed_in): (RunMask, RunMask) = (0, 0);
    let mut last: Option<usize> = None;
    let mut failed_last_on_tree = vec![None; view.runs.len()];
    for (index, result) in observations.iter().enumerate() {
        let is_known_breaking_file =
            view.runs_with_edits_of(result.run_index).any(|runs| runs & failed_in != 0 && runs & passed_in == 0);
        *(if result.failed { &mut failed_in } else { &mut passed_in }) |= run_bit(result.run_index);
        passed_after_failure |= failed_before && !result.failed;
        let share = |chance: f64| if result.failed { split_probability(chance, tests_together) } else { chance };
        let tree = view.first_on_tree[result.run_index];
        if let Some(twin_failed) = failed_last_on_tree[tree].replace(result.failed) {
            log += if twin_failed == result.failed { 1.0 - OUTCOME_FLIP_PROBABILITY } else { OUTCOME_FLIP_PROBABILITY }
                .ln();
            continue;
        }
        let steps =
            f64::from(last.map_or(0, |last| view.commit_positions[result.run_index] - view.commit_positions[last]));
        let breaks_once = if failed_before { first_break * REPEATED_BREAK_FACTOR } else { first_break };
        let before = index.checked_sub(1).map(|before| &observations[before]);
        let is_first_change = result.failed
            && !failed_before
            && index < FEW_RESULTS
            && passed_before_in_same_environment(view, before, result)
            && before.is_some_and(|before| view.runs[before.run_index].order == view.runs[result.run_index].order)
            && view.has_code_change(result.run_index);
        let touching_probability = match (result.failed, result.touched, result.undone) {
            (true, _, true) if result.lost_fix => LOST_FIX_BREAK_PROBABILITY,
            (true, _, true) => UNDONE_FIX_BREAK_PROBABILITY,
            (true, true, false) => (breaks_once * TOUCHED_FILE_WEIGHT).min(COMMIT_BREAKS.max),
            _ => 0.0,
        };
        let this_change_probability =
            if is_first_change { touching_probability.max(YOUNG_TEST_BREAK_PROBABILITY) } else { touching_probability };
        let probability_given_others = if passed_before_in_same_environment(view, before, result) {
            break_probability_given_others(result.newly_failing.saturating_sub(1), view.runs[result.run_index].ran)
        } else {
            0.0
        };
        let breaks = 1.0 - (1.0 - share(breaks_once)).powf(steps);
        let breaks =
            if steps > 0.0 { breaks.max(share(probability_given_others.max(this_change_probability))) } else { breaks };
        let fix_probability = 1.0 - (1.0 - fix_once).powf(steps);
        (working, broken) =
            (working * (1.0 - breaks) + broken * fix_probability, working * breaks + broken * (1.0 - fix_probability));
        let (fails_working, fails_broken) = if view.ran_on_edit[result.run_index] {
            let still_broken =
                if !passed_after_failure && is_still_broken(view, before, result) { 1.0 - fix_once } else { 0.0 };
            let breaks_once = breaks_once.max(probability_given_others).max(edit_break_probability(
                result,
                failed_before,
                is_known_breaking_file,
            ));
            (share(breaks_once).max(still_broken), 1.0 - fix_once)
        } else {
            (OUTCOME_FLIP_PROBABILITY, 1.0 - OUTCOME_FLIP_PROBABILITY)
        };
        let outcome_probability = |fails: f64| if result.failed { fails } else { 1.0 - fails };
        working *= outcome_probability(fails_working);
        broken *= outcome_probability(fails_broken);
        let total = working + broken;
        log += total.ln();
        (working, broken) = (working / total, broken / total);
        failed_before |= result.failed;
        last = Some(result.run_index);
    }
    log
}

/// Returns `true` if the test passed in the previous observation, in the same environment. If the environment differs,
/// it may be the reason why other tests started to fail, so their failures are no evidence for a change of the code.
fn passed_before_in_same_environment(view: &RunView<'_>, before: Option<&Observation>, result: &Observation) -> bool {
    before.is_some_and(|before| {
        !before.failed && view.runs[before.run_index].environment == view.runs[result.run_index].environment
    })
}

/// Returns `true` if the test fails on an uncommitted edit and failed on the previous edit of the same commit. Usually,
/// the newer edit still contains the change that broke the test. The caller excludes tests that passed after an earlier
/// failure.
fn is_still_broken(view: &RunView<'_>, before: Option<&Observation>, result: &Observation) -> bool {
    let is_same = |before: &Observation| {
        view.ran_on_edit[before.run_index]
            && view.commit_positions[before.run_index] == view.commit_positions[result.run_index]
    };
    result.failed && before.is_some_and(|before| before.failed && is_same(before))
}

/// Returns the probability that a change broke this test too, given that it broke `others` of the `ran` tests. If the
/// change broke something that all tests use, every test is equally likely to be broken.
fn break_probability_given_others(others: u32, ran: u32) -> f64 {
    let Some(last) = others.checked_sub(1) else { return 0.0 };
    let ran = f64::from(ran.max(others + 1));
    let by_few = (1.0 - BREAKS_ALL_PROBABILITY)
        * (1.0 - NEXT_TEST_BREAK_PROBABILITY)
        * NEXT_TEST_BREAK_PROBABILITY.powf(f64::from(last));
    let by_all = BREAKS_ALL_PROBABILITY / ran;
    by_all / (by_few + by_all) * f64::from(others) / ran
}

/// Returns the probability that an edit breaks the test, depending on the edited files.
fn edit_break_probability(result: &Observation, failed_before: bool, is_known_breaking_file: bool) -> f64 {
    let touches = if result.touched { TOUCHED_FILE_WEIGHT } else { 1.0 };
    let again = if result.touched && failed_before { REPEATED_BREAK_FACTOR } else { 1.0 };
    let at_least = match (is_known_breaking_file, failed_before) {
        _ if result.lost_fix => LOST_FIX_BREAK_PROBABILITY,
        _ if result.undone => UNDONE_FIX_BREAK_PROBABILITY,
        (true, _) => SAME_FILE_EDIT_BREAK_PROBABILITY,
        (false, true) => MIN_EDIT_BREAK_PROBABILITY,
        (false, false) => FIRST_EDIT_BREAK_PROBABILITY,
    };
    at_least.max(MIN_EDIT_BREAK_PROBABILITY * touches * again)
}

/// Probability that a change breaks another test, after it broke at least one.
const FOLLOWER_BREAK_PROBABILITY: f64 = 0.5;

/// Splits the probability of a change that broke `tests_together` tests between these tests: the geometric mean of
/// `chance` for the first test and [`FOLLOWER_BREAK_PROBABILITY`] for each other test.
fn split_probability(chance: f64, tests_together: f64) -> f64 {
    chance.powf(1.0 / tests_together) * FOLLOWER_BREAK_PROBABILITY.powf(1.0 - 1.0 / tests_together)
}
