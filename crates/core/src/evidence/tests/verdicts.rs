//! A small history for each verdict.

use super::{CASES_PER_STORY, NumberNames, Story, failure, failure_in_function, list_verdict_kinds, only_judgement};
use crate::{
    evidence::{
        explanations::flakiness::{self, Rate},
        facts::{CaseId, Failure, Outcome},
        sentences::SentenceNames,
        stored_rows::{failure_traits::CHANCE_INDEX, history::TestHistory, order::Order},
        test_state::{TestState, TestSummary, summarize_test},
        verdict::{FailureStart, Reason, SettlingRun, VerdictKind},
    },
    failure::category::Category,
};
use std::collections::BTreeSet;

fn summary(story: &Story, case: CaseId) -> TestSummary {
    let view = story.memory.window.view();
    summarize_test(&story.memory.tests[&case], &view, &view.varying_conditions(), &story.memory.traits)
}

/// Returns the verdict on case 3, which fails if case 30 ran before it.
fn judge_with_polluter(order: impl Fn(Vec<CaseId>) -> Order) -> VerdictKind {
    let mut story = Story::new();
    let usual: Vec<CaseId> = (0..CASES_PER_STORY).collect();
    let mut moved = usual.clone();
    moved.retain(|case| *case != 30);
    moved.insert(0, 30);
    let mut kind = VerdictKind::Unknown;
    for _ in 0..5 {
        story.commit();
        story.run_with_order(order(usual.clone()), &[]);
        kind = story.run_with_order(order(moved.clone()), &[failure(3, 1)]).verdicts[0].verdict.kind;
    }
    kind
}

#[test]
fn an_unknown_order_gives_no_order_verdict() {
    assert_eq!(judge_with_polluter(Order::new), VerdictKind::Order);
    assert_ne!(judge_with_polluter(Order::with_unknown_order), VerdictKind::Order);
    let order = Order::with_unknown_order(vec![1, 2]);
    assert_eq!(Order::restore(vec![1, 2], order.digest()), order);
    assert_ne!(Order::restore(vec![1, 2], Order::new(vec![1, 2]).digest()), order);
}

#[test]
fn a_broken_function_is_a_regression_and_then_broken() {
    let mut story = Story::new();
    story.pass(10);
    story.commit();
    let broken = [failure_in_function(3, 1, 7), failure_in_function(4, 2, 7)];
    let first = story.run(&broken);
    assert_eq!(list_verdict_kinds(&first), [VerdictKind::Regression; 2]);
    let verdict = &first.verdicts[0].verdict;
    assert_eq!(verdict.suspects[0].commit, "c12");
    assert!(verdict.suspects[0].probability > 0.9);
    assert!(verdict.because.contains(&Reason::Changed { passed: 9, failed: 10, commits: 1 }));
    assert_eq!(first.verdicts[0].cause, first.verdicts[1].cause);

    story.commit();
    let second = story.run(&broken);
    assert_eq!(list_verdict_kinds(&second), [VerdictKind::Broken; 2]);
    let since = second.verdicts[0].verdict.since.clone().unwrap();
    assert_eq!((since.run, since.commit.as_deref()), (10, Some("c12")));
    assert_eq!(second.verdicts[0].cause, first.verdicts[0].cause);
}

#[test]
fn another_test_of_a_lasting_cause_is_broken() {
    let mut story = Story::new();
    story.pass(10);
    story.commit();
    let some: Vec<u64> = (0..4).collect();
    story.run_cases_in_order(some, &[failure_in_function(3, 1, 7)]);
    story.commit();
    let second = story.run(&[failure_in_function(3, 1, 7), failure_in_function(30, 2, 7)]);
    assert_eq!(list_verdict_kinds(&second), [VerdictKind::Broken; 2]);
    assert_eq!(second.verdicts[0].cause, second.verdicts[1].cause);
}

#[test]
fn both_outcomes_on_the_same_tree_are_flaky() {
    let mut story = Story::new();
    story.pass(10);
    let judgement = story.run(&[failure(3, 1)]);
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!(verdict.kind, VerdictKind::Flaky);
    assert!(verdict.because.contains(&Reason::BothOutcomes { passed: 9, failed: 10 }));
    assert_eq!(verdict.settle, Some(SettlingRun::RerunAlone));
    assert_eq!(
        verdict.because[0].to_sentence(&NumberNames),
        "It passed in run 9 and failed in run 10 on the same files."
    );
    story.pass(3);
    assert_eq!(summary(&story, 3).state, TestState::Flaky);
    assert_eq!(story.memory.tests[&3].totals.both_outcomes, 1);
}

