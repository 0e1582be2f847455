//! Runs that go back to an older commit, for example to find the culprit.

use super::{Story, failure, only_judgement};
use crate::evidence::{
    facts::{FileId, StackFiles},
    judge::CaseJudgement,
    verdict::VerdictKind::{Broken, Flaky, Regression},
};

/// A story with eight commits that pass, followed by a run with five new commits that fails.
fn story_with_break(tests: u64) -> (Story, CaseJudgement) {
    let mut story = Story::new();
    for _ in 0..8 {
        story.commit();
        story.run_cases_in_order((0..tests).collect(), &[]);
    }
    story.commits += 4;
    story.commit();
    let case_judgement = only_judgement(&story.run_cases_in_order((0..tests).collect(), &[failure(3, 1)])).clone();
    (story, case_judgement)
}

/// Runs the test alone at a commit.
fn run_alone_at_commit(story: &mut Story, commit: u32, fails: bool) -> Option<CaseJudgement> {
    story.check_out(commit);
    let failures = if fails { vec![failure(3, 1)] } else { Vec::new() };
    story.run_cases_in_order(vec![3], &failures).verdicts.pop()
}

fn suspects(case_judgement: &CaseJudgement) -> Vec<(&str, f64)> {
    case_judgement.verdict.suspects.iter().map(|one| (one.commit.as_str(), one.probability)).collect()
}

#[test]
fn runs_on_older_commits_identify_the_culprit() {
    for tests in [5, 40] {
        let (mut story, first) = story_with_break(tests);
        assert_eq!(suspects(&first).len(), 5);
        let culprit = 12;
        for commit in [12, 10, 11] {
            run_alone_at_commit(&mut story, commit, commit >= culprit);
        }
        let last = run_alone_at_commit(&mut story, 14, true).unwrap();
        let found = suspects(&last);
        assert!(found[0].0 == "c12" && found[0].1 > 0.9, "{found:?}");
        assert_eq!((last.verdict.kind, last.cause), (Broken, first.cause));
        assert_eq!(last.verdict.since.as_ref().unwrap().commit.as_deref(), Some("c14"));
        assert_eq!(story.memory.fixes, [], "a commit from before it began mends nothing");
    }
}

#[test]
fn a_commit_reached_twice_is_listed_once() {
    let (mut story, first) = story_with_break(40);
    run_alone_at_commit(&mut story, 9, false);
    let again = run_alone_at_commit(&mut story, 14, true).unwrap();
    for ((commit, chance), (before, chance_before)) in suspects(&again).into_iter().zip(suspects(&first)) {
        assert!(commit == before && (chance - chance_before).abs() < 0.01, "{commit} {chance} {chance_before}");
    }
    assert_eq!(suspects(&again).len(), 5);
}

/// A commit breaks a test, a second commit fixes it, and a later commit touches `touched`. `before` is the number of
/// passing runs before the break, and `between` the number of runs while the test is fixed.
fn judge_returning_failure(tests: u64, before: u32, between: u32, touched: FileId) -> CaseJudgement {
    const MENDED: FileId = 702;
    let mut story = Story::new();
    story.stacks = StackFiles::from([(3, vec![MENDED])]);
    let commit = |story: &mut Story, touched: FileId, fails: bool| {
        story.touched = vec![touched];
        story.commit();
        let failures = if fails { vec![failure(3, 1)] } else { Vec::new() };
        story.run_cases_in_order((0..tests).collect(), &failures).verdicts.pop()
    };
    for _ in 0..before {
        commit(&mut story, 900, false);
    }
    commit(&mut story, MENDED, true);
    commit(&mut story, MENDED, false);
    for _ in 1..between {
        commit(&mut story, 901, false);
    }
    commit(&mut story, touched, true).unwrap()
}

#[test]
fn the_commit_of_the_first_run_is_not_a_suspect_after_an_edit_on_it_passed() {
    let mut story = Story::new();
    story.run(&[failure(3, 1)]);
    story.edit("mended");
    story.run(&[]);
    story.revert();
    let verdict = only_judgement(&story.run(&[failure(3, 1)])).verdict.clone();
    assert_eq!((verdict.kind, &verdict.suspects[..]), (Broken, &[][..]));
    // A pass on the commit before it makes the commit a suspect.
    story.commits -= 1;
    story.revert();
    story.run(&[]);
    story.commit();
    let verdict = only_judgement(&story.run(&[failure(3, 1)])).verdict.clone();
    assert_eq!(verdict.suspects.len(), 1, "{verdict:?}");
}

#[test]
fn a_failure_that_returns_with_the_files_of_its_fix_is_a_regression() {
    for tests in [5, 40, 400] {
        for (before, between) in [(3, 5), (3, 20), (20, 5), (20, 20)] {
            let verdict = judge_returning_failure(tests, before, between, 702).verdict;
            assert_eq!(verdict.kind, Regression, "{tests} tests, {before} and {between} runs");
            assert!(verdict.suspects[0].commit == format!("c{}", before + between + 3), "{:?}", verdict.suspects);
        }
    }
    for (tests, before) in [(40, 3), (400, 20)] {
        assert_eq!(
            judge_returning_failure(tests, before, 5, 901).verdict.kind,
            Flaky,
            "with a commit that undoes nothing"
        );
    }
}
