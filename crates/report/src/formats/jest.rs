//! Jest's `--json`, which Vitest's JSON reporter writes too.
//!
//! The cases of a file wait for the file's name, because both runners write the name after the cases. Jest and Vitest
//! are distinguished by keys that only one of them writes.

use serde::de::MapAccess;
use std::collections::HashSet;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::{self, ArraySeed, ItemSink, LooseValue, ObjectReader, skip},
    },
};

/// Error text of a run that failed without a failed test. Jest also fails a run because of coverage thresholds,
/// obsolete snapshots and failed reporters. Source: `TestScheduler` of Jest.
const FAILED_WITHOUT_TEST: &str =
    "The report says that the run failed, but no test did: a coverage threshold, a snapshot or a reporter failed.";

/// Reads a Jest report to its end.
pub(crate) fn parse<R: std::io::BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report = Report {
        intake,
        known: false,
        vitest: true,
        is_order_known: false,
        times: Vec::new(),
        started: None,
        success: None,
    };
    let ending = json::read(input, &mut report);
    let Report { intake, known, vitest, is_order_known: in_order, mut times, started, success } = report;
    // Jest sets `success` only after its reporters have ended, so Argus' own reporter does not know it.
    let has_failed = success == Some(false) && !intake.has_runner_version();
    if has_failed && intake.cases() > 0 && intake.failed_cases() == 0 {
        intake.emit_case(ReportCase::suite_failure(None, Some(FAILED_WITHOUT_TEST.to_owned())));
    }
    times.sort_unstable();
    let has_overlap = times.windows(2).any(|pair| pair[1].0 < pair[0].1);
    let ended = times.iter().map(|(_, ended)| *ended).max();
    intake.record_start(started);
    #[expect(clippy::cast_precision_loss, reason = "a run's milliseconds")]
    let duration = started.zip(ended).map(|(started, ended)| (ended - started).max(0) as f64);
    intake.duration_ms = duration;
    // Vitest itself writes the tests of a file in the order of the source, even if they were shuffled.
    intake.order = match (vitest && !in_order, has_overlap) {
        (true, _) => ExecutionOrder::Unknown,
        (false, true) => ExecutionOrder::ByStartInUnits,
        (false, false) => ExecutionOrder::ByStart,
    };
    intake.runner = Some(if vitest { "vitest" } else { "jest" }.to_owned());
    ending.report("jest", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
    /// True until a key is found that only Jest writes. All such keys come before the results.
    vitest: bool,
    /// True for reports that Argus' own Vitest reporter wrote, because it keeps tests in the order of execution.
    is_order_known: bool,
    /// Start and end of each file, UTC milliseconds.
    times: Vec<(i64, i64)>,
    started: Option<i64>,
    success: Option<bool>,
}

impl ObjectReader for Report<'_, '_> {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "testResults" => {
                self.known = true;
                map.next_value_seed(ArraySeed(self))
            }
            "startTime" => {
                self.started = map.next_value::<LooseValue>()?.millis();
                Ok(())
            }
            "numFailedTests" => {
                self.intake.record_claimed_failures(map.next_value::<LooseValue>()?.number());
                Ok(())
            }
            "success" => {
                self.success = Some(map.next_value::<LooseValue>()? != LooseValue::Flag(false));
                Ok(())
            }
            // Neither runner writes this key; Argus' reporters add it.
            "runnerVersion" => {
                self.intake.record_runner_version(map.next_value::<LooseValue>()?.text());
                Ok(())
            }
            "executionOrder" => {
                self.is_order_known = map.next_value::<LooseValue>()?.text().as_deref() == Some("known");
                Ok(())
            }
            "numRuntimeErrorTestSuites" | "openHandles" | "wasInterrupted" => {
                self.vitest = false;
                skip(map)
            }
            _ => skip(map),
        }
    }
}

impl ItemSink for Report<'_, '_> {
    type Item = TestFile;

    fn start(&mut self) -> TestFile {
        TestFile::default()
    }

    fn take(&mut self, file: TestFile) {
        self.times.extend(file.started.or(file.ended).zip(file.ended));
        let path = file.name.as_deref().and_then(|name| self.intake.file(name));
        // If a hook fails, Vitest marks the file as failed, but no assertion.
        let unexplained = file.failed && !file.cases.iter().any(Assertion::failed);
        if unexplained {
            let mut case = ReportCase::suite_failure(path.clone(), file.message);
            case.place.started_at = file.started;
            self.intake.emit_case(case);
        }
        for assertion in file.cases {
            let started = assertion.started.or(file.started);
            let mut case = assertion.into_case(path.clone(), self.vitest);
            case.place.started_at = started;
            self.intake.emit_case(case);
        }
    }

    fn take_truncated(&mut self, file: TestFile) {
        if !file.cases.is_empty() && file.name.is_none() {
            self.intake.add_problem(None, format!("{} cases of a truncated report have no file", file.cases.len()));
        }
        // The status of the file was cut off, so the file does not count as failed.
        self.take(TestFile { failed: false, ..file });
    }
}

#[derive(Default)]
struct TestFile {
    name: Option<String>,
    message: Option<String>,
    failed: bool,
    started: Option<i64>,
    ended: Option<i64>,
    cases: Vec<Assertion>,
}

