//! Receives cases and problems from all parsers. It guarantees the same limits for every format: bounded texts,
//! distinct names and a limited number of problems.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use argus_core::display::strip_escapes;

use crate::{
    Options,
    model::{CaseStatus, ExecutionOrder, ParsedReport, Problem, ReportCase, ReportFormat, SUITE_FAILURE_NAME},
    paths,
    reading::bounded_text,
};

/// Problems above this number are only counted.
const MAX_PROBLEMS: usize = 50;

/// Tolerance in milliseconds, because the durations of cases are rounded.
const ROUNDING_TOLERANCE_MS: f64 = 50.0;

/// Maximum length of a version in characters.
const MAX_VERSION_CHARS: usize = 40;

/// Collects the results of a parser.
pub(crate) struct Intake<'a> {
    options: &'a Options,
    sink: &'a mut dyn FnMut(ReportCase),
    problems: Vec<Problem>,
    unnamed_problems: u64,
    is_incomplete: bool,
    cases: u64,
    failed_cases: u64,
    /// Number of failures that the report claims, and number of failures that it lists. A case may have several listed
    /// failures.
    claimed_failures: u64,
    listed_failures: u64,
    /// Number of cases per qualified name, by hash. It takes 16 bytes per case.
    seen: HashMap<u64, u32>,
    numbered: u64,
    /// Total duration of all cases in milliseconds.
    case_ms: f64,
    /// Number of executed cases without a start time.
    undated: u64,
    has_start_times: bool,
    first_file: Option<u64>,
    has_several_files: bool,
    /// How to derive the order of execution, as far as the runner provides it.
    pub(crate) order: ExecutionOrder,
    /// Start of the run, UTC milliseconds.
    pub(crate) started_at: Option<i64>,
    /// Wall-clock duration of the run in milliseconds.
    pub(crate) duration_ms: Option<f64>,
    /// Name of the runner, if the report contains it.
    pub(crate) runner: Option<String>,
    runner_version: Option<String>,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(options: &'a Options, sink: &'a mut dyn FnMut(ReportCase)) -> Self {
        Self {
            options,
            sink,
            problems: Vec::new(),
            unnamed_problems: 0,
            is_incomplete: false,
            cases: 0,
            failed_cases: 0,
            claimed_failures: 0,
            listed_failures: 0,
            seen: HashMap::new(),
            numbered: 0,
            case_ms: 0.0,
            undated: 0,
            has_start_times: false,
            first_file: None,
            has_several_files: false,
            order: ExecutionOrder::Unknown,
            started_at: None,
            duration_ms: None,
            runner: None,
            runner_version: None,
        }
    }

    pub(crate) fn cases(&self) -> u64 {
        self.cases
    }

    pub(crate) fn has_runner_version(&self) -> bool {
        self.runner_version.is_some()
    }

    pub(crate) fn failed_cases(&self) -> u64 {
        self.failed_cases
    }

    /// Formats a source path for cases: with `/`, and relative to the project if it is inside.
    pub(crate) fn file(&self, path: &str) -> Option<String> {
        paths::relative_path(path, &self.options.project_root)
    }

    /// Assigns the position in the report to a case that is emitted later.
    pub(crate) fn assign_position(&mut self, case: &mut ReportCase) {
        if case.place.number == 0 {
            clean_names(case);
            self.numbered += 1;
            let count = self.seen.entry(hash_name(case)).or_insert(0);
            *count += 1;
            case.place.number = self.numbered;
            case.place.occurrence = *count;
        }
    }

    /// Passes a case to the sink. A second case with the same name gets the suffix ` (2)`, because two tests must not
    /// share a history.
    pub(crate) fn emit_case(&mut self, mut case: ReportCase) {
        self.assign_position(&mut case);
        self.note_order(&case);
        if case.place.occurrence > 1 {
            case.name = format!("{} ({})", case.name, case.place.occurrence);
        }
        self.cases += 1;
        if case.status == CaseStatus::Failed {
            self.failed_cases += 1;
        }
        (self.sink)(case);
    }

    /// Notes the number of failures that the report claims.
    pub(crate) fn record_claimed_failures(&mut self, count: Option<f64>) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast to an integer saturates")]
        let count = count.unwrap_or(0.0) as u64;
        self.claimed_failures = self.claimed_failures.max(count);
    }

    /// Notes a listed failure, for formats that may list several per case.
    pub(crate) const fn record_listed_failure(&mut self) {
        self.listed_failures += 1;
    }

    fn note_order(&mut self, case: &ReportCase) {
        if case.status == CaseStatus::Skipped {
            return;
        }
        self.case_ms += case.duration_ms.unwrap_or(0.0);
        // A failure outside any test, for example of a build, needs no start time.
        self.undated += u64::from(case.place.started_at.is_none() && case.name != SUITE_FAILURE_NAME);
        self.has_start_times |= case.place.started_at.is_some();
        let mut hasher = DefaultHasher::new();
        case.file.hash(&mut hasher);
        let file = hasher.finish();
        self.has_several_files |= *self.first_file.get_or_insert(file) != file;
    }

    /// Returns true if any case has a start time.
    pub(crate) const fn has_start_times(&self) -> bool {
        self.has_start_times
    }

    /// Sets the order for runners that run files in parallel and report them in another order. The order is known only
    /// if the report has a single file.
    pub(crate) fn keep_order_of_single_file(&mut self) {
        self.order = if self.has_several_files { ExecutionOrder::Unknown } else { ExecutionOrder::AsReported };
    }

    /// Returns the order of execution. If the durations of the cases add up to more than the run, the cases ran in
    /// parallel and have no order.
    fn determine_order(&self) -> ExecutionOrder {
        let is_parallel = self.duration_ms.is_some_and(|whole| self.case_ms > whole * 1.05 + ROUNDING_TOLERANCE_MS);
        match self.order {
            ExecutionOrder::AsReported if is_parallel => ExecutionOrder::Unknown,
            ExecutionOrder::ByStart | ExecutionOrder::ByStartInUnits if self.undated > 0 => ExecutionOrder::Unknown,
            order => order,
        }
    }

    /// Notes that a part of the report is missing or could not be read, so a failure may be missing too.
    pub(crate) fn add_problem(&mut self, line: Option<u64>, reason: impl Into<String>) {
        self.is_incomplete = true;
        self.note(line, reason.into(), true);
    }

    /// Notes an error in the report that hides no test, for example undecodable bytes in captured output.
    pub(crate) fn add_remark(&mut self, line: Option<u64>, reason: impl Into<String>) {
        self.note(line, reason.into(), false);
    }

    /// Notes how many invalid characters were replaced by U+FFFD.
    pub(crate) fn report_replaced_bytes(&mut self, count: u64) {
        if count > 0 {
            self.add_remark(None, format!("{count} invalid characters were replaced"));
        }
    }

    fn note(&mut self, line: Option<u64>, reason: String, incomplete: bool) {
        if self.problems.len() >= MAX_PROBLEMS {
            self.unnamed_problems += 1;
            return;
        }
        let name = &self.options.name;
        let at = line.map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
        self.problems.push(Problem { at, reason, incomplete });
    }

    /// Notes a start time; the earliest is kept. Times near the epoch are ignored, because jest-junit writes them for
    /// broken files.
    pub(crate) fn record_start(&mut self, at: Option<i64>) {
        let at = at.filter(|at| *at > 86_400_000);
        self.started_at = match (self.started_at, at) {
            (Some(known), Some(at)) => Some(known.min(at)),
            (known, at) => known.or(at),
        };
    }

    /// Notes the version of the runner. Text that does not look like a version is ignored.
    pub(crate) fn record_runner_version(&mut self, version: Option<String>) {
        let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '+' | '_');
        let is_version = |text: &String| {
            text.len() <= MAX_VERSION_CHARS
                && text.starts_with(|char: char| char.is_ascii_digit())
                && text.chars().all(is_part)
        };
        // Node writes its version with a leading `v`.
        let version = version.map(|text| text.strip_prefix('v').map_or_else(|| text.clone(), str::to_owned));
        self.runner_version = version.filter(is_version).or_else(|| self.runner_version.take());
    }

    /// Returns the result after the whole report was read. If there were more than `MAX_PROBLEMS` problems, the last
    /// problem has the number of the others.
    pub(crate) fn into_parsed(self, format: ReportFormat) -> ParsedReport {
        let order = self.determine_order();
        let mut problems = self.problems;
        // Reported only for a complete report, because a missing part explains missing failures.
        let listed = self.listed_failures.max(self.failed_cases);
        if !self.is_incomplete && self.claimed_failures > listed {
            let reason = format!("the report counts {} failures and lists {listed}", self.claimed_failures);
            problems.push(Problem { at: self.options.name.clone(), reason, incomplete: true });
        }
        if self.unnamed_problems > 0 {
            let reason = format!("{} more problems", self.unnamed_problems);
            problems.push(Problem { at: self.options.name.clone(), reason, incomplete: self.is_incomplete });
        }
        ParsedReport {
            format,
            cases: self.cases,
            problems,
            started_at: self.started_at,
            duration_ms: self.duration_ms,
            runner: self.runner,
            runner_version: self.runner_version,
            order,
        }
    }
}

