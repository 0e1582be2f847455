//! A report must not look green if a test failed, or if a failure may be missing.

use argus_report::{CaseStatus, ReportCase};

use crate::read;

const SUREFIRE: &str = r#"<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report-3.0.xsd" version="3.0" name="com.acme.CartTest""#;
const GRADLE: &str = r#"<testsuite name="com.acme.CartTest" tests="4" skipped="0" failures="1" errors="0" timestamp="2026-03-01T10:00:00" hostname="host" time="1""#;
const ANT: &str = r#"<testsuite errors="0" failures="1" hostname="host" name="com.acme.CartTest" skipped="0" tests="4" time="1" timestamp="2026-03-01T10:00:00""#;
const GOTESTSUM: &str = r#"<testsuites><testsuite name="com.acme.CartTest"><properties><property name="go.version" value="go1.22"/></properties><testcase classname="com.acme.CartTest" name="other"/></testsuite><testsuite name="com.acme.CartTest""#;
const PYTEST: &str = r#"<testsuites name="pytest tests"><testsuite name="pytest""#;
const NEXTEST: &str = r#"<testsuites name="nextest-run"><testsuite name="shop""#;
const UNKNOWN: &str = r#"<testsuites><testsuite name="cart""#;

/// Outcomes of cases with the same name in a report: `F` failed, `P` passed. The result lists the statuses of the cases
/// that were read, with `f` for a case that failed first and passed at last.
fn outcomes(writer: &str, runs: &str, others: &str) -> String {
    let case = |outcome| match outcome {
        'F' => {
            r#"<testcase classname="com.acme.CartTest" name="t"><failure message="3 != 4">3 != 4</failure></testcase>"#
        }
        _ => r#"<testcase classname="com.acme.CartTest" name="t"/>"#,
    };
    let cases: String = runs.chars().map(case).collect();
    let end = if writer.starts_with("<testsuites") { "</testsuites>" } else { "" };
    let (_, cases) = read(format!("{writer}>{cases}{others}</testsuite>{end}").as_bytes()).unwrap();
    let mut own: Vec<&ReportCase> = cases.iter().filter(|case| case.name.starts_with('t')).collect();
    own.sort_by(|left, right| left.name.cmp(&right.name));
    let letter = |case: &&ReportCase| match case.status {
        CaseStatus::Failed => 'F',
        _ if case.flaky => 'f',
        _ => 'P',
    };
    own.iter().map(letter).collect()
}

#[test]
fn combines_only_attempts_that_the_writer_marks() {
    let other = r#"<testcase classname="com.acme.CartTest" name="other"/>"#;
    let both = r#"<testcase classname="com.acme.CartTest" name="other"/><testcase classname="com.acme.CartTest" name="other"/>"#;
    let rows = [
        // `@RepeatedTest`, `@TestFactory` and data providers of TestNG.
        (SUREFIRE, "FPP", "", "FPP"),
        (SUREFIRE, "PFPP", "", "PFPP"),
        (ANT, "FP", "", "FP"),
        (NEXTEST, "FP", "", "FP"),
        (UNKNOWN, "FP", "", "FP"),
        // `mergeReruns` is off by default.
        (GRADLE, "FP", "", "f"),
        (GRADLE, "FF", "", "F"),
        (GRADLE, "PFPP", "", "PFPP"),
        (GRADLE, "FPP", "", "FPP"),
        // `--rerun-fails` repeats failed tests, `-count=2` all.
        (GOTESTSUM, "FP", other, "f"),
        (GOTESTSUM, "FP", both, "FP"),
        (GOTESTSUM, "FP", "", "FP"),
        // A failed attempt has no error, so two passes are a retry.
        (PYTEST, "PP", "", "f"),
        (PYTEST, "PF", "", "F"),
        (PYTEST, "PFPP", "", "FPP"),
    ];
    for (writer, runs, others, expected) in rows {
        assert_eq!(outcomes(writer, runs, others), expected, "{runs} in {writer}");
    }
}

