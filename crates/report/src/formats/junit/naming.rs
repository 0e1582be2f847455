//! The canonical name of a JUnit case: the same file, suites and name as in the other reporters of the runner.
//!
//! Sources of the file, in this order: the `file` of the case, the `file` of the suite, a `classname` or suite name
//! that is a path, and for pytest the module in the `classname`. Sources of the suites: joined names (`cart > adds`),
//! the part of the `classname` that is not in the file, and nested `testsuite`s if the dialect nests them (node:test,
//! Bun). `crate::retries` merges retries.

use super::{
    Suite,
    dialect::Dialect,
    elements::{FailedAttempt, FailedAttemptKind, OpenCase},
    playwright,
};
use crate::{
    cpp_frameworks::extract_failed_assertions,
    formats::go_frame,
    intake::Intake,
    model::{CasePosition, CaseStatus, ReportCase, SUITE_FAILURE_NAME},
    paths,
    reading::bounded_text::{self, BoundedText},
};

/// Converts a complete test case.
pub(super) fn finish(open: OpenCase, suites: &[Suite], dialect: Dialect, intake: &Intake<'_>) -> ReportCase {
    let named = name_case(&open, suites, dialect, intake);
    let mut case = ReportCase {
        file: named.file,
        suite: named.suite,
        name: named.name,
        status: CaseStatus::Passed,
        runner_status: open.word,
        flaky: false,
        duration_ms: open.duration_ms,
        attempts: 1,
        error_type: None,
        error: None,
        stdout_tail: finish_output(open.output, dialect),
        stderr_tail: finish_output(open.errors, dialect),
        runner: None,
        place: CasePosition {
            started_at: open.started_at.or(suites.last().and_then(|suite| suite.started_at)),
            ..CasePosition::default()
        },
    };
    if open.failed_attempts.is_empty() {
        if open.skipped {
            case.status = CaseStatus::Skipped;
            case.attempts = 0;
        }
        return case;
    }
    set_status(&mut case, open.failed_attempts, dialect);
    // CTest reports only the program's output.
    case.error = case.error.or_else(|| case.stdout_tail.as_deref().and_then(extract_failed_assertions));
    case
}

/// Returns the output of a test without the lines that its reporter added.
fn finish_output(output: Option<BoundedText>, dialect: Dialect) -> Option<String> {
    let text = output.and_then(BoundedText::finish)?;
    let added: fn(&str) -> bool = match dialect {
        Dialect::Pytest => |line| line.starts_with("-----") && line.contains(" Captured "),
        Dialect::Playwright => |line| line.starts_with("[[ATTACHMENT|"),
        _ => return Some(text),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !added(line)).collect();
    bounded_text::bound_output(&lines.join("\n"))
}

/// Converts a failure of a suite itself into a case.
pub(super) fn suite_failure(
    failed_attempt: FailedAttempt,
    suite: &Suite,
    outer: &[Suite],
    dialect: Dialect,
    intake: &Intake<'_>,
) -> ReportCase {
    let open =
        OpenCase { name: SUITE_FAILURE_NAME.to_owned(), failed_attempts: vec![failed_attempt], ..OpenCase::default() };
    let mut case = finish(open, outer, dialect, intake);
    case.file = suite.file.as_deref().and_then(|file| intake.file(file));
    case.place.started_at = suite.started_at;
    if case.file.is_none() && paths::looks_like_file(&suite.name) {
        case.file = intake.file(&suite.name);
    } else if !suite.name.trim().is_empty() {
        case.suite.push(suite.name.clone());
    }
    case
}

