//! Properties of every history.

use super::{NumberNames, Story, failure};
use crate::evidence::{
    facts::{CaseId, Failure, FileId, StackFiles},
    judge::{Judgement, judge},
    stored_rows::history::TestHistory,
    stored_rows::memory::EvidenceMemory,
    stored_rows::order::Order,
    verdict::{Suspect, VerdictKind},
};
use proptest::prelude::*;

/// Changes and failures of one run of a history.
#[derive(Clone, Debug)]
struct Step {
    commits: bool,
    edits: Option<u8>,
    windows: bool,
    rotated: u64,
    touched: Vec<FileId>,
    failures: Vec<Failure>,
}

/// Number of tests in these histories. It is small so that failures recur.
const TEST_COUNT: u64 = 8;

fn arbitrary_failure() -> impl Strategy<Value = Failure> {
    (0..TEST_COUNT, 0_u64..3, prop::option::of(0_u64..2))
        .prop_map(|(case, signature, function)| Failure { function, ..failure(case, signature) })
}

fn arbitrary_step() -> impl Strategy<Value = Step> {
    let failures = prop::collection::vec(arbitrary_failure(), 0..4);
    let touched = prop::collection::vec(0_u32..4, 0..3);
    (any::<bool>(), prop::option::weighted(0.2, 0_u8..3), any::<bool>(), 0..TEST_COUNT, touched, failures).prop_map(
        |(commits, edits, windows, rotated, touched, mut failures)| {
            failures.sort_by_key(|failure| failure.case);
            failures.dedup_by_key(|failure| failure.case);
            Step { commits, edits, windows, rotated, touched, failures }
        },
    )
}

fn arbitrary_history() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(arbitrary_step(), 1..30)
}

fn execution_order(step: &Step) -> Vec<CaseId> {
    (0..TEST_COUNT).map(|case| (case + step.rotated) % TEST_COUNT).collect()
}

fn apply_step(story: &mut Story, step: &Step) {
    if step.commits {
        story.commit();
        story.touched.clone_from(&step.touched);
    }
    if let Some(edit) = step.edits {
        story.edit(&format!("{edit} of {}", story.commits));
    }
    story.os = if step.windows { "windows" } else { "linux" };
}

fn build_history(steps: &[Step]) -> (Story, Vec<Judgement>) {
    let mut story = Story::new();
    let judgements = steps.iter().map(|step| {
        apply_step(&mut story, step);
        story.run_cases_in_order(execution_order(step), &step.failures)
    });
    let judgements = judgements.collect();
    (story, judgements)
}

/// Verdict on a failing case, without run numbers, so that histories with other runs can be compared.
type Found = (CaseId, VerdictKind, String, Vec<(String, String)>);

/// Builds the same history, with a passing run of other tests before or after each run.
fn build_history_beside_other_tests(steps: &[Step], others_first: bool) -> Vec<Found> {
    let rounded = |chance: f64| format!("{chance:.9}");
    let mut story = Story::new();
    let mut found = Vec::new();
    for step in steps {
        apply_step(&mut story, step);
        let others: Vec<CaseId> = (TEST_COUNT..2 * TEST_COUNT).collect();
        if others_first {
            story.run_cases_in_order(others.clone(), &[]);
        }
        let judgement = story.run_cases_in_order(execution_order(step), &step.failures);
        if !others_first {
            story.run_cases_in_order(others, &[]);
        }
        found.extend(judgement.verdicts.into_iter().map(|case_judgement| {
            let suspects =
                case_judgement.verdict.suspects.into_iter().map(|one| (one.commit, rounded(one.probability)));
            let verdict = (case_judgement.verdict.kind, rounded(case_judgement.verdict.probability));
            (case_judgement.failure.case, verdict.0, verdict.1, suspects.collect())
        }));
    }
    found
}

