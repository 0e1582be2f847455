//! Reports and command outcome in, cases fit for storing out: named, bounded, redacted, analyzed.
//! Does not: write.

use crate::{
    Engine, EngineError, ErrorCode, containers,
    contract::{ContainerFact, RecordRunParams, ReportInput},
    lookup, matching, text,
};
use argus_core::{Analysis, FailureEvent, bound, display};
use argus_report::{CaseStatus, Options, Parsed, Problem, ReportCase, tail::salient_tail};
use argus_store::cases::{Case, Failure, Status};
use std::io::{self, BufRead, ErrorKind, Read};

/// A report larger than this is refused.
const REPORT_CAP: u64 = 256 * 1024 * 1024;

/// A parser may look at all that is buffered with each step, so no source may show it more than this.
const WINDOW: usize = 64 * 1024;

/// An error text of this size is kept whole.
const ERROR: usize = 32 * 1024;

/// Of each output stream of a failed case.
const OUTPUT: usize = 8 * 1024;

/// A run may keep this much text of its failures; once it is used up, each further one keeps little.
const RUN_BUDGET: usize = 64 * 1024 * 1024;
const OVER_BUDGET: usize = 2 * 1024;

/// A case name is a key; longer ones are cut.
const NAME: usize = 2 * 1024;

/// What the reports and the command come to.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) cases: Vec<Case>,
    /// Of failed cases by index, the first few.
    pub(crate) briefs: Vec<(usize, Analysis)>,
    pub(crate) skipped: Vec<Problem>,
    pub(crate) runner: Option<String>,
    pub(crate) started_at: Option<i64>,
    pub(crate) duration_ms: Option<f64>,
    /// There are reports, but no test in them: a filter may have left none.
    pub(crate) has_empty_reports: bool,
    budget: TextBudget,
}

/// Raw texts of a failed case until its report is read to the end and names its runner.
struct Raw {
    at: usize,
    error: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
    kind: Option<String>,
}

/// How many failures an answer lists.
pub(crate) const LISTED: usize = 20;

/// Reads all reports; where the command ended and no case tells why, adds a case that does.
pub(crate) fn collect<D>(engine: &Engine<D>, params: &RecordRunParams) -> Result<Collected, EngineError> {
    let mut all = Collected { runner: params.runner.clone(), ..Collected::default() };
    let mut refused = None;
    for report in &params.reports {
        match read(engine, params, report, &mut all) {
            Ok(()) => {}
            Err(error) => {
                all.skipped.push(Problem { at: report.path.clone(), reason: error.message.clone() });
                refused.get_or_insert(error);
            }
        }
    }
    let raw = params.cases.iter().filter_map(|case| all.add(engine, case.clone())).collect();
    all.analyze(engine, &params.containers, params.runner.as_deref(), raw);
    all.skipped.extend(params.unread.iter().cloned());
    match refused {
        Some(error) if all.cases.is_empty() && !has_ended(params) => Err(error),
        _ => Ok(all.complete(engine, params)),
    }
}
/// The command itself failed, whatever its cases say.
pub(crate) fn has_failed(params: &RecordRunParams) -> bool {
    params.exit_code.is_some_and(|code| code != 0) || params.signal.is_some() || params.timed_out
}

fn has_ended(params: &RecordRunParams) -> bool {
    params.exit_code.is_some() || params.signal.is_some() || params.timed_out
}

fn read<D>(
    engine: &Engine<D>,
    params: &RecordRunParams,
    report: &ReportInput,
    all: &mut Collected,
) -> Result<(), EngineError> {
    let before = all.cases.len();
    let mut raw = Vec::new();
    match each_case(engine, report, &mut |case| raw.extend(all.add(engine, case))) {
        Ok(parsed) => {
            all.note(&parsed);
            let runner = params.runner.clone().or_else(|| parsed.runner.clone());
            all.analyze(engine, &params.containers, runner.as_deref(), raw);
            all.skipped.extend(parsed.problems);
            Ok(())
        }
        Err(error) => {
            all.cases.truncate(before);
            Err(error)
        }
    }
}

