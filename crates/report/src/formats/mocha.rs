//! JSON of Mocha (`--reporter json`).
//!
//! Source: `lib/reporters/json.js` of <https://github.com/mochajs/mocha>.
//! `tests` repeats the tests of `pending`, `failures` and `passes`, which come after it. `failures` also has the hooks
//! that failed, so the three arrays are read. A test has `title`, `fullTitle` (with the titles of the suites), `file`,
//! `duration` in milliseconds, `currentRetry` (0 for the first attempt) and `err` with message, stack and values. Only
//! the last attempt of a test is listed.

use std::io::BufRead;

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, ValueReceiver, number, text},
        units,
    },
};

/// Reads a report of Mocha to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report = Report { intake, known: false };
    let ending = values::read(input, &mut report);
    let Report { intake, known } = report;
    intake.runner = Some("mocha".to_owned());
    ending.report("mocha", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
}

impl ValueReceiver for Report<'_, '_> {
    const ARRAYS: &'static [&'static str] = &["tests", "pending", "failures", "passes"];

    fn value(&mut self, key: &str, value: Value) {
        let status = match key {
            "passes" => CaseStatus::Passed,
            "failures" => CaseStatus::Failed,
            "pending" => CaseStatus::Skipped,
            "stats" => {
                self.known = true;
                self.intake.record_start(text(&value, "/start").and_then(|text| units::parse_timestamp(&text)));
                self.intake.duration_ms = number(&value, "/duration");
                self.intake.record_claimed_failures(number(&value, "/failures"));
                return;
            }
            _ => return,
        };
        let case = read_case(&value, status, self.intake);
        self.intake.emit_case(case);
    }
}

fn read_case(test: &Value, status: CaseStatus, intake: &Intake<'_>) -> ReportCase {
    let title = text(test, "/title").unwrap_or_default();
    let full = text(test, "/fullTitle").unwrap_or_default();
    let suite = full.strip_suffix(title.as_str()).map(str::trim).filter(|suite| !suite.is_empty());
    let error = bounded_text::join_message(text(test, "/err/message").as_deref(), text(test, "/err/stack").as_deref());
    let retries = number(test, "/currentRetry").filter(|_| status != CaseStatus::Skipped).unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast to an integer saturates")]
    let retries = retries.min(1e6) as u32;
    let case = ReportCase::new(title, status);
    ReportCase {
        file: text(test, "/file").and_then(|path| intake.file(&path)),
        suite: suite.map(str::to_owned).into_iter().collect(),
        flaky: status == CaseStatus::Passed && retries > 0,
        attempts: case.attempts + retries,
        duration_ms: number(test, "/duration"),
        error: error.and_then(|error| bounded_text::bound_error(&error)),
        ..case
    }
}
