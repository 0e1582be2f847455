//! TRX, the result file of `VSTest` (`dotnet test --logger trx`) and `MSTest`.
//!
//! Source: `vstst.xsd` in the folder `Xml/Schemas` of Visual Studio, and the TRX logger of
//! <https://github.com/microsoft/vstest>.
//! `TestRun > Results > UnitTestResult` has the name as displayed and the outcome. `TestDefinitions > UnitTest` has the
//! class and comes after the results, so cases wait for it. The result of a data-driven test contains the results of
//! its rows in `InnerResults`; the rows are the cases. `ResultSummary` has the counts and, in `RunInfo`, errors outside
//! any test, for example of a test host that crashed. xUnit also writes a `RunInfo` for each failed test.

use std::{collections::HashMap, io::BufRead};

use crate::{
    error::ReportErrorKind,
    intake::Intake,
    model::{CaseStatus, ExecutionOrder, ReportCase},
    reading::{
        bounded_text,
        input::Input,
        units,
        xml::{
            Tag,
            walk::{ElementHandler, walk},
        },
    },
};

/// Maximum total size of the texts of waiting cases. Cases beyond it are named without their class.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;

/// Reads a TRX report to its end.
pub(crate) fn parse<R: BufRead>(input: Input<R>, intake: &mut Intake<'_>) -> Result<(), ReportErrorKind> {
    let mut trx = Trx::default();
    walk(input, &mut trx, intake)?;
    trx.release(intake);
    let has_ended_badly =
        trx.outcome.as_deref().is_some_and(|outcome| !matches!(outcome, "Completed" | "Passed" | "Warning"));
    if has_ended_badly && trx.failed == 0 {
        let outcome = || trx.outcome.as_deref().map(|outcome| format!("The run ended as {outcome}."));
        let error = if trx.errors.is_empty() { outcome() } else { Some(trx.errors.join("\n")) };
        intake.emit_case(ReportCase::suite_failure(None, error));
    }
    intake.record_claimed_failures(Some(trx.counted));
    intake.order = ExecutionOrder::ByStart;
    Ok(())
}

#[derive(Default)]
struct Trx {
    /// Open results from the outside in.
    open: Vec<Open>,
    waiting: Vec<(Option<String>, ReportCase)>,
    bytes: usize,
    /// Id of the test whose definition is open.
    test: Option<String>,
    /// Classes by the id of their test.
    classes: HashMap<String, String>,
    failed: u64,
    counted: f64,
    outcome: Option<String>,
    has_error: bool,
    errors: Vec<String>,
}

/// A result that is being read.
struct Open {
    test: Option<String>,
    case: ReportCase,
    message: Option<String>,
    stack: Option<String>,
    has_rows: bool,
}

impl ElementHandler for Trx {
    const FORMAT: &'static str = "trx";
    const ROOTS: &'static [&'static str] = &["TestRun"];
    const TEXTS: &'static [&'static str] = &["Message", "StackTrace", "StdOut", "StdErr", "Text"];

    fn open(&mut self, tag: &Tag, _: &str, intake: &mut Intake<'_>) {
        match tag.name() {
            // `GenericTestResult`, `ManualTestResult` and others have the same attributes.
            name if name.ends_with("TestResult") => self.open_result(tag),
            "UnitTest" => self.test = tag.text("id"),
            "TestMethod" => {
                if let Some((test, class)) = self.test.take().zip(tag.text("className")) {
                    // MSTest writes the assembly after the class.
                    let class = class.split(',').next().unwrap_or_default().trim().to_owned();
                    self.classes.insert(test, class);
                }
            }
            "Times" => intake.record_start(tag.text("start").and_then(|text| units::parse_timestamp(&text))),
            "ResultSummary" => self.outcome = tag.text("outcome"),
            "Counters" => {
                let count = |name| tag.text(name).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
                self.counted = count("failed") + count("error") + count("timeout") + count("aborted");
            }
            "RunInfo" => self.has_error = tag.text("outcome").as_deref() == Some("Error"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str, parent: &str, text: Option<String>, intake: &mut Intake<'_>) {
        match (name, self.open.last_mut()) {
            (name, Some(_)) if name.ends_with("TestResult") => self.close_result(intake),
            ("Message", Some(open)) => open.message = text,
            ("StackTrace", Some(open)) => open.stack = text,
            ("StdOut", Some(open)) => open.case.stdout_tail = text,
            ("StdErr", Some(open)) => open.case.stderr_tail = text,
            ("Text", None) if parent == "RunInfo" && self.has_error => self.errors.extend(text),
            _ => {}
        }
    }
}

impl Trx {
    fn open_result(&mut self, tag: &Tag) {
        if let Some(outer) = self.open.last_mut() {
            outer.has_rows = true;
        }
        let outcome = tag.text("outcome");
        let mut case = ReportCase::new(tag.text("testName").unwrap_or_default(), parse_status(outcome.as_deref()));
        case.runner_status = outcome.filter(|word| !matches!(word.as_str(), "Passed" | "Failed" | "NotExecuted"));
        case.duration_ms = tag.text("duration").and_then(|text| units::parse_time_span(&text));
        case.place.started_at = tag.text("startTime").and_then(|text| units::parse_timestamp(&text));
        let test = tag.text("testId");
        self.open.push(Open { test, case, message: None, stack: None, has_rows: false });
    }

    fn close_result(&mut self, intake: &mut Intake<'_>) {
        let Some(mut open) = self.open.pop() else { return };
        if open.has_rows {
            return;
        }
        if open.case.status == CaseStatus::Failed {
            self.failed += 1;
            open.case.error = bounded_text::join_message(open.message.as_deref(), open.stack.as_deref());
        }
        intake.assign_position(&mut open.case);
        let texts = [&open.case.error, &open.case.stdout_tail, &open.case.stderr_tail];
        self.bytes += texts.into_iter().flatten().map(String::len).sum::<usize>();
        self.waiting.push((open.test, open.case));
        if self.bytes > MAX_WAITING_BYTES {
            self.release(intake);
        }
    }

    fn release(&mut self, intake: &mut Intake<'_>) {
        self.bytes = 0;
        for (test, mut case) in std::mem::take(&mut self.waiting) {
            let class = test.and_then(|test| self.classes.get(&test).cloned());
            (case.suite, case.name) = split_class_and_name(class, &case.name);
            intake.emit_case(case);
        }
    }
}

/// Statuses by `TestOutcome` of `vstst.xsd`. A missing outcome must not hide a failure.
fn parse_status(outcome: Option<&str>) -> CaseStatus {
    match outcome {
        Some("Passed" | "Warning" | "Completed" | "PassedButRunAborted") => CaseStatus::Passed,
        Some("NotExecuted" | "Inconclusive" | "Pending") => CaseStatus::Skipped,
        _ => CaseStatus::Failed,
    }
}

/// Splits the class from a full name of .NET such as `Shop.CartTests.Adds(a: 1.5)`. Displayed names have no class.
pub(super) fn split_class_and_name(class: Option<String>, name: &str) -> (Vec<String>, String) {
    let class = class.or_else(|| {
        let method = name.split('(').next().unwrap_or(name);
        let class = method.rsplit_once('.')?.0;
        (!class.contains(char::is_whitespace)).then(|| class.to_owned())
    });
    let Some(class) = class else { return (Vec::new(), name.to_owned()) };
    let own = name.strip_prefix(class.as_str()).and_then(|rest| rest.strip_prefix('.')).filter(|own| !own.is_empty());
    let own = own.unwrap_or(name).to_owned();
    (vec![class], own)
}
