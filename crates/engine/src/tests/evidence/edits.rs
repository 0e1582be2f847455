//! Fixes that are found in edits before they are committed or reported.

use super::{ALL_PASS, FIRST_FAILS, Story};
use crate::tests::prelude::*;

fn edited(path: &str, hunks: &str) -> EditedFile {
    EditedFile {
        path: path.to_owned(),
        digest: format!("digest of {hunks}"),
        hunks: Some(hunks.to_owned()),
        untracked: false,
    }
}

/// Records a run with uncommitted edits.
fn run_edited(story: &Story, tree: &str, edits: Vec<EditedFile>, fails: bool) -> RunResult {
    let params = story.params();
    let git = GitFacts { tree: Some(tree.to_owned()), dirty: Some(true), edits, ..params.git.clone().unwrap() };
    let first = if fails { failed("case 0", UNKNOWN) } else { passed("case 0") };
    let params = RecordRunParams { git: Some(git), ..params };
    story.world.record(&params, vec![first, passed("case 1"), passed("case 2")]).unwrap()
}

/// Records a run of a commit with this tree.
fn run_committed(story: &Story, tree: &str, fails: bool) {
    let params = story.params();
    let git = GitFacts { tree: Some(tree.to_owned()), ..params.git.clone().unwrap() };
    let first = if fails { failed("case 0", UNKNOWN) } else { passed("case 0") };
    let params = RecordRunParams { git: Some(git), ..params };
    story.world.record(&params, vec![first, passed("case 1"), passed("case 2")]).unwrap();
}

fn found(story: &Story) -> Vec<FixEvidence> {
    story.world.call(fixes, &NoParams {}).unwrap().fixes
}

fn changed(story: &Story, fix: &FixEvidence) -> EditResult {
    story.world.call(edit, &EditParams { fix_id: fix.fix_id.clone() }).unwrap()
}

/// Returns a story after a commit that broke a test, and the run in which it failed.
fn broken() -> (Story, String) {
    let mut story = Story::after_passes(8);
    story.commit();
    let run = story.run(&FIRST_FAILS);
    (story, run.run_id)
}

#[test]
fn a_fixing_edit_is_found_with_its_files_and_hunks() {
    let (story, failed_in) = broken();
    let passed_in = run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false).run_id;
    let all = found(&story);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].commit.clone(), all[0].files.clone()), (None, vec!["src/sum.ts".to_owned()]));
    assert_eq!((all[0].failed_in.clone(), all[0].passed_in.clone()), (Some(failed_in), Some(passed_in)));
    assert_eq!((all[0].status, all[0].case_names.len()), (ProofStatus::Proved, 1));
    let change = changed(&story, &all[0]);
    assert_eq!((change.hunks.as_str(), change.undone.len(), change.cut), ("+fixed\n", 0, false));
    // The fix is listed once for each failure, even after further edits.
    run_edited(&story, "t2", vec![edited("src/sum.ts", "+fixed better\n")], false);
    assert_eq!(found(&story).len(), 1);
}

#[test]
fn a_diagnosis_shows_the_edit_that_fixed_the_failure_before() {
    let (story, failed_in) = broken();
    run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false);
    // The edit was undone before it was committed.
    let back = story.run(&FIRST_FAILS);
    let shown = back.failures[0].mended_before.as_ref().map(|before| before.files.clone());
    assert_eq!(shown, Some(vec!["src/sum.ts".to_owned()]));
    for run in [failed_in, back.run_id] {
        let before = story.world.diagnose(&run, "case 0").unwrap().mended_before.unwrap();
        assert_eq!((before.commit, before.files.as_slice()), (None, &["src/sum.ts".to_owned()][..]));
        assert_eq!((before.status, before.passes), (ProofStatus::Proved, 1));
        assert_eq!(before.fix_id, found(&story)[0].fix_id);
    }
}

/// Git's diff of a change to a line of a test, for example a skipped test.
fn test_edit(line: &str) -> String {
    format!(
        "diff --git a/sum.test.ts b/sum.test.ts\n--- a/sum.test.ts\n+++ b/sum.test.ts\n@@ -1,2 +1,2 @@\n-it('adds', () => {{\n+{line}\n   expect(sum(1, 2)).toBe(3);\n"
    )
}