/// Hands out the cases of a report; after an error those that were handed out do not count.
pub(crate) fn each_case<D>(
    engine: &Engine<D>,
    report: &ReportInput,
    on_case: &mut dyn FnMut(ReportCase),
) -> Result<Parsed, EngineError> {
    let mut source = Capped { inner: engine.reports.open(&report.path)?, left: REPORT_CAP, is_exceeded: false };
    let options = Options { name: report.path.clone(), project_root: engine.options.project_root.clone() };
    let parsed = argus_report::parse(&mut source, report.format, &options, &mut |case| on_case(case));
    if source.is_exceeded {
        return Err(too_large(&report.path));
    }
    parsed.map_err(|error| EngineError::new(ErrorCode::ReportUnreadable, format!("{error}.")))
}

/// What texts a run may still keep.
#[derive(Default)]
pub(crate) struct TextBudget {
    used: usize,
}

impl TextBudget {
    /// Cuts the texts of a case to what is left.
    pub(crate) fn cut(&mut self, case: &mut ReportCase) {
        let is_spent = self.used >= RUN_BUDGET;
        let (error, output) = if is_spent { (OVER_BUDGET, OVER_BUDGET) } else { (ERROR, OUTPUT) };
        let keep = |text: &mut Option<String>, cut: &dyn Fn(&str) -> String| {
            *text = text.as_deref().map(cut);
            text.as_ref().map_or(0, String::len)
        };
        self.used += keep(&mut case.error, &|text| bound::bound_to(text, error).into_owned());
        self.used += keep(&mut case.stdout_tail, &|text| bound::tail(text, output).to_owned());
        self.used += keep(&mut case.stderr_tail, &|text| bound::tail(text, output).to_owned());
    }
}

impl Collected {
    /// With the command's own case where nothing else tells why it ended as it did.
    fn complete<D>(mut self, engine: &Engine<D>, params: &RecordRunParams) -> Self {
        self.has_empty_reports = self.cases.is_empty() && self.skipped.is_empty() && !params.reports.is_empty();
        if has_ended(params) && (self.cases.is_empty() || (has_failed(params) && self.briefs.is_empty())) {
            self.add_command(engine, params);
        }
        self
    }

    fn note(&mut self, parsed: &Parsed) {
        self.runner = self.runner.take().or_else(|| parsed.runner.clone());
        self.started_at = [self.started_at, parsed.started_at].into_iter().flatten().min();
        self.duration_ms = match (self.duration_ms, parsed.duration_ms) {
            (Some(sum), Some(more)) => Some(sum + more),
            (sum, more) => sum.or(more),
        };
    }

    fn add<D>(&mut self, engine: &Engine<D>, case: ReportCase) -> Option<Raw> {
        let mut case = case;
        self.budget.cut(&mut case);
        let (name, status) = (case_name(engine, &case.qualified_name()), status(case.status));
        let at = self.cases.len();
        self.cases.push(Case {
            name,
            status,
            flaky: case.flaky && status != Status::Failed,
            runner_status: case.runner_status,
            duration_ms: case.duration_ms.filter(|millis| millis.is_finite()),
            attempts: case.attempts,
            failure: None,
        });
        let ReportCase { error, stdout_tail: stdout, stderr_tail: stderr, error_type: kind, .. } = case;
        (status == Status::Failed).then_some(Raw { at, error, stdout, stderr, kind })
    }

    fn analyze<D>(&mut self, engine: &Engine<D>, containers: &[ContainerFact], runner: Option<&str>, raw: Vec<Raw>) {
        for raw in raw {
            let facts = FailureEvent { runner: runner.map(ToOwned::to_owned), ..FailureEvent::default() };
            self.conclude(engine, containers, facts, raw);
        }
    }

