//! The message, place, kind and causes in answers about a run and a diagnosis.

use crate::tests::prelude::*;
use argus_core::FailureKind;

pub(super) fn shop_world() -> World {
    let options = EngineOptions { project_root: "/srv/shop".to_owned(), ..EngineOptions::default() };
    World::open_with_options(":memory:", options).unwrap()
}

/// A failed assertion of node:test, at a line of its test.
pub(super) fn assertion_case(name: &str, actual: u32, expected: u32, line: u32) -> ReportCase {
    failed_case(
        name,
        &format!(
            "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n{actual} !== {expected}\n\n    at TestContext.<anonymous> (file:///srv/shop/test/price.test.mjs:{line}:10)\n    at Test.runInAsyncScope (node:async_hooks:206:9)"
        ),
    )
}

/// An error that the project's code throws during a test.
fn thrown_error_case(name: &str, what: &str, line: u32) -> ReportCase {
    failed_case(
        name,
        &format!(
            "TypeError: {what}\n    at total (/srv/shop/src/cart.js:7:12)\n    at TestContext.<anonymous> (/srv/shop/test/cart.test.js:{line}:3)"
        ),
    )
}

fn answer_size(run: &RunResult) -> usize {
    serde_json::to_string(run).unwrap().chars().count()
}

#[test]
fn a_failure_has_its_values_and_its_place() {
    let world = shop_world();
    let cases = vec![assertion_case("price", 24, 7, 6), thrown_error_case("cart", "cart.totl is not a function", 20)];
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let [price, cart] = &run.failures[..] else { panic!("{run:?}") };
    assert_eq!(price.headline, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 24 !== 7");
    assert_eq!(price.message, None, "the headline contains the whole message");
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
fn a_failure_without_a_project_frame_is_placed_in_its_test_file() {
    let world = shop_world();
    let refused = |name: &str| {
        failed_case(
            name,
            "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)",
        )
    };
    let cases = vec![refused("is stored"), ReportCase { file: None, ..refused("is read") }];
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let places: Vec<_> = run.failures.iter().map(|failure| failure.test_place.as_deref()).collect();
    assert_eq!(places, [Some("a.test.ts"), None]);
    assert_eq!(run.causes.len(), 1, "two tests with the same error have one cause");
}

#[test]
fn the_failure_of_a_command_has_its_exit_code_and_kind() {
    let world = shop_world();
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
fn failures_with_the_same_error_and_place_share_a_cause() {
    let world = shop_world();
    let mut cases: Vec<_> = (0..39)
        .map(|number| thrown_error_case(&format!("cart {number}"), "cart.totl is not a function", number + 1))
        .collect();
    cases.push(failed_case("other", "Error: the shop is closed"));
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let counts: Vec<_> = run.causes.iter().map(|cause| (cause.count, cause.place.as_deref())).collect();
    assert_eq!(counts, [(39, Some("src/cart.js:7")), (1, None)]);
    assert_eq!(run.causes[0].headline, "TypeError: cart.totl is not a function");
    assert_eq!(u32::try_from(run.failures.len()).unwrap() + run.more, 40);
    // A failure that came after many failures of another cause is listed.
    assert!(run.failures.iter().any(|failure| failure.case_name.ends_with("other")), "{:?}", run.failures);
    let diagnosis = world.diagnose(&run.run_id, "cart 38").unwrap();
    assert_eq!((diagnosis.cause.count, &diagnosis.cause.cause_id), (39, &run.causes[0].cause_id));
    assert_eq!(diagnosis.cause.cases[0], "a.test.ts > suite > cart 38");
}

#[test]
fn a_cause_has_the_headline_of_most_of_its_failures() {
    let cases = vec![
        thrown_error_case("a", "no cart", 1),
        thrown_error_case("b", "cart is empty", 2),
        thrown_error_case("c", "cart is empty", 3),
    ];
    let run = shop_world().record(&RecordRunParams::default(), cases).unwrap();
    assert_eq!((run.causes.len(), run.causes[0].headline.as_str()), (1, "TypeError: cart is empty"));
}

#[test]
fn a_new_test_does_not_decide_the_verdict_of_a_cause() {
    let world = shop_world();
    for _ in 0..3 {
        world.run(vec![passed_case("old"), passed_case("older")]);
    }
    let cases = vec![
        thrown_error_case("a new one", "no cart", 1),
        thrown_error_case("old", "no cart", 1),
        thrown_error_case("older", "no cart", 1),
    ];
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    let kinds: Vec<_> = run.causes.iter().map(|cause| cause.verdict.as_ref().unwrap().kind).collect();
    assert!(kinds.len() == 1 && kinds[0] != VerdictKind::New, "{kinds:?}");
}

#[test]
fn assertions_at_different_lines_are_different_causes() {
    let world = shop_world();
    let run = world
        .record(&RecordRunParams::default(), vec![assertion_case("a", 24, 7, 6), assertion_case("b", 24, 7, 12)])
        .unwrap();
    assert_eq!(run.causes.len(), 2);
}

#[test]
fn errors_without_a_common_function_are_different_causes() {
    let panics = |line: u32, message: &str| {
        format!(
            "thread 'tests::it' panicked at src/lib.rs:{line}:9:\n{message}\nnote: run with `RUST_BACKTRACE=1` environment \
             variable to display a backtrace"
        )
    };
    let reads = |file: &str| {
        format!(
            "TypeError: Cannot read properties of undefined (reading 'length')\n    at exports.get (/proj/{file}:1:31)\n    \
             at Object.<anonymous> (/proj/test.test.js:3:5)"
        )
    };
    for (one, other, why) in [
        (
            panics(5, "disk is full"),
            panics(10, "index out of bounds: the len is 0 but the index is 3"),
            "two panics of a file",
        ),
        (reads("red/get.js"), reads("blue/get.js"), "functions of one name in files of one name"),
    ] {
        let cases = vec![failed_case("one", &one), failed_case("other", &other)];
        let run = World::new().record(&RecordRunParams::default(), cases).unwrap();
        let places: Vec<_> = run.causes.iter().map(|cause| cause.place.as_deref()).collect();
        assert_eq!(run.causes.len(), 2, "{why}: {places:?}");
    }
}

/// Playwright prints a call log after the values.
#[test]
fn each_listed_failure_shows_its_values() {
    let unseen = |number: u32| {
        let log = "      - unexpected value \"false\"\n".repeat(20);
        failed_case(
            &format!("the button of a page with a long title should say whether its menu number {number} is open"),
            &format!(
                "Error: Timed out 1000ms waiting for expect(received).toHaveAttribute(expected)\n\nExpected string: \"open-{number}\"\nReceived string: \"shut-{number}\"\nCall log:\n  - waiting for locator('#menu')\n{log}\n    at /srv/shop/test/menu.spec.ts:{number}:24"
            ),
        )
    };
    let run = shop_world().record(&RecordRunParams::default(), (1..=5).map(unseen).collect()).unwrap();
    for (number, failure) in (1..).zip(&run.failures) {
        let message = failure.message.as_deref().unwrap_or_default();
        assert!(
            message.contains(&format!("open-{number}")) && message.contains(&format!("shut-{number}")),
            "{message}"
        );
        assert_eq!((failure.category, failure.failure_kind), (Category::Timeout, FailureKind::Assertion));
    }
}

#[test]
fn the_size_of_an_answer_is_limited_for_any_number_of_failures() {
    let long = "the shop is closed ".repeat(60);
    let one_cause = |number: u32| thrown_error_case(&format!("case {number}"), "cart.totl is not a function", number);
    let many_causes = |number: u32| {
        failed_case(&format!("case {number}"), &format!("Error: {} {long}\nmore of {long}", distinct_word(number)))
    };
    for (case, causes, listed) in [(&one_cause as &dyn Fn(u32) -> ReportCase, 1, 3), (&many_causes, 151, 5)] {
        let run = shop_world().record(&RecordRunParams::default(), (1..=151).map(case).collect()).unwrap();
        assert!(answer_size(&run) <= 10_000, "{} characters", answer_size(&run));
        assert_eq!(run.totals.failed, 151);
        assert_eq!(u32::try_from(run.failures.len()).unwrap() + run.more, 151);
        assert_eq!(u32::try_from(run.causes.len()).unwrap() + run.more_causes, causes);
        assert!(run.failures.len() >= listed, "{}", run.failures.len());
    }
    let one = shop_world().record(&RecordRunParams::default(), vec![many_causes(1)]).unwrap();
    assert!(answer_size(&one) <= 1_700, "{} characters: {one:#?}", answer_size(&one));
}

#[test]
fn a_diagnosis_adds_at_most_1500_characters_to_the_contract_fields() {
    const OF_CONTRACT: [&str; 9] = [
        "category",
        "signature",
        "signaturePattern",
        "pattern",
        "suggestedFix",
        "confidence",
        "fixHistory",
        "isNewPattern",
        "message",
    ];
    let world = shop_world();
    let cases = |failing: bool| -> Vec<ReportCase> {
        let case = |number: u32| {
            let name = format!("case {number} of the shop");
            if failing { thrown_error_case(&name, "cart.totl is not a function", number) } else { passed_case(&name) }
        };
        (1..=30).map(case).collect()
    };
    for commit in 0..8 {
        world.record(&on_commit(&commit.to_string()), cases(false)).unwrap();
    }
    for commit in ["broken", "more"] {
        let run = world.record(&on_commit(commit), cases(true)).unwrap();
        let diagnosis = world.diagnose(&run.run_id, &run.failures[0].case_name).unwrap();
        let Value::Object(mut fields) = serde_json::to_value(&diagnosis).unwrap() else { panic!("no object") };
        fields.retain(|name, _| !OF_CONTRACT.contains(&name.as_str()));
        let added = serde_json::to_string(&fields).unwrap();
        assert!(added.chars().count() <= 1_500, "{} characters: {added}", added.chars().count());
    }
}

#[test]
fn the_largest_cause_is_listed_even_if_it_comes_last() {
    let many =
        (1..=30).map(|number| failed_case(&format!("case {number}"), &format!("Error: no {}", distinct_word(number))));
    let last =
        (31..=95).map(|number| thrown_error_case(&format!("case {number}"), "cart.totl is not a function", number));
    let run = shop_world().record(&RecordRunParams::default(), many.chain(last).collect()).unwrap();
    assert_eq!(run.causes[0].count, 65);
    let listed: Vec<&str> = run.failures.iter().map(|failure| failure.cause_id.as_str()).collect();
    for cause in &run.causes {
        assert!(listed.contains(&cause.cause_id.as_str()), "{} is told by no failure", cause.headline);
    }
}

#[test]
fn a_message_does_not_repeat_its_headline() {
    let error = "AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   ALLOWED_HOSTS: [\n+     ''\n+   ]\n-   ALLOWED_HOSTS: []\n  }\n";
    let run = shop_world().record(&RecordRunParams::default(), vec![failed_case("hosts", error)]).unwrap();
    let failure = &run.failures[0];
    assert!(
        failure.headline.starts_with("AssertionError [ERR_ASSERTION]: Expected values to be"),
        "{}",
        failure.headline
    );
    assert_eq!(failure.message.as_deref(), Some("- ALLOWED_HOSTS: []\n+ ALLOWED_HOSTS: [\n+ ''"));
}

/// A different word for each number, because numbers are removed from error texts.
fn distinct_word(number: u32) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect::<String>() + "tor"
}

#[test]
fn causes_differ_by_stable_values_in_the_message() {
    let counts = |cases: Vec<ReportCase>| {
        let world = shop_world();
        let run = world.record(&RecordRunParams::default(), cases).unwrap();
        let name = &run.failures.last().unwrap().case_name;
        let last = run.causes.iter().find(|cause| cause.cases.contains(name)).unwrap();
        assert_eq!(world.diagnose(&run.run_id, name).unwrap().cause.count, last.count);
        run.causes.iter().map(|cause| cause.count).collect::<Vec<_>>()
    };
    let refused = |name: &str, port: u32| failed_case(name, &format!("Error: connect ECONNREFUSED 127.0.0.1:{port}"));
    let slow = |name: &str, ms: u32| failed_case(name, &format!("Error: the till did not answer within {ms} ms"));
    let pooled = |name: &str, port: u32| {
        failed_case(name, &format!("Error: connect ECONNREFUSED 127.0.0.1:{port}\n    at open (src/pool.ts:4:9)"))
    };
    assert_eq!(counts(vec![refused("a", 5432), refused("b", 6379)]), [1, 1]);
    assert_eq!(counts(vec![slow("a", 5003), slow("b", 4998)]), [2]);
    assert_eq!(counts(vec![pooled("a", 50001), pooled("b", 50002)]), [2]);
    // Several services that are down count as a single outage.
    assert_eq!(counts(vec![refused("a", 5432), refused("b", 6379), refused("c", 5432)]), [3]);
}

#[test]
fn a_cause_keeps_its_id_across_runs() {
    let world = shop_world();
    let broken = |line: u32| {
        let cases = vec![
            thrown_error_case("first", "cart.totl is not a function", line),
            thrown_error_case("second", "no cart", line + 4),
        ];
        world.record(&RecordRunParams::default(), cases).unwrap()
    };
    let (before, after) = (broken(20), broken(31));
    // Two errors of the same function share a cause, even if the tests move to other lines.
    assert_eq!(before.causes.len(), 1, "{:?}", before.causes);
    assert_eq!(before.causes[0].cause_id, after.causes[0].cause_id);
    assert!(after.failures.iter().all(|failure| failure.cause_id == after.causes[0].cause_id));
    assert_eq!(after.causes[0].verdict.as_ref().unwrap().kind, VerdictKind::Broken);
}

#[test]
fn a_file_that_failed_to_load_gets_its_reason_from_the_output() {
    let world = shop_world();
    let suite = ReportCase {
        file: Some("test/cart.test.js".to_owned()),
        suite: Vec::new(),
        name: argus_report::SUITE_FAILURE_NAME.to_owned(),
        ..failed_case("", "test failed")
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
    assert_eq!(failure.failure_kind, FailureKind::MissingExport);
}
