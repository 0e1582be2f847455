//! Turns reports and the outcome of the command into cases for the database: named, bounded, redacted and analyzed.

use super::{
    case_name::{CASE_NAME_SEPARATOR, clean_name},
    cause, containers,
    failure_selection::{FailureCandidate, FailureCandidates},
    failure_texts::{CleanFailureTexts, FailureTexts, TextBudget},
    known_names::KnownNames,
    read_reports::{ReportFacts, read_reports},
    recovered_errors,
};
use crate::{
    Engine, EngineError,
    contract::{ContainerFact, RecordRunParams},
    evidence::{
        changed_files::ChangedFiles,
        failure_facts::{build_failure_facts, stack_file_ids},
    },
    failures::lookup,
    limits::MAX_ANALYZED_FAILURES,
};
use argus_core::{FailureEvent, evidence, redact::RedactedText};
use argus_report::{CaseStatus, Problem, ReportCase, error_excerpt::extract_error_excerpt};
use argus_store::runs::cases::{Case, Failure, Status};

/// Code in the error of a run whose report is incomplete.
const REPORT_INCOMPLETE_CODE: &str = "REPORT_INCOMPLETE";

/// Name of the case that represents the missing part of a report.
const REPORT_CASE_NAME: &str = "(report)";

/// The cases of a run, and the data that the following steps need.
#[derive(Default)]
pub(crate) struct CollectedRun {
    pub(crate) cases: Vec<Case>,
    /// Failures that can be listed in the answer.
    pub(crate) candidates: FailureCandidates,
    pub(crate) skipped: Vec<Problem>,
    pub(crate) facts: ReportFacts,
    /// Set if there are reports, but no tests in them, for example because of a filter.
    pub(crate) has_empty_reports: bool,
    /// Set if tests were expected and none ran.
    pub(crate) ran_no_tests: bool,
    /// Set if the command failed and tests were reported, but none of them failed.
    pub(crate) only_command_failed: bool,
    /// Failures as evidence for the verdicts.
    pub(crate) failed: Vec<evidence::facts::Failure>,
    /// Files in the stacks of the failures, and changed files that the tests are named after, if the changed files are
    /// known.
    pub(crate) stacks: evidence::facts::StackFiles,
    /// None if the changed files are not known.
    changed_files: Option<ChangedFiles>,
    budget: TextBudget,
}

/// Index and texts of a failed case.
struct FailedCaseTexts {
    at: usize,
    texts: CleanFailureTexts,
}

/// Reads all reports. If no case explains the outcome of the command, adds a case for the command itself. `known`
/// completes the names of the cases.
pub(crate) fn collect_cases(
    engine: &Engine,
    params: &RecordRunParams,
    known: &KnownNames,
) -> Result<CollectedRun, EngineError> {
    let mut budget = TextBudget::default();
    let command = command_name(engine, params);
    let mut clean = |case: ReportCase| {
        let (case, texts) = clean_case(engine, &mut budget, case);
        // The case of the command is not a test.
        let name = if case.name == command { case.name } else { known.complete(case.name) };
        (Case { name, ..case }, texts)
    };
    let read = read_reports(engine, params, &mut clean);
    let has_empty_reports = read.has_no_tests(params);
    let prepared: Vec<_> = params.cases.iter().map(|case| (clean(case.clone()), case.runner.clone())).collect();
    let host_runner = params.runner.as_ref();
    let cases = (read.cases.into_iter().map(|(case, runner)| (case, host_runner.cloned().or(runner))))
        .chain(prepared.into_iter().map(|(case, runner)| (case, runner.or_else(|| host_runner.cloned()))));
    let runner = redact(engine, host_runner.or(read.facts.runner.as_ref()).map(String::as_str));
    let is_mixed = !params.cases.is_empty() && !params.reports.is_empty();
    let order_unknown = read.facts.order_unknown || params.order_unknown || is_mixed;
    let facts = ReportFacts { runner, order_unknown, ..read.facts };
    let changed_files = params.git.as_ref().and_then(ChangedFiles::collect);
    let mut all = CollectedRun { facts, has_empty_reports, changed_files, budget, ..CollectedRun::default() };
    let output = params.output_tail.as_deref();
    // pytest reports the interrupted test as passed.
    let is_certain = |case: &Case| case.status == Status::Failed || !params.interrupted;
    for ((case, texts), runner) in cases.filter(|((case, _), _)| is_certain(case)) {
        let texts = texts.map(|texts| recovered_errors::recover_error_from_output(engine, output, &case.name, texts));
        all.add(engine, &params.containers, redact(engine, runner.as_deref()), case, texts);
    }
    for problem in read.problems.iter().chain(&params.unread) {
        all.add_unread_part(engine, problem);
    }
    match read.first_error {
        Some(error) if all.cases.is_empty() && !has_command_ended(params) => Err(error),
        _ => Ok(all.add_missing_cases(engine, params)),
    }
}

