//! Outages, and the failures that belong to them.

use super::{CASES_PER_STORY, Story, failure, failure_in_function, list_verdict_kinds, only_judgement};
use crate::{
    evidence::{
        facts::{CaseId, ErrorSource, Failure},
        judge::Judgement,
        verdict::{SettlingRun, VerdictKind},
    },
    failure::category::Category,
};

#[test]
fn a_network_error_in_many_files_is_an_outage() {
    let mut story = Story::new();
    story.pass(5);
    story.commit();
    let down: Vec<Failure> = (0..CASES_PER_STORY)
        .step_by(2)
        .map(|case| Failure { category: Category::NetworkError, ..failure(case, 9) })
        .collect();
    let judgement = story.run(&down);
    assert!(list_verdict_kinds(&judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
    assert_eq!(judgement.verdicts[0].verdict.settle, Some(SettlingRun::RerunAll));
    // An outage is not evidence about the tests, and while it lasts, it is a single cause.
    assert_eq!(story.memory.tests[&0].totals.failures, 0);
    let again = story.run(&down);
    assert_eq!(again.verdicts[0].cause, judgement.verdicts[0].cause);
}

/// For example an import of a package that is not installed, or a wrong port.
#[test]
fn a_machine_error_in_an_edited_file_is_a_regression() {
    let failures: Vec<Failure> = (0..CASES_PER_STORY)
        .map(|case| Failure { source: ErrorSource::Machine, category: Category::ConfigError, ..failure(case, 9) })
        .collect();
    let kinds_with = |stack: &[u32]| {
        let mut story = Story::new();
        story.pass(3);
        story.edit("imports a package");
        story.edited_files = vec![(1000, 1)];
        story.stacks = (0..CASES_PER_STORY).map(|case| (case, stack.to_vec())).collect();
        list_verdict_kinds(&story.run(&failures))
    };
    assert!(kinds_with(&[1000]).iter().all(|kind| *kind == VerdictKind::Regression));
    assert!(kinds_with(&[1001]).iter().all(|kind| *kind == VerdictKind::Infrastructure));
}

/// An outage can also make a test too slow, but the timeout is not the error of the outage.
#[test]
fn a_different_error_during_an_outage_has_its_own_cause() {
    let mut story = Story::new();
    story.pass(5);
    let down: Vec<Failure> =
        (0..CASES_PER_STORY - 2).map(|case| Failure { category: Category::NetworkError, ..failure(case, 9) }).collect();
    let slow = Failure { category: Category::Timeout, ..failure(CASES_PER_STORY - 1, 4) };
    let failures: Vec<Failure> = down.iter().copied().chain([slow]).collect();
    let causes = |judgement: &Judgement| {
        assert!(list_verdict_kinds(judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
        judgement.verdicts.iter().map(|case_judgement| case_judgement.cause).collect::<Vec<_>>()
    };
    let first = causes(&story.run(&failures));
    let (of_slow, of_down) = first.split_last().unwrap();
    assert!(of_down.iter().all(|cause| *cause == of_down[0] && cause != of_slow), "{first:?}");
    assert_eq!(causes(&story.run(&failures)), first);
    // Without the outage, the timeout is as unknown as before.
    story.pass(1);
    assert_ne!(only_judgement(&story.run(&[slow])).verdict.kind, VerdictKind::Infrastructure);
}

#[test]
fn an_outage_needs_no_common_error() {
    let mut story = Story::new();
    story.pass(5);
    let down: Vec<Failure> = (0..CASES_PER_STORY).step_by(2).map(|case| failure(case, 100 + case)).collect();
    let judgement = story.run(&down);
    assert!(list_verdict_kinds(&judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
    assert!(judgement.verdicts.iter().all(|case_judgement| case_judgement.cause == judgement.verdicts[0].cause));
}

/// The error is noticed in the lines of the tests, for example a key that the called code no longer has.
#[test]
fn a_code_error_in_every_test_is_a_regression() {
    for (tests, passes) in [(2, 1), (4, 1), (4, 8), (CASES_PER_STORY, 1), (CASES_PER_STORY, 8), (300, 8)] {
        for category in [Category::Unknown, Category::AssertionMismatch] {
            let all: Vec<CaseId> = (0..tests).collect();
            let failures: Vec<Failure> =
                all.iter().map(|case| Failure { category, source: ErrorSource::Code, ..failure(*case, 7) }).collect();
            let mut story = Story::new();
            for _ in 0..passes {
                story.run_cases_in_order(all.clone(), &[]);
                story.commit();
            }
            let said = format!("{tests} tests, {passes} passes, {category:?}");
            let verdict_kinds = list_verdict_kinds(&story.run_cases_in_order(all.clone(), &failures));
            assert!(
                verdict_kinds.iter().all(|kind| *kind == VerdictKind::Regression),
                "{said}: {:?}",
                verdict_kinds[0]
            );
            let again = list_verdict_kinds(&story.run_cases_in_order(all.clone(), &failures));
            assert!(again.iter().all(|kind| *kind == VerdictKind::Broken), "{said}, again: {:?}", again[0]);
        }
    }
}

#[test]
fn two_failures_of_a_first_run_are_new() {
    let mut story = Story::new();
    let refused = Failure { category: Category::ConnectionRefused, ..failure(3, 1) };
    assert_eq!(
        list_verdict_kinds(&story.run_cases_in_order(vec![3, 4, 5], &[refused, failure(4, 2)])),
        [VerdictKind::New; 2]
    );
    assert_eq!(list_verdict_kinds(&Story::new().run_cases_in_order(vec![3], &[refused])), [VerdictKind::New]);
}

/// Everything is new and everything fails, so that there is no evidence for the machine.
#[test]
fn failures_without_any_pass_are_not_an_outage() {
    let all: Vec<Failure> = (0..CASES_PER_STORY).map(|case| failure_in_function(case, 1, 2)).collect();
    let mut story = Story::new();
    assert!(list_verdict_kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::New));
    story.commit();
    assert!(list_verdict_kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::Broken));
}

/// A commit breaks code that all tests use. This is not an outage, however many tests and files fail.
#[test]
fn a_change_that_breaks_half_of_all_tests_is_a_regression() {
    let mut story = Story::new();
    story.pass(8);
    story.commit();
    let all: Vec<Failure> =
        (0..CASES_PER_STORY).step_by(2).map(|case| Failure { in_project: true, ..failure(case, 7) }).collect();
    assert!(list_verdict_kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::Regression));
}