impl ObjectReader for TestFile {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            // `testResults` and `testFilePath` are the names in the programmatic result.
            "assertionResults" | "testResults" => map.next_value_seed(ArraySeed(&mut self.cases))?,
            "name" | "testFilePath" => self.name = map.next_value::<LooseValue>()?.text(),
            "message" | "failureMessage" => self.message = map.next_value::<LooseValue>()?.text(),
            "status" => self.failed = map.next_value::<LooseValue>()?.text().as_deref() == Some("failed"),
            "startTime" => self.started = map.next_value::<LooseValue>()?.millis(),
            "endTime" => self.ended = map.next_value::<LooseValue>()?.millis(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Assertion {
    ancestors: Vec<String>,
    title: Option<String>,
    full_name: Option<String>,
    status: Option<String>,
    duration_ms: Option<f64>,
    started: Option<i64>,
    messages: Vec<String>,
    /// Written by Jest, and by Argus' own Vitest reporter.
    invocations: Option<u32>,
    retry_reasons: Vec<String>,
}

impl ObjectReader for Assertion {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "ancestorTitles" => self.ancestors = map.next_value::<LooseValue>()?.texts(),
            "title" => self.title = map.next_value::<LooseValue>()?.text(),
            "fullName" => self.full_name = map.next_value::<LooseValue>()?.text(),
            "status" => self.status = map.next_value::<LooseValue>()?.text(),
            "duration" => self.duration_ms = map.next_value::<LooseValue>()?.number(),
            "startAt" => self.started = map.next_value::<LooseValue>()?.millis(),
            "failureMessages" => self.messages = map.next_value::<LooseValue>()?.texts(),
            "invocations" => self.invocations = map.next_value::<LooseValue>()?.count(),
            "retryReasons" => self.retry_reasons = map.next_value::<LooseValue>()?.texts(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl Assertion {
    fn failed(&self) -> bool {
        self.status.as_deref() == Some("failed")
    }

    fn into_case(self, file: Option<String>, vitest: bool) -> ReportCase {
        let word = self.status.unwrap_or_default();
        let status = match word.as_str() {
            "failed" => CaseStatus::Failed,
            "passed" => CaseStatus::Passed,
            _ => CaseStatus::Skipped,
        };
        let tries =
            if vitest { estimate_vitest_attempts(&self.messages, status) } else { self.retry_reasons.len() + 1 };
        let attempts = match status {
            CaseStatus::Skipped => 0,
            _ => self.invocations.unwrap_or(u32::try_from(tries).unwrap_or(u32::MAX)).max(1),
        };
        let messages = if self.messages.is_empty() { self.retry_reasons } else { self.messages };
        let of_last = match status {
            CaseStatus::Skipped => 0,
            _ if vitest => {
                count_last_attempt_errors(messages.len(), attempts - u32::from(status == CaseStatus::Passed))
            }
            // Jest lists only messages of the last attempt. For a passed case it lists the reasons for the retries.
            CaseStatus::Failed => messages.len(),
            CaseStatus::Passed => 1,
        };
        let before = messages.len().saturating_sub(of_last);
        let errors: Vec<String> = messages.into_iter().skip(before).map(restore_timeout_message).collect();
        ReportCase {
            file,
            suite: self.ancestors,
            runner_status: Some(word).filter(|word| matches!(word.as_str(), "todo" | "disabled" | "focused")),
            flaky: status == CaseStatus::Passed && attempts > 1,
            duration_ms: self.duration_ms,
            attempts,
            error: bounded_text::bound_error(&errors.join("\n\n")),
            ..ReportCase::new(self.title.or(self.full_name).unwrap_or_default(), status)
        }
    }
}

/// Estimates the number of attempts. Vitest lists the errors of all attempts in one array without counting the
/// attempts. An attempt may have several errors at different places, and the next attempt then repeats the same places.
fn estimate_vitest_attempts(messages: &[String], status: CaseStatus) -> usize {
    let count = messages.len();
    if status == CaseStatus::Passed {
        return count + 1;
    }
    let places: Vec<Vec<&str>> = messages.iter().map(|message| project_frames(message)).collect();
    let again = places.iter().skip(1).position(|place| *place == places[0]).map_or(count, |at| at + 1);
    let repeats =
        again > 0 && count.is_multiple_of(again) && places.iter().zip(&places[again..]).all(|(one, next)| one == next);
    let distinct = places[..again].iter().collect::<HashSet<_>>().len() == again;
    if repeats && distinct { count / again } else { count }
}

/// Returns the number of errors that belong to the last attempt.
fn count_last_attempt_errors(errors: usize, attempts: u32) -> usize {
    let attempts = usize::try_from(attempts).unwrap_or(usize::MAX).max(1);
    if errors.is_multiple_of(attempts) { errors / attempts } else { 1 }
}

/// Returns the frames of an error that are in the project, or its text without such frames.
fn project_frames(message: &str) -> Vec<&str> {
    let is_own = |line: &&str| line.starts_with("    at ") && !line.contains("node_modules") && !line.contains("node:");
    let frames: Vec<&str> = message.lines().filter(is_own).collect();
    if frames.is_empty() { vec![message] } else { frames }
}

/// Vitest's JSON loses the message of a timeout, but the stack still begins with the placeholder that it was created
/// from.
fn restore_timeout_message(error: String) -> String {
    match error.strip_prefix("Error: STACK_TRACE_ERROR") {
        Some(stack) => format!("Error: Test timed out{stack}"),
        None => error,
    }
}