/// Returns a case for the database, with its texts if it failed and is to be analyzed.
pub(crate) fn clean_case(
    engine: &Engine,
    budget: &mut TextBudget,
    case: ReportCase,
) -> (Case, Option<CleanFailureTexts>) {
    let (name, status) = (clean_name(engine, &case.qualified_name()), convert_status(case.status));
    let texts =
        FailureTexts { error: case.error, stdout: case.stdout_tail, stderr: case.stderr_tail, kind: case.error_type };
    let clean = Case {
        name,
        status,
        flaky: case.flaky && status != Status::Failed,
        runner_status: redact(engine, case.runner_status.as_deref()),
        duration_ms: case.duration_ms.filter(|millis| millis.is_finite()),
        attempts: case.attempts,
        failure: None,
    };
    let is_analyzed = status == Status::Failed && budget.count_failure();
    (clean, is_analyzed.then(|| budget.clean_texts(engine, texts)))
}

/// Returns `true` if pytest ended with its exit code for no tests, which is reported in another way.
fn is_pytest_without_tests(params: &RecordRunParams) -> bool {
    params.runner.as_deref() == Some("pytest") && params.exit_code == Some(5)
}

/// Returns `true` if the command itself failed, regardless of its cases.
pub(crate) fn has_failed(params: &RecordRunParams) -> bool {
    params.exit_code.is_some_and(|code| code != 0) || params.signal.is_some() || params.timed_out
}

fn has_command_ended(params: &RecordRunParams) -> bool {
    params.interrupted || params.exit_code.is_some() || params.signal.is_some() || params.timed_out
}

impl CollectedRun {
    /// Adds a case for the command itself if no other case explains its outcome.
    fn add_missing_cases(mut self, engine: &Engine, params: &RecordRunParams) -> Self {
        // An interruption explains the outcome, and tests that did not run are not failures.
        if params.interrupted {
            return self;
        }
        let missing = self.describe_missing_parts().or_else(|| self.describe_missing_counts(engine, params));
        self.ran_no_tests =
            params.expects_tests && !params.timed_out && missing.is_none() && !self.has_run_tests(params);
        let explained = self.ran_no_tests && is_pytest_without_tests(params);
        // Failures before or because of a timeout do not explain the timeout.
        let unexplained = has_failed(params) && (self.candidates.is_empty() || params.timed_out) && !explained;
        let is_unreported = self.cases.is_empty() && !self.ran_no_tests && missing.is_none();
        if has_command_ended(params) && (unexplained || is_unreported) {
            self.only_command_failed = unexplained && !self.cases.is_empty() && self.candidates.is_empty();
            self.add_command_case(engine, params);
        } else if let Some(error) = missing.filter(|_| !params.timed_out) {
            self.add_incomplete_report_case(engine, params, error);
        }
        self
    }