#[test]
fn an_edit_that_weakens_tests_is_no_fix_and_proves_no_claim() {
    for (line, is_honest) in [("it.skip('adds', () => {", false), ("it('adds up', () => {", true)] {
        let (story, failed_in) = broken();
        story.world.fix(&failed_in, "case 0", "Made it pass", true).unwrap();
        run_edited(&story, "t1", vec![edited("sum.test.ts", &test_edit(line))], false);
        let reported = story.world.fix(&failed_in, "case 0", "Made it pass at last", true);
        assert_eq!(reported.is_ok(), is_honest, "{line}");
        let back = story.run(&FIRST_FAILS).run_id;
        let known = story.world.diagnose(&back, "case 0").unwrap();
        assert_eq!(known.fix_history.iter().any(|fix| fix.proved_by.is_some()), is_honest, "{line}");
        if !is_honest {
            assert_eq!(known.mended_before, None, "{line}");
        }
        assert_eq!(found(&story).is_empty(), !is_honest, "{line}");
    }
}

/// A diff of `totalPrice` in `src/cart.ts`.
const ROUNDED: &str = "diff --git a/src/cart.ts b/src/cart.ts\n--- a/src/cart.ts\n+++ b/src/cart.ts\n\
                       @@ -4,1 +4,1 @@ export function totalPrice(items) {\n-  return floor(sum);\n+  return round(sum);\n";

#[test]
fn a_claim_without_words_of_the_edit_is_not_proved() {
    let (story, failed_in) = broken();
    let wrong = story.world.fix(&failed_in, "case 0", "Cleared the npm cache", true).unwrap();
    let passed = run_edited(&story, "t1", vec![edited("src/cart.ts", ROUNDED)], false);
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
    let (mut story, failed_in) = broken();
    story.world.fix(&failed_in, "case 0", "Cleared the npm cache", true).unwrap();
    story.commit();
    assert_eq!(story.run(&ALL_PASS).proved.len(), 1);
    let change = story.world.diagnose(&failed_in, "case 0").unwrap().trust.unwrap().change.unwrap();
    assert_eq!((change.commits.len(), change.files.len(), change.unnamed), (1, 0, false));
}

#[test]
fn committing_a_fixing_edit_adds_the_commit_to_its_fix() {
    let (mut story, _) = broken();
    run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false);
    let id = found(&story)[0].fix_id.clone();
    let commit = story.commit();
    run_committed(&story, "t1", false);
    let all = found(&story);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((all[0].fix_id.clone(), all[0].commit.clone(), all[0].passes), (id, Some(commit), 2));
    // After the commit, the fix can be refuted like any other.
    for _ in 0..2 {
        story.commit();
        story.run(&FIRST_FAILS);
    }
    assert_eq!(found(&story)[0].status, ProofStatus::Refuted);
}

#[test]
fn an_edit_and_a_commit_for_the_same_failure_are_linked() {
    let (mut story, failed_in) = broken();
    run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false);
    story.world.fix(&failed_in, "case 0", "Added one", true).unwrap();
    story.commit();
    run_committed(&story, "t2", false);
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
fn a_fix_between_two_edits_is_their_difference() {
    let story = broken().0;
    run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false);
    let broken = vec![edited("src/sum.ts", "+fixed\n"), edited("src/tax.ts", "+wrong\n"), edited("a.md", "+x\n")];
    run_edited(&story, "t2", broken, true);
    let mended = vec![edited("src/sum.ts", "+fixed\n"), edited("src/tax.ts", "+right\n")];
    run_edited(&story, "t3", mended, false);
    let all = found(&story);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].files, ["src/tax.ts"]);
    let change = changed(&story, &all[0]);
    assert_eq!((change.hunks.as_str(), change.undone), ("+right\n", vec!["a.md".to_owned()]));
}

#[test]
fn an_undone_edit_is_not_refuted_by_a_later_failure() {
    let (story, _) = broken();
    run_edited(&story, "t1", Vec::new(), false);
    assert!(found(&story).is_empty());
    run_edited(&story, "t2", vec![edited("src/sum.ts", "+fixed\n")], false);
    assert_eq!(found(&story)[0].status, ProofStatus::Proved);
    // This run is on the broken commit without the edit.
    story.run(&FIRST_FAILS);
    let all = found(&story);
    assert_eq!((all.len(), all[0].status), (1, ProofStatus::Proved));
}

/// For example an edit in a submodule, whose files are not part of the tree.
#[test]
fn an_edit_that_does_not_change_the_tree_is_no_fix() {
    let (story, _) = broken();
    let tree = story.params().git.and_then(|git| git.tree).unwrap();
    run_edited(&story, &tree, vec![edited("vendor/sum", "+fixed\n")], false);
    assert!(found(&story).is_empty());
    let again = story.run(&FIRST_FAILS);
    assert_eq!(Story::verdict(&again).0, VerdictKind::Broken);
}