/// Returns the probability of chance if the test failed now.
fn flaky_probability_of_next_failure(story: &Story, case: CaseId) -> f64 {
    let order = Order::new((0..TEST_COUNT).collect());
    let facts = story.facts(&order, 1);
    let judgement = judge(&story.memory, &facts, &[failure(case, 0)], &order, &StackFiles::new());
    judgement.verdicts[0].probabilities[1]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_depend_on_earlier_runs_only(steps in arbitrary_history(), cut in 0_usize..30) {
        let cut = cut.min(steps.len());
        let (_, all) = build_history(&steps);
        let (_, some) = build_history(&steps[..cut]);
        prop_assert_eq!(&all[..cut], &some[..]);
    }

    #[test]
    fn verdicts_do_not_depend_on_the_order_of_failures(steps in arbitrary_history()) {
        let mut turned = steps.clone();
        for step in &mut turned {
            step.failures.reverse();
        }
        prop_assert_eq!(build_history(&steps).1, build_history(&turned).1);
    }

    #[test]
    fn verdicts_do_not_depend_on_runs_of_other_tests(steps in arbitrary_history()) {
        prop_assert_eq!(build_history_beside_other_tests(&steps, true), build_history_beside_other_tests(&steps, false));
    }

    #[test]
    fn probabilities_sum_to_one_and_every_reason_names_a_run(steps in arbitrary_history()) {
        for (now, judgement) in build_history(&steps).1.iter().enumerate() {
            for case_judgement in &judgement.verdicts {
                let verdict = &case_judgement.verdict;
                let sum: f64 = verdict.weighed.iter().map(|(_, chance)| chance).sum();
                prop_assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                prop_assert!((0.0..=1.0).contains(&verdict.probability));
                let suspected: f64 = verdict.suspects.iter().map(|Suspect { probability, .. }| probability).sum();
                prop_assert!(suspected <= 1.0 + 1e-9, "{suspected}");
                let now = u32::try_from(now).unwrap();
                prop_assert!(!verdict.because.is_empty(), "{:?}", verdict.kind);
                let reasons = verdict.because.iter().chain(&verdict.against);
                prop_assert!(reasons.clone().all(|reason| reason.run() <= now));
                let sentences: Vec<String> = reasons.map(|reason| reason.to_sentence(&NumberNames)).collect();
                prop_assert!(sentences.iter().all(|sentence| sentence.contains("run ")), "{sentences:?}");
                prop_assert!(verdict.since.iter().all(|since| since.run <= now));
            }
        }
    }

    #[test]
    fn files_outside_the_failures_do_not_affect_verdicts(steps in arbitrary_history()) {
        let mut without = steps.clone();
        let mut elsewhere = steps;
        for step in &mut without {
            step.touched.clear();
        }
        // Each commit touches its own files, because a later commit to the same file could undo a fix. It touches several
        // files, because failures that begin with the change of a single file have one cause.
        for (step, times) in elsewhere.iter_mut().zip(1..) {
            step.touched.extend(step.touched.first().map(|_| 500));
            step.touched.iter_mut().for_each(|file| *file += 1000 * times);
        }
        prop_assert_eq!(build_history(&without).1, build_history(&elsewhere).1);
    }

    #[test]
    fn touching_the_stack_never_makes_a_commit_less_likely(steps in arbitrary_history(), case in 0..TEST_COUNT) {
        let suspects = |touched: Vec<FileId>| {
            let (mut story, _) = build_history(&steps);
            story.commit();
            story.touched = touched;
            story.stacks = StackFiles::from([(case, vec![77])]);
            let judgement = story.run_cases_in_order((0..TEST_COUNT).collect(), &[failure(case, 0)]);
            let newest = format!("c{}", story.commits);
            let suspects = &judgement.verdicts[0].verdict.suspects;
            let probability = suspects.iter().find(|one| one.commit == newest).map_or(0.0, |one| one.probability);
            // A verdict of another kind names no suspects.
            (!suspects.is_empty()).then_some(probability)
        };
        if let (Some(without), Some(with)) = (suspects(Vec::new()), suspects(vec![77, 5])) {
            prop_assert!(with >= without && with <= 1.0, "{without} -> {with}");
        }
    }

    #[test]
    fn both_outcomes_on_another_tree_never_lower_chance(steps in arbitrary_history(), case in 0..TEST_COUNT) {
        let (mut story, _) = build_history(&steps);
        story.commit();
        story.run_cases_in_order((0..TEST_COUNT).collect(), &[]);
        let mut more = story.clone();
        more.run_cases_in_order((0..TEST_COUNT).collect(), &[failure(case, 0)]);
        for one in [&mut story, &mut more] {
            one.commit();
        }
        let (before, after) = (flaky_probability_of_next_failure(&story, case), flaky_probability_of_next_failure(&more, case));
        prop_assert!(after >= before - 1e-9, "{before} -> {after}");
    }

    #[test]
    fn rows_round_trip_through_json(steps in arbitrary_history()) {
        let (story, _) = build_history(&steps);
        for test in story.memory.tests.values() {
            let stored = serde_json::to_string(test).unwrap();
            let read: TestHistory = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(read.ran, test.ran);
            prop_assert_eq!(read.failure_modes.len(), test.failure_modes.len());
            prop_assert!(stored.len() < 8192, "{}", stored.len());
        }
    }
}

/// Runs that earlier versions stored have no files.
#[test]
fn runs_of_earlier_memories_can_be_read() {
    let mut story = Story::new();
    story.touched = vec![1];
    story.pass(2);
    let mut memory = serde_json::to_value(&story.memory).unwrap();
    for run in memory["window"]["runs"].as_array_mut().unwrap() {
        assert!(run.as_object_mut().unwrap().remove("touched").is_some());
    }
    let read: EvidenceMemory = serde_json::from_value(memory).unwrap();
    assert_eq!(read.window.runs().map(|run| run.touched.len()).collect::<Vec<_>>(), [0; 2]);
}

/// A test has no row until it fails. After that, its row has a constant size, however often it passes.
#[test]
fn a_row_of_a_test_that_passes_does_not_grow() {
    let mut story = Story::new();
    story.pass(3);
    assert!(story.memory.tests.is_empty());
    story.run(&[failure(0, 1)]);
    assert_eq!(story.memory.tests.keys().collect::<Vec<_>>(), [&0]);
    assert_eq!(story.memory.tests[&0].totals.runs, 4, "the passes before count");
    story.pass(3);
    let early = serde_json::to_string(&story.memory.tests[&0]).unwrap().len();
    story.pass(300);
    let late = serde_json::to_string(&story.memory.tests[&0]).unwrap().len();
    assert!(late < early + 64, "{early} -> {late}");
}
