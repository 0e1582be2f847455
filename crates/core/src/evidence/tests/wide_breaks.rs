//! A change that breaks many tests in several ways at once, for example a deleted export.

use super::{Story, failure, failure_in_function, list_verdict_kinds, only_judgement};
use crate::{
    evidence::{
        facts::{CaseId, ErrorSource, Failure, FileId},
        judge::Judgement,
        stored_rows::order::{Order, OrderEvidence},
        test_state::summarize_test,
        verdict::VerdictKind::{Broken, Regression},
    },
    failure::category::Category,
};
use std::collections::BTreeSet;

const TEST_COUNT: CaseId = 160;

/// `alike` tests fail with the same error, and two tests fail with an error of their own.
fn failures(alike: CaseId) -> Vec<Failure> {
    let alike = (0..alike).map(|case| Failure { source: ErrorSource::Code, ..failure(case, 7) });
    alike.chain([failure(101, 101), failure(140, 140)]).collect()
}

fn story_after_passes() -> Story {
    story_after_runs(2)
}

fn story_after_runs(passes: u32) -> Story {
    let mut story = Story::new();
    for _ in 0..passes {
        story.run_cases_in_order((0..TEST_COUNT).collect(), &[]);
    }
    story
}

fn run(story: &mut Story, failures: &[Failure]) -> Judgement {
    story.run_cases_in_order((0..TEST_COUNT).collect(), failures)
}

#[test]
fn a_single_failure_beside_many_belongs_to_the_same_change() {
    for is_edit in [false, true] {
        let mut story = story_after_passes();
        if is_edit {
            story.edit("a");
        } else {
            story.commit();
        }
        let judgement = run(&mut story, &failures(60));
        assert!(
            list_verdict_kinds(&judgement).iter().all(|kind| *kind == Regression),
            "{is_edit} {:?}",
            list_verdict_kinds(&judgement)
        );
        assert!(judgement.verdicts.iter().all(|case_judgement| case_judgement.verdict.probability > 0.8), "{is_edit}");

        // Later, when only these two tests fail, they are not flaky either.
        story.edit("b");
        let judgement = run(&mut story, &failures(0));
        assert_eq!(list_verdict_kinds(&judgement), [Broken; 2], "{is_edit}");
        story.edit("c");
        run(&mut story, &[]);
        let view = story.memory.window.view();
        let summary = summarize_test(&story.memory.tests[&101], &view, &[], &story.memory.traits);
        assert!(summary.flake_rate.mean() < 0.1, "{is_edit} {summary:?}");
    }
}

#[test]
fn a_single_failure_beside_a_few_is_a_regression() {
    for alike in [0, 2, 4] {
        let mut story = story_after_runs(4);
        story.commit();
        let judgement = run(&mut story, &failures(alike));
        let alone: Vec<_> =
            judgement.verdicts.iter().filter(|case_judgement| case_judgement.failure.case > 100).collect();
        assert!(
            alone.iter().all(|case_judgement| case_judgement.verdict.kind == Regression),
            "{alike} {:?}",
            list_verdict_kinds(&judgement)
        );
    }
}

#[test]
fn a_single_failure_on_another_machine_is_not_a_regression() {
    let mut story = story_after_passes();
    story.commit();
    story.os = "windows";
    let judgement = run(&mut story, &failures(60));
    assert!(judgement.verdicts.iter().rev().take(2).all(|case_judgement| case_judgement.verdict.kind != Regression));
}

#[test]
fn a_failed_hook_is_not_an_order_candidate() {
    let (hook, test) = (9, 1);
    let passed = Order::new(vec![2, test]);
    let candidates = |only_failed: &[CaseId], passing: &[&Order]| {
        let only_failed = only_failed.iter().copied().collect();
        OrderEvidence::from_first_failure(test, &Order::new(vec![hook, test]), &only_failed, passing).candidates.len()
    };
    assert_eq!(candidates(&[test], &[&passed]), 1);
    assert_eq!(candidates(&[hook, test], &[&passed]), 0);
    // In the first run, the hook may be a test that always fails.
    assert_eq!(candidates(&[hook, test], &[]), 1);
}

