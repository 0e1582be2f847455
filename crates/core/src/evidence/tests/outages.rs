//! Outages, and the failures that belong to them.

use super::{CASES, Story, failure, in_function, kinds, only};
use crate::{
    evidence::{
        facts::{CaseId, ErrorSource, Failure},
        judge::Judgement,
        verdict::{Settle, VerdictKind},
    },
    failure::category::Category,
};

#[test]
fn a_network_error_in_many_files_is_an_outage() {
    let mut story = Story::new();
    story.pass(5);
    story.commit();
    let down: Vec<Failure> =
        (0..CASES).step_by(2).map(|case| Failure { category: Category::NetworkError, ..failure(case, 9) }).collect();
    let judgement = story.run(&down);
    assert!(kinds(&judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
    assert_eq!(judgement.verdicts[0].verdict.settle, Some(Settle::RerunAll));
    // An outage says nothing about the tests, and while it lasts, it is a single cause.
    assert_eq!(story.memory.tests[&0].totals.failures, 0);
    let again = story.run(&down);
    assert_eq!(again.verdicts[0].cause, judgement.verdicts[0].cause);
}

/// An outage can also make a test too slow, but the timeout is not the error of the outage.
#[test]
fn a_different_error_during_an_outage_has_its_own_cause() {
    let mut story = Story::new();
    story.pass(5);
    let down: Vec<Failure> =
        (0..CASES - 2).map(|case| Failure { category: Category::NetworkError, ..failure(case, 9) }).collect();
    let slow = Failure { category: Category::Timeout, ..failure(CASES - 1, 4) };
    let failures: Vec<Failure> = down.iter().copied().chain([slow]).collect();
    let causes = |judgement: &Judgement| {
        assert!(kinds(judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
        judgement.verdicts.iter().map(|judged| judged.cause).collect::<Vec<_>>()
    };
    let first = causes(&story.run(&failures));
    let (of_slow, of_down) = first.split_last().unwrap();
    assert!(of_down.iter().all(|cause| *cause == of_down[0] && cause != of_slow), "{first:?}");
    assert_eq!(causes(&story.run(&failures)), first);
    // Without the outage, the timeout is as unknown as before.
    story.pass(1);
    assert_ne!(only(&story.run(&[slow])).verdict.kind, VerdictKind::Infrastructure);
}

#[test]
fn an_outage_needs_no_common_error() {
    let mut story = Story::new();
    story.pass(5);
    let down: Vec<Failure> = (0..CASES).step_by(2).map(|case| failure(case, 100 + case)).collect();
    let judgement = story.run(&down);
    assert!(kinds(&judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
    assert!(judgement.verdicts.iter().all(|judged| judged.cause == judgement.verdicts[0].cause));
}

/// The error is noticed in the lines of the tests, for example a key that the called code no longer has.
#[test]
fn a_code_error_in_every_test_is_a_regression() {
    for (tests, passes) in [(2, 1), (4, 1), (4, 8), (CASES, 1), (CASES, 8), (300, 8)] {
        for category in [Category::Unknown, Category::AssertionMismatch] {
            let all: Vec<CaseId> = (0..tests).collect();
            let failures: Vec<Failure> =
                all.iter().map(|case| Failure { category, source: ErrorSource::Code, ..failure(*case, 7) }).collect();
            let mut story = Story::new();
            for _ in 0..passes {
                story.run_in(all.clone(), &[]);
                story.commit();
            }
            let said = format!("{tests} tests, {passes} passes, {category:?}");
            let judged = kinds(&story.run_in(all.clone(), &failures));
            assert!(judged.iter().all(|kind| *kind == VerdictKind::Regression), "{said}: {:?}", judged[0]);
            let again = kinds(&story.run_in(all.clone(), &failures));
            assert!(again.iter().all(|kind| *kind == VerdictKind::Broken), "{said}, again: {:?}", again[0]);
        }
    }
}

#[test]
fn two_failures_of_a_first_run_are_new() {
    let mut story = Story::new();
    let refused = Failure { category: Category::ConnectionRefused, ..failure(3, 1) };
    assert_eq!(kinds(&story.run_in(vec![3, 4, 5], &[refused, failure(4, 2)])), [VerdictKind::New; 2]);
    assert_eq!(kinds(&Story::new().run_in(vec![3], &[refused])), [VerdictKind::New]);
}

/// Everything is new and everything fails, so that there is no evidence for the machine.
#[test]
fn failures_without_any_pass_are_not_an_outage() {
    let all: Vec<Failure> = (0..CASES).map(|case| in_function(case, 1, 2)).collect();
    let mut story = Story::new();
    assert!(kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::New));
    story.commit();
    assert!(kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::Broken));
}

/// A commit breaks code that all tests use. This is not an outage, however many tests and files fail.
#[test]
fn a_change_that_breaks_half_of_all_tests_is_a_regression() {
    let mut story = Story::new();
    story.pass(8);
    story.commit();
    let all: Vec<Failure> =
        (0..CASES).step_by(2).map(|case| Failure { in_project: true, ..failure(case, 7) }).collect();
    assert!(kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::Regression));
}
