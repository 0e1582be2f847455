//! Attribution of failures to an edit, a commit or the machine.

use super::{CASES_PER_STORY, Story, failure, failure_in_function, list_verdict_kinds, only_judgement};
use crate::{
    evidence::{
        facts::{CaseId, ErrorSource, Failure, StackFiles},
        judge::{Judgement, judge_earlier_failure},
        verdict::{Reason, SettlingRun, VerdictKind},
    },
    failure::category::Category,
};

const SOURCE: u32 = 700;
const NOTES: u32 = 701;

fn suspects(judgement: &Judgement) -> Vec<&str> {
    only_judgement(judgement).verdict.suspects.iter().map(|one| one.commit.as_str()).collect()
}

/// A failure whose only file is that of its test.
fn failure_in_test_file(case: CaseId, source: ErrorSource) -> Failure {
    Failure { source, raised: Some(case), ..failure(case, 7) }
}

#[test]
fn a_failure_after_an_edit_of_a_large_suite_is_a_regression() {
    let mut story = Story::new();
    story.run_cases_in_order((0..202).collect(), &[]);
    story.edit("operator");
    story.edited_files = vec![(SOURCE, 1)];
    let judgement = story.run_cases_in_order((0..202).collect(), &[failure_in_test_file(3, ErrorSource::Code)]);
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!((verdict.kind, verdict.suspects.len()), (VerdictKind::Regression, 0));
    assert!(matches!(verdict.because[0], Reason::Changed { commits: 0, .. }), "{:?}", verdict.because);
}

#[test]
fn many_failures_after_an_edit_are_not_an_outage() {
    for (step, in_project) in [(1, false), (1, true), (4, false), (4, true)] {
        let mut story = Story::new();
        story.run(&[]);
        story.edit("operator");
        story.edited_files = vec![(SOURCE, 1)];
        let failing = (0..CASES_PER_STORY).step_by(step).take(8);
        let failures: Vec<Failure> = failing.map(|case| Failure { in_project, ..failure(case, 9) }).collect();
        let kinds = list_verdict_kinds(&story.run(&failures));
        assert!(kinds.iter().all(|kind| *kind == VerdictKind::Regression), "{step} {in_project}: {kinds:?}");
    }
}

#[test]
fn a_pass_with_untracked_files_clears_its_commits() {
    for changes in [false, true] {
        let mut story = Story::new();
        story.untracked = vec![(NOTES, 1)];
        story.run(&[]);
        for _ in 0..6 {
            story.commit();
        }
        story.run(&[]);
        story.edit("operator");
        story.edited_files = vec![(SOURCE, 1)];
        story.untracked = vec![(NOTES, if changes { 2 } else { 1 })];
        let judgement = story.run(&[failure(3, 7)]);
        assert_eq!(only_judgement(&judgement).verdict.kind, VerdictKind::Regression);
        assert!(suspects(&judgement).is_empty(), "{changes}: {:?}", suspects(&judgement));
        // Untracked files that were present while tests passed do not count as an edit, so that the next commit is
        // suspected as usual.
        story.revert();
        story.untracked = vec![(NOTES, 1)];
        story.run(&[]);
        story.commit();
        assert_eq!(suspects(&story.run(&[failure(9, 8)])), [format!("c{}", story.commits)]);
    }
}

#[test]
fn a_new_untracked_file_is_an_edit() {
    let mut story = Story::new();
    story.pass(3);
    story.untracked = vec![(SOURCE, 1)];
    let judgement = story.run(&[failure(3, 7)]);
    assert_eq!((only_judgement(&judgement).verdict.kind, suspects(&judgement).len()), (VerdictKind::Regression, 0));
}

#[test]
fn a_pass_on_a_present_edit_clears_the_commits_below() {
    let mut story = Story::new();
    story.pass(2);
    story.commits += 4;
    story.edit("one file");
    story.edited_files = vec![(SOURCE, 1)];
    story.run(&[]);
    story.edit("two files");
    story.edited_files = vec![(SOURCE, 1), (NOTES, 1)];
    assert!(suspects(&story.run(&[failure(3, 7)])).is_empty());
}

#[test]
fn failures_of_the_first_run_have_no_suspects() {
    for is_edited in [false, true] {
        let mut story = Story::new();
        if is_edited {
            story.edit("operator");
            story.edited_files = vec![(0, 1)];
        }
        let judgement = story.run(&[failure(3, 7), failure(20, 8)]);
        let said = &judgement.verdicts[0].verdict;
        assert!(judgement.verdicts.iter().all(|one| one.verdict.suspects.is_empty()));
        let differs = said.because.contains(&Reason::DiffersFromCommit { run: 0, there: 1, failures: 2 });
        assert_eq!((said.kind, differs), (VerdictKind::New, is_edited));
    }
}

#[test]
fn a_documentation_commit_is_less_suspected() {
    let mut story = Story::new();
    story.pass(3);
    story.touched = vec![SOURCE];
    story.commit();
    story.run_cases_in_order((0..CASES_PER_STORY - 1).collect(), &[]);
    story.touched = vec![NOTES];
    story.is_documentation = true;
    story.commit();
    let judgement = story.run(&[failure(CASES_PER_STORY - 1, 7)]);
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!(verdict.suspects[0].commit, format!("c{}", story.commits - 1), "{:?}", verdict.suspects);
}

#[test]
fn a_configuration_commit_is_more_suspected() {
    let mut story = Story::new();
    story.pass(3);
    story.is_configuration = true;
    story.commit();
    story.run_cases_in_order((0..CASES_PER_STORY - 1).collect(), &[]);
    story.is_configuration = false;
    story.commit();
    let judgement = story.run(&[failure(CASES_PER_STORY - 1, 7)]);
    let verdict = &only_judgement(&judgement).verdict;
    assert_eq!(verdict.suspects[0].commit, format!("c{}", story.commits - 1), "{:?}", verdict.suspects);
}