    /// Describes the missing parts of the reports, or returns `None` if the reports are complete.
    fn describe_missing_parts(&self) -> Option<String> {
        let part = |problem: &Problem| {
            let report = problem.at.rsplit(['/', '\\']).next().unwrap_or(&problem.at);
            // Line numbers can differ between runs, so they are removed.
            let is_line = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let report = report.rsplit_once(':').filter(|(_, line)| is_line(line)).map_or(report, |(name, _)| name);
            format!("{REPORT_INCOMPLETE_CODE}: {} ({report})", problem.reason.trim_end_matches('.'))
        };
        let parts: Vec<String> = self.skipped.iter().filter(|problem| problem.incomplete).map(part).collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    /// Describes the difference if the runner printed more tests or failures than the reports contain.
    fn describe_missing_counts(&self, engine: &Engine, params: &RecordRunParams) -> Option<String> {
        let printed = params.printed.as_ref()?;
        let (tests, failed) =
            (self.cases.len(), self.cases.iter().filter(|case| case.status == Status::Failed).count());
        let is_less = |count: usize, printed: u32| u32::try_from(count).is_ok_and(|count| count < printed);
        (is_less(tests, printed.tests) || is_less(failed, printed.failed)).then(|| {
            let summary = engine.analyzer.redact(&printed.summary).into_string();
            format!(
                "{REPORT_INCOMPLETE_CODE}: the runner printed '{summary}', but reported {tests} tests with {failed} failed"
            )
        })
    }

    /// Adds a failed case for a report of which a part is missing, because the missing tests may have failed.
    fn add_incomplete_report_case(&mut self, engine: &Engine, params: &RecordRunParams, error: String) {
        let at = self.cases.len();
        self.cases.push(build_whole_run_case(name_in_folder(engine, params, REPORT_CASE_NAME), Status::Failed));
        let texts = self.budget.clean_texts(engine, FailureTexts { error: Some(error), ..FailureTexts::default() });
        let facts = FailureEvent { runner: self.facts.runner.clone(), ..FailureEvent::default() };
        self.analyze_failure(engine, &params.containers, facts, FailedCaseTexts { at, texts });
    }

    /// Returns `true` if a test ran, or was skipped by its author rather than by a filter.
    fn has_run_tests(&self, params: &RecordRunParams) -> bool {
        self.cases.iter().any(|case| case.status != Status::Skipped || params.filter.is_none())
    }

    /// Adds a part that could not be read, redacted, because it can quote the report.
    fn add_unread_part(&mut self, engine: &Engine, problem: &Problem) {
        let clean = |text: &str| engine.analyzer.redact(text).into_string();
        self.skipped.push(Problem { at: clean(&problem.at), reason: clean(&problem.reason), ..*problem });
    }

    fn add(
        &mut self,
        engine: &Engine,
        containers: &[ContainerFact],
        runner: Option<String>,
        case: Case,
        texts: Option<CleanFailureTexts>,
    ) {
        let at = self.cases.len();
        let is_unanalyzed = case.status == Status::Failed && texts.is_none();
        self.cases.push(if is_unanalyzed {
            Case { failure: Some(Box::new(unanalyzed_failure())), ..case }
        } else {
            case
        });
        if let Some(texts) = texts {
            let facts = FailureEvent { runner, ..FailureEvent::default() };
            self.analyze_failure(engine, containers, facts, FailedCaseTexts { at, texts });
        }
    }

    /// Analyzes a failure and stores the texts, from which a diagnosis derives the same result.
    fn analyze_failure(
        &mut self,
        engine: &Engine,
        containers: &[ContainerFact],
        facts: FailureEvent,
        raw: FailedCaseTexts,
    ) {
        let text = |text: Option<RedactedText>| text.map(RedactedText::into_string);
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
        let mut analysis = engine.analyzer.analyze(lookup::rebuild_event(&failure), &case.name);
        if containers::may_explain(analysis.classification.category)
            && let Some(fact) = containers::find_failed_container(containers, &analysis.redacted)
        {
            containers::add_container_facts(&mut failure.facts, fact, redact(engine, fact.status.as_deref()));
            analysis = engine.analyzer.analyze(lookup::rebuild_event(&failure), &case.name);
        }
        failure.category = analysis.classification.category;
        let summary = cause::describe_failure(engine, &analysis, &failure.facts, &case.name);
        failure.headline.clone_from(&summary.headline);
        failure.signature.clone_from(&analysis.signatures.signature);
        let facts = build_failure_facts(&case.name, failure.category, &analysis, &summary);
        if let Some(changed_files) = &self.changed_files {
            let files = self.stacks.entry(facts.case).or_default();
            files.extend(stack_file_ids(&case.name, &analysis, &engine.options.project_root));
            files.extend(changed_files.subjects_of(&case.name));
        }
        self.failed.push(facts);
        case.failure = Some(Box::new(failure));
        self.candidates.add(FailureCandidate { at: raw.at, analysis, summary });
    }

    /// Adds a case that is named after the command. If it failed, its error is the end of the output.
    fn add_command_case(&mut self, engine: &Engine, params: &RecordRunParams) {
        let failed = has_failed(params);
        let at = self.cases.len();
        self.cases.push(Case {
            runner_status: params.timed_out.then(|| "timedOut".to_owned()),
            duration_ms: params.duration_ms,
            ..build_whole_run_case(command_name(engine, params), if failed { Status::Failed } else { Status::Passed })
        });
        if failed {
            let facts = FailureEvent {
                exit_code: params.exit_code,
                signal: redact(engine, params.signal.as_deref()),
                runner: self.facts.runner.clone(),
                ..FailureEvent::default()
            };
            let error = command_error(engine, params);
            let texts = self.budget.clean_texts(engine, FailureTexts { error, ..FailureTexts::default() });
            let raw = FailedCaseTexts { at, texts };
            self.analyze_failure(engine, &params.containers, facts, raw);
        }
    }
}

/// Returns the failure of a case beyond `MAX_ANALYZED_FAILURES`. It has no signature, so verdicts ignore it.
fn unanalyzed_failure() -> Failure {
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

/// Returns the name of the case for the command itself.
pub(crate) fn command_name(engine: &Engine, params: &RecordRunParams) -> String {
    name_in_folder(engine, params, params.command.as_deref().or(params.runner.as_deref()).unwrap_or("command"))
}

/// Returns the name of a case that is in no report, prefixed with the folder of the run.
fn name_in_folder(engine: &Engine, params: &RecordRunParams, name: &str) -> String {
    let name = params
        .folder
        .as_deref()
        .map_or_else(|| name.to_owned(), |folder| format!("{folder}{CASE_NAME_SEPARATOR}{name}"));
    clean_name(engine, &name)
}

/// Creates a case for the whole run.
const fn build_whole_run_case(name: String, status: Status) -> Case {
    Case { name, status, flaky: false, runner_status: None, duration_ms: None, attempts: 1, failure: None }
}

/// Returns the error of the command from its output. A timeout is stated first, because the output does not mention it.
pub(crate) fn command_error(engine: &Engine, params: &RecordRunParams) -> Option<String> {
    let output = params.output_tail.as_deref().map(|output| engine.analyzer.redact_without_limit(output));
    let output =
        output.filter(|output| !output.trim_end().is_empty()).map(|output| extract_error_excerpt(output.trim_end()));
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

fn redact(engine: &Engine, text: Option<&str>) -> Option<String> {
    text.map(|text| engine.analyzer.redact(text).into_string())
}

const fn convert_status(status: CaseStatus) -> Status {
    match status {
        CaseStatus::Passed => Status::Passed,
        CaseStatus::Failed => Status::Failed,
        CaseStatus::Skipped => Status::Skipped,
    }
}
