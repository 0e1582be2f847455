//! Detects the format of a report from its beginning. If the guess is wrong, the caller can name the format.

use crate::model::Format;

/// The format that the beginning of a report indicates.
pub(crate) fn format_of(head: &str) -> Option<Format> {
    let start = head.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    if start.starts_with('<') {
        return is_junit(start).then_some(Format::Junit);
    }
    if is_go_test(start) {
        return Some(Format::GoTest);
    }
    if start.starts_with('{') {
        return json_format(start);
    }
    is_tap(start).then_some(Format::Tap)
}

/// Returns true if the text has a root element of JUnit. Comments, instructions and a document type may come before it.
fn is_junit(text: &str) -> bool {
    ["<testsuites", "<testsuite", "<testcase", ":testsuites", ":testsuite"].iter().any(|root| text.contains(root))
}

/// Returns true if a line is an event of `go test -json`. Build output may come before it.
fn is_go_test(text: &str) -> bool {
    text.lines().take(200).any(|line| {
        let line = line.trim();
        line.starts_with('{')
            && line.contains("\"Action\":\"")
            && (line.contains("\"Package\":\"") || line.contains("\"ImportPath\":\""))
    })
}

/// Finds the key nearest to the beginning that only one format uses.
fn json_format(text: &str) -> Option<Format> {
    const KEYS: [(&str, Format); 14] = [
        ("\"reportFormat\"", Format::Ctrf),
        ("\"specVersion\"", Format::Ctrf),
        ("\"results\"", Format::Ctrf),
        ("\"numTotalTestSuites\"", Format::Jest),
        ("\"numFailedTestSuites\"", Format::Jest),
        ("\"numFailedTests\"", Format::Jest),
        ("\"numTotalTests\"", Format::Jest),
        ("\"testResults\"", Format::Jest),
        ("\"assertionResults\"", Format::Jest),
        ("\"configFile\"", Format::Playwright),
        ("\"rootDir\"", Format::Playwright),
        ("\"config\"", Format::Playwright),
        ("\"suites\"", Format::Playwright),
        ("\"specs\"", Format::Playwright),
    ];
    let found = KEYS.iter().filter_map(|(key, format)| text.find(key).map(|at| (at, *format)));
    found.min_by_key(|(at, _)| *at).map(|(_, format)| format)
}

/// Returns true if one of the first lines is a version line, a plan or a test line. Lines of a shell or a tool may come
/// before it.
fn is_tap(text: &str) -> bool {
    text.lines().take(200).map(str::trim_start).any(|line| {
        line.starts_with("TAP version ")
            || is_plan(line)
            || ["ok", "not ok"].iter().any(|word| line.strip_prefix(word).is_some_and(follows_ok))
    })
}

fn is_plan(line: &str) -> bool {
    line.strip_prefix("1..").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns true for a number or a dash. `ok, done` and `okay` are prose.
fn follows_ok(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("- ") || rest.starts_with(|first: char| first.is_ascii_digit())
}
