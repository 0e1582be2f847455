//! Extracts the names of failing tests from the output of runners, to detect a loop without progress.

use crate::display::strip_escapes;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of names.
const MAX_NAMES: usize = 200;
/// Maximum length of a name, in bytes.
const MAX_NAME_BYTES: usize = 300;
/// Number of bytes of a line that are searched.
const MAX_LINE_BYTES: usize = 1024;

/// The patterns of a runner's lines about failing tests, most precise first. Only the first pattern with a match is
/// used.
struct RunnerPatterns {
    patterns: Vec<Regex>,
}

static RUNNERS: LazyLock<Vec<RunnerPatterns>> = LazyLock::new(|| {
    let runner = |patterns: &[&str]| RunnerPatterns {
        patterns: patterns.iter().map(|pattern| Regex::new(pattern).expect("a constant pattern")).collect(),
    };
    vec![
        // Vitest, Jest, Playwright, AVA, node:test.
        runner(&[
            r"^\s*FAIL\s+(?:\|[^|]+\|\s+)?(\S+ > .+)$",
            r"^\s+\d+\) (\[[^\]]+\] › .+?)(?: ─+)?$",
            r"^\s*● (.+ › .+)$",
            r"^  ● ([^\s].*)$",
            r"^\s*(?:[✕✗×]|✖|✘) {1,3}(?:\[fail\]: )?(\S.*)$",
            r"^\s*FAIL\s+(\S+\.\w+)(?: .*)?$",
        ]),
        // pytest: its summary, its output with -v, and its headings.
        runner(&[
            r"^(?:FAILED|ERROR) ((?:\S+::)+.+?|\S+\.py)(?: - .*)?$",
            r"^(\S+::\S+.*?) (?:FAILED|ERROR)(?:\s+\[\s*\d+%\])?$",
            r"^_{3,} (?:ERROR at \w+ of )?(test\S*.*?|\S+\.test\S*.*?) _{3,}$",
        ]),
        // Go and `go test -json`. A package that does not build fails as a whole.
        runner(&[
            r"^\s*--- FAIL: (\S+) \(",
            r#"^\{(?:"Time":"[^"]*",)?"Action":"fail","Package":"[^"]*","Test":"([^"]+)""#,
        ]),
        runner(&[r"^FAIL\t(\S+) \[(?:build|setup) failed\]$"]),
        // cargo test, nextest, Deno.
        runner(&[r"^test (\S.*?) \.\.\. FAILED$", r"^\s*FAIL \[\s*[\d.]+s\]\s+(?:\([^)]*\)\s+)?(\S+ \S+)$"]),
        runner(&[r"^(\S.*?) \.\.\. FAILED \(.*\)$"]),
        // Bun.
        runner(&[r"^\(fail\) (\S.*)$"]),
        // Maven, Gradle.
        runner(&[
            r"^\[ERROR\]\s{2,}([\w$]+(?:\.[\w$]+)*\.\w+(?:\[[^\]]*\])?)(?::\d+|->|\s»)",
            r"^\[ERROR\]\s+([\w$.]+\.\w+)(?:\([^)]*\))?\s+(?:Time elapsed|--).*<<< (?:FAILURE|ERROR)!",
        ]),
        runner(&[r"^(\w[\w$.]*(?: > .+)+) FAILED$"]),
        // dotnet test, xUnit.
        runner(&[r"^\s*Failed (\S.*?) \[[^\]]*\]$", r"^\s*(?:\[xUnit[^\]]*\]\s+)?(\S.*?) \[FAIL\]$"]),
        // PHPUnit, RSpec, Minitest, ExUnit.
        runner(&[r"^\d+\) (\w[\w\\]*::\w.*)$"]),
        runner(&[r"^rspec (\S+(?: # .+)?)$"]),
        runner(&[r"^\s*(?:FAIL\s+)?(\w[\w:]*#\w+)(?: \[[^\]]*\]:?|:)$"]),
        runner(&[r"^\s+\d+\) (test .+ \([\w.]+\))$"]),
        // TAP. A test with a `TODO` or `SKIP` directive did not fail.
        runner(&[r"^\s*not ok \d+ (?:- )?([^#]+?)(?: # (?i:time|duration)\S*.*)?$"]),
        // CTest, XCTest.
        runner(&[r"^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted|Not Run)\)"]),
        runner(&[r"^Test Case '-?\[?([^'\]]+)\]?' failed"]),
    ]
});

/// Durations and retries after a name, which change from run to run.
static DURATION_OR_RETRIES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:\s+[(\[]?\d[\d.,]*\s?(?:ms|s|m|µs)[)\]]?|\s+\(retry #?\d+\)|\s+\(attempt \d+\))+$")
        .expect("a constant pattern")
});

/// Texts after the mark of a failed test that are not names of tests, as Jest and node:test print them.
const NON_TEST_TEXTS: [&str; 5] =
    ["Console", "Test suite failed to run", "Validation Error", "Cannot log after tests are done", "failing tests:"];

/// Returns the names of the failing tests, without duplicates, in the order of the text.
pub(super) fn find_failing_tests(text: &str) -> Vec<String> {
    let text = strip_escapes(text);
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line[..line.floor_char_boundary(MAX_LINE_BYTES)].trim_end())
        .filter(|line| !line.is_empty())
        .collect();
    let mut names = Vec::new();
    for runner in &*RUNNERS {
        let found = runner.patterns.iter().map(|pattern| find_names(pattern, &lines)).find(|found| !found.is_empty());
        for name in found.unwrap_or_default() {
            add_name(&mut names, name);
        }
    }
    for name in find_mocha_tests(&lines).into_iter().chain(find_unittest_tests(&lines)) {
        add_name(&mut names, name);
    }
    let suites = find_suites(&lines);
    names.retain(|name| !suites.contains(name));
    names
}

