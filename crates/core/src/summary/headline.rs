//! Chooses the line that describes the error to a person. `normalize` creates the text for signing.

use super::MAX_HEADLINE_CHARS;
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of lines that are joined with an unfinished line. `GoogleTest` prints two values on two lines each.
const MAX_JOINED_LINES: usize = 4;

/// Maximum number of lines between a sentence that announces two values and the second value.
const MAX_LINES_TO_VALUES: usize = 6;

/// Returns the first line that is an error and not output around an error. A line that only announces an error is
/// joined with the next lines.
pub(super) fn choose_headline(lines: &[String]) -> String {
    let error_lines: Vec<&str> = strip_message_prefixes(lines).filter(|line| !is_unrelated_to_error(line)).collect();
    // Insta prints the difference before its panic. Announcements of scripts and task errors of Gradle count only if
    // there is no other line.
    let panic = error_lines.iter().position(|line| line.starts_with("snapshot assertion for '"));
    let start = panic.or_else(|| error_lines.iter().position(|line| !is_announcement(line))).unwrap_or(0);
    let error_lines = &error_lines[start..];
    let Some(first) = error_lines.first() else { return describe_failure_without_error(lines) };
    let mut headline = (*first).to_owned();
    let diff = if is_unfinished(first) { find_first_difference(lines, first) } else { Vec::new() };
    for line in &diff {
        headline = [&headline, " ", line].concat();
    }
    let rest = if diff.is_empty() { MAX_JOINED_LINES } else { 0 };
    for (number, next) in error_lines.iter().enumerate().skip(1).take(rest) {
        // A diff: `- 2` above `+ 3`, or in the other order.
        let before = error_lines[number - 1];
        let is_diff =
            next.starts_with("+ ") && before.starts_with("- ") || next.starts_with("- ") && before.starts_with("+ ");
        let is_value = ends_with_cpp_value(&error_lines[..=number]);
        if !is_unfinished(&headline) && !is_diff && !is_value {
            break;
        }
        let separator = if headline.ends_with(':') || is_diff || is_value { " " } else { ": " };
        headline = [&headline, separator, next].concat();
    }
    if let Some(values) = find_compared_values(error_lines, lines) {
        headline = values;
    }
    // `fetch failed` alone does not explain the error, so add the cause.
    if let Some(cause) = error_lines.iter().skip(1).find_map(|line| line.trim_start().strip_prefix("[cause]: ")) {
        headline = [&headline, ": ", cause.trim_end_matches([' ', '{'])].concat();
    }
    display::sanitize_line(&headline, MAX_HEADLINE_CHARS)
}

/// Describes a failure without an error text: a package manager that only printed its command, TAP without tests, or a
/// coverage table.
fn describe_failure_without_error(lines: &[String]) -> String {
    static FAILURE_BEFORE_TESTS: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^(?:> \S.*|TAP version \d+|\d+\.\.\d+(?: #.*)?|# [a-z_]+ [\d.]+|npm (?:ERR!|error).*)$";
        Regex::new(pattern).expect("a constant pattern")
    });
    static COVERAGE_ROW: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^All files\s*\|\s*([\d.]+)\s*\|").expect("a constant pattern"));
    let covered = lines.iter().find_map(|line| COVERAGE_ROW.captures(line)).map(|found| found[1].to_owned());
    if let Some(covered) = covered.filter(|covered| covered != "100") {
        return format!("failed without an error text; {covered} % of the statements are covered");
    }
    let is_silent = !lines.is_empty() && lines.iter().all(|line| FAILURE_BEFORE_TESTS.is_match(line));
    if is_silent { "failed without an error text".to_owned() } else { String::new() }
}

/// Returns the lines without the prefix of their message. The line below Gradle's task error contains the message.
fn strip_message_prefixes(lines: &[String]) -> impl Iterator<Item = &str> {
    let before = std::iter::once("").chain(lines.iter().map(String::as_str));
    lines.iter().zip(before).map(|(line, before)| {
        let answer = line.strip_prefix("> ").filter(|_| GRADLE_TASK.is_match(before));
        answer.unwrap_or_else(|| if is_unrelated_to_error(line) { line } else { strip_tool_prefix(line) })
    })
}

static GRADLE_TASK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"^(?:Execution failed for task '[^']+'|A problem occurred \S.*|Could not (?:determine|resolve) .*)\.$";
    Regex::new(pattern).expect("a constant pattern")
});

