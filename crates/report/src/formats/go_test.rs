//! `go test -json`: one event per line, with build output in between.
//!
//! A failed test waits for the end of the report, because it may run again (`--rerun-fails` of gotestsum, or `-count`).

use std::{
    collections::{BTreeMap, BTreeSet},
    io::BufRead,
};

use serde::Deserialize;

use super::go_frame::{self, has_only_runner_lines};
use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text::{self, BoundedText},
        input::Input,
        json::values,
        units,
    },
    retries::Retries,
};

/// Error text of a test that printed nothing before its process was killed. The events do not contain the signal.
const TRUNCATED_TEST_ERROR: &str = "The process of the package ended before this test.";

/// Reads all events.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut run = GoRun::default();
    let mut last = 0;
    values::for_each_line(input, intake, |line, number, intake| {
        last = number;
        run.line(line, number, intake);
    });
    run.finish(last, intake);
    intake.order = ExecutionOrder::ByStartInUnits;
    intake.runner = Some("go".to_owned());
    if run.events == 0 {
        let reason = "it has no event of `go test -json`".to_owned();
        return Err(ReportErrorKind::Malformed { format: "go-test", reason });
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    time: Option<String>,
    action: String,
    #[serde(default)]
    package: String,
    test: Option<String>,
    output: Option<String>,
    elapsed: Option<f64>,
    import_path: Option<String>,
    failed_build: Option<String>,
}

#[derive(Default)]
struct GoRun {
    events: u64,
    packages: BTreeMap<String, Package>,
    /// Output of failed builds by import path (Go 1.24 and later).
    builds: BTreeMap<String, BoundedText>,
    /// Lines that are not events: build output, if both streams were written to one file.
    stray: Option<BoundedText>,
    retries: Retries,
    /// Packages that ran to their end. If a test of such a package runs again, gotestsum is repeating failed tests.
    ended_packages: BTreeSet<String>,
    started: Option<i64>,
    ended: Option<i64>,
}

/// A test that has not ended.
struct RunningTest {
    output: BoundedText,
    started: Option<i64>,
}

#[derive(Default)]
struct Package {
    running: BTreeMap<String, RunningTest>,
    output: Option<BoundedText>,
    failures: u32,
}

/// With `-count=2` a test runs again before its package ends, and each failure counts. With `--rerun-fails` gotestsum
/// starts the failed tests of a package again after the package ended.
/// Source: <https://pkg.go.dev/cmd/go#hdr-Testing_flags>,
/// <https://github.com/gotestyourself/gotestsum#re-running-failed-tests>
impl GoRun {
    fn line(&mut self, trimmed: &str, number: u64, intake: &mut Intake<'_>) {
        if !trimmed.starts_with('{') {
            self.read_non_event_line(trimmed, intake);
            return;
        }
        match serde_json::from_str::<Event>(trimmed) {
            Ok(event) => self.event(event, intake),
            Err(error) => {
                let reason = format!("not an event of `go test -json`: {error}");
                // A line without `Action` is JSON that a program printed.
                if trimmed.contains("\"Action\"") {
                    intake.add_problem(Some(number), reason);
                } else {
                    intake.add_remark(Some(number), reason);
                }
            }
        }
    }

    /// Handles a line that is not an event. `FAIL example.com/shop/broken [build failed]` names the package of the
    /// lines before it.
    fn read_non_event_line(&mut self, line: &str, intake: &mut Intake<'_>) {
        if line.is_empty() {
            return;
        }
        let failed = line
            .strip_prefix("FAIL\t")
            .filter(|rest| rest.ends_with("[build failed]") || rest.ends_with("[setup failed]"));
        if let Some(package) = failed.and_then(|rest| rest.split_whitespace().next()) {
            let error = self.stray.take().and_then(BoundedText::finish).unwrap_or_else(|| line.to_owned());
            self.add_package_failure(package, Some(error), intake);
            return;
        }
        let stray = self.stray.get_or_insert_with(BoundedText::error);
        stray.push_str(line);
        stray.push_str("\n");
    }

    fn event(&mut self, event: Event, intake: &mut Intake<'_>) {
        self.events += 1;
        let time = event.time.as_deref().and_then(units::parse_timestamp);
        self.started = self.started.or(time);
        self.ended = time.or(self.ended);
        match (event.action.as_str(), event.test.clone()) {
            ("build-output", _) => {
                let path = event.import_path.unwrap_or_default();
                let output = self.builds.entry(path).or_insert_with(BoundedText::error);
                output.push_str(&event.output.unwrap_or_default());
            }
            ("run", Some(test)) => {
                self.package(&event.package)
                    .running
                    .insert(test, RunningTest { output: BoundedText::error(), started: time });
            }
            ("output", test) => {
                let output = event.output.unwrap_or_default();
                let package = self.package(&event.package);
                let target = match test.and_then(|test| package.running.get_mut(&test)) {
                    Some(running) => &mut running.output,
                    None => package.output.get_or_insert_with(BoundedText::error),
                };
                target.push_str(&output);
            }
            ("pass" | "fail" | "skip", Some(test)) => self.end_test(&event, &test, intake),
            ("pass" | "fail" | "skip", None) => self.end_package(&event, intake),
            _ => {}
        }
    }

