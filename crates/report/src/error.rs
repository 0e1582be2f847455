//! Errors for reports from which nothing could be read. If a report was read in part, [`crate::Problem`]s describe the
//! rest.

/// An error for a report from which nothing could be read.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {kind}")]
pub struct ReportError {
    name: String,
    kind: ReportErrorKind,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportErrorKind {
    #[error("the report is empty. Did the test command write it? Run the tests again and import the new file")]
    Empty,
    #[error("this is a binary file, not a test report. Point to the report file the runner wrote")]
    Binary,
    #[error(
        "not a test report of a known format (junit, ctrf, jest, playwright, tap, go-test, trx, xunit, nunit, rspec, \
         mocha, libtest, ctest, dart, cucumber, cucumber-messages, robot, googletest, catch2, allure, bazel, xcresult). \
         Point to the report file, or name its format"
    )]
    Unrecognized,
    #[error("no test could be read as {format}: {reason}. Check the format and that the report was written to its end")]
    Malformed { format: &'static str, reason: String },
    #[error("the report cannot be read: {0}")]
    Io(#[source] std::io::Error),
}

impl ReportError {
    pub(crate) fn new(name: &str, kind: ReportErrorKind) -> Self {
        Self { name: name.to_owned(), kind }
    }

    /// Returns the stable code of this error, for answers to agents.
    pub fn code(&self) -> &'static str {
        "REPORT_UNREADABLE"
    }

    /// The report contains only white space.
    pub fn is_empty(&self) -> bool {
        matches!(self.kind, ReportErrorKind::Empty)
    }

    /// The report is binary.
    pub fn is_binary(&self) -> bool {
        matches!(self.kind, ReportErrorKind::Binary)
    }

    /// The report is text, but no format was recognized.
    pub fn is_unrecognized(&self) -> bool {
        matches!(self.kind, ReportErrorKind::Unrecognized)
    }

    /// Reading from the source failed.
    pub fn is_io(&self) -> bool {
        matches!(self.kind, ReportErrorKind::Io(_))
    }
}
