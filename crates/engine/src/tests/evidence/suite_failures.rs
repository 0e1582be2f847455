//! Tests cases that represent a whole command, or a file that could not be loaded. They pass when the command succeeds
//! or the file is loaded.

use super::Story;
use crate::tests::prelude::*;

const SUITE: &str = "a.test.js > (suite)";
const COMMAND: &str = "npm test";
const OTHER_ERROR: &str = "Error: the till is stuck";

fn record_cases(story: &Story, exit_code: i32, cases: Vec<ReportCase>) -> RunResult {
    let params = RecordRunParams {
        command: Some(COMMAND.to_owned()),
        exit_code: Some(exit_code),
        output_tail: Some("TypeError: config.rules is not iterable".to_owned()),
        ..story.params()
    };
    story.world.record(&params, cases).unwrap()
}

fn passed_cases() -> Vec<ReportCase> {
    ["a.test.js > adds", "a.test.js > takes", "b.test.js > adds"].map(passed_case).into()
}

/// The cases when the file cannot be loaded, or when nothing can be loaded.
fn failed_cases(name: &str) -> Vec<ReportCase> {
    if name == SUITE { vec![failed_case(SUITE, UNKNOWN_ERROR), passed_case("b.test.js > adds")] } else { Vec::new() }
}

fn diagnose(story: &Story, run: &RunResult, name: &str) -> DiagnosticResult {
    story.world.diagnose(&run.run_id, name).unwrap()
}

#[test]
fn a_broken_command_or_suite_is_a_regression_and_recovers() {
    for name in [SUITE, COMMAND] {
        let mut story = Story::new();
        let mut last = String::new();
        for _ in 0..6 {
            story.commit();
            last = record_cases(&story, 0, passed_cases()).run_id;
        }
        let culprit = story.commit();
        let broken = record_cases(&story, 1, failed_cases(name));
        let found = diagnose(&story, &broken, name);
        let verdict = found.verdict.unwrap();
        assert_eq!((verdict.kind, &found.suspects[0].commit), (VerdictKind::Regression, &culprit), "{name}");
        assert!(verdict.because[0].contains(&last), "{:?}", verdict.because);
        let listed = story.tests().tests;
        assert_eq!((listed[0].state, listed[0].verdict), (TestState::Broken, Some(VerdictKind::Regression)));

        story.commit();
        record_cases(&story, 0, passed_cases());
        let healthy = story.tests().tests;
        assert_eq!((healthy[0].state, healthy[0].failures, healthy[0].runs), (TestState::Healthy, 1, 8), "{name}");

        // The case is known only by its row.
        let culprit = story.commit();
        let found = diagnose(&story, &record_cases(&story, 1, failed_cases(name)), name);
        let kind = found.verdict.unwrap().kind;
        assert_eq!((kind, &found.suspects[0].commit), (VerdictKind::Regression, &culprit), "{name}");
    }
}

#[test]
fn an_unrelated_run_is_not_a_pass_of_the_command_or_suite() {
    for (name, cases) in [
        (SUITE, vec![passed_case("b.test.js > adds")]),
        (SUITE, vec![passed_case("a.test.js > adds"), failed_case("a.test.js > takes", OTHER_ERROR)]),
        (COMMAND, vec![failed_case("b.test.js > adds", OTHER_ERROR)]),
    ] {
        let mut story = Story::new();
        story.commit();
        record_cases(&story, 1, cases.clone());
        let first = record_cases(&story, 1, failed_cases(name));
        assert_eq!(diagnose(&story, &first, name).verdict.unwrap().kind, VerdictKind::New, "{name}");
        record_cases(&story, 1, cases);
        let again = diagnose(&story, &record_cases(&story, 1, failed_cases(name)), name);
        let (verdict, since) = again.verdict.map(|verdict| (verdict.kind, verdict.since.unwrap())).unwrap();
        assert_eq!((verdict, again.suspects), (VerdictKind::Broken, Vec::new()), "{name}");
        assert_eq!((since.run_id, since.commit), (first.run_id, None), "{name}");
    }
}
