//! The likelihood of a test's results if the code broke.
//!
//! The model is a hidden Markov model with two states, working and broken. Only commits change the state, so that it is
//! constant on one tree. An uncommitted edit changes the result on its own tree, but not the results of later commits.
//! A broken test fails.

use crate::evidence::explanations::outage::{BREAKS_ALL, NEXT_TEST_BREAKS};
use crate::evidence::kept::history::{Observation, in_order_of_commits};
use crate::evidence::kept::window::{Mask, View, bit};
use crate::evidence::suspects::TOUCHES;

/// Probability of an event for a given test. It is higher in a small suite, because fewer tests share the event.
struct Chance {
    /// Mean number of tests that the event affects.
    tests: f64,
    /// Minimum probability, for a large suite.
    least: f64,
    /// Maximum probability, for a small suite.
    most: f64,
}

impl Chance {
    fn in_suite_of(&self, tests: u32) -> f64 {
        (self.tests / f64::from(tests.max(1))).clamp(self.least, self.most)
    }
}

/// Probability that a commit breaks the test.
const BREAKS: Chance = Chance { tests: 0.32, least: 0.002, most: 0.05 };
/// Minimum probability that an uncommitted edit breaks the test. Work in progress breaks more tests than the commits
/// that result from it.
const EDIT_BREAKS: f64 = 0.01;
/// Like [`EDIT_BREAKS`], for a test without an earlier failure of this kind.
const EDIT_BREAKS_FIRST: f64 = 0.03;
/// Like [`EDIT_BREAKS`], for an edit of a file that was edited when the test failed before and in no run in which it
/// passed.
const EDIT_BREAKS_AGAIN: f64 = 0.3;
/// Probability that a commit breaks a test with fewer than [`YOUNG_RUNS`] results, because a memory often begins while
/// the project changes. Half of [`EDIT_BREAKS_FIRST`], because commits are often tested before.
const YOUNG_BREAKS: f64 = 0.015;
const YOUNG_RUNS: usize = 3;
/// Factor by which a commit is more likely to break the test again in the same way.
const AGAIN: f64 = 3.0;
/// Probability that a commit breaks the test if it touches a file of the change that fixed the test, for example a
/// revert or a merge of an old branch. Such files change for other reasons too.
const UNDOES: f64 = 0.3;
/// Probability that a commit or an edit fixes a broken test. In a small project, the next change is often about the
/// broken test.
const MENDS: Chance = Chance { tests: 3.0, least: 0.15, most: 0.3 };
/// Probability of a different outcome on the same tree, although only the code decides.
pub(super) const FLIPS: f64 = 0.001;
/// Probability that the test was broken before the first run. Many memories begin while a test is being fixed.
const BROKEN_AT_FIRST: Chance = Chance { tests: 1.0, least: 0.02, most: 0.1 };

