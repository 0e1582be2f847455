//! Failures after a reset or a switch of the branch, which lose commits.

use super::Story;
use crate::tests::prelude::*;

const PASSES: [Option<&str>; 3] = [None, None, None];
const FAILS: [Option<&str>; 3] = [Some("AssertionError: expected 1 to be 2"), None, None];

impl Story {
    /// Adds a commit of these files with a given author time.
    fn commit_at(&mut self, files: &[&str], authored_at: i64) -> String {
        self.commit_of(files);
        let newest = &mut self.commits[0];
        newest.commit = format!("{authored_at:040x}");
        newest.authored_at = Some(authored_at);
        newest.commit.clone()
    }

    fn reset(&mut self, commits: usize) {
        self.commits.drain(..commits);
    }

    fn first_suspect(run: &RunResult) -> Option<(String, bool)> {
        let verdict = run.causes[0].verdict.clone().expect("every failure has a verdict");
        verdict.suspect.map(|suspect| (suspect, verdict.lost))
    }
}

/// A fault, its fix, and `greens` passing runs after it.
fn story_with_fix(greens: i64) -> (Story, String) {
    let mut story = Story::new();
    story.commit_at(&["src/a.js"], 1);
    story.run(&PASSES);
    story.commit_at(&["src/a.js"], 2);
    story.run(&FAILS);
    let fix = story.commit_at(&["src/a.js"], 3);
    story.run(&PASSES);
    for green in 0..greens {
        story.commit_at(&["README.md"], 10 + green);
        story.run(&PASSES);
    }
    (story, fix)
}

#[test]
fn a_reset_to_before_the_fix_is_a_regression_that_names_the_lost_fix() {
    for greens in [0_u8, 1, 10] {
        let (mut story, fix) = story_with_fix(greens.into());
        story.reset(1 + usize::from(greens));
        story.commit_at(&["src/b.js"], 100);
        let run = story.run(&FAILS);
        assert_eq!(Story::verdict(&run).0, VerdictKind::Regression, "{greens}");
        assert_eq!(Story::first_suspect(&run), Some((fix.clone(), true)), "{greens}: {:?}", run.causes[0].verdict);
        let since = run.since_green.as_ref().unwrap();
        assert_eq!((since.commits, since.lost), (1, 1 + u32::from(greens)));
        let diagnosis = story.world.diagnose(&run.run_id, "case 0").unwrap();
        let because = diagnosis.verdict.unwrap().because.join(" ");
        assert!(because.contains("The branch was reset or switched after run-"), "{because}");
        // It lasts until the fix is back.
        story.commit_at(&["src/b.js"], 101);
        assert_eq!(Story::verdict(&story.run(&FAILS)).0, VerdictKind::Broken);
    }
}

#[test]
fn a_checkout_of_the_faulty_commit_names_the_lost_fix() {
    let (mut story, fix) = story_with_fix(2);
    story.reset(3);
    let run = story.run(&FAILS);
    assert_eq!(Story::verdict(&run).0, VerdictKind::Regression);
    assert_eq!(Story::first_suspect(&run), Some((fix, true)));
}

#[test]
fn a_new_commit_is_blamed_if_the_test_passes_without_the_lost_commits() {
    let mut story = Story::new();
    for at in 1..5 {
        story.commit_at(&["src/a.js"], at);
        story.run(&PASSES);
    }
    story.reset(2);
    let new = story.commit_at(&["src/b.js"], 100);
    assert_eq!(Story::first_suspect(&story.run(&FAILS)), Some((new, false)));
}

#[test]
fn an_amended_commit_is_not_lost() {
    let (mut story, _) = story_with_fix(1);
    story.reset(1);
    story.commit_at(&["README.md", "src/b.js"], 10);
    let amended = format!("{:040x}", 77);
    story.commits[0].commit.clone_from(&amended);
    let run = story.run(&FAILS);
    assert_eq!(run.since_green.as_ref().map(|since| (since.commits, since.lost)), Some((1, 0)));
    assert_ne!(Story::first_suspect(&run).map(|(_, is_lost)| is_lost), Some(true));
}

#[test]
fn a_run_of_an_older_commit_without_a_branch_loses_nothing() {
    let (mut story, _) = story_with_fix(2);
    story.reset(3);
    let cases = vec![failed_case("case 0", "AssertionError: expected 1 to be 2")];
    let run = story.record(|git| git.branch = None, cases);
    assert_ne!(Story::first_suspect(&run).map(|(_, is_lost)| is_lost), Some(true));
}
