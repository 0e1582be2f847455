//! JSON events of Dart and Flutter (`dart test --reporter json`, `flutter test --machine`).
//!
//! Source: <https://github.com/dart-lang/test/blob/master/pkgs/test/doc/json_reporter.md>.
//! `suite` names a file, `group` a group with the names of the groups around it, `testStart` a test with the names of
//! its groups. `error` (any number) and `print` belong to a test, `testDone` has the result (`success`, `failure`,
//! `error`). A hidden test stands for the loading of a file and counts only if it failed. The last event `done` has
//! `success`; it is null if the run was cancelled. Retries are not reported.

use std::{collections::HashMap, io::BufRead};

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text::{self, BoundedText},
        input::Input,
        json::values::{self, items, number, text},
    },
};

/// Reads all events.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut run = DartRun::default();
    values::for_each_event(input, intake, |event, intake| run.event(event, intake));
    if !run.is_known {
        let reason = "it has no Dart test event".to_owned();
        return Err(ReportErrorKind::Malformed { format: "dart", reason });
    }
    match run.success {
        None => intake.add_problem(None, "the report ends early: it has no event `done`"),
        Some(false) if run.failed == 0 => {
            intake.emit_case(ReportCase::suite_failure(None, Some("The run failed, but no test did.".to_owned())));
        }
        Some(_) => {}
    }
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("dart".to_owned());
    Ok(())
}

#[derive(Default)]
struct DartRun {
    is_known: bool,
    /// Paths by id.
    files: HashMap<String, String>,
    /// Names by id, with the names of the groups around them.
    groups: HashMap<String, String>,
    running: HashMap<String, Running>,
    success: Option<bool>,
    failed: u64,
}

struct Running {
    case: ReportCase,
    started: Option<f64>,
    error: Option<BoundedText>,
    output: Option<BoundedText>,
}

impl DartRun {
    fn event(&mut self, event: &Value, intake: &mut Intake<'_>) {
        let kind = text(event, "/type").unwrap_or_default();
        self.is_known |= kind == "start";
        match kind.as_str() {
            "start" => intake.record_runner_version(text(event, "/runnerVersion")),
            "suite" => self.files.extend(text(event, "/suite/id").zip(text(event, "/suite/path"))),
            "group" => self.groups.extend(text(event, "/group/id").zip(text(event, "/group/name"))),
            "testStart" => self.start(event, intake),
            "error" | "print" => {
                let Some(running) = text(event, "/testID").and_then(|id| self.running.get_mut(&id)) else { return };
                if kind == "error" {
                    let joined = bounded_text::join_message(
                        text(event, "/error").as_deref(),
                        text(event, "/stackTrace").as_deref(),
                    );
                    let error = running.error.get_or_insert_with(BoundedText::error);
                    error.push_str(&format!("{}\n", joined.unwrap_or_default()));
                } else {
                    let output = running.output.get_or_insert_with(BoundedText::output);
                    output.push_str(&format!("{}\n", text(event, "/message").unwrap_or_default()));
                }
            }
            "testDone" => self.end(event, intake),
            "done" => {
                // A cancelled run has no success.
                self.success = event.get("success").and_then(Value::as_bool);
                intake.duration_ms = number(event, "/time");
            }
            _ => {}
        }
    }

    fn start(&mut self, event: &Value, intake: &Intake<'_>) {
        let full = text(event, "/test/name").unwrap_or_default();
        let mut rest = full.as_str();
        let mut suite = Vec::new();
        let mut around = "";
        for group in items(event, "/test/groupIDs").iter().filter_map(|id| self.groups.get(&text(id, "")?)) {
            let own = group.strip_prefix(around).unwrap_or(group).trim();
            if let Some(after) = rest.strip_prefix(own).filter(|_| !own.is_empty()) {
                suite.push(own.to_owned());
                rest = after.trim_start();
            }
            around = group;
        }
        let file = text(event, "/test/suiteID").and_then(|id| intake.file(self.files.get(&id)?));
        let case = ReportCase { file, suite, ..ReportCase::new(rest.to_owned(), CaseStatus::Failed) };
        if let Some(id) = text(event, "/test/id") {
            self.running.insert(id, Running { case, started: number(event, "/time"), error: None, output: None });
        }
    }

    fn end(&mut self, event: &Value, intake: &mut Intake<'_>) {
        let Some(running) = text(event, "/testID").and_then(|id| self.running.remove(&id)) else { return };
        let flag = |name| event.get(name).and_then(Value::as_bool) == Some(true);
        let status = match text(event, "/result").as_deref() {
            Some("success") if flag("skipped") => CaseStatus::Skipped,
            Some("success") => CaseStatus::Passed,
            _ => CaseStatus::Failed,
        };
        if flag("hidden") && status != CaseStatus::Failed {
            return;
        }
        self.failed += u64::from(status == CaseStatus::Failed);
        let error = running.error.and_then(BoundedText::finish);
        let is_loading = running.case.name.starts_with("loading ") && running.case.suite.is_empty();
        let case = if is_loading && status == CaseStatus::Failed {
            ReportCase::suite_failure(running.case.file, error)
        } else {
            ReportCase { status, error, attempts: u32::from(status != CaseStatus::Skipped), ..running.case }
        };
        let spent = number(event, "/time").zip(running.started).map(|(ended, started)| ended - started);
        let stdout_tail = running.output.and_then(BoundedText::finish);
        intake.emit_case(ReportCase { duration_ms: spent, stdout_tail, ..case });
    }
}