/// `ln P` of the observations. `together` is the number of tests that fail in this way in one run. One change breaks
/// all of them, so that each test bears a part of its cost.
pub fn log_likelihood(view: &View<'_>, seen: &[Observation], together: f64) -> f64 {
    let seen = in_order_of_commits(view, seen);
    let suite = view.runs.iter().map(|run| run.ran).max().unwrap_or(0);
    let [broken_at_first, first_break, mends_once] =
        [BROKEN_AT_FIRST, BREAKS, MENDS].map(|chance| chance.in_suite_of(suite));
    let (mut working, mut broken) = (1.0 - broken_at_first, broken_at_first);
    let (mut log, mut failed_before, mut came_back) = (0.0, false, false);
    let (mut failed_in, mut passed_in): (Mask, Mask) = (0, 0);
    let mut last: Option<usize> = None;
    for (index, one) in seen.iter().enumerate() {
        let is_of_same = view.runs_with_edits_of(one.at).any(|runs| runs & failed_in != 0 && runs & passed_in == 0);
        *(if one.failed { &mut failed_in } else { &mut passed_in }) |= bit(one.at);
        came_back |= failed_before && !one.failed;
        let share = |chance: f64| if one.failed { shared(chance, together) } else { chance };
        let twin = seen[..index].iter().rev().find(|earlier| view.trees[earlier.at] == view.trees[one.at]);
        if let Some(twin) = twin {
            log += if twin.failed == one.failed { 1.0 - FLIPS } else { FLIPS }.ln();
            continue;
        }
        let steps = f64::from(last.map_or(0, |last| view.places[one.at] - view.places[last]));
        let breaks_once = if failed_before { first_break * AGAIN } else { first_break };
        let before = index.checked_sub(1).map(|before| &seen[before]);
        let is_first_change = one.failed
            && !failed_before
            && index < YOUNG_RUNS
            && is_seen_alike(view, before, one)
            && before.is_some_and(|before| view.runs[before.at].order == view.runs[one.at].order)
            && view.has_code_change(one.at);
        let by_touching = match (one.failed, one.touched, one.undone) {
            (true, _, true) => UNDOES,
            (true, true, false) => (breaks_once * TOUCHES).min(BREAKS.most),
            _ => 0.0,
        };
        let by_this_change = if is_first_change { by_touching.max(YOUNG_BREAKS) } else { by_touching };
        let with_others = if is_seen_alike(view, before, one) {
            breaks_with(one.began.saturating_sub(1), view.runs[one.at].ran)
        } else {
            0.0
        };
        let breaks = 1.0 - (1.0 - share(breaks_once)).powf(steps);
        let breaks = if steps > 0.0 { breaks.max(share(with_others.max(by_this_change))) } else { breaks };
        let mends = 1.0 - (1.0 - mends_once).powf(steps);
        (working, broken) = (working * (1.0 - breaks) + broken * mends, working * breaks + broken * (1.0 - mends));
        let (fails_working, fails_broken) = if view.uncommitted[one.at] {
            let still = if !came_back && is_still_broken(view, before, one) { 1.0 - mends_once } else { 0.0 };
            let breaks_once = breaks_once.max(with_others).max(edit_breaks(one, failed_before, is_of_same));
            (share(breaks_once).max(still), 1.0 - mends_once)
        } else {
            (FLIPS, 1.0 - FLIPS)
        };
        let emitted = |fails: f64| if one.failed { fails } else { 1.0 - fails };
        working *= emitted(fails_working);
        broken *= emitted(fails_broken);
        let total = working + broken;
        log += total.ln();
        (working, broken) = (working / total, broken / total);
        failed_before |= one.failed;
        last = Some(one.at);
    }
    log
}

/// Returns `true` if the test passed in the previous observation under the same conditions. Otherwise, the conditions
/// may have broken the other tests.
fn is_seen_alike(view: &View<'_>, before: Option<&Observation>, one: &Observation) -> bool {
    before.is_some_and(|before| !before.failed && view.runs[before.at].environment == view.runs[one.at].environment)
}

/// Returns `true` if the test fails on an edit and failed on the previous edit of the same commit, because an edit
/// usually still contains what broke the test. The caller excludes tests that came and went before.
fn is_still_broken(view: &View<'_>, before: Option<&Observation>, one: &Observation) -> bool {
    let is_same = |before: &Observation| view.uncommitted[before.at] && view.places[before.at] == view.places[one.at];
    one.failed && before.is_some_and(|before| before.failed && is_same(before))
}

/// Probability that a change broke this test too, given that it broke `others` of the `ran` tests. If the change broke
/// something that everything uses, it broke this test as likely as any other test.
fn breaks_with(others: u32, ran: u32) -> f64 {
    let Some(last) = others.checked_sub(1) else { return 0.0 };
    let ran = f64::from(ran.max(others + 1));
    let by_few = (1.0 - BREAKS_ALL) * (1.0 - NEXT_TEST_BREAKS) * NEXT_TEST_BREAKS.powf(f64::from(last));
    let by_all = BREAKS_ALL / ran;
    by_all / (by_few + by_all) * f64::from(others) / ran
}

/// Probability that an edit breaks the test, depending on the edited files.
fn edit_breaks(one: &Observation, failed_before: bool, is_of_same: bool) -> f64 {
    let touches = if one.touched { TOUCHES } else { 1.0 };
    let again = if one.touched && failed_before { AGAIN } else { 1.0 };
    let at_least = match (is_of_same, failed_before) {
        (true, _) => EDIT_BREAKS_AGAIN,
        (false, true) => EDIT_BREAKS,
        (false, false) => EDIT_BREAKS_FIRST,
    };
    at_least.max(EDIT_BREAKS * touches * again)
}

/// Probability that a change breaks another test, after it broke at least one.
const FOLLOWS: f64 = 0.5;

/// The share of each of `together` tests in a change that broke all of them: the geometric mean of the first test and
/// its followers.
fn shared(chance: f64, together: f64) -> f64 {
    chance.powf(1.0 / together) * FOLLOWS.powf(1.0 - 1.0 / together)
}
