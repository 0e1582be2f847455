//! JSON of `GoogleTest` (`--gtest_output=json:report.json`). Its XML is a dialect of `JUnit`.
//!
//! Source: <https://google.github.io/googletest/advanced.html#generating-a-json-report>.
//! `testsuites` have the tests in `testsuite`, each with `classname`, `name`, `value_param`, `file`, `status` (`RUN`,
//! `NOTRUN`), `result` (`COMPLETED`, `SKIPPED`, `SUPPRESSED`), `time` (`0.035s`) and `failures`. A test that crashes
//! the program leaves no report. `GoogleTest` has no retries; `--gtest_repeat` overwrites the report.

use std::io::BufRead;

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, ValueReceiver, items, number, text},
        units,
    },
};

/// Reads a report of `GoogleTest` to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report = Report { intake, known: false };
    let ending = values::read(input, &mut report);
    let Report { intake, known } = report;
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("googletest".to_owned());
    ending.report("googletest", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
}

impl ValueReceiver for Report<'_, '_> {
    const ARRAYS: &'static [&'static str] = &["testsuites"];

    fn value(&mut self, key: &str, value: Value) {
        match key {
            "testsuites" => {
                self.known = true;
                for test in items(&value, "/testsuite") {
                    let case = read_case(test, &value, self.intake);
                    self.intake.emit_case(case);
                }
            }
            "failures" => self.intake.record_claimed_failures(number(&value, "")),
            "time" => self.intake.duration_ms = text(&value, "").and_then(|text| units::parse_seconds(&text)),
            "timestamp" => self.intake.record_start(text(&value, "").and_then(|text| units::parse_timestamp(&text))),
            _ => {}
        }
    }
}

fn read_case(test: &Value, suite: &Value, intake: &Intake<'_>) -> ReportCase {
    let failures: Vec<String> = items(test, "/failures").iter().filter_map(|item| text(item, "/failure")).collect();
    let is_run = text(test, "/status").is_none_or(|status| status == "RUN");
    let status = match text(test, "/result").as_deref() {
        _ if !failures.is_empty() => CaseStatus::Failed,
        Some("SKIPPED" | "SUPPRESSED") => CaseStatus::Skipped,
        _ if !is_run => CaseStatus::Skipped,
        _ => CaseStatus::Passed,
    };
    ReportCase {
        file: text(test, "/file").and_then(|path| intake.file(&path)),
        suite: text(test, "/classname").or_else(|| text(suite, "/name")).into_iter().collect(),
        duration_ms: text(test, "/time").and_then(|text| units::parse_seconds(&text)),
        error: bounded_text::bound_error(&failures.join("\n\n")),
        ..ReportCase::new(text(test, "/name").unwrap_or_default(), status)
    }
}