    /// Redacts, concludes, and keeps what diagnose will conclude again from the stored form.
    fn conclude<D>(&mut self, engine: &Engine<D>, containers: &[ContainerFact], facts: FailureEvent, raw: Raw) {
        let redact = |text: Option<String>| text.map(|text| engine.analyzer.redact(&text));
        let Some(case) = self.cases.get_mut(raw.at) else { return };
        let facts = FailureEvent { exception_type: redact(raw.kind), ..facts };
        let mut failure = Failure {
            category: argus_core::Category::Unknown,
            headline: String::new(),
            signature: String::new(),
            error: redact(raw.error),
            stdout_tail: redact(raw.stdout),
            stderr_tail: redact(raw.stderr),
            facts,
        };
        let mut analysis = engine.analyzer.analyze(lookup::event_of(&failure), &case.name);
        if containers::may_explain(analysis.classification.category)
            && let Some(fact) = containers::in_trouble(containers, &analysis.redacted)
        {
            containers::add(&mut failure.facts, fact);
            analysis = engine.analyzer.analyze(lookup::event_of(&failure), &case.name);
        }
        failure.category = analysis.classification.category;
        failure.headline = matching::headline(&analysis, &failure.facts);
        failure.signature.clone_from(&analysis.signatures.exact);
        case.failure = Some(Box::new(failure));
        if self.briefs.len() < LISTED {
            self.briefs.push((raw.at, analysis));
        }
    }

    /// One case named after the command; when it failed, the end of its output is the error.
    fn add_command<D>(&mut self, engine: &Engine<D>, params: &RecordRunParams) {
        let failed = has_failed(params);
        let name = params.command.as_deref().or(params.runner.as_deref()).unwrap_or("command");
        let at = self.cases.len();
        self.cases.push(Case {
            name: case_name(engine, name),
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
                signal: params.signal.clone(),
                runner: self.runner.clone(),
                ..FailureEvent::default()
            };
            let error = command_error(params).map(|error| bound::bound_to(&error, ERROR).into_owned());
            let raw = Raw { at, error, stdout: None, stderr: None, kind: None };
            self.conclude(engine, &params.containers, facts, raw);
        }
    }
}

/// Where the command's output says what went wrong; that its time was over is said first, for nothing else in the text says it.
fn command_error(params: &RecordRunParams) -> Option<String> {
    let output = params.output_tail.as_deref().map(str::trim_end).filter(|output| !output.is_empty());
    let output = output.map(salient_tail);
    if !params.timed_out {
        return output;
    }
    let limit = params.duration_ms.map(|millis| format!(" after {:.0} ms", millis.max(0.0))).unwrap_or_default();
    Some(format!("Command timed out{limit}\n{}", output.unwrap_or_default()).trim_end().to_owned())
}

/// The one form of a case name, for storing and for looking up.
pub(crate) fn case_name<D>(engine: &Engine<D>, name: &str) -> String {
    // Redacted first: half a secret looks like none.
    display::line(&engine.analyzer.redact(&display::line(name, usize::MAX)), NAME)
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
        REPORT_CAP / 1024 / 1024
    );
    EngineError::new(ErrorCode::ReportTooLarge, message)
}

/// Stops a reader at the cap and remembers that it did.
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
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(available.len()).min(WINDOW);
        Ok(&available[..most])
    }

    fn consume(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count as u64);
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::{Capped, WINDOW};
    use std::io::{BufRead, BufReader, Read, repeat};

    #[test]
    fn a_source_is_shown_in_windows_and_stopped_at_the_cap() {
        let inner = Box::new(BufReader::with_capacity(WINDOW * 4, repeat(b'x')));
        let mut capped = Capped { inner, left: WINDOW as u64 + 10, is_exceeded: false };
        assert_eq!(capped.fill_buf().unwrap().len(), WINDOW);
        let mut read = Vec::new();
        assert!(capped.read_to_end(&mut read).is_err());
        assert!(capped.is_exceeded && read.len() <= WINDOW + 10);
        let mut exact = Capped { inner: Box::new(&b"four"[..]), left: 4, is_exceeded: false };
        assert_eq!(exact.read_to_end(&mut Vec::new()).unwrap(), 4);
        assert!(!exact.is_exceeded);
    }
}
