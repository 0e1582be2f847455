//! JSON events of libtest (`cargo test -- -Z unstable-options --format json`), which cargo-nextest writes too
//! (`--message-format libtest-json`).
//!
//! Source: `library/test/src/formatters/json.rs` of <https://github.com/rust-lang/rust>, and
//! <https://nexte.st/docs/machine-readable/libtest-json/>. Each test program is a `suite` with the events `started` and
//! `ok` or `failed`. A `test` has the events `started` and `ok`, `failed`, `ignored` or `timeout` (still running), with
//! seconds in `exec_time`, output in `stdout` and the reason in `message`. Nextest names tests `crate::program$test`,
//! and further attempts end with `#2`. A suite without its end was killed, for example by a segmentation fault.

use std::{collections::BTreeSet, io::BufRead};

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, number, text},
    },
    retries::Retries,
};

/// Reads all events.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut run = LibtestRun::default();
    values::for_each_event(input, intake, |event, intake| run.event(event, intake));
    if run.events == 0 {
        let reason = "it has no libtest event".to_owned();
        return Err(ReportErrorKind::Malformed { format: "libtest", reason });
    }
    for name in &run.running {
        intake.add_problem(None, format!("the report ends while {name} is running"));
    }
    if run.suites > 0 && run.running.is_empty() {
        intake.add_problem(None, "the report ends before its test program ended");
    }
    run.retries.release(0, intake);
    intake.record_claimed_failures(Some(run.counted));
    Ok(())
}

#[derive(Default)]
struct LibtestRun {
    events: u64,
    /// Number of test programs that have not ended.
    suites: u64,
    /// Tests that have not ended.
    running: BTreeSet<String>,
    retries: Retries,
    counted: f64,
}

impl LibtestRun {
    fn event(&mut self, event: &Value, intake: &mut Intake<'_>) {
        let kind = text(event, "/type").unwrap_or_default();
        let word = text(event, "/event").unwrap_or_default();
        let name = text(event, "/name").unwrap_or_default();
        match (kind.as_str(), word.as_str()) {
            ("suite", "started") => self.suites += 1,
            ("suite", _) => {
                self.suites = self.suites.saturating_sub(1);
                self.counted += number(event, "/failed").unwrap_or(0.0);
                if word == "failed" && number(event, "/failed") == Some(0.0) {
                    intake.emit_case(ReportCase::suite_failure(None, text(event, "/message")));
                }
            }
            ("test", "started") => {
                self.running.insert(name);
            }
            ("test", "ok" | "failed" | "ignored") => {
                self.running.remove(&name);
                // Several test programs may contain the same test name, so a case is an attempt only if it has an
                // attempt number.
                let is_attempt = remove_attempt_number(&name) != name;
                self.retries.push(read_case(event, &word, &name), is_attempt, intake);
            }
            ("bench", _) => intake.emit_case(ReportCase::new(name, CaseStatus::Passed)),
            ("test", _) => {}
            _ => return,
        }
        self.events += 1;
    }
}

fn read_case(event: &Value, word: &str, name: &str) -> ReportCase {
    let status = match word {
        "ok" => CaseStatus::Passed,
        "failed" => CaseStatus::Failed,
        _ => CaseStatus::Skipped,
    };
    let output = text(event, "/stdout");
    let message = text(event, "/message").or_else(|| text(event, "/reason"));
    let error =
        (status == CaseStatus::Failed).then(|| bounded_text::join_message(message.as_deref(), output.as_deref()));
    let (suite, name) = match name.split_once('$') {
        Some((program, test)) => (vec![parse_program_id(program)], remove_attempt_number(test)),
        None => (Vec::new(), name),
    };
    ReportCase {
        suite,
        duration_ms: number(event, "/exec_time").map(|seconds| seconds * 1000.0),
        error: error.flatten().and_then(|error| bounded_text::bound_error(&error)),
        stdout_tail: output.filter(|_| status == CaseStatus::Passed).and_then(|text| bounded_text::bound_output(&text)),
        ..ReportCase::new(name.to_owned(), status)
    }
}

/// Returns the binary id, as in nextest's other reports: `shop` for the library of the crate, `shop::cart` for
/// `tests/cart.rs`.
fn parse_program_id(program: &str) -> String {
    match program.split_once("::") {
        Some((package, binary)) if package.replace('-', "_") == binary => package.to_owned(),
        _ => program.to_owned(),
    }
}

fn remove_attempt_number(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((name, attempt)) if !attempt.is_empty() && attempt.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    }
}