/// Sets status, attempts and error text from the failed attempts.
fn set_status(case: &mut ReportCase, failed_attempts: Vec<FailedAttempt>, dialect: Dialect) {
    let count = |kind| {
        u32::try_from(failed_attempts.iter().filter(|failed_attempt| failed_attempt.kind == kind).count())
            .unwrap_or(u32::MAX)
    };
    let (flaky, rerun) = (count(FailedAttemptKind::Flaky), count(FailedAttemptKind::Rerun));
    let (failures, errors) = (count(FailedAttemptKind::Failure), count(FailedAttemptKind::Error));
    let failed = failures + errors > 0 || rerun > 0;
    case.attempts = 1 + flaky + rerun;
    case.status = if failed { CaseStatus::Failed } else { CaseStatus::Passed };
    case.flaky = !failed;
    if errors > 0 && failures == 0 {
        case.runner_status = Some("error".to_owned());
    }
    // Vitest writes a failure for each attempt. In other dialects, several failures are several assertions of an
    // attempt.
    if dialect == Dialect::Vitest {
        case.attempts = failures.max(1);
    }
    let keep_last_attempt = flaky + rerun > 0 || dialect == Dialect::Vitest;
    let word = failed_attempts
        .last()
        .and_then(|failed_attempt| failed_attempt.type_name.clone())
        .filter(|word| is_specific_status(word));
    case.error_type = failed_attempts.iter().rev().find_map(FailedAttempt::exception);
    let mut texts: Vec<String> = failed_attempts.into_iter().filter_map(FailedAttempt::into_text).collect();
    if keep_last_attempt {
        texts.drain(..texts.len().saturating_sub(1));
    }
    texts.dedup();
    case.error = bounded_text::bound_error(&texts.join("\n\n"));
    match dialect {
        Dialect::Playwright => playwright::keep_last_attempt(case),
        Dialect::NodeTest | Dialect::Nextest => case.runner_status = word,
        Dialect::Go => case.error = case.error.take().map(|error| go_frame::remove_runner_lines(&error)),
        Dialect::PhpUnit => case.error = case.error.take().map(|error| remove_title(error, case)),
        _ => {}
    }
}

/// Removes the test's name, with which PHPUnit begins every error.
fn remove_title(error: String, case: &ReportCase) -> String {
    let title = format!("{}::{}", case.suite.join("::"), case.name);
    match error.split_once('\n') {
        Some((first, rest)) if first.starts_with(&title) => rest.to_owned(),
        _ => error,
    }
}

/// Returns true for specific words of node:test (`testTimeoutFailure`, `cancelledByParent`) and nextest
/// (`test timeout`, `test abort`).
fn is_specific_status(word: &str) -> bool {
    word != "testCodeFailure" && !word.starts_with("test failure")
}

/// The parts of a case's qualified name.
#[derive(Debug, Default, PartialEq, Eq)]
struct CaseName {
    file: Option<String>,
    suite: Vec<String>,
    name: String,
}

fn name_case(open: &OpenCase, suites: &[Suite], dialect: Dialect, intake: &Intake<'_>) -> CaseName {
    match dialect {
        Dialect::NodeTest => name_node_test_case(open, suites, intake),
        Dialect::Pytest => name_pytest_case(open, suites, intake),
        Dialect::Playwright => playwright::name_case(split_name(&open.name), open, suites, intake).into(),
        Dialect::Mocha => name_mocha_case(open, suites, intake),
        Dialect::Bun if suites.len() > BUN_OUTER_SUITES => name_bun_case(open, suites, intake),
        _ => name_general_case(open, suites, dialect, intake),
    }
}

impl From<(Option<String>, Vec<String>, String)> for CaseName {
    fn from((file, suite, name): (Option<String>, Vec<String>, String)) -> Self {
        Self { file, suite, name }
    }
}

