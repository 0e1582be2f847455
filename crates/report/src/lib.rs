//! Reads test reports and returns their cases, with a streaming parser for each format.
//!
//! ```
//! use argus_report::{CaseStatus, Options, parse};
//!
//! let xml = r#"<testsuite name="pytest"><testcase classname="tests.test_cart" name="test_total">
//!   <failure message="AssertionError: assert 3 == 4"/></testcase></testsuite>"#;
//! let mut cases = Vec::new();
//! let options = Options { name: "report.xml".into(), project_root: "/project".into(), decoders: None };
//! let parsed = parse(xml.as_bytes(), None, &options, &mut |case| cases.push(case)).unwrap();
//! assert_eq!(parsed.cases, 1);
//! assert_eq!(cases[0].qualified_name(), "tests/test_cart.py > test_total");
//! assert_eq!(cases[0].status, CaseStatus::Failed);
//! ```
//!
//! A damaged report gives the readable cases and problems. An error is returned only if nothing could be read.
//! `argus-core` classifies and redacts the errors of the cases.

mod cpp_frameworks;
mod detect;
mod error;
pub mod error_excerpt;
mod formats;
mod intake;
pub mod model;
mod paths;
mod reading;
mod retries;

use error::ReportErrorKind;
use formats::{
    allure, bazel, catch2, ctest, ctrf, cucumber, cucumber_messages, dart, go_test, googletest, jest, junit, libtest,
    mocha, nunit, playwright, robot, rspec, tap, trx, xcresult, xunit,
};
use intake::Intake;
use reading::input::Input;

pub use error::ReportError;
pub use model::{
    CasePosition, CaseStatus, ExecutionOrder, ParsedReport, Problem, ReportCase, ReportFormat, SUITE_FAILURE_NAME,
};
pub use paths::{looks_like_file, relative_path};
pub use reading::input::{Decoder, OpenDecoder};

/// Options for reading a report.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the report file, used in problems and errors.
    pub name: String,
    /// Absolute path of the project. Files inside it are made relative to it.
    pub project_root: String,
    /// Decoders for encodings that a report declares. Without them, every byte above 127 of such a report is replaced.
    pub decoders: Option<OpenDecoder>,
}

/// Reads a report and passes each case to `sink` as soon as it is complete. With `format: None`, the format is detected
/// from the content.
pub fn parse<R: std::io::BufRead>(
    reader: R,
    format: Option<ReportFormat>,
    options: &Options,
    sink: &mut dyn FnMut(ReportCase),
) -> Result<ParsedReport, ReportError> {
    read(reader, format, options, sink).map_err(|kind| ReportError::new(&options.name, kind))
}

fn read<R: std::io::BufRead>(
    reader: R,
    format: Option<ReportFormat>,
    options: &Options,
    sink: &mut dyn FnMut(ReportCase),
) -> Result<ParsedReport, ReportErrorKind> {
    let (input, head) = Input::open(reader, options.decoders)?;
    let format = format.or_else(|| detect::detect_format(&head.text)).ok_or(ReportErrorKind::Unrecognized)?;
    let mut intake = Intake::new(options, sink);
    match format {
        ReportFormat::Junit => junit::parse(input, &mut intake)?,
        ReportFormat::Jest => jest::parse(input, &mut intake)?,
        ReportFormat::Ctrf => ctrf::parse(input, &mut intake)?,
        ReportFormat::Playwright => playwright::parse(input, &mut intake)?,
        ReportFormat::GoTest => go_test::parse(input, &mut intake)?,
        ReportFormat::Tap => tap::parse(input, &mut intake)?,
        ReportFormat::Trx => trx::parse(input, &mut intake)?,
        ReportFormat::Xunit => xunit::parse(input, &mut intake)?,
        ReportFormat::Nunit => nunit::parse(input, &mut intake)?,
        ReportFormat::Rspec => rspec::parse(input, &mut intake)?,
        ReportFormat::Mocha => mocha::parse(input, &mut intake)?,
        ReportFormat::Libtest => libtest::parse(input, &mut intake)?,
        ReportFormat::Ctest => ctest::parse(input, &mut intake)?,
        ReportFormat::Dart => dart::parse(input, &mut intake)?,
        ReportFormat::Cucumber => cucumber::parse(input, &mut intake)?,
        ReportFormat::CucumberMessages => cucumber_messages::parse(input, &mut intake)?,
        ReportFormat::Robot => robot::parse(input, &mut intake)?,
        ReportFormat::Googletest => googletest::parse(input, &mut intake)?,
        ReportFormat::Catch2 => catch2::parse(input, &mut intake)?,
        ReportFormat::Allure => allure::parse(input, &mut intake)?,
        ReportFormat::Bazel => bazel::parse(input, &mut intake)?,
        ReportFormat::Xcresult => xcresult::parse(input, &mut intake)?,
    }
    Ok(intake.into_parsed(format))
}
