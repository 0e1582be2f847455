//! Chooses the line that describes the error to a person. `normalize` chooses the text for signing.

use super::MAX_HEADLINE_CHARS;
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of lines that may complete an unfinished line; two values of `GoogleTest` take two lines each.
const MAX_JOINED_LINES: usize = 4;

/// Returns the first line that is an error and not output around an error. A line that only announces an error is
/// joined with the next lines.
pub(super) fn headline(lines: &[String]) -> String {
    let telling: Vec<&str> = answers_and_others(lines).filter(|line| !is_wrapping(line)).collect();
    // Announcements of scripts, and Gradle's task errors, count only if there is no other line.
    let start = telling.iter().position(|line| !is_announcement(line)).unwrap_or(0);
    let telling = &telling[start..];
    let Some(first) = telling.first() else { return describe_exit(lines) };
    let mut headline = (*first).to_owned();
    let diff = if is_unfinished(first) { marked_diff(lines, first) } else { Vec::new() };
    for line in &diff {
        headline = [&headline, " ", line].concat();
    }
    let rest = if diff.is_empty() { MAX_JOINED_LINES } else { 0 };
    for (number, next) in telling.iter().enumerate().skip(1).take(rest) {
        // `- 2` with `+ 3` below it, or in the other order.
        let before = telling[number - 1];
        let is_diff =
            next.starts_with("+ ") && before.starts_with("- ") || next.starts_with("- ") && before.starts_with("+ ");
        let is_value = is_value_of_cpp(&telling[..=number]);
        if !is_unfinished(&headline) && !is_diff && !is_value {
            break;
        }
        let separator = if headline.ends_with(':') || is_diff || is_value { " " } else { ": " };
        headline = [&headline, separator, next].concat();
    }
    if let Some(actual) = telling.get(1).filter(|next| is_expected(first) && is_actual(next)) {
        headline = [first, ", ", actual].concat();
    }
    // `fetch failed` alone does not explain the error.
    if let Some(cause) = telling.iter().skip(1).find_map(|line| line.trim_start().strip_prefix("[cause]: ")) {
        headline = [&headline, ": ", cause.trim_end_matches([' ', '{'])].concat();
    }
    display::line(&headline, MAX_HEADLINE_CHARS)
}

/// Describes a failure without an error text: a package manager that only printed its command, TAP without tests, or a
/// coverage table.
fn describe_exit(lines: &[String]) -> String {
    static BEFORE_TESTS: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"^(?:> \S.*|TAP version \d+|\d+\.\.\d+(?: #.*)?|# [a-z_]+ [\d.]+|npm (?:ERR!|error).*)$";
        Regex::new(pattern).expect("a constant pattern")
    });
    static COVERED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^All files\s*\|\s*([\d.]+)\s*\|").expect("a constant pattern"));
    let covered = lines.iter().find_map(|line| COVERED.captures(line)).map(|found| found[1].to_owned());
    if let Some(covered) = covered.filter(|covered| covered != "100") {
        return format!("failed without an error text; {covered} % of the statements are covered");
    }
    let is_silent = !lines.is_empty() && lines.iter().all(|line| BEFORE_TESTS.is_match(line));
    if is_silent { "failed without an error text".to_owned() } else { String::new() }
}

/// Returns the lines without the prefix of their message. The line below Gradle's task error contains the message.
fn answers_and_others(lines: &[String]) -> impl Iterator<Item = &str> {
    let before = std::iter::once("").chain(lines.iter().map(String::as_str));
    lines.iter().zip(before).map(|(line, before)| {
        let answer = line.strip_prefix("> ").filter(|_| GRADLE_TASK.is_match(before));
        answer.unwrap_or_else(|| if is_wrapping(line) { line } else { unmarked(line) })
    })
}

static GRADLE_TASK: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"^(?:Execution failed for task '[^']+'|A problem occurred \S.*|Could not (?:determine|resolve) .*)\.$";
    Regex::new(pattern).expect("a constant pattern")
});

/// Checks for a line about an activity, a count or a warning: `checking`, `Running the tests ...`, `0`.
fn is_announcement(line: &str) -> bool {
    static WORK: LazyLock<Regex> = LazyLock::new(|| {
        let verbs = concat!(
            "check|runn|test|build|start|install|compil|lint|wait|load|prepar|sett|generat|verify|validat|execut|clean|",
            "fetch|us|read|creat|connect|deploy|process|collect|download|migrat|seed|format|bundl|serv|launch|setup",
        );
        let work = format!(r"(?:\W+ )?(?:{verbs})ing(?:\s[^:]*)?(?:\.\.\.|…|:)?");
        let pattern = format!(r"^(?i:{work}|\d[\d.,]*%?|ok|done|success|(?:\S+:\d+(?::\d+)?: )?warning: .*)$");
        Regex::new(&pattern).expect("a constant pattern")
    });
    WORK.is_match(line) || GRADLE_TASK.is_match(line)
}

/// Checks whether the last line is output of a C++ framework below the checked expression: `GoogleTest` prints each
/// value (with its expression unless it is a constant), `Catch` and `doctest` print the expanded expression.
fn is_value_of_cpp(lines: &[&str]) -> bool {
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

/// `expected: 4`, with `got: 3` on the next line.
fn is_expected(line: &str) -> bool {
    line.starts_with("expected: ") || line.starts_with("Expected: ")
}

fn is_actual(line: &str) -> bool {
    ["got: ", "actual: ", "but was: ", "Actual: ", "Received: "].iter().any(|start| line.starts_with(start))
}

/// Removes the prefix that tools put before the message: a linter's place and level, TAP's comment mark, Ruby's frame.
fn unmarked(line: &str) -> &str {
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

/// Returns the first actual and the first expected line of a diff with a legend that a line announces. Lines that both
/// sides share contain no information.
fn marked_diff<'a>(lines: &'a [String], announcing: &str) -> Vec<&'a str> {
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

/// Checks for Node's legend of a diff, which starts like a line of the diff.
pub(super) fn is_diff_legend(line: &str) -> bool {
    line.starts_with("+ actual - expected")
}

/// Checks for a line around an error: output of a package manager, a compiler or a build tool about its own work, a
/// file name, a row of a table, a property of a printed object.
pub(super) fn is_wrapping(line: &str) -> bool {
    static WRAPPING: LazyLock<Regex> = LazyLock::new(|| {
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
            // Place of the failure in Bats.
            r"\((?:in|from) .*, line \d+[),]",
        ];
        Regex::new(&format!("^(?:{})$", shapes.join("|"))).expect("a constant pattern")
    });
    WRAPPING.is_match(line)
}
