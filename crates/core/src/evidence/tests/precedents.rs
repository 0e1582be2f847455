//! Earlier runs that may excuse a failure.

use super::{CASES_PER_STORY, Story, failure, failure_in_function, only_judgement};
use crate::{
    evidence::{
        facts::Failure,
        verdict::{Precedents, VerdictKind},
    },
    failure::category::Category,
};

fn find_precedents_after_run(story: &mut Story, failures: &[Failure]) -> Precedents {
    story.run(failures).verdicts[0].verdict.precedents.clone()
}

/// A history of ten commits. Runs 3 and 6 failed with error 1 and passed when they were repeated.
fn flaky_story() -> Story {
    let mut story = Story::new();
    for at in 0..10 {
        story.commit();
        if at == 3 || at == 6 {
            story.run(&[failure(3, 1)]);
        }
        story.run(&[]);
    }
    story
}

#[test]
fn committed_runs_with_the_same_error_are_precedents() {
    let mut story = flaky_story();
    story.commit();
    assert_eq!(
        find_precedents_after_run(&mut story, &[failure(3, 1)]),
        Precedents { failed: vec![3, 7], ..Precedents::default() }
    );
}

#[test]
fn another_error_or_test_is_not_a_precedent() {
    for other in [failure(3, 2), failure(4, 1)] {
        let mut story = flaky_story();
        story.commit();
        assert_eq!(find_precedents_after_run(&mut story, &[other]), Precedents::default());
    }
}

#[test]
fn another_error_of_the_same_function_is_not_a_precedent() {
    let mut story = Story::new();
    story.pass(3);
    story.run(&[failure_in_function(3, 1, 7)]);
    story.pass(1);
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &[failure_in_function(3, 2, 7)]).failed, Vec::<u32>::new());
}

#[test]
fn a_failure_on_an_edit_is_not_a_precedent() {
    let mut story = Story::new();
    story.pass(3);
    story.edit("staged");
    story.run(&[failure(3, 1)]);
    story.revert();
    story.run(&[]);
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).failed, Vec::<u32>::new());
}

#[test]
fn precedents_include_a_pass_on_the_same_tree() {
    let mut story = Story::new();
    story.pass(4);
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).passed_on_tree, Some(3));
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).passed_on_tree, None);
}

#[test]
fn environment_precedents_have_the_condition() {
    let mut story = Story::new();
    let mut last_judgement = None;
    for at in 0..16 {
        story.commit();
        let fails = at % 4 == 3;
        story.os = if fails { "windows" } else { "linux" };
        let failures = if fails { vec![failure(3, 1)] } else { Vec::new() };
        last_judgement = Some(story.run(&failures));
    }
    let judgement = last_judgement.unwrap();
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!((verdict.kind, &verdict.precedents.failed[..]), (VerdictKind::Environment, &[3, 7, 11][..]));
}

#[test]
fn precedent_no_longer_counts_after_passes_prove_a_fix() {
    let mut story = flaky_story();
    for _ in 0..20 {
        story.commit();
        story.pass(1);
    }
    // Repeated failures of the change do not restore the old precedents.
    for fails in [&[][..], &[32], &[32, 33]] {
        story.commit();
        assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).failed, fails);
    }
}

#[test]
fn passes_on_another_branch_do_not_end_a_precedent() {
    let mut story = flaky_story();
    story.branch = "mend";
    for _ in 0..20 {
        story.commit();
        story.pass(1);
    }
    story.branch = "change";
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).failed, [3, 7]);
}

#[test]
fn a_pass_under_another_condition_does_not_count_for_the_tree() {
    let mut story = Story::new();
    story.pass(4);
    story.os = "windows";
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).passed_on_tree, None);
}

#[test]
fn an_outage_is_a_precedent_until_it_is_over() {
    let down: Vec<Failure> = (0..CASES_PER_STORY)
        .step_by(2)
        .map(|case| Failure { category: Category::NetworkError, ..failure(case, 9) })
        .collect();
    let mut story = Story::new();
    story.pass(5);
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &down).failed, Vec::<u32>::new());
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &down).failed, [5]);
    story.pass(1);
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &down).failed, Vec::<u32>::new());
}

#[test]
fn failures_in_each_run_on_a_tree_are_as_unlikely_as_the_test_is_stable_elsewhere() {
    let mut story = flaky_story();
    story.commit();
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).failed_on_tree, None);
    let again = find_precedents_after_run(&mut story, &[failure(3, 1)]).failed_on_tree.unwrap();
    // Two of twelve runs elsewhere failed.
    assert!(again.runs == 2 && again.chance < 0.05, "{again:?}");
    story.run(&[]);
    assert_eq!(find_precedents_after_run(&mut story, &[failure(3, 1)]).failed_on_tree, None, "it passed here, too");
}