#[test]
fn environment_verdict_names_the_condition() {
    let mut story = Story::new();
    let mut last = None;
    for at in 0..12 {
        story.commit();
        story.os = if at % 4 == 3 { "windows" } else { "linux" };
        let fails = if story.os == "windows" { vec![failure(3, 1)] } else { Vec::new() };
        last = Some(story.run(&fails));
    }
    let verdict = only_judgement(last.as_ref().unwrap()).verdict.clone();
    assert_eq!(verdict.kind, VerdictKind::Environment);
    assert_eq!(verdict.condition, Some(("os".to_owned(), "windows".to_owned())));
    assert_eq!(
        verdict.because[0].to_sentence(&NumberNames),
        "With os=windows it failed in 3 of 3 runs, last in run 11; without it, in 0 of 9."
    );
}

#[test]
fn order_verdict_names_the_polluter() {
    let mut story = Story::new();
    let mut last = None;
    for at in 0..14_u64 {
        story.commit();
        // A shuffle: the step and the number of tests have no common divisor.
        let step = if at % 2 == 0 { 1 } else { [7, 11, 13, 17, 19, 23, 29][usize::try_from(at).unwrap() / 2] };
        let order: Vec<u64> =
            (0..CASES_PER_STORY).map(|index| (index * step + at * (step - 1)) % CASES_PER_STORY).collect();
        let place = |case: u64| order.iter().position(|one| *one == case);
        let fails = if place(20) < place(3) { vec![failure(3, 1)] } else { Vec::new() };
        let judgement = story.run_cases_in_order(order, &fails);
        last = if fails.is_empty() { last } else { Some(judgement) };
    }
    let verdict = only_judgement(last.as_ref().unwrap()).verdict.clone();
    assert_eq!((verdict.kind, verdict.polluter), (VerdictKind::Order, Some(20)));
    assert_eq!(verdict.settle, Some(SettlingRun::RunPair { first: 20 }));
}

/// The first failures had another cause, so their polluter cannot be named in a run in which it comes later.
#[test]
fn a_test_that_ran_later_is_no_polluter() {
    let mut story = Story::new();
    let usual: Vec<CaseId> = (0..CASES_PER_STORY).collect();
    let with_first = |first: CaseId| {
        let others = usual.iter().copied().filter(|case| *case != first);
        Order::new(std::iter::once(first).chain(others).collect())
    };
    let mut last = None;
    for polluter in [30, 30, 30, 30, 30, 30, 30, 30, 31] {
        story.commit();
        story.run_with_order(Order::new(usual.clone()), &[]);
        last = Some(story.run_with_order(with_first(polluter), &[failure(3, 1)]));
    }
    assert_ne!(only_judgement(&last.unwrap()).verdict.polluter, Some(30));
}

/// For example, a command that timed out is reported as an additional case behind its tests, while an earlier run
/// contained the tests.
#[test]
fn a_container_has_no_polluter_among_its_tests() {
    let mut story = Story::new();
    for _ in 0..2 {
        story.run_with_order(Order::new(vec![1, 2]).with_passed_suites([99]), &[]);
    }
    let judgement =
        story.run_with_order(Order::new(vec![1, 2, 99]), &[Failure { category: Category::Timeout, ..failure(99, 5) }]);
    assert_ne!(only_judgement(&judgement).verdict.kind, VerdictKind::Order);
    assert_eq!(only_judgement(&judgement).verdict.polluter, None);
}

#[test]
fn a_test_needs_no_row_before_it_fails() {
    let mut story = Story::new();
    story.pass(9);
    assert!(story.memory.tests.is_empty());
    let judgement = story.run(&[failure(3, 1)]);
    let runs: Vec<u32> = (0..9).collect();
    let mut rebuilt = TestHistory::from_passes(&runs);
    rebuilt.record(9, Outcome::Failed(only_judgement(&judgement).failure), &[8]);
    assert_eq!(story.memory.tests[&3].totals, rebuilt.totals);
    assert_eq!(story.memory.tests[&3].ran, rebuilt.ran);
}

