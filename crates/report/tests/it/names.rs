//! A case has the same name in every reporter.

use std::collections::BTreeSet;

use crate::{cases, fixture};

fn names(file: &str) -> BTreeSet<String> {
    cases(fixture(file)).iter().map(argus_report::ReportCase::qualified_name).collect()
}

/// Checks that both files have the same names, except for the given names.
#[track_caller]
fn check(left: &str, right: &str, only_left: &[&str], only_right: &[&str]) {
    let (left, right) = (names(left), names(right));
    let difference =
        |one: &BTreeSet<String>, other: &BTreeSet<String>| one.difference(other).cloned().collect::<Vec<_>>();
    assert_eq!(difference(&left, &right), only_left);
    assert_eq!(difference(&right, &left), only_right);
}

#[test]
fn vitest_reports_have_equal_names() {
    // The JSON reporter does not name a failed hook.
    check("vitest-junit.xml", "vitest.json", &["cart.test.ts > setup"], &[]);
}

#[test]
fn jest_reports_have_equal_names() {
    check("jest-junit-file.xml", "jest.json", &[], &[]);
    // The CTRF reporter leaves out files that could not be run.
    check("jest-ctrf.json", "jest.json", &[], &["src/broken.test.js > (suite)"]);
}

#[test]
fn playwright_reports_have_equal_names() {
    check("playwright-junit.xml", "playwright.json", &[], &[]);
    check("playwright-ctrf.json", "playwright.json", &[], &[]);
}

#[test]
fn pytest_reports_have_equal_names() {
    check("pytest-xunit1.xml", "pytest-xunit2.xml", &[], &[]);
}

#[test]
fn go_reports_have_equal_names() {
    // gotestsum counts a failed build, but has no case for it.
    check("go-test.json", "gotestsum.xml", &["example.com/shop/broken > (suite)"], &[]);
    check("go-test-rerun.json", "gotestsum-rerun.xml", &[], &[]);
}

#[test]
fn node_test_reports_have_equal_names() {
    // The JUnit reporter does not name a failed hook.
    check("node-test.tap", "node-test-junit.xml", &["setup > (suite)"], &[]);
}

#[test]
fn reporters_agree_on_statuses() {
    for (left, right) in [
        ("jest-junit-file.xml", "jest-ctrf.json"),
        ("playwright-junit.xml", "playwright.json"),
        ("go-test-rerun.json", "gotestsum-rerun.xml"),
        ("node-test.tap", "node-test-junit.xml"),
        ("vitest.json", "vitest-junit.xml"),
        ("pytest-xunit1.xml", "pytest-xunit2.xml"),
    ] {
        let right = cases(fixture(right));
        for case in cases(fixture(left)) {
            let Some(other) = right.iter().find(|other| other.qualified_name() == case.qualified_name()) else {
                continue;
            };
            // jest-junit has no status for a todo.
            if case.runner_status.as_deref() != Some("todo") && !case.name.contains("to do") {
                assert_eq!(case.status, other.status, "{}", case.qualified_name());
            }
        }
    }
}
