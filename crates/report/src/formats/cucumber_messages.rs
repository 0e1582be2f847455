//! Messages of Cucumber (`--format message`): a JSON object per line.
//!
//! Source: <https://github.com/cucumber/messages>; names as in <https://github.com/cucumber/query> (`Feature`, then
//! `Rule - Scenario - Examples - #1.1`). `gherkinDocument` has the tree of a feature, `pickle` a scenario or a row of
//! its examples, `testCase` its steps. `testCaseStarted` begins an attempt, `testStepFinished` has the result of a step
//! or hook, and `testCaseFinished` contains whether the case will be retried. `testRunFinished` is the last message and
//! has `success`. A failed `testRunHookFinished` is a failure outside any scenario.

use std::{
    collections::{BTreeMap, HashMap},
    io::BufRead,
};

use serde_json::Value;

use super::cucumber::Steps;
use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CasePosition, CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, items, number, text},
    },
    retries::merge_retry,
};

/// Reads all messages.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut run = CucumberRun::default();
    values::for_each_event(input, intake, |message, intake| run.message(message, intake));
    if !run.is_known {
        let reason = "it has no Cucumber message".to_owned();
        return Err(ReportErrorKind::Malformed { format: "cucumber-messages", reason });
    }
    for case in std::mem::take(&mut run.retried).into_values() {
        intake.emit_case(case);
    }
    match run.success {
        None => intake.add_problem(None, "the report ends early: it has no testRunFinished"),
        Some(false) if run.failed == 0 => {
            let error = run.message.or_else(|| Some("The run failed, but no scenario did.".to_owned()));
            intake.emit_case(ReportCase::suite_failure(None, error));
        }
        Some(_) => {}
    }
    intake.order = ExecutionOrder::AsReported;
    intake.runner = Some("cucumber".to_owned());
    Ok(())
}

#[derive(Default)]
struct CucumberRun {
    is_known: bool,
    /// Feature and name by the id of a scenario or of a row of examples.
    names: HashMap<String, Name>,
    /// Pickles by id.
    pickles: HashMap<String, Pickle>,
    /// Id of the pickle, and text of each step, by the id of the test case.
    cases: HashMap<String, (String, HashMap<String, String>)>,
    attempts: HashMap<String, Attempt>,
    /// Failed attempts that will be retried, by the id of the test case.
    retried: BTreeMap<String, ReportCase>,
    failed: u64,
    success: Option<bool>,
    message: Option<String>,
}

#[derive(Clone)]
struct Name {
    feature: String,
    name: String,
}

struct Pickle {
    file: Option<String>,
    name: Name,
    /// Texts of the steps by id.
    steps: HashMap<String, String>,
}

struct Attempt {
    case: String,
    steps: Steps,
    started_at: Option<i64>,
    error_type: Option<String>,
}

impl CucumberRun {
    fn message(&mut self, message: &Value, intake: &mut Intake<'_>) {
        let Some((kind, body)) = message.as_object().and_then(|message| message.iter().next()) else { return };
        self.is_known = true;
        match kind.as_str() {
            "meta" => intake.record_runner_version(text(body, "/implementation/version")),
            "gherkinDocument" => {
                let feature = text(body, "/feature/name").unwrap_or_default();
                self.note_names(items(body, "/feature/children"), &feature, "");
            }
            "pickle" => self.note_pickle(body, intake),
            "testCase" => self.note_case(body),
            "testRunStarted" => intake.record_start(read_millis(body)),
            "testCaseStarted" => {
                let ids = text(body, "/id").zip(text(body, "/testCaseId"));
                self.attempts.extend(ids.map(|(id, case)| {
                    (id, Attempt { case, steps: Steps::default(), started_at: read_millis(body), error_type: None })
                }));
            }
            "testStepFinished" => self.finish_step(body),
            "testCaseFinished" => self.finish_case(body, intake),
            "testRunHookFinished" if text(body, "/result/status").as_deref() == Some("FAILED") => {
                self.failed += 1;
                intake.emit_case(ReportCase::suite_failure(None, read_error(&body["result"])));
            }
            "testRunFinished" => {
                // Early versions of the format have no `success`.
                self.success = Some(body.get("success").and_then(Value::as_bool) != Some(false));
                self.message = read_error(body);
            }
            _ => {}
        }
    }

    /// Notes the names of the scenarios below a feature or rule.
    fn note_names(&mut self, children: &[Value], feature: &str, before: &str) {
        for child in children {
            if let Some(rule) = child.get("rule") {
                let name = text(rule, "/name").unwrap_or_default();
                self.note_names(items(rule, "/children"), feature, &format!("{before}{name} - "));
                continue;
            }
            let Some(scenario) = child.get("scenario") else { continue };
            let name = format!("{before}{}", text(scenario, "/name").unwrap_or_default());
            for (at, examples) in items(scenario, "/examples").iter().enumerate() {
                let title = text(examples, "/name").map(|title| format!(" - {title}")).unwrap_or_default();
                for (row, body) in items(examples, "/tableBody").iter().enumerate() {
                    let name = format!("{name}{title} - #{}.{}", at + 1, row + 1);
                    self.note_name(body, feature, name);
                }
            }
            self.note_name(scenario, feature, name);
        }
    }

