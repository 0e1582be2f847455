//! Bazel's build events (`--build_event_json_file`). The `test.xml` of a target is a dialect of `JUnit` and has more
//! details.
//!
//! Source: <https://bazel.build/remote/bep> and `build_event_stream.proto` of <https://github.com/bazelbuild/bazel>.
//! `testResult` is an attempt of a target with `run`, `shard`, `attempt` and `status` (`PASSED`, `FAILED`, `TIMEOUT`,
//! `INCOMPLETE`, `REMOTE_FAILURE`, `FAILED_TO_BUILD`). `targetCompleted` without `success`, `aborted` and a failed
//! `action` are failures outside any test. `buildFinished` has the exit code. The event with `lastMessage` is the last.

use std::io::BufRead;

use serde_json::Value;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CasePosition, CaseStatus, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::values::{self, items, number, text},
        units,
    },
    retries::Retries,
};

/// Reads all events.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut build = Build::default();
    values::for_each_event(input, intake, |event, intake| build.event(event, intake));
    if !build.is_known {
        let reason = "it has no Bazel build event".to_owned();
        return Err(ReportErrorKind::Malformed { format: "bazel", reason });
    }
    build.retries.release(0, intake);
    match build.exit {
        None => intake.add_problem(None, "the report ends before the build finished"),
        Some((name, code)) if code != 0.0 && build.failed == 0 => {
            intake.emit_case(ReportCase::suite_failure(None, Some(format!("The build ended with {name}."))));
        }
        Some(_) => {}
    }
    intake.runner = Some("bazel".to_owned());
    Ok(())
}

#[derive(Default)]
struct Build {
    is_known: bool,
    retries: Retries,
    failed: u64,
    /// Name and number of the exit code.
    exit: Option<(String, f64)>,
    /// Failed actions by label, until the target is completed.
    actions: Vec<(String, String)>,
}

impl Build {
    fn event(&mut self, event: &Value, intake: &mut Intake<'_>) {
        let Some(id) = event.get("id").and_then(Value::as_object).and_then(|id| id.iter().next()) else { return };
        let (kind, id) = id;
        self.is_known |= matches!(kind.as_str(), "started" | "buildFinished" | "testResult");
        let label = text(id, "/label").unwrap_or_default();
        match kind.as_str() {
            "started" => {
                intake.record_start(text(event, "/started/startTime").and_then(|text| units::parse_timestamp(&text)));
                intake.record_runner_version(text(event, "/started/buildToolVersion"));
            }
            "testResult" if event.get("testResult").is_some() => {
                let case = read_case(event, id, label);
                self.failed += u64::from(case.status == CaseStatus::Failed);
                let is_retry = number(id, "/attempt").is_some_and(|attempt| attempt > 1.0);
                self.retries.push(case, is_retry, intake);
            }
            "actionCompleted" if event.pointer("/action/success").is_none() => {
                let error = text(event, "/action/failureDetail/message");
                self.actions.push((label, error.unwrap_or_default()));
            }
            "targetCompleted" if event.pointer("/completed/success").and_then(Value::as_bool) != Some(true) => {
                let action = self.actions.iter().position(|(target, _)| *target == label);
                let error = action.map(|at| self.actions.swap_remove(at).1);
                let reason = text(event, "/aborted/description").or_else(|| text(event, "/aborted/reason"));
                let detail = text(event, "/completed/failureDetail/message");
                self.failed += 1;
                let error = error.filter(|error| !error.is_empty()).or(reason).or(detail);
                let error = error.or_else(|| Some("The target was not built.".to_owned()));
                intake.emit_case(ReportCase { suite: vec![label], ..ReportCase::suite_failure(None, error) });
            }
            "buildFinished" => {
                let name = text(event, "/finished/exitCode/name").unwrap_or_default();
                // The number is left out for zero.
                self.exit = Some((name, number(event, "/finished/exitCode/code").unwrap_or(0.0)));
            }
            _ => {}
        }
    }
}

fn read_case(event: &Value, id: &Value, label: String) -> ReportCase {
    let word = text(event, "/testResult/status").unwrap_or_default();
    let status = match word.as_str() {
        "PASSED" | "FLAKY" => CaseStatus::Passed,
        "NO_STATUS" => CaseStatus::Skipped,
        _ => CaseStatus::Failed,
    };
    let beyond_first =
        |name: &str, path| number(id, path).filter(|number| *number > 1.0).map(|number| format!("{name} {number}"));
    let parts: Vec<String> =
        [beyond_first("run", "/run"), beyond_first("shard", "/shard")].into_iter().flatten().collect();
    let logs: Vec<String> =
        items(event, "/testResult/testActionOutput").iter().filter_map(|output| text(output, "/uri")).collect();
    let error = bounded_text::join_message(text(event, "/testResult/statusDetails").as_deref(), Some(&logs.join("\n")));
    let error = error.or_else(|| Some(word.clone()));
    let started = text(event, "/testResult/testAttemptStart").and_then(|text| units::parse_timestamp(&text));
    ReportCase {
        duration_ms: number(event, "/testResult/testAttemptDurationMillis"),
        error: error.filter(|_| status == CaseStatus::Failed),
        runner_status: Some(word).filter(|word| !matches!(word.as_str(), "PASSED" | "FAILED")),
        place: CasePosition { started_at: started, ..CasePosition::default() },
        ..ReportCase::new(if parts.is_empty() { label } else { format!("{label} ({})", parts.join(", ")) }, status)
    }
}
