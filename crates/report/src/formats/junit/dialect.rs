//! Detects the tool that wrote a JUnit report.

use super::elements::OpenCase;
use crate::{intake::Intake, model::ExecutionOrder, paths, reading::xml::Tag};

/// The attributes of a suite in Gradle's order. Ant, sbt and the `JUnit` platform have other orders.
/// Source: `JUnitXmlResultWriter` of Gradle.
const GRADLE: [&str; 8] = ["name", "tests", "skipped", "failures", "errors", "timestamp", "hostname", "time"];

/// The writer of a report, as far as it matters for names, retries and order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    #[default]
    Unknown,
    Bun,
    Deno,
    Jest,
    Gradle,
    /// Surefire, Failsafe and other tools that name classes.
    Java,
    Mocha,
    Nextest,
    NodeTest,
    PhpUnit,
    Playwright,
    Pytest,
    Rspec,
    Go,
    Vitest,
}

/// How a writer reports the attempts of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptStyle {
    /// Attempts are elements of the case (`flakyFailure`, `rerunFailure`), or are not reported. Cases with the same
    /// name are separate tests.
    Elements,
    /// Each attempt is a case with the same name. Only failed tests run again.
    Cases,
    /// Like `Cases`, but an option that repeats all tests also writes such cases.
    CasesOrRepeats,
    /// A failed attempt is a case without an error, directly before the next attempt.
    WithoutError,
}

impl Dialect {
    /// Returns how the writer reports attempts. Combining cases with the same name that are not attempts would hide a
    /// failure, so each writer needs a statement in its documentation:
    ///
    /// | writer | source |
    /// |---|---|
    /// | Surefire, Failsafe | "`flakyFailure`", "`rerunFailure`" elements; repetitions of JUnit 5 and data providers of `TestNG` are cases with the same name: <https://maven.apache.org/surefire/maven-surefire-plugin/examples/rerun-failing-tests.html> |
    /// | Gradle | "if a test fails and is then retried and succeeds, its executions will be recorded as two test cases": <https://docs.gradle.org/current/dsl/org.gradle.api.tasks.testing.JUnitXmlReport.html#org.gradle.api.tasks.testing.JUnitXmlReport:mergeReruns>. It names repetitions (`repetition 1 of 3`) |
    /// | gotestsum | `--rerun-fails` adds the runs of failed tests, `-count` adds runs of all tests: <https://github.com/gotestyourself/gotestsum#re-running-failed-tests> |
    /// | nextest | "`flakyFailure`", "`rerunFailure`" elements: <https://nexte.st/docs/machine-readable/junit/> |
    /// | pytest | pytest-rerunfailures sets the outcome `rerun`, for which pytest writes a case without an error: <https://github.com/pytest-dev/pytest-rerunfailures> |
    /// | Vitest | a `failure` per attempt |
    /// | Playwright | texts inside the failure |
    pub(super) const fn attempts(self) -> AttemptStyle {
        match self {
            Self::Gradle => AttemptStyle::Cases,
            Self::Go => AttemptStyle::CasesOrRepeats,
            Self::Pytest => AttemptStyle::WithoutError,
            _ => AttemptStyle::Elements,
        }
    }

    /// Returns true for tools that name the classes of Java.
    pub(super) const fn is_java(self) -> bool {
        matches!(self, Self::Java | Self::Gradle)
    }

    /// Looks at a `testsuites` or `testsuite` tag. The first clear sign decides.
    pub(super) fn detect_from_suite(&mut self, tag: &Tag, outermost: bool) {
        if *self != Self::Unknown {
            return;
        }
        let name = tag.attribute("name").unwrap_or_default();
        *self = match name.as_str() {
            "bun test" => Self::Bun,
            "deno test" => Self::Deno,
            "vitest tests" => Self::Vitest,
            "jest tests" => Self::Jest,
            "Mocha Tests" => Self::Mocha,
            "nextest-run" => Self::Nextest,
            "pytest tests" | "pytest" => Self::Pytest,
            "rspec" => Self::Rspec,
            // Only Playwright's root has `id` and `name` (both empty by default) and no timestamp.
            _ if outermost && tag.has("id") && tag.has("errors") && !tag.has("timestamp") => Self::Playwright,
            _ if tag.attribute("xsi:noNamespaceSchemaLocation").is_some_and(|schema| schema.contains("surefire")) => {
                Self::Java
            }
            _ if tag.names().eq(GRADLE) => Self::Gradle,
            // node:test writes suites without file or timestamp, but with `disabled` and a host.
            _ if !outermost
                && tag.has("disabled")
                && tag.has("hostname")
                && !tag.has("timestamp")
                && !tag.has("id")
                && !tag.has("package")
                && !paths::looks_like_file(&name) =>
            {
                Self::NodeTest
            }
            _ => Self::Unknown,
        };
    }

    /// Recognizes Go and Java by properties of the environment.
    pub(super) fn detect_from_property(&mut self, tag: &Tag) {
        if *self == Self::Unknown {
            *self = match tag.attribute("name").as_deref() {
                Some("go.version") => Self::Go,
                Some("java.version" | "java.vm.version" | "surefire.real.class.path") => Self::Java,
                _ => Self::Unknown,
            };
        }
    }

    /// Recognizes dialects by a case: node:test writes top-level tests directly below `testsuites`, and Java's suites
    /// have the names of their classes.
    pub(super) fn detect_from_case(&mut self, case: &OpenCase, suite_name: &str, depth: usize) {
        if *self != Self::Unknown {
            return;
        }
        let class_name = case.class_name.as_str();
        let class = class_name == suite_name && class_name.contains('.') && !class_name.contains(char::is_whitespace);
        if case.class.is_some() {
            *self = Self::PhpUnit;
        } else if depth <= 1 && suite_name.is_empty() && matches!(class_name, "test" | "suite") {
            *self = Self::NodeTest;
        } else if class && !paths::looks_like_file(class_name) {
            *self = Self::Java;
        }
    }

    /// Notes how to derive the order of execution.
    pub(super) fn record_order(self, intake: &mut Intake<'_>) {
        match self {
            Self::Pytest | Self::Mocha | Self::PhpUnit | Self::Rspec | Self::Bun | Self::Deno => {
                intake.order = ExecutionOrder::AsReported;
            }
            Self::Jest | Self::Nextest => intake.order = ExecutionOrder::ByStart,
            Self::Java | Self::Gradle if intake.has_start_times() => intake.order = ExecutionOrder::ByStart,
            // A report contains a single class, and its cases have at most the suite's start time.
            Self::Java | Self::Gradle => intake.order = ExecutionOrder::AsReported,
            Self::Vitest | Self::NodeTest => intake.keep_order_of_single_file(),
            Self::Playwright | Self::Go | Self::Unknown => {}
        }
    }

    /// Returns the name of the runner, if only a single runner writes the dialect.
    pub(super) fn runner(self) -> Option<&'static str> {
        match self {
            Self::Unknown | Self::Java | Self::Gradle => None,
            Self::Bun => Some("bun"),
            Self::Deno => Some("deno"),
            Self::Jest => Some("jest"),
            Self::Mocha => Some("mocha"),
            Self::Nextest => Some("nextest"),
            Self::NodeTest => Some("node:test"),
            Self::PhpUnit => Some("phpunit"),
            Self::Rspec => Some("rspec"),
            Self::Playwright => Some("playwright"),
            Self::Pytest => Some("pytest"),
            Self::Go => Some("go"),
            Self::Vitest => Some("vitest"),
        }
    }
}
