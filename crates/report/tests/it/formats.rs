//! Formats of tools without a recorded fixture, written by hand after their documentation. Each row has the report, its
//! format, and the expected cases with the first line of their error.

use argus_report::{CaseStatus, ReportCase, ReportFormat};

use crate::read;

const TRX: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Times start="2026-03-01T10:00:00+00:00" />
<Results>
<UnitTestResult testId="1" testName="Shop.CartTests.Adds(a: 1.5)" duration="00:00:00.5" outcome="Passed" />
<UnitTestResult testId="2" testName="a cart sums" outcome="Failed"><Output><StdOut>adding</StdOut><ErrorInfo>
<Message>Assert.Equal() Failure&#xD;
Expected: 3</Message><StackTrace>   at Shop.CartTests.Sums() in C:\shop\CartTests.cs:line 12</StackTrace></ErrorInfo></Output></UnitTestResult>
<UnitTestResult testId="3" testName="Shop.CartTests.Waits" outcome="NotExecuted" />
<UnitTestResult testId="4" testName="Shop.RowTests.Rows" outcome="Failed" resultType="DataDrivenTest"><InnerResults>
<UnitTestResult testId="4" testName="Rows (1)" outcome="Passed" />
<UnitTestResult testId="4" testName="Rows (2)" outcome="Failed"><Output><ErrorInfo><Message>Assert.Fail failed.</Message></ErrorInfo></Output></UnitTestResult>
</InnerResults></UnitTestResult>
</Results>
<TestDefinitions><UnitTest id="2"><TestMethod className="Shop.CartTests, Shop.Tests" name="Sums" /></UnitTest>
<UnitTest id="4"><TestMethod className="Shop.RowTests" name="Rows" /></UnitTest></TestDefinitions>
<ResultSummary outcome="Failed"><Counters total="5" failed="2" error="0" /><RunInfos><RunInfo outcome="Error"><Text>[xUnit.net] a cart sums [FAIL]</Text></RunInfo></RunInfos></ResultSummary>
</TestRun>"#;

const TRX_CRASHED: &str = r#"<TestRun><Results><UnitTestResult testName="Shop.CartTests.Adds" outcome="Passed" /></Results>
<ResultSummary outcome="Failed"><Counters total="1" failed="0" /><RunInfos><RunInfo outcome="Error"><Text>The active test run was aborted. Reason: Test host process crashed</Text></RunInfo></RunInfos></ResultSummary></TestRun>"#;

const XUNIT: &str = r#"<assemblies schema-version="3"><assembly name="Shop.Tests.dll" run-date="2026-03-01" run-time="10:00:00" time="0.6" total="4" failed="2" errors="1">
<collection name="carts"><test name="Shop.CartTests.Adds(a: 1.5)" type="Shop.CartTests" result="Pass" time="0.5" source-file="/project/CartTests.cs" source-line="3"/>
<test name="Shop.CartTests.Sums" type="Shop.CartTests" result="Fail" time="0.1"><failure exception-type="Xunit.Sdk.EqualException"><message><![CDATA[Assert.Equal() Failure]]></message><stack-trace>at Shop</stack-trace></failure><output>adding</output></test>
<test name="later" type="Shop.CartTests" result="Skip"><reason>not yet</reason></test><test name="never" type="Shop.CartTests" result="NotRun"/></collection>
<errors><error type="assembly-cleanup" name="Shop.Fixture"><failure exception-type="System.Exception"><message>no clean up</message></failure></error></errors></assembly></assemblies>"#;

const NUNIT: &str = r#"<test-run testcasecount="4" result="Failed" total="4" passed="1" failed="2" start-time="2026-03-01 10:00:00Z" duration="0.2">
<test-suite type="Assembly" name="Shop.dll" fullname="C:/Shop.dll" result="Failed" site="Child"><failure><message>One or more child tests had errors</message></failure>
<test-suite type="TestFixture" name="CartTests" fullname="Shop.CartTests" result="Failed" site="Child">
<test-case name="Adds(1.5)" fullname="Shop.CartTests.Adds(1.5)" classname="Shop.CartTests" result="Passed" duration="0.1"/>
<test-case name="Sums" fullname="Shop.CartTests.Sums" result="Failed" label="Error"><failure><message><![CDATA[System.Exception : no total]]></message><stack-trace>at Shop.CartTests.Sums()</stack-trace></failure></test-case>
<test-case name="Waits" fullname="Shop.CartTests.Waits" result="Skipped" label="Ignored"><reason><message>later</message></reason></test-case></test-suite>
<test-suite type="TestFixture" name="ShopTests" fullname="Shop.ShopTests" result="Failed" site="TearDown"><failure><message>TearDown : no clean up</message></failure>
<test-case name="Opens" fullname="Shop.ShopTests.Opens" result="Inconclusive"/></test-suite></test-suite></test-run>"#;