#[test]
fn a_machine_error_is_not_attributed_to_an_unrelated_commit() {
    let busy = failure_in_test_file(3, ErrorSource::Machine);
    // The verdict is the same after one pass and after two passes.
    for passes in [1, 2] {
        let mut story = Story::new();
        story.pass(passes);
        story.commit();
        story.touched = vec![SOURCE];
        let judgement = story.run(&[busy]);
        let verdict = &only_judgement(&judgement).verdict;
        assert_eq!((verdict.kind, verdict.suspects.len()), (VerdictKind::Infrastructure, 0), "{passes} passes");
    }
    let verdict_for = |touches: bool, names: bool| {
        let mut story = Story::new();
        story.pass(5);
        story.commit();
        story.touched = vec![if touches { busy.file } else { SOURCE }];
        let judgement = story.run(&[Failure { names_change: names, ..busy }]);
        (only_judgement(&judgement).verdict.clone(), story)
    };
    let (verdict, mut story) = verdict_for(false, false);
    assert_eq!((verdict.kind, verdict.suspects.len()), (VerdictKind::Infrastructure, 0));
    assert!(matches!(verdict.because[0], Reason::MachineError { .. }));
    // If the failure lasts and then recurs, it is no longer an error of the machine. Until then, it counts as a failure
    // of the test.
    assert_eq!(only_judgement(&story.run(&[busy])).verdict.kind, VerdictKind::Infrastructure);
    assert_eq!(story.memory.tests[&3].totals.failures, 2);
    story.run(&[]);
    assert_ne!(only_judgement(&story.run(&[busy])).verdict.kind, VerdictKind::Infrastructure);
    for (touches, names) in [(true, false), (false, true)] {
        assert_ne!(verdict_for(touches, names).0.kind, VerdictKind::Infrastructure, "{touches} {names}");
    }
}

#[test]
fn errors_of_the_same_type_and_line_share_a_lasting_cause() {
    let mut story = Story::new();
    story.pass(2);
    story.edit("operator");
    let raised = |line: u64| move |case: CaseId| Failure { raised: Some(line), ..failure(case, 100 + case) };
    let failures: Vec<Failure> = (0..3).map(raised(1)).chain((3..5).map(raised(2))).collect();
    let causes = |judgement: &Judgement| judgement.verdicts.iter().map(|one| one.cause).collect::<Vec<_>>();
    let first = causes(&story.run(&failures));
    assert!(first[0] == first[1] && first[1] == first[2] && first[2] != first[3] && first[3] == first[4], "{first:?}");
    story.edit("one more");
    assert_eq!(causes(&story.run(&failures)), first);
}

#[test]
fn suggested_runs_bisect_the_suspects() {
    let mut story = Story::new();
    story.run(&[]);
    story.commits += 8;
    story.revert();
    let (broken, newest) = (story.commits - 3, story.commits);
    let failed_in = story.runs;
    let mut settle = only_judgement(&story.run(&[failure(3, 7)])).verdict.settle.clone();
    let mut asked = 0;
    while let Some(SettlingRun::RunAt { commit }) = settle {
        asked += 1;
        let at: u32 = commit[1..].parse().unwrap();
        story.check_out(at);
        let fails = [failure(3, 7)];
        story.run_cases_in_order(vec![3], if at >= broken { &fails } else { &[] });
        let again = judge_earlier_failure(&story.memory, failed_in, &failure(3, 7), &StackFiles::new()).unwrap();
        assert_eq!(again.verdict.kind, VerdictKind::Regression);
        settle = again.verdict.settle.clone();
        if settle.is_none() {
            assert_eq!(again.verdict.suspects[0].commit, format!("c{broken}"));
        }
    }
    assert!((2..=4).contains(&asked), "{asked}");
    story.check_out(newest);
    story.run_cases_in_order(vec![3], &[]);
    let again = judge_earlier_failure(&story.memory, failed_in, &failure(3, 7), &StackFiles::new()).unwrap();
    assert_eq!(again.verdict.kind, VerdictKind::Flaky, "it passed on the very files that failed");
}

#[test]
fn an_http_error_in_many_files_is_an_outage() {
    let mut story = Story::new();
    story.pass(5);
    let down = |case| Failure { category: Category::HttpError, ..failure(case, 9) };
    let failures: Vec<Failure> = (0..CASES_PER_STORY).step_by(4).map(down).collect();
    story.commit();
    assert!(list_verdict_kinds(&story.run(&failures)).iter().all(|kind| *kind == VerdictKind::Infrastructure));
}

#[test]
fn a_fix_is_refuted_only_while_its_change_is_present() {
    use crate::evidence::stored_rows::fixes::ProofStatus;
    const FILE: u32 = 702;
    let status = |touched: u32| {
        let mut story = Story::new();
        story.pass(10);
        let commit = |story: &mut Story, touched: u32, failures: &[Failure]| {
            story.touched = vec![touched];
            story.commit();
            story.run(failures);
        };
        let fails = [failure_in_function(3, 1, 7)];
        for failures in [&fails[..], &fails, &[]] {
            commit(&mut story, FILE, failures);
        }
        story.touched = vec![NOTES];
        story.pass(5);
        assert_eq!(story.memory.fixes[0].status, ProofStatus::Proved);
        commit(&mut story, touched, &fails);
        story.memory.fixes[0].status
    };
    assert_eq!((status(SOURCE), status(FILE)), (ProofStatus::Refuted, ProofStatus::Proved));
}
