//! JUnit dialects of tools without a recorded fixture, written by hand, and rules that no fixture covers.

use crate::{cases, read};
use argus_report::{CaseStatus, Options, ReportCase, parse};

fn only(xml: &str) -> ReportCase {
    let mut all = cases(xml);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn reads_reruns_of_gradle() {
    let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="com.acme.CartTest" tests="3" skipped="0" failures="2" errors="0" timestamp="2026-03-01T10:00:00" hostname="host" time="1,234.5">
  <properties/>
  <testcase name="adds()" classname="com.acme.CartTest" time="0.012"/>
  <testcase name="retried()" classname="com.acme.CartTest" time="0.5">
    <failure message="org.opentest4j.AssertionFailedError: expected: &lt;1&gt; but was: &lt;2&gt;" type="org.opentest4j.AssertionFailedError">org.opentest4j.AssertionFailedError: expected: &lt;1&gt; but was: &lt;2&gt;
	at com.acme.CartTest.retried(CartTest.java:8)
</failure>
  </testcase>
  <testcase name="retried()" classname="com.acme.CartTest" time="0.25"/>
  <system-out><![CDATA[starting]]></system-out>
</testsuite>"#;
    let (parsed, cases) = read(xml.as_bytes()).unwrap();
    assert_eq!(parsed.duration_ms, Some(1_234_500.0));
    assert_eq!(parsed.started_at, Some(1_772_359_200_000));
    assert_eq!(cases[0].qualified_name(), "com.acme.CartTest > adds");
    let retried = &cases[1];
    assert_eq!((retried.status, retried.flaky, retried.attempts), (CaseStatus::Passed, true, 2));
    assert_eq!(retried.duration_ms, Some(750.0));
    assert_eq!(retried.error_type.as_deref(), Some("org.opentest4j.AssertionFailedError"));
    assert_eq!(retried.error.as_ref().unwrap().matches("expected:").count(), 1);
}

#[test]
fn reads_suite_from_class_in_mocha_xunit() {
    let cases = cases(
        r#"<testsuite name="Mocha Tests" tests="3">
<testcase classname="total when empty" name="is zero" file="test/total.js" time="0.001"/>
<testcase classname="total when empty" name="has no items" file="test/total.js" time="0.001"/>
<testcase classname="total when full" name="has no items" file="test/total.js" time="0.001"/>
</testsuite>"#,
    );
    let names: Vec<_> = cases.iter().map(ReportCase::qualified_name).collect();
    let expected = ["total when empty > is zero", "total when empty > has no items", "total when full > has no items"];
    assert_eq!(names, expected.map(|name| format!("test/total.js > {name}")));
}

#[test]
fn restores_line_breaks_of_surefire() {
    let case = only(
        "<testsuite name=\"shop.CartTest\"><testcase name=\"adds\" classname=\"shop.CartTest\"><failure message=\"expected: &lt;[[1]]&gt; but was: &lt;[[2]]&gt;\" type=\"java.lang.AssertionError\">java.lang.AssertionError: expected: &lt;[[1]]&gt; but was: &lt;[[2]]&gt;\tat shop.Cart.total(Cart.java:7)\tat shop.CartTest.adds(CartTest.java:9)Caused by: java.io.IOException: shut\tat shop.Shop.open(Shop.java:3)\t... 12 more</failure></testcase></testsuite>",
    );
    let lines: Vec<_> = case.error.as_deref().unwrap().lines().collect();
    assert_eq!(
        lines,
        [
            "java.lang.AssertionError: expected: <[[1]]> but was: <[[2]]>",
            "\tat shop.Cart.total(Cart.java:7)",
            "\tat shop.CartTest.adds(CartTest.java:9)",
            "Caused by: java.io.IOException: shut",
            "\tat shop.Shop.open(Shop.java:3)",
            "\t... 12 more",
        ]
    );
}

#[test]
fn reads_tests_of_dotnet() {
    let case = only(
        r#"<testsuites><testsuite name="Shop.Tests.dll" tests="1" failures="1" time="0.1" timestamp="2026-03-01T10:00:00.0000000Z" hostname="host">
<properties/><testcase classname="Shop.Tests.CartTests" name="Sums(a: 1, b: 2)" time="0.0420000">
<failure type="failure" message="Assert.Equal() Failure">   at Shop.Tests.CartTests.Sums() in C:\project\CartTests.cs:line 12</failure></testcase>
<system-out>Test Framework Informational Messages:</system-out></testsuite></testsuites>"#,
    );
    assert_eq!(case.qualified_name(), "Shop.Tests.CartTests > Sums(a: 1, b: 2)");
    assert_eq!(case.error_type, None);
    let error = case.error.unwrap();
    assert!(error.starts_with("Assert.Equal() Failure\n") && error.ends_with("line 12"), "{error}");
}

#[test]
fn reads_failed_target_of_bazel() {
    let case = only(
        r#"<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite name="shop/cart_test" tests="1" failures="0" errors="1">
<testcase name="shop/cart_test" status="run" duration="3" time="3"><error message="exited with error code 1"></error></testcase>
<system-out>Generated test.log (if the file is not UTF-8, then this may be unreadable):
<![CDATA[exec ${PAGER:-/usr/bin/less} "$0" || exit 1
FAIL: total = 3, want 4]]></system-out></testsuite></testsuites>"#,
    );
    assert_eq!(case.qualified_name(), "shop/cart_test");
    assert_eq!(case.error.as_deref(), Some("exited with error code 1"));
    assert!(case.stdout_tail.unwrap().ends_with("FAIL: total = 3, want 4"));
}

#[test]
fn separates_jest_tests_with_equal_names() {
    let xml = r#"<testsuites name="jest tests"><testsuite name="a" file="src/a.test.js">
<testcase classname="a" name="x"><failure>first</failure></testcase><testcase classname="a" name="x"/></testsuite></testsuites>"#;
    let cases = cases(xml);
    let rows: Vec<(String, CaseStatus, bool)> =
        cases.iter().map(|case| (case.qualified_name(), case.status, case.flaky)).collect();
    // Combining them would call a real failure flaky.
    assert_eq!(
        rows,
        [
            ("src/a.test.js > a > x (2)".to_owned(), CaseStatus::Passed, false),
            ("src/a.test.js > a > x".to_owned(), CaseStatus::Failed, false),
        ]
    );
}

#[test]
fn finds_pytest_modules_in_class_names() {
    let rows = [
        ("tests.test_cart", "tests/test_cart.py > t"),
        ("tests.test_cart.TestCart", "tests/test_cart.py > TestCart > t"),
        ("tests.unit.cart_test.TestCart.TestInner", "tests/unit/cart_test.py > TestCart > TestInner > t"),
        ("test_cart", "test_cart.py > t"),
        ("TestCart", "TestCart > t"),
    ];
    for (class, wanted) in rows {
        let xml = format!(
            r#"<testsuites><testsuite name="pytest"><testcase classname="{class}" name="t"/></testsuite></testsuites>"#
        );
        assert_eq!(only(&xml).qualified_name(), wanted);
    }
}

#[test]
fn normalizes_windows_paths() {
    let xml = r#"<testsuites name="vitest tests"><testsuite name="src\cart.test.ts"><testcase classname="src\cart.test.ts" name="cart &gt; adds"/></testsuite></testsuites>"#;
    assert_eq!(only(xml).qualified_name(), "src/cart.test.ts > cart > adds");
    let json = r#"{"numTotalTests":1,"testResults":[{"name":"C:\\Work\\shop\\src\\cart.test.ts","assertionResults":[{"ancestorTitles":["cart"],"title":"adds","status":"passed"}]}]}"#;
    let options = Options { name: "report.json".to_owned(), project_root: "c:\\work\\shop".to_owned(), decoders: None };
    let mut names = Vec::new();
    parse(json.as_bytes(), None, &options, &mut |case| names.push(case.qualified_name())).unwrap();
    assert_eq!(names, ["src/cart.test.ts > cart > adds"]);
}

#[test]
fn reads_failure_of_a_suite() {
    let case =
        only(r#"<testsuite name="cart"><error message="beforeAll: no database" type="DatabaseError"/></testsuite>"#);
    assert_eq!(case.qualified_name(), "cart > (suite)");
    assert_eq!((case.status, case.error_type.as_deref()), (CaseStatus::Failed, Some("DatabaseError")));
}

#[test]
fn reads_failed_builds_of_go_1_24() {
    let events = r##"{"ImportPath":"example.com/broken [example.com/broken.test]","Action":"build-output","Output":"# example.com/broken [example.com/broken.test]\n"}
{"ImportPath":"example.com/broken [example.com/broken.test]","Action":"build-output","Output":"./b_test.go:3:28: undefined: undefined\n"}
{"ImportPath":"example.com/broken [example.com/broken.test]","Action":"build-fail"}
{"Time":"2026-03-01T10:00:00Z","Action":"start","Package":"example.com/broken"}
{"Time":"2026-03-01T10:00:00Z","Action":"output","Package":"example.com/broken","Output":"FAIL\texample.com/broken [build failed]\n"}
{"Time":"2026-03-01T10:00:00Z","Action":"fail","Package":"example.com/broken","Elapsed":0,"FailedBuild":"example.com/broken [example.com/broken.test]"}
"##;
    let case = only(events);
    assert_eq!(case.qualified_name(), "example.com/broken > (suite)");
    assert!(case.error.unwrap().contains("undefined: undefined"));
    let both_streams = "# example.com/broken [example.com/broken.test]\nbroken/b_test.go:3:28: undefined: undefined\n\
        FAIL\texample.com/broken [build failed]\n{\"Action\":\"pass\",\"Package\":\"example.com/fine\",\"Elapsed\":0.1}\n";
    let case = only(both_streams);
    assert_eq!(case.qualified_name(), "example.com/broken > (suite)");
    assert!(case.error.unwrap().contains("undefined: undefined"));
}

#[test]
fn reads_perl_subtests_and_bail_out() {
    let tap = "1..2\n    # Subtest: cart\n    ok 1 - adds\n    not ok 2 - sums\n    #   Failed test 'sums'\n    1..2\nnot ok 1 - cart\n#   Failed test 'cart'\nBail out! no database\n";
    let cases = cases(tap);
    let names: Vec<String> = cases.iter().map(ReportCase::qualified_name).collect();
    assert_eq!(names, ["cart", "(suite)"]);
    assert_eq!(cases[0].error.as_deref(), Some("  Failed test 'sums'"));
    assert_eq!(cases[1].error.as_deref(), Some("Bail out! no database"));
}

/// The first line of each file's error, for node-tap files whose process failed, after the output of Node about missing
/// exports.
fn first_error_lines_of_node_tap(printed: &[(&str, &str)], files: &[(&str, &str)]) -> Vec<String> {
    let comment = |(file, lacking): &(&str, &str)| {
        format!(
            "# file:///project/{file}:2\n# import {{ {lacking} }} from './store.js';\n#          ^^^^^^\n# SyntaxError: no export named '{lacking}'\n#     at ModuleJob._instantiate (node:internal/modules/esm/module_job:213:21)\n# \n# Node.js v20.20.2\n"
        )
    };
    let point = |(file, ending): &(&str, &str)| {
        format!(
            "# Subtest: {file}\n    1..0 # no tests found\nnot ok 1 - {file} # time=28.2ms\n  ---\n  stdio: inherit\n  cwd: /project\n  command: /usr/bin/node\n  args:\n    - /project/{file}\n  {ending}\n  ...\n\n"
        )
    };
    let comments: Vec<String> = printed.iter().map(comment).collect();
    let points: Vec<String> = files.iter().map(point).collect();
    let tap = format!("{}TAP version 14\n{}1..{}\n", comments.concat(), points.concat(), files.len());
    let said = |case: ReportCase| {
        let error = case.error.unwrap();
        error
            .lines()
            .find(|line| line.starts_with("SyntaxError: ") || line.starts_with('e'))
            .map(str::to_owned)
            .unwrap()
    };
    cases(tap).into_iter().map(said).collect()
}

#[test]
fn reads_assertions_of_qunit() {
    let tap = "TAP version 13\nnot ok 1 sum > is wrong\n  ---\n  message: the sum\n  severity: failed\n  actual  : 2\n  expected: 3\n  stack: |\n        at Object.<anonymous> (/project/test/sum.js:1:85)\n  ...\n1..1\n";
    let error = only(tap).error.unwrap();
    assert_eq!(error, "the sum\nactual: 2\nexpected: 3\nat Object.<anonymous> (/project/test/sum.js:1:85)");
}

#[test]
fn explains_failed_files_of_node_tap() {
    const EXIT: &str = "exitCode: 1\n  signal: null";
    const KILL: &str = "exitCode: null\n  signal: SIGKILL";
    let (one, two) = (("test/one.js", EXIT), ("test/two.js", EXIT));
    let (open, close) = ("SyntaxError: no export named 'open'", "SyntaxError: no export named 'close'");
    assert_eq!(
        first_error_lines_of_node_tap(&[], &[one, ("test/two.js", KILL)]),
        ["exited with code 1", "ended by SIGKILL"]
    );
    // The files may run in parallel.
    let printed = [("test/two.js", "close"), ("test/one.js", "open")];
    assert_eq!(first_error_lines_of_node_tap(&printed, &[one, two]), [open, close]);
    assert_eq!(first_error_lines_of_node_tap(&printed[..1], &[one, two]), ["exited with code 1", close]);
    // An error in a module that both import names neither file; two such errors cannot be assigned.
    let (cart, shop) = (("src/cart.js", "open"), ("src/shop.js", "close"));
    assert_eq!(first_error_lines_of_node_tap(&[cart, cart], &[one, two]), [open, open]);
    assert_eq!(first_error_lines_of_node_tap(&[cart, shop], &[one, two]), ["exited with code 1", "exited with code 1"]);
}

#[test]
fn keeps_errors_of_node_tap_tests() {
    let tap = "TAP version 14\n# Subtest: test/cart.js\n    # Subtest: runs\n        not ok 1 - it broke\n          ---\n          stack: |\n            Test.<anonymous> (test/cart.js:2:51)\n          exitCode: 2\n          command: shop\n          ...\n        1..1\n    not ok 1 - runs\n    # Subtest: hangs\n        not ok 1 - timeout!\n          ---\n          signal: SIGALRM\n          expired: TAP\n          ...\n        1..1\n    not ok 2 - hangs\n    1..2\nnot ok 1 - test/cart.js\n  ---\n  cwd: /project\n  exitCode: 1\n  signal: null\n  ...\n1..1\n";
    let errors: Vec<String> = cases(tap).into_iter().map(|case| case.error.unwrap()).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors[0].starts_with("it broke\n") && errors[1].starts_with("timeout!\n"), "{errors:?}");
}

/// Attempts, and the first line of each error, of a case with these messages.
fn attempts_and_errors(runner: &str, case: &str, messages: &[&str]) -> (u32, Vec<String>) {
    let messages = serde_json::to_string(messages).unwrap();
    let json = format!(
        r#"{{"numTotalTests":1,{runner}"testResults":[{{"name":"/project/a.test.js","assertionResults":[{{"title":"t","failureMessages":{messages},{case}}}]}}]}}"#
    );
    let case = only(&json);
    let error = case.error.unwrap_or_default();
    (case.attempts, error.split("\n\n").map(|one| one.lines().next().unwrap_or_default().to_owned()).collect())
}

#[test]
fn groups_errors_by_attempt() {
    const FAILED: &str = r#""status":"failed""#;
    const PASSED: &str = r#""status":"passed""#;
    const RUNNER: &str = "    at file:///project/node_modules/@vitest/runner/dist/index.js:302:11";
    let (one, two) = (
        format!("Error: one\n    at /project/a.test.js:4:9\n{RUNNER}"),
        format!("Error: two\n    at /project/a.test.js:5:9\n{RUNNER}"),
    );
    let (one, two) = (one.as_str(), two.as_str());
    let other = one.replace("one", "other");
    let rows: [(&str, &[&str], u32, &[&str]); 11] = [
        // `expect.soft`, and a hook after the test.
        (FAILED, &[one, two], 1, &["Error: one", "Error: two"]),
        (FAILED, &["TypeCheckError: one", "TypeCheckError: two"], 1, &["TypeCheckError: one", "TypeCheckError: two"]),
        // `retry`
        (FAILED, &[one, one], 2, &["Error: one"]),
        (FAILED, &[one, &other], 2, &["Error: other"]),
        (FAILED, &["thrown", "thrown", "thrown"], 3, &["thrown"]),
        (FAILED, &[one, two, one, two], 2, &["Error: one", "Error: two"]),
        (FAILED, &[one, one, two], 3, &["Error: two"]),
        (PASSED, &[one, two], 3, &["Error: two"]),
        // Argus' own reporter counts the attempts.
        (r#""status":"failed","invocations":1"#, &[one, &other], 1, &["Error: one", "Error: other"]),
        (r#""status":"failed","invocations":2"#, &[one, two], 2, &["Error: two"]),
        (r#""status":"passed","invocations":2"#, &[one, two], 2, &["Error: one", "Error: two"]),
    ];
    for (case, messages, attempts, errors) in rows {
        let (found, said) = attempts_and_errors("", case, messages);
        assert_eq!(
            (found, said),
            (attempts, errors.iter().map(|&error| error.to_owned()).collect()),
            "{case} {messages:?}"
        );
    }
    // Jest lists only messages of the last attempt.
    let jest = r#""openHandles":[],"#;
    let case = r#""status":"failed","invocations":2,"retryReasons":[]"#;
    let (attempts, said) = attempts_and_errors(jest, case, &[one, two]);
    assert_eq!((attempts, said), (2, vec!["Error: one".to_owned(), "Error: two".to_owned()]));
}

/// CTRF and Playwright write the version themselves; in the other formats Argus' reporters add it.
#[test]
fn reads_runner_version() {
    let version = |report: &str| read(report.as_bytes()).unwrap().0.runner_version;
    let ctrf = |tool: &str| version(&format!(r#"{{"reportFormat":"CTRF","results":{{"tool":{tool},"tests":[]}}}}"#));
    assert_eq!(ctrf(r#"{"name":"node:test","version":"v22.21.1"}"#).as_deref(), Some("22.21.1"));
    assert_eq!(ctrf(r#"{"name":"mocha"}"#), None);
    for no_version in ["latest", "", "1.0 (patched by nobody)", "1.2\\u001b[31m", &"1".repeat(41)] {
        assert_eq!(ctrf(&format!(r#"{{"name":"mocha","version":"{no_version}"}}"#)), None, "{no_version}");
    }
    let jest = r#"{"runnerVersion":"30.2.0","numTotalTests":0,"testResults":[]}"#;
    assert_eq!(version(jest).as_deref(), Some("30.2.0"));
    let pytest = r#"<testsuites><testsuite name="pytest"><properties><property name="runner.version" value="8.4.2"/>
        </properties><testcase classname="tests.test_a" name="test_a"/></testsuite></testsuites>"#;
    assert_eq!(version(pytest).as_deref(), Some("8.4.2"));
    assert_eq!(read(&crate::fixture("playwright.json")).unwrap().0.runner_version.as_deref(), Some("1.65.1"));
}