const NUNIT_2: &str = r#"<test-results name="Shop.dll" total="2" errors="1" failures="0" not-run="1"><test-suite name="Shop" success="False"><results>
<test-case name="Shop.CartTests.Adds" executed="True" success="True" time="0.1"/>
<test-case name="Shop.CartTests.Sums(&quot;a.b&quot;)" executed="True" result="Error" success="False"><failure><message>no total</message></failure></test-case>
<test-case name="Shop.CartTests.Waits" executed="False"><reason><message>later</message></reason></test-case></results></test-suite></test-results>"#;

const CTEST: &str = r#"<Site BuildName="b" Name="host"><Testing><StartTestTime>1772359200</StartTestTime><TestList><Test>./Cart.adds</Test></TestList>
<Test Status="passed"><Name>Cart.adds</Name><Path>.</Path><Results><NamedMeasurement type="numeric/double" name="Execution Time"><Value>0.5</Value></NamedMeasurement><Measurement><Value>fine</Value></Measurement></Results></Test>
<Test Status="failed"><Name>Cart.sums</Name><Results><NamedMeasurement name="Exit Code"><Value>SEGFAULT</Value></NamedMeasurement><NamedMeasurement name="Completion Status"><Value>Completed</Value></NamedMeasurement></Results></Test>
<Test Status="notrun"><Name>Cart.later</Name><Results><NamedMeasurement name="Completion Status"><Value>Disabled</Value></NamedMeasurement></Results></Test>
<Test Status="notrun"><Name>Cart.unbuilt</Name><Results><NamedMeasurement name="Completion Status"><Value>Unable to find executable</Value></NamedMeasurement></Results></Test>
</Testing></Site>"#;

const CATCH2: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Catch2TestRun name="cart_test" rng-seed="1" catch2-version="3.5.2">
<TestCase name="adds" filename="/project/cart.cpp" line="3"><OverallResult success="true" skips="0" durationInSeconds="0.5"/></TestCase>
<TestCase name="sums" filename="/project/cart.cpp" line="6"><Section name="twice" filename="/project/cart.cpp" line="7">
<Expression success="false" type="REQUIRE" filename="/project/cart.cpp" line="8"><Original>total == 7</Original><Expanded>8 == 7</Expanded></Expression><OverallResults successes="0" failures="1"/></Section>
<OverallResult success="false" skips="0"/></TestCase>
<TestCase name="throws" filename="/project/cart.cpp" line="12"><Exception filename="/project/cart.cpp" line="13">no total</Exception><OverallResult success="false" skips="0"/></TestCase>
<TestCase name="waits" filename="/project/cart.cpp" line="20"><OverallResult success="true" skips="1"/></TestCase>
<OverallResultsCases successes="1" failures="2" expectedFailures="0" skips="1"/></Catch2TestRun>"#;

const RSPEC: &str = r#"{"version":"3.13.0","examples":[
{"id":"./spec/cart_spec.rb[1:1]","description":"adds","full_description":"Cart adds","status":"passed","file_path":"./spec/cart_spec.rb","line_number":2,"run_time":0.5,"pending_message":null},
{"description":"sums","full_description":"Cart sums","status":"failed","file_path":"./spec/cart_spec.rb","run_time":0.1,"exception":{"class":"RSpec::Expectations::ExpectationNotMetError","message":"\nexpected: 4\n     got: 3\n","backtrace":["./spec/cart_spec.rb:5:in `block'"]}},
{"description":"waits","full_description":"Cart waits","status":"pending","file_path":"./spec/cart_spec.rb"}],
"summary":{"duration":0.6,"example_count":3,"failure_count":1,"pending_count":1,"errors_outside_of_examples_count":0},"summary_line":"3 examples, 1 failure, 1 pending"}"#;

