//! JSON of `xcrun xcresulttool get test-results tests`.
//!
//! Source: `xcrun xcresulttool help get test-results tests` prints the schema.
//! `testNodes` is a tree of plans, bundles, suites and cases (`nodeType`). A case contains its devices, configurations,
//! arguments and repetitions, and below them failure messages (`CartTests.swift:12: XCTAssertEqual failed`). Results
//! are `Passed`, `Failed`, `Skipped` and `Expected Failure`. Repetitions are attempts: `xcodebuild
//! -retry-tests-on-failure` repeats a failed case, and a case that passed at last has the result `Passed`.

use std::io::BufRead;

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, ValueReceiver, items, number, text},
        units,
    },
};

/// Reads the tests of a result bundle.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report = Report { intake, known: false };
    let ending = values::read(input, &mut report);
    let Report { intake, known } = report;
    intake.runner = Some("xctest".to_owned());
    ending.report("xcresult", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
}

impl ValueReceiver for Report<'_, '_> {
    const ARRAYS: &'static [&'static str] = &["testNodes"];

    fn value(&mut self, key: &str, value: Value) {
        if key == "testNodes" {
            self.known = true;
            emit_cases(&value, &mut Vec::new(), self.intake);
        }
    }
}

/// Emits the cases below a node. `suite` has the names of the bundles and suites around it.
fn emit_cases(node: &Value, suite: &mut Vec<String>, intake: &mut Intake<'_>) {
    let kind = text(node, "/nodeType").unwrap_or_default();
    if kind == "Test Case" {
        let case = read_case(node, suite);
        intake.emit_case(case);
        return;
    }
    let is_named = kind.ends_with("bundle") || kind == "Test Suite";
    if is_named {
        suite.extend(text(node, "/name"));
    }
    let depth = suite.len();
    let children = items(node, "/children");
    for child in children {
        emit_cases(child, suite, intake);
        suite.truncate(depth);
    }
    // A bundle that crashed before its tests has a message and no case.
    let is_failed = text(node, "/result").as_deref() == Some("Failed");
    if is_named && is_failed && children.iter().all(|child| text(child, "/result").is_none()) {
        let error = collect_failure_messages(node).join("\n");
        intake.emit_case(ReportCase { suite: suite.clone(), ..ReportCase::suite_failure(None, Some(error)) });
    }
}

fn read_case(node: &Value, suite: &[String]) -> ReportCase {
    let status = match text(node, "/result").as_deref() {
        Some("Passed" | "Expected Failure") => CaseStatus::Passed,
        Some("Skipped") => CaseStatus::Skipped,
        _ => CaseStatus::Failed,
    };
    let attempts = count_repetitions(node).max(usize::from(status != CaseStatus::Skipped));
    let failures = collect_failure_messages(node);
    let flaky = text(node, "/result").as_deref() == Some("Passed") && attempts > 1 && !failures.is_empty();
    let is_told = flaky || status == CaseStatus::Failed;
    let seconds = text(node, "/duration").and_then(|text| units::parse_seconds(&text));
    ReportCase {
        suite: suite.to_vec(),
        flaky,
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
        duration_ms: number(node, "/durationInSeconds").map(|seconds| seconds * 1000.0).or(seconds),
        error: bounded_text::bound_error(&failures.join("\n")).filter(|_| is_told),
        ..ReportCase::new(text(node, "/name").unwrap_or_default(), status)
    }
}

/// Returns the failure messages below a node.
fn collect_failure_messages(node: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for child in items(node, "/children") {
        if text(child, "/nodeType").as_deref() == Some("Failure Message") {
            found.extend(text(child, "/name"));
        }
        found.extend(collect_failure_messages(child));
    }
    found.dedup();
    found
}

fn count_repetitions(node: &Value) -> usize {
    let is_repetition = |child: &&Value| text(child, "/nodeType").as_deref() == Some("Repetition");
    let children = items(node, "/children");
    let own = children.iter().filter(is_repetition).count();
    children.iter().map(count_repetitions).fold(own, usize::max)
}
