//! Fixes that are found in edits before they are committed or reported.

use super::{FIRST_FAILS, NO_ERRORS, Story, edited_file};
use crate::tests::prelude::*;

/// Records a run with uncommitted edits.
fn run_edited(story: &Story, tree: &str, edits: Vec<EditedFile>, fails: bool) -> RunResult {
    let first = if fails { failed_case("case 0", UNKNOWN_ERROR) } else { passed_case("case 0") };
    let change = |git: &mut GitFacts| (git.tree, git.dirty, git.edits) = (Some(tree.to_owned()), Some(true), edits);
    story.record(change, vec![first, passed_case("case 1"), passed_case("case 2")])
}

/// Records a passing run of a commit with this tree.
fn run_committed(story: &Story, tree: &str) {
    let cases = vec![passed_case("case 0"), passed_case("case 1"), passed_case("case 2")];
    story.record(|git| git.tree = Some(tree.to_owned()), cases);
}

fn list_found_fixes(story: &Story) -> Vec<FixEvidence> {
    story.world.call(fixes, &NoParams {}).unwrap().fixes
}

fn read_edit_of_fix(story: &Story, fix: &FixEvidence) -> EditResult {
    story.world.call(edit, &EditParams { fix_id: fix.fix_id.clone() }).unwrap()
}

/// Returns a story after a commit that broke a test, and the run in which it failed.
fn story_with_broken_test() -> (Story, String) {
    let mut story = Story::after_passes(8);
    story.commit();
    let run = story.run(&FIRST_FAILS);
    (story, run.run_id)
}

#[test]
fn a_fixing_edit_is_found_with_its_files_and_hunks() {
    let (story, failed_in) = story_with_broken_test();
    let passed_in = run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false).run_id;
    let all = list_found_fixes(&story);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].commit.clone(), all[0].files.clone()), (None, vec!["src/sum.ts".to_owned()]));
    assert_eq!((all[0].failed_in.clone(), all[0].passed_in.clone()), (Some(failed_in), Some(passed_in)));
    assert_eq!((all[0].status, all[0].case_names.len()), (ProofStatus::Proved, 1));
    let change = read_edit_of_fix(&story, &all[0]);
    assert_eq!((change.hunks.as_str(), change.undone.len(), change.cut), ("+fixed\n", 0, false));
    // The fix is listed once for each failure, even after further edits.
    run_edited(&story, "t2", vec![edited_file("src/sum.ts", "+fixed better\n")], false);
    assert_eq!(list_found_fixes(&story).len(), 1);
}

#[test]
fn a_diagnosis_shows_the_edit_that_fixed_the_failure_before() {
    let (story, failed_in) = story_with_broken_test();
    run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false);
    // The edit was undone before it was committed.
    let back = story.run(&FIRST_FAILS);
    let shown = back.failures[0].mended_before.as_ref().map(|before| before.files.clone());
    assert_eq!(shown, Some(vec!["src/sum.ts".to_owned()]));
    for run in [failed_in, back.run_id] {
        let before = story.world.diagnose(&run, "case 0").unwrap().mended_before.unwrap();
        assert_eq!((before.commit, before.files.as_slice()), (None, &["src/sum.ts".to_owned()][..]));
        assert_eq!((before.status, before.passes), (ProofStatus::Proved, 1));
        assert_eq!(before.fix_id, list_found_fixes(&story)[0].fix_id);
    }
}

/// Git's diff of a change to a line of a test, for example a skipped test.
fn test_edit(line: &str) -> String {
    format!(
        "diff --git a/sum.test.ts b/sum.test.ts\n--- a/sum.test.ts\n+++ b/sum.test.ts\n@@ -1,2 +1,2 @@\n-it('adds', () => {{\n+{line}\n   expect(sum(1, 2)).toBe(3);\n"
    )
}

