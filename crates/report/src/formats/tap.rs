//! Test Anything Protocol 13 and 14 (<https://testanything.org>), with subtests in the style of node:test and node-tap,
//! and the flat assertions of tape.
//!
//! A diagnostic block is not parsed as YAML: only its top-level keys are separated, and their values are kept as text.

mod diagnostic;
mod line;
mod uncaught;

use std::io::BufRead;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase, SUITE_FAILURE_NAME},
    paths,
    reading::{
        bounded_text::{self, BoundedText},
        input::{self, Input},
    },
};

use diagnostic::Diagnostic;
use line::{Directive, TapLine, TestLine};
use uncaught::UncaughtErrors;

/// Maximum length of a line.
const MAX_LINE_BYTES: usize = 64 * 1024;
/// Subtests are rarely nested more than a few levels.
const MAX_DEPTH: usize = 64;

/// Reads a TAP stream to its end.
pub(crate) fn parse<R: BufRead>(mut input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut tap = Tap::default();
    let mut line = String::new();
    loop {
        line.clear();
        match read_line(&mut input, &mut line) {
            Ok(false) => break,
            Ok(true) => tap.line(line.trim_end_matches(['\r', '\n']), intake),
            Err(error) => {
                intake.add_problem(Some(tap.number), format!("reading stopped: {error}"));
                break;
            }
        }
    }
    tap.finish(intake)?;
    match intake.runner.as_deref() {
        Some("node:test") => intake.keep_order_of_single_file(),
        _ => intake.order = ExecutionOrder::AsReported,
    }
    intake.report_replaced_bytes(input.replacement_count());
    Ok(())
}

/// Reads a line and keeps at most [`MAX_LINE_BYTES`] bytes of it. Returns false at the end.
fn read_line<R: BufRead>(source: &mut Input<R>, line: &mut String) -> std::io::Result<bool> {
    let mut any = false;
    loop {
        let chunk = source.fill_buf()?;
        if chunk.is_empty() {
            return Ok(any);
        }
        any = true;
        let end = memchr::memchr(b'\n', chunk).map(|at| at + 1);
        let length = end.unwrap_or(chunk.len());
        let room = MAX_LINE_BYTES.saturating_sub(line.len()).min(length);
        let text = input::text(&chunk[..length]);
        line.push_str(&text[..text.floor_char_boundary(room)]);
        source.consume(length);
        if end.is_some() {
            return Ok(true);
        }
    }
}

/// A test point whose diagnostic block may still follow.
struct TestPoint {
    test: TestLine,
    depth: usize,
    /// True if the point represents subtests that came before it.
    container: bool,
    child_failed: bool,
    comments: BoundedText,
    diagnostic: Option<Diagnostic>,
}

impl TestPoint {
    /// Returns true for a file whose process failed, if the point gives no reason.
    fn has_no_reason(&self) -> bool {
        let has_no_reason = |diagnostic: &Diagnostic| {
            diagnostic.value("error").as_deref() == Some("test failed") || diagnostic.ending().is_some()
        };
        self.test.failed() && self.diagnostic.as_ref().is_some_and(has_no_reason)
    }
}

#[derive(Default)]
struct Tap {
    number: u64,
    points: u64,
    planned: Option<u64>,
    top: u64,
    /// Names of open subtests by depth, from `# Subtest:`.
    names: Vec<Option<String>>,
    /// For each depth: were there test points since the parent's last point, and did any of them fail?
    seen: Vec<(bool, bool)>,
    current: Option<TestPoint>,
    in_block: bool,
    uncaught: UncaughtErrors,
    /// True for tape, where a comment is a test and the points are its assertions.
    tape: Option<bool>,
    group: Option<(String, Assertions)>,
    heading: Option<String>,
    /// Assertions by the depth of their subtest.
    assertions_by_depth: Vec<Assertions>,
}

