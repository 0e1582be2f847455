//! Snapshots of the cases in every report in `tests/fixtures/reports`, which real tools wrote.

use std::fmt::Write as _;

use argus_report::ReportCase;

use crate::{fixture, fixtures, read};

/// Renders a case in a few lines for the snapshot.
fn render(case: &ReportCase) -> String {
    let mut text = format!("{:?} {}", case.status, case.qualified_name());
    let word = case.runner_status.as_deref().map(|word| format!(" ({word})")).unwrap_or_default();
    let flaky = if case.flaky { " flaky" } else { "" };
    let _ = write!(text, "{word}{flaky} attempts={} ms={:?}", case.attempts, case.duration_ms);
    if let Some(kind) = &case.error_type {
        let _ = write!(text, "\n  type: {kind}");
    }
    for (label, value) in [("error", &case.error), ("stdout", &case.stdout_tail), ("stderr", &case.stderr_tail)] {
        let Some(value) = value else { continue };
        let lines: Vec<&str> = value.lines().collect();
        let _ = write!(text, "\n  {label}: {:?}", &lines[..lines.len().min(3)]);
        if lines.len() > 3 {
            let _ = write!(text, " .. {:?} ({} lines)", lines[lines.len() - 1], lines.len());
        }
    }
    text
}

fn show(name: &str) -> String {
    let (parsed, cases) = read(&fixture(name)).unwrap();
    let mut text = format!(
        "{:?} runner={:?} started={:?} ms={:?}\n",
        parsed.format, parsed.runner, parsed.started_at, parsed.duration_ms
    );
    for problem in &parsed.problems {
        let _ = writeln!(text, "problem {}: {}", problem.at, problem.reason);
    }
    for case in &cases {
        let _ = writeln!(text, "{}", render(case));
    }
    text
}

macro_rules! fixtures {
    ($($test:ident: $file:literal,)*) => {
        $(#[test]
        fn $test() {
            insta::assert_snapshot!($file, show($file));
        })*

        #[test]
        fn every_fixture_is_read() {
            let named = [$($file),*];
            for name in fixtures() {
                assert!(named.contains(&name.as_str()), "{name} has no snapshot");
            }
        }
    };
}

fixtures! {
    vitest_junit: "vitest-junit.xml",
    vitest_json: "vitest.json",
    jest_json: "jest.json",
    jest_ctrf: "jest-ctrf.json",
    playwright_json: "playwright.json",
    playwright_ctrf: "playwright-ctrf.json",
    node_test_tap: "node-test.tap",
    tape_tap: "tape.tap",
    bats_tap: "bats.tap",
    bats_junit: "bats-junit.xml",
    go_test: "go-test.json",
    go_test_count: "go-test-count.json",
    go_test_panic: "go-test-panic.json",
    go_test_rerun: "go-test-rerun.json",
    gotestsum: "gotestsum.xml",
    gotestsum_rerun: "gotestsum-rerun.xml",
    surefire: "surefire.xml",
    surefire_setup: "surefire-setup.xml",
    gradle: "gradle.xml",
    gradle_setup: "gradle-setup.xml",
    gradle_parameters: "gradle-parameters.xml",
    bun: "bun.xml",
    deno: "deno.xml",
    node_tap: "node-tap.tap",
    phpunit: "phpunit.xml",
    rspec_junit: "rspec-junit.xml",
    mocha_junit: "mocha-junit.xml",
    jest_junit_default: "jest-junit-default.xml",
    jest_junit_file: "jest-junit-file.xml",
    playwright_junit: "playwright-junit.xml",
    node_test_junit: "node-test-junit.xml",
    pytest_xunit2: "pytest-xunit2.xml",
    pytest_xunit1: "pytest-xunit1.xml",
    ctest: "ctest.xml",
    nextest_junit: "nextest-junit.xml",
    mocha_json: "mocha.json",
    cucumber_json: "cucumber.json",
    cucumber_messages: "cucumber-messages.ndjson",
    robot: "robot.xml",
    libtest: "libtest.json",
    allure_result: "allure-result.json",
    allure_container: "allure-container.json",
}
