//! Chooses the line that is the error, for people.
//! What is signed is chosen by `normalize`.

use super::MAX_HEADLINE_CHARS;
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Lines after an unfinished one that may finish it; two values of `GoogleTest` have two each.
const MAX_JOINED_LINES: usize = 4;

/// The first line that is an error and no wrapping of one; one that only announces it is joined with what it announces.
pub(super) fn headline(lines: &[String]) -> String {
    let telling: Vec<&str> = answers_and_others(lines).filter(|line| !is_wrapping(line)).collect();
    // What a script announces, and what Gradle says of a task, is the error only where nothing else is said.
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
        // `- 2` and below it `+ 3`, or the other way round.
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
    // `fetch failed` says less than why.
    if let Some(cause) = telling.iter().skip(1).find_map(|line| line.trim_start().strip_prefix("[cause]: ")) {
        headline = [&headline, ": ", cause.trim_end_matches([' ', '{'])].concat();
    }
    display::line(&headline, MAX_HEADLINE_CHARS)
}

/// Where a package manager only said what it runs, TAP that nothing ran, or a table what is covered, nobody said what went
/// wrong.
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

/// The lines without what stands before their message; below what Gradle says of a task stands what went wrong with it.
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

/// Whether the line only says what is done, counted, asked for or doubted: `checking`, `Running the tests ...`, `0`.
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

/// Whether the last line is of what a framework of C++ puts below what it checked: `GoogleTest` each value, with an expression
/// where it is no constant, `Catch` and `doctest` what became of the expression.
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

/// `expected: 4`, and on the next line `got: 3`.
fn is_expected(line: &str) -> bool {
    line.starts_with("expected: ") || line.starts_with("Expected: ")
}

fn is_actual(line: &str) -> bool {
    ["got: ", "actual: ", "but was: ", "Actual: ", "Received: "].iter().any(|start| line.starts_with(start))
}

/// The line without what tools put before the message: a linter's place and level, TAP's mark of a comment, Ruby's frame.
fn unmarked(line: &str) -> &str {
    static BEFORE_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"^(?:\s*(?:\d+:\d+\s+(?:error|✖)|✖\s+\d+:\d+)\s+|#\s+|\S+:\d+:in [`'][^']+': ",
            // TypeScript's at a terminal, and in ts-jest.
            r"|\S+:\d+:\d+ - error )",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    BEFORE_MESSAGE.find(line).map_or(line, |found| &line[found.end()..])
}

/// Whether the line names the kind of an error, or announces a message, and the message is on the next line:
/// `AssertionError`, `java.lang.IllegalStateException:`, `Expected values to be strictly equal:`.
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

/// The first line of what came and of what was expected, of a diff with a legend that is announced by a line; what both have
/// stands around them and tells nothing.
fn marked_diff<'a>(lines: &'a [String], announcing: &str) -> Vec<&'a str> {
    let announced = lines.iter().skip_while(|line| !line.ends_with(announcing)).skip(1);
    let mut below = announced.map(String::as_str).skip_while(|line| line.is_empty());
    // AVA's line is both.
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

/// What Node says of a diff's marks: it begins as the lines of the diff do.
pub(super) fn is_diff_legend(line: &str) -> bool {
    line.starts_with("+ actual - expected")
}

