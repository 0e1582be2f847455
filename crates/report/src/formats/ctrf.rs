//! Common Test Report Format (<https://ctrf.io>), as written by reporters of many runners. The report is not validated
//! against the schema; existing fields are read.

use serde::de::MapAccess;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    paths,
    reading::{
        bounded_text,
        input::Input,
        json::{self, ArraySeed, ItemSink, LooseValue, ObjectReader, ObjectSeed, skip},
    },
};

/// Reads a CTRF report to its end.
pub(crate) fn parse<R: std::io::BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report =
        Report { intake, known: false, is_inside: false, tool: Tool::default(), summary: Summary::default() };
    let ending = json::read(input, &mut report);
    let Report { intake, known, tool, summary, .. } = report;
    intake.record_start(summary.start);
    intake.record_claimed_failures(summary.failed);
    #[expect(clippy::cast_precision_loss, reason = "a run's milliseconds")]
    let duration = summary.start.zip(summary.stop).map(|(start, stop)| (stop - start).max(0) as f64);
    intake.duration_ms = duration;
    match tool.name.as_deref() {
        _ if intake.has_start_times() => intake.order = ExecutionOrder::ByStart,
        Some("mocha" | "uvu" | "busted" | "rspec" | "minitest" | "test-unit" | "unittest") => {
            intake.order = ExecutionOrder::AsReported;
        }
        Some("node:test") => intake.keep_order_of_single_file(),
        _ => {}
    }
    intake.runner = tool.name;
    intake.record_runner_version(tool.version);
    ending.report("ctrf", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
    /// True inside of `results`.
    is_inside: bool,
    tool: Tool,
    summary: Summary,
}

impl ObjectReader for Report<'_, '_> {
    /// The outer object and `results` have no common keys, so the same reader handles both.
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "results" => {
                self.is_inside = true;
                map.next_value_seed(ObjectSeed(self))
            }
            "tool" => map.next_value_seed(ObjectSeed(&mut self.tool)),
            "summary" => map.next_value_seed(ObjectSeed(&mut self.summary)),
            "tests" if self.is_inside => {
                self.known = true;
                map.next_value_seed(ArraySeed(self))
            }
            _ => skip(map),
        }
    }
}

impl ItemSink for Report<'_, '_> {
    type Item = Test;

    fn start(&mut self) -> Test {
        Test::default()
    }

    fn take(&mut self, test: Test) {
        let started = test.start;
        // Playwright's reporter also counts an expected failure.
        if [&test.status, &test.raw_status].iter().any(|word| word.as_deref() == Some("failed")) {
            self.intake.record_listed_failure();
        }
        let mut case = test.into_case(self.tool.name.as_deref(), self.intake);
        case.place.started_at = started;
        self.intake.emit_case(case);
    }
}

#[derive(Default)]
struct Tool {
    name: Option<String>,
    version: Option<String>,
}