#[test]
fn an_edit_that_weakens_tests_neither_fixes_nor_proves() {
    for (line, is_honest) in [("it.skip('adds', () => {", false), ("it('adds up', () => {", true)] {
        let (story, failed_in) = story_with_broken_test();
        story.world.fix(&failed_in, "case 0", "Made it pass", true).unwrap();
        run_edited(&story, "t1", vec![edited_file("sum.test.ts", &test_edit(line))], false);
        let reported = story.world.fix(&failed_in, "case 0", "Made it pass at last", true);
        assert_eq!(reported.is_ok(), is_honest, "{line}");
        let back = story.run(&FIRST_FAILS).run_id;
        let known = story.world.diagnose(&back, "case 0").unwrap();
        assert_eq!(known.fix_history.iter().any(|fix| fix.proved_by.is_some()), is_honest, "{line}");
        if !is_honest {
            assert_eq!(known.mended_before, None, "{line}");
        }
        assert_eq!(list_found_fixes(&story).is_empty(), !is_honest, "{line}");
    }
}

/// A diff of `totalPrice` in `src/cart.ts`.
const ROUNDING_DIFF: &str = "diff --git a/src/cart.ts b/src/cart.ts\n--- a/src/cart.ts\n+++ b/src/cart.ts\n\
                       @@ -4,1 +4,1 @@ export function totalPrice(items) {\n-  return floor(sum);\n+  return round(sum);\n";

/// Records a passing run after a commit with this diff.
fn run_after_commit(story: &mut Story, hunks: &str) -> RunResult {
    story.commit();
    story.commits[0].hunks = Some(hunks.to_owned());
    story.run(&NO_ERRORS)
}

#[test]
fn a_commit_that_weakens_tests_neither_fixes_nor_proves() {
    for (line, is_honest) in [("it.skip('adds', () => {", false), ("it('adds up', () => {", true)] {
        let (mut story, failed_in) = story_with_broken_test();
        story.world.fix(&failed_in, "case 0", "Made it pass", true).unwrap();
        let passed = run_after_commit(&mut story, &test_edit(line));
        assert_eq!(passed.proved.len(), usize::from(is_honest), "{line}");
        let reported = story.world.fix(&failed_in, "case 0", "Made it pass at last", true);
        assert_eq!(reported.is_ok(), is_honest, "{line}");
        assert_eq!(list_found_fixes(&story).is_empty(), !is_honest, "{line}");
        if !is_honest {
            let back = story.run(&FIRST_FAILS).run_id;
            assert_eq!(story.world.diagnose(&back, "case 0").unwrap().mended_before, None, "{line}");
        }
    }
}

#[test]
fn a_claim_that_does_not_describe_the_commit_is_not_proved() {
    for (text, is_proved) in [("Cleared the npm cache", false), ("The total is rounded", true)] {
        let (mut story, failed_in) = story_with_broken_test();
        story.world.fix(&failed_in, "case 0", text, true).unwrap();
        let passed = run_after_commit(&mut story, ROUNDING_DIFF);
        assert_eq!(passed.proved.len(), usize::from(is_proved), "{text}");
        let change = story.world.diagnose(&failed_in, "case 0").unwrap().trust.unwrap().change.unwrap();
        assert_eq!((change.unnamed, change.files), (!is_proved, vec!["src/cart.ts".to_owned()]), "{text}");
        assert_eq!(change.symbols, ["totalPrice"], "{text}");
    }
}

#[test]
fn a_commit_with_an_unknown_diff_does_not_contradict_a_claim() {
    let (mut story, failed_in) = story_with_broken_test();
    story.world.fix(&failed_in, "case 0", "Cleared the npm cache", true).unwrap();
    story.commit();
    assert_eq!(run_after_commit(&mut story, ROUNDING_DIFF).proved.len(), 1);
}