#[test]
fn edits_are_redacted_and_hunks_are_optional() {
    let (story, _) = broken();
    let key = "AKIAIOSFODNN7EXAMPLQ";
    let mut files = vec![edited("src/sum.ts", &format!("+const key = '{key}';\n"))];
    files.push(EditedFile { hunks: None, ..edited("src/large.ts", "") });
    run_edited(&story, "t1", files, false);
    let all = found(&story);
    assert_eq!(all[0].files, ["src/large.ts", "src/sum.ts"]);
    let change = changed(&story, &all[0]);
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
    let one = || edited("src/sum.ts", "+wrong\n");
    let said = because(&story, &run_edited(&story, "t1", vec![one()], true));
    assert!(said.starts_with("src/sum.ts was edited between run-"), "{said}");

    // Only files that differ between the two runs are named, although both runs have edits.
    run_edited(&story, "t2", vec![edited("a.md", "+a\n")], false);
    let more = || ["b.md", "c.md", "d.md"].map(|path| edited(path, "+x\n"));
    let edits = [edited("a.md", "+a\n"), one()].into_iter().chain(more()).collect();
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
        let (mut story, _) = broken();
        run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false);
        // The edit was committed unchanged, without a run before the next edit.
        let repair = story.commit();
        story.commits[0].tree = is_known.then(|| "t1".to_owned());
        let run = run_edited(&story, "t2", vec![edited("src/more.ts", "+more\n")], true);
        let suspects = story.world.diagnose(&run.run_id, "case 0").unwrap().suspects;
        let probability = suspects.iter().find(|one| one.commit == repair).map_or(0.0, |one| one.probability);
        assert_eq!(probability < 0.05, is_known, "{suspects:?}");
    }
}

/// A suite with a test that rarely fails, where no tree occurs twice.
#[test]
fn repeated_failures_after_edits_of_a_file_are_regressions() {
    const TESTS: usize = 60;
    let error = |file: &str| format!("{UNKNOWN}\n    at charge (/project/{file}:7:3)");
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
            let edits = if hunks.is_empty() { Vec::new() } else { vec![edited(path, hunks)] };
            let dirty = Some(!edits.is_empty());
            let git = GitFacts { tree: Some(tree.to_owned()), dirty, edits, ..params.git.clone().unwrap() };
            let error = in_stack.map_or_else(|| UNKNOWN.to_owned(), error);
            let first = if fails { failed("case 0", &error) } else { passed("case 0") };
            let rest = (1..TESTS).map(|at| passed(&format!("case {at}")));
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
fn a_commit_of_shared_files_is_no_fix_and_no_suspect() {
    let (mut story, _) = broken();
    let repair = story.commit_of(&["src/sum.ts", ".argus-shared/fixes/fix-1.json"]);
    commit_of_shared_files(&mut story);
    story.run(&ALL_PASS);
    let commits: Vec<_> = found(&story).into_iter().map(|fix| fix.commit).collect();
    assert_eq!(commits, [Some(repair)]);

    let culprit = story.commit_of(&["src/sum.ts"]);
    commit_of_shared_files(&mut story);
    let run = story.run(&FIRST_FAILS);
    let suspects = story.world.diagnose(&run.run_id, "case 0").unwrap().suspects;
    assert_eq!(suspects.iter().map(|one| &one.commit).collect::<Vec<_>>(), [&culprit]);

    // Without another commit, no fix is found.
    let (mut story, _) = broken();
    commit_of_shared_files(&mut story);
    story.run(&ALL_PASS);
    assert!(found(&story).is_empty());
}

/// For example if a learned fix is shared in a separate commit after the commit of the fix.
#[test]
fn an_edit_does_not_become_a_commit_of_shared_files() {
    for is_seen in [false, true] {
        let (mut story, _) = broken();
        run_edited(&story, "t1", vec![edited("src/sum.ts", "+fixed\n")], false);
        let repair = story.commit_of(&["src/sum.ts"]);
        if is_seen {
            run_edited(&story, "t1", Vec::new(), false);
        }
        commit_of_shared_files(&mut story);
        run_committed(&story, "t1", false);
        let commits: Vec<_> = found(&story).into_iter().map(|fix| fix.commit).collect();
        assert_eq!(commits, [Some(repair)], "{is_seen}");
    }
}
