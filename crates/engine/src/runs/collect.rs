//! Turns reports and the outcome of the command into cases for the database: named, bounded, redacted and analyzed.

use super::{
    brief::{BriefCandidate, Candidates},
    case_name::{SEPARATOR, clean_name},
    cause, containers,
    failed_texts::{CleanTexts, TextBudget, Texts},
    run_order::{Ran, RunOrder},
    unsaid,
};
use crate::{
    Engine, EngineError, ErrorCode,
    answer::text,
    contract::{ContainerFact, GitFacts, RecordRunParams, ReportInput},
    evidence::failure_facts::{failure_facts, files_of_stack},
    failures::lookup,
    limits::{MAX_ANALYZED_FAILURES, MAX_REPORT_BYTES},
};
use argus_core::{FailureEvent, evidence, redact::Redacted};
use argus_report::{CaseStatus, Options, Parsed, Problem, ReportCase, tail::salient_tail};
use argus_store::runs::cases::{Case, Failure, Status};
use std::{
    collections::BTreeSet,
    io::{self, BufRead, ErrorKind, Read},
};

/// Buffer size of a report. A parser can scan the whole buffer at each step, so it is limited.
const WINDOW_BYTES: usize = 64 * 1024;

/// Facts about the run from its reports.
#[derive(Default)]
pub(crate) struct RunFacts {
    /// The first runner that a report names.
    pub(crate) runner: Option<String>,
    /// Distinct runners with their versions.
    versions: BTreeSet<(String, String)>,
    /// The earliest start.
    pub(crate) started_at: Option<i64>,
    /// Total duration in milliseconds.
    pub(crate) duration_ms: Option<f64>,
    /// Set if the order of execution is unknown.
    pub(crate) order_unknown: bool,
}

impl RunFacts {
    /// Runner with version, such as `vitest-3.2.4`. None if the reports have several versions.
    pub(crate) fn runner_version(&self, runner: &str) -> Option<String> {
        let mut versions = self.versions.iter().filter(|(name, _)| name == runner).map(|(_, version)| version);
        let only = versions.next()?;
        versions.next().is_none().then(|| format!("{runner}-{only}"))
    }

    /// Adds the facts of another report.
    fn add(&mut self, parsed: &Parsed) {
        self.runner = self.runner.take().or_else(|| parsed.runner.clone());
        self.versions.extend(parsed.runner.clone().zip(parsed.runner_version.clone()));
        self.started_at = [self.started_at, parsed.started_at].into_iter().flatten().min();
        self.duration_ms = match (self.duration_ms, parsed.duration_ms) {
            (Some(sum), Some(more)) => Some(sum + more),
            (sum, more) => sum.or(more),
        };
    }
}

/// The cases of a run, and the data that the following steps need.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) cases: Vec<Case>,
    /// Failures that can be listed in the answer.
    pub(crate) candidates: Candidates,
    pub(crate) skipped: Vec<Problem>,
    pub(crate) facts: RunFacts,
    /// Set if there are reports, but no tests in them, for example because of a filter.
    pub(crate) has_empty_reports: bool,
    /// Set if tests were expected and none ran.
    pub(crate) ran_no_tests: bool,
    /// Failures as evidence for the verdicts.
    pub(crate) failed: Vec<evidence::facts::Failure>,
    /// Files in the stacks of the failures, if the changed files are known.
    pub(crate) stacks: evidence::facts::StackFiles,
    has_changed_files: bool,
    budget: TextBudget,
}

/// Index and texts of a failed case.
struct Raw {
    at: usize,
    texts: CleanTexts,
}

/// Content of all reports of a run. Each case comes with the runner that its report names.
pub(crate) struct ReportsRead<T> {
    pub(crate) cases: Vec<(T, Option<String>)>,
    /// Parts that could not be read.
    pub(crate) problems: Vec<Problem>,
    pub(crate) facts: RunFacts,
    /// Error of the first report that could not be read at all.
    refused: Option<EngineError>,
}

