//! What an agent gets of a run and of a diagnosis: message, place, kind, causes, and which fix comes first.

use super::{REFUSED, World, failed, passed};
use crate::contract::{EngineOptions, HowMatched, RecordRunParams, RunResult};
use argus_core::FailureKind;
use argus_report::ReportCase;

fn shop() -> World {
    let options = EngineOptions { project_root: "/srv/shop".to_owned(), ..EngineOptions::default() };
    World::with(":memory:", options).unwrap()
}

/// A failed assertion of node:test, at a line of its test.
fn unequal(name: &str, actual: u32, expected: u32, line: u32) -> ReportCase {
    failed(
        name,
        &format!(
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n{actual} !== {expected}\n\n    at TestContext.<anonymous> (file:///srv/shop/test/price.test.mjs:{line}:10)\n    at Test.runInAsyncScope (node:async_hooks:206:9)"
        ),
    )
}

/// An error of the project's code, met in a test.
fn thrown(name: &str, what: &str, line: u32) -> ReportCase {
    failed(
        name,
        &format!(
            "TypeError: {what}\n    at total (/srv/shop/src/cart.js:7:12)\n    at TestContext.<anonymous> (/srv/shop/test/cart.test.js:{line}:3)"
        ),
    )
}

fn size(run: &RunResult) -> usize {
    serde_json::to_string(run).unwrap().chars().count()
}

#[test]
fn a_failure_says_its_values_and_where_it_happened() {
    let world = shop();
    let cases = vec![unequal("price", 24, 7, 6), thrown("cart", "cart.totl is not a function", 20)];
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let [price, cart] = &run.failures[..] else { panic!("{run:?}") };
    assert_eq!(price.headline, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 24 !== 7");
    assert_eq!(price.message, None, "the headline says it all");
    assert_eq!((price.place.as_deref(), price.test_place.as_deref()), (None, Some("test/price.test.mjs:6")));
    assert_eq!(price.failure_kind, FailureKind::Assertion);
    assert_eq!(cart.place.as_deref(), Some("src/cart.js:7"));
    assert_eq!(cart.test_place.as_deref(), Some("test/cart.test.js:20"));
    assert_eq!(cart.failure_kind, FailureKind::UndefinedName);
    let diagnosis = world.diagnose(&run.run_id, "cart").unwrap();
    assert_eq!(diagnosis.message, "TypeError: cart.totl is not a function");
    assert_eq!((diagnosis.place.as_deref(), diagnosis.failure_kind), (Some("src/cart.js:7"), cart.failure_kind));
    assert_eq!((diagnosis.cause.count, &diagnosis.cause.cause_id), (1, &cart.cause_id));
}

#[test]
fn a_failure_without_a_frame_of_the_project_is_in_the_file_of_its_case() {
    let world = shop();
    let refused = |name: &str| {
        failed(
            name,
            "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)",
        )
    };
    let cases = vec![refused("is stored"), ReportCase { file: None, ..refused("is read") }];
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let places: Vec<_> = run.failures.iter().map(|failure| failure.test_place.as_deref()).collect();
    assert_eq!(places, [Some("a.test.ts"), None]);
    assert_eq!(run.causes.len(), 1, "one error in two tests");
}

#[test]
fn a_command_that_failed_says_how_it_ended() {
    let world = shop();
    let command = RecordRunParams {
        command: Some("./deploy.sh".to_owned()),
        exit_code: Some(127),
        output_tail: Some("./deploy.sh: line 3: kubectl: command not found".to_owned()),
        ..RecordRunParams::default()
    };
    let run = world.record(&command, Vec::new()).unwrap();
    assert_eq!((run.failures[0].exit_code, run.failures[0].failure_kind), (Some(127), FailureKind::CommandNotFound));
    let diagnosis = world.diagnose(&run.run_id, "./deploy.sh").unwrap();
    assert_eq!((diagnosis.exit_code, diagnosis.signal), (Some(127), None));
}

#[test]
fn failures_of_one_error_at_one_place_are_one_cause() {
    let world = shop();
    let mut cases: Vec<_> =
        (0..39).map(|number| thrown(&format!("cart {number}"), "cart.totl is not a function", number + 1)).collect();
    cases.push(failed("other", "Error: the shop is closed"));
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let counts: Vec<_> = run.causes.iter().map(|cause| (cause.count, cause.place.as_deref())).collect();
    assert_eq!(counts, [(39, Some("src/cart.js:7")), (1, None)]);
    assert_eq!(run.causes[0].headline, "TypeError: cart.totl is not a function");
    assert_eq!(u32::try_from(run.failures.len()).unwrap() + run.more, 40);
    // One that came after many of another cause is listed.
    assert!(run.failures.iter().any(|failure| failure.case_name.ends_with("other")), "{:?}", run.failures);
    let diagnosis = world.diagnose(&run.run_id, "cart 38").unwrap();
    assert_eq!((diagnosis.cause.count, &diagnosis.cause.cause_id), (39, &run.causes[0].cause_id));
    assert_eq!(diagnosis.cause.cases[0], "a.test.ts > suite > cart 38");
}

#[test]
fn two_assertions_are_two_causes() {
    let world = shop();
    let run = world.record(&RecordRunParams::default(), vec![unequal("a", 24, 7, 6), unequal("b", 24, 7, 12)]).unwrap();
    assert_eq!(run.causes.len(), 2);
}

#[test]
fn an_answer_is_bounded_however_much_failed() {
    let long = "the shop is closed ".repeat(60);
    let one_cause = |number: u32| thrown(&format!("case {number}"), "cart.totl is not a function", number);
    let many_causes =
        |number: u32| failed(&format!("case {number}"), &format!("Error: {} {long}\nmore of {long}", word(number)));
    for (case, causes) in [(&one_cause as &dyn Fn(u32) -> ReportCase, 1), (&many_causes, 151)] {
        let run = shop().record(&RecordRunParams::default(), (1..=151).map(case).collect()).unwrap();
        assert!(size(&run) <= 10_000, "{} characters", size(&run));
        assert_eq!(run.totals.failed, 151);
        assert_eq!(u32::try_from(run.failures.len()).unwrap() + run.more, 151);
        assert_eq!(u32::try_from(run.causes.len()).unwrap() + run.more_causes, causes);
        assert!(run.failures.len() >= 5, "{}", run.failures.len());
    }
    let one = shop().record(&RecordRunParams::default(), vec![many_causes(1)]).unwrap();
    assert!(size(&one) <= 1_700, "{} characters: {one:#?}", size(&one));
}

/// A word of its own for each number: numbers are no part of an error.
fn word(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>() + "tor"
}

#[test]
fn a_fix_of_the_same_error_in_another_case_comes_before_a_tip() {
    let world = shop();
    let first = world.run(vec![failed("health", REFUSED)]);
    world.diagnose(&first, "health").unwrap();
    world.fix(&first, "health", "Start the database before the tests", true).unwrap();
    let again = world.record(&RecordRunParams::default(), vec![failed("orders", REFUSED)]).unwrap();
    let known = again.failures[0].known.as_ref().unwrap();
    assert_eq!(known.pattern_id, "builtin-conn-refused", "the pattern is the contract's");
    assert_eq!(known.suggested_fix.as_deref(), Some("Start the database before the tests"));
    let from = known.suggested_from.as_ref().unwrap();
    assert_eq!(from.case_name, "a.test.ts > suite > health");
    // Diagnoses that nobody reports a fix for take nothing from its place.
    for _ in 0..5 {
        let diagnosis = world.diagnose(&again.run_id, "orders").unwrap();
        assert_eq!(diagnosis.pattern.as_ref().unwrap().id, "builtin-conn-refused");
        assert_eq!(diagnosis.suggested_fix.as_deref(), Some("Start the database before the tests"));
        assert_eq!(diagnosis.related[0].id, from.pattern_id);
        assert_eq!(diagnosis.suggested_from.unwrap().pattern_id, from.pattern_id);
    }
}

#[test]
fn a_fix_that_did_not_help_is_no_suggestion_elsewhere() {
    let world = shop();
    let first = world.run(vec![failed("health", REFUSED)]);
    world.diagnose(&first, "health").unwrap();
    world.fix(&first, "health", "Restarted it", false).unwrap();
    let run = world.run(vec![failed("orders", REFUSED)]);
    let diagnosis = world.diagnose(&run, "orders").unwrap();
    assert_eq!(diagnosis.suggested_from, None);
    assert_ne!(diagnosis.suggested_fix.as_deref(), Some("Restarted it"));
}

#[test]
fn the_own_fix_comes_before_one_of_another_case() {
    let world = shop();
    let run = world.run(vec![failed("health", REFUSED), failed("orders", REFUSED)]);
    world.fix(&run, "health", "Start the database", true).unwrap();
    world.fix(&run, "orders", "Wait for the database", true).unwrap();
    world.run(vec![passed("orders")]);
    let again = world.run(vec![failed("orders", REFUSED)]);
    let diagnosis = world.diagnose(&again, "orders").unwrap();
    assert_eq!(diagnosis.suggested_fix.as_deref(), Some("Wait for the database"));
    assert_eq!((diagnosis.suggested_from, diagnosis.matched.how), (None, HowMatched::Signature));
}

#[test]
fn of_two_assertions_that_differ_in_numbers_the_fix_is_related_and_not_the_same() {
    let world = shop();
    let wrong = |actual: u32, expected: u32| format!("AssertionError: expected {actual} to be {expected}");
    let first = world.run(vec![failed("price", &wrong(24, 7))]);
    world.diagnose(&first, "price").unwrap();
    world.fix(&first, "price", "Sum the prices instead of multiplying them", true).unwrap();
    let run = world.run(vec![failed("stock", &wrong(3, 5)), failed("basket", &wrong(24, 7))]);

    let stock = world.diagnose(&run, "stock").unwrap();
    assert_eq!(stock.suggested_from, None, "another assertion's fix is not this one's");
    let related = &stock.related[0];
    assert_eq!(related.suggested_fix.as_deref(), Some("Sum the prices instead of multiplying them"));
    assert!(related.similarity < 1.0 && related.similarity > 0.6, "{}", related.similarity);
    assert_eq!(related.differences[0].before, wrong(24, 7));
    assert_eq!(related.differences[0].now, wrong(3, 5));

    let basket = world.diagnose(&run, "basket").unwrap();
    assert_eq!(basket.suggested_fix.as_deref(), Some("Sum the prices instead of multiplying them"));
    assert_eq!(basket.related[0].similarity, 1.0);
}

#[test]
fn the_same_assertion_with_other_values_is_recognised_and_says_what_differs() {
    let world = shop();
    let first = world.run(vec![unequal("price", 24, 7, 6)]);
    world.diagnose(&first, "price").unwrap();
    world.fix(&first, "price", "Sum the prices", true).unwrap();
    world.run(vec![passed("price")]);
    let again = world.run(vec![unequal("price", 3, 5, 6)]);
    let diagnosis = world.diagnose(&again, "price").unwrap();
    assert_eq!(
        (diagnosis.matched.how, diagnosis.suggested_fix.as_deref()),
        (HowMatched::Signature, Some("Sum the prices"))
    );
    assert!(diagnosis.matched.similarity.unwrap() < 1.0);
    let difference = &diagnosis.matched.differences[0];
    assert_eq!((difference.before.as_str(), difference.now.as_str()), ("24 !== 7", "3 !== 5"));
    let same = world.run(vec![unequal("price", 24, 7, 6)]);
    let diagnosis = world.diagnose(&same, "price").unwrap();
    assert_eq!((diagnosis.matched.similarity, diagnosis.matched.differences), (Some(1.0), Vec::new()));
}

#[test]
fn a_file_that_could_not_be_loaded_says_why_out_of_the_output() {
    let world = shop();
    let suite = ReportCase {
        file: Some("test/cart.test.js".to_owned()),
        suite: Vec::new(),
        name: argus_report::SUITE_FAILURE.to_owned(),
        ..failed("", "test failed")
    };
    let params = RecordRunParams {
        exit_code: Some(1),
        output_tail: Some(
            "file:///srv/shop/test/cart.test.js:1\nimport { total } from '../src/cart.js';\n\nSyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'\n\nNode.js v20.20.2\n"
                .to_owned(),
        ),
        ..RecordRunParams::default()
    };
    let run = world.record(&params, vec![suite]).unwrap();
    let failure = &run.failures[0];
    assert_eq!(
        failure.headline,
        "SyntaxError: The requested module '../src/cart.js' does not provide an export named 'total'"
    );
    assert_eq!(failure.test_place.as_deref(), Some("test/cart.test.js:1"));
    assert_eq!(failure.failure_kind, FailureKind::ModuleNotFound);
}