/// Returns the number of causes of `failing` failed assertions with different values, after edits of `edited` files.
fn causes_of_assertions(failing: CaseId, edited: u32) -> usize {
    let mut story = story_after_passes();
    story.edit("wrong operator");
    story.edited_files = (0..edited).map(|file| (1000 + file, 1)).collect();
    let failures: Vec<Failure> =
        (0..failing).map(|case| Failure { source: ErrorSource::Code, ..failure(case, 100 + case) }).collect();
    let judgement = run(&mut story, &failures);
    assert!(
        list_verdict_kinds(&judgement).iter().all(|kind| *kind == Regression),
        "{:?}",
        list_verdict_kinds(&judgement)
    );
    judgement.verdicts.iter().map(|case_judgement| case_judgement.cause).collect::<BTreeSet<_>>().len()
}

#[test]
fn many_failed_assertions_after_a_change_of_one_file_have_one_cause() {
    assert_eq!(causes_of_assertions(40, 1), 1);
    assert_eq!(causes_of_assertions(40, 2), 40, "either file may be the cause");
    assert_eq!(causes_of_assertions(4, 1), 1);
    assert_eq!(causes_of_assertions(2, 1), 2, "a change may introduce two separate errors");
}

#[test]
fn a_commit_of_documentation_does_not_split_the_cause() {
    let mut story = story_after_passes();
    let mut commit = |file: FileId, is_documentation: bool, failures: &[Failure]| {
        (story.touched, story.is_documentation) = (vec![file], is_documentation);
        story.commit();
        run(&mut story, failures)
    };
    commit(1000, true, &[failure(39, 1)]);
    let failures: Vec<Failure> = (0..4).map(|case| failure(case, 100 + case)).collect();
    let judgement = commit(1001, false, &failures);
    assert_eq!(judgement.verdicts.iter().map(|one| one.cause).collect::<BTreeSet<_>>().len(), 1);
}

/// Otherwise, the 160 failures of the first edit would make a failed assertion look like chance.
#[test]
fn one_wide_break_does_not_determine_how_failures_of_code_look() {
    let mut story = story_after_passes();
    story.edit("raises an error");
    let raised: Vec<Failure> = (0..TEST_COUNT)
        .map(|case| Failure {
            category: Category::ConfigError,
            source: ErrorSource::Code,
            ..failure_in_function(case, 7, 7)
        })
        .collect();
    run(&mut story, &raised);
    story.revert();
    run(&mut story, &[]);
    story.edit("wrong operator");
    let wrong: Vec<Failure> = (0..TEST_COUNT)
        .map(|case| Failure { category: Category::AssertionMismatch, source: ErrorSource::Code, ..failure(case, 9) })
        .collect();
    assert!(list_verdict_kinds(&run(&mut story, &wrong)).iter().all(|kind| *kind == Regression));
}

/// Otherwise, the evidence of a run in which all tests fail would grow with the square of its tests.
#[test]
fn earlier_tests_are_searched_for_a_limited_number_of_failures() {
    let mut story = Story::new();
    let order: Vec<CaseId> = (0..1_000).collect();
    let failures: Vec<Failure> = order.iter().map(|case| failure(*case, 1_000 + case)).collect();
    let judgement = story.run_cases_in_order(order.clone(), &failures);
    let candidates: usize = judgement.verdicts.iter().map(|found| found.order.candidates.len()).sum();
    // The first 132 tests have at most 131 tests before them.
    assert_eq!((judgement.unsearched, candidates), (868, 131 * 132 / 2));

    let judgement = story.run_cases_in_order(order, &failures[999..]);
    assert_eq!((judgement.unsearched, only_judgement(&judgement).order.candidates.len()), (0, 999));
}
