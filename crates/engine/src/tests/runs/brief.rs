//! Failures and causes in the answer to a recorded run.

use crate::tests::prelude::*;
use argus_core::evidence::verdict::VerdictKind;

fn error_at(line: u32, message: &str) -> String {
    format!("ValueError: {message}\n    at check (src/pairs.ts:{line}:9)\n    at a.test.ts:4:3")
}

#[test]
fn a_cause_lists_three_failures_and_counts_the_others() {
    let world = World::new();
    let mut cases: Vec<ReportCase> =
        (0..30).map(|at_| failed_case(&format!("pair {at_}"), &error_at(3, &format!("got {at_}")))).collect();
    cases.push(failed_case("other", UNKNOWN_ERROR));
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let counts: Vec<_> = run.causes.iter().map(|cause| cause.count).collect();
    assert_eq!((counts, run.more_causes), (vec![30, 1], 0));
    let listed = |cause: &Cause| run.failures.iter().filter(|failure| failure.cause_id == cause.cause_id).count();
    assert_eq!(run.causes.iter().map(listed).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(run.more, 27);
}

#[test]
fn a_note_counts_failures_that_are_not_compared_with_earlier_tests() {
    let world = World::new();
    let cases = (0..400).map(|at| failed_case(&format!("case {at}"), &error_at(at, "got it"))).collect();
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let wanted = "Too many tests failed to find out for all of them whether an earlier test breaks them. It was not \
                  checked for 72 of them.";
    assert_eq!(run.notes, [wanted]);
}

#[test]
fn a_rare_cause_is_listed_beside_a_large_cause_with_varying_values() {
    let world = World::new();
    let check =
        |number: usize| failed_case(&format!("case {number}"), &error_at(3, &format!("got port {number} of {number}")));
    let cases = (0..40).map(check).chain([failed_case("other", UNKNOWN_ERROR)]).collect();
    let run = world.record(&on_commit("a"), cases).unwrap();
    assert_eq!((run.causes.iter().map(|cause| cause.count).collect::<Vec<_>>(), run.more_causes), (vec![40, 1], 0));
}

#[test]
fn a_known_fix_is_shown_once_per_cause() {
    let same = || vec![failed_case("boom", UNKNOWN_ERROR), failed_case("bang", UNKNOWN_ERROR)];
    let (world, run) = World::after_run(same());
    for case in ["boom", "bang"] {
        world.fix(&run, case, "Tuned it", true).unwrap();
    }
    let run = world.record(&RecordRunParams::default(), same()).unwrap();
    let known: Vec<_> = run.failures.iter().map(|failure| failure.known.is_some()).collect();
    assert_eq!((run.causes.len(), known), (1, vec![true, false]));
}

#[test]
fn a_new_regression_comes_before_older_failures() {
    let world = World::new();
    let old = || (0..5).map(|at_| failed_case(&format!("old {at_}"), "Error: the till is stuck"));
    for commit in ["a", "b", "c"] {
        world.record(&on_commit(commit), old().chain([passed_case("boom")]).collect()).unwrap();
    }
    let run = world.record(&on_commit("d"), old().chain([failed_case("boom", UNKNOWN_ERROR)]).collect()).unwrap();
    let verdict = |cause: &Cause| cause.verdict.as_ref().map(|verdict| verdict.kind);
    assert_eq!(verdict(&run.causes[0]), Some(VerdictKind::Regression));
    assert_eq!(run.causes.iter().map(|cause| cause.count).collect::<Vec<_>>(), [1, 5]);
    let of_failures = run.failures.iter().map(|failure| {
        let verdict = failure.verdict.as_ref().expect("each failure has its verdict");
        (failure.case_name.as_str(), verdict.kind)
    });
    let mut kinds: Vec<_> = of_failures.collect();
    kinds.sort_unstable_by_key(|(name, _)| *name);
    assert_eq!(kinds[0], ("a.test.ts > suite > boom", VerdictKind::Regression));
    assert!(kinds[1..].iter().all(|(_, kind)| *kind == VerdictKind::Broken), "{kinds:?}");
}

#[test]
fn the_built_in_tip_for_assertions_is_omitted() {
    let world = World::new();
    let failures =
        |error| world.record(&RecordRunParams::default(), vec![failed_case("boom", error)]).unwrap().failures;
    let assertion = failures("AssertionError: expected 2 to equal 3");
    assert_eq!((assertion[0].category, &assertion[0].known), (Category::AssertionMismatch, &None));
    assert!(failures(CONNECTION_REFUSED_ERROR)[0].known.is_some());
}

/// Parameters and cases of a run with edits of these files.
fn run_with_edits(commit: &str, files: &[(&str, &str)], fails: bool) -> (RecordRunParams, Vec<ReportCase>) {
    let edit = |(path, digest): &(&str, &str)| EditedFile {
        path: (*path).to_owned(),
        digest: (*digest).to_owned(),
        ..EditedFile::default()
    };
    let params = on_commit(commit);
    let git = GitFacts {
        dirty: Some(!files.is_empty()),
        tree: Some(format!("{commit} {files:?}")),
        edits: files.iter().map(edit).collect(),
        ..params.git.unwrap()
    };
    let first = if fails { failed_case("boom", UNKNOWN_ERROR) } else { passed_case("boom") };
    (RecordRunParams { git: Some(git), ..params }, vec![first, passed_case("other")])
}

#[test]
fn changes_since_the_last_green_run_are_listed() {
    let world = World::new();
    let record = |(params, cases): (RecordRunParams, Vec<ReportCase>)| world.record(&params, cases).unwrap();
    assert_eq!(record(run_with_edits("a", &[("src/a.ts", "1")], true)).since_green, None, "no run was green");
    let kept = ("src/kept.ts", "1");
    let green = record(run_with_edits("a", &[kept], false));
    assert_eq!(green.since_green, None);
    let red = |files: &[(&str, &str)]| record(run_with_edits("a", files, true)).since_green.unwrap();
    let since = red(&[kept, ("src/sum.ts", "1")]);
    assert_eq!((since.run_id.as_str(), since.commits), (green.run_id.as_str(), 0));
    assert_eq!(since.edited, ["src/sum.ts"]);
    // The second red run has the same answer.
    assert_eq!(red(&[kept, ("src/sum.ts", "1")]).edited, ["src/sum.ts"]);
    assert_eq!(red(&[("src/kept.ts", "2")]).edited, ["src/kept.ts"]);
}

#[test]
fn an_interrupted_run_keeps_its_failures_and_is_not_a_pass() {
    let world = World::new();
    let cut_off = RecordRunParams {
        command: Some("npm test".to_owned()),
        exit_code: Some(0),
        interrupted: true,
        expects_tests: true,
        ..on_commit("a")
    };
    let run = world.record(&cut_off, vec![failed_case("boom", UNKNOWN_ERROR), passed_case("other")]).unwrap();
    assert_eq!((run.status, run.interrupted, run.failures.len()), (RunStatus::Failed, true, 1));
    assert_eq!(run.totals, Totals { failed: 1, ..Totals::default() });
    for cases in [vec![passed_case("boom"), passed_case("other")], Vec::new()] {
        let run = world.record(&cut_off, cases).unwrap();
        assert_eq!((run.status, run.interrupted), (RunStatus::Failed, true));
        assert!(run.failures.is_empty() && run.notes.is_empty(), "the interrupted command is not a failure");
    }
    let red = world.record(&on_commit("a"), vec![failed_case("boom", UNKNOWN_ERROR), passed_case("other")]).unwrap();
    assert_eq!(red.since_green, None, "no earlier run was green");
}