/// Points of a subtest that are not separate tests, for example the assertions of node-tap and Perl.
#[derive(Default)]
struct Assertions {
    count: u64,
    failed: bool,
    error: Option<String>,
    error_type: Option<String>,
}

impl Assertions {
    fn add(&mut self, point: TestPoint) {
        let mut assertion = ReportCase::new(point.test.name.clone(), point.test.status());
        self.count += 1;
        add_diagnostics(&mut assertion, point);
        if assertion.status == CaseStatus::Failed {
            self.failed = true;
            let error = assertion.error.unwrap_or(assertion.name);
            let texts: Vec<String> = self.error.take().into_iter().chain([error]).collect();
            self.error = bounded_text::bound_error(&texts.join("\n\n"));
            self.error_type = self.error_type.take().or(assertion.error_type);
        }
    }
}

impl Tap {
    fn line(&mut self, raw: &str, intake: &mut Intake<'_>) {
        self.number += 1;
        if self.in_block && self.read_block_line(raw) {
            return;
        }
        match line::read(raw) {
            TapLine::Plan { depth, count } => {
                self.flush(intake);
                self.tape = self.tape.or(Some(false));
                if depth == 0 {
                    self.planned = Some(count);
                }
            }
            TapLine::Subtest { depth, name } => {
                self.flush(intake);
                self.tape = Some(false);
                self.open_subtest(depth, name);
            }
            TapLine::Comment(comment) => self.comment(comment, intake),
            TapLine::Test { depth, test } => {
                self.flush(intake);
                self.test(depth.min(MAX_DEPTH), test);
            }
            TapLine::BlockStart => {
                if let Some(point) = &mut self.current {
                    point.diagnostic = Some(Diagnostic::default());
                    self.in_block = true;
                }
            }
            TapLine::BailOut(reason) => {
                self.flush(intake);
                intake.add_remark(Some(self.number), format!("the run was bailed out: {reason}"));
                intake.emit_case(ReportCase::suite_failure(None, Some(format!("Bail out! {reason}"))));
            }
            TapLine::Version | TapLine::Other => {}
        }
    }

    /// Handles a line of a YAML block. Returns false if the block had ended without its end mark.
    fn read_block_line(&mut self, raw: &str) -> bool {
        if raw.trim() == "..." {
            self.in_block = false;
            return true;
        }
        if raw.starts_with("ok ") || raw.starts_with("not ok ") {
            self.in_block = false;
            return false;
        }
        if let Some(diagnostic) = self.current.as_mut().and_then(|point| point.diagnostic.as_mut()) {
            diagnostic.push(raw);
        }
        true
    }

    fn open_subtest(&mut self, depth: usize, name: String) {
        let depth = depth.min(MAX_DEPTH);
        self.names.resize(depth, None);
        self.names.push(Some(name));
    }

    /// Handles a comment: a diagnostic of bats or Perl after a failed point, or the next test of tape.
    fn comment(&mut self, comment: &str, intake: &mut Intake<'_>) {
        self.uncaught.comment(comment.strip_prefix(' ').unwrap_or(comment));
        if self.tape.is_none() && self.points == 0 {
            self.heading = Some(comment.trim().to_owned());
            return;
        }
        if self.tape == Some(true) {
            self.flush(intake);
            if self.planned.is_none() {
                self.close_group(intake);
                self.heading = Some(comment.trim().to_owned());
            }
            return;
        }
        let bare = |point: &&mut TestPoint| !point.test.ok && point.diagnostic.is_none();
        if let Some(point) = self.current.as_mut().filter(bare) {
            point.comments.push_str(comment.strip_prefix(' ').unwrap_or(comment));
            point.comments.push_str("\n");
        }
    }