fn name_general_case(open: &OpenCase, suites: &[Suite], dialect: Dialect, intake: &Intake<'_>) -> CaseName {
    let given = open.file.as_deref().or_else(|| suites.last().and_then(|suite| suite.file.as_deref()));
    let suite_name = suites.last().map_or("", |suite| suite.name.as_str());
    let path =
        given.or_else(|| [open.class_name.as_str(), suite_name].into_iter().find(|name| paths::looks_like_file(name)));
    let file = path.and_then(|path| intake.file(path));
    if dialect == Dialect::Vitest && open.name == open.class_name && file.is_some() {
        return CaseName { file, suite: Vec::new(), name: SUITE_FAILURE_NAME.to_owned() };
    }
    // jest-junit writes a file that could not be run as a case with the file's path.
    if open.class_name == "Test suite failed to run" {
        let file = file.or_else(|| intake.file(&open.name));
        return CaseName { file, suite: Vec::new(), name: SUITE_FAILURE_NAME.to_owned() };
    }
    let (mut suite, name) = split_name(&open.name);
    if suite.is_empty() {
        suite = suites_from_class(open, file.as_deref(), suite_name);
    }
    // A class that could not be set up: Surefire writes the class name as the case name, Gradle writes `classMethod`,
    // and gotestsum writes no class.
    let whole_class =
        dialect.is_java() && (open.name == open.class_name || open.name == "classMethod" || open.name.is_empty());
    let whole_package = dialect == Dialect::Go && open.class_name.is_empty() && open.name == "TestMain";
    if whole_class || whole_package {
        let class = if whole_class { &open.class_name } else { suite_name };
        return CaseName { file, suite: vec![class.to_owned()], name: SUITE_FAILURE_NAME.to_owned() };
    }
    // Gradle writes the display name of JUnit 5, Surefire the method name.
    let name = if dialect.is_java() { name.strip_suffix("()").unwrap_or(&name).to_owned() } else { name };
    CaseName { file, suite, name }
}

/// Splits names such as `cart > checkout > adds` of Vitest, or `cart › adds` of jest-junit with a custom separator.
pub(super) fn split_name(name: &str) -> (Vec<String>, String) {
    let separator = if name.contains(" › ") { " › " } else { " > " };
    let mut parts: Vec<String> = name.split(separator).map(str::to_owned).collect();
    let name = parts.pop().unwrap_or_default();
    (parts, name)
}

/// Returns the suites from the class name, without the part that is in the file.
fn suites_from_class(open: &OpenCase, file: Option<&str>, suite_name: &str) -> Vec<String> {
    let class = open.class.as_deref().unwrap_or(&open.class_name).trim();
    if class.is_empty() || class == open.name.trim() || paths::looks_like_file(class) {
        return suite_name_without_class(open, class, file, suite_name);
    }
    let class = file.map_or(class, |file| strip_module(class, file));
    if class.is_empty() {
        return Vec::new();
    }
    if class.contains(" › ") {
        return class.split(" › ").map(str::to_owned).collect();
    }
    vec![class.to_owned()]
}

/// Without a class, the suite's name is the only source, unless the file is known.
fn suite_name_without_class(open: &OpenCase, class: &str, file: Option<&str>, suite_name: &str) -> Vec<String> {
    let told = !class.is_empty() || file.is_some() || suite_name.is_empty() || suite_name == open.name;
    if told { Vec::new() } else { vec![suite_name.to_owned()] }
}

/// Removes the module from a class name: `tests.test_cart.TestCart` in `tests/test_cart.py` becomes `TestCart`, and
/// `spec.cart_spec` in `spec/cart_spec.rb` becomes empty.
fn strip_module<'a>(class: &'a str, file: &str) -> &'a str {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).replace('/', ".");
    match class.strip_prefix(stem.as_str()) {
        Some("") => "",
        Some(rest) => rest.strip_prefix('.').unwrap_or(class),
        None => class,
    }
}