/// Checks for a line about an activity, a count or a warning: `checking`, `Running the tests ...`, `0`.
fn is_announcement(line: &str) -> bool {
    static ACTIVITY: LazyLock<Regex> = LazyLock::new(|| {
        let verbs = concat!(
            "check|runn|test|build|start|install|compil|lint|wait|load|prepar|sett|generat|verify|validat|execut|clean|",
            "fetch|us|read|creat|connect|deploy|process|collect|download|migrat|seed|format|bundl|serv|launch|setup",
        );
        let work = format!(r"(?:\W+ )?(?:{verbs})ing(?:\s[^:]*)?(?:\.\.\.|…|:)?");
        let pattern = format!(r"^(?i:{work}|\d[\d.,]*%?|ok|done|success|(?:\S+:\d+(?::\d+)?: )?warning: .*)$");
        Regex::new(&pattern).expect("a constant pattern")
    });
    ACTIVITY.is_match(line) && line != "WARNING: DATA RACE" || GRADLE_TASK.is_match(line)
}

/// Checks whether the last line is what a C++ framework prints below a checked expression: `GoogleTest` prints each
/// value (with its expression unless the expression is a constant), `Catch` and `doctest` print the expanded
/// expression.
fn ends_with_cpp_value(lines: &[&str]) -> bool {
    let [first, values @ ..] = lines else { return false };
    let Some(line) = values.last() else { return false };
    match *first {
        "Expected equality of these values:" => {
            values.iter().filter(|value| !value.starts_with("Which is: ")).count() <= 2
        }
        _ if first.starts_with("Value of: ") => line.starts_with("Actual: ") || line.starts_with("Expected: "),
        _ => {
            matches!(*line, "with expansion:" | "due to unexpected exception with message:")
                || line.starts_with("values: ")
        }
    }
}

/// Returns a headline with both values if each value is on a separate line.
fn find_compared_values(error_lines: &[&str], lines: &[String]) -> Option<String> {
    find_gomega_values(error_lines)
        .or_else(|| find_exunit_code(error_lines.first()?, lines))
        .or_else(|| find_labelled_values(error_lines))
}

/// Adds the asserted code, which `ExUnit` prints below a sentence without an expression.
fn find_exunit_code(sentence: &str, lines: &[String]) -> Option<String> {
    const EXUNIT_SENTENCES: [&str; 3] =
        ["Expected truthy, got ", "Expected false or nil, got ", "Assertion failed, no matching "];
    EXUNIT_SENTENCES.iter().any(|start| sentence.starts_with(start)).then_some(())?;
    let code = lines.iter().find_map(|line| line.strip_prefix("code:"))?;
    Some([sentence, ": ", code.trim()].concat())
}

/// Joins the values of Gomega, which prints `Expected`, the actual value, the matcher and the expected value on
/// separate lines. A line about a timeout may be before these lines.
fn find_gomega_values(error_lines: &[&str]) -> Option<String> {
    const MAX_LINES_BEFORE_VALUES: usize = 1;
    let start = error_lines.iter().take(MAX_LINES_BEFORE_VALUES + 1).position(|line| *line == "Expected")?;
    let is_matcher = |line: &&str| line.starts_with("to ") || line.starts_with("not to ");
    let matcher = error_lines[start..].iter().take(MAX_JOINED_LINES).position(is_matcher)? + start;
    let last = error_lines.get(matcher + 1).filter(|line| line.starts_with('<')).map_or(matcher, |_| matcher + 1);
    Some(error_lines[..=last].join(" "))
}