/// Returns the suites that node:test marks like tests. A suite has a heading above its line, or its type below.
fn find_suites(lines: &[&str]) -> Vec<String> {
    let mut suites = Vec::new();
    let mut tap: Option<&str> = None;
    for line in lines.iter().map(|line| line.trim_start()) {
        if let Some(name) = line.strip_prefix("▶ ") {
            suites.push(clean_name(name));
        } else if let Some((_, name)) = line.strip_prefix("not ok ").and_then(|rest| rest.split_once(" - ")) {
            tap = Some(name);
        } else if line == "..." || line.starts_with("ok ") || line.starts_with("# Subtest: ") {
            tap = None;
        } else if line == "type: 'suite'" {
            suites.extend(tap.take().map(clean_name));
        }
    }
    suites
}

fn find_names(pattern: &Regex, lines: &[&str]) -> Vec<String> {
    let found = lines.iter().filter_map(|line| pattern.captures(line)?.get(1));
    found
        .map(|name| name.as_str())
        .filter(|name| !NON_TEST_TEXTS.contains(name))
        .map(clean_name)
        .take(MAX_NAMES)
        .collect()
}

fn clean_name(name: &str) -> String {
    let name = DURATION_OR_RETRIES.replace(name.trim(), "");
    // RSpec puts a `#` between location and name.
    let name = name.replacen(" # ", " ", 1);
    name[..name.floor_char_boundary(MAX_NAME_BYTES)].trim().to_owned()
}

fn add_name(names: &mut Vec<String>, name: String) {
    if !name.is_empty() && names.len() < MAX_NAMES && !names.contains(&name) {
        names.push(name);
    }
}

/// Finds the names that Mocha prints after `1 failing`: a number, the suites, and the name with a colon, each on its
/// own line.
fn find_mocha_tests(lines: &[&str]) -> Vec<String> {
    let is_count = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|count| count.parse::<u32>().is_ok())
            && words.next() == Some("failing")
            && words.next().is_none()
    };
    let Some(start) = lines.iter().position(is_count) else { return Vec::new() };
    let mut names = Vec::new();
    let mut parts: Option<Vec<&str>> = None;
    for line in &lines[start + 1..] {
        let trimmed = line.trim();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0
            && let Some(first) = trimmed[digits..].strip_prefix(") ")
        {
            parts = Some(vec![first]);
        } else if let Some(known) = &mut parts {
            known.push(trimmed);
        }
        let Some(known) = &parts else { continue };
        let done = known.last().is_some_and(|last| last.ends_with(':'));
        if done {
            names.push(clean_name(known.join(" ").trim_end_matches(':')));
        }
        if done || known.len() > 6 {
            parts = None;
        }
    }
    names
}

/// Finds the names that unittest prints: `FAIL: test_total (tests.test_cart.CartTest)`. Since Python 3.11, the part in
/// parentheses includes the name of the test.
fn find_unittest_tests(lines: &[&str]) -> Vec<String> {
    let named = lines.iter().filter_map(|line| {
        let rest = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "))?;
        let (test, class) = rest.split_once(" (")?;
        let class = class.split_once(')')?.0;
        let words = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
        let known = class.rsplit('.').next() == Some(test);
        let name = if known { class.to_owned() } else { format!("{class}.{test}") };
        (words(test) && words(class) && class.contains('.')).then_some(name)
    });
    named.take(MAX_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::find_failing_tests;

    #[test]
    fn go_json_events_name_failing_tests() {
        let event = |action, rest| {
            format!("{{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"{action}\",\"Package\":\"shop/cart\"{rest}}}\n")
        };
        let text = [
            event("output", ",\"Test\":\"TestTotal\",\"Output\":\"--- FAIL: TestTotal (0.00s)\\n\""),
            event("pass", ",\"Test\":\"TestEmpty\",\"Elapsed\":0"),
            event("fail", ",\"Test\":\"TestTotal\",\"Elapsed\":0"),
            event("fail", ",\"Elapsed\":0.003"),
        ];
        assert_eq!(find_failing_tests(&text.concat()), ["TestTotal"]);
    }

    /// Output of Node 20 for two failing tests, where one test is in a nested suite.
    #[test]
    fn node_test_suites_are_not_tests() {
        let spec = "▶ cart\n  ✖ adds (37.89437ms)\n    AssertionError [ERR_ASSERTION]: 1 == 2\n  ✔ ok (0.104347ms)\n  ▶ deep\n    ✖ x (0.216839ms)\n  ✖ deep (0.383619ms)\n✖ cart (39.289848ms)\nℹ tests 3\nℹ suites 2\nℹ fail 2\n\n✖ failing tests:\n\ntest at a.test.mjs:3:26\n✖ adds (37.89437ms)\n";
        assert_eq!(find_failing_tests(spec), ["adds", "x"]);
        let tap = "# Subtest: cart\n    # Subtest: adds\n    not ok 1 - adds\n      ---\n      failureType: 'testCodeFailure'\n      ...\n    # Subtest: deep\n        # Subtest: x\n        not ok 1 - x\n          ---\n          failureType: 'testCodeFailure'\n          ...\n    not ok 3 - deep\n      ---\n      type: 'suite'\n      ...\nnot ok 1 - cart\n  ---\n  type: 'suite'\n  ...\n";
        assert_eq!(find_failing_tests(tap), ["adds", "x"]);
    }
}
