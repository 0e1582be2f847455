//! Detects the tool that wrote a JUnit report.

use super::elements::OpenCase;
use crate::{intake::Intake, model::ExecutionOrder, paths, reading::xml::Tag};

/// The writer of a report, as far as it matters for names, retries and order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dialect {
    #[default]
    Unknown,
    Bun,
    Deno,
    Jest,
    /// Surefire, Failsafe, Gradle and other tools that name classes.
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

impl Dialect {
    /// Looks at a `testsuites` or `testsuite` tag. The first clear sign decides.
    pub(super) fn see_suite(&mut self, tag: &Tag, outermost: bool) {
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
    pub(super) fn see_property(&mut self, tag: &Tag) {
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
    pub(super) fn see_case(&mut self, case: &OpenCase, suite_name: &str, depth: usize) {
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

    /// Returns true if a case that occurs twice was retried. In other dialects two tests may share a name, and
    /// combining them would hide a failure.
    pub(super) fn repeats_are_retries(self) -> bool {
        matches!(self, Self::Go | Self::Java | Self::Nextest | Self::Pytest)
    }

    /// Notes how to derive the order of execution.
    pub(super) fn note_order(self, intake: &mut Intake<'_>) {
        match self {
            Self::Pytest | Self::Mocha | Self::PhpUnit | Self::Rspec | Self::Bun | Self::Deno => {
                intake.order = ExecutionOrder::AsReported;
            }
            Self::Jest | Self::Nextest => intake.order = ExecutionOrder::ByStart,
            Self::Java if intake.has_starts() => intake.order = ExecutionOrder::ByStart,
            // A report contains one class, and its cases have at most the suite's start time.
            Self::Java => intake.order = ExecutionOrder::AsReported,
            Self::Vitest | Self::NodeTest => intake.order_of_files(),
            Self::Playwright | Self::Go | Self::Unknown => {}
        }
    }

    /// Name of the runner, if only one runner writes the dialect.
    pub(super) fn runner(self) -> Option<&'static str> {
        match self {
            Self::Unknown | Self::Java => None,
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
