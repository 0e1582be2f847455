//! Reads numbers in tests and their settings: time limits, coverage, retries. Callers compare a value only with a value
//! of the same key, so that the unit of a number does not have to be known.

use regex::Regex;
use std::sync::LazyLock;

/// A setting and its value on one line.
#[derive(Debug, PartialEq)]
pub(super) struct Setting<'l> {
    pub(super) key: &'l str,
    pub(super) value: f64,
}

impl Setting<'_> {
    /// Returns `true` if the key names tests.
    pub(super) fn is_test_setting(&self) -> bool {
        let key = self.key.to_lowercase();
        ["test", "hook", "teardown"].iter().any(|word| key.contains(word))
    }
}

/// Pattern of a value with its unit and factors: `30 * 1000`, `2m`, `Duration.ofSeconds(30)`.
const VALUE_PATTERN: &str =
    r"(?:(\d[\d_]*(?:\.\d+)?)(?:\s*\*\s*(\d[\d_]*))?(?:\s*\*\s*(\d[\d_]*))?\s*(ms|s|sec|m|min|h)?\b)";

static TIMEOUT_SETTING: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = [
        r"(?i)\b((?:test|hook|default|teardown|expect|action|navigation|command|page-?load|response|request|max|slow|per-test|global|session|wait|polling|job)?[-_]?time-?out(?:[-_]?(?:ms|millis|seconds|secs?|minutes|in[-_]millis))?|settimeout|settesttimeout|setdefaulttimeout|waitfor|wait_until|eventually|within|atmost|withtimeout)\b[\x22']?\s*(?:[:=(]|\s)\s*(?:value\s*=\s*)?(?:Duration\.of\w+\(|time\.\w+\s*\*\s*|timedelta\(\w+=|Duration::from_\w+\()?",
        VALUE_PATTERN,
    ]
    .concat();
    compile(&pattern)
});
/// The timeout as the last argument of a test in Jest and Vitest: `}, 30000);`.
static TIMEOUT_ARGUMENT: LazyLock<Regex> =
    LazyLock::new(|| compile(&[r"^\s*(\}),\s*", VALUE_PATTERN, r"\s*\)\s*;?\s*$"].concat()));
static COVERAGE_SETTING: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = [
        r"(?i)\b(branches|functions|lines|statements|fail[-_]under|cov-fail-under|minimum[-_]coverage(?:_by_file)?|minimum|threshold|check-coverage|covered_?ratio|line_?coverage|branch_?coverage|min[-_]?coverage|target)\b[\x22']?\s*(?:[:=(>\s]|\s)\s*[\x22']?(?:global\s*:\s*)?",
        VALUE_PATTERN,
    ]
    .concat();
    compile(&pattern)
});
static RETRY_SETTING: LazyLock<Regex> = LazyLock::new(|| {
    compile(&[r"(?i)\b(retries|retry|retrytimes|reruns|flaky|max_runs|rerun_count|test-?retry)\b[\x22']?\s*[:=(\s]\s*(?:max_runs\s*=\s*|reruns\s*=\s*)?", VALUE_PATTERN].concat())
});

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// Returns the time limit of a test on this line.
pub(super) fn read_timeout(line: &str) -> Option<Setting<'_>> {
    read_setting(&TIMEOUT_SETTING, line).or_else(|| read_setting(&TIMEOUT_ARGUMENT, line))
}

/// Returns the required coverage on this line.
pub(super) fn read_coverage(line: &str) -> Option<Setting<'_>> {
    read_setting(&COVERAGE_SETTING, line)
}

/// Returns `true` if the line retries failed tests.
pub(super) fn retries_failed_tests(line: &str) -> bool {
    static RETRY_OPTION: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"\bjest\.retryTimes\(\s*[1-9]|\bthis\.retries\(\s*[1-9]|@(?:pytest\.mark\.)?flaky\b|@(?:RetryingTest|RepeatedIfExceptionsTest|Flaky)\b|\bretr(?:y|ies)\b['\x22]?\s*[:=]\s*[1-9]|--(?:retries|reruns|retry)[= ][1-9]",
        )
    });
    RETRY_OPTION.is_match(line)
}

/// Returns `true` if the line allows a slow test, as in Playwright or Vitest.
pub(super) fn allows_slow_test(line: &str) -> bool {
    line.contains("test.slow(")
}

/// Returns the number of retries on this line.
pub(super) fn read_retries(line: &str) -> Option<Setting<'_>> {
    read_setting(&RETRY_SETTING, line)
}

fn read_setting<'l>(pattern: &Regex, line: &'l str) -> Option<Setting<'l>> {
    let line = &line[..line.floor_char_boundary(1024)];
    let found = pattern.captures(line)?;
    let number = |group: usize| found.get(group).and_then(|text| text.as_str().replace('_', "").parse::<f64>().ok());
    let unit = match found.get(5).map(|unit| unit.as_str()) {
        Some("s" | "sec") => 1e3,
        Some("m" | "min") => 60e3,
        Some("h") => 3600e3,
        _ => 1.0,
    };
    let value = number(2)? * number(3).unwrap_or(1.0) * number(4).unwrap_or(1.0) * unit;
    Some(Setting { key: found.get(1)?.as_str(), value })
}
