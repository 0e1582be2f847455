//! Tests of the names of tests that were read from printed output.

use crate::tests::prelude::*;

fn without_suite(case: ReportCase) -> ReportCase {
    ReportCase { file: None, suite: Vec::new(), ..case }
}

#[test]
fn printed_names_are_completed_by_the_names_of_earlier_runs() {
    let world = World::new();
    let known = ["a.js > adds", "a.js > sum > is exact", "b.js > loads", "c.js > loads", "web > npm test"];
    world.run(known.map(|name| without_suite(passed_case(name))).to_vec());
    let printed = RecordRunParams {
        printed_names: true,
        command: Some("npm test".to_owned()),
        exit_code: Some(1),
        ..RecordRunParams::default()
    };
    // Two tests are called `loads`, `is exact` leaves out more than the file, and the command is not a test.
    for (name, expected) in [
        ("adds", "a.js > adds"),
        ("sum > is exact", "a.js > sum > is exact"),
        ("is exact", "is exact"),
        ("loads", "loads"),
        ("npm test", "npm test"),
        ("d.js > new", "d.js > new"),
    ] {
        let run = world.record(&printed, vec![without_suite(failed_case(name, "Error: no"))]).unwrap();
        assert_eq!(run.failures[0].case_name, expected);
    }
}

#[test]
fn names_of_a_report_are_not_completed() {
    let world = World::new();
    world.run(vec![without_suite(passed_case("a.js > adds"))]);
    let run = world.record(&RecordRunParams::default(), vec![without_suite(failed_case("adds", "Error: no"))]).unwrap();
    assert_eq!(run.failures[0].case_name, "adds");
}