#[test]
fn a_claim_that_does_not_describe_the_edit_is_not_proved() {
    let (story, failed_in) = story_with_broken_test();
    let wrong = story.world.fix(&failed_in, "case 0", "Cleared the npm cache", true).unwrap();
    let passed = run_edited(&story, "t1", vec![edited_file("src/cart.ts", ROUNDING_DIFF)], false);
    assert_eq!(passed.proved.len(), 0);
    let trust = story.world.diagnose(&failed_in, "case 0").unwrap().trust.unwrap();
    assert_eq!((trust.state, trust.passes), (ProofStatus::Claimed, 1));
    let change = trust.change.unwrap();
    assert!(change.unnamed);
    assert_eq!((change.files, change.symbols), (vec!["src/cart.ts".to_owned()], vec!["totalPrice".to_owned()]));

    let again = story.world.fix(&failed_in, "case 0", "Cleared the npm cache", true).unwrap();
    assert_eq!(again.state, Some(ProofStatus::Claimed));
    assert!(again.warnings.iter().any(|warning| warning.contains("src/cart.ts changed")), "{:?}", again.warnings);

    let corrects = |supersedes: &str| {
        let params = ReportFixParams {
            run_id: failed_in.clone(),
            case_name: "case 0".to_owned(),
            fix_description: "The total is rounded".to_owned(),
            success: true,
            supersedes: Some(supersedes.to_owned()),
            ..ReportFixParams::default()
        };
        story.world.call(report_fix, &params)
    };
    assert!(corrects("fix-unknown").unwrap_err().message.contains("fixHistory"));
    let corrected = corrects(&wrong.fix_record_id).unwrap();
    assert_eq!((corrected.state, corrected.resolutions), (Some(ProofStatus::Proved), wrong.resolutions));
    assert_eq!(corrected.warnings, Vec::<String>::new());
    let known = story.world.diagnose(&failed_in, "case 0").unwrap();
    assert_eq!(known.suggested_fix.as_deref(), Some("The total is rounded"));
    assert_eq!(known.trust.unwrap().change.map(|change| change.unnamed), Some(false));
    let first = known.fix_history.iter().find(|fix| fix.id == wrong.fix_record_id).unwrap();
    assert_eq!((first.state, first.refuted_by.clone()), (Some(ProofStatus::Refuted), Some(corrected.fix_record_id)));
}

#[test]
fn a_claim_is_not_compared_with_the_diff_of_a_commit() {
    let (mut story, failed_in) = story_with_broken_test();
    story.world.fix(&failed_in, "case 0", "Cleared the npm cache", true).unwrap();
    story.commit();
    assert_eq!(story.run(&NO_ERRORS).proved.len(), 1);
    let change = story.world.diagnose(&failed_in, "case 0").unwrap().trust.unwrap().change.unwrap();
    assert_eq!((change.commits.len(), change.files.len(), change.unnamed), (1, 0, false));
}

#[test]
fn committing_a_fixing_edit_adds_the_commit_to_its_fix() {
    let (mut story, _) = story_with_broken_test();
    run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false);
    let id = list_found_fixes(&story)[0].fix_id.clone();
    let commit = story.commit();
    run_committed(&story, "t1");
    let all = list_found_fixes(&story);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((all[0].fix_id.clone(), all[0].commit.clone(), all[0].passes), (id, Some(commit), 2));
    // After the commit, the fix can be refuted like any other.
    for _ in 0..2 {
        story.commit();
        story.run(&FIRST_FAILS);
    }
    assert_eq!(list_found_fixes(&story)[0].status, ProofStatus::Refuted);
}

#[test]
fn an_edit_and_a_commit_for_the_same_failure_are_linked() {
    let (mut story, failed_in) = story_with_broken_test();
    run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false);
    story.world.fix(&failed_in, "case 0", "Added one", true).unwrap();
    story.commit();
    run_committed(&story, "t2");
    let all = story.world.call(fixes, &NoParams {}).unwrap();
    let [commit, edit] = &all.fixes[..] else { panic!("{all:?}") };
    assert!(commit.commit.is_some() && edit.commit.is_none());
    assert_eq!((&commit.same_as, edit.same_as.as_ref()), (&None, Some(&commit.fix_id)));
    assert_eq!(all.reported[0].same_as.as_ref(), Some(&commit.fix_id));
    // A fix is refuted when its failure comes back.
    for _ in 0..2 {
        story.commit();
        story.run(&FIRST_FAILS);
    }
    let all = story.world.call(fixes, &NoParams {}).unwrap();
    assert_eq!(all.fixes[0].status, ProofStatus::Refuted);
    assert!(all.fixes.iter().all(|fix| fix.same_as.is_none()), "{all:?}");
}