const RSPEC_UNLOADED: &str = r#"{"version":"3.13.0","messages":["\nAn error occurred while loading ./spec/shop_spec.rb.\nFailure/Error: require 'missing'"],"examples":[],"summary":{"example_count":0,"failure_count":0,"errors_outside_of_examples_count":1},"summary_line":"0 examples, 0 failures, 1 error occurred outside of examples"}"#;

const NEXTEST: &str = r#"{"type":"suite","event":"started","test_count":2,"nextest":{"crate":"shop","test_binary":"shop","kind":"lib"}}
{"type":"test","event":"started","name":"shop::shop$tests::flaky"}
{"type":"test","event":"failed","name":"shop::shop$tests::flaky","exec_time":0.1,"stdout":"thread 'tests::flaky' panicked at src/lib.rs:5:9:\nfirst try fails\n"}
{"type":"test","event":"started","name":"shop::shop$tests::flaky#2"}
{"type":"test","event":"ok","name":"shop::shop$tests::flaky#2","exec_time":0.1}
{"type":"test","event":"started","name":"shop::cart$adds"}
{"type":"test","event":"ok","name":"shop::cart$adds"}
{"type":"suite","event":"ok","passed":2,"failed":0,"ignored":0,"measured":0,"filtered_out":0}"#;

const DART: &str = r#"{"protocolVersion":"0.1.1","runnerVersion":"1.25.2","pid":1,"type":"start","time":0}
{"suite":{"id":0,"platform":"vm","path":"test/cart_test.dart"},"type":"suite","time":0}
{"test":{"id":1,"name":"loading test/cart_test.dart","suiteID":0,"groupIDs":[]},"type":"testStart","time":1}
{"testID":1,"result":"success","skipped":false,"hidden":true,"type":"testDone","time":3}
{"group":{"id":2,"suiteID":0,"parentID":null,"name":""},"type":"group","time":3}
{"group":{"id":3,"suiteID":0,"parentID":2,"name":"cart"},"type":"group","time":3}
{"group":{"id":4,"suiteID":0,"parentID":3,"name":"cart checkout"},"type":"group","time":3}
{"test":{"id":5,"name":"cart checkout pays","suiteID":0,"groupIDs":[2,3,4]},"type":"testStart","time":4}
{"testID":5,"messageType":"print","message":"paying","type":"print","time":5}
{"testID":5,"error":"Expected: <2>\n  Actual: <1>\n","stackTrace":"test/cart_test.dart 6:5  main.<fn>\n","isFailure":true,"type":"error","time":6}
{"testID":5,"result":"failure","skipped":false,"hidden":false,"type":"testDone","time":14}
{"test":{"id":6,"name":"cart waits","suiteID":0,"groupIDs":[2,3]},"type":"testStart","time":15}
{"testID":6,"result":"success","skipped":true,"hidden":false,"type":"testDone","time":16}
{"suite":{"id":7,"platform":"vm","path":"test/shop_test.dart"},"type":"suite","time":17}
{"test":{"id":8,"name":"loading test/shop_test.dart","suiteID":7,"groupIDs":[]},"type":"testStart","time":17}
{"testID":8,"error":"Failed to load \"test/shop_test.dart\": no such file","stackTrace":"","isFailure":false,"type":"error","time":18}
{"testID":8,"result":"error","skipped":false,"hidden":false,"type":"testDone","time":18}
{"success":false,"type":"done","time":20}"#;

const GOOGLETEST: &str = r#"{"tests":3,"failures":1,"disabled":1,"errors":0,"timestamp":"2026-03-01T10:00:00Z","time":"0.6s","name":"AllTests","testsuites":[{"name":"Cart","tests":3,"failures":1,"testsuite":[
{"name":"adds","file":"/project/cart.cpp","line":3,"status":"RUN","result":"COMPLETED","time":"0.5s","classname":"Cart"},
{"name":"sums/0","value_param":"3","status":"RUN","result":"COMPLETED","time":"0.1s","classname":"Cart","failures":[{"failure":"cart.cpp:7\nExpected equality of these values:\n  3\n  4","type":""}]},
{"name":"DISABLED_waits","status":"NOTRUN","result":"SUPPRESSED","time":"0s","classname":"Cart"}]}]}"#;

