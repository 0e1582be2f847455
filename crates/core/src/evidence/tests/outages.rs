//! What an outage is, and what it takes along.

use super::{CASES, Story, failure, kinds, only};
use crate::{
    evidence::{
        facts::Failure,
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
