//! Which commit or edit a new failure is attributed to.

use super::{FIRST_FAILS, NO_ERRORS, Story};
use crate::tests::prelude::*;

/// A failed assertion has no stack in the code that returned the wrong value.
#[test]
fn the_commit_of_the_file_that_the_test_is_named_after_is_the_first_suspect() {
    let mut story = Story::after_passes(4);
    story.commit_of(&["src/b.ts"]);
    let culprit = story.commit_of(&["src/a.ts"]);
    story.commit_of(&["src/c.ts"]);
    let run = story.run(&FIRST_FAILS);
    let suspects = story.world.diagnose(&run.run_id, "a.test.ts > suite > case 0").unwrap().suspects;
    assert_eq!((suspects.len(), &suspects[0].commit), (3, &culprit), "{suspects:?}");
    assert!(suspects[0].probability > 0.6, "{suspects:?}");
}

#[test]
fn a_commit_that_changes_only_comments_is_hardly_suspected() {
    let mut story = Story::after_passes(4);
    let culprit = story.commit_of(&["src/b.ts"]);
    story.commit_of(&["a.test.ts"]);
    story.commits[0].hunks =
        Some("--- a/a.test.ts\n+++ b/a.test.ts\n@@ -1 +1 @@\n-// Adds.\n+// Adds all.\n".to_owned());
    assert_eq!(Story::verdict(&story.run(&FIRST_FAILS)), (VerdictKind::Regression, Some(culprit)));
}

#[test]
fn configuration_is_suspected_before_unrelated_code() {
    let mut story = Story::after_passes(4);
    story.commit_of(&["src/b.ts"]);
    let culprit = story.commit_of(&["vitest.config.ts"]);
    story.commit_of(&["src/c.ts"]);
    let run = story.run(&FIRST_FAILS);
    assert_eq!(Story::verdict(&run), (VerdictKind::Regression, None), "it is not certain enough to be named alone");
    let suspects = story.world.diagnose(&run.run_id, "a.test.ts > suite > case 0").unwrap().suspects;
    assert_eq!(suspects[0].commit, culprit, "{suspects:?}");
}

/// Records a failing run in which these files are edited. `+` marks an untracked file. Returns the edited files and the
/// commit that the verdict names.
fn named_by_verdict(story: &Story, edited: &[&str]) -> (Vec<String>, Option<String>) {
    let edits = edited.iter().map(|file| EditedFile {
        path: file.trim_start_matches('+').to_owned(),
        digest: format!("digest of {file}"),
        hunks: None,
        untracked: file.starts_with('+'),
    });
    let params = story.params();
    let git = GitFacts {
        tree: Some("edited".to_owned()),
        dirty: Some(true),
        untracked_only: edited.iter().all(|file| file.starts_with('+')),
        edits: edits.collect(),
        ..params.git.clone().unwrap()
    };
    let cases = vec![failed_case("case 0", UNKNOWN_ERROR), passed_case("case 1"), passed_case("case 2")];
    let run = story.world.record(&RecordRunParams { git: Some(git), ..params }, cases).unwrap();
    let verdict = run.causes[0].verdict.clone().unwrap();
    assert_eq!(verdict.kind, VerdictKind::Regression);
    (verdict.since.map(|since| since.edited).unwrap_or_default(), verdict.suspect)
}

#[test]
fn a_new_file_that_nothing_connects_with_the_failure_is_not_blamed() {
    // A commit explains the failure.
    let mut story = Story::after_passes(4);
    let culprit = story.commit_of(&["src/a.ts"]);
    assert_eq!(named_by_verdict(&story, &["+scratch.ts"]), (Vec::new(), Some(culprit)));
    // Edits of tracked files come first, and the file that the test is named after before other files.
    let story = Story::after_passes(4);
    let (files, _) = named_by_verdict(&story, &["+debug.mjs", "README.md", "lib/other.ts", "src/a.ts"]);
    assert_eq!(files, ["src/a.ts", "lib/other.ts"]);
    // A new configuration file affects all tests.
    assert_eq!(named_by_verdict(&Story::after_passes(4), &["+debug.mjs", "+conftest.py"]).0, ["conftest.py"]);
    // Nothing else changed.
    assert_eq!(named_by_verdict(&Story::after_passes(4), &["+scratch.ts"]).0, ["scratch.ts"]);
}

#[test]
fn the_edit_is_named_if_all_tests_pass_without_it() {
    let mut story = Story::after_passes(4);
    story.commit_of(&["src/b.ts"]);
    story.run(&NO_ERRORS);
    assert_eq!(named_by_verdict(&story, &["lib/other.ts"]), (vec!["lib/other.ts".to_owned()], None));
}
