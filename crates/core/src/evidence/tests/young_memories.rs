//! Verdicts after a few runs of a small suite, on commits and on edits that become commits.

use super::{Story, failure, list_verdict_kinds};
use crate::evidence::{
    facts::{CaseId, FileId, StackFiles, fingerprint},
    judge::Judgement,
    verdict::VerdictKind::{self, Broken, Flaky, Regression},
};

/// Returns the verdict on the first of `tests` tests in the last run of `history`. A run with `edited:` is on an edit,
/// `unnamed:` on an edit that has the tree of its commit, `committed:` on the same files after they are committed,
/// `again:` on the files of the previous run. Any other run is on a new commit.
fn verdict(tests: CaseId, history: &str) -> Option<VerdictKind> {
    let mut story = Story::default();
    let mut verdict_kinds = Vec::new();
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
        verdict_kinds = list_verdict_kinds(&story.run_cases_in_order((0..tests).collect(), &failures));
    }
    verdict_kinds.first().copied()
}

#[test]
fn a_break_after_a_fix_is_not_flaky() {
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
fn repeated_failures_without_a_lasting_change_are_flaky() {
    for history in ["green red again:green again:red", "red green red green red green red"] {
        for tests in [2, 5, 10] {
            assert_eq!(verdict(tests, history), Some(Flaky), "{history}, {tests} tests");
        }
    }
}

#[test]
fn an_edit_has_the_tree_of_the_commit_that_it_becomes() {
    for (history, wanted) in [
        ("green edited:green committed:red", Flaky),
        ("green edited:red committed:green red", Flaky),
        ("green unnamed:red", Regression),
        ("green unnamed:red again:red", Broken),
    ] {
        assert_eq!(verdict(2, history), Some(wanted), "{history}");
    }
}

/// A project in which only the first test may fail.
struct Project {
    story: Story,
    tests: CaseId,
    /// Seed of the orders of the runs. Without a seed, the tests run in the order of their numbers.
    seed: Option<u64>,
}

/// The edited file.
const EDITED_FILE: FileId = 900;

impl Project {
    fn new(tests: CaseId, passes: u32, seed: Option<u64>, stack: &[FileId]) -> Self {
        let mut project = Self { story: Story::new(), tests, seed };
        project.story.stacks = StackFiles::from([(0, stack.to_vec())]);
        (0..passes).for_each(|_| drop(project.run(false)));
        project
    }

    fn run(&mut self, fails: bool) -> Judgement {
        let failures = if fails { vec![failure(0, 1)] } else { Vec::new() };
        let mut cases: Vec<CaseId> = (0..self.tests).collect();
        if let Some(seed) = &mut self.seed {
            *seed += 1;
            cases.sort_by_key(|case| fingerprint(&format!("{case} in run {seed}")));
        }
        self.story.run_cases_in_order(cases, &failures)
    }

    fn run_edited(&mut self, file: FileId, change: u64, fails: bool) -> Judgement {
        self.story.edit(&format!("{change} of {file}"));
        self.story.edited_files = vec![(file, change)];
        self.run(fails)
    }

    fn run_reverted(&mut self, fails: bool) -> Judgement {
        self.story.revert();
        self.run(fails)
    }
}

const SUITE_SIZES: [CaseId; 3] = [20, 50, 200];

#[test]
fn repeated_breaks_by_edits_of_a_file_are_a_regression() {
    for tests in SUITE_SIZES {
        for (passes, stack) in
            [1, 3, 10, 30].into_iter().flat_map(|passes| [(passes, &[][..]), (passes, &[EDITED_FILE])])
        {
            for second in [1, 2] {
                let mut project = Project::new(tests, passes, None, stack);
                project.run_edited(EDITED_FILE, 1, true);
                project.run_reverted(false);
                let judgement = project.run_edited(EDITED_FILE, second, true);
                assert_eq!(
                    list_verdict_kinds(&judgement),
                    [Regression],
                    "{tests} tests, {passes} passes, {stack:?}, {second}"
                );
            }
        }
    }
}

#[test]
fn breaks_and_fixes_by_edits_in_the_stack_are_a_regression() {
    for tests in SUITE_SIZES {
        for passes in [1, 3, 10, 30] {
            let mut project = Project::new(tests, passes, None, &[EDITED_FILE]);
            for change in [1, 3, 5] {
                let judgement = project.run_edited(EDITED_FILE, change, true);
                assert_eq!(list_verdict_kinds(&judgement), [Regression], "{tests} tests, {passes} passes, {change}");
                assert!(project.run_edited(EDITED_FILE, change + 1, false).verdicts.is_empty());
            }
        }
    }
}

/// If the order of tests changes with each run, a few runs cannot distinguish an edit from a test that ran before. A
/// file in the stack can.
#[test]
fn repeated_breaks_by_edits_are_not_order_in_shuffled_runs() {
    for tests in SUITE_SIZES {
        for (passes, stack) in [(1, &[EDITED_FILE][..]), (3, &[EDITED_FILE]), (30, &[EDITED_FILE]), (5, &[]), (30, &[])]
        {
            for seed in 0..10 {
                let mut project = Project::new(tests, passes, Some(seed * 1_000), stack);
                project.run_edited(EDITED_FILE, 1, true);
                project.run_reverted(false);
                let judgement = project.run_edited(EDITED_FILE, 2, true);
                assert_eq!(
                    list_verdict_kinds(&judgement),
                    [Regression],
                    "{tests} tests, {passes} passes, {stack:?}, {seed}"
                );
            }
        }
    }
}

#[test]
fn a_flaky_test_stays_flaky_whatever_is_edited() {
    for tests in SUITE_SIZES {
        for stack in [&[][..], &[1, 2, 3]] {
            let mut project = Project::new(tests, 3, None, stack);
            for file in 1..4 {
                project.run_edited(file, 1, true);
                // The same files.
                assert!(project.run(false).verdicts.is_empty());
                project.run_reverted(false);
                let judgement = project.run_edited(file, 1, true);
                assert_eq!(list_verdict_kinds(&judgement), [Flaky], "{tests} tests, {stack:?}, {file}");
                project.run_reverted(false);
            }
        }
        let without_edits = "green red green green red green green red";
        assert_eq!(verdict(tests, without_edits), Some(Flaky), "{tests} tests");
    }
}

/// For example, all edits are in the same file while an unrelated test fails now and then.
#[test]
fn an_edit_that_also_passes_does_not_blame_the_code() {
    for tests in SUITE_SIZES {
        let code = |is_known: bool| {
            let mut project = Project::new(tests, 3, None, &[]);
            let mut judgement = Judgement::default();
            for (change, fails) in (0..).zip([false, true, false, false, true, false, true]) {
                project.story.edit(&change.to_string());
                project.story.edited_files = if is_known { vec![(EDITED_FILE, change)] } else { Vec::new() };
                judgement = project.run(fails);
            }
            judgement.verdicts[0].probabilities[0]
        };
        assert!(code(true) <= code(false), "{tests} tests: {} and {}", code(true), code(false));
        assert!(code(true) < 0.4, "{tests} tests: {}", code(true));
    }
}

#[test]
fn an_edit_touches_a_failure_only_if_it_differs_from_the_last_pass() {
    let (unknown, same, other) = (Vec::new(), vec![(EDITED_FILE, 1)], vec![(EDITED_FILE, 2)]);
    for (before, touches) in [(unknown, false), (same, false), (other, true)] {
        for stack in [&[EDITED_FILE][..], &[]] {
            let mut project = Project::new(20, 3, None, stack);
            project.story.edit("passes");
            project.story.edited_files.clone_from(&before);
            project.run(false);
            project.story.edit("fails");
            project.story.edited_files = vec![(EDITED_FILE, 1), (1, 1)];
            let judgement = project.run(true);
            assert_eq!(judgement.verdicts[0].touched, touches && !stack.is_empty(), "{before:?} {stack:?}");
        }
    }
}
