//! What a few runs of a small suite say, on commits and on edits that become commits.

use super::{Story, failure, kinds};
use crate::evidence::{
    facts::CaseId,
    verdict::VerdictKind::{self, Broken, Flaky, Regression},
};

/// The verdict on the first of so many tests in the last of these runs. `edited:` is a run on an edit, `unnamed:` on one that
/// only has the tree of its commit, `committed:` on the same files once they are committed, `again:` on what ran before; any
/// other is on a new commit.
fn verdict(tests: CaseId, history: &str) -> Option<VerdictKind> {
    let mut story = Story::default();
    let mut judged = Vec::new();
    for (at, run) in history.split(' ').enumerate() {
        let (change, outcome) = run.split_once(':').unwrap_or(("", run));
        match change {
            "edited" => story.edit(&at.to_string()),
            "unnamed" => story.dirty = true,
            "committed" => story.commit_edit(),
            "again" => {}
            _ => story.commit(),
        }
        let failures = if outcome == "red" { vec![failure(0, 1)] } else { Vec::new() };
        judged = kinds(&story.run_in((0..tests).collect(), &failures));
    }
    judged.first().copied()
}

#[test]
fn what_was_mended_and_breaks_again_is_no_chance() {
    for (history, wanted) in [
        ("red green red", Regression),
        ("red green green green green green green red", Regression),
        ("red green red red", Broken),
        ("red green edited:red", Regression),
        ("red green edited:red committed:red", Broken),
        ("red edited:green edited:red", Broken),
        ("red edited:green committed:green red", Regression),
        ("red edited:green committed:green edited:red", Regression),
        ("green edited:red committed:red red", Broken),
        ("green red edited:green committed:green red", Regression),
        ("green edited:red edited:green committed:green red", Regression),
    ] {
        for tests in [2, 5, 10] {
            assert_eq!(verdict(tests, history), Some(wanted), "{history}, {tests} tests");
        }
    }
}

#[test]
fn what_fails_again_and_again_without_a_change_that_stays_is_chance() {
    for history in ["green red again:green again:red", "red green red green red green red"] {
        for tests in [2, 5, 10] {
            assert_eq!(verdict(tests, history), Some(Flaky), "{history}, {tests} tests");
        }
    }
}

#[test]
fn an_edit_has_the_files_of_the_commit_that_it_becomes() {
    for (history, wanted) in [
        ("green edited:green committed:red", Flaky),
        ("green edited:red committed:green red", Flaky),
        ("green unnamed:red", Regression),
        ("green unnamed:red again:red", Broken),
    ] {
        assert_eq!(verdict(2, history), Some(wanted), "{history}");
    }
}
