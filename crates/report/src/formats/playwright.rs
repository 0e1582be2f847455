//! Playwright's JSON reporter.
//!
//! The tests of a file wait until the file is complete, because suites are nested and a test needs the titles around
//! it. Files are relative to the test folder, as in the JUnit reporter.

use serde::de::MapAccess;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CasePosition, CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        json::{self, ArraySeed, ItemSink, LooseValue, ObjectReader, ObjectSeed, skip},
        units,
    },
};

/// Reads a Playwright report to its end.
pub(crate) fn parse<R: std::io::BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut report =
        Report { intake, known: false, config: Config::default(), errors: Vec::new(), stats: Stats::default() };
    let ending = json::read(input, &mut report);
    let Report { intake, known, config, errors, stats } = report;
    // The configuration or the global setup failed.
    let error: Vec<String> = errors.into_iter().filter_map(Failure::into_text).collect();
    if !error.is_empty() {
        let mut case = ReportCase::suite_failure(None, Some(error.join("\n\n")));
        case.place.started_at = stats.start;
        intake.emit_case(case);
    }
    intake.record_start(stats.start);
    intake.record_claimed_failures(stats.unexpected);
    intake.duration_ms = stats.duration_ms;
    intake.order = ExecutionOrder::ByStart;
    intake.runner = Some("playwright".to_owned());
    intake.record_runner_version(config.version);
    ending.report("playwright", known, intake)
}

struct Report<'i, 'a> {
    intake: &'i mut Intake<'a>,
    known: bool,
    config: Config,
    errors: Vec<Failure>,
    stats: Stats,
}

impl ObjectReader for Report<'_, '_> {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "suites" => {
                self.known = true;
                map.next_value_seed(ArraySeed(self))
            }
            "config" => map.next_value_seed(ObjectSeed(&mut self.config)),
            "errors" => map.next_value_seed(ArraySeed(&mut self.errors)),
            "stats" => map.next_value_seed(ObjectSeed(&mut self.stats)),
            _ => skip(map),
        }
    }
}

impl ItemSink for Report<'_, '_> {
    type Item = Suite;

    fn start(&mut self) -> Suite {
        Suite::default()
    }

    fn take(&mut self, suite: Suite) {
        let path = suite.title.as_deref().or(suite.file.as_deref());
        let file = path.and_then(|path| self.intake.file(path));
        let mut titles = Vec::new();
        emit_cases(suite, file.as_ref(), &mut titles, self.intake);
    }

    fn take_truncated(&mut self, suite: Suite) {
        self.take(suite);
    }
}

/// Emits the tests of a suite, then those of nested suites.
fn emit_cases(suite: Suite, file: Option<&String>, titles: &mut Vec<String>, intake: &mut Intake<'_>) {
    for spec in suite.specs {
        for test in spec.tests {
            intake.emit_case(test.into_case(file.cloned(), titles, spec.title.clone().unwrap_or_default()));
        }
    }
    for inner in suite.suites {
        titles.push(inner.title.clone().unwrap_or_default());
        emit_cases(inner, file, titles, intake);
        titles.pop();
    }
}

#[derive(Default)]
struct Config {
    version: Option<String>,
}