    fn test(&mut self, depth: usize, test: TestLine) {
        self.points += 1;
        self.top += u64::from(depth == 0);
        // A comment before the first test and no plan mean tape. All other producers write the plan first or name
        // subtests.
        let tape = *self.tape.get_or_insert(self.heading.is_some() && depth == 0);
        if tape && self.group.is_none() {
            let name = self.heading.take().unwrap_or_else(|| test.name.clone());
            self.group = Some((name, Assertions::default()));
        }
        self.seen.resize(self.seen.len().max(depth + 2), (false, false));
        let (container, child_failed) = std::mem::take(&mut self.seen[depth + 1]);
        self.seen[depth + 2..].fill((false, false));
        self.seen[depth].0 = true;
        self.move_name_up(depth, &test.name);
        self.current =
            Some(TestPoint { test, depth, container, child_failed, comments: BoundedText::error(), diagnostic: None });
    }

    /// Moves a name one level up, because Perl indents `# Subtest:` as deep as the points of the subtest.
    fn move_name_up(&mut self, depth: usize, own: &str) {
        let (Some(above), Some(here)) = (depth.checked_sub(1), self.names.get(depth)) else { return };
        if self.names.get(above).is_some_and(Option::is_none) && here.as_deref().is_some_and(|name| name != own) {
            self.names[above] = self.names[depth].take();
        }
    }

    /// Completes the current point.
    fn flush(&mut self, intake: &mut Intake<'_>) {
        self.in_block = false;
        let Some(point) = self.current.take() else { return };
        if self.tape == Some(true) {
            if let Some((_, assertions)) = &mut self.group {
                assertions.add(point);
            }
            return;
        }
        if point.diagnostic.as_ref().is_some_and(|diagnostic| diagnostic.value("failureType").is_some()) {
            intake.runner = Some("node:test".to_owned());
        }
        let header = self.names.get_mut(point.depth).filter(|name| name.as_deref() == Some(&point.test.name));
        let named = header.map(Option::take).is_some();
        if point.container {
            self.close_container(point, intake);
        } else if named || point.depth == 0 || point.test.directive.is_some() || self.enclosing(&point).is_none() {
            self.seen[point.depth].1 |= point.test.failed();
            let path = self.path(&point);
            let case = self.case_with_reason(point, path, intake);
            intake.emit_case(case);
        } else {
            let depth = point.depth - 1;
            self.assertions_by_depth.resize_with(self.assertions_by_depth.len().max(depth + 1), Assertions::default);
            self.assertions_by_depth[depth].add(point);
        }
    }

    /// Returns the subtest that contains a point without its own name.
    fn enclosing(&self, point: &TestPoint) -> Option<&String> {
        self.names.get(point.depth.checked_sub(1)?)?.as_ref()
    }

    /// Handles a point that represents its subtests. It becomes a case only if it has its own assertions or failed by
    /// itself.
    fn close_container(&mut self, point: TestPoint, intake: &mut Intake<'_>) {
        let own = self.assertions_by_depth.get_mut(point.depth).map(std::mem::take).unwrap_or_default();
        self.seen[point.depth].1 |= point.test.failed();
        let path = self.path(&point);
        if own.count > 0 {
            let explained = point.child_failed;
            let case = if own.failed {
                let case = Self::case(point, path, intake);
                ReportCase { status: CaseStatus::Failed, error: own.error, error_type: own.error_type, ..case }
            } else if explained {
                ReportCase { status: CaseStatus::Passed, error: None, ..Self::case(point, path, intake) }
            } else {
                self.case_with_reason(point, path, intake)
            };
            intake.emit_case(case);
            return;
        }
        let diagnostic = point.diagnostic.as_ref();
        let hook =
            diagnostic.is_some_and(|diagnostic| diagnostic.value("failureType").as_deref() == Some("hookFailed"));
        if point.test.failed() && (hook || !point.child_failed) {
            let mut suite = path;
            suite.push(point.test.name.clone());
            let mut case = self.case_with_reason(point, suite, intake);
            SUITE_FAILURE_NAME.clone_into(&mut case.name);
            intake.emit_case(case);
        }
    }