/// Joins values with labels such as `Expected:` and `Received:`, with or without a sentence or a call of a matcher
/// above them.
fn find_labelled_values(error_lines: &[&str]) -> Option<String> {
    // A matcher of Jest or Playwright, ExUnit, busted, Test::More, Bats, Rust, an error type without a message.
    static SENTENCE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^(?:(?:Error: )?expect\(.*\)(?:\.\w+)*\.\w+\(.*|Assertion with \S+ failed|(?:\S+:\d+: )?Expected objects to .*\.",
            r"|Failed test (?:'.*'|at .*)|`.*' failed(?: with status \d+)?|assertion `left \S+ right` failed(?:: .*)?|\S*(?:Error|Exception):?)$",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        // Playwright prints no value if it found no element.
        let pattern = concat!(
            r"(?i)^(?:(?:but )?(?:expected|received|actual|got|was|left|right)\b[\w ]*|passed in|but) ?:",
            r"|^Error: element\(s\) not found",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    let (first, below) = error_lines.split_first()?;
    let is_sentence = SENTENCE.is_match(first);
    let lines = if is_sentence { below } else { error_lines };
    let starts: Vec<usize> = (0..lines.len()).filter(|&at| LABEL.is_match(lines[at])).take(2).collect();
    let &[one, other] = starts.as_slice() else { return find_bats_output(first, below) };
    let is_near = if is_sentence { other < MAX_LINES_TO_VALUES } else { one == 0 && is_actual_value(lines[other]) };
    if !is_near || other > one + 2 {
        return None;
    }
    // The value may be on the line below the label.
    let value = |at: usize| match lines.get(at + 1).filter(|_| lines[at].ends_with(':')) {
        Some(next) => [lines[at], " ", next].concat(),
        None => lines[at].to_owned(),
    };
    let values = [value(one), value(other)].join(", ");
    Some(if is_sentence { [first.trim_end_matches(['.', ':']), ": ", &values].concat() } else { values })
}

/// Adds the output of the command, which Bats prints below the command.
fn find_bats_output(first: &str, below: &[&str]) -> Option<String> {
    let output = below.first().filter(|_| first.starts_with('`') && first.ends_with("' failed"))?;
    Some([first, ": ", output.trim_matches(['-', ' '])].concat())
}

fn is_actual_value(line: &str) -> bool {
    ["got: ", "actual: ", "but was: ", "but: ", "But was: ", "but got: ", "Actual: ", "Received: "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Removes the prefix that a tool prints before a message: the place and the level of a linter, the comment mark of
/// TAP, the frame of Ruby.
fn strip_tool_prefix(line: &str) -> &str {
    static BEFORE_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^(?:\s*(?:\d+:\d+\s+(?:error|✖)|✖\s+\d+:\d+)\s+|#\s+|\S+:\d+:in [`'][^']+': ",
            // TypeScript on a terminal, and in ts-jest.
            r"|\S+:\d+:\d+ - error )",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    BEFORE_MESSAGE.find(line).map_or(line, |found| &line[found.end()..])
}

/// Checks for a line that names an error type or announces a message on the next line: `AssertionError`,
/// `java.lang.IllegalStateException:`, `Expected values to be strictly equal:`.
fn is_unfinished(line: &str) -> bool {
    static BARE_TYPE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^(?:Uncaught |Unhandled |fatal: )?(?:[\w$]+(?:\.|::|\\))*",
            r"[A-Z][\w$]*(?:Error|Exception|Failure|Fault|Panic|Throwable)?(?: \[\w+\])?:?$",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    line.ends_with(':') || BARE_TYPE.is_match(line)
}

/// Returns the first actual and the first expected line of the diff below the line `announcing`. The diff must have a
/// legend. Lines that both sides have in common contain no information.
fn find_first_difference<'a>(lines: &'a [String], announcing: &str) -> Vec<&'a str> {
    let announced = lines.iter().skip_while(|line| !line.ends_with(announcing)).skip(1);
    let mut below = announced.map(String::as_str).skip_while(|line| line.is_empty());
    // AVA prints the announcement and the legend on one line.
    if !announcing.ends_with("(- actual, + expected):") && !below.next().is_some_and(is_diff_legend) {
        return Vec::new();
    }
    let mut shown: Vec<&str> = Vec::new();
    for line in below {
        let is_marked = line.starts_with("+ ") || line.starts_with("- ");
        if is_marked && shown.iter().all(|other| other[..1] != line[..1]) {
            shown.push(line);
        }
    }
    shown
}

/// Checks for the legend that Node prints above a diff, which starts like a line of the diff.
pub(super) fn is_diff_legend(line: &str) -> bool {
    line.starts_with("+ actual - expected")
}

/// Checks for a line that is not part of an error: output of a package manager, a compiler or a build tool about its
/// own work, a file name, a row of a table, a property of a printed object.
pub(super) fn is_unrelated_to_error(line: &str) -> bool {
    static LINE_AROUND_ERROR: LazyLock<Regex> = LazyLock::new(|| {
        let shapes = [
            // Package managers: the script, and the fact that it failed.
            r"> \S.*",
            r"\$ \S.*",
            r"yarn run v\d.*",
            r"npm (?:ERR!|error|warn|WARN|notice)(?: (?:code|errno|path|syscall|command|Lifecycle script|workspace|location|A complete log).*|\s*)",
            r"(?:ERR_PNPM_RECURSIVE\S*|ELIFECYCLE|\s*ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL)\b.*",
            r"\S+ (?:test|build|lint): (?:Failed|Done)",
            r"error Command failed with exit code \d+\.",
            r"info Visit https?://\S+ for documentation about this command\.",
            r#"error: (?:script|command) ["'`]?\S+["'`]? (?:exited with code|was terminated|failed).*"#,
            // Compilers and build tools: their progress, and the fact that they ended.
            r"(?:Compiling|Checking|Building|Updating|Downloading|Downloaded|Locking|Blocking|Fresh|Finished|Running|Doc-tests|Adding|Installing|Resolving|Fetching|Linking) \S.*",
            r"\[INFO\](?: .*)?",
            r"(?:\[(?:ERROR|FATAL)\] +)*(?:Some problems were encountered while processing the POMs:|The build could not read \d+ projects? .*|The project \S+ \(.*\) has \d+ errors?)",
            r"> Task \S+(?: FAILED)?",
            r"FAILURE: Build failed with an exception\.",
            r"\* What went wrong:",
            // Rake prints the command with its options, and that it failed.
            r"(?:/[\w.+-]+)+/bin/[\w.+-]+ -.*",
            r"rake aborted!|Command failed with status \(\d+\).*|Tasks: TOP => .*|\(See full trace by .*\)",
            r"make(?:\[\d+\])?: (?:\*\*\* )?(?:\[.*|Entering directory.*|Leaving directory.*)",
            r"exit status \d+",
            r"(?:Process|Command|process) (?:exited|failed|completed) with (?:exit )?code \d+\.?",
            r"error: test failed, to rerun pass .*",
            r"For more information about (?:this|an) error, try .*",
            r"Some errors have detailed explanations: .*",
            r"warning: build failed, waiting for other jobs to finish\.\.\.",
            r"error: could not compile `[^`]*`.*",
            // Place of the failure in C++ frameworks.
            r"(?:\S.*(?::\d+|\(\d+\))|unknown file): (?:Failure|FAILED:)",
            // Heading and counts of a list of failures.
            r"(?:FAIL|FAILED|FAILURES|ERRORS|Failures|Errors|Failed Tests|Failed Suites)(?: \d+)?:?",
            r"(?:FAIL|PASS|RUNS) \S+",
            r"={3,}.*",
            r"[.FEsxX]+\s+\[\s*\d+%\]",
            r"\d+ (?:warnings? and \d+ )?errors?",
            // rustc's notes beside an error, and the number of warnings.
            r"= (?:note|help): .*|warning: .* generated \d+ warnings?.*",
            // Go's package, above the compiler's output.
            r"# \S+ \[\S+\.test\]|# [\w.-]+(?:/[\w.~-]+)+",
            r"\d+ (?:tests?|specs?|examples?|assertions?|passing|failing|pending)\b.*",
            // The name of a file, which linters print above its findings.
            r"(?:Exception during run: )?(?:file://)?(?:[A-Za-z]:)?[\w@.~+/\\-]*[\w)\]-]\.\w{1,6}(?::\d+)?(?::\d+)?:?",
            // Node's name for a source without a file.
            r"<\w+>:\d+",
            // A row of a table.
            r"[^|]*\|(?:\s*[\d.%-]+\s*\|?)+[^|]*",
            r"File\s*\|.*",
            r"(?:All files|Statements|Branches|Functions|Lines)\s*[|:]\s*[\d.]+.*",
            r"(?:Name\s+Stmts\s+Miss|TOTAL\s+\d+).*",
            // The legend of a diff, and its omissions.
            r"\+ actual - expected(?: .*)?",
            r"\.\.\.(?: .*)?",
            // Properties of a printed error other than its message.
            r"(?:failureType|generatedMessage|code|operator|exitCode|errno|syscall|duration_ms|location|name|stack|signal|type):\s.*",
            r#"['"]?[a-z$_][\w$-]*['"]?: .*[,{\[]"#,
            r"\{.*\}",
            r"[\w$]*\s?[{\[(]+",
            r"[-=]+ coverage: .* [-=]+|% Coverage report from \w+|Coverage (?:\w+ )?(?:report )?written to .*",
            r"\S+\.\w+(?:\s+\d+){2,4}\s+\d+%.*",
            // TAP: the version, the plan, passed tests, and a test's title.
            r"TAP version \d+",
            r"\d+\.\.\d+(?: #.*)?",
            r"ok \d+\b.*",
            r"# (?:\{ total: .*\}|time=\S+|(?:tests|suites|pass|fail|cancelled|skipped|todo|skip|ok|failed|duration_ms|Subtest:).*)",
            r"- \[(?:skip|todo)\] .*",
            // Gradle's lines about tests and compilers whose errors are further up.
            r"(?:> )?There were failing tests\. See the report at: .*",
            r"(?:> )?Compilation failed; see the compiler (?:error )?output.*",
            r"> Run with --.*",
        ];
        Regex::new(&format!("^(?:{})$", shapes.join("|"))).expect("a constant pattern")
    });
    LINE_AROUND_ERROR.is_match(line)
}