    fn note_name(&mut self, node: &Value, feature: &str, name: String) {
        if let Some(id) = text(node, "/id") {
            self.names.insert(id, Name { feature: feature.to_owned(), name });
        }
    }

    fn note_pickle(&mut self, pickle: &Value, intake: &Intake<'_>) {
        let Some(id) = text(pickle, "/id") else { return };
        let own = text(pickle, "/name").unwrap_or_default();
        let nodes: Vec<&Name> =
            items(pickle, "/astNodeIds").iter().filter_map(|id| self.names.get(&text(id, "")?)).collect();
        // The last node is the row, if the scenario has examples.
        let name = match nodes.as_slice() {
            [] => Name { feature: String::new(), name: own },
            [only] => (*only).clone(),
            [scenario, .., row] if scenario.name.ends_with(&own) => (*row).clone(),
            [.., row] => Name { name: format!("{}: {own}", row.name), ..(*row).clone() },
        };
        let steps =
            items(pickle, "/steps").iter().filter_map(|step| text(step, "/id").zip(text(step, "/text"))).collect();
        let file = text(pickle, "/uri").and_then(|uri| intake.file(&uri));
        self.pickles.insert(id, Pickle { file, name, steps });
    }

    fn note_case(&mut self, case: &Value) {
        let Some((id, pickle)) = text(case, "/id").zip(text(case, "/pickleId")) else { return };
        let texts = self.pickles.get(&pickle).map(|pickle| &pickle.steps);
        let step_text = |step: &Value| texts?.get(&text(step, "/pickleStepId")?).cloned();
        let steps =
            items(case, "/testSteps").iter().filter_map(|step| text(step, "/id").zip(step_text(step))).collect();
        self.cases.insert(id, (pickle, steps));
    }

    fn finish_step(&mut self, body: &Value) {
        let Some(attempt) = text(body, "/testCaseStartedId").and_then(|id| self.attempts.get_mut(&id)) else { return };
        let result = &body["testStepResult"];
        let step = text(body, "/testStepId").unwrap_or_default();
        let name = self.cases.get(&attempt.case).and_then(|(_, steps)| steps.get(&step));
        let word = text(result, "/status").unwrap_or_default();
        let seconds = number(result, "/duration/seconds").unwrap_or(0.0);
        let duration_ms = seconds * 1000.0 + number(result, "/duration/nanos").unwrap_or(0.0) / 1e6;
        attempt.steps.push(&word, name.map_or("hook", String::as_str), read_error(result), duration_ms);
        attempt.error_type = attempt.error_type.take().or_else(|| text(result, "/exception/type"));
    }

    fn finish_case(&mut self, body: &Value, intake: &mut Intake<'_>) {
        let Some(attempt) = text(body, "/testCaseStartedId").and_then(|id| self.attempts.remove(&id)) else { return };
        let Some((pickle, _)) = self.cases.get(&attempt.case) else { return };
        let Some(Pickle { file, name, .. }) = self.pickles.get(pickle) else { return };
        let (status, error) = attempt.steps.outcome();
        let will_be_retried = body.get("willBeRetried").and_then(Value::as_bool) == Some(true);
        self.failed += u64::from(status == CaseStatus::Failed && !will_be_retried);
        let case = ReportCase {
            file: file.clone(),
            suite: vec![name.feature.clone()],
            duration_ms: Some(attempt.steps.duration_ms),
            error_type: attempt.error_type,
            error,
            place: CasePosition { started_at: attempt.started_at, ..CasePosition::default() },
            ..ReportCase::new(name.name.clone(), status)
        };
        let case = match self.retried.remove(&attempt.case) {
            Some(earlier) => merge_retry(earlier, case),
            None => case,
        };
        if will_be_retried {
            self.retried.insert(attempt.case, case);
        } else {
            intake.emit_case(case);
        }
    }
}

/// Returns the message and stack of a result. The message of early versions contains the stack.
fn read_error(result: &Value) -> Option<String> {
    let message = text(result, "/message").or_else(|| text(result, "/exception/message"));
    bounded_text::join_message(message.as_deref(), text(result, "/exception/stackTrace").as_deref())
}

fn read_millis(message: &Value) -> Option<i64> {
    let seconds = number(message, "/timestamp/seconds")?;
    let nanos = number(message, "/timestamp/nanos").unwrap_or(0.0);
    #[expect(clippy::cast_possible_truncation, reason = "within the exact range of a double")]
    Some((seconds * 1000.0 + nanos / 1e6) as i64)
}
