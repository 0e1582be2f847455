//! JUnit XML in all its dialects.
//!
//! Cases are emitted as soon as they are complete. Failed cases wait for the end of their suite, because retries are
//! combined there ([`held_cases`]) and the suite's output is known then. [`naming`] implements how each dialect names
//! its tests.

mod dialect;
mod elements;
mod held_cases;
mod naming;
mod node_test;
mod playwright;

use std::io::BufRead;

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    reading::{
        bounded_text::BoundedText,
        input::Input,
        units,
        xml::{Tag, Token, XmlReader},
    },
};

use dialect::Dialect;
use elements::{Element, FailedAttempt, FailedAttemptKind, OpenCase};
use held_cases::HeldCases;

pub(crate) use elements::is_exception;

/// Suites are rarely nested more than a few levels. Elements below this depth are skipped.
const MAX_DEPTH: usize = 256;

/// The property with the version of the runner. JUnit dialects have no other place for it.
const RUNNER_VERSION: &str = "runner.version";

/// Reads a JUnit report to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut reader = XmlReader::new(input);
    let mut junit = Junit::new(intake);
    loop {
        let line = reader.line();
        match reader.next() {
            Ok(Token::Open(tag)) => junit.open(tag, line),
            Ok(Token::Close(name)) => junit.close(name, line),
            Ok(Token::Text(text)) => junit.text(text),
            Ok(Token::End) => break,
            Err(error) => {
                junit.intake.add_problem(Some(line), format!("reading stopped: {error}"));
                break;
            }
        }
        while let Some(fault) = reader.take_fault() {
            junit.intake.add_remark(Some(line), fault);
        }
    }
    let replaced = reader.replaced();
    let line = reader.line();
    junit.finish(line, replaced)
}

/// A `testsuite`, or the outermost `testsuites`.
#[derive(Debug, Default)]
pub(crate) struct Suite {
    name: String,
    file: Option<String>,
    hostname: Option<String>,
    /// UTC milliseconds.
    started_at: Option<i64>,
    output: Option<BoundedText>,
    errors: Option<BoundedText>,
    /// Index of this suite's first failed case in the window.
    first: usize,
    /// A failure of the suite itself, outside any case.
    failed_attempt: Option<FailedAttempt>,
}

struct Junit<'i, 'a> {
    intake: &'i mut Intake<'a>,
    dialect: Dialect,
    elements: Vec<Element>,
    /// Number of open elements below the maximum depth.
    too_deep: u64,
    suites: Vec<Suite>,
    case: Option<OpenCase>,
    window: HeldCases,
    /// Sum of the times of the outermost suites, for reports whose root has no time.
    suite_time: Option<f64>,
    /// Number of failures that the outermost suites claim.
    counted_failures: f64,
    has_root: bool,
}

impl<'i, 'a> Junit<'i, 'a> {
    fn new(intake: &'i mut Intake<'a>) -> Self {
        Self {
            intake,
            dialect: Dialect::Unknown,
            elements: Vec::new(),
            too_deep: 0,
            suites: Vec::new(),
            case: None,
            window: HeldCases::default(),
            suite_time: None,
            counted_failures: 0.0,
            has_root: false,
        }
    }

    fn open(&mut self, tag: &Tag, line: u64) {
        if self.elements.len() >= MAX_DEPTH {
            if self.too_deep == 0 {
                self.intake.add_problem(Some(line), format!("elements nested deeper than {MAX_DEPTH} are skipped"));
            }
            self.too_deep += 1;
            return;
        }
        let inside = self.elements.last().copied();
        let element = Element::from_name(tag.name(), inside);
        match element {
            Element::Suites | Element::Suite => self.open_suite(tag, element),
            Element::Case => self.open_case(tag, line),
            Element::Property => self.detect_from_property(tag),
            Element::FailedAttempt(kind) => self.open_failed_attempt(tag, kind),
            Element::Skipped => {
                if let Some(case) = &mut self.case {
                    case.skip(tag);
                }
            }
            Element::Output | Element::Errors | Element::Text | Element::Other => {}
        }
        self.elements.push(element);
    }

    fn detect_from_property(&mut self, tag: &Tag) {
        self.dialect.detect_from_property(tag);
        if tag.attribute("name").as_deref() == Some(RUNNER_VERSION) {
            self.intake.record_runner_version(tag.attribute("value"));
        }
    }

    fn open_suite(&mut self, tag: &Tag, element: Element) {
        self.has_root = true;
        self.dialect.detect_from_suite(tag, element == Element::Suites);
        let started_at = tag.text("timestamp").and_then(|text| units::parse_timestamp(&text));
        self.intake.record_start(started_at);
        let time = tag.text("time").and_then(|text| units::parse_seconds(&text));
        if self.suites.is_empty() {
            self.intake.duration_ms = time;
        } else if self.suites.len() == 1 {
            self.suite_time = add_optional(self.suite_time, time);
        }
        if element == Element::Suite && !self.elements.contains(&Element::Suite) {
            let count = |name| tag.text(name).and_then(|text| text.trim().parse::<f64>().ok()).unwrap_or(0.0);
            let (failures, errors) = (count("failures"), count("errors"));
            // Web Test Runner counts each failed test as both.
            self.counted_failures += if failures.total_cmp(&errors).is_eq() { failures } else { failures + errors };
            self.intake.record_claimed_failures(Some(self.counted_failures));
        }
        self.window.emit_held_case(self.intake);
        let file = tag.text("file").or_else(|| tag.text("filepath"));
        self.suites.push(Suite {
            name: if element == Element::Suites { String::new() } else { tag.attribute("name").unwrap_or_default() },
            file: file.or_else(|| self.suites.last().and_then(|suite| suite.file.clone())),
            hostname: tag.text("hostname"),
            started_at: started_at.or(self.suites.last().and_then(|suite| suite.started_at)),
            first: self.window.len(),
            ..Suite::default()
        });
    }