#[test]
fn a_fix_between_two_edited_runs_is_the_difference_of_their_edits() {
    let story = story_with_broken_test().0;
    run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false);
    let broken =
        vec![edited_file("src/sum.ts", "+fixed\n"), edited_file("src/tax.ts", "+wrong\n"), edited_file("a.md", "+x\n")];
    run_edited(&story, "t2", broken, true);
    let mended = vec![edited_file("src/sum.ts", "+fixed\n"), edited_file("src/tax.ts", "+right\n")];
    run_edited(&story, "t3", mended, false);
    let all = list_found_fixes(&story);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].files, ["src/tax.ts"]);
    let change = read_edit_of_fix(&story, &all[0]);
    assert_eq!((change.hunks.as_str(), change.undone), ("+right\n", vec!["a.md".to_owned()]));
}

#[test]
fn an_undone_edit_is_not_refuted_by_a_later_failure() {
    let (story, _) = story_with_broken_test();
    run_edited(&story, "t1", Vec::new(), false);
    assert!(list_found_fixes(&story).is_empty());
    run_edited(&story, "t2", vec![edited_file("src/sum.ts", "+fixed\n")], false);
    assert_eq!(list_found_fixes(&story)[0].status, ProofStatus::Proved);
    // This run is on the broken commit without the edit.
    story.run(&FIRST_FAILS);
    let all = list_found_fixes(&story);
    assert_eq!((all.len(), all[0].status), (1, ProofStatus::Proved));
}

/// For example an edit in a submodule, whose files are not part of the tree.
#[test]
fn an_edit_that_does_not_change_the_tree_is_not_a_fix() {
    let (story, _) = story_with_broken_test();
    let tree = story.params().git.and_then(|git| git.tree).unwrap();
    run_edited(&story, &tree, vec![edited_file("vendor/sum", "+fixed\n")], false);
    assert!(list_found_fixes(&story).is_empty());
    let again = story.run(&FIRST_FAILS);
    assert_eq!(Story::verdict(&again).0, VerdictKind::Broken);
}

#[test]
fn edits_are_redacted_and_hunks_are_optional() {
    let (story, _) = story_with_broken_test();
    let key = "AKIAIOSFODNN7EXAMPLQ";
    let mut files = vec![edited_file("src/sum.ts", &format!("+const key = '{key}';\n"))];
    files.push(EditedFile { hunks: None, ..edited_file("src/large.ts", "") });
    run_edited(&story, "t1", files, false);
    let all = list_found_fixes(&story);
    assert_eq!(all[0].files, ["src/large.ts", "src/sum.ts"]);
    let change = read_edit_of_fix(&story, &all[0]);
    assert!(change.cut && change.hunks.contains("const key") && !change.hunks.contains(key), "{}", change.hunks);
}

