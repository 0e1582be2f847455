//! Runs that go back to an older commit, for example to find the culprit.

use super::{Story, failure, only};
use crate::evidence::{
    facts::{FileId, StackFiles},
    judge::Judged,
    verdict::VerdictKind::{Broken, Flaky, Regression},
};

/// A story with eight commits that pass, followed by a run with five new commits that fails.
fn breaks(tests: u64) -> (Story, Judged) {
    let mut story = Story::new();
    for _ in 0..8 {
        story.commit();
        story.run_in((0..tests).collect(), &[]);
    }
    story.commits += 4;
    story.commit();
    let judged = only(&story.run_in((0..tests).collect(), &[failure(3, 1)])).clone();
    (story, judged)
}

/// Runs the test alone at a commit.
fn settle(story: &mut Story, commit: u32, fails: bool) -> Option<Judged> {
    story.check_out(commit);
    let failures = if fails { vec![failure(3, 1)] } else { Vec::new() };
    story.run_in(vec![3], &failures).verdicts.pop()
}

fn suspects(judged: &Judged) -> Vec<(&str, f64)> {
    judged.verdict.suspects.iter().map(|one| (one.commit.as_str(), one.probability)).collect()
}

#[test]
fn runs_on_older_commits_identify_the_culprit() {
    for tests in [5, 40] {
        let (mut story, first) = breaks(tests);
        assert_eq!(suspects(&first).len(), 5);
        let culprit = 12;
        for commit in [12, 10, 11] {
            settle(&mut story, commit, commit >= culprit);
        }
        let last = settle(&mut story, 14, true).unwrap();
        let found = suspects(&last);
        assert!(found[0].0 == "c12" && found[0].1 > 0.9, "{found:?}");
        assert_eq!((last.verdict.kind, last.cause), (Broken, first.cause));
        assert_eq!(last.verdict.since.as_ref().unwrap().commit.as_deref(), Some("c14"));
        assert_eq!(story.memory.fixes, [], "a commit from before it began mends nothing");
    }
}

#[test]
fn a_commit_reached_twice_is_listed_once() {
    let (mut story, first) = breaks(40);
    settle(&mut story, 9, false);
    let again = settle(&mut story, 14, true).unwrap();
    for ((commit, chance), (before, chance_before)) in suspects(&again).into_iter().zip(suspects(&first)) {
        assert!(commit == before && (chance - chance_before).abs() < 0.01, "{commit} {chance} {chance_before}");
    }
    assert_eq!(suspects(&again).len(), 5);
}

/// A commit breaks a test, a second commit fixes it, and a later commit touches `touched`. `before` is the number of
/// passing runs before the break, and `between` the number of runs while the test is fixed.
fn comes_back(tests: u64, before: u32, between: u32, touched: FileId) -> Judged {
    const MENDED: FileId = 702;
    let mut story = Story::new();
    story.stacks = StackFiles::from([(3, vec![MENDED])]);
    let commit = |story: &mut Story, touched: FileId, fails: bool| {
        story.touched = vec![touched];
        story.commit();
        let failures = if fails { vec![failure(3, 1)] } else { Vec::new() };
        story.run_in((0..tests).collect(), &failures).verdicts.pop()
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
    let verdict = only(&story.run(&[failure(3, 1)])).verdict.clone();
    assert_eq!((verdict.kind, &verdict.suspects[..]), (Broken, &[][..]));
    // A pass on the commit before it makes the commit a suspect.
    story.commits -= 1;
    story.revert();
    story.run(&[]);
    story.commit();
    let verdict = only(&story.run(&[failure(3, 1)])).verdict.clone();
    assert_eq!(verdict.suspects.len(), 1, "{verdict:?}");
}

#[test]
fn a_failure_that_returns_with_the_files_of_its_fix_is_a_regression() {
    for tests in [5, 40, 400] {
        for (before, between) in [(3, 5), (3, 20), (20, 5), (20, 20)] {
            let verdict = comes_back(tests, before, between, 702).verdict;
            assert_eq!(verdict.kind, Regression, "{tests} tests, {before} and {between} runs");
            assert!(verdict.suspects[0].commit == format!("c{}", before + between + 3), "{:?}", verdict.suspects);
        }
    }
    for (tests, before) in [(40, 3), (400, 20)] {
        assert_eq!(comes_back(tests, before, 5, 901).verdict.kind, Flaky, "with a commit that undoes nothing");
    }
}
