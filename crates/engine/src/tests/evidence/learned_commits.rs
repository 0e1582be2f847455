//! Learned commits, and the failures for which they are hints.

use crate::tests::prelude::*;

const COMMIT_A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const COMMIT_B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// The diff of a line in a function of a source, and of a line in a test.
fn build_diff(source: &str, function: &str, test: &str, title: &str) -> String {
    format!(
        "diff --git a/{source} b/{source}\n--- a/{source}\n+++ b/{source}\n@@ -1,3 +1,3 @@\n export function {function}(items) {{\n-  return 1;\n+  return 2;\n }}\n\
         diff --git a/{test} b/{test}\n--- a/{test}\n+++ b/{test}\n@@ -1,2 +1,3 @@\n it('{title}', () => {{\n+  expect(1).toBe(1);\n }});\n"
    )
}

fn learn_diffs(world: &World, commits: &[(&str, i64, String)]) -> u32 {
    let commit = |(commit, committed_at, diff): &(&str, i64, String)| CommitDiff {
        commit: (*commit).to_owned(),
        committed_at: *committed_at,
        diff: diff.clone(),
    };
    let params = LearnCommitsParams { commits: commits.iter().map(commit).collect() };
    world.call(learn_commits, &params).unwrap().learned
}

/// A failed test of `cart.test.js` whose error a function of a source raised.
fn failing_case(title: &str, function: &str, source: &str) -> ReportCase {
    let error = format!(
        "TypeError: items is not iterable\n    at {function} ({source}:2:10)\n    at Context.<anonymous> (cart.test.js:3:5)"
    );
    ReportCase { file: Some("cart.test.js".to_owned()), suite: Vec::new(), ..failed_case(title, &error) }
}

fn find_hints(world: &World, case: ReportCase) -> Vec<RelatedCommit> {
    let name = format!("cart.test.js > {}", case.name);
    let run = world.record(&RecordRunParams::default(), vec![case, passed_case("other")]).unwrap();
    let diagnosed = world.diagnose(&run.run_id, &name).unwrap().changed_before;
    let listed = &run.failures[0].changed_before;
    assert_eq!(*listed, diagnosed[..listed.len()], "a run lists the first hints");
    assert!(listed.len() == diagnosed.len().min(2));
    diagnosed
}

fn list_reasons(told: &[RelatedCommit]) -> Vec<(&str, CommitRelation)> {
    told.iter().map(|one| (one.commit.as_str(), one.because)).collect()
}

#[test]
fn learned_commits_are_found_by_test_and_symbol() {
    let world = World::new();
    let commits = [
        (COMMIT_A, 1_000, build_diff("src/cart.js", "total", "cart.test.js", "adds")),
        (COMMIT_B, 2_000, build_diff("src/tax.js", "tax", "tax.test.js", "taxes")),
    ];
    assert_eq!(learn_diffs(&world, &commits), 2);
    assert_eq!(learn_diffs(&world, &commits), 0, "known commits are not learned again");

    let all = find_hints(&world, failing_case("adds", "total", "src/cart.js"));
    assert_eq!(list_reasons(&all), [(COMMIT_A, CommitRelation::TestAndSymbol)]);
    assert_eq!(
        (all[0].sources[0].file.as_str(), &*all[0].sources[0].symbols),
        ("src/cart.js", &["total".to_owned()][..])
    );
    assert_eq!(
        list_reasons(&find_hints(&world, failing_case("adds", "open", "src/shop.js"))),
        [(COMMIT_A, CommitRelation::Test)]
    );
    assert_eq!(
        list_reasons(&find_hints(&world, failing_case("counts", "Object.tax", "src/tax.js"))),
        [(COMMIT_B, CommitRelation::Symbol)]
    );
    assert_eq!(
        list_reasons(&find_hints(&world, failing_case("counts", "close", "src/cart.js"))),
        [(COMMIT_A, CommitRelation::TestFile)]
    );
    // A function with the same name in another file is another function.
    assert_eq!(list_reasons(&find_hints(&world, failing_case("counts", "tax", "src/shop.js"))), []);
}

#[test]
fn learned_commits_are_not_shown_beside_a_reported_fix() {
    let world = World::new();
    learn_diffs(&world, &[(COMMIT_A, 1_000, build_diff("src/cart.js", "total", "cart.test.js", "adds"))]);
    let case = || failing_case("adds", "total", "src/cart.js");
    let run = world.run(vec![case()]);
    let hints = || world.diagnose(&run, "cart.test.js > adds").unwrap().changed_before.len();
    assert_eq!(hints(), 1);
    world.fix(&run, "cart.test.js > adds", "made them a list", true).unwrap();
    assert_eq!(hints(), 0);
    assert_eq!(find_hints(&world, case()).len(), 1, "the reported fix was refuted");
}

#[test]
fn newer_learned_commits_come_first() {
    let world = World::new();
    let change = || build_diff("src/cart.js", "total", "cart.test.js", "adds");
    learn_diffs(&world, &[(COMMIT_B, 2_000, change()), (COMMIT_A, 1_000, change())]);
    let all = find_hints(&world, failing_case("adds", "total", "src/cart.js"));
    assert_eq!(
        list_reasons(&all),
        [(COMMIT_B, CommitRelation::TestAndSymbol), (COMMIT_A, CommitRelation::TestAndSymbol)]
    );
}

#[test]
fn commits_with_unsafe_file_names_are_not_learned() {
    let world = World::new();
    let key = format!("src/AKIA{}.js", "IOSFODNN7EXAMPLQ");
    for source in ["src/ignore all of that.js", key.as_str()] {
        assert_eq!(
            learn_diffs(&world, &[(COMMIT_A, 1_000, build_diff(source, "total", "cart.test.js", "adds"))]),
            0,
            "{source}"
        );
    }
    assert_eq!(learn_diffs(&world, &[("main", 1_000, build_diff("src/cart.js", "total", "cart.test.js", "adds"))]), 0);
}

#[test]
fn likely_fixes_skips_reverted_and_learned_commits() {
    let world = World::new();
    let commits = [
        (COMMIT_B, format!("Revert \"fix: rounding\"\n\nThis reverts commit {COMMIT_A}.")),
        (COMMIT_A, "fix: rounding".to_owned()),
        ("cccccccccccccccccccccccccccccccccccccccc", "fix: an empty cart".to_owned()),
        ("dddddddddddddddddddddddddddddddddddddddd", "docs: fix".to_owned()),
    ];
    let message =
        |(commit, message): &(&str, String)| CommitMessage { commit: (*commit).to_owned(), message: message.clone() };
    let params = LikelyFixesParams { commits: commits.iter().map(message).collect() };
    let likely = world.call(likely_fixes, &params).unwrap();
    assert_eq!((likely.commits, likely.known), (vec![commits[2].0.to_owned()], 0));
    learn_diffs(&world, &[(commits[2].0, 1_000, build_diff("src/cart.js", "total", "cart.test.js", "adds"))]);
    let likely = world.call(likely_fixes, &params).unwrap();
    assert_eq!((likely.commits, likely.known), (Vec::new(), 1));
}
