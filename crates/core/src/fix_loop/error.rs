//! A failed run and the error in it. `understand` derives the error from the output of the run.

use crate::Category;
use std::fmt;

/// Exit code of `timeout(1)` for a run that took too long.
pub(super) const TIMEOUT_EXIT_CODE: i32 = 124;

plain! {
    /// A run that failed, as the host saw it.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixFailure", optional_fields = nullable))]
    #[serde(default)]
    pub struct Failure {
        /// What it printed, stdout and stderr as they came; or the error that was given.
        pub text: String,
        /// None of an error that was given.
        pub exit_code: Option<i32>,
        /// It was ended for time.
        pub timed_out: Option<bool>,
        /// What ended it, such as `SIGKILL`.
        pub signal: Option<String>,
        /// What a container runtime says about it.
        pub container_status: Option<String>,
        /// The container runtime says it was killed for memory.
        pub oom_killed: Option<bool>,
    }

    /// What is known of an error.
    pub struct FixError {
        /// `TypeError`, `TS2345`, `timeout`, `command not found`, ...; `unknown` where nothing says.
        pub error_type: String,
        /// What may be done about it.
        pub error_class: ErrorClass,
        /// What decided on the class.
        pub class_because: Because,
        /// The engine's category.
        pub category: Category,
        /// Hex; the same for the same error with other times, ports, paths and lines.
        pub error_hash: String,
        /// The line that says what went wrong.
        pub headline: String,
        /// The innermost frame of the project, or where the compiler points.
        pub location: Option<Location>,
        /// The stack, innermost first, at most 20.
        pub frames: Vec<Location>,
        /// Names of failed tests, where the runner gave them, at most 200.
        pub failing_tests: Vec<String>,
        /// It stopped at a prompt.
        pub waiting_for_input: bool,
        /// The prompt.
        pub prompt: Option<String>,
        /// The salient part of the output, without secrets; of a given error all of it.
        pub text: String,
        /// Its stable part.
        pub normalized: String,
        /// The engine's signature without a case name.
        pub family_signature: String,
    }

    /// What may be done about an error.
    #[derive(Copy, Eq)]
    pub enum ErrorClass {
        /// It may pass by itself.
        Transient,
        /// A change may repair it.
        Fixable,
        /// Neither a change of the code nor another attempt helps.
        Permanent,
    }

    /// What decided.
    #[derive(Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixBecause"))]
    pub struct Because {
        /// Name of the rule; `default` where none matched.
        pub rule: String,
        /// The words it decided on; none where a fact beside the text decided.
        pub words: Option<String>,
    }

    /// A place in the code.
    #[derive(Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixLocation"))]
    pub struct Location {
        /// As printed; for the JVM with its package's folders in front.
        pub file: String,
        /// From 1.
        pub line: Option<u32>,
        /// From 1.
        pub column: Option<u32>,
        /// Function or method.
        pub function: Option<String>,
        /// Of the project, not of a runtime or a library.
        pub in_app: bool,
    }

    /// What a state keeps of an error.
    #[cfg_attr(feature = "types", ts(rename = "FixErrorSummary"))]
    pub struct ErrorSummary {
        /// As in `FixError`.
        pub error_type: String,
        /// As in `FixError`.
        pub error_class: ErrorClass,
        /// Rule and words.
        pub class_because: String,
        /// As in `FixError`.
        pub category: Category,
        /// As in `FixError`.
        pub error_hash: String,
        /// As in `FixError`.
        pub headline: String,
        /// As in `FixError`.
        pub location: Option<Location>,
    }
}

impl ErrorSummary {
    pub(super) fn of(error: &FixError) -> Self {
        Self {
            error_type: error.error_type.clone(),
            error_class: error.error_class,
            class_because: error.class_because.to_string(),
            category: error.category,
            error_hash: error.error_hash.clone(),
            headline: error.headline.clone(),
            location: error.location.clone(),
        }
    }
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.words {
            Some(words) => write!(f, "{}: {words}", self.rule),
            None => f.write_str(&self.rule),
        }
    }
}