impl<T> ReportsRead<T> {
    /// Returns `true` if there are reports, but no tests in them, for example because of a filter.
    pub(crate) fn have_no_tests(&self, params: &RecordRunParams) -> bool {
        !params.reports.is_empty()
            && (self.cases.is_empty() && self.problems.is_empty())
            && (params.cases.is_empty() && params.unread.is_empty())
    }
}

/// Reads all reports case by case. A report that cannot be read to its end has no cases.
pub(crate) fn read_reports<T>(
    engine: &Engine,
    params: &RecordRunParams,
    on_case: &mut dyn FnMut(ReportCase) -> T,
) -> ReportsRead<T> {
    let mut read = ReportsRead { cases: Vec::new(), problems: Vec::new(), facts: RunFacts::default(), refused: None };
    let mut ran = RunOrder::default();
    for report in &params.reports {
        let mut cases = Vec::new();
        let mut on_case = |case: ReportCase| {
            let case = in_folder(params.folder.as_deref(), case);
            let ran = Ran::new(case.place, case.unit());
            cases.push((ran, on_case(case)));
        };
        match each_case(engine, report, &mut on_case) {
            Ok(parsed) => {
                read.facts.add(&parsed);
                ran.add(&parsed, cases);
                read.problems.extend(parsed.problems);
            }
            Err(error) => {
                read.problems.push(Problem { at: report.path.clone(), reason: error.message.clone() });
                read.refused.get_or_insert(error);
            }
        }
    }
    (read.cases, read.facts.order_unknown) = ran.finish();
    read
}

/// Prefixes a case with its folder, so that cases of several packages differ.
fn in_folder(folder: Option<&str>, mut case: ReportCase) -> ReportCase {
    let Some(folder) = folder else { return case };
    match &mut case.file {
        Some(file) if is_relative(file) && !is_below(folder, file) => *file = format!("{folder}/{file}"),
        Some(_) => {}
        None => case.suite.insert(0, folder.to_owned()),
    }
    case
}

