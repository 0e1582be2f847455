//! The elements of a JUnit report, and the data of a test case. `naming` creates the name of a case, because it depends
//! on the dialect.

use super::node_test;
use crate::reading::{
    bounded_text::{self, BoundedText},
    units,
    xml::Tag,
};

/// The kind of an element, from its name and its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Suites,
    Suite,
    Case,
    FailedAttempt(FailedAttemptKind),
    Skipped,
    Output,
    Errors,
    Property,
    /// Text inside a failure: Surefire's `stackTrace`, or markup that should have been escaped.
    Text,
    Other,
}

/// The attempt that an error belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailedAttemptKind {
    Failure,
    Error,
    /// A failed attempt before a passed attempt.
    Flaky,
    /// A further failed attempt.
    Rerun,
}

impl Element {
    pub(super) fn from_name(name: &str, inside: Option<Element>) -> Self {
        match (name, inside) {
            // The output of an earlier attempt is not the output of the case, which belongs to the last attempt.
            ("system-out" | "system-err", Some(Self::FailedAttempt(_))) | (_, Some(Self::Output | Self::Errors)) => {
                Self::Other
            }
            (_, Some(Self::FailedAttempt(_) | Self::Text)) => Self::Text,
            ("testsuites", _) => Self::Suites,
            ("testsuite", _) => Self::Suite,
            ("testcase", _) => Self::Case,
            ("failure", _) => Self::FailedAttempt(FailedAttemptKind::Failure),
            ("error", _) => Self::FailedAttempt(FailedAttemptKind::Error),
            ("flakyFailure" | "flakyError", _) => Self::FailedAttempt(FailedAttemptKind::Flaky),
            ("rerunFailure" | "rerunError", _) => Self::FailedAttempt(FailedAttemptKind::Rerun),
            ("skipped" | "disabled", Some(Self::Case)) => Self::Skipped,
            ("system-out", _) => Self::Output,
            ("system-err", _) => Self::Errors,
            ("property", _) => Self::Property,
            _ => Self::Other,
        }
    }

    /// Returns true if an end tag with this name can close the element.
    pub(super) fn closes_with(self, name: &str) -> bool {
        match self {
            Self::Suites => name == "testsuites",
            Self::Suite => name == "testsuite",
            Self::Case => name == "testcase",
            Self::FailedAttempt(FailedAttemptKind::Failure) => name == "failure",
            Self::FailedAttempt(FailedAttemptKind::Error) => name == "error",
            Self::FailedAttempt(FailedAttemptKind::Flaky) => matches!(name, "flakyFailure" | "flakyError"),
            Self::FailedAttempt(FailedAttemptKind::Rerun) => matches!(name, "rerunFailure" | "rerunError"),
            Self::Skipped => matches!(name, "skipped" | "disabled"),
            Self::Output => name == "system-out",
            Self::Errors => name == "system-err",
            Self::Property => name == "property",
            Self::Text | Self::Other => !is_structural(name),
        }
    }
}

/// Returns true for end tags that never close an element of unknown name.
fn is_structural(name: &str) -> bool {
    matches!(name, "testsuites" | "testsuite" | "testcase" | "failure" | "error")
}

/// A failed attempt.
#[derive(Debug)]
pub(super) struct FailedAttempt {
    pub(super) kind: FailedAttemptKind,
    pub(super) message: Option<String>,
    pub(super) type_name: Option<String>,
    pub(super) body: BoundedText,
}

impl FailedAttempt {
    pub(super) fn new(tag: &Tag, kind: FailedAttemptKind) -> Self {
        Self { kind, message: tag.text("message"), type_name: tag.text("type"), body: BoundedText::error() }
    }

    /// Joins message and body. If both are missing, returns the type, for example `test timeout`.
    pub(super) fn into_text(self) -> Option<String> {
        let body = self.body.finish().and_then(node_test::extract_cause).map(restore_frame_line_breaks);
        let joined = bounded_text::join_message(self.message.as_deref(), body.as_deref());
        joined.or(self.type_name).and_then(|joined| bounded_text::bound_error(&joined))
    }

    /// Returns the type, if it is the name of an exception and not a word such as `failure`.
    pub(super) fn exception(&self) -> Option<String> {
        self.type_name.clone().filter(|name| is_exception(name))
    }
}

