//! Robot Framework's `output.xml`.
//!
//! Source: <https://robot-framework.readthedocs.io/en/stable/> and the schema in
//! <https://github.com/robotframework/robotframework/tree/master/doc/schema>.
//! `robot > suite` contains nested `suite`s with `source`, and `test`s whose `status` (`PASS`, `FAIL`, `SKIP`,
//! `NOT RUN`) has the message as its text. Times are `starttime` and `endtime` (`20210319 11:34:50.044`), since version
//! 7 `start` and `elapsed` (seconds). A suite that failed without a failed test failed in its tear-down; Robot then
//! counts all of its tests as failed. A name is unique within its file, so suites are not part of the name.

use std::io::BufRead;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
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

/// Reads an `output.xml` to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let result = walk(input, &mut Robot::default(), intake);
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("robot".to_owned());
    result
}

#[derive(Default)]
struct Robot {
    suites: Vec<Suite>,
    test: Option<Test>,
    failed: u64,
    status: Status,
}

struct Suite {
    name: Option<String>,
    source: Option<String>,
    /// Number of failed tests before the suite.
    failed_before: u64,
    status: Status,
}

#[derive(Default)]
struct Test {
    name: String,
    status: Status,
}

/// The element `status`, which comes last in its parent.
#[derive(Default)]
struct Status {
    word: Option<String>,
    duration_ms: Option<f64>,
    started_at: Option<i64>,
    message: Option<String>,
}

impl ElementHandler for Robot {
    const FORMAT: &'static str = "robot";
    const ROOTS: &'static [&'static str] = &["robot"];
    const TEXTS: &'static [&'static str] = &["status"];

    fn open(&mut self, tag: &Tag, parent: &str, intake: &mut Intake<'_>) {
        match tag.name() {
            "robot" => {
                let version = tag.text("generator").and_then(|text| text.split_whitespace().nth(1).map(str::to_owned));
                intake.record_runner_version(version);
                intake.record_start(tag.text("generated").and_then(|text| parse_timestamp(&text)));
            }
            "suite" if matches!(parent, "robot" | "suite") => self.suites.push(Suite {
                name: tag.text("name"),
                source: tag.text("source"),
                failed_before: self.failed,
                status: Status::default(),
            }),
            "test" if parent == "suite" => {
                self.test = Some(Test { name: tag.attribute("name").unwrap_or_default(), ..Test::default() });
            }
            "status" => self.status = Status::new(tag),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, parent: &str, content: Option<String>, intake: &mut Intake<'_>) {
        match (name, parent) {
            ("status", "test" | "suite") => {
                let status = Status { message: content, ..std::mem::take(&mut self.status) };
                match (parent, &mut self.test, self.suites.last_mut()) {
                    ("test", Some(test), _) => test.status = status,
                    ("suite", _, Some(suite)) => suite.status = status,
                    _ => {}
                }
            }
            ("test", "suite") => {
                let Some(test) = self.test.take() else { return };
                let mut case = test.status.into_case(test.name);
                self.failed += u64::from(case.status == CaseStatus::Failed);
                self.place(&mut case, intake);
                intake.emit_case(case);
            }
            ("suite", "robot" | "suite") => {
                let failed = self.failed;
                let Some(suite) = self.suites.last_mut() else { return };
                let status = std::mem::take(&mut suite.status);
                if status.word.as_deref() == Some("FAIL") && suite.failed_before == failed {
                    self.failed += 1;
                    let mut case = ReportCase::suite_failure(None, status.message);
                    self.place(&mut case, intake);
                    intake.emit_case(case);
                }
                self.suites.pop();
            }
            _ => {}
        }
    }
}

impl Robot {
    /// Sets the file, or the suites if the report has no file.
    fn place(&self, case: &mut ReportCase, intake: &Intake<'_>) {
        case.file = self.suites.last().and_then(|suite| intake.file(suite.source.as_deref()?));
        if case.file.is_none() {
            case.suite = self.suites.iter().filter_map(|suite| suite.name.clone()).collect();
        }
    }
}

impl Status {
    fn new(tag: &Tag) -> Self {
        let time = |name| tag.text(name).and_then(|text| parse_timestamp(&text));
        let started_at = time("start").or_else(|| time("starttime"));
        let elapsed = tag.text("elapsed").and_then(|text| units::parse_seconds(&text));
        #[expect(clippy::cast_precision_loss, reason = "a test's milliseconds")]
        let spent = started_at.zip(time("endtime")).map(|(started, ended)| (ended - started).max(0) as f64);
        Self { word: tag.text("status"), duration_ms: elapsed.or(spent), started_at, message: None }
    }

    fn into_case(self, name: String) -> ReportCase {
        let status = match self.word.as_deref() {
            Some("PASS") => CaseStatus::Passed,
            Some("SKIP" | "NOT RUN" | "NOT_RUN") => CaseStatus::Skipped,
            _ => CaseStatus::Failed,
        };
        let error = self.message.filter(|_| status == CaseStatus::Failed);
        let error = error.and_then(|error| bounded_text::bound_error(&error));
        let mut case = ReportCase { error, duration_ms: self.duration_ms, ..ReportCase::new(name, status) };
        case.place.started_at = self.started_at;
        case
    }
}

/// Converts `20210319 11:34:50.044` and ISO 8601.
fn parse_timestamp(text: &str) -> Option<i64> {
    let is_compact = text.len() > 8 && text.as_bytes()[..8].iter().all(u8::is_ascii_digit);
    if !is_compact {
        return units::parse_timestamp(text);
    }
    units::parse_timestamp(&format!("{}-{}-{}{}", &text[..4], &text[4..6], &text[6..8], &text[8..]))
}
