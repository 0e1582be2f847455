//! A change that breaks many tests in several ways at once, for example a deleted export.

use super::{Story, failure, kinds};
use crate::evidence::{
    facts::{CaseId, ErrorSource, Failure},
    judge::Judgement,
    kept::order::{Order, OrderEvidence},
    state::state_of,
    verdict::VerdictKind::{Broken, Regression, Unknown},
};

const TESTS: CaseId = 160;

/// `alike` tests fail with the same error, and two tests fail with an error of their own.
fn failures(alike: CaseId) -> Vec<Failure> {
    let alike = (0..alike).map(|case| Failure { source: ErrorSource::Code, ..failure(case, 7) });
    alike.chain([failure(101, 101), failure(140, 140)]).collect()
}

fn after_passes() -> Story {
    after(2)
}

fn after(passes: u32) -> Story {
    let mut story = Story::new();
    for _ in 0..passes {
        story.run_in((0..TESTS).collect(), &[]);
    }
    story
}

fn run(story: &mut Story, failures: &[Failure]) -> Judgement {
    story.run_in((0..TESTS).collect(), failures)
}

#[test]
fn a_single_failure_beside_many_belongs_to_the_same_change() {
    for is_edit in [false, true] {
        let mut story = after_passes();
        if is_edit {
            story.edit("a");
        } else {
            story.commit();
        }
        let judgement = run(&mut story, &failures(60));
        assert!(kinds(&judgement).iter().all(|kind| *kind == Regression), "{is_edit} {:?}", kinds(&judgement));
        assert!(judgement.verdicts.iter().all(|judged| judged.verdict.probability > 0.8), "{is_edit}");

        // Later, when only these two tests fail, they are not flaky either.
        story.edit("b");
        let judgement = run(&mut story, &failures(0));
        assert_eq!(kinds(&judgement), [Broken; 2], "{is_edit}");
        story.edit("c");
        run(&mut story, &[]);
        let view = story.memory.window.view();
        let summary = state_of(&story.memory.tests[&101], &view, &story.memory.traits);
        assert!(summary.flake_rate.mean < 0.1, "{is_edit} {summary:?}");
    }
}

#[test]
fn a_single_failure_beside_a_few_is_unknown() {
    for alike in [0, 2, 4] {
        let mut story = after(4);
        story.commit();
        let judgement = run(&mut story, &failures(alike));
        let alone: Vec<_> = judgement.verdicts.iter().filter(|judged| judged.failure.case > 100).collect();
        assert!(alone.iter().all(|judged| judged.verdict.kind == Unknown), "{alike}");
    }
}

#[test]
fn a_single_failure_on_another_machine_is_not_a_regression() {
    let mut story = after_passes();
    story.commit();
    story.os = "windows";
    let judgement = run(&mut story, &failures(60));
    assert!(judgement.verdicts.iter().rev().take(2).all(|judged| judged.verdict.kind != Regression));
}

#[test]
fn a_failed_hook_is_not_an_order_candidate() {
    let (hook, test) = (9, 1);
    let passed = Order::new(vec![2, test]);
    let candidates = |only_failed: &[CaseId], passing: &[&Order]| {
        let only_failed = only_failed.iter().copied().collect();
        OrderEvidence::start(test, &Order::new(vec![hook, test]), &only_failed, passing).candidates.len()
    };
    assert_eq!(candidates(&[test], &[&passed]), 1);
    assert_eq!(candidates(&[hook, test], &[&passed]), 0);
    // In the first run, the hook may be a test that always fails.
    assert_eq!(candidates(&[hook, test], &[]), 1);
}
