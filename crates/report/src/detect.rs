//! Detects the format of a report from its beginning. If the guess is wrong, the caller can name the format.

use crate::model::Format;

/// Returns the format that the beginning of a report indicates.
pub(crate) fn detect_format(head: &str) -> Option<Format> {
    let start = head.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    if start.starts_with('<') {
        return detect_xml_format(start);
    }
    if is_go_test(start) {
        return Some(Format::GoTest);
    }
    if start.starts_with(['{', '[']) {
        return detect_json_format(start).or_else(|| detect_event_format(start));
    }
    is_tap(start).then_some(Format::Tap).or_else(|| detect_event_format(start))
}

/// Finds the format by the root element. Comments, instructions, a document type and elements of other tools may come
/// before it.
fn detect_xml_format(text: &str) -> Option<Format> {
    const ROOTS: [(&str, Format); 12] = [
        ("testsuites", Format::Junit),
        ("testsuite", Format::Junit),
        ("testcase", Format::Junit),
        ("TestRun", Format::Trx),
        ("assemblies", Format::Xunit),
        ("assembly", Format::Xunit),
        ("test-run", Format::Nunit),
        ("test-results", Format::Nunit),
        ("test-suite", Format::Nunit),
        ("robot", Format::Robot),
        ("Catch2TestRun", Format::Catch2),
        ("Catch", Format::Catch2),
    ];
    let tags = text.split('<').skip(1).map(|tag| {
        let name = tag.split(|char: char| char.is_whitespace() || matches!(char, '>' | '/')).next().unwrap_or_default();
        name.rsplit(':').next().unwrap_or(name)
    });
    let mut is_site = false;
    for name in tags {
        is_site |= name == "Site";
        if is_site && name == "Testing" {
            return Some(Format::Ctest);
        }
        if let Some((_, format)) = ROOTS.iter().find(|(root, _)| *root == name) {
            return Some(*format);
        }
    }
    None
}

/// Returns true if a line is an event of `go test -json`. Build output may come before it.
fn is_go_test(text: &str) -> bool {
    text.lines().take(200).any(|line| {
        let line = line.trim();
        line.starts_with('{')
            && line.contains("\"Action\":\"")
            && ["\"Package\":\"", "\"ImportPath\":\"", "\"Test\":\""].iter().any(|key| line.contains(key))
    })
}

/// Finds the format by the first line that is an event.
fn detect_event_format(text: &str) -> Option<Format> {
    text.lines().take(200).find_map(|line| {
        let line: String = line.split_whitespace().collect();
        let has = |part: &str| line.contains(part);
        match line.as_bytes().first() {
            _ if !line.starts_with('{') => None,
            _ if has("\"protocolVersion\":") && has("\"type\":\"start\"") => Some(Format::Dart),
            _ if has("\"type\":\"suite\",\"event\":\"") || has("\"type\":\"test\",\"event\":\"") => {
                Some(Format::Libtest)
            }
            _ => None,
        }
    })
}

/// Finds the key nearest to the beginning that only a single format uses.
fn detect_json_format(text: &str) -> Option<Format> {
    const KEYS: [(&str, Format); 35] = [
        ("\"stats\"", Format::Mocha),
        ("\"examples\"", Format::Rspec),
        ("\"summary_line\"", Format::Rspec),
        ("\"testsuites\"", Format::Googletest),
        ("\"elements\"", Format::Cucumber),
        ("\"meta\"", Format::CucumberMessages),
        ("\"gherkinDocument\"", Format::CucumberMessages),
        ("\"testRunStarted\"", Format::CucumberMessages),
        ("\"historyId\"", Format::Allure),
        ("\"testCaseId\"", Format::Allure),
        ("\"statusDetails\"", Format::Allure),
        ("\"befores\"", Format::Allure),
        ("\"started\"", Format::Bazel),
        ("\"buildFinished\"", Format::Bazel),
        ("\"testResult\"", Format::Bazel),
        ("\"testPlanConfigurations\"", Format::Xcresult),
        ("\"testNodes\"", Format::Xcresult),
        ("\"event\"", Format::Libtest),
        ("\"protocolVersion\"", Format::Dart),
        ("\"afters\"", Format::Allure),
        ("\"titlePath\"", Format::Allure),
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

/// Returns true if any of the first lines is a version line, a plan or a test line. Lines of a shell or a tool may come
/// before it.
fn is_tap(text: &str) -> bool {
    text.lines().take(200).map(str::trim_start).any(|line| {
        line.starts_with("TAP version ")
            || is_tap_plan(line)
            || ["ok", "not ok"].iter().any(|word| line.strip_prefix(word).is_some_and(is_after_ok))
    })
}

fn is_tap_plan(line: &str) -> bool {
    line.strip_prefix("1..").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns true for a number or a dash. `ok, done` and `okay` are prose.
fn is_after_ok(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("- ") || rest.starts_with(|first: char| first.is_ascii_digit())
}
