//! xUnit.net XML, version 2 and 3 (`--report-xunit`, the logger `xunit`), which Fixie writes too.
//!
//! Source: <https://xunit.net/docs/format-xml-v2>, <https://xunit.net/docs/format-xml-v3>.
//! `assemblies > assembly > collection > test` has `type`, `method`, `result` (`Pass`, `Fail`, `Skip`, `NotRun`) and
//! seconds in `time`. The name begins with the type unless it is a display name, and ends with the parameters.
//! `failure` has the type of the exception, a message and a stack. Version 3 adds the source file. `errors >
//! error` of an assembly are failures outside any test, for example in a fixture's clean-up. xUnit has no retries.

use std::io::BufRead;

use super::trx::split_class_and_name;
use crate::{
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

/// Reads a report of xUnit.net to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut xunit = Xunit::default();
    walk(input, &mut xunit, intake)?;
    intake.record_claimed_failures(Some(xunit.counted));
    Ok(())
}

#[derive(Default)]
struct Xunit {
    case: Option<ReportCase>,
    message: Option<String>,
    stack: Option<String>,
    /// Milliseconds of all assemblies.
    duration_ms: f64,
    counted: f64,
}

impl ElementHandler for Xunit {
    const FORMAT: &'static str = "xunit";
    const ROOTS: &'static [&'static str] = &["assemblies", "assembly"];
    const TEXTS: &'static [&'static str] = &["message", "stack-trace", "output"];

    fn open(&mut self, tag: &Tag, parent: &str, intake: &mut Intake<'_>) {
        let seconds = || tag.text("time").and_then(|text| units::parse_seconds(&text));
        match (tag.name(), &mut self.case) {
            ("assembly", _) => {
                let date = tag.text("run-date").zip(tag.text("run-time"));
                let started_at = date.and_then(|(date, time)| units::parse_timestamp(&format!("{date}T{time}")));
                let exact = tag.text("start-rtf").and_then(|text| units::parse_timestamp(&text));
                intake.record_start(exact.or(started_at));
                self.duration_ms += seconds().unwrap_or(0.0);
                intake.duration_ms = Some(self.duration_ms);
                self.counted += tag.text("failed").and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
            }
            ("test", _) => {
                let status = match tag.text("result").as_deref() {
                    Some("Pass") => CaseStatus::Passed,
                    Some("Skip" | "NotRun") => CaseStatus::Skipped,
                    _ => CaseStatus::Failed,
                };
                let (suite, name) = split_class_and_name(tag.text("type"), &tag.attribute("name").unwrap_or_default());
                self.case = Some(ReportCase {
                    file: tag.text("source-file").and_then(|path| intake.file(&path)),
                    suite,
                    duration_ms: seconds(),
                    ..ReportCase::new(name, status)
                });
            }
            ("failure", Some(case)) => case.error_type = tag.text("exception-type"),
            ("error", None) if parent == "errors" => {
                self.case = Some(ReportCase {
                    suite: tag.text("name").into_iter().collect(),
                    ..ReportCase::suite_failure(None, None)
                });
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, parent: &str, text: Option<String>, intake: &mut Intake<'_>) {
        match name {
            "message" => self.message = text,
            "stack-trace" => self.stack = text,
            "output" if parent == "test" => {
                if let Some(case) = &mut self.case {
                    case.stdout_tail = text.and_then(|text| bounded_text::bound_output(&text));
                }
            }
            "test" | "error" => {
                let (message, stack) = (self.message.take(), self.stack.take());
                let Some(mut case) = self.case.take() else { return };
                if case.status == CaseStatus::Failed {
                    case.error = bounded_text::join_message(message.as_deref(), stack.as_deref());
                }
                intake.emit_case(case);
            }
            _ => {}
        }
    }
}
