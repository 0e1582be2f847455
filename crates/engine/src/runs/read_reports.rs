//! Reads the report files of a run, each up to a limit of size.

use super::run_order::{CaseStart, ExecutionOrderBuilder};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::message_text,
    contract::{RecordRunParams, ReportInput},
    limits::MAX_REPORT_BYTES,
};
use argus_report::{Options, ParsedReport, Problem, ReportCase};
use std::{
    collections::BTreeSet,
    io::{self, BufRead, ErrorKind, Read},
};

/// Buffer size of a report. A parser can scan the whole buffer at each step, so it is limited.
const MAX_BUFFER_BYTES: usize = 64 * 1024;

/// Facts about the run from its reports.
#[derive(Default)]
pub(crate) struct ReportFacts {
    /// The first runner that a report names.
    pub(crate) runner: Option<String>,
    /// Distinct runners with their versions.
    pub(super) versions: BTreeSet<(String, String)>,
    /// The earliest start.
    pub(crate) started_at: Option<i64>,
    /// Total duration in milliseconds.
    pub(crate) duration_ms: Option<f64>,
    /// Set if the order of execution is unknown.
    pub(crate) order_unknown: bool,
}

impl ReportFacts {
    /// Returns the runner with version, such as `vitest-3.2.4`. None if the reports have several versions.
    pub(crate) fn runner_version(&self, runner: &str) -> Option<String> {
        let mut versions = self.versions.iter().filter(|(name, _)| name == runner).map(|(_, version)| version);
        let only = versions.next()?;
        versions.next().is_none().then(|| format!("{runner}-{only}"))
    }

    /// Adds the facts of another report.
    fn add(&mut self, parsed: &ParsedReport) {
        self.runner = self.runner.take().or_else(|| parsed.runner.clone());
        self.versions.extend(parsed.runner.clone().zip(parsed.runner_version.clone()));
        self.started_at = [self.started_at, parsed.started_at].into_iter().flatten().min();
        self.duration_ms = match (self.duration_ms, parsed.duration_ms) {
            (Some(sum), Some(more)) => Some(sum + more),
            (sum, more) => sum.or(more),
        };
    }
}

/// Content of all reports of a run. Each case comes with the runner that its report names.
pub(crate) struct ReportContents<T> {
    pub(crate) cases: Vec<(T, Option<String>)>,
    /// Parts that could not be read.
    pub(crate) problems: Vec<Problem>,
    pub(crate) facts: ReportFacts,
    /// Error of the first report that could not be read at all.
    pub(super) first_error: Option<EngineError>,
}

impl<T> ReportContents<T> {
    /// Returns `true` if there are reports, but no tests in them, for example because of a filter.
    pub(crate) fn has_no_tests(&self, params: &RecordRunParams) -> bool {
        !params.reports.is_empty()
            && (self.cases.is_empty() && self.problems.is_empty())
            && (params.cases.is_empty() && params.unread.is_empty())
    }
}

/// Reads all reports case by case. If a report cannot be read to its end, its cases are discarded.
pub(crate) fn read_reports<T>(
    engine: &Engine,
    params: &RecordRunParams,
    on_case: &mut dyn FnMut(ReportCase) -> T,
) -> ReportContents<T> {
    let mut read =
        ReportContents { cases: Vec::new(), problems: Vec::new(), facts: ReportFacts::default(), first_error: None };
    let mut ran = ExecutionOrderBuilder::default();
    let mut other_files = Vec::new();
    for report in &params.reports {
        let mut cases = Vec::new();
        let mut on_case = |case: ReportCase| {
            let case = add_folder(params.folder.as_deref(), case);
            let ran = CaseStart::new(case.place, case.unit());
            cases.push((ran, on_case(case)));
        };
        match parse_report(engine, report, &mut on_case) {
            Ok(parsed) => {
                read.facts.add(&parsed);
                ran.add(&parsed, cases);
                read.problems.extend(parsed.problems);
            }
            Err(ReportError { error, is_other_file }) => {
                other_files.extend(is_other_file.then_some(read.problems.len()));
                read.problems.push(Problem {
                    at: report.path.clone(),
                    reason: error.message.clone(),
                    incomplete: true,
                });
                read.first_error.get_or_insert(error);
            }
        }
    }
    (read.cases, read.facts.order_unknown) = ran.finish();
    // A glob also finds files beside the reports, such as a coverage summary.
    for at in other_files.into_iter().filter(|_| !read.cases.is_empty()) {
        read.problems[at].incomplete = false;
    }
    read
}

