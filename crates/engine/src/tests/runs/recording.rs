//! Tests of `argus_run` and `argus_import`.

use crate::{
    runs::known_names::KnownNames,
    tests::{memory, prelude::*},
};

fn command_params(exit_code: i32, output: &str) -> RecordRunParams {
    RecordRunParams {
        command: Some("npm test".to_owned()),
        exit_code: Some(exit_code),
        duration_ms: Some(1500.0),
        output_tail: Some(output.to_owned()),
        ..RecordRunParams::default()
    }
}

/// Returns the same content for every path.
#[derive(Debug)]
struct OneReport(&'static [u8]);

impl ReportFiles for OneReport {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead>, EngineError> {
        Ok(Box::new(self.0))
    }
}

fn record(world: &World, params: &RecordRunParams) -> Result<RunResult, EngineError> {
    world.call(record_run, params)
}

#[test]
fn a_command_without_a_report_is_a_single_case() {
    let world = World::new();
    let run = record(&world, &command_params(2, "compiling\nerror: broken\n")).unwrap();
    assert_eq!((run.status, run.totals.failed, run.failures[0].case_name.as_str()), (RunStatus::Failed, 1, "npm test"));
    assert!(world.diagnose(&run.run_id, "npm test").unwrap().is_new_pattern);
    let run = record(&world, &command_params(0, "all fine")).unwrap();
    assert_eq!((run.status, run.totals.passed, run.failures.len()), (RunStatus::Passed, 1, 0));
    assert_eq!(run.duration_ms, 1500.0);
}

#[test]
fn known_failures_answers_without_recording() {
    let (world, run) = World::after_run(vec![failed_case("boom", UNKNOWN_ERROR)]);
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.run(vec![passed_case("boom")]);
    let params = RecordRunParams {
        cases: vec![failed_case("boom", UNKNOWN_ERROR), passed_case("fine")],
        ..RecordRunParams::default()
    };
    let known = world.call(known_failures, &params).unwrap();
    assert_eq!(known[0].known.as_ref().and_then(|known| known.suggested_fix.as_deref()), Some("Tuned it"));
    assert_eq!(world.call(history, &HistoryParams::default()).unwrap().total, 2);
    // Causes are assigned with the verdicts, which exist only after recording.
    let without_cause = |failures: Vec<FailureBrief>| -> Vec<FailureBrief> {
        failures.into_iter().map(|failure| FailureBrief { cause_id: String::new(), verdict: None, ..failure }).collect()
    };
    assert_eq!(without_cause(record(&world, &params).unwrap().failures), without_cause(known));
}

#[test]
fn case_names_of_a_package_start_with_its_folder() {
    const JUNIT: &[u8] =
        br#"<testsuite><testcase name="adds" file="test/sum.js"><failure message="1 is not 2"/></testcase>
        <testcase name="adds" file="packages/a/test/other.js"/><testcase name="adds" file="/elsewhere/sum.js"/>
        <testcase name="adds" classname="shop.Sum"/></testsuite>"#;
    let mut world = World::new();
    world.engine = world.engine.with_reports(OneReport(JUNIT));
    let reports = vec![ReportInput { path: "junit.xml".to_owned(), format: None }];
    let params = RecordRunParams { reports, folder: Some("packages/a".to_owned()), ..command_params(1, "") };
    let names = |params: &RecordRunParams| -> Vec<String> {
        let run = record(&world, params).unwrap();
        let of_run = RunDetailParams { run_id: run.run_id, ..RunDetailParams::default() };
        let detail = world.call(run_detail, &of_run).unwrap();
        detail.cases.into_iter().map(|case| case.case_name).collect()
    };
    let wanted = [
        "packages/a/test/sum.js > adds",
        "packages/a/test/other.js > adds",
        "/elsewhere/sum.js > adds",
        "packages/a > shop.Sum > adds",
    ];
    assert_eq!(names(&params), wanted);
    // Recording the prepared run does not add the folder twice.
    let waiting = world.call(prepare_run, &params).unwrap();
    assert_eq!(names(&waiting), wanted);
    assert_eq!(names(&RecordRunParams { reports: Vec::new(), ..params }), ["packages/a > npm test"]);
}

#[test]
fn the_error_of_a_command_is_the_salient_part_of_its_output() {
    let world = World::new();
    let progress = "Downloading a dependency of the project\n".repeat(2_000);
    let output = format!("{progress}src/cart.ts(3,7): error TS2322: Type 'string' is not assignable\n{progress}");
    let run = record(&world, &command_params(2, &output)).unwrap();
    assert!(run.failures[0].headline.contains("TS2322"), "{}", run.failures[0].headline);
}

#[test]
fn a_failed_command_with_passed_cases_gets_its_own_case() {
    let world = World::new();
    let run = world.record(&command_params(1, "coverage too low"), vec![passed_case("one")]).unwrap();
    assert_eq!((run.totals.passed, run.totals.failed, run.failures[0].case_name.as_str()), (1, 1, "npm test"));
    let run = world
        .record(&command_params(1, "one failed"), vec![passed_case("one"), failed_case("two", UNKNOWN_ERROR)])
        .unwrap();
    assert_eq!((run.totals.passed, run.totals.failed), (1, 1));
}

#[test]
fn a_command_that_ran_out_of_time_is_a_timeout() {
    let world = World::new();
    let params = RecordRunParams { timed_out: true, exit_code: None, ..command_params(0, "starting server") };
    let run = record(&world, &params).unwrap();
    assert_eq!((run.failures[0].category, run.status), (Category::Timeout, RunStatus::Failed));
    assert_eq!(run.failures[0].headline, "Command timed out after 1500 ms");

    let cut_off = world.record(&params, vec![passed_case("one"), failed_case("two", UNKNOWN_ERROR)]).unwrap();
    let categories: Vec<_> = cut_off.failures.iter().map(|failure| failure.category).collect();
    assert!(categories.contains(&Category::Timeout), "{categories:?}");
}

#[test]
fn an_unreadable_report_is_an_error_only_if_nothing_else_is_known() {
    let world = World::new();
    let reports = vec![ReportInput { path: "report.xml".to_owned(), format: None }];
    let import = RecordRunParams { reports: reports.clone(), ..RecordRunParams::default() };
    assert_eq!(record(&world, &import).unwrap_err().code, ErrorCode::ReportNotFound);
    let run = record(&world, &RecordRunParams { reports, ..command_params(1, "boom") }).unwrap();
    assert_eq!((run.totals.failed, run.skipped[0].at.as_str()), (1, "report.xml"));
}

#[test]
fn a_report_without_tests_adds_a_note() {
    let mut world = World::new();
    let reports = vec![ReportInput { path: "TEST-shop.SumTest.xml".to_owned(), format: None }];
    let params = RecordRunParams { reports, ..command_params(0, "Tests run: 0") };
    let unreadable = record(&world, &params).unwrap();
    assert_eq!((unreadable.notes.len(), unreadable.skipped.len()), (0, 1));
    assert_eq!(unreadable.status, RunStatus::Failed);
    world.engine = world.engine.with_reports(OneReport(br#"<testsuite name="shop.SumTest" tests="0"/>"#));
    let run = record(&world, &params).unwrap();
    assert_eq!((run.totals.passed, run.notes), (1, vec!["The reports contain no test cases.".to_owned()]));
}

#[test]
fn an_incomplete_report_fails_the_run() {
    let mut world = World::new();
    let reports = vec![ReportInput { path: "/tmp/argus-run-1/report.tap".to_owned(), format: None }];
    let import = RecordRunParams { reports, ..RecordRunParams::default() };
    let run = RecordRunParams { reports: import.reports.clone(), ..command_params(0, "") };
    let rows: [(&[u8], &RecordRunParams, Option<&str>); 7] = [
        (
            b"1..5\nok 1 - a\nok 2 - b\n",
            &import,
            Some("REPORT_INCOMPLETE: 5 tests were planned, 2 reported (report.tap)"),
        ),
        (b"1..5\nok 1 - a\nok 2 - b\n", &run, Some("REPORT_INCOMPLETE: 5 tests were planned, 2 reported (report.tap)")),
        (
            b"<testsuites><testsuite name='s' failures='2'><testcase name='a'/></testsuite></testsuites>",
            &import,
            Some("REPORT_INCOMPLETE: the report counts 2 failures and lists 0 (report.tap)"),
        ),
        (
            b"<testsuites><testsuite name='s'><testcase name='a'/>",
            &run,
            Some("REPORT_INCOMPLETE: the report ends early; only its complete part was read (report.tap)"),
        ),
        (b"no report at all", &run, Some("REPORT_INCOMPLETE: ")),
        (b"<testsuite name='s'><testcase name='a'/><system-out>\xFF &nbsp;</system-out></testsuite>", &run, None),
        (b"1..2\nok 1 - a\nok 2 - b\n", &run, None),
    ];
    for (report, params, expected) in rows {
        world.engine = world.engine.with_reports(OneReport(report));
        let prepared = world.call(prepare_run, params).unwrap();
        for run in [record(&world, params).unwrap(), record(&world, &prepared).unwrap()] {
            let headlines: Vec<&str> = run.failures.iter().map(|failure| failure.headline.as_str()).collect();
            match expected {
                Some(start) => assert!(headlines.len() == 1 && headlines[0].starts_with(start), "{headlines:?}"),
                None => assert_eq!(headlines, [""; 0], "{}", String::from_utf8_lossy(report)),
            }
            assert_eq!(run.status == RunStatus::Failed, expected.is_some(), "{headlines:?}");
        }
    }
    // The command was ended, so its report cannot be complete.
    world.engine = world.engine.with_reports(OneReport(b"1..5\nok 1 - a\n"));
    let interrupted = record(&world, &RecordRunParams { interrupted: true, ..run.clone() }).unwrap();
    assert_eq!((interrupted.failures.len(), interrupted.status), (0, RunStatus::Failed));
    let timed_out = record(&world, &RecordRunParams { timed_out: true, exit_code: None, ..run }).unwrap();
    assert_eq!((timed_out.failures.len(), timed_out.failures[0].category), (1, Category::Timeout));
}

#[test]
fn a_report_with_fewer_tests_than_the_runner_printed_is_incomplete() {
    let world = World::new();
    let printed = |tests, failed| Some(PrintedCounts { summary: "Tests: printed".to_owned(), tests, failed });
    let run = |exit_code, cases: &[ReportCase], printed| {
        let params = RecordRunParams { cases: cases.to_vec(), printed, ..command_params(exit_code, "") };
        let run = record(&world, &params).unwrap();
        run.failures.into_iter().map(|failure| failure.headline).collect::<Vec<_>>()
    };
    let (green, red) =
        (vec![passed_case("a"), passed_case("b")], vec![passed_case("a"), failed_case("b", UNKNOWN_ERROR)]);
    let none: [String; 0] = [];
    assert_eq!(run(0, &green, printed(2, 0)), none);
    // A runner may not count a failure outside of its tests.
    assert_eq!(run(0, &green, printed(1, 0)), none);
    let told = "REPORT_INCOMPLETE: the runner printed 'Tests: printed', but reported 2 tests with";
    assert_eq!(run(0, &green, printed(3, 0)), [format!("{told} 0 failed")]);
    assert!(run(1, &red, printed(2, 2)).contains(&format!("{told} 1 failed")));
}

#[test]
fn a_failed_command_without_failed_tests_has_a_note() {
    let world = World::new();
    let notes = |exit_code, cases: &[ReportCase]| {
        let params = RecordRunParams { cases: cases.to_vec(), ..command_params(exit_code, "coverage is too low") };
        record(&world, &params).unwrap().notes
    };
    let none: [String; 0] = [];
    assert_eq!(notes(3, &[passed_case("a")]), ["No reported test failed, but the command ended with exit code 3."]);
    assert_eq!(notes(3, &[failed_case("a", UNKNOWN_ERROR)]), none);
    assert_eq!(notes(3, &[]), none);
}

#[test]
fn a_run_without_tests_fails_if_tests_are_expected() {
    let world = World::new();
    world.run(vec![passed_case("cart > adds a book"), passed_case("cart > removes a book")]);
    let none =
        RecordRunParams { expects_tests: true, runner: Some("mocha".to_owned()), ..command_params(0, "0 passing") };
    let run = record(&world, &none).unwrap();
    assert_eq!((run.status, run.totals.passed, run.failures.len()), (RunStatus::Failed, 0, 0));
    assert!(run.notes[0].starts_with("NO_TESTS_RAN: the runner found no tests."), "{:?}", run.notes);
    let skipped = ReportCase { status: CaseStatus::Skipped, ..passed_case("cart > adds a book") };
    let all_skipped = RecordRunParams { cases: vec![skipped], ..none.clone() };
    let run = record(&world, &all_skipped).unwrap();
    assert_eq!(run.status, RunStatus::Passed, "skipped tests do not fail a run");
    assert_eq!(run.notes, ["All tests were skipped (1), so the run proves nothing."]);
    let filtered = RecordRunParams { filter: Some("adds a boot".to_owned()), ..all_skipped };
    let run = record(&world, &filtered).unwrap();
    assert_eq!(run.status, RunStatus::Failed);
    assert!(run.notes[0].contains("no test matches the filter 'adds a boot'"), "{:?}", run.notes);
    assert!(run.notes[0].contains("cart > adds a book'"), "{:?}", run.notes);
    let pytest = RecordRunParams { exit_code: Some(5), runner: Some("pytest".to_owned()), ..none.clone() };
    let run = record(&world, &pytest).unwrap();
    assert_eq!(
        (run.status, run.failures.len()),
        (RunStatus::Failed, 0),
        "the exit code already shows that no tests ran"
    );
    let broken = RecordRunParams { exit_code: Some(1), ..none };
    let run = record(&world, &broken).unwrap();
    assert_eq!(
        (run.status, run.failures.len()),
        (RunStatus::Failed, 1),
        "the output of the command explains the failure"
    );
}

#[test]
fn recording_a_prepared_run_equals_recording_its_reports() {
    let report = br#"<testsuites name="jest tests" tests="2" time="1.5" timestamp="2025-02-19T21:20:00Z">
        <testsuite name="shop" timestamp="2025-02-19T21:20:00Z" time="1.5">
        <testcase classname="shop" name="sells" time="1"><failure message="Error: token=ghp_0123456789abcdefghijABCDEFGHIJ012345 refused">
            Error: token=ghp_0123456789abcdefghijABCDEFGHIJ012345 refused</failure></testcase>
        <testcase classname="shop" name="buys" time="0.5"/></testsuite></testsuites>"#;
    let reports = vec![ReportInput { path: "junit.xml".to_owned(), format: None }];
    let params = RecordRunParams { reports, ..command_params(1, "npm ERR! password=hunter2hunter2") };
    let mut world = World::new();
    world.engine = world.engine.with_reports(OneReport(report));
    let prepared = world.call(prepare_run, &params).unwrap();
    let stored = serde_json::to_string(&prepared).unwrap();
    assert!(!stored.contains("ghp_") && !stored.contains("hunter2") && prepared.reports.is_empty(), "{stored}");
    let read = serde_json::from_str(&stored).unwrap();
    let (direct, later) = (record(&world, &params).unwrap(), record(&world, &read).unwrap());
    let has_one_cause = |run: &RunResult| run.failures[0].cause_id == run.causes[0].cause_id;
    assert!(has_one_cause(&direct) && has_one_cause(&later));
    // The verdicts differ, because the second run fails like the first.
    let comparable = |run: &RunResult| {
        let causes = run.causes.iter().map(|cause| Cause { verdict: None, ..cause.clone() }).collect();
        let failures = run.failures.iter().map(|failure| FailureBrief { verdict: None, ..failure.clone() }).collect();
        RunResult { run_id: String::new(), causes, failures, ..run.clone() }
    };
    assert_eq!(comparable(&direct), comparable(&later));
    assert_eq!((later.totals.failed, later.totals.passed), (1, 1));
}

/// Returns a report of Jest or of pytest, depending on the path.
#[derive(Debug)]
struct TwoRunners;

impl ReportFiles for TwoRunners {
    fn open(&self, path: &str) -> Result<Box<dyn BufRead>, EngineError> {
        Ok(Box::new(match path {
            "jest.xml" => {
                &br#"<testsuites name="jest tests"><testsuite name="a"><testcase classname="a" name="a"><failure>no</failure>
                    </testcase></testsuite></testsuites>"#[..]
            }
            _ => {
                &br#"<testsuites><testsuite name="pytest" hostname="h" timestamp="2025-02-19T21:20:00.000000+00:00">
                    <testcase classname="tests.test_b" name="test_b" time="0.1"><failure message="no">no</failure>
                    </testcase></testsuite></testsuites>"#[..]
            }
        }))
    }
}

#[test]
fn a_failure_of_a_prepared_run_keeps_the_runner_of_its_own_report() {
    let reports = ["jest.xml", "pytest.xml"].map(|path| ReportInput { path: path.to_owned(), format: None }).to_vec();
    let params = RecordRunParams { reports, ..RecordRunParams::default() };
    let runners = |params: &RecordRunParams| {
        let collected =
            crate::runs::collect::collect_cases(&world_with_two_runners().engine, params, &KnownNames::default())
                .unwrap();
        let of_case = |case: &argus_store::runs::cases::Case| case.failure.as_ref().unwrap().facts.runner.clone();
        (collected.facts.runner, collected.cases.iter().map(of_case).collect::<Vec<_>>())
    };
    let direct = runners(&params);
    assert_eq!(
        (direct.0.as_deref(), direct.1[0].as_deref(), direct.1[1].as_deref()),
        (Some("jest"), Some("jest"), Some("pytest"))
    );
    for runner in [None, Some("make".to_owned())] {
        let params = RecordRunParams { runner, ..params.clone() };
        let world = world_with_two_runners();
        let prepared = world.call(prepare_run, &params).unwrap();
        assert_eq!(runners(&prepared), runners(&params));
    }
}

fn world_with_two_runners() -> World {
    let mut world = World::new();
    world.engine = world.engine.with_reports(TwoRunners);
    world
}

#[test]
fn output_is_redacted_before_it_is_cut() {
    let output = format!("kind: Secret\ndata:\n  ca.crt: {}\n  conf: c3VwZXJzZWNyZXQ=\n", "QUJD".repeat(2_500));
    let report = format!(
        "<testsuites><testsuite name=\"s\"><testcase name=\"a\"><failure message=\"no\"/><system-out>{output}</system-out>\
         </testcase></testsuite></testsuites>"
    );
    let reports = vec![ReportInput { path: "junit.xml".to_owned(), format: None }];
    let params = RecordRunParams { reports, ..command_params(1, "") };
    let mut world = World::new();
    world.engine = world.engine.with_reports(OneReport(report.leak().as_bytes()));
    let prepared = world.call(prepare_run, &params).unwrap();
    let kept = prepared.cases[0].stdout_tail.clone().unwrap();
    assert!(kept.contains("conf: [REDACTED") && !kept.contains("c3VwZXJ"), "{kept}");
}

#[test]
fn a_call_with_an_id_is_made_once() {
    let world = World::new();
    let named = || CallContext::with_call_id(START_MS, "one");
    let first = record_run(&world.engine, &named(), &command_params(1, "boom")).unwrap();
    let again = record_run(&world.engine, &named(), &command_params(1, "boom")).unwrap_err();
    assert_eq!(again.code, ErrorCode::CallRepeated);
    let runs = world.call(history, &HistoryParams::default()).unwrap();
    assert_eq!((runs.total, runs.runs[0].id.as_str()), (1, first.run_id.as_str()));
}

#[test]
fn at_most_twenty_failures_are_listed() {
    let world = World::new();
    let cases =
        (0..50).map(|n| failed_case(&format!("case {n}"), &format!("Error: no {}", "x".repeat(n + 1)))).collect();
    let run = world.record(&RecordRunParams::default(), cases).unwrap();
    assert_eq!((run.failures.len(), run.more, run.totals.failed), (20, 30, 50));
}

#[test]
fn a_failed_container_does_not_explain_an_assertion() {
    let world = World::new();
    let killed = ContainerFact {
        name: "db".to_owned(),
        status: Some("exited".to_owned()),
        oom_killed: Some(true),
        exit_code: Some(137),
    };
    let params = RecordRunParams { containers: vec![killed], ..RecordRunParams::default() };
    let assertion = "AssertionError: expected 3 to equal 4";
    let run = world.record(&params, vec![failed_case("boom", UNKNOWN_ERROR), failed_case("sum", assertion)]).unwrap();
    assert_eq!(run.failures[0].category, Category::ContainerOom);
    assert_eq!(run.failures[1].category, Category::AssertionMismatch);
    assert_eq!(world.diagnose(&run.run_id, "boom").unwrap().category, Category::ContainerOom);
}

#[test]
fn secrets_are_not_stored() {
    let world = World::new();
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let mut leaky = failed_case(secret, &format!("Error: 401 for token {secret}"));
    leaky.stdout_tail = Some(format!("token={secret}"));
    let params =
        RecordRunParams { command: Some(format!("GITHUB_TOKEN={secret} npm test")), ..RecordRunParams::default() };
    let run = world.record(&params, vec![leaky]).unwrap();
    let case = run.failures[0].case_name.clone();
    world.fix(&run.run_id, &case, &format!("Renewed {secret}"), true).unwrap();
    let detail = RunDetailParams { run_id: run.run_id.clone(), ..RunDetailParams::default() };
    let detail = world.call(run_detail, &detail).unwrap();
    let shown = format!("{run:?} {detail:?} {:?}", world.diagnose(&run.run_id, &case).unwrap());
    assert!(!shown.contains(secret), "{shown}");
    assert!(world.diagnose(&run.run_id, secret).is_ok(), "the name before redaction finds the case");
}

/// The stored error has up to 24 KiB of its beginning and 8 KiB of its end. An output has up to 8 KiB, a name up to 2
/// KiB.
#[test]
fn a_cut_text_contains_no_part_of_a_secret() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let words = "a line of a long text\n".repeat(4096);
    let across = |at: usize| format!("{}{secret} {}", &words[..at - 20], &words[..60 * 1024 - at - 21]);
    let (folder, world) = World::on_file("half-secrets");
    let mut leaky = failed_case(&across(2 * 1024), &across(24 * 1024));
    leaky.stdout_tail = Some(across(52 * 1024));
    let mut other = failed_case("other", &across(52 * 1024));
    other.stderr_tail = Some(across(52 * 1024 - 10));
    world.run(vec![leaky, other]);
    drop(world);
    let stored = std::fs::read(folder.file()).unwrap();
    let holds = |part: &[u8]| stored.windows(part.len()).any(|window| window == part);
    assert!(holds(b"a line of a long text") && !holds(b"ghp_16C7") && !holds(b"47Ae178B4a"));
}

#[test]
fn a_shortened_stored_failure_keeps_its_signature() {
    let world = World::new();
    let long = format!("{UNKNOWN_ERROR}\n{}", "    at thing (src/thing.ts:1:2)\n".repeat(5_000));
    let run = world.run(vec![failed_case("boom", &long)]);
    let params = RunDetailParams { run_id: run.clone(), ..RunDetailParams::default() };
    let case = world.call(run_detail, &params).unwrap().cases.remove(0);
    assert!(case.error.unwrap().len() < 40_000);
    assert_eq!(case.signature.unwrap(), world.diagnose(&run, "boom").unwrap().signature);
}

#[test]
fn a_start_time_in_the_future_does_not_keep_a_run_newest() {
    let world = World::new();
    let ahead = RecordRunParams { started_at: Some(START_MS * 2), ..RecordRunParams::default() };
    let ahead = world.record(&ahead, vec![passed_case("one")]).unwrap().run_id;
    let next = world.run(vec![case("one", CaseStatus::Skipped, None)]);
    let message = world.diagnose("none", "one").unwrap_err().message;
    assert!(message.find(&next).unwrap() < message.find(&ahead).unwrap(), "{message}");
}

#[test]
fn changed_rules_re_sign_learned_patterns() {
    let (folder, world) = World::on_file("rules");
    let run = world.run(vec![failed_case("boom", UNKNOWN_ERROR), failed_case("other", UNKNOWN_ERROR)]);
    let fix = world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.diagnose(&run, "other").unwrap();
    drop(world);
    let rule =
        UserRule { name: "flux".to_owned(), category: Category::ConfigError, pattern: "flux capacitor".to_owned() };
    let options = EngineOptions { rules: vec![rule], ..EngineOptions::default() };
    let world = World::open_with_options(folder.file().to_str().unwrap(), options).unwrap();
    let known = world.diagnose(&run, "boom").unwrap();
    assert_eq!(known.category, Category::ConfigError);
    let pattern = known.pattern.unwrap();
    assert_eq!((pattern.id, pattern.category), (fix.pattern_id, Category::ConfigError));
    assert_eq!(known.suggested_fix.as_deref(), Some("Tuned it"));
    let counts = world.call(
        crate::knowledge::patterns::patterns,
        &crate::contract::PatternsParams { category: Some(Category::ConfigError), ..Default::default() },
    );
    assert_eq!(counts.unwrap().learned_count, 2);
}

/// Run this by hand for each new schema version: `cargo test -p argus-engine -- --ignored fixture`.
#[test]
#[ignore = "makes a file of the store's tests"]
fn writes_fixture_of_this_schema_version() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../store/tests/fixtures/version-3.db");
    let world = World::open_with_options(path, EngineOptions::default()).unwrap();
    let params = RecordRunParams { command: Some("npm test".to_owned()), ..RecordRunParams::default() };
    let run = world.record(&params, vec![failed_case("boom", UNKNOWN_ERROR), passed_case("fine")]).unwrap().run_id;
    world.diagnose(&run, "boom").unwrap();
    world.fix(&run, "boom", "Tuned it", true).unwrap();
    world.diagnose(&run, "boom").unwrap();
    world.add_new_incident(&memory::pool_incident());
    let id = world.diagnose(&run, "boom").unwrap().pattern.unwrap().id;
    world.set(&id, Category::ConfigError, "Out of tune", "Tune it");
    world.search_solutions(UNKNOWN_ERROR, memory::linux_env());
}