#[test]
fn a_failing_edit_leaves_no_cause_and_no_fix() {
    let mut story = Story::new();
    story.pass(10);
    story.edit("a");
    let judgement = story.run(&[failure_in_function(3, 1, 7)]);
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!(verdict.kind, VerdictKind::Regression);
    assert!(verdict.because.contains(&Reason::Changed { passed: 9, failed: 10, commits: 0 }));
    story.pass(1);
    assert_eq!(story.memory.fixes, []);
    assert_eq!(story.memory.causes, []);
}

#[test]
fn a_test_without_history_is_new() {
    let mut story = Story::new();
    assert_eq!(only_judgement(&story.run(&[failure(3, 1)])).verdict.kind, VerdictKind::New);
}

/// In a large suite without failures by chance, a commit is the most likely cause of the first failure.
#[test]
fn the_first_failure_of_a_large_suite_is_a_regression() {
    for passes in [1, 2, 4, 10, 20] {
        let (mut story, suite) = large_suite_with_passes(passes);
        story.commit();
        let judgement = story.run_cases_in_order(suite(), &[failure(3, 1)]);
        assert_eq!(only_judgement(&judgement).verdict.kind, VerdictKind::Regression, "{passes}");
    }
}

fn large_suite_with_passes(passes: usize) -> (Story, impl Fn() -> Vec<CaseId>) {
    let mut story = Story::new();
    let suite = || (0..400).collect();
    for _ in 0..passes {
        story.commit();
        story.run_cases_in_order(suite(), &[]);
    }
    (story, suite)
}

/// In a large suite with failures by chance, the first failure of a test after a commit may be caused by the commit or
/// by chance, and no run distinguishes them.
#[test]
fn an_undecided_first_failure_is_unknown() {
    let (mut story, suite) = large_suite_with_passes(10);
    for category in Category::ALL {
        story.memory.traits.add_failure(CHANCE_INDEX, &Failure { category, ..failure(3, 1) });
    }
    story.commit();
    let judgement = story.run_cases_in_order(suite(), &[failure(3, 1)]);
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!(
        (verdict.kind, &verdict.since, verdict.suspects[0].commit.as_str()),
        (VerdictKind::Unknown, &None, "c12")
    );
    assert_eq!(verdict.settle, Some(SettlingRun::RerunAlone));
    let [Reason::Undecided { run: 10, likeliest, next }] = verdict.because[..] else { panic!("{:?}", verdict.because) };
    assert_eq!((likeliest.0, next.0), (VerdictKind::Flaky, VerdictKind::Regression));
    assert!(likeliest.1 >= next.1 && next.1 > 0.3, "{likeliest:?} {next:?}");
    let changed = Reason::Changed { passed: 9, failed: 10, commits: 1 };
    assert_eq!(verdict.against, [changed, Reason::FirstTime { run: 10, passed: 10 }]);
    let said = Reason::Undecided { run: 10, likeliest: (VerdictKind::Flaky, 0.504), next: (VerdictKind::Broken, 0.3) };
    assert_eq!(
        said.to_sentence(&NumberNames),
        "The runs up to run 10 cannot distinguish flaky (50 %) from broken (30 %)."
    );

    // A pass on the same files and another failure settle the verdict.
    story.run_cases_in_order(suite(), &[]);
    assert_eq!(list_verdict_kinds(&story.run_cases_in_order(suite(), &[failure(3, 1)])), [VerdictKind::Flaky]);
}

#[test]
fn passes_that_prove_a_fix_depend_on_the_rate() {
    for (rate, passes) in [(1.0, 1), (0.5, 5), (0.1, 29), (0.01, 299)] {
        assert_eq!(flakiness::count_passes_needed(rate, 0.95), passes, "rate {rate}");
    }
    let rate = Rate::from_counts(5, 100);
    let [low, high] = rate.interval();
    assert!(low < 0.05 && 0.05 < high && high < 0.12, "{rate:?}");
}

