//! Detects the format of a report from its beginning. If the guess is wrong, the caller can name the format.

use crate::model::ReportFormat;

/// Returns the format that the beginning of a report indicates.
pub(crate) fn detect_format(head: &str) -> Option<ReportFormat> {
    let start = head.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
    if start.starts_with('<') {
        return detect_xml_format(start);
    }
    if is_go_test(start) {
        return Some(ReportFormat::GoTest);
    }
    if start.starts_with(['{', '[']) {
        return detect_json_format(start).or_else(|| detect_event_format(start));
    }
    is_tap(start).then_some(ReportFormat::Tap).or_else(|| detect_event_format(start))
}

/// Finds the format by the root element. Comments, instructions, a document type and elements of other tools may come
/// before it.
fn detect_xml_format(text: &str) -> Option<ReportFormat> {
    const ROOTS: [(&str, ReportFormat); 12] = [
        ("testsuites", ReportFormat::Junit),
        ("testsuite", ReportFormat::Junit),
        ("testcase", ReportFormat::Junit),
        ("TestRun", ReportFormat::Trx),
        ("assemblies", ReportFormat::Xunit),
        ("assembly", ReportFormat::Xunit),
        ("test-run", ReportFormat::Nunit),
        ("test-results", ReportFormat::Nunit),
        ("test-suite", ReportFormat::Nunit),
        ("robot", ReportFormat::Robot),
        ("Catch2TestRun", ReportFormat::Catch2),
        ("Catch", ReportFormat::Catch2),
    ];
    let tags = text.split('<').skip(1).map(|tag| {
        let name = tag.split(|char: char| char.is_whitespace() || matches!(char, '>' | '/')).next().unwrap_or_default();
        name.rsplit(':').next().unwrap_or(name)
    });
    let mut is_site = false;
    for name in tags {
        is_site |= name == "Site";
        if is_site && name == "Testing" {
            return Some(ReportFormat::Ctest);
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
fn detect_event_format(text: &str) -> Option<ReportFormat> {
    text.lines().take(200).find_map(|line| {
        let line: String = line.split_whitespace().collect();
        let has = |part: &str| line.contains(part);
        match line.as_bytes().first() {
            _ if !line.starts_with('{') => None,
            _ if has("\"protocolVersion\":") && has("\"type\":\"start\"") => Some(ReportFormat::Dart),
            _ if has("\"type\":\"suite\",\"event\":\"") || has("\"type\":\"test\",\"event\":\"") => {
                Some(ReportFormat::Libtest)
            }
            _ => None,
        }
    })
}

/// Finds the key nearest to the beginning that only a single format uses.
fn detect_json_format(text: &str) -> Option<ReportFormat> {
    const KEYS: [(&str, ReportFormat); 35] = [
        ("\"stats\"", ReportFormat::Mocha),
        ("\"examples\"", ReportFormat::Rspec),
        ("\"summary_line\"", ReportFormat::Rspec),
        ("\"testsuites\"", ReportFormat::Googletest),
        ("\"elements\"", ReportFormat::Cucumber),
        ("\"meta\"", ReportFormat::CucumberMessages),
        ("\"gherkinDocument\"", ReportFormat::CucumberMessages),
        ("\"testRunStarted\"", ReportFormat::CucumberMessages),
        ("\"historyId\"", ReportFormat::Allure),
        ("\"testCaseId\"", ReportFormat::Allure),
        ("\"statusDetails\"", ReportFormat::Allure),
        ("\"befores\"", ReportFormat::Allure),
        ("\"started\"", ReportFormat::Bazel),
        ("\"buildFinished\"", ReportFormat::Bazel),
        ("\"testResult\"", ReportFormat::Bazel),
        ("\"testPlanConfigurations\"", ReportFormat::Xcresult),
        ("\"testNodes\"", ReportFormat::Xcresult),
        ("\"event\"", ReportFormat::Libtest),
        ("\"protocolVersion\"", ReportFormat::Dart),
        ("\"afters\"", ReportFormat::Allure),
        ("\"titlePath\"", ReportFormat::Allure),
        ("\"reportFormat\"", ReportFormat::Ctrf),
        ("\"specVersion\"", ReportFormat::Ctrf),
        ("\"results\"", ReportFormat::Ctrf),
        ("\"numTotalTestSuites\"", ReportFormat::Jest),
        ("\"numFailedTestSuites\"", ReportFormat::Jest),
        ("\"numFailedTests\"", ReportFormat::Jest),
        ("\"numTotalTests\"", ReportFormat::Jest),
        ("\"testResults\"", ReportFormat::Jest),
        ("\"assertionResults\"", ReportFormat::Jest),
        ("\"configFile\"", ReportFormat::Playwright),
        ("\"rootDir\"", ReportFormat::Playwright),
        ("\"config\"", ReportFormat::Playwright),
        ("\"suites\"", ReportFormat::Playwright),
        ("\"specs\"", ReportFormat::Playwright),
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
            || ["ok", "not ok"].iter().any(|word| line.strip_prefix(word).is_some_and(is_number_or_dash))
    })
}

fn is_tap_plan(line: &str) -> bool {
    line.strip_prefix("1..").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Returns true for a number or a dash. `ok, done` and `okay` are prose.
fn is_number_or_dash(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("- ") || rest.starts_with(|first: char| first.is_ascii_digit())
}
