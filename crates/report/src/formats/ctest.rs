//! `CTest`'s own XML (`Testing/*/Test.xml`), which it uploads to `CDash`.
//!
//! Source: `cmCTestTestHandler::GenerateXML` of <https://gitlab.kitware.com/cmake/cmake>.
//! `Site > Testing > Test` has `Status` (`passed`, `failed`, `notrun`), the name in `Name`, and values in
//! `Results > NamedMeasurement`: `Execution Time` in seconds, `Exit Code` with the word of a failure (`Failed`,
//! `SEGFAULT`, `Timeout`) and `Completion Status`. A test that did not run counts as failed in `CTest`, unless it is
//! disabled or asked to be skipped. `Measurement > Value` is the output; compressed output is not read.

use std::io::BufRead;

use crate::{
    cpp_frameworks::extract_failed_assertions,
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        units,
        xml::{
            Tag,
            walk::{ElementHandler, walk},
        },
    },
};

/// Reads a report of `CTest` to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let result = walk(input, &mut CTest::default(), intake);
    intake.runner = Some("ctest".to_owned());
    result
}

#[derive(Default)]
struct CTest {
    test: Option<Test>,
}

#[derive(Default)]
struct Test {
    status: Option<String>,
    name: Option<String>,
    /// Name of the measurement that is being read.
    measure: Option<String>,
    is_compressed: bool,
    seconds: Option<String>,
    ending: Option<String>,
    exit: Option<String>,
    output: Option<String>,
}

impl ElementHandler for CTest {
    const FORMAT: &'static str = "ctest";
    const ROOTS: &'static [&'static str] = &["Site"];
    const TEXTS: &'static [&'static str] = &["Name", "Value", "StartTestTime"];

    fn open(&mut self, tag: &Tag, parent: &str, _: &mut Intake<'_>) {
        match (tag.name(), &mut self.test) {
            // The names in `TestList` are elements `Test` too.
            ("Test", _) if parent != "TestList" => {
                self.test = Some(Test { status: tag.text("Status"), ..Test::default() });
            }
            ("NamedMeasurement", Some(test)) => test.measure = tag.text("name"),
            ("Value", Some(test)) => test.is_compressed = tag.has("compression"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, parent: &str, content: Option<String>, intake: &mut Intake<'_>) {
        match (name, &mut self.test) {
            ("StartTestTime", _) => {
                let seconds = content.and_then(|text| text.trim().parse::<i64>().ok());
                intake.record_start(seconds.map(|seconds| seconds.saturating_mul(1000)));
            }
            ("Name", Some(test)) if parent == "Test" => test.name = content,
            ("Value", Some(test)) if parent == "Measurement" && !test.is_compressed => test.output = content,
            ("Value", Some(test)) => match test.measure.take().as_deref() {
                Some("Execution Time") => test.seconds = content,
                Some("Completion Status") => test.ending = content,
                Some("Exit Code") => test.exit = content,
                _ => {}
            },
            ("Test", Some(_)) if parent != "TestList" => {
                if let Some(test) = self.test.take() {
                    intake.emit_case(test.into_case());
                }
            }
            _ => {}
        }
    }
}

impl Test {
    fn into_case(self) -> ReportCase {
        let reason = self.ending.filter(|ending| ending != "Completed");
        let is_skipped = reason.as_deref().is_some_and(|reason| reason.starts_with("SKIP_") || reason == "Disabled");
        let status = match self.status.as_deref() {
            Some("passed") => CaseStatus::Passed,
            Some("notrun") if is_skipped => CaseStatus::Skipped,
            _ => CaseStatus::Failed,
        };
        let word = self.exit.filter(|word| word != "Failed");
        let error = || {
            let assertions = self.output.as_deref().and_then(extract_failed_assertions);
            assertions
                .or_else(|| bounded_text::join_message(word.as_deref().or(reason.as_deref()), self.output.as_deref()))
        };
        ReportCase {
            error: (status == CaseStatus::Failed).then(error).flatten(),
            duration_ms: self.seconds.and_then(|text| units::parse_seconds(&text)),
            runner_status: word,
            stdout_tail: self.output.and_then(|text| bounded_text::bound_output(&text)),
            ..ReportCase::new(self.name.unwrap_or_default(), status)
        }
    }
}
