//! What an outage is, and what it takes along.

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
fn one_error_in_many_files_is_the_machine() {
    let mut story = Story::new();
    story.pass(5);
    story.commit();
    let down: Vec<Failure> =
        (0..CASES).step_by(2).map(|case| Failure { category: Category::NetworkError, ..failure(case, 9) }).collect();
    let judgement = story.run(&down);
    assert!(kinds(&judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
    assert_eq!(judgement.verdicts[0].verdict.settle, Some(Settle::RerunAll));
    // It says nothing of the tests, and while it lasts it is one cause.
    assert_eq!(story.memory.tests[&0].totals.failures, 0);
    let again = story.run(&down);
    assert_eq!(again.verdicts[0].cause, judgement.verdicts[0].cause);
}

/// An outage may be why a test was too slow, and it is no place to look for its error.
#[test]
fn another_error_in_an_outage_is_another_cause() {
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
    // Alone it is as unknown as it was.
    story.pass(1);
    assert_ne!(only(&story.run(&[slow])).verdict.kind, VerdictKind::Infrastructure);
}

#[test]
fn an_outage_without_a_common_error_is_one_too() {
    let mut story = Story::new();
    story.pass(5);
    let down: Vec<Failure> = (0..CASES).step_by(2).map(|case| failure(case, 100 + case)).collect();
    let judgement = story.run(&down);
    assert!(kinds(&judgement).iter().all(|kind| *kind == VerdictKind::Infrastructure));
    assert!(judgement.verdicts.iter().all(|judged| judged.cause == judgement.verdicts[0].cause));
}

/// Noticed in the tests' own lines, as a key that what they call does not have any more.
#[test]
fn what_code_raises_in_every_test_is_no_outage() {
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
fn two_failures_of_a_first_run_are_no_outage() {
    let mut story = Story::new();
    let refused = Failure { category: Category::ConnectionRefused, ..failure(3, 1) };
    assert_eq!(kinds(&story.run_in(vec![3, 4, 5], &[refused, failure(4, 2)])), [VerdictKind::New; 2]);
    assert_eq!(kinds(&Story::new().run_in(vec![3], &[refused])), [VerdictKind::New]);
}

/// Everything is new, and everything fails: nothing says that it is the machine.
#[test]
fn a_project_that_never_passed_has_no_outage() {
    let all: Vec<Failure> = (0..CASES).map(|case| in_function(case, 1, 2)).collect();
    let mut story = Story::new();
    assert!(kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::New));
    story.commit();
    assert!(kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::Broken));
}

/// What everything uses is broken by one commit: no outage, however many tests fail in however many files.
#[test]
fn a_change_that_breaks_half_of_all_tests_is_a_regression() {
    let mut story = Story::new();
    story.pass(8);
    story.commit();
    let all: Vec<Failure> =
        (0..CASES).step_by(2).map(|case| Failure { in_project: true, ..failure(case, 7) }).collect();
    assert!(kinds(&story.run(&all)).iter().all(|kind| *kind == VerdictKind::Regression));
}