/// Some runners name files relative to their working directory, others relative to the project.
fn is_below(folder: &str, file: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_relative(file: &str) -> bool {
    !file.starts_with('/') && file.as_bytes().get(1) != Some(&b':')
}

/// Reads all reports. If no case explains the outcome of the command, adds a case for the command itself.
pub(crate) fn collect(engine: &Engine, params: &RecordRunParams) -> Result<Collected, EngineError> {
    let mut budget = TextBudget::default();
    let mut clean = |case: ReportCase| clean_case(engine, &mut budget, case);
    let read = read_reports(engine, params, &mut clean);
    let has_empty_reports = read.have_no_tests(params);
    let prepared: Vec<_> = params.cases.iter().map(|case| (clean(case.clone()), case.runner.clone())).collect();
    let of_host = params.runner.as_ref();
    let cases = (read.cases.into_iter().map(|(case, runner)| (case, of_host.cloned().or(runner))))
        .chain(prepared.into_iter().map(|(case, runner)| (case, runner.or_else(|| of_host.cloned()))));
    let runner = redacted(engine, of_host.or(read.facts.runner.as_ref()).map(String::as_str));
    let is_mixed = !params.cases.is_empty() && !params.reports.is_empty();
    let order_unknown = read.facts.order_unknown || params.order_unknown || is_mixed;
    let facts = RunFacts { runner, order_unknown, ..read.facts };
    let has_files = |git: &GitFacts| git.commits.iter().any(|commit| !commit.files.is_empty()) || !git.edits.is_empty();
    let has_changed_files = params.git.as_ref().is_some_and(has_files);
    let mut all = Collected { facts, has_empty_reports, has_changed_files, budget, ..Collected::default() };
    let output = params.output_tail.as_deref();
    // pytest reports the interrupted test as passed.
    let is_certain = |case: &Case| case.status == Status::Failed || !params.interrupted;
    for ((case, texts), runner) in cases.filter(|((case, _), _)| is_certain(case)) {
        let texts = texts.map(|texts| unsaid::with_reason(engine, output, &case.name, texts));
        all.add(engine, &params.containers, redacted(engine, runner.as_deref()), case, texts);
    }
    for problem in read.problems.iter().chain(&params.unread) {
        all.skip(engine, problem);
    }
    match read.refused {
        Some(error) if all.cases.is_empty() && !has_ended(params) => Err(error),
        _ => Ok(all.complete(engine, params)),
    }
}

/// Returns a case for the database, with its texts if it failed and is to be analyzed.
pub(crate) fn clean_case(engine: &Engine, budget: &mut TextBudget, case: ReportCase) -> (Case, Option<CleanTexts>) {
    let (name, status) = (clean_name(engine, &case.qualified_name()), status(case.status));
    let texts = Texts { error: case.error, stdout: case.stdout_tail, stderr: case.stderr_tail, kind: case.error_type };
    let clean = Case {
        name,
        status,
        flaky: case.flaky && status != Status::Failed,
        runner_status: redacted(engine, case.runner_status.as_deref()),
        duration_ms: case.duration_ms.filter(|millis| millis.is_finite()),
        attempts: case.attempts,
        failure: None,
    };
    let is_analyzed = status == Status::Failed && budget.takes_failure();
    (clean, is_analyzed.then(|| budget.clean(engine, texts)))
}

/// Returns `true` if pytest ended with its exit code for no tests, which is reported in another way.
fn is_empty_pytest(params: &RecordRunParams) -> bool {
    params.runner.as_deref() == Some("pytest") && params.exit_code == Some(5)
}

/// Returns `true` if the command itself failed, regardless of its cases.
pub(crate) fn has_failed(params: &RecordRunParams) -> bool {
    params.exit_code.is_some_and(|code| code != 0) || params.signal.is_some() || params.timed_out
}

fn has_ended(params: &RecordRunParams) -> bool {
    params.interrupted || params.exit_code.is_some() || params.signal.is_some() || params.timed_out
}

/// Calls `on_case` for each case of a report. After an error, those cases must be discarded.
fn each_case(
    engine: &Engine,
    report: &ReportInput,
    on_case: &mut dyn FnMut(ReportCase),
) -> Result<Parsed, EngineError> {
    let inner = engine.reports.open(&report.path)?;
    let mut source = Capped { inner, left: u64::from(MAX_REPORT_BYTES), is_exceeded: false };
    let options = Options { name: report.path.clone(), project_root: engine.options.project_root.clone() };
    let parsed = argus_report::parse(&mut source, report.format, &options, &mut |case| on_case(case));
    if source.is_exceeded {
        return Err(too_large(&report.path));
    }
    parsed.map_err(|error| EngineError::new(ErrorCode::ReportUnreadable, format!("{error}.")))
}

impl Collected {
    /// Adds a case for the command itself if no other case explains its outcome.
    fn complete(mut self, engine: &Engine, params: &RecordRunParams) -> Self {
        // The reason is known, and tests that did not run are not failures.
        if params.interrupted {
            return self;
        }
        self.ran_no_tests =
            params.expects_tests && !params.timed_out && self.skipped.is_empty() && !self.has_ran(params);
        let explained = self.ran_no_tests && is_empty_pytest(params);
        // Failures before or because of a timeout do not explain the timeout.
        let unexplained = has_failed(params) && (self.candidates.is_empty() || params.timed_out) && !explained;
        if has_ended(params) && (unexplained || self.cases.is_empty() && !self.ran_no_tests) {
            self.add_command(engine, params);
        }
        self
    }

    /// Returns `true` if a test ran, or was skipped by its author rather than by a filter.
    fn has_ran(&self, params: &RecordRunParams) -> bool {
        self.cases.iter().any(|case| case.status != Status::Skipped || params.filter.is_none())
    }

    /// Adds a part that could not be read, redacted, because it can quote the report.
    fn skip(&mut self, engine: &Engine, problem: &Problem) {
        let clean = |text: &str| engine.analyzer.redact(text).into_string();
        self.skipped.push(Problem { at: clean(&problem.at), reason: clean(&problem.reason) });
    }

    fn add(
        &mut self,
        engine: &Engine,
        containers: &[ContainerFact],
        runner: Option<String>,
        case: Case,
        texts: Option<CleanTexts>,
    ) {
        let at = self.cases.len();
        let is_left_out = case.status == Status::Failed && texts.is_none();
        self.cases.push(if is_left_out { Case { failure: Some(Box::new(not_analyzed())), ..case } } else { case });
        if let Some(texts) = texts {
            let facts = FailureEvent { runner, ..FailureEvent::default() };
            self.conclude(engine, containers, facts, Raw { at, texts });
        }
    }

    /// Analyzes a failure and stores the texts, from which a diagnosis derives the same result.
    fn conclude(&mut self, engine: &Engine, containers: &[ContainerFact], facts: FailureEvent, raw: Raw) {
        let text = |text: Option<Redacted>| text.map(Redacted::into_string);
        let Some(case) = self.cases.get_mut(raw.at) else { return };
        let facts = FailureEvent { exception_type: text(raw.texts.kind), ..facts };
        let mut failure = Failure {
            category: argus_core::Category::Unknown,
            headline: String::new(),
            signature: String::new(),
            error: text(raw.texts.error),
            stdout_tail: text(raw.texts.stdout),
            stderr_tail: text(raw.texts.stderr),
            facts,
            verdict: None,
        };
        let mut analysis = engine.analyzer.analyze(lookup::event_of(&failure), &case.name);
        if containers::may_explain(analysis.classification.category)
            && let Some(fact) = containers::in_trouble(containers, &analysis.redacted)
        {
            containers::add(&mut failure.facts, fact, redacted(engine, fact.status.as_deref()));
            analysis = engine.analyzer.analyze(lookup::event_of(&failure), &case.name);
        }
        failure.category = analysis.classification.category;
        let sight = cause::describe_failure(engine, &analysis, &failure.facts, &case.name);
        failure.headline.clone_from(&sight.headline);
        failure.signature.clone_from(&analysis.signatures.exact);
        let facts = failure_facts(&case.name, failure.category, &analysis, &sight);
        if self.has_changed_files {
            let files = files_of_stack(&case.name, &analysis, &engine.options.project_root);
            self.stacks.entry(facts.case).or_default().extend(files);
        }
        self.failed.push(facts);
        case.failure = Some(Box::new(failure));
        self.candidates.add(BriefCandidate { at: raw.at, analysis, sight });
    }

    /// Adds a case that is named after the command. If it failed, its error is the end of the output.
    fn add_command(&mut self, engine: &Engine, params: &RecordRunParams) {
        let failed = has_failed(params);
        let at = self.cases.len();
        self.cases.push(Case {
            name: command_name(engine, params),
            status: if failed { Status::Failed } else { Status::Passed },
            flaky: false,
            runner_status: params.timed_out.then(|| "timedOut".to_owned()),
            duration_ms: params.duration_ms,
            attempts: 1,
            failure: None,
        });
        if failed {
            let facts = FailureEvent {
                exit_code: params.exit_code,
                signal: redacted(engine, params.signal.as_deref()),
                runner: self.facts.runner.clone(),
                ..FailureEvent::default()
            };
            let error = command_error(engine, params);
            let texts = self.budget.clean(engine, Texts { error, ..Texts::default() });
            let raw = Raw { at, texts };
            self.conclude(engine, &params.containers, facts, raw);
        }
    }
}

/// Failure of a case beyond `MAX_ANALYZED_FAILURES`. It has no signature, so verdicts ignore it.
fn not_analyzed() -> Failure {
    Failure {
        category: argus_core::Category::Unknown,
        headline: format!("Not analyzed, because more than {MAX_ANALYZED_FAILURES} tests failed in this run."),
        signature: String::new(),
        error: None,
        stdout_tail: None,
        stderr_tail: None,
        facts: FailureEvent::default(),
        verdict: None,
    }
}

/// Name of the case for the command itself.
pub(crate) fn command_name(engine: &Engine, params: &RecordRunParams) -> String {
    let name = params.command.as_deref().or(params.runner.as_deref()).unwrap_or("command");
    let name = params.folder.as_deref().map_or_else(|| name.to_owned(), |folder| format!("{folder}{SEPARATOR}{name}"));
    clean_name(engine, &name)
}

/// Error of the command from its output. A timeout is stated first, because the output does not mention it.
pub(crate) fn command_error(engine: &Engine, params: &RecordRunParams) -> Option<String> {
    let output = params.output_tail.as_deref().map(|output| engine.analyzer.redact_whole(output));
    let output = output.filter(|output| !output.trim_end().is_empty()).map(|output| salient_tail(output.trim_end()));
    if !params.timed_out {
        return output;
    }
    let limit = match (params.silent_ms, params.duration_ms) {
        (Some(millis), _) => format!(": it printed nothing for {:.0} ms", millis.max(0.0)),
        (None, Some(millis)) => format!(" after {:.0} ms", millis.max(0.0)),
        (None, None) => String::new(),
    };
    Some(format!("Command timed out{limit}\n{}", output.unwrap_or_default()).trim_end().to_owned())
}

fn redacted(engine: &Engine, text: Option<&str>) -> Option<String> {
    text.map(|text| engine.analyzer.redact(text).into_string())
}

const fn status(status: CaseStatus) -> Status {
    match status {
        CaseStatus::Passed => Status::Passed,
        CaseStatus::Failed => Status::Failed,
        CaseStatus::Skipped => Status::Skipped,
    }
}

fn too_large(path: &str) -> EngineError {
    let message = format!(
        "The report '{}' is larger than {} MiB. Split it, or report failures only.",
        text::quoted(path),
        MAX_REPORT_BYTES / 1024 / 1024
    );
    EngineError::new(ErrorCode::ReportTooLarge, message)
}

/// A reader that stops at a limit and records that it was exceeded.
struct Capped {
    inner: Box<dyn BufRead>,
    left: u64,
    is_exceeded: bool,
}

impl Read for Capped {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Capped {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let available = self.inner.fill_buf()?;
        if self.left == 0 && !available.is_empty() {
            self.is_exceeded = true;
            return Err(io::Error::new(ErrorKind::FileTooLarge, "larger than the cap"));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(available.len()).min(WINDOW_BYTES);
        Ok(&available[..most])
    }

    fn consume(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count as u64);
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::{Capped, WINDOW_BYTES};
    use std::io::{BufRead, BufReader, Read, repeat};

    #[test]
    fn capped_reads_in_windows_and_stops_at_the_limit() {
        let inner = Box::new(BufReader::with_capacity(WINDOW_BYTES * 4, repeat(b'x')));
        let mut capped = Capped { inner, left: WINDOW_BYTES as u64 + 10, is_exceeded: false };
        assert_eq!(capped.fill_buf().unwrap().len(), WINDOW_BYTES);
        let mut read = Vec::new();
        assert!(capped.read_to_end(&mut read).is_err());
        assert!(capped.is_exceeded && read.len() <= WINDOW_BYTES + 10);
        let mut exact = Capped { inner: Box::new(&b"four"[..]), left: 4, is_exceeded: false };
        assert_eq!(exact.read_to_end(&mut Vec::new()).unwrap(), 4);
        assert!(!exact.is_exceeded);
    }
}