/// In a small suite, a commit that breaks anything probably breaks this test, even without a stack. A single failure is
/// not an outage.
#[test]
fn the_first_failure_of_a_small_suite_is_a_regression() {
    let mut story = Story::new();
    for _ in 0..8 {
        story.commit();
        story.run_cases_in_order(vec![3, 4, 5], &[]);
    }
    story.commit();
    assert_eq!(
        only_judgement(&story.run_cases_in_order(vec![3, 4, 5], &[failure(3, 1)])).verdict.kind,
        VerdictKind::Regression
    );
    story.commit();
    assert_eq!(
        only_judgement(&story.run_cases_in_order(vec![3, 4, 5], &[failure(3, 1)])).verdict.kind,
        VerdictKind::Broken
    );
}

#[test]
fn an_error_at_two_sites_has_two_causes_with_stable_ids() {
    let mut story = Story::new();
    story.pass(8);
    let at = |case: CaseId, site: u64| Failure { site, ..failure(case, 7) };
    let mut causes = |failures: [Failure; 3]| {
        story.commit();
        story.run(&failures).verdicts.iter().map(|case_judgement| case_judgement.cause).collect::<Vec<_>>()
    };
    let first = causes([at(1, 70), at(2, 70), at(9, 71)]);
    assert!(first[0] == first[1] && first[0] != first[2], "{first:?}");
    // The lines moved.
    assert_eq!(causes([at(1, 80), at(2, 80), at(9, 81)]), first);
}

/// The errors and lines differ each time, and neither test fails without the other.
#[test]
fn tests_that_failed_together_before_share_a_cause() {
    let mut story = Story::new();
    story.pass(8);
    let mut causes = |cases: &[CaseId], error: u64| {
        story.commit();
        let failures: Vec<Failure> = cases.iter().map(|case| failure(*case, 100 * case + error)).collect();
        let cause_ids =
            story.run(&failures).verdicts.iter().map(|case_judgement| case_judgement.cause).collect::<Vec<_>>();
        story.pass(1);
        cause_ids
    };
    let first = causes(&[1, 21, 31], 1);
    assert!(first[0] != first[1] && first[1] != first[2], "once is chance: {first:?}");
    causes(&[1, 21], 2);
    causes(&[1, 21], 3);
    let then = causes(&[1, 21, 31], 4);
    assert!(then[0] == then[1] && then[0] != then[2], "{then:?}");
}

/// Tests that fail in every run fail together, but each may have its own reason.
#[test]
fn tests_that_never_passed_have_separate_causes() {
    let all: Vec<Failure> = (0..CASES_PER_STORY).map(|case| failure(case, 100 + case)).collect();
    let mut story = Story::new();
    for _ in 0..5 {
        let causes: BTreeSet<u64> =
            story.run(&all).verdicts.iter().map(|case_judgement| case_judgement.cause).collect();
        assert_eq!(causes.len(), all.len());
        story.commit();
    }
}

/// This holds for the test that fails alone and for the tests that fail together.
#[test]
fn a_break_by_an_edit_is_never_flaky_even_after_a_revert() {
    for passes in [1, 2, 5] {
        let mut story = Story::new();
        (0..passes).for_each(|_| drop(story.run(&[])));
        story.edit("a");
        let alone = [failure(3, 1), Failure { category: Category::Timeout, ..failure(9, 4) }];
        let broken: Vec<Failure> =
            (20..CASES_PER_STORY).map(|case| failure_in_function(case, 2, 7)).chain(alone).collect();
        let judgement = story.run(&broken);
        for case_judgement in &judgement.verdicts {
            let summary = summary(&story, case_judgement.failure.case);
            assert_eq!((summary.state, summary.verdict), (TestState::Broken, Some(case_judgement.verdict.kind)));
            assert_ne!(case_judgement.verdict.kind, VerdictKind::Flaky);
        }
        story.revert();
        story.run(&[]);
        for failure in &broken {
            let summary = summary(&story, failure.case);
            assert_eq!((summary.state, summary.verdict), (TestState::Healthy, None), "{passes} {}", failure.case);
        }
        story.run(&[failure(3, 1)]);
        story.run(&[]);
        assert_eq!(summary(&story, 3).state, TestState::Flaky, "both outcomes on one tree");
    }
}

#[test]
fn a_reverted_fix_does_not_change_where_the_failure_began() {
    let mut story = Story::new();
    story.pass(3);
    story.commit();
    let culprit = format!("c{}", story.commits);
    let newly_failing = story.runs;
    story.run(&[failure(3, 1)]);
    story.edit("mends");
    story.run(&[]);
    story.revert();
    story.commit();
    let verdict = only_judgement(&story.run(&[failure(3, 1)])).verdict.clone();
    assert_eq!((verdict.kind, verdict.since.unwrap().run), (VerdictKind::Broken, newly_failing));
    assert_eq!(verdict.suspects[0].commit, culprit);
}