impl ObjectReader for Tool {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "name" => self.name = map.next_value::<LooseValue>()?.text(),
            "version" => self.version = map.next_value::<LooseValue>()?.text(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Summary {
    start: Option<i64>,
    stop: Option<i64>,
    failed: Option<f64>,
}

impl ObjectReader for Summary {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "start" => self.start = map.next_value::<LooseValue>()?.millis().map(to_millis),
            "failed" => self.failed = map.next_value::<LooseValue>()?.number(),
            "stop" => self.stop = map.next_value::<LooseValue>()?.millis().map(to_millis),
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// Some reporters write seconds. In milliseconds such a number would be before 1973, when no run can have taken place.
fn to_millis(time: i64) -> i64 {
    if time < 100_000_000_000 { time * 1000 } else { time }
}

#[derive(Default)]
struct Test {
    name: Option<String>,
    status: Option<String>,
    raw_status: Option<String>,
    duration_ms: Option<f64>,
    start: Option<i64>,
    message: Option<String>,
    trace: Option<String>,
    suite: Vec<String>,
    file: Option<String>,
    retries: Option<u32>,
    flaky: bool,
    stdout: Vec<String>,
    stderr: Vec<String>,
}

impl ObjectReader for Test {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "name" => self.name = map.next_value::<LooseValue>()?.text(),
            "status" => self.status = map.next_value::<LooseValue>()?.text(),
            "rawStatus" => self.raw_status = map.next_value::<LooseValue>()?.text(),
            "duration" => self.duration_ms = map.next_value::<LooseValue>()?.number(),
            "start" => self.start = map.next_value::<LooseValue>()?.millis().map(to_millis),
            "message" => self.message = map.next_value::<LooseValue>()?.text(),
            "trace" => self.trace = map.next_value::<LooseValue>()?.text(),
            "suite" => self.suite = read_suites(map.next_value()?),
            "filePath" | "filepath" => self.file = map.next_value::<LooseValue>()?.text(),
            "retries" => self.retries = map.next_value::<LooseValue>()?.count(),
            "flaky" => self.flaky = map.next_value::<LooseValue>()? == LooseValue::Flag(true),
            "stdout" => self.stdout = map.next_value::<LooseValue>()?.texts(),
            "stderr" => self.stderr = map.next_value::<LooseValue>()?.texts(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// Suites are an array since version 1 of the format, and a single joined text before.
fn read_suites(value: LooseValue) -> Vec<String> {
    match value {
        LooseValue::Text(joined) => joined.split(" > ").map(str::to_owned).collect(),
        other => other.texts(),
    }
}

impl Test {
    fn into_case(self, tool: Option<&str>, intake: &Intake<'_>) -> ReportCase {
        let status = parse_status(self.status.as_deref(), self.raw_status.as_deref());
        let (file, suite) = choose_file_and_suites(self.suite, self.file.as_deref(), tool, intake);
        let name = remove_suites_from_name(self.name.unwrap_or_default(), &suite);
        let told = status == CaseStatus::Failed || self.flaky;
        let error = bounded_text::join_message(self.message.as_deref(), self.trace.as_deref()).filter(|_| told);
        let attempts = self.retries.unwrap_or(0) + 1;
        ReportCase {
            file,
            suite,
            runner_status: self.raw_status.filter(|word| is_specific_status(word)),
            flaky: self.flaky && status == CaseStatus::Passed,
            duration_ms: self.duration_ms,
            attempts: if status == CaseStatus::Skipped { 0 } else { attempts },
            error: error.and_then(|error| bounded_text::bound_error(&error)),
            stdout_tail: bounded_text::bound_output(&self.stdout.join("\n")),
            stderr_tail: bounded_text::bound_output(&self.stderr.join("\n")),
            ..ReportCase::new(name, status)
        }
    }
}

fn is_specific_status(word: &str) -> bool {
    !matches!(word, "passed" | "failed" | "skipped" | "pending" | "pass" | "fail")
}

/// The format uses `other` for anything without a word in it, for example a todo, but also a timeout.
fn parse_status(status: Option<&str>, raw: Option<&str>) -> CaseStatus {
    match (status, raw) {
        (Some("passed"), _) => CaseStatus::Passed,
        (Some("failed"), _) | (_, Some("timedOut" | "interrupted" | "broken" | "error" | "errored")) => {
            CaseStatus::Failed
        }
        _ => CaseStatus::Skipped,
    }
}

/// Returns file and suites. Many reporters repeat the file among the suites, so it is removed there.
///
/// Playwright's own reporters name files relative to the test folder, as the entry among the suites does, so that entry
/// is used for Playwright.
fn choose_file_and_suites(
    mut suite: Vec<String>,
    path: Option<&str>,
    tool: Option<&str>,
    intake: &Intake<'_>,
) -> (Option<String>, Vec<String>) {
    let path = path.and_then(|path| intake.file(path));
    let is_file = |part: &String| match &path {
        Some(path) => path == part || path.strip_suffix(part.as_str()).is_some_and(|rest| rest.ends_with('/')),
        None => paths::looks_like_file(part),
    };
    let part = suite.iter().position(is_file).map(|at| suite.remove(at));
    let file = match (path, part) {
        (Some(_), Some(part)) if tool == Some("playwright") => Some(part),
        (path, part) => path.or(part),
    };
    (file, suite)
}

/// Removes suites from a full name. Some reporters write `cart checkout refused` for the test `refused` in `cart`,
/// `checkout`.
fn remove_suites_from_name(name: String, suite: &[String]) -> String {
    for separator in [" ", " > ", " › "] {
        let own = name.strip_prefix(suite.join(separator).as_str()).and_then(|rest| rest.strip_prefix(separator));
        if let Some(own) = own.filter(|own| !own.is_empty() && !suite.is_empty()) {
            return own.to_owned();
        }
    }
    name
}
