//! JSON of `RSpec` (`--format json`).
//!
//! Source: `lib/rspec/core/formatters/json_formatter.rb` of <https://github.com/rspec/rspec>.
//! `examples` have `description`, `full_description` (with the descriptions of the groups around it), `status`
//! (`passed`, `failed`, `pending`), `file_path`, seconds in `run_time`, and `exception` with class, message and
//! backtrace. Errors outside of examples, for example in a file that does not load, are counted in `summary` and
//! described in `messages`. `RSpec` has no retries of its own.

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
    },
};

/// Reads a report of `RSpec` to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report = Report { intake, known: false, messages: Vec::new(), outside: 0.0 };
    let ending = values::read(input, &mut report);
    let Report { intake, known, messages, outside } = report;
    if outside > 0.0 {
        intake.emit_case(ReportCase::suite_failure(None, Some(messages.join("\n\n"))));
    }
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("rspec".to_owned());
    ending.report("rspec", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
    messages: Vec<String>,
    /// Number of errors outside of examples.
    outside: f64,
}

impl ValueReceiver for Report<'_, '_> {
    const ARRAYS: &'static [&'static str] = &["examples"];

    fn value(&mut self, key: &str, value: Value) {
        match key {
            "examples" => {
                self.known = true;
                let case = read_case(&value, self.intake);
                self.intake.emit_case(case);
            }
            "messages" => self.messages = items(&value, "").iter().filter_map(|item| text(item, "")).collect(),
            "summary" => {
                self.known = true;
                self.intake.duration_ms = number(&value, "/duration").map(|seconds| seconds * 1000.0);
                self.outside = number(&value, "/errors_outside_of_examples_count").unwrap_or(0.0);
                self.intake.record_claimed_failures(number(&value, "/failure_count"));
            }
            "version" => self.intake.record_runner_version(text(&value, "")),
            _ => {}
        }
    }
}

fn read_case(example: &Value, intake: &Intake<'_>) -> ReportCase {
    let status = match text(example, "/status").as_deref() {
        Some("passed") => CaseStatus::Passed,
        Some("pending") => CaseStatus::Skipped,
        _ => CaseStatus::Failed,
    };
    let backtrace: Vec<String> =
        items(example, "/exception/backtrace").iter().filter_map(|line| text(line, "")).collect();
    let error = bounded_text::join_message(text(example, "/exception/message").as_deref(), Some(&backtrace.join("\n")));
    // The other reporters of RSpec have only the full description.
    let name = text(example, "/full_description").or_else(|| text(example, "/description"));
    ReportCase {
        file: text(example, "/file_path").and_then(|path| intake.file(&path)),
        duration_ms: number(example, "/run_time").map(|seconds| seconds * 1000.0),
        error_type: text(example, "/exception/class"),
        error: error.and_then(|error| bounded_text::bound_error(&error)),
        ..ReportCase::new(name.unwrap_or_default(), status)
    }
}
