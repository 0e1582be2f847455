//! A case whose name contains the address of an object is the same case in each run.

use super::Story;
use crate::tests::prelude::*;

fn case_name(run: u32) -> String {
    format!("tests/test_a.py > test_x[<function f at 0x7f474e8f{run:04x}>]")
}

fn record_cases(story: &Story, number: u32, case: fn(&str) -> ReportCase) -> RunResult {
    story
        .world
        .record(&story.params(), vec![case(&case_name(number)), passed_case("tests/test_a.py > test_y")])
        .unwrap()
}

fn failing_case(name: &str) -> ReportCase {
    failed_case(name, "E       assert 1 == 2")
}

#[test]
fn history_signature_and_proof_ignore_the_address() {
    let mut story = Story::new();
    for number in 1..=4 {
        story.commit();
        record_cases(&story, number, passed_case);
    }
    let culprit = story.commit();
    let broken = record_cases(&story, 5, failing_case);
    let found = story.world.diagnose(&broken.run_id, &case_name(5)).unwrap();
    let kind = found.verdict.as_ref().unwrap().kind;
    assert_eq!((kind, &found.suspects[0].commit), (VerdictKind::Regression, &culprit));
    let again = record_cases(&story, 6, failing_case);
    let known = story.world.diagnose(&again.run_id, &case_name(6)).unwrap();
    assert_eq!((known.signature, known.is_new_pattern), (found.signature, false));
    let params = TestHistoryParams { case_name: case_name(6), ..TestHistoryParams::default() };
    let history = test_history(&story.world.engine, &story.world.context(), &params).unwrap();
    assert!(history.case_name.ends_with(&case_name(6)), "{}", history.case_name);
    assert_eq!(history.runs.len(), 6);
    assert_eq!(history.runs.iter().filter(|run| run.headline.is_some()).count(), 2);
}