    /// Names of the subtests around a point.
    fn path(&self, point: &TestPoint) -> Vec<String> {
        self.names.iter().take(point.depth).flatten().cloned().collect()
    }

    /// Creates a case. If the point gives no reason, the error that Node printed is used.
    fn case_with_reason(&mut self, point: TestPoint, suite: Vec<String>, intake: &Intake<'_>) -> ReportCase {
        let reason = point.has_no_reason().then(|| self.uncaught.take(&point.test.name)).flatten();
        let mut case = Self::case(point, suite, intake);
        case.error = reason.or(case.error);
        case
    }

    fn case(point: TestPoint, mut suite: Vec<String>, intake: &Intake<'_>) -> ReportCase {
        let named_file = suite.first().is_some_and(|first| paths::looks_like_file(first));
        let mut file = named_file.then(|| suite.remove(0)).and_then(|path| intake.file(&path));
        let mut case = ReportCase::new(point.test.name.clone(), point.test.status());
        // The point represents a whole file.
        if suite.is_empty() && file.is_none() && case.name.contains(['/', '\\']) && paths::looks_like_file(&case.name) {
            file = intake.file(&case.name);
            SUITE_FAILURE_NAME.clone_into(&mut case.name);
        }
        case.file = file;
        case.suite = suite;
        add_diagnostics(&mut case, point);
        case
    }

    /// Completes the current test of tape.
    fn close_group(&mut self, intake: &mut Intake<'_>) {
        let Some((name, own)) = self.group.take() else { return };
        let status = if own.failed { CaseStatus::Failed } else { CaseStatus::Passed };
        intake.emit_case(ReportCase { error: own.error, error_type: own.error_type, ..ReportCase::new(name, status) });
    }

    fn finish(mut self, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
        self.flush(intake);
        self.close_group(intake);
        if self.points == 0 && self.planned.is_none() && intake.cases() == 0 {
            let reason = "it has no test line and no plan".to_owned();
            return Err(ReportErrorKind::Malformed { format: "tap", reason });
        }
        let problem = match self.planned {
            None => Some("the report ends early: it has no plan".to_owned()),
            Some(planned) if planned != self.top => {
                Some(format!("{planned} tests were planned, {} reported", self.top))
            }
            Some(_) => None,
        };
        if let Some(problem) = problem {
            intake.add_problem(Some(self.number), problem);
        }
        if self.tape == Some(true) {
            intake.runner = Some("tape".to_owned());
        }
        Ok(())
    }
}

impl TestLine {
    fn failed(&self) -> bool {
        self.status() == CaseStatus::Failed
    }

    fn status(&self) -> CaseStatus {
        match (&self.directive, self.ok) {
            (Some(Directive::Skip | Directive::Todo), _) => CaseStatus::Skipped,
            (_, true) => CaseStatus::Passed,
            (_, false) => CaseStatus::Failed,
        }
    }
}

/// Adds duration and error from the diagnostics of a point.
fn add_diagnostics(case: &mut ReportCase, point: TestPoint) {
    let diagnostic = point.diagnostic.unwrap_or_default();
    let millis = || diagnostic.value("duration_ms").and_then(|value| value.parse().ok());
    case.duration_ms = point.test.duration_ms.or_else(millis);
    case.runner_status = (point.test.directive == Some(Directive::Todo)).then(|| "todo".to_owned());
    if case.status != CaseStatus::Failed {
        return;
    }
    let word = diagnostic.value("failureType");
    case.runner_status = word.filter(|word| word != "testCodeFailure" && word != "subtestsFailed");
    case.error_type = diagnostic.exception();
    let comments = point.comments.finish();
    let error = diagnostic.into_error(&point.test.name);
    case.error = match (error, comments) {
        (Some(error), Some(comments)) => bounded_text::bound_error(&format!("{error}\n{comments}")),
        (error, comments) => error.or(comments),
    };
}