#[test]
fn a_regression_by_an_edit_names_the_edited_files() {
    let because = |story: &Story, run: &RunResult| {
        let verdict = story.world.diagnose(&run.run_id, "case 0").unwrap().verdict.unwrap();
        let edited = |sentence: &&String| sentence.contains(" edited between run-");
        verdict.because.iter().chain(&verdict.against).find(edited).unwrap().clone()
    };
    let story = Story::after_passes(8);
    let one = || edited_file("src/sum.ts", "+wrong\n");
    let said = because(&story, &run_edited(&story, "t1", vec![one()], true));
    assert!(said.starts_with("src/sum.ts was edited between run-"), "{said}");

    // Only files that differ between the two runs are named, although both runs have edits.
    run_edited(&story, "t2", vec![edited_file("a.md", "+a\n")], false);
    let more = || ["b.md", "c.md", "d.md"].map(|path| edited_file(path, "+x\n"));
    let edits = [edited_file("a.md", "+a\n"), one()].into_iter().chain(more()).collect();
    let said = because(&story, &run_edited(&story, "t3", edits, true));
    assert!(said.starts_with("b.md, c.md, d.md and 1 more were edited between run-"), "{said}");

    // The edited files are unknown.
    run_edited(&story, "t4", Vec::new(), false);
    let said = because(&story, &run_edited(&story, "t5", vec![one()], true));
    assert!(said.starts_with("Files were edited between run-"), "{said}");
}

#[test]
fn a_commit_whose_edit_passed_is_not_suspected() {
    for is_known in [true, false] {
        let (mut story, _) = story_with_broken_test();
        run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false);
        // The edit was committed unchanged, without a run before the next edit.
        let repair = story.commit();
        story.commits[0].tree = is_known.then(|| "t1".to_owned());
        let run = run_edited(&story, "t2", vec![edited_file("src/more.ts", "+more\n")], true);
        let suspects = story.world.diagnose(&run.run_id, "case 0").unwrap().suspects;
        let probability = suspects.iter().find(|one| one.commit == repair).map_or(0.0, |one| one.probability);
        assert_eq!(probability < 0.05, is_known, "{suspects:?}");
    }
}

/// A suite with a test that rarely fails, where no tree occurs twice.
#[test]
fn repeated_failures_after_edits_of_a_file_are_regressions() {
    const TESTS: usize = 60;
    let error = |file: &str| format!("{UNKNOWN_ERROR}\n    at charge (/project/{file}:7:3)");
    for (path, in_stack) in [
        ("src/charge.ts", Some("src/charge.ts")),
        ("src/charge.ts", None),
        ("a.test.ts", None),
        ("core/src/main/java/shop/Charge.java", Some("shop/Charge.java")),
    ] {
        let mut story = Story::new();
        for _ in 0..3 {
            story.commit();
            story.run(&[None; TESTS]);
        }
        let run = |tree: &str, hunks: &str, fails: bool| {
            let params = story.params();
            let edits = if hunks.is_empty() { Vec::new() } else { vec![edited_file(path, hunks)] };
            let dirty = Some(!edits.is_empty());
            let git = GitFacts { tree: Some(tree.to_owned()), dirty, edits, ..params.git.clone().unwrap() };
            let error = in_stack.map_or_else(|| UNKNOWN_ERROR.to_owned(), error);
            let first = if fails { failed_case("case 0", &error) } else { passed_case("case 0") };
            let rest = (1..TESTS).map(|at| passed_case(&format!("case {at}")));
            let cases = std::iter::once(first).chain(rest).collect();
            story.world.record(&RecordRunParams { git: Some(git), ..params }, cases).unwrap()
        };
        run("t1", "+wrong\n", true);
        let committed = story.params().git.and_then(|git| git.tree).unwrap();
        run(&committed, "", false);
        let again = run("t2", "+wrong again\n", true);
        assert_eq!(Story::verdict(&again).0, VerdictKind::Regression, "{path} {in_stack:?}");
    }
}

fn commit_of_shared_files(story: &mut Story) -> String {
    story.commit_of(&[".argus-shared/fixes/fix-1.json", ".argus-shared/patterns/p-1.json"])
}