fn hash_name(case: &ReportCase) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&case.file, &case.suite, &case.name).hash(&mut hasher);
    hasher.finish()
}

/// Makes names single-line, trimmed and bounded, and gives unnamed tests a name.
pub(crate) fn clean_names(case: &mut ReportCase) {
    case.name = clean_name(std::mem::take(&mut case.name));
    if case.name.is_empty() {
        "(unnamed)".clone_into(&mut case.name);
    }
    case.file = case.file.take().map(clean_name).filter(|file| !file.is_empty());
    case.suite =
        std::mem::take(&mut case.suite).into_iter().map(clean_name).filter(|suite| !suite.is_empty()).collect();
    if case.status != CaseStatus::Skipped {
        case.attempts = case.attempts.max(1);
    }
    // Rounds to microseconds, because smaller digits are conversion noise, and removes the sign of a negative zero.
    let duration = case.duration_ms.filter(|duration| duration.is_finite() && *duration >= 0.0);
    case.duration_ms = duration.map(|duration| (duration * 1000.0).round().abs() / 1000.0);
}

fn clean_name(name: String) -> String {
    // Names keep no colors, because a run without a terminal has none.
    let name = match bounded_text::restore_escapes(&name) {
        restored if restored.contains('\u{1b}') => strip_escapes(&restored),
        _ => name,
    };
    let name = if name.contains(['\n', '\r']) { name.split_whitespace().collect::<Vec<_>>().join(" ") } else { name };
    let trimmed = name.trim();
    let name = if trimmed.len() == name.len() { name } else { trimmed.to_owned() };
    bounded_text::bound_name(name)
}