/// Whether the line stands around an error and is none: what a package manager, a compiler or a build tool says of its own
/// work, a file's name, a row of a table, a property of a printed object.
pub(super) fn is_wrapping(line: &str) -> bool {
    static WRAPPING: LazyLock<Regex> = LazyLock::new(|| {
        let shapes = [
            // Package managers: the script, and that it failed.
            r"> \S.*",
            r"\$ \S.*",
            r"yarn run v\d.*",
            r"npm (?:ERR!|error|warn|WARN|notice)(?: (?:code|errno|path|syscall|command|Lifecycle script|workspace|location|A complete log).*|\s*)",
            r"(?:ERR_PNPM_RECURSIVE\S*|ELIFECYCLE|\s*ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL)\b.*",
            r"\S+ (?:test|build|lint): (?:Failed|Done)",
            r"error Command failed with exit code \d+\.",
            r"info Visit https?://\S+ for documentation about this command\.",
            r#"error: (?:script|command) ["'`]?\S+["'`]? (?:exited with code|was terminated|failed).*"#,
            // Compilers and build tools: their progress, and that it ended.
            r"(?:Compiling|Checking|Building|Updating|Downloading|Downloaded|Locking|Blocking|Fresh|Finished|Running|Doc-tests|Adding|Installing|Resolving|Fetching|Linking) \S.*",
            r"\[INFO\](?: .*)?",
            r"(?:\[(?:ERROR|FATAL)\] +)*(?:Some problems were encountered while processing the POMs:|The build could not read \d+ projects? .*|The project \S+ \(.*\) has \d+ errors?)",
            r"> Task \S+(?: FAILED)?",
            r"FAILURE: Build failed with an exception\.",
            r"\* What went wrong:",
            // A command with its options, as Rake prints what it runs, and that it failed.
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
            // Where frameworks of C++ say that it was.
            r"(?:\S.*(?::\d+|\(\d+\))|unknown file): (?:Failure|FAILED:)",
            // The head of a list of failures, and its counts.
            r"(?:FAIL|FAILED|FAILURES|ERRORS|Failures|Errors|Failed Tests|Failed Suites)(?: \d+)?:?",
            r"(?:FAIL|PASS|RUNS) \S+",
            r"={3,}.*",
            r"[.FEsxX]+\s+\[\s*\d+%\]",
            r"\d+ (?:warnings? and \d+ )?errors?",
            // What rustc says beside an error, and how many warnings there were.
            r"= (?:note|help): .*|warning: .* generated \d+ warnings?.*",
            // Go's package, above what its compiler said.
            r"# \S+ \[\S+\.test\]|# [\w.-]+(?:/[\w.~-]+)+",
            r"\d+ (?:tests?|specs?|examples?|assertions?|passing|failing|pending)\b.*",
            // The name of a file, as linters put it above what they found.
            r"(?:Exception during run: )?(?:file://)?(?:[A-Za-z]:)?[\w@.~+/\\-]*[\w)\]-]\.\w{1,6}(?::\d+)?(?::\d+)?:?",
            // Node's name of a source that is no file.
            r"<\w+>:\d+",
            // A row of a table.
            r"[^|]*\|(?:\s*[\d.%-]+\s*\|?)+[^|]*",
            r"File\s*\|.*",
            r"(?:All files|Statements|Branches|Functions|Lines)\s*[|:]\s*[\d.]+.*",
            r"(?:Name\s+Stmts\s+Miss|TOTAL\s+\d+).*",
            // The legend of a diff, and what it leaves out.
            r"\+ actual - expected(?: .*)?",
            r"\.\.\.(?: .*)?",
            // What a printed error has beside its message.
            r"(?:failureType|generatedMessage|code|operator|exitCode|errno|syscall|duration_ms|location|name|stack|signal|type):\s.*",
            r#"['"]?[a-z$_][\w$-]*['"]?: .*[,{\[]"#,
            r"\{.*\}",
            r"[\w$]*\s?[{\[(]+",
            r"[-=]+ coverage: .* [-=]+|% Coverage report from \w+|Coverage (?:\w+ )?(?:report )?written to .*",
            r"\S+\.\w+(?:\s+\d+){2,4}\s+\d+%.*",
            // TAP: the version, the plan, and what went well; a test's title.
            r"TAP version \d+",
            r"\d+\.\.\d+(?: #.*)?",
            r"ok \d+\b.*",
            r"# (?:\{ total: .*\}|time=\S+|(?:tests|suites|pass|fail|cancelled|skipped|todo|skip|ok|failed|duration_ms|Subtest:).*)",
            r"- \[(?:skip|todo)\] .*",
            // Gradle, of tests and compilers whose errors stand further up.
            r"(?:> )?There were failing tests\. See the report at: .*",
            r"(?:> )?Compilation failed; see the compiler (?:error )?output.*",
            r"> Run with --.*",
            // Where Bats says that it was.
            r"\((?:in|from) .*, line \d+[),]",
        ];
        Regex::new(&format!("^(?:{})$", shapes.join("|"))).expect("a constant pattern")
    });
    WRAPPING.is_match(line)
}
