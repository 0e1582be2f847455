//! Cases that stand for a whole command or for a file that could not be loaded pass when the command or file ends
//! well.

use super::Story;
use crate::tests::prelude::*;

const SUITE: &str = "a.test.js > (suite)";
const COMMAND: &str = "npm test";
const OTHER: &str = "Error: the till is stuck";

fn run(story: &Story, exit_code: i32, cases: Vec<ReportCase>) -> RunResult {
    let params = RecordRunParams {
        command: Some(COMMAND.to_owned()),
        exit_code: Some(exit_code),
        output_tail: Some("TypeError: config.rules is not iterable".to_owned()),
        ..story.params()
    };
    story.world.record(&params, cases).unwrap()
}

fn green() -> Vec<ReportCase> {
    ["a.test.js > adds", "a.test.js > takes", "b.test.js > adds"].map(passed).into()
}

/// The cases when the file cannot be loaded, or when nothing can be loaded.
fn red(name: &str) -> Vec<ReportCase> {
    if name == SUITE { vec![failed(SUITE, UNKNOWN), passed("b.test.js > adds")] } else { Vec::new() }
}

fn diagnosed(story: &Story, run: &RunResult, name: &str) -> DiagnosticResult {
    story.world.diagnose(&run.run_id, name).unwrap()
}

#[test]
fn a_broken_command_or_suite_is_a_regression_and_recovers() {
    for name in [SUITE, COMMAND] {
        let mut story = Story::new();
        let mut last = String::new();
        for _ in 0..6 {
            story.commit();
            last = run(&story, 0, green()).run_id;
        }
        let culprit = story.commit();
        let broken = run(&story, 1, red(name));
        let found = diagnosed(&story, &broken, name);
        let verdict = found.verdict.unwrap();
        assert_eq!((verdict.kind, &found.suspects[0].commit), (VerdictKind::Regression, &culprit), "{name}");
        assert!(verdict.because[0].contains(&last), "{:?}", verdict.because);
        let listed = story.tests().tests;
        assert_eq!((listed[0].state, listed[0].verdict), (TestState::Broken, Some(VerdictKind::Regression)));

        story.commit();
        run(&story, 0, green());
        let healthy = story.tests().tests;
        assert_eq!((healthy[0].state, healthy[0].failures, healthy[0].runs), (TestState::Healthy, 1, 8), "{name}");

        // The case is known only by its row.
        let culprit = story.commit();
        let found = diagnosed(&story, &run(&story, 1, red(name)), name);
        let kind = found.verdict.unwrap().kind;
        assert_eq!((kind, &found.suspects[0].commit), (VerdictKind::Regression, &culprit), "{name}");
    }
}

#[test]
fn an_unrelated_run_is_not_a_pass_of_the_command_or_suite() {
    for (name, cases) in [
        (SUITE, vec![passed("b.test.js > adds")]),
        (SUITE, vec![passed("a.test.js > adds"), failed("a.test.js > takes", OTHER)]),
        (COMMAND, vec![failed("b.test.js > adds", OTHER)]),
    ] {
        let mut story = Story::new();
        story.commit();
        run(&story, 1, cases.clone());
        let first = run(&story, 1, red(name));
        assert_eq!(diagnosed(&story, &first, name).verdict.unwrap().kind, VerdictKind::New, "{name}");
        run(&story, 1, cases);
        let again = diagnosed(&story, &run(&story, 1, red(name)), name);
        let (verdict, since) = again.verdict.map(|verdict| (verdict.kind, verdict.since.unwrap())).unwrap();
        assert_eq!((verdict, again.suspects), (VerdictKind::Broken, Vec::new()), "{name}");
        assert_eq!((since.run_id, since.commit), (first.run_id, None), "{name}");
    }
}
