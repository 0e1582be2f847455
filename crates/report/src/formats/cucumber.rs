//! JSON of Cucumber (`--format json`) and of tools that write it too, for example behave and `SpecFlow`.
//!
//! Source: <https://cucumber.io/docs/cucumber/reporting/> and <https://github.com/cucumber/cucumber-json-schema>.
//! The report is an array of features with `uri`, `name` and `elements`. An element of the type `background` belongs to
//! the scenario after it. A scenario has `steps`, and hooks in `before` and `after`, each with a `result`: `status`
//! (`passed`, `failed`, `skipped`, `pending`, `undefined`, `ambiguous`), nanoseconds in `duration` and `error_message`.
//! Undefined, ambiguous and pending steps fail a scenario, as in Cucumber's `JUnit` formatter. The rows of an outline
//! share one name. Only the last attempt is listed.

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

/// Reads a report of Cucumber to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report = Report { intake, known: false };
    let ending = values::read(input, &mut report);
    let Report { intake, known } = report;
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("cucumber".to_owned());
    ending.report("cucumber", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
}

impl ValueReceiver for Report<'_, '_> {
    const ARRAYS: &'static [&'static str] = &[];

    fn value(&mut self, _: &str, feature: Value) {
        self.known |= feature.get("elements").is_some();
        // Steps of the background that came before the scenario.
        let mut before = Steps::default();
        for element in items(&feature, "/elements") {
            let mut steps = std::mem::take(&mut before);
            steps.add(element);
            if text(element, "/type").as_deref() == Some("background") {
                before = steps;
                continue;
            }
            let (status, error) = steps.outcome();
            let case = ReportCase {
                file: text(&feature, "/uri")
                    .or_else(|| text(&feature, "/location"))
                    .and_then(|path| self.intake.file(strip_line_number(&path))),
                suite: text(&feature, "/name").into_iter().collect(),
                duration_ms: Some(steps.duration_ms),
                error,
                ..ReportCase::new(text(element, "/name").unwrap_or_default(), status)
            };
            self.intake.emit_case(case);
        }
    }
}

/// Returns the path of behave's `location`, such as `features/cart.feature:3`.
fn strip_line_number(location: &str) -> &str {
    match location.rsplit_once(':') {
        Some((path, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => location,
    }
}

/// The results of the steps and hooks of a scenario.
#[derive(Default)]
pub(super) struct Steps {
    worst: u8,
    pub(super) duration_ms: f64,
    errors: Vec<String>,
}

/// Statuses from the best to the worst, as `TestStepResultStatus` of Cucumber's messages.
const STATUSES_BEST_FIRST: [&str; 7] = ["unknown", "passed", "skipped", "pending", "undefined", "ambiguous", "failed"];

impl Steps {
    fn add(&mut self, element: &Value) {
        for (at, list) in [("/before", false), ("/steps", true), ("/after", false)] {
            for step in items(element, at) {
                let word = text(step, "/result/status").unwrap_or_default();
                let name = if list { text(step, "/name") } else { text(step, "/match/location") };
                let nanos = number(step, "/result/duration").unwrap_or(0.0);
                self.push(&word, &name.unwrap_or_default(), text(step, "/result/error_message"), nanos / 1e6);
                // Hooks of a step.
                self.add(step);
            }
        }
    }

    /// Adds a result. `name` describes a step that gives no message.
    pub(super) fn push(&mut self, word: &str, name: &str, message: Option<String>, duration_ms: f64) {
        let rank = STATUSES_BEST_FIRST.iter().position(|status| word.eq_ignore_ascii_case(status)).unwrap_or(0);
        self.duration_ms += duration_ms;
        self.worst = self.worst.max(u8::try_from(rank).unwrap_or(0));
        if rank > 2 {
            let place = || format!("{} step: {name}", STATUSES_BEST_FIRST[rank]);
            self.errors.push(message.unwrap_or_else(place));
        }
    }

    pub(super) fn outcome(&self) -> (CaseStatus, Option<String>) {
        let status = match self.worst {
            0 | 1 => CaseStatus::Passed,
            2 => CaseStatus::Skipped,
            _ => CaseStatus::Failed,
        };
        (status, bounded_text::bound_error(&self.errors.join("\n\n")))
    }
}
