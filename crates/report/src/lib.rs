//! Test reports in, cases out: one streaming parser per format.
//!
//! ```
//! use argus_report::{CaseStatus, Options, parse};
//!
//! let xml = r#"<testsuite name="pytest"><testcase classname="tests.test_cart" name="test_total">
//!   <failure message="AssertionError: assert 3 == 4"/></testcase></testsuite>"#;
//! let mut cases = Vec::new();
//! let options = Options { name: "report.xml".into(), project_root: "/project".into() };
//! let parsed = parse(xml.as_bytes(), None, &options, &mut |case| cases.push(case)).unwrap();
//! assert_eq!(parsed.cases, 1);
//! assert_eq!(cases[0].qualified_name(), "tests/test_cart.py > test_total");
//! assert_eq!(cases[0].status, CaseStatus::Failed);
//! ```
//!
//! Messy input gives the readable cases plus problems; only a report of which nothing could be read is an error.
//! `argus-core` classifies and redacts.

mod cpp_frameworks;
mod detect;
mod error;
mod formats;
mod intake;
pub mod model;
mod paths;
mod reading;
mod retries;
pub mod tail;

use error::ReportErrorKind;
use formats::{ctrf, go_test, jest, junit, playwright, tap};
use intake::Intake;
use reading::input::Input;

pub use error::ReportError;
pub use model::{CaseStatus, ExecutionOrder, Format, Parsed, Place, Problem, ReportCase, SUITE_FAILURE};
pub use paths::{looks_like_file, relative as relative_path};

/// Context of a report that is not in its bytes.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the report file, used in problems and errors.
    pub name: String,
    /// Absolute path of the project. Files inside it are made relative to it.
    pub project_root: String,
}

/// Reads a report and passes each case to `sink` as soon as it is complete. With `format: None`, the format is detected
/// from the content.
pub fn parse<R: std::io::BufRead>(
    reader: R,
    format: Option<Format>,
    options: &Options,
    sink: &mut dyn FnMut(ReportCase),
) -> Result<Parsed, ReportError> {
    read(reader, format, options, sink).map_err(|kind| ReportError::new(&options.name, kind))
}

fn read<R: std::io::BufRead>(
    reader: R,
    format: Option<Format>,
    options: &Options,
    sink: &mut dyn FnMut(ReportCase),
) -> Result<Parsed, ReportErrorKind> {
    let (input, head) = Input::open(reader)?;
    let format = format.or_else(|| detect::format_of(&head.text)).ok_or(ReportErrorKind::Unrecognized)?;
    let mut intake = Intake::new(options, sink);
    match format {
        Format::Junit => junit::parse(input, &mut intake)?,
        Format::Jest => jest::parse(input, &mut intake)?,
        Format::Ctrf => ctrf::parse(input, &mut intake)?,
        Format::Playwright => playwright::parse(input, &mut intake)?,
        Format::GoTest => go_test::parse(input, &mut intake)?,
        Format::Tap => tap::parse(input, &mut intake)?,
    }
    Ok(intake.into_parsed(format))
}
