//! The order of execution that can be derived from a report.

use crate::read;
use argus_report::{CaseStatus, ExecutionOrder, ParsedReport, ReportCase};

fn parsed(bytes: &[u8]) -> (ParsedReport, Vec<ReportCase>) {
    read(bytes).unwrap()
}

fn fixture(name: &str) -> (ParsedReport, Vec<ReportCase>) {
    parsed(&crate::fixture(name))
}

/// Names of the executed cases in the order of execution.
fn executed((parsed, mut cases): (ParsedReport, Vec<ReportCase>)) -> Option<Vec<String>> {
    match parsed.order {
        ExecutionOrder::Unknown => return None,
        ExecutionOrder::AsReported => cases.sort_by_key(|case| case.place.number),
        ExecutionOrder::ByStart | ExecutionOrder::ByStartInUnits => cases.sort_by_key(|case| case.place),
    }
    Some(cases.into_iter().filter(|case| case.status != CaseStatus::Skipped).map(|case| case.name).collect())
}

#[test]
fn detects_order_of_real_reports() {
    use ExecutionOrder::{AsReported, ByStart, ByStartInUnits, Unknown};
    let rows = [
        ("bats.tap", AsReported),
        ("bun.xml", AsReported),
        ("deno.xml", AsReported),
        ("go-test.json", ByStartInUnits),
        ("gotestsum.xml", Unknown),
        ("gradle.xml", ByStart),
        ("jest-ctrf.json", Unknown),
        ("jest-junit-file.xml", ByStart),
        ("jest.json", ByStart),
        ("mocha-junit.xml", AsReported),
        ("nextest-junit.xml", ByStart),
        ("node-test-junit.xml", Unknown),
        ("phpunit.xml", AsReported),
        ("playwright-ctrf.json", ByStart),
        ("playwright-junit.xml", Unknown),
        ("playwright.json", ByStart),
        ("pytest-xunit2.xml", AsReported),
        ("rspec-junit.xml", AsReported),
        ("surefire.xml", AsReported),
        ("tape.tap", AsReported),
        ("vitest-junit.xml", Unknown),
        ("vitest.json", Unknown),
    ];
    let wrong: Vec<_> = rows
        .into_iter()
        .map(|(name, wanted)| (name, wanted, fixture(name).0.order))
        .filter(|(_, wanted, order)| wanted != order)
        .collect();
    assert_eq!(wrong, []);
}

/// Vitest lists the file first that it found first, although it ran the other file before.
#[test]
fn orders_files_by_start() {
    let (_, cases) = fixture("vitest.json");
    assert_eq!(cases.first().unwrap().file.as_deref(), Some("broken.test.ts"));
    let told = [&br#"{"executionOrder":"known","#[..], &crate::fixture("vitest.json")[1..]].concat();
    let names = executed(parsed(&told)).unwrap();
    assert_eq!((names.first().unwrap().as_str(), names.last().unwrap().as_str()), ("adds an item", "a"));
}

/// A failed case is emitted at the end of its suite, but keeps its position.
#[test]
fn failed_case_keeps_its_position() {
    let xml = br#"<testsuites name="pytest tests"><testsuite name="pytest" time="1.0">
        <testcase classname="tests.test_a" name="test_1" time="0.1"/>
        <testcase classname="tests.test_a" name="test_2" time="0.1"><failure message="assert 1"/></testcase>
        <testcase classname="tests.test_a" name="test_3" time="0.1"/></testsuite></testsuites>"#;
    assert_eq!(parsed(xml).1.last().unwrap().name, "test_2");
    assert_eq!(executed(parsed(xml)).unwrap(), ["test_1", "test_2", "test_3"]);
    let go = br#"{"Time":"2026-01-01T00:00:01Z","Action":"run","Package":"p","Test":"TestA"}
{"Time":"2026-01-01T00:00:02Z","Action":"fail","Package":"p","Test":"TestA","Elapsed":1}
{"Time":"2026-01-01T00:00:03Z","Action":"run","Package":"p","Test":"TestB"}
{"Time":"2026-01-01T00:00:04Z","Action":"pass","Package":"p","Test":"TestB","Elapsed":1}"#;
    assert_eq!(parsed(go).1.last().unwrap().name, "TestA");
    assert_eq!(executed(parsed(go)).unwrap(), ["TestA", "TestB"]);
}

/// Jest without `--runInBand`: the second file starts before the first file has ended.
#[test]
fn overlapping_jest_files_are_ordered_inside_only() {
    let report = |second: u32| {
        let file = |name: &str, start: u32| {
            format!(
                r#"{{"name":"{name}","startTime":{start},"endTime":{},"status":"passed",
                "assertionResults":[{{"title":"a","fullName":"a","ancestorTitles":[],"status":"passed"}}]}}"#,
                start + 50
            )
        };
        let files = [file("b.test.js", 1_700_000), file("a.test.js", second)].join(",");
        format!(r#"{{"numRuntimeErrorTestSuites":0,"testResults":[{files}]}}"#)
    };
    assert_eq!(parsed(report(1_700_049).as_bytes()).0.order, ExecutionOrder::ByStartInUnits);
    assert_eq!(parsed(report(1_700_050).as_bytes()).0.order, ExecutionOrder::ByStart);
}

/// pytest-xdist: two seconds of tests in one second.
#[test]
fn parallel_cases_have_no_order() {
    let xml = |whole: &str| {
        let case = |at: u32| format!(r#"<testcase classname="tests.test_a" name="test_{at}" time="0.5"/>"#);
        let cases: String = (0..4).map(case).collect();
        format!(
            r#"<testsuites name="pytest tests"><testsuite name="pytest" time="{whole}">{cases}</testsuite></testsuites>"#
        )
    };
    assert_eq!(executed(parsed(xml("1.02").as_bytes())), None);
    assert!(executed(parsed(xml("2.31").as_bytes())).is_some());
}