/// The default format of pytest contains no file, but its class name is made from folders, module and classes. The
/// capitalized segments at the end are the classes, because Python's classes are capitalized by convention; the
/// segments before them are the module.
fn name_pytest_case(open: &OpenCase, suites: &[Suite], intake: &Intake<'_>) -> CaseName {
    let given = open.file.as_deref().or_else(|| suites.last().and_then(|suite| suite.file.as_deref()));
    // A module that could not be imported has no class, and its name is the module.
    let is_name_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let is_module =
        open.class_name.is_empty() && !open.failed_attempts.is_empty() && open.name.bytes().all(is_name_part);
    let class = if is_module { open.name.as_str() } else { open.class_name.as_str() };
    let name = if is_module { SUITE_FAILURE_NAME } else { open.name.as_str() };
    let (file, rest) = match given {
        Some(file) => (intake.file(file), strip_module(class, file)),
        None => split_python_module(class),
    };
    let classes = rest.split('.').filter(|segment| !segment.is_empty());
    CaseName { file, suite: classes.map(str::to_owned).collect(), name: name.to_owned() }
}

fn split_python_module(class: &str) -> (Option<String>, &str) {
    let segments: Vec<&str> = class.split('.').collect();
    let capital = |segment: &&str| segment.starts_with(|first: char| first.is_uppercase());
    let classes = segments.iter().rev().take_while(|segment| capital(segment)).count();
    let modules = segments.len() - classes;
    if modules == 0 || segments.contains(&"") {
        return (None, class);
    }
    let file = format!("{}.py", segments[..modules].join("/"));
    let used = segments[..modules].join(".").len();
    (Some(file), class[used..].trim_start_matches('.'))
}

/// node:test writes `test` for every class, and its suites are nested. A file that failed as a whole is a case with the
/// file's path as name.
fn name_node_test_case(open: &OpenCase, suites: &[Suite], intake: &Intake<'_>) -> CaseName {
    let file = open.file.as_deref().and_then(|path| intake.file(path));
    let suite: Vec<String> =
        suites.iter().map(|suite| unescape_twice(&suite.name)).filter(|name| !name.is_empty()).collect();
    if suite.is_empty() && paths::looks_like_file(&open.name) && open.name.contains(['/', '\\']) {
        return CaseName { file: intake.file(&open.name), suite, name: SUITE_FAILURE_NAME.to_owned() };
    }
    CaseName { file, suite, name: unescape_twice(&open.name) }
}

/// Node 20 and 22 escape quotes in names twice.
fn unescape_twice(name: &str) -> String {
    name.replace("&quot;", "\"").replace("&apos;", "'")
}

/// The outer two of Bun's suites are the whole run and the file.
const BUN_OUTER_SUITES: usize = 2;

/// Bun's suites are nested; its class names begin with the innermost suite. A failed hook has no name.
fn name_bun_case(open: &OpenCase, suites: &[Suite], intake: &Intake<'_>) -> CaseName {
    let file = open.file.as_deref().or_else(|| suites.last().and_then(|suite| suite.file.as_deref()));
    let suite = suites[BUN_OUTER_SUITES..].iter().map(|suite| suite.name.clone()).collect();
    let name = if open.name == "(unnamed)" { SUITE_FAILURE_NAME } else { &open.name };
    CaseName { file: file.and_then(|file| intake.file(file)), suite, name: name.to_owned() }
}

/// mocha-junit-reporter writes the full title as `name` and the test's own title as `classname`, or the reverse if
/// configured. Mocha's own reporter `xunit` writes the suite's title as `classname` and the test's own title as `name`.
fn name_mocha_case(open: &OpenCase, suites: &[Suite], intake: &Intake<'_>) -> CaseName {
    let file = open.file.as_deref().or_else(|| suites.last().and_then(|suite| suite.file.as_deref()));
    let (full, own) = if open.class_name.len() > open.name.len() {
        (open.class_name.trim(), open.name.trim())
    } else {
        (open.name.trim(), open.class_name.trim())
    };
    let (suite, name) = match full.strip_suffix(own) {
        Some(suite) => (suite.trim(), own),
        None => (open.class_name.trim(), open.name.trim()),
    };
    let suite = if suite.is_empty() { Vec::new() } else { vec![suite.to_owned()] };
    CaseName { file: file.and_then(|file| intake.file(file)), suite, name: name.to_owned() }
}
