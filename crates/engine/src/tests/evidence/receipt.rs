//! What is known about the tests of the current files.

use super::{FIRST_FAILS, NO_ERRORS, Story, edited_file};
use crate::{contract::ReceiptParams, evidence::receipt::receipt, tests::prelude::*};

/// The state of git on a tree with these edits.
fn git_with(story: &Story, tree: &str, edits: Vec<EditedFile>) -> GitFacts {
    let git = story.params().git.unwrap();
    if edits.is_empty() { git } else { GitFacts { tree: Some(tree.to_owned()), dirty: Some(true), edits, ..git } }
}

fn read(story: &Story, git: GitFacts) -> ReceiptResult {
    story.world.call(receipt, &ReceiptParams { git }).unwrap()
}

/// Records a run of the first `tests` tests with these edits.
fn run_on(story: &Story, git: GitFacts, tests: usize, fails: bool) -> String {
    let cases = (0..tests).map(|at| match at {
        0 if fails => failed_case("case 0", UNKNOWN_ERROR),
        _ => passed_case(&format!("case {at}")),
    });
    let params = RecordRunParams { git: Some(git), runner: Some("vitest".to_owned()), ..story.params() };
    story.world.record(&params, cases.collect()).unwrap().run_id
}

#[test]
fn a_run_of_the_current_files_decides() {
    let mut story = Story::new();
    story.commit();
    assert_eq!(read(&story, git_with(&story, "", Vec::new())).run, None);
    let clean = story.run(&NO_ERRORS).run_id;
    let result = read(&story, git_with(&story, "", Vec::new()));
    assert_eq!((result.run.map(|run| run.id), result.is_same_tree, result.known_tests), (Some(clean), true, 3));
    let edited = || git_with(&story, "t1", vec![edited_file("src/sum.ts", "+sum\n")]);
    assert!(!read(&story, edited()).is_same_tree);
    let red = run_on(&story, edited(), 4, true);
    // A later run of the tests that pass does not replace a failed run of all tests.
    run_on(&story, edited(), 3, false);
    let result = read(&story, edited());
    assert_eq!((result.run.map(|run| run.id), result.is_same_tree, result.known_tests), (Some(red), true, 4));
    assert!(!result.is_partial);
    let other = || git_with(&story, "t2", vec![edited_file("src/sum.ts", "+other\n")]);
    run_on(&story, other(), 3, false);
    assert!(read(&story, other()).is_partial);
    let green = run_on(&story, edited(), 4, false);
    assert_eq!(read(&story, edited()).run.map(|run| run.id), Some(green));
}

#[test]
fn changes_since_the_last_run_are_listed() {
    let mut story = Story::after_passes(1);
    let first = edited_file("src/a.ts", "+a\n");
    let run = run_on(&story, git_with(&story, "t1", vec![first.clone()]), 3, false);
    let changed = |story: &Story, edits: Vec<EditedFile>| {
        let result = read(story, git_with(story, "t2", edits));
        assert_eq!((result.run.map(|run| run.id), result.is_same_tree), (Some(run.clone()), false));
        result.changed
    };
    assert_eq!(changed(&story, vec![first.clone(), edited_file("src/b.ts", "+b\n")]), ["src/b.ts"]);
    assert_eq!(changed(&story, vec![edited_file("src/a.ts", "+other\n")]), ["src/a.ts"]);
    assert_eq!(changed(&story, vec![edited_file("src/b.ts", "+b\n")]), ["src/a.ts", "src/b.ts"], "src/a.ts was undone");
    story.commit_of(&["src/c.ts"]);
    assert_eq!(changed(&story, vec![first]), ["src/c.ts"]);
    story.commit_of(&["src/a.ts"]);
    assert_eq!(changed(&story, Vec::new()), ["src/c.ts"], "the tested edit was committed");
}

#[test]
fn a_command_without_tests_decides_nothing() {
    let story = Story::after_passes(1);
    let red = story.run(&FIRST_FAILS).run_id;
    let params = RecordRunParams { command: Some("echo hi".to_owned()), exit_code: Some(0), ..story.params() };
    story.world.record(&params, Vec::new()).unwrap();
    assert_eq!(read(&story, git_with(&story, "", Vec::new())).run.map(|run| run.id), Some(red));
}

#[test]
fn edits_that_disable_tests_are_listed() {
    let story = Story::after_passes(1);
    let skip = "diff --git a/sum.test.ts b/sum.test.ts\n--- a/sum.test.ts\n+++ b/sum.test.ts\n@@ -1,2 +1,2 @@\n\
                -it('adds', () => {\n+it.skip('adds', () => {\n   expect(sum(1, 2)).toBe(3);\n";
    let edited = || git_with(&story, "t1", vec![edited_file("sum.test.ts", skip)]);
    run_on(&story, edited(), 3, false);
    let result = read(&story, edited());
    assert!(result.is_same_tree);
    assert_eq!(
        result.weakened.iter().map(|one| (one.file.as_str(), one.line)).collect::<Vec<_>>(),
        [("sum.test.ts", 1)]
    );
}
