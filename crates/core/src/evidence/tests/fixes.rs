//! Fixes that later runs prove or refute.

use super::{Story, failure, failure_in_function, only_judgement};
use crate::evidence::{
    stored_rows::fixes::{Fix, ProofStatus},
    verdict::VerdictKind,
};

#[test]
fn a_fix_is_proved_and_refuted_when_the_error_comes_back() {
    let mut story = Story::new();
    story.pass(10);
    story.commit();
    story.run(&[failure_in_function(3, 1, 7)]);
    story.commit();
    story.run(&[failure_in_function(3, 1, 7)]);
    story.commit();
    story.run(&[]);
    let fix = story.memory.fixes.last().unwrap();
    assert_eq!((fix.commits.as_slice(), fix.status), (&["c14".to_owned()][..], ProofStatus::Proved));
    story.pass(5);
    story.commit();
    let back = story.run(&[failure_in_function(3, 1, 7)]);
    assert_eq!(only_judgement(&back).verdict.kind, VerdictKind::Regression);
    assert_eq!(story.memory.fixes.last().unwrap().status, ProofStatus::Refuted);
}

#[test]
fn a_reported_fix_of_a_flaky_test_needs_many_passes() {
    let mut story = Story::new();
    story.pass(5);
    let cases = [(3, 1)].into();
    story.memory.fixes.push(Fix::new_claim(1, vec!["c6".to_owned()], cases, 4, 0.3));
    story.pass(8);
    assert_eq!(story.memory.fixes[0].status, ProofStatus::Claimed);
    story.pass(1);
    assert_eq!(story.memory.fixes[0].status, ProofStatus::Proved);
    story.run(&[failure(3, 1)]);
    assert_eq!(story.memory.fixes[0].status, ProofStatus::Refuted);
}

#[test]
fn a_failing_edit_refutes_the_fix_only_after_its_commit() {
    let broken = [failure_in_function(3, 1, 7)];
    let mut story = Story::new();
    story.pass(10);
    story.commit();
    story.run(&broken);
    story.pass(1);
    story.edit("the same again");
    story.run(&broken);
    assert_eq!(story.memory.fixes[0].status, ProofStatus::Proved, "an edit is not yet what the project is");
    story.commit();
    story.run(&broken);
    assert_eq!(story.memory.fixes[0].status, ProofStatus::Refuted);
}