/// Prefixes a case with its folder, so that cases of several packages differ.
fn add_folder(folder: Option<&str>, mut case: ReportCase) -> ReportCase {
    let Some(folder) = folder else { return case };
    match &mut case.file {
        Some(file) if is_relative(file) && !is_below_folder(folder, file) => *file = format!("{folder}/{file}"),
        Some(_) => {}
        None => case.suite.insert(0, folder.to_owned()),
    }
    case
}

/// Some runners name files relative to their working directory, others relative to the project.
fn is_below_folder(folder: &str, file: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_relative(file: &str) -> bool {
    !file.starts_with('/') && file.as_bytes().get(1) != Some(&b':')
}

/// Calls `on_case` for each case of a report. After an error, those cases must be discarded.
fn parse_report(
    engine: &Engine,
    report: &ReportInput,
    on_case: &mut dyn FnMut(ReportCase),
) -> Result<ParsedReport, ReportError> {
    let inner = engine.reports.open(&report.path)?;
    let mut source = LimitedReader { inner, left: u64::from(MAX_REPORT_BYTES), is_exceeded: false };
    let options = Options {
        name: report.path.clone(),
        project_root: engine.options.project_root.clone(),
        decoders: engine.reports.decoders(),
    };
    let parsed = argus_report::parse(&mut source, report.format, &options, &mut |case| on_case(case));
    if source.is_exceeded {
        return Err(too_large_error(&report.path).into());
    }
    parsed.map_err(|error| ReportError {
        error: EngineError::new(ErrorCode::ReportUnreadable, format!("{error}.")),
        is_other_file: error.is_unrecognized(),
    })
}

/// Why a report could not be read at all.
struct ReportError {
    error: EngineError,
    /// True if the file has no known format.
    is_other_file: bool,
}

impl From<EngineError> for ReportError {
    fn from(error: EngineError) -> Self {
        Self { error, is_other_file: false }
    }
}

fn too_large_error(path: &str) -> EngineError {
    let message = format!(
        "The report '{}' is larger than {} MiB. Split it, or report failures only.",
        message_text::quote(path),
        MAX_REPORT_BYTES / 1024 / 1024
    );
    EngineError::new(ErrorCode::ReportTooLarge, message)
}

/// A reader that stops at a limit and records that it was exceeded.
struct LimitedReader {
    inner: Box<dyn BufRead>,
    left: u64,
    is_exceeded: bool,
}

impl Read for LimitedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for LimitedReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let available = self.inner.fill_buf()?;
        if self.left == 0 && !available.is_empty() {
            self.is_exceeded = true;
            return Err(io::Error::new(ErrorKind::FileTooLarge, "larger than the cap"));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(available.len()).min(MAX_BUFFER_BYTES);
        Ok(&available[..most])
    }

    fn consume(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count as u64);
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::{LimitedReader, MAX_BUFFER_BYTES};
    use std::io::{BufRead, BufReader, Read, repeat};

    #[test]
    fn limited_reader_reads_in_windows_and_stops_at_the_limit() {
        let inner = Box::new(BufReader::with_capacity(MAX_BUFFER_BYTES * 4, repeat(b'x')));
        let mut capped = LimitedReader { inner, left: MAX_BUFFER_BYTES as u64 + 10, is_exceeded: false };
        assert_eq!(capped.fill_buf().unwrap().len(), MAX_BUFFER_BYTES);
        let mut read = Vec::new();
        assert!(capped.read_to_end(&mut read).is_err());
        assert!(capped.is_exceeded && read.len() <= MAX_BUFFER_BYTES + 10);
        let mut exact = LimitedReader { inner: Box::new(&b"four"[..]), left: 4, is_exceeded: false };
        assert_eq!(exact.read_to_end(&mut Vec::new()).unwrap(), 4);
        assert!(!exact.is_exceeded);
    }
}
