//! Catch2's XML reporter (`-r xml`), version 2 and 3.
//!
//! Source: <https://github.com/catchorg/Catch2/blob/devel/docs/reporters.md> and `catch_reporter_xml.cpp`.
//! `Catch2TestRun` (version 2: `Catch > Group`) contains `TestCase`s with `filename`, and in them nested `Section`s
//! with `Expression`s (`Original`, `Expanded`), `Exception`, `Failure` and `FatalErrorCondition`, each with a location.
//! The last element `OverallResult` says whether the test passed; without it the program ended inside the test. An
//! expected failure is a success. Catch2 has no retries.

use std::io::BufRead;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text::{self, BoundedText},
        input::Input,
        units,
        xml::{
            Tag,
            walk::{ElementHandler, walk},
        },
    },
};

/// Reads a report of Catch2 to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let result = walk(input, &mut Catch2::default(), intake);
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("catch2".to_owned());
    result
}

#[derive(Default)]
struct Catch2 {
    case: Option<ReportCase>,
    sections: Vec<String>,
    /// The failed check that is being read: `cart_test.cpp:7`, and its macro.
    check: Option<(String, String)>,
    original: Option<String>,
    errors: Option<BoundedText>,
}

impl ElementHandler for Catch2 {
    const FORMAT: &'static str = "catch2";
    const ROOTS: &'static [&'static str] = &["Catch2TestRun", "Catch"];
    const TEXTS: &'static [&'static str] =
        &["Original", "Expanded", "Exception", "Failure", "FatalErrorCondition", "StdOut", "StdErr", "Info"];

    fn open(&mut self, tag: &Tag, _: &str, intake: &mut Intake<'_>) {
        let name = || tag.attribute("name").unwrap_or_default();
        match (tag.name(), &mut self.case) {
            ("Catch2TestRun", _) => intake.record_runner_version(tag.text("catch2-version")),
            ("TestCase", _) => {
                self.sections.clear();
                self.case = Some(ReportCase {
                    file: tag.text("filename").and_then(|path| intake.file(&path)),
                    ..ReportCase::new(name(), CaseStatus::Failed)
                });
            }
            ("Section", Some(_)) => self.sections.push(name()),
            ("Expression", Some(_)) if tag.text("success").as_deref() != Some("true") => {
                self.check = Some((read_location(tag), tag.text("type").unwrap_or_default()));
            }
            ("Exception" | "Failure" | "FatalErrorCondition", Some(_)) if self.check.is_none() => {
                self.check = Some((read_location(tag), String::new()));
            }
            ("OverallResult", Some(case)) => {
                let is_skipped = tag.text("skips").is_some_and(|count| count != "0");
                case.status = match tag.text("success").as_deref() {
                    Some("true") if is_skipped => CaseStatus::Skipped,
                    Some("true") => CaseStatus::Passed,
                    _ => CaseStatus::Failed,
                };
                case.duration_ms = tag.text("durationInSeconds").and_then(|text| units::parse_seconds(&text));
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, parent: &str, text: Option<String>, intake: &mut Intake<'_>) {
        match (name, &mut self.case) {
            ("Original", Some(_)) => self.original = text,
            ("Expanded", Some(_)) => {
                if let Some((place, check)) = self.check.take() {
                    let original = self.original.take().unwrap_or_default();
                    let expanded = text.unwrap_or_default();
                    self.fail(&format!(
                        "{place}: FAILED:\n  {check}( {} )\nwith expansion:\n  {}",
                        original.trim(),
                        expanded.trim()
                    ));
                }
            }
            ("Exception" | "Failure" | "FatalErrorCondition", Some(_)) => {
                // An exception inside an expression has the location of the expression.
                if let Some((place, _)) = self.check.clone() {
                    let text = text.unwrap_or_else(|| name.to_owned());
                    self.fail(&format!("{place}: FAILED:\n{}", text.trim()));
                }
                if parent != "Expression" {
                    self.check = None;
                }
            }
            ("Expression", Some(_)) => self.check = None,
            ("Section", Some(_)) => {
                self.sections.pop();
            }
            ("StdOut", Some(case)) => case.stdout_tail = text.and_then(|text| bounded_text::bound_output(&text)),
            ("StdErr", Some(case)) => case.stderr_tail = text.and_then(|text| bounded_text::bound_output(&text)),
            ("TestCase", Some(_)) => {
                let errors = self.errors.take().and_then(BoundedText::finish);
                if let Some(case) = self.case.take() {
                    let error = errors.filter(|_| case.status == CaseStatus::Failed);
                    intake.emit_case(ReportCase { error, ..case });
                }
            }
            _ => {}
        }
    }
}

impl Catch2 {
    fn fail(&mut self, error: &str) {
        let errors = self.errors.get_or_insert_with(BoundedText::error);
        if !errors.is_empty() {
            errors.push_str("\n\n");
        }
        if !self.sections.is_empty() {
            errors.push_str(&format!("{}\n", self.sections.join(" > ")));
        }
        errors.push_str(error);
    }
}

fn read_location(tag: &Tag) -> String {
    format!("{}:{}", tag.text("filename").unwrap_or_default(), tag.text("line").unwrap_or_default())
}