impl ObjectReader for Config {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "version" => self.version = map.next_value::<LooseValue>()?.text(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Stats {
    start: Option<i64>,
    duration_ms: Option<f64>,
    unexpected: Option<f64>,
}

impl ObjectReader for Stats {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "startTime" => {
                self.start = map.next_value::<LooseValue>()?.text().and_then(|text| units::parse_timestamp(&text));
            }
            "duration" => self.duration_ms = map.next_value::<LooseValue>()?.number(),
            "unexpected" => self.unexpected = map.next_value::<LooseValue>()?.number(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Suite {
    title: Option<String>,
    file: Option<String>,
    specs: Vec<Spec>,
    suites: Vec<Suite>,
}

impl ObjectReader for Suite {
    const KEEPS_TRUNCATED_ITEMS: bool = true;

    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "title" => self.title = map.next_value::<LooseValue>()?.text(),
            "file" => self.file = map.next_value::<LooseValue>()?.text(),
            "specs" => map.next_value_seed(ArraySeed(&mut self.specs))?,
            "suites" => map.next_value_seed(ArraySeed(&mut self.suites))?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Spec {
    title: Option<String>,
    tests: Vec<Test>,
}

impl ObjectReader for Spec {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "title" => self.title = map.next_value::<LooseValue>()?.text(),
            "tests" => map.next_value_seed(ArraySeed(&mut self.tests))?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

/// A test in a Playwright project.
#[derive(Default)]
struct Test {
    project: Option<String>,
    status: Option<String>,
    results: Vec<Attempt>,
}

impl ObjectReader for Test {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "projectName" => self.project = map.next_value::<LooseValue>()?.text(),
            "status" => self.status = map.next_value::<LooseValue>()?.text(),
            "results" => map.next_value_seed(ArraySeed(&mut self.results))?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl Test {
    fn into_case(mut self, file: Option<String>, titles: &[String], name: String) -> ReportCase {
        let status = match self.status.as_deref() {
            Some("expected" | "flaky") => CaseStatus::Passed,
            Some("skipped") => CaseStatus::Skipped,
            Some(_) => CaseStatus::Failed,
            None => self.results.last().map_or(CaseStatus::Skipped, Attempt::case_status),
        };
        let flaky = self.status.as_deref() == Some("flaky");
        let attempts = u32::try_from(self.results.len()).unwrap_or(u32::MAX);
        let durations: Vec<f64> = self.results.iter().filter_map(|result| result.duration_ms).collect();
        let failed = self.results.iter().rposition(Attempt::failed);
        let word = self.results.last().and_then(|result| result.status.clone());
        // An expected failure (`test.fail`) does not count as a failure.
        let told = status == CaseStatus::Failed || flaky;
        let failure = failed.filter(|_| told).map(|at| std::mem::take(&mut self.results[at].failures));
        let started_at = self.results.first().and_then(|result| result.started);
        let last = self.results.pop().unwrap_or_default();
        ReportCase {
            file,
            suite: self.project.into_iter().chain(titles.iter().cloned()).collect(),
            runner_status: word.filter(|word| matches!(word.as_str(), "timedOut" | "interrupted")),
            flaky,
            duration_ms: (!durations.is_empty() && status != CaseStatus::Skipped).then(|| durations.iter().sum()),
            attempts: if status == CaseStatus::Skipped { 0 } else { attempts },
            error: failure.and_then(join_failures),
            stdout_tail: bounded_text::bound_output(&last.stdout.concat()),
            stderr_tail: bounded_text::bound_output(&last.stderr.concat()),
            place: CasePosition { started_at, ..CasePosition::default() },
            ..ReportCase::new(name, status)
        }
    }
}

fn join_failures(failures: Vec<Failure>) -> Option<String> {
    let texts: Vec<String> = failures.into_iter().filter_map(Failure::into_text).collect();
    bounded_text::bound_error(&texts.join("\n\n"))
}

/// An attempt of a test.
#[derive(Default)]
struct Attempt {
    status: Option<String>,
    started: Option<i64>,
    duration_ms: Option<f64>,
    failures: Vec<Failure>,
    stdout: Vec<String>,
    stderr: Vec<String>,
}

impl Attempt {
    fn failed(&self) -> bool {
        !matches!(self.status.as_deref(), None | Some("passed" | "skipped"))
    }

    fn case_status(&self) -> CaseStatus {
        match self.status.as_deref() {
            Some("passed") => CaseStatus::Passed,
            Some("skipped") => CaseStatus::Skipped,
            _ => CaseStatus::Failed,
        }
    }
}

impl ObjectReader for Attempt {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "status" => self.status = map.next_value::<LooseValue>()?.text(),
            "duration" => self.duration_ms = map.next_value::<LooseValue>()?.number(),
            "startTime" => {
                self.started = map.next_value::<LooseValue>()?.text().and_then(|text| units::parse_timestamp(&text));
            }
            "error" => {
                let mut failure = Failure::default();
                map.next_value_seed(ObjectSeed(&mut failure))?;
                if self.failures.is_empty() {
                    self.failures.push(failure);
                }
            }
            "errors" => {
                let mut failures = Vec::new();
                map.next_value_seed(ArraySeed(&mut failures))?;
                // The first entry repeats `error`, which has the stack. Only the further soft assertions are new.
                self.failures.extend(failures.into_iter().skip(self.failures.len()));
            }
            "stdout" => map.next_value_seed(ArraySeed(&mut Pieces(&mut self.stdout)))?,
            "stderr" => map.next_value_seed(ArraySeed(&mut Pieces(&mut self.stderr)))?,
            _ => skip(map)?,
        }
        Ok(())
    }
}

#[derive(Default)]
struct Failure {
    message: Option<String>,
    stack: Option<String>,
    value: Option<String>,
}

impl ObjectReader for Failure {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "message" => self.message = map.next_value::<LooseValue>()?.text(),
            "stack" => self.stack = map.next_value::<LooseValue>()?.text(),
            // A thrown value that is not an error.
            "value" => self.value = map.next_value::<LooseValue>()?.text(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl Failure {
    fn into_text(self) -> Option<String> {
        bounded_text::join_message(self.message.as_deref(), self.stack.as_deref()).or(self.value)
    }
}

/// Output in pieces: `{ "text": ... }`. Binary pieces (`buffer`) are left out.
struct Pieces<'p>(&'p mut Vec<String>);

#[derive(Default)]
struct OutputPiece(Option<String>);

impl ObjectReader for OutputPiece {
    fn field<'de, M: MapAccess<'de>>(&mut self, key: &str, map: &mut M) -> Result<(), M::Error> {
        match key {
            "text" => self.0 = map.next_value::<LooseValue>()?.raw(),
            _ => skip(map)?,
        }
        Ok(())
    }
}

impl ItemSink for Pieces<'_> {
    type Item = OutputPiece;

    fn start(&mut self) -> OutputPiece {
        OutputPiece::default()
    }

    fn take(&mut self, piece: OutputPiece) {
        self.0.extend(piece.0);
    }
}