    fn package(&mut self, name: &str) -> &mut Package {
        if !self.packages.contains_key(name) {
            self.packages.insert(name.to_owned(), Package::default());
        }
        self.packages.entry(name.to_owned()).or_default()
    }

    fn end_test(&mut self, event: &Event, test: &str, intake: &mut Intake<'_>) {
        let package = self.package(&event.package);
        let running = package.running.remove(test);
        let started = running.as_ref().and_then(|running| running.started);
        let output = running.and_then(|running| running.output.finish());
        package.failures += u32::from(event.action == "fail");
        let mut case = read_case(&event.package, test, &event.action, output);
        case.duration_ms = event.elapsed.map(|seconds| seconds * 1000.0);
        case.place.started_at = started.or(self.ended);
        let is_rerun = self.ended_packages.contains(&event.package);
        self.retries.push(case, is_rerun, intake);
    }

    /// Handles the end of a package. A package may fail without a failed test, because of its build, `TestMain`, a data
    /// race or an exit.
    fn end_package(&mut self, event: &Event, intake: &mut Intake<'_>) {
        let mut package = self.packages.remove(&event.package).unwrap_or_default();
        let failed = event.action == "fail";
        let unfinished: Vec<_> = std::mem::take(&mut package.running)
            .into_iter()
            .map(|(test, RunningTest { output, started })| (test, output.finish(), started))
            .collect();
        let is_told =
            package.failures > 0 || unfinished.iter().any(|(_, output, _)| !has_only_runner_lines(output.as_deref()));
        for (test, output, started) in unfinished {
            // These tests were still running when the process ended. A test with output caused the end; a test without
            // output only waited for its turn.
            let has_failed = failed && !(is_told && has_only_runner_lines(output.as_deref()));
            package.failures += u32::from(has_failed);
            let is_silent = has_failed && has_only_runner_lines(output.as_deref());
            let output = if is_silent { Some(TRUNCATED_TEST_ERROR.to_owned()) } else { output };
            let mut case = read_case(&event.package, &test, if has_failed { "fail" } else { "skip" }, output);
            case.runner_status = Some("unfinished".to_owned());
            case.place.started_at = started;
            let is_rerun = self.ended_packages.contains(&event.package);
            self.retries.push(case, is_rerun, intake);
        }
        if failed && package.failures == 0 {
            let build = event.failed_build.as_deref().and_then(|path| self.builds.remove(path));
            let error = build.or(package.output).and_then(BoundedText::finish);
            let error = error.or_else(|| self.stray.take().and_then(BoundedText::finish));
            self.add_package_failure(&event.package, error, intake);
        }
        self.ended_packages.insert(event.package.clone());
    }

    fn add_package_failure(&mut self, package: &str, error: Option<String>, intake: &mut Intake<'_>) {
        let mut case = ReportCase::suite_failure(None, error.map(|error| go_frame::remove_runner_lines(&error)));
        case.suite = vec![package.to_owned()];
        case.place.started_at = self.ended;
        self.retries.push(case, true, intake);
    }

    fn finish(&mut self, line: u64, intake: &mut Intake<'_>) {
        let cut: Vec<String> = std::mem::take(&mut self.packages)
            .into_iter()
            .filter(|(name, package)| {
                let has_ended = name.is_empty() || self.ended_packages.contains(name);
                !has_ended || !package.running.is_empty()
            })
            .map(|(name, _)| name)
            .collect();
        for name in cut {
            intake.add_problem(Some(line), format!("the report ends while {name} is running"));
        }
        let mut waiting = self.retries.take_since(0);
        remove_explained_parents(&mut waiting);
        for case in waiting {
            intake.emit_case(case);
        }
        intake.record_start(self.started);
        #[expect(clippy::cast_precision_loss, reason = "a run's milliseconds")]
        let duration = self.started.zip(self.ended).map(|(started, ended)| (ended - started).max(0) as f64);
        intake.duration_ms = duration;
    }
}

fn read_case(package: &str, test: &str, action: &str, output: Option<String>) -> ReportCase {
    let status = match action {
        "pass" => CaseStatus::Passed,
        "fail" => CaseStatus::Failed,
        _ => CaseStatus::Skipped,
    };
    let own = output.map(|output| go_frame::remove_runner_lines(&output)).filter(|output| !output.is_empty());
    let (error, stdout) = if status == CaseStatus::Failed { (own, None) } else { (None, own) };
    ReportCase {
        suite: vec![package.to_owned()],
        error,
        stdout_tail: stdout
            .filter(|text| !has_only_runner_lines(Some(text)))
            .and_then(|text| bounded_text::bound_output(&text)),
        ..ReportCase::new(test.to_owned(), status)
    }
}

/// Removes parent tests. A Go test fails together with its subtest, so a parent without its own output is not a
/// separate failure.
pub(crate) fn remove_explained_parents(failed: &mut Vec<ReportCase>) {
    let mut parents = BTreeSet::new();
    for case in failed.iter().filter(|case| case.status == CaseStatus::Failed) {
        for (at, _) in case.name.match_indices('/') {
            parents.insert((case.suite.clone(), case.name[..at].to_owned()));
        }
    }
    failed.retain(|case| {
        let explained = has_only_runner_lines(case.error.as_deref()) && !parents.is_empty();
        !(explained && parents.contains(&(case.suite.clone(), case.name.clone())))
    });
}
