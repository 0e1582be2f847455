//! `NUnit` 3 XML (`TestResult.xml`, the logger `nunit`), and `NUnit` 2 XML, which other tools still write.
//!
//! Source: <https://docs.nunit.org/articles/nunit/technical-notes/usage/Test-Result-XML-Format.html>.
//! `test-run` (`NUnit` 2: `test-results`) contains nested `test-suite`s and in them `test-case`s with `result`
//! (`Passed`, `Failed`, `Skipped`, `Inconclusive`, `Warning`) and `label` (`Error`, `Invalid`, `Ignored`). `NUnit` 2
//! has `Success`, `Failure`, `Error` and `executed`, and the full name in `name`. A suite that failed without a failed
//! case failed in its one-time tear-down, or could not be loaded. `NUnit`'s `Retry` attribute reports only the last
//! attempt.

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

/// Reads a report of `NUnit` to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut nunit = Nunit::default();
    walk(input, &mut nunit, intake)?;
    intake.record_claimed_failures(nunit.counted);
    Ok(())
}

#[derive(Default)]
struct Nunit {
    suites: Vec<Suite>,
    case: Option<ReportCase>,
    message: Option<String>,
    stack: Option<String>,
    failed: u64,
    counted: Option<f64>,
}

struct Suite {
    name: Option<String>,
    has_failed: bool,
    /// Number of failed cases before the suite.
    failed_before: u64,
    error: Option<String>,
}

impl ElementHandler for Nunit {
    const FORMAT: &'static str = "nunit";
    const ROOTS: &'static [&'static str] = &["test-run", "test-results", "test-suite"];
    const TEXTS: &'static [&'static str] = &["message", "stack-trace", "output"];

    fn open(&mut self, tag: &Tag, _: &str, intake: &mut Intake<'_>) {
        let count = |name| tag.text(name).and_then(|text| text.parse::<f64>().ok());
        match tag.name() {
            "test-run" => {
                self.counted = count("failed");
                intake.record_start(tag.text("start-time").and_then(|text| units::parse_timestamp(&text)));
                intake.duration_ms = tag.text("duration").and_then(|text| units::parse_seconds(&text));
            }
            "test-results" => {
                self.counted = count("failures").map(|failures| failures + count("errors").unwrap_or(0.0));
            }
            "test-suite" => self.suites.push(Suite {
                name: tag.text("fullname").or_else(|| tag.text("name")),
                has_failed: is_failed(tag),
                failed_before: self.failed,
                error: None,
            }),
            "test-case" => self.case = Some(read_case(tag)),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, parent: &str, text: Option<String>, intake: &mut Intake<'_>) {
        match name {
            "message" => self.message = text,
            "stack-trace" => self.stack = text,
            "failure" => {
                let error = bounded_text::join_message(self.message.take().as_deref(), self.stack.take().as_deref());
                match (&mut self.case, self.suites.last_mut()) {
                    (Some(case), _) if case.status == CaseStatus::Failed => case.error = error,
                    (None, Some(suite)) => suite.error = error,
                    _ => {}
                }
            }
            "reason" => self.message = None,
            "output" if parent == "test-case" => {
                if let Some(case) = &mut self.case {
                    case.stdout_tail = text.and_then(|text| bounded_text::bound_output(&text));
                }
            }
            "test-case" => {
                let Some(case) = self.case.take() else { return };
                self.failed += u64::from(case.status == CaseStatus::Failed);
                intake.emit_case(case);
            }
            "test-suite" => {
                let Some(suite) = self.suites.pop() else { return };
                if suite.has_failed && suite.failed_before == self.failed {
                    self.failed += 1;
                    let case = ReportCase::suite_failure(None, suite.error);
                    intake.emit_case(ReportCase { suite: suite.name.into_iter().collect(), ..case });
                }
            }
            _ => {}
        }
    }
}

fn is_failed(tag: &Tag) -> bool {
    let is_failed =
        |word: &str| matches!(word, "Failed" | "Failure" | "Error" | "Invalid" | "NotRunnable" | "Cancelled");
    // Early versions of NUnit 2 write only `success`.
    match tag.text("result") {
        Some(word) => is_failed(&word),
        None => tag.text("success").is_some_and(|word| word.eq_ignore_ascii_case("false")),
    }
}

fn read_case(tag: &Tag) -> ReportCase {
    let is_run = tag.text("executed").is_none_or(|word| !word.eq_ignore_ascii_case("false"));
    let word = tag.text("result");
    let status = match word.as_deref() {
        _ if is_failed(tag) => CaseStatus::Failed,
        Some("Passed" | "Success" | "Warning") => CaseStatus::Passed,
        None if is_run => CaseStatus::Passed,
        _ => CaseStatus::Skipped,
    };
    let full = tag.attribute("fullname").or_else(|| tag.attribute("name")).unwrap_or_default();
    let class = tag.text("classname").or_else(|| {
        let own = tag.text("name").filter(|own| *own != full)?;
        full.strip_suffix(own.as_str())?.strip_suffix('.').map(str::to_owned)
    });
    let (suite, name) = split_class_and_name(class, &full);
    let mut case = ReportCase {
        suite,
        runner_status: tag
            .text("label")
            .or(word)
            .filter(|word| matches!(word.as_str(), "Error" | "Invalid" | "Warning" | "Inconclusive" | "Cancelled")),
        duration_ms: tag.text("duration").or_else(|| tag.text("time")).and_then(|text| units::parse_seconds(&text)),
        ..ReportCase::new(name, status)
    };
    case.place.started_at = tag.text("start-time").and_then(|text| units::parse_timestamp(&text));
    case
}