const BAZEL: &str = r#"{"id":{"started":{}},"started":{"startTime":"2026-03-01T10:00:00Z","buildToolVersion":"8.0.0","command":"test"}}
{"id":{"testResult":{"label":"//shop:cart","run":1,"shard":1,"attempt":1}},"testResult":{"status":"FAILED","testAttemptDurationMillis":"40","testActionOutput":[{"name":"test.log","uri":"file:///logs/attempt_1.log"}]}}
{"id":{"testResult":{"label":"//shop:cart","run":1,"shard":1,"attempt":2}},"testResult":{"status":"PASSED","testAttemptDurationMillis":"60"}}
{"id":{"testResult":{"label":"//shop:pay","run":1,"shard":2,"attempt":1}},"testResult":{"status":"TIMEOUT","testAttemptDurationMillis":"60000"}}
{"id":{"targetCompleted":{"label":"//shop:broken"}},"aborted":{"reason":"ANALYSIS_FAILURE","description":"no such target"}}
{"id":{"buildFinished":{}},"finished":{"exitCode":{"name":"TESTS_FAILED","code":3}},"lastMessage":true}"#;

const XCRESULT: &str = r#"{"devices":[],"testPlanConfigurations":[],"testNodes":[{"nodeType":"Test Plan","name":"Shop","result":"Failed","children":[{"nodeType":"Unit test bundle","name":"ShopTests","result":"Failed","children":[{"nodeType":"Test Suite","name":"CartTests","result":"Failed","children":[
{"nodeType":"Test Case","name":"testAdds()","result":"Passed","duration":"0.5s"},
{"nodeType":"Test Case","name":"testSums()","result":"Failed","durationInSeconds":0.1,"children":[{"nodeType":"Failure Message","name":"CartTests.swift:12: XCTAssertEqual failed: (\"3\") is not equal to (\"4\")","result":"Failed"}]},
{"nodeType":"Test Case","name":"testFlaky()","result":"Passed","children":[{"nodeType":"Repetition","name":"First Run","result":"Failed","children":[{"nodeType":"Failure Message","name":"CartTests.swift:20: failed - first try"}]},{"nodeType":"Repetition","name":"Retry 1","result":"Passed"}]},
{"nodeType":"Test Case","name":"testWaits()","result":"Skipped"}]}]}]}]}"#;

type Expected = (CaseStatus, &'static str, Option<&'static str>);

use CaseStatus::{Failed, Passed, Skipped};