/// For example, a compiler stops at one line after another.
#[test]
fn failures_since_an_edit_are_not_flaky_whatever_the_error() {
    for (errors, tests) in
        [[1, 1, 1, 1], [1, 2, 3, 4], [1, 2, 1, 2]].into_iter().flat_map(|one| [(one, 40), (one, 400)])
    {
        let mut story = Story::new();
        (0..2).for_each(|_| drop(story.run_cases_in_order((0..tests).collect(), &[])));
        let first = story.runs;
        for (edit, error) in errors.into_iter().enumerate() {
            story.edit(&edit.to_string());
            let verdict =
                only_judgement(&story.run_cases_in_order((0..tests).collect(), &[failure(3, error)])).verdict.clone();
            // The first failure alone may be chance.
            if edit > 0 {
                let is_of_code = matches!(verdict.kind, VerdictKind::Regression | VerdictKind::Broken);
                assert!(is_of_code, "{errors:?} {tests} {edit} {:?}", verdict.weighed);
                assert_eq!(verdict.since.unwrap().run, first);
            }
        }
    }
}

/// Each failure and each pass is on another tree, because the code is edited all the time.
#[test]
fn repeated_breaks_by_edits_are_not_flaky() {
    let mut story = Story::new();
    story.pass(3);
    for edit in 0..4 {
        story.edit(&format!("broken {edit}"));
        assert_ne!(only_judgement(&story.run(&[failure(3, 1)])).verdict.kind, VerdictKind::Flaky, "{edit}");
        story.edit(&format!("mended {edit}"));
        story.run(&[]);
        assert_ne!(summary(&story, 3).state, TestState::Flaky, "{edit}");
    }
}

#[test]
fn a_test_that_never_passed_has_no_start_and_no_suspects() {
    let broken = |error: u64| [failure_in_function(3, error, error)];
    let mut story = Story::new();
    story.run(&broken(1));
    let mut verdicts = Vec::new();
    for error in [1, 2] {
        story.commit();
        verdicts.push(only_judgement(&story.run(&broken(error))).verdict.clone());
    }
    for (verdict, runs) in verdicts.iter().zip([2, 3]) {
        assert_eq!((verdict.kind, &verdict.suspects), (VerdictKind::Broken, &Vec::new()));
        assert_eq!(verdict.since, Some(FailureStart { run: 0, commit: None }));
        assert_eq!(verdict.because, [Reason::AlwaysFailed { first: 0, runs }]);
    }
    assert_eq!(
        verdicts[0].because[0].to_sentence(&NumberNames),
        "It failed in all of the last 2 runs that include it, since at least run 0. Earlier results are unknown."
    );
    // After a pass, the commit with the next failure is known.
    story.pass(1);
    story.commit();
    let verdict = only_judgement(&story.run(&broken(3))).verdict.clone();
    assert_eq!(verdict.since, Some(FailureStart { run: 4, commit: Some("c5".to_owned()) }));
    assert_eq!(verdict.suspects[0].commit, "c5");
}

#[test]
fn sentence_names_edited_files() {
    struct Edits(&'static [&'static str]);
    impl SentenceNames for Edits {
        fn run_id(&self, run: u32) -> String {
            format!("run {run}")
        }
        fn case_name(&self, case: CaseId) -> String {
            format!("case {case}")
        }
        fn files_edited_between(&self, _: u32, _: u32) -> Vec<String> {
            self.0.iter().map(|file| (*file).to_owned()).collect()
        }
    }
    let changed = Reason::Changed { passed: 1, failed: 2, commits: 0 };
    for (files, said) in [
        (&[][..], "Files were"),
        (&["a"], "a was"),
        (&["a", "b"], "a and b were"),
        (&["a", "b", "c"], "a, b and c were"),
        (&["a", "b", "c", "d", "e"], "a, b, c and 2 more were"),
    ] {
        let said = format!("{said} edited between run 1, which passed, and run 2.");
        assert_eq!(changed.to_sentence(&Edits(files)), said);
    }
}