#[test]
fn a_commit_of_shared_files_is_neither_fix_nor_suspect() {
    let (mut story, _) = story_with_broken_test();
    let repair = story.commit_of(&["src/sum.ts", ".argus-shared/fixes/fix-1.json"]);
    commit_of_shared_files(&mut story);
    story.run(&NO_ERRORS);
    let commits: Vec<_> = list_found_fixes(&story).into_iter().map(|fix| fix.commit).collect();
    assert_eq!(commits, [Some(repair)]);

    let culprit = story.commit_of(&["src/sum.ts"]);
    commit_of_shared_files(&mut story);
    let run = story.run(&FIRST_FAILS);
    let suspects = story.world.diagnose(&run.run_id, "case 0").unwrap().suspects;
    assert_eq!(suspects.iter().map(|one| &one.commit).collect::<Vec<_>>(), [&culprit]);

    // Without another commit, no fix is found.
    let (mut story, _) = story_with_broken_test();
    commit_of_shared_files(&mut story);
    story.run(&NO_ERRORS);
    assert!(list_found_fixes(&story).is_empty());
}

/// For example if a learned fix is shared in a separate commit after the commit of the fix.
#[test]
fn an_edit_does_not_become_a_commit_of_shared_files() {
    for is_seen in [false, true] {
        let (mut story, _) = story_with_broken_test();
        run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+fixed\n")], false);
        let repair = story.commit_of(&["src/sum.ts"]);
        if is_seen {
            run_edited(&story, "t1", Vec::new(), false);
        }
        commit_of_shared_files(&mut story);
        run_committed(&story, "t1");
        let commits: Vec<_> = list_found_fixes(&story).into_iter().map(|fix| fix.commit).collect();
        assert_eq!(commits, [Some(repair)], "{is_seen}");
    }
}

/// Files of the edit that the answer names for the first failure.
fn named_files(run: &RunResult) -> Vec<String> {
    let since = run.causes[0].verdict.as_ref().and_then(|verdict| verdict.since.clone());
    since.map(|since| since.edited).unwrap_or_default()
}

#[test]
fn an_uncommitted_edit_is_named_beside_a_new_commit() {
    let mut story = Story::after_passes(8);
    story.commit_of(&["tests/extra.test.ts"]);
    let run = run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+broken\n")], true);
    assert_eq!(named_files(&run), ["src/sum.ts"]);
}

#[test]
fn an_edit_that_was_undone_is_not_named() {
    let story = Story::after_passes(8);
    run_edited(&story, "t1", vec![edited_file("src/sum.ts", "+broken\n")], true);
    let run = run_edited(&story, "t2", vec![edited_file("src/other.ts", "+broken too\n")], true);
    assert_eq!(named_files(&run), ["src/other.ts"]);
}

#[test]
fn a_pass_on_an_older_commit_proves_nothing() {
    let (mut story, failed_in) = story_with_broken_test();
    let newest = story.commits.remove(0);
    story.run(&NO_ERRORS);
    let fix = story.world.fix(&failed_in, "case 0", "Sacrificed a goat", true).unwrap();
    assert_eq!(fix.state, Some(ProofStatus::Claimed));
    assert_eq!(story.run(&NO_ERRORS).proved.len(), 0);
    story.commits.insert(0, newest);
    story.commit();
    assert_eq!(story.run(&NO_ERRORS).proved.len(), 1);
}

#[test]
fn a_second_description_of_a_confirmed_fix_stays_claimed() {
    let (mut story, failed_in) = story_with_broken_test();
    let first = story.world.fix(&failed_in, "case 0", "Rounded the total", true).unwrap().fix_record_id;
    story.commit();
    assert_eq!(story.run(&NO_ERRORS).proved.len(), 1);
    story.commit();
    story.run(&NO_ERRORS);
    let second = story.world.fix(&failed_in, "case 0", "Downgraded the database", true).unwrap();
    assert_eq!(second.state, Some(ProofStatus::Claimed));
    assert!(second.warnings.iter().any(|warning| warning.contains(&first)), "{:?}", second.warnings);
    assert_eq!(story.run(&NO_ERRORS).proved.len(), 0);
    assert_eq!(story.world.diagnose(&failed_in, "case 0").unwrap().suggested_fix.as_deref(), Some("Rounded the total"));
}
