//! Recognizes lines with the name of a test, because the name does not describe the failure. The patterns follow the
//! output formats of test runners.

use crate::text::bytes::line_above;
use memchr::{memchr, memmem};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Maximum number of lines with nested suites in a title of Mocha.
const MAX_SUITES: usize = 6;

/// Marks that runners print before the name of a failed test.
const FAILED_TEST_MARKS: [&str; 19] = [
    "--- FAIL: ",
    "---- ",
    "--- ",
    "FAILED ",
    "FAIL ",
    "FAIL: ",
    "ERROR ",
    "ERROR: ",
    "[ERROR] ",
    "[FAIL] ",
    "Failed ",
    "✗ ",
    "✕ ",
    "× ",
    "● ",
    "❯ ",
    "test ",
    "not ok ",
    "Test ",
];

/// Returns the mark at the start of the line.
pub(crate) fn find_failed_test_mark(line: &str) -> Option<&'static str> {
    FAILED_TEST_MARKS.into_iter().find(|mark| line.starts_with(mark))
}

/// Checks for a line with only the name of a test.
pub(crate) fn is_test_title(line: &[u8]) -> bool {
    static TITLE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^(?-u:\s*--- FAIL: \S+ \(\d[\d.]*s\)",             // Go
            r"|---- \S+ stdout ----",                            // Rust
            r"|(?:FAIL|ERROR): \w+ \([\w.]+\)",                  // unittest
            r"|_{3,} [^\n]* _{3,}",                              // pytest
            r"|[\w.$]+(?:::|#)[\w\[\]]+",                        // Java, Class::method
            r"|\s*\d+\) [^\n:]{1,200}:?",                        // Mocha, RSpec
            r"|\s*\d+\) [\w\\]+::\w[^\n]* with data set [^\n]*", // PHPUnit
            r"|\s*(?:FAIL|×|✕|✗)\s+\S+ > [^\n]*",
            r"|\s*● [^\n]+ › [^\n]*",                          // Jest
            r"|rspec \./[^\n]+ # [^\n]*",                      // RSpec's list of failures
            r"|[\w.$]+ > [^\n]+ FAILED",                       // Gradle
            r"|\s*Failed \w[^\n]* \[(?:< )?[\d.,]+ \w+\]",     // dotnet test
            r"|\[ +(?:RUN|OK|FAILED) +\] \S+(?: \(\d+ ms\))?", // googletest
            r"|\s*# Subtest: [^\n]*",                          // TAP
            r"|\s*Scenario(?: Outline)?: [^\n]*)\s*$",         // Gherkin
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    may_match_title(line.trim_ascii_start()) && TITLE.is_match(line)
}

/// Rejects most lines without running the regular expression.
fn may_match_title(line: &[u8]) -> bool {
    match line.first() {
        Some(b'-') => line.starts_with(b"---"),
        Some(b'#') => line.starts_with(b"# Subtest"),
        Some(b'[') => line.starts_with(b"[ "),
        Some(0xc3 | 0xe2) => true,
        Some(b'_' | b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9') => {
            const STARTS: [&[u8]; 6] = [b"FAIL", b"ERROR: ", b"___", b"Failed ", b"Scenario", b"rspec ./"];
            let part_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
            let path = line.iter().position(|byte| !part_of_path(byte)).unwrap_or(line.len());
            STARTS.iter().any(|start| line.starts_with(start))
                || [&b"::"[..], b"#", b") ", b" > "].iter().any(|next| line[path..].starts_with(next))
        }
        _ => false,
    }
}

/// Checks for a line that may be the name of a test or a message, because runners print the same mark and duration for
/// both.
pub(crate) fn may_be_test_title(line: &[u8]) -> bool {
    static MARKED_TITLE_OR_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^\s*(?-u:not ok \d+ - \S",                              // TAP
            r"|● [^\n]*[^\s:]\s*$",                                   // Jest, without a suite
            r"|(?:×|✕|✖|✗|✘) [^\n]+?[ (]\d[\d.,]* ?(?:ms|s)\)?\s*$)", // Jest, Mocha, node:test
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    let trimmed = line.trim_ascii_start();
    (matches!(trimmed.first(), Some(0xc3 | 0xe2)) || trimmed.starts_with(b"not ok "))
        && MARKED_TITLE_OR_MESSAGE.is_match(line)
}

/// Checks for a further line of a title: Mocha prints a line per suite, and unittest prints the first line of the
/// docstring.
pub(crate) fn is_title_continuation(text: &[u8], from: usize, to: usize) -> bool {
    continues_mocha_title(text, from, to) || is_docstring(text, from, to)
}

/// Checks for a further line of Mocha's title, where each line is indented more: `  1) Client`, `       get`,
/// `         is tried again:`.
fn continues_mocha_title(text: &[u8], from: usize, to: usize) -> bool {
    let line = &text[from..to];
    if !line.starts_with(b"    ") || memchr(b':', line) != Some(line.len() - 1) {
        return false;
    }
    let above = text[..from].rsplit(|&byte| byte == b'\n').skip(1);
    for line in above.take(MAX_SUITES) {
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() || memchr(b':', trimmed).is_some() {
            return false;
        }
        let digits = trimmed.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && trimmed[digits..].starts_with(b") ") {
            return true;
        }
    }
    false
}

/// Checks for the line between `ERROR: test_x (tests.T.test_x)` and a ruler of `-`.
fn is_docstring(text: &[u8], from: usize, to: usize) -> bool {
    if from == 0 || !text[to..].trim_ascii_start().starts_with(b"----------") {
        return false;
    }
    let above = line_above(text, from);
    (above.starts_with(b"ERROR: ") || above.starts_with(b"FAIL: ")) && memmem::find(above, b" (").is_some()
}

#[cfg(test)]
mod tests {
    use super::{is_test_title, is_title_continuation, may_be_test_title};

    #[test]
    fn titles_match_and_messages_do_not() {
        let titles = [
            "--- FAIL: TestTimeout (0.00s)",
            "a.b.TimeoutTest::testTimeout",
            "  ● client › is tried again when refused",
            "rspec ./spec/client_spec.rb:12 # Client when the connection timed out",
            "ClientTest > connection refused is retried() FAILED",
            "  Failed Shop.ClientTests.Retries when refused [12 ms]",
            "[  FAILED  ] ClientTest.ConnectionRefused (3 ms)",
            "# Subtest: answers 503 Service Unavailable",
            "1) App\\ClientTest::testRefused with data set \"HTTP 500\"",
            "Scenario: Connection refused is reported # features/a.feature:3",
        ];
        let messages = [
            "Failed: Timeout (>5.0s) from pytest-timeout.",
            "Failed to connect to localhost [10 ms]:",
            "● Validation Error:",
            "[ERROR] connection refused",
            "ConnectException: refused > FAILED to connect",
        ];
        assert_eq!(titles.iter().find(|title| !is_test_title(title.as_bytes())), None);
        assert_eq!(messages.iter().find(|message| is_test_title(message.as_bytes())), None);
    }

    #[test]
    fn marked_lines_may_be_titles() {
        for line in ["not ok 3 - is tried again when refused", "● times out", "✕ times out (5 ms)", "✖ refused 1.2s"]
        {
            assert!(may_be_test_title(line.as_bytes()), "{line}");
        }
        for line in ["● Validation Error:", "✖ connection refused", "ok 3 - x", "✘ [ERROR] Could not resolve \"x\""]
        {
            assert!(!may_be_test_title(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn titles_continue_on_further_lines() {
        let is_title_continuation = |text: &str, line: &str| {
            let from = text.find(line).expect("the line stands in the text");
            is_title_continuation(text.as_bytes(), from, from + line.len())
        };
        let mocha = "  1) Client\n       get\n         retries when refused:\n     Error: refused";
        assert!(is_title_continuation(mocha, "         retries when refused:"));
        assert!(!is_title_continuation(mocha, "     Error: refused"));
        assert!(!is_title_continuation(
            "  1) Client retries\n     Failure/Error: get\n     Errno::ECONNREFUSED:",
            "     Errno::ECONNREFUSED:"
        ));
        assert!(!is_title_continuation("  1) Client retries:\n     connection refused:", "     connection refused:"));
        assert!(is_title_continuation(
            "ERROR: test_x (tests.T.test_x)\nTimed out twice.\n----------\n",
            "Timed out twice."
        ));
        assert!(!is_title_continuation("ERROR: it failed\nTimed out twice.\n----------\n", "Timed out twice."));
    }
}