    fn open_case(&mut self, tag: &Tag, line: u64) {
        if self.case.is_some() {
            self.intake.add_remark(Some(line), "a test case is nested in another test case, which is closed first");
            self.close_case();
        }
        self.has_root = true;
        self.case = Some(OpenCase::new(tag));
    }

    fn open_failed_attempt(&mut self, tag: &Tag, kind: FailedAttemptKind) {
        let failed_attempt = FailedAttempt::new(tag, kind);
        // Surefire counts every attempt.
        self.intake.record_listed_failure();
        if let Some(case) = &mut self.case {
            case.failed_attempts.push(failed_attempt);
        } else if let Some(suite) = self.suites.last_mut() {
            suite.failed_attempt = Some(failed_attempt);
        }
    }

    fn text(&mut self, text: &str) {
        let Some(&element) = self.elements.last() else { return };
        match element {
            Element::FailedAttempt(_) | Element::Text => {
                let suite = self.suites.last_mut().and_then(|suite| suite.failed_attempt.as_mut());
                let failed_attempt = self.case.as_mut().map_or(suite, |case| case.failed_attempts.last_mut());
                // White space before Surefire's `stackTrace` is layout.
                if let Some(failed_attempt) =
                    failed_attempt.filter(|failed_attempt| !(failed_attempt.body.is_empty() && text.trim().is_empty()))
                {
                    failed_attempt.body.push_str(text);
                }
            }
            Element::Output | Element::Errors => self.output(text, element == Element::Errors),
            Element::Skipped
            | Element::Suites
            | Element::Suite
            | Element::Case
            | Element::Property
            | Element::Other => {}
        }
    }

    /// Adds output to the open case, or to the suite if no case is open.
    fn output(&mut self, text: &str, errors: bool) {
        let slot = match (&mut self.case, self.suites.last_mut()) {
            (Some(case), _) if errors => &mut case.errors,
            (Some(case), _) => &mut case.output,
            (None, Some(suite)) if errors => &mut suite.errors,
            (None, Some(suite)) => &mut suite.output,
            (None, None) => return,
        };
        slot.get_or_insert_with(BoundedText::output).push_str(text);
    }

    fn close(&mut self, name: &str, line: u64) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let Some(depth) = self.elements.iter().rposition(|element| element.closes_with(name)) else {
            self.intake.add_problem(Some(line), "an end tag without its start tag is ignored");
            return;
        };
        if depth + 1 < self.elements.len() {
            self.intake.add_problem(Some(line), "an element is not closed before its parent is");
        }
        while self.elements.len() > depth {
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        match self.elements.pop() {
            Some(Element::Case) => self.close_case(),
            Some(Element::Suites | Element::Suite) => self.close_suite(),
            _ => {}
        }
    }

    fn close_case(&mut self) {
        let Some(open) = self.case.take() else { return };
        let suite = self.suites.last().map_or("", |suite| suite.name.as_str());
        self.dialect.detect_from_case(&open, suite, self.suites.len());
        let case = naming::finish(open, &self.suites, self.dialect, self.intake);
        self.window.push(case, self.dialect, self.intake);
    }

    fn close_suite(&mut self) {
        self.window.emit_held_case(self.intake);
        let Some(mut suite) = self.suites.pop() else { return };
        if let Some(failed_attempt) = suite.failed_attempt.take() {
            let case = naming::suite_failure(failed_attempt, &suite, &self.suites, self.dialect, self.intake);
            self.window.push_failed(case, self.intake);
        }
        self.window.close_suite(&mut suite, self.dialect, self.intake);
    }

    fn finish(mut self, line: u64, replaced: u64) -> Result<(), ReportErrorKind> {
        if !self.has_root {
            let reason = "it has no testsuite element".to_owned();
            return Err(ReportErrorKind::Malformed { format: "junit", reason });
        }
        if !self.elements.is_empty() {
            self.intake.add_problem(Some(line), "the report ends early; only its complete part was read");
        }
        // A case that was cut off before its failure would count as passed.
        if self.case.as_ref().is_some_and(|case| case.failed_attempts.is_empty()) {
            self.case = None;
        }
        while !self.elements.is_empty() {
            self.close_last();
        }
        self.window.emit_held_case(self.intake);
        self.intake.report_replaced_bytes(replaced);
        self.intake.duration_ms = self.intake.duration_ms.or(self.suite_time);
        self.intake.runner = self.dialect.runner().map(str::to_owned);
        self.dialect.record_order(self.intake);
        Ok(())
    }
}

fn add_optional(sum: Option<f64>, more: Option<f64>) -> Option<f64> {
    match (sum, more) {
        (Some(sum), Some(more)) => Some(sum + more),
        (sum, more) => sum.or(more),
    }
}