/// Restores line breaks before stack frames, because Surefire leaves them out if a text contains `]]>`.
fn restore_frame_line_breaks(body: String) -> String {
    if !body.contains(")\tat ") {
        return body;
    }
    let apart = body.replace("\tat ", "\n\tat ").replace("\n\n\tat ", "\n\tat ");
    apart
        .replace(")\t... ", ")\n\t... ")
        .replace("moreCaused by: ", "more\nCaused by: ")
        .replace(")Caused by: ", ")\nCaused by: ")
}

/// Returns true for names such as `java.net.ConnectException`, `AssertionError`, `Errno::ECONNREFUSED` or
/// `PHPUnit\Framework\...Exception`.
pub(crate) fn is_exception(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'\\' | b'$' | b'/');
    if name.len() > 200 || !name.bytes().all(plain) {
        return false;
    }
    let last = name.rsplit(['.', ':', '\\', '$', '/']).next().unwrap_or(name);
    let qualified = last.len() < name.len();
    // Distinguishes a class from a word: `Failed` and `FAILURE` are words, `Error` and `KeyError` are classes.
    let suffix = ["Error", "Exception", "Failure", "Fault", "Timeout", "Interrupt", "Exit", "Warning"];
    last.starts_with(|first: char| first.is_ascii_uppercase())
        && last.bytes().any(|byte| byte.is_ascii_lowercase() || qualified)
        && ((qualified && !name.starts_with("expect.")) || suffix.iter().any(|suffix| last.ends_with(suffix)))
        && last != "Failure"
}

/// A test case that is being read.
#[derive(Debug, Default)]
pub(super) struct OpenCase {
    pub(super) name: String,
    pub(super) class_name: String,
    /// PHPUnit's `class`, which keeps the namespace separators.
    pub(super) class: Option<String>,
    pub(super) file: Option<String>,
    pub(super) duration_ms: Option<f64>,
    /// Start of the case, UTC milliseconds.
    pub(super) started_at: Option<i64>,
    pub(super) skipped: bool,
    /// Status as the runner reported it.
    pub(super) word: Option<String>,
    pub(super) failed_attempts: Vec<FailedAttempt>,
    pub(super) output: Option<BoundedText>,
    pub(super) errors: Option<BoundedText>,
}

impl OpenCase {
    pub(super) fn new(tag: &Tag) -> Self {
        let status = tag.text("status").or_else(|| tag.text("result"));
        let unrun = ["skipped", "notrun", "disabled", "suppressed", "ignored", "pending", "todo"];
        let skipped = status.as_deref().is_some_and(|status| unrun.contains(&status.to_ascii_lowercase().as_str()));
        Self {
            name: tag.attribute("name").unwrap_or_default(),
            class_name: tag.attribute("classname").unwrap_or_default(),
            class: tag.text("class"),
            file: tag.text("file").or_else(|| tag.text("filepath")),
            duration_ms: tag.text("time").and_then(|text| units::parse_seconds(&text)),
            started_at: tag.text("timestamp").and_then(|text| units::parse_timestamp(&text)),
            skipped,
            word: status.filter(|_| skipped),
            ..Self::default()
        }
    }

    /// Handles a `skipped` element. Its type is more specific in pytest (`pytest.xfail`) and node:test (`todo`).
    pub(super) fn skip(&mut self, tag: &Tag) {
        if let Some(reason) = self.find_start_error(tag) {
            self.skipped = false;
            self.failed_attempts
                .push(FailedAttempt { message: Some(reason), ..FailedAttempt::new(tag, FailedAttemptKind::Error) });
            return;
        }
        self.skipped = true;
        let word = tag.text("type").map(|word| word.trim_start_matches("pytest.").to_owned());
        self.word = word.filter(|word| word != "skip" && word != "skipped" && !is_exception(word)).or(self.word.take());
    }

    /// Returns the reason why `CTest` could not start a test, for example because its program was not built. `CTest`
    /// counts such a test as failed but writes it as skipped.
    fn find_start_error(&self, tag: &Tag) -> Option<String> {
        let reason = tag.text("message").filter(|_| self.word.as_deref() == Some("notrun"))?;
        let is_skipped = reason.starts_with("SKIP_") || reason == "Disabled";
        (!is_skipped).then_some(reason)
    }
}
