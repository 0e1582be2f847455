//! The types of a failed run and of the error in its output. `understand` derives the error from the output.

use crate::Category;
use std::fmt;

/// Exit code of `timeout(1)` for a run that took too long.
pub(super) const TIMEOUT_EXIT_CODE: i32 = 124;

state_types! {
    /// A failed run as the host observed it.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(rename = "FixFailure", optional_fields = nullable))]
    #[serde(default)]
    pub struct FailedRun {
        /// Output of the run, with stdout and stderr interleaved, or the given error.
        pub text: String,
        /// Exit code. None for a given error.
        pub exit_code: Option<i32>,
        /// True if the time limit was exceeded.
        pub timed_out: Option<bool>,
        /// Signal that ended the run, such as `SIGKILL`.
        pub signal: Option<String>,
        /// Status from the container runtime.
        pub container_status: Option<String>,
        /// True if the container runtime killed the run because of memory.
        pub oom_killed: Option<bool>,
    }

    /// Analysis of an error.
    pub struct FixError {
        /// Short name of the error, such as `TypeError`, `TS2345`, `timeout`, `command not found` or `unknown`.
        pub error_type: String,
        /// Class that decides on retries.
        pub error_class: ErrorClass,
        /// Reason for the class.
        pub class_because: ClassReason,
        /// Category of the failure.
        pub category: Category,
        /// Hex hash, which is the same if only times, ports, paths and line numbers differ.
        pub error_hash: String,
        /// The error in one line.
        pub headline: String,
        /// The innermost frame of the project, or the location that a compiler reports.
        pub location: Option<Location>,
        /// The frames of the stack, innermost first, at most 20.
        pub frames: Vec<Location>,
        /// Names of failed tests, if the runner printed them, at most 200.
        pub failing_tests: Vec<String>,
        /// True if the run stopped at a prompt.
        pub waiting_for_input: bool,
        /// The prompt at which the run stopped.
        pub prompt: Option<String>,
        /// Relevant part of the output, or the whole given error, without secrets.
        pub text: String,
        /// `text` with placeholders for changing values.
        pub normalized: String,
        /// Signature without a case name.
        pub family_signature: String,
    }

    /// Class of an error that decides on retries.
    #[derive(Copy, Eq)]
    pub enum ErrorClass {
        /// A retry may pass without a change.
        Transient,
        /// A change may fix it.
        Fixable,
        /// Neither a change of the code nor a retry helps.
        Permanent,
    }

    /// Reason for the class of an error.
    #[derive(Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixBecause"))]
    pub struct ClassReason {
        /// Name of the rule, or `default` if no rule matched.
        pub rule: String,
        /// Words that the rule matched. None if the rule does not match a text, for example if the run exceeded its
        /// time limit.
        pub words: Option<String>,
    }

    /// A place in the code.
    #[derive(Eq)]
    #[cfg_attr(feature = "types", ts(rename = "FixLocation"))]
    pub struct Location {
        /// File as printed. For the JVM, with the folders of the package.
        pub file: String,
        /// Line number, from 1.
        pub line: Option<u32>,
        /// Column number, from 1.
        pub column: Option<u32>,
        /// Function or method.
        pub function: Option<String>,
        /// True for the project's code, not for a runtime or a library.
        pub in_app: bool,
    }

    /// Summary of an error in a state.
    #[cfg_attr(feature = "types", ts(rename = "FixErrorSummary"))]
    pub struct ErrorSummary {
        /// Type, as in `FixError`.
        pub error_type: String,
        /// Class, as in `FixError`.
        pub error_class: ErrorClass,
        /// Rule and words that decided on the class.
        pub class_because: String,
        /// Category, as in `FixError`.
        pub category: Category,
        /// Hash, as in `FixError`.
        pub error_hash: String,
        /// Headline, as in `FixError`.
        pub headline: String,
        /// Location, as in `FixError`.
        pub location: Option<Location>,
    }
}

impl ErrorSummary {
    pub(super) fn from_error(error: &FixError) -> Self {
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

impl fmt::Display for ClassReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.words {
            Some(words) => write!(f, "{}: {words}", self.rule),
            None => f.write_str(&self.rule),
        }
    }
}