/// Format, report, and the expected cases with the first line of their error.
const REPORTS: &[(ReportFormat, &str, &[Expected])] = &[
    (
        ReportFormat::Trx,
        TRX,
        &[
            (Passed, "Shop.CartTests > Adds(a: 1.5)", None),
            (Failed, "Shop.CartTests > a cart sums", Some("Assert.Equal() Failure")),
            (Skipped, "Shop.CartTests > Waits", None),
            (Passed, "Shop.RowTests > Rows (1)", None),
            (Failed, "Shop.RowTests > Rows (2)", Some("Assert.Fail failed.")),
        ],
    ),
    (
        ReportFormat::Trx,
        TRX_CRASHED,
        &[
            (Passed, "Shop.CartTests > Adds", None),
            (Failed, "(suite)", Some("The active test run was aborted. Reason: Test host process crashed")),
        ],
    ),
    (
        ReportFormat::Xunit,
        XUNIT,
        &[
            (Passed, "CartTests.cs > Shop.CartTests > Adds(a: 1.5)", None),
            (Failed, "Shop.CartTests > Sums", Some("Assert.Equal() Failure")),
            (Skipped, "Shop.CartTests > later", None),
            (Skipped, "Shop.CartTests > never", None),
            (Failed, "Shop.Fixture > (suite)", Some("no clean up")),
        ],
    ),
    (
        ReportFormat::Nunit,
        NUNIT,
        &[
            (Passed, "Shop.CartTests > Adds(1.5)", None),
            (Failed, "Shop.CartTests > Sums", Some("System.Exception : no total")),
            (Skipped, "Shop.CartTests > Waits", None),
            (Skipped, "Shop.ShopTests > Opens", None),
            (Failed, "Shop.ShopTests > (suite)", Some("TearDown : no clean up")),
        ],
    ),
    (
        ReportFormat::Nunit,
        NUNIT_2,
        &[
            (Passed, "Shop.CartTests > Adds", None),
            (Failed, "Shop.CartTests > Sums(\"a.b\")", Some("no total")),
            (Skipped, "Shop.CartTests > Waits", None),
        ],
    ),
    (
        ReportFormat::Ctest,
        CTEST,
        &[
            (Passed, "Cart.adds", None),
            (Failed, "Cart.sums", Some("SEGFAULT")),
            (Skipped, "Cart.later", None),
            (Failed, "Cart.unbuilt", Some("Unable to find executable")),
        ],
    ),
    (
        ReportFormat::Catch2,
        CATCH2,
        &[
            (Passed, "cart.cpp > adds", None),
            (Failed, "cart.cpp > sums", Some("twice")),
            (Failed, "cart.cpp > throws", Some("/project/cart.cpp:13: FAILED:")),
            (Skipped, "cart.cpp > waits", None),
        ],
    ),
    (
        ReportFormat::Rspec,
        RSPEC,
        &[
            (Passed, "spec/cart_spec.rb > Cart adds", None),
            (Failed, "spec/cart_spec.rb > Cart sums", Some("expected: 4")),
            (Skipped, "spec/cart_spec.rb > Cart waits", None),
        ],
    ),
    (
        ReportFormat::Rspec,
        RSPEC_UNLOADED,
        &[(Failed, "(suite)", Some("An error occurred while loading ./spec/shop_spec.rb."))],
    ),
    (
        ReportFormat::Libtest,
        NEXTEST,
        &[
            (Passed, "shop::cart > adds", None),
            (Passed, "shop > tests::flaky", Some("thread 'tests::flaky' panicked at src/lib.rs:5:9:")),
        ],
    ),
    (
        ReportFormat::Dart,
        DART,
        &[
            (Failed, "test/cart_test.dart > cart > checkout > pays", Some("Expected: <2>")),
            (Skipped, "test/cart_test.dart > cart > waits", None),
            (Failed, "test/shop_test.dart > (suite)", Some("Failed to load \"test/shop_test.dart\": no such file")),
        ],
    ),
    (
        ReportFormat::Googletest,
        GOOGLETEST,
        &[
            (Passed, "cart.cpp > Cart > adds", None),
            (Failed, "Cart > sums/0", Some("cart.cpp:7")),
            (Skipped, "Cart > DISABLED_waits", None),
        ],
    ),
    (
        ReportFormat::Bazel,
        BAZEL,
        &[
            (Failed, "//shop:broken > (suite)", Some("no such target")),
            (Passed, "//shop:cart", Some("file:///logs/attempt_1.log")),
            (Failed, "//shop:pay (shard 2)", Some("TIMEOUT")),
        ],
    ),
    (
        ReportFormat::Xcresult,
        XCRESULT,
        &[
            (Passed, "ShopTests > CartTests > testAdds()", None),
            (
                Failed,
                "ShopTests > CartTests > testSums()",
                Some("CartTests.swift:12: XCTAssertEqual failed: (\"3\") is not equal to (\"4\")"),
            ),
            (Passed, "ShopTests > CartTests > testFlaky()", Some("CartTests.swift:20: failed - first try")),
            (Skipped, "ShopTests > CartTests > testWaits()", None),
        ],
    ),
];

#[test]
fn reads_formats_as_documented() {
    for &(format, report, expected) in REPORTS {
        let (parsed, cases) = read(report.as_bytes()).unwrap();
        assert_eq!(parsed.format, format);
        assert_eq!(parsed.problems, [], "{format:?}");
        let found: Vec<(CaseStatus, String, Option<&str>)> = cases
            .iter()
            .map(|case| {
                (case.status, case.qualified_name(), case.error.as_deref().and_then(|error| error.lines().next()))
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|&(status, name, error)| (status, name.to_owned(), error)).collect();
        assert_eq!(found, expected, "{format:?}");
        let is_retried = |case: &&ReportCase| case.status == Passed && case.error.is_some();
        assert!(cases.iter().filter(is_retried).all(|case| case.flaky && case.attempts == 2), "{format:?}");
    }
}

/// A report that was cut off keeps the complete cases and is reported as incomplete.
#[test]
fn notices_cut_off_reports() {
    for report in [TRX, XUNIT, NUNIT, NUNIT_2, CTEST, CATCH2, RSPEC, DART, BAZEL, NEXTEST] {
        let cut = &report[..report.len() * 3 / 4];
        let cut = &cut[..cut.rfind('\n').unwrap_or(cut.len())];
        let (parsed, _) = read(cut.as_bytes()).unwrap();
        assert!(parsed.problems.iter().any(|problem| problem.incomplete), "{:?} {cut}", parsed.format);
    }
}
