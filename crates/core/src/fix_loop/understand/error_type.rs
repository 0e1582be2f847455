//! Finds the short name of an error: an exception, an error code of a compiler, or a name that a tool uses.

use crate::{
    Analysis, Category,
    fix_loop::error::{FailedRun, TIMEOUT_EXIT_CODE},
};
use regex::Regex;
use std::sync::LazyLock;

/// The contract's word for an unknown error.
pub(super) const UNKNOWN_ERROR: &str = "unknown";
/// The contract's word for a run that exceeded its time limit.
pub(super) const TIMEOUT_ERROR: &str = "timeout";

/// Generic names. A more specific name has priority.
const GENERIC_NAMES: [&str; 6] =
    ["Error", "Exception", "RuntimeException", "RuntimeError", "Failure", "AggregateError"];

/// Returns the short name of the error of a failed run.
pub(super) fn find_error_type(failure: &FailedRun, analysis: &Analysis) -> String {
    if failure.timed_out.unwrap_or_default() || failure.exit_code == Some(TIMEOUT_EXIT_CODE) {
        return TIMEOUT_ERROR.to_owned();
    }
    let (headline, text) = (analysis.normalized.headline.as_str(), text_of_last_exception(&analysis.redacted));
    let named = |text| find_exception_names(text).find(|name| !GENERIC_NAMES.contains(name)).map(ToOwned::to_owned);
    let bare = || find_exception_names(text).next().map(ToOwned::to_owned);
    // In a chain of exceptions, the headline is the first exception, but the type must be that of the last exception.
    let headline = if text.len() == analysis.redacted.len() { headline } else { "" };
    named(headline)
        .or_else(|| find_error_code(headline))
        .or_else(|| named(text))
        .or_else(|| find_error_code(text))
        .or_else(bare)
        .or_else(|| name_of_process_end(failure))
        .unwrap_or_else(|| name_of_category(analysis.classification.category))
}

/// Returns the text after the last line such as `During handling of the above exception, another exception occurred`.
fn text_of_last_exception(text: &str) -> &str {
    const CHAIN_SEPARATORS: [&str; 2] =
        ["During handling of the above exception", "The above exception was the direct cause"];
    let last = CHAIN_SEPARATORS.iter().filter_map(|chain| text.rfind(chain)).max();
    last.map_or(text, |at| &text[at..])
}

/// Returns the names of exceptions at the start of a message (`TypeError: x`, `java.lang.NullPointerException`, `E
/// KeyError: 'a'`) and at the end of a message, where Ruby prints them.
fn find_exception_names(text: &str) -> impl Iterator<Item = &str> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"(?m)(?:^(?:[\s>|]*|E\s+|.*?[\]:)]\s|.*\bUncaught |Caused by: |Exception in thread \S+ |Unhandled exception\. |.*\bthrew )",
            r"(?:[A-Za-z_$][\w$]*(?:\.|::|\\))*((?:[A-Z][A-Za-z0-9_]*)?(?:Error|Exception|Fault|Interrupt|Violation))",
            r"(?:\s*\([^)\n]*\)|\s*\[[^\]\n]*\])?(?:\s?:|\s*$)",
            r"|:in [`'].*\((?:[A-Z]\w*::)*([A-Z]\w*)\)$",
            r"|^\*\* \((?:[A-Z]\w*\.)*(\w+)\)",
            // A qualified name in the middle of a line, or without a suffix such as `Error`.
            r"|(?:^|\s)(?:[a-z_]\w*\.)+([A-Z]\w*(?:Error|Exception))(?::|\s*$)|^(?:E\s+)?(?:[a-z_]\w*\.)+([A-Z]\w+): )",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    NAME.captures_iter(text).filter_map(|found| found.iter().skip(1).flatten().next()).map(|name| name.as_str())
}

/// Returns the error code of a compiler or a system, or the name of a fixed message of a tool.
fn find_error_code(text: &str) -> Option<String> {
    static CODES: LazyLock<Vec<(Regex, Option<&'static str>)>> = LazyLock::new(|| {
        let row = |pattern: &str, name| (Regex::new(pattern).expect("a constant pattern"), name);
        vec![
            row(r"\b(?:MODULE_NOT_FOUND\b|Cannot find module\b|Module not found\b)", Some("MODULE_NOT_FOUND")),
            row(r"\berror(?:\[| )(E\d{4}|TS\d{3,5}|CS\d{4}|MSB\d{4}|C\d{4}|LNK\d{4}|NU\d{4}|NETSDK\d{4})\b", None),
            row(r"\bcode (E[A-Z]{3,})\b", None),
            row(
                r"\b(CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|CreateContainerConfigError|RunContainerError|InvalidImageName|FailedScheduling|FailedMount)\b",
                None,
            ),
            row(
                r"(?i)\bcommand not found\b|: not found$|is not recognized as an internal or external command",
                Some("command not found"),
            ),
            row(
                r"\b(E(?:ACCES|PERM|NOENT|CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|SOCKETTIMEDOUT|NETUNREACH|PROTO|PIPE|ADDRINUSE|NOTFOUND|AI_AGAIN|HOSTUNREACH|MFILE|NOSPC|EXIST|ISDIR|NOTDIR|NOTEMPTY|BUSY|RESOLVE|401|403|404))\b",
                None,
            ),
            row(r"\bBack-off restarting failed container\b", Some("CrashLoopBackOff")),
            row(r"\bBack-off pulling image\b", Some("ImagePullBackOff")),
            row(r"(?m)^panic: |\bpanicked at\b", Some("panic")),
            row(r"(?m)^fatal error: ", Some("fatal error")),
            row(r"(?i)\bsegmentation fault\b", Some("segmentation fault")),
            row(r"(?i)\bsyntax error\b", Some("SyntaxError")),
            row(
                r"(?m)^make(?:\[\d+\])?: \*\*\*|\bBUILD FAILED\b|\bCOMPILATION ERROR\b|: error: |(?i:\bbuild failed\b|\bcompilation failed\b)",
                Some("BuildError"),
            ),
        ]
    });
    CODES.iter().find_map(|(pattern, name)| {
        let found = pattern.captures(text)?;
        Some(name.map_or_else(|| found.get(1).map_or("", |code| code.as_str()).to_owned(), ToOwned::to_owned))
    })
}

/// Returns the name for an exit code or a signal.
fn name_of_process_end(failure: &FailedRun) -> Option<String> {
    if let Some(signal) = failure.signal.as_deref().filter(|signal| !signal.is_empty()) {
        return Some(signal.to_owned());
    }
    let name = match failure.exit_code? {
        126 => "not executable",
        127 => "command not found",
        134 => "SIGABRT",
        137 => "SIGKILL",
        139 => "segmentation fault",
        143 => "SIGTERM",
        _ => return None,
    };
    Some(name.to_owned())
}

/// Returns the name for a failure category.
fn name_of_category(category: Category) -> String {
    let name = match category {
        Category::AssertionMismatch => "AssertionError",
        Category::HttpError => "HttpError",
        Category::Timeout => TIMEOUT_ERROR,
        Category::ConnectionRefused => "ECONNREFUSED",
        Category::ContainerOom => "OOMKilled",
        Category::ContainerCrash => "ContainerCrash",
        Category::MockMismatch => "MockMismatch",
        Category::ConfigError => "ConfigError",
        Category::NetworkError => "NetworkError",
        Category::Unknown => UNKNOWN_ERROR,
    };
    name.to_owned()
}
