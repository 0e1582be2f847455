//! The errors of a run before it is recorded.

use crate::tests::prelude::*;

fn errors_of_run(world: &World, params: &RecordRunParams) -> RunErrors {
    world.call(run_errors, params).unwrap()
}

fn error_of_output(text: &str) -> RunError {
    let params = RecordRunParams { cases: vec![failed_case("apples", text)], ..RecordRunParams::default() };
    errors_of_run(&World::new(), &params).errors.remove(0)
}

#[test]
fn run_errors_uses_the_names_of_recording_and_stores_nothing() {
    let world = World::new();
    let secret = "key ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let cases = vec![
        passed_case("fine"),
        failed_case("boom", UNKNOWN_ERROR),
        failed_case(secret, UNKNOWN_ERROR),
        failed_case("mute", " "),
    ];
    let params = RecordRunParams { cases: cases.clone(), exit_code: Some(1), ..RecordRunParams::default() };
    let told = errors_of_run(&world, &params);
    assert!(!told.of_command);
    assert_eq!(world.call(history, &HistoryParams::default()).unwrap().total, 0);
    assert_eq!(world.call(overview, &NoParams {}).unwrap().known_patterns, 6);
    let names: Vec<&str> = told.errors.iter().map(|error| error.case_name.as_str()).collect();
    let run = world.record(&params, cases).unwrap();
    let recorded: Vec<&str> = run.failures.iter().map(|failure| failure.case_name.as_str()).collect();
    assert_eq!(names, recorded[..2], "the third failure has no error");
    assert!(!names[1].contains("ghp_"));
    assert_eq!(told.errors[0].family, told.errors[1].family);
}

#[test]
fn run_errors_uses_the_command_output_without_case_errors() {
    let params = RecordRunParams {
        command: Some("make all".to_owned()),
        folder: Some("packages/a".to_owned()),
        exit_code: Some(2),
        output_tail: Some(UNKNOWN_ERROR.to_owned()),
        ..RecordRunParams::default()
    };
    let told = errors_of_run(&World::new(), &params);
    assert!(told.of_command);
    assert_eq!((told.errors.len(), told.errors[0].case_name.as_str()), (1, "packages/a > make all"));
    assert_eq!(told.errors[0].family, error_of_output(UNKNOWN_ERROR).family);
    let mute = errors_of_run(&World::new(), &RecordRunParams { output_tail: None, ..params.clone() });
    assert!(mute.of_command && mute.errors.is_empty());
    // After a timeout, no sentence of the output explains the failure.
    let late = RecordRunParams { timed_out: true, duration_ms: Some(60_000.0), exit_code: None, ..params };
    assert!(errors_of_run(&World::new(), &late).errors[0].is_of_test);
}

#[test]
fn equal_sentences_from_different_places_have_the_same_hash() {
    let from =
        |error: &str, place: &str| error_of_output(&format!("{error}\n    at {place} (/shop/src/{place}.mjs:3:7)\n"));
    let [load, send] = ["load", "send"].map(|place| from("Error: the stock ledger is closed", place));
    assert_ne!(load.family, send.family);
    assert!(load.sentence.is_some() && load.sentence == send.sentence && !load.is_of_test);
    assert_eq!(load.words, ["stock", "ledger", "closed"].map(str::to_owned));
    assert_ne!(from("Error: the stock ledger is full", "load").sentence, load.sentence);
    assert_eq!(from("TypeError: Cannot read properties of undefined (reading 'id')", "load").sentence, None);
    let expected = error_of_output("AssertionError: expected 1 to equal 2");
    assert!(expected.is_of_test && expected.sentence.is_none());
}

#[test]
fn run_errors_returns_at_most_twenty_errors() {
    let cases = (0..30).map(|at| failed_case(&format!("case {at}"), UNKNOWN_ERROR)).collect();
    assert_eq!(errors_of_run(&World::new(), &RecordRunParams { cases, ..RecordRunParams::default() }).errors.len(), 20);
}