#[test]
fn combines_events_of_go_only_after_the_package_ended() {
    let event = |action: &str, test: &str| {
        let test = if test.is_empty() { String::new() } else { format!(r#","Test":"{test}""#) };
        format!("{{\"Time\":\"2026-03-01T10:00:00Z\",\"Action\":\"{action}\",\"Package\":\"shop\"{test}}}\n")
    };
    let run = |action| event("run", "TestSums") + &event(action, "TestSums");
    let count = run("fail") + &run("pass") + &event("fail", "");
    let rerun = run("fail") + &event("fail", "") + &run("pass") + &event("pass", "");
    for (events, expected) in [(count, vec![(true, false), (false, false)]), (rerun, vec![(false, true)])] {
        let (_, mut cases) = read(events.as_bytes()).unwrap();
        cases.sort_by(|left, right| left.name.cmp(&right.name));
        let found: Vec<_> = cases.iter().map(|case| (case.status == CaseStatus::Failed, case.flaky)).collect();
        assert_eq!(found, expected, "{events}");
    }
}

#[test]
fn a_test_of_go_whose_process_was_killed_has_an_error() {
    let event = |action: &str, rest: &str| format!("{{\"Action\":\"{action}\",\"Package\":\"shop\"{rest}}}\n");
    let output = r#","Test":"TestSums","Output":"=== RUN   TestSums\n""#;
    let events = event("run", r#","Test":"TestSums""#) + &event("output", output) + &event("fail", "");
    let (_, cases) = read(events.as_bytes()).unwrap();
    let errors: Vec<_> = cases.iter().map(|case| (case.status, case.error.as_deref())).collect();
    let ended = "The process of the package ended before this test.";
    assert_eq!(errors, [(CaseStatus::Failed, Some(ended))]);
}

/// Name, report, and its problem, with true if a failure may be missing.
type DamagedReport<'t> = (&'t str, Vec<u8>, Option<(&'t str, bool)>);

#[test]
fn distinguishes_missing_parts_from_damaged_text() {
    let junit = |rest: &str| format!(r#"<testsuites><testsuite name="s" tests="2" {rest}"#).into_bytes();
    let output = |bytes: &[u8]| {
        [
            &junit(r#"failures="0"><testcase name="ok"/><system-out>"#)[..],
            bytes,
            b"</system-out></testsuite></testsuites>",
        ]
        .concat()
    };
    let go = b"{\"Action\":\"start\",\"Package\":\"shop\"}\n{\"Action\":\"output\",\"Package\":\"shop\",\"Output\":\"starting\"}\n";
    let rows: [DamagedReport<'_>; 12] = [
        ("a package without its end", go.to_vec(), Some(("the report ends while shop is running", true))),
        ("plan of 5", b"1..5\nok 1 - a\nok 2 - b\n".to_vec(), Some(("5 tests were planned, 2 reported", true))),
        ("no plan", b"TAP version 13\nok 1 - a\n".to_vec(), Some(("the report ends early: it has no plan", true))),
        (
            "cut off",
            junit(r#"failures="0"><testcase name="a"/>"#),
            Some(("the report ends early; only its complete part was read", true)),
        ),
        (
            "failures that are not listed",
            junit(r#"failures="2"><testcase name="a"/></testsuite></testsuites>"#),
            Some(("the report counts 2 failures and lists 0", true)),
        ),
        (
            "failures of Jest that are not listed",
            br#"{"numFailedTests":2,"numTotalTests":2,"testResults":[{"name":"/project/a.js","assertionResults":[{"title":"t","status":"failed"}]}]}"#.to_vec(),
            Some(("the report counts 2 failures and lists 1", true)),
        ),
        (
            "failures of CTRF that are not listed",
            br#"{"results":{"tool":{"name":"x"},"summary":{"failed":1},"tests":[{"name":"a","status":"passed"}]}}"#.to_vec(),
            Some(("the report counts 1 failures and lists 0", true)),
        ),
        (
            "a failed test that counts as failure and error",
            junit(r#"failures="1" errors="1"><testcase name="a"><failure/></testcase></testsuite></testsuites>"#),
            None,
        ),
        ("bytes in output", output(b"gr\xFC\xDFe"), Some(("2 invalid characters were replaced", false))),
        ("unknown entity", output(b"&nbsp;"), Some(("an unknown entity is kept as text", false))),
        ("stray bracket", output(b"1 < 2"), Some(("a `<` that begins no tag is read as text", false))),
        (
            "bail out",
            b"1..1\nok 1\nBail out! no database\n".to_vec(),
            Some(("the run was bailed out: no database", false)),
        ),
    ];
    for (name, report, expected) in rows {
        let (parsed, _) = read(&report).unwrap();
        let found: Vec<_> =
            parsed.problems.iter().map(|problem| (problem.reason.as_str(), problem.incomplete)).collect();
        assert_eq!(found, Vec::from_iter(expected), "{name}");
    }
}

#[test]
fn reads_a_failed_run_without_a_failed_test() {
    let jest = |keys: &str| {
        format!(
            r#"{{"numFailedTests":0,"numTotalTests":1,{keys}"testResults":[{{"name":"/project/a.js","status":"passed","assertionResults":[{{"title":"t","status":"passed"}}]}}]}}"#
        )
    };
    // A coverage threshold; Argus' own reporter; a green run.
    let rows =
        [(r#""success":false,"#, 1), (r#""success":false,"runnerVersion":"30.1.0","#, 0), (r#""success":true,"#, 0)];
    for (keys, failures) in rows {
        let (_, cases) = read(jest(keys).as_bytes()).unwrap();
        let failed = cases.iter().filter(|case| case.status == CaseStatus::Failed).count();
        assert_eq!((cases.len(), failed), (1 + failures, failures), "{keys}");
    }
}

#[test]
fn decodes_declared_encodings() {
    let rows: [(&str, &[u8], &str); 5] = [
        ("windows-1251", b"\xE2\xF5\xEE\xE4", "вход"),
        ("Shift_JIS", b"\x8A\xFA\x91\xD2\x92l", "期待値"),
        ("GBK", b"\xC6\xDA\xCD\xFB", "期望"),
        // Written as UTF-8 despite the declaration.
        ("utf-16", "größe".as_bytes(), "größe"),
        ("windows-1251", "вход".as_bytes(), "вход"),
    ];
    for (encoding, name, expected) in rows {
        let head = format!(r#"<?xml version="1.0" encoding="{encoding}"?><testsuite name="s"><testcase name=""#);
        let (parsed, cases) = read(&[head.as_bytes(), name, br#""/></testsuite>"#].concat()).unwrap();
        assert_eq!((cases[0].name.as_str(), parsed.problems.len()), (expected, 0), "{encoding}");
    }
}

#[test]
fn restores_escapes_in_every_spelling() {
    for escape in ["#x1B[", "&amp;#27;[", "&amp;amp#27;[", "[NON-XML-CHAR-0x1B][", "\u{FFFD}[", "&#x1B;["] {
        let xml = format!(
            r#"<testsuite name="s"><testcase name="a{escape}1m"><failure message="{escape}31mred{escape}0m">{escape}31mred{escape}0m
a.py:3</failure></testcase></testsuite>"#
        );
        let (_, cases) = read(xml.as_bytes()).unwrap();
        assert_eq!(cases[0].name, "a", "{escape}");
        assert_eq!(cases[0].error.as_deref(), Some("\u{1b}[31mred\u{1b}[0m\na.py:3"), "{escape}");
    }
}
