//! The format of a report, told from its beginning.
//! Only the head is read; a wrong guess is corrected by naming the format.

use crate::model::Format;

/// The format that the first text of a report shows.
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

/// A root element of JUnit's; comments, instructions and a document type may come first.
fn is_junit(text: &str) -> bool {
    ["<testsuites", "<testsuite", "<testcase", ":testsuites", ":testsuite"].iter().any(|root| text.contains(root))
}

/// A line that is an event of `go test -json`; build output may come before it.
fn is_go_test(text: &str) -> bool {
    text.lines().take(200).any(|line| {
        let line = line.trim();
        line.starts_with('{')
            && line.contains("\"Action\":\"")
            && (line.contains("\"Package\":\"") || line.contains("\"ImportPath\":\""))
    })
}

/// Keys that only one format has, the nearest to the beginning first.
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

/// A version line, a plan, or a test line among the first lines; a shell's or a tool's own lines may come before.
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

/// A number or a dash; `ok, done` and `okay` are prose.
fn follows_ok(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("- ") || rest.starts_with(|first: char| first.is_ascii_digit())
}
