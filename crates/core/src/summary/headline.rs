//! Chooses the line that is the error, for people.
//! Does not: choose what is signed.

use super::MAX_HEADLINE;
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Lines after an unfinished one that may finish it.
const MAX_JOINED: usize = 3;

/// The first line that is an error and no wrapping of one; one that only announces it is joined with what it announces.
pub(super) fn headline(lines: &[String]) -> String {
    let telling: Vec<&str> = lines.iter().map(|line| unmarked(line)).filter(|line| !is_wrapping(line)).collect();
    let Some(first) = telling.first() else { return String::new() };
    let mut headline = (*first).to_owned();
    for next in telling.iter().skip(1).take(MAX_JOINED) {
        if !is_unfinished(&headline) {
            break;
        }
        let separator = if headline.ends_with(':') { " " } else { ": " };
        headline = [&headline, separator, next].concat();
    }
    if let Some(actual) = telling.get(1).filter(|next| is_expected(first) && is_actual(next)) {
        headline = [first, ", ", actual].concat();
    }
    display::line(&headline, MAX_HEADLINE)
}

/// `expected: 4`, and on the next line `got: 3`.
fn is_expected(line: &str) -> bool {
    line.starts_with("expected: ") || line.starts_with("Expected: ")
}

fn is_actual(line: &str) -> bool {
    ["got: ", "actual: ", "but was: ", "Actual: ", "Received: "].iter().any(|start| line.starts_with(start))
}

/// The line without what tools put before the message: a linter's place and level.
fn unmarked(line: &str) -> &str {
    static LINTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*\d+:\d+\s+(?:error|✖)\s+").expect("a constant pattern"));
    LINTED.find(line).map_or(line, |found| &line[found.end()..])
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

/// Whether the line stands around an error and is none: what a package manager, a compiler or a build tool says of its own
/// work, a file's name, a row of a table, a property of a printed object.
pub(super) fn is_wrapping(line: &str) -> bool {
    static WRAPPING: LazyLock<Regex> = LazyLock::new(|| {
        let shapes = [
            // Package managers: the script, and that it failed.
            r"> \S.*",
            r"\$ \S.*",
            r"yarn run v\d.*",
            r"npm (?:ERR!|error|warn|WARN|notice)(?: (?:code|errno|path|command|Lifecycle script|workspace|location|A complete log).*|\s*)",
            r"(?:ERR_PNPM_RECURSIVE\S*|ELIFECYCLE|\s*ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL)\b.*",
            r"\S+ (?:test|build|lint): (?:Failed|Done)",
            r"error Command failed with exit code \d+\.",
            r"info Visit https?://\S+ for documentation about this command\.",
            r#"error: (?:script|command) ["'`]?\S+["'`]? (?:exited with code|was terminated|failed).*"#,
            // Compilers and build tools: their progress, and that it ended.
            r"(?:Compiling|Checking|Building|Updating|Downloading|Downloaded|Locking|Blocking|Fresh|Finished|Running|Doc-tests|Adding|Installing|Resolving|Fetching|Linking) \S.*",
            r"\[INFO\](?: .*)?",
            r"> Task \S+(?: FAILED)?",
            r"FAILURE: Build failed with an exception\.",
            r"\* What went wrong:",
            r"make(?:\[\d+\])?: (?:\*\*\* )?(?:\[.*|Entering directory.*|Leaving directory.*)",
            r"exit status \d+",
            r"(?:Process|Command|process) (?:exited|failed|completed) with (?:exit )?code \d+\.?",
            r"error: test failed, to rerun pass .*",
            r"For more information about (?:this|an) error, try .*",
            r"Some errors have detailed explanations: .*",
            r"warning: build failed, waiting for other jobs to finish\.\.\.",
            r"error: could not compile `[^`]*`.*",
            // The head of a list of failures, and its counts.
            r"(?:FAIL|FAILED|FAILURES|ERRORS|Failures|Errors|Failed Tests|Failed Suites)(?: \d+)?:?",
            r"(?:FAIL|PASS|RUNS) \S+",
            r"={3,}.*",
            r"\d+ (?:tests?|specs?|examples?|assertions?|passing|failing|pending)\b.*",
            // The name of a file, as linters put it above what they found.
            r"(?:file://)?(?:[A-Za-z]:)?[\w@.~+/\\-]*[\w)\]-]\.\w{1,6}(?::\d+)?(?::\d+)?:?",
            // A row of a table.
            r"[^|]*\|(?:\s*[\d.%-]+\s*\|?)+[^|]*",
            r"File\s*\|.*",
            r"(?:All files|Statements|Branches|Functions|Lines)\s*[|:]\s*[\d.]+.*",
            r"(?:Name\s+Stmts\s+Miss|TOTAL\s+\d+).*",
            // What a printed error has beside its message.
            r"(?:failureType|generatedMessage|code|operator|exitCode|errno|syscall|duration_ms|location|name|stack|signal|type):\s.*",
            r#"['"]?[a-z$_][\w$-]*['"]?: .*[,{\[]"#,
            r"\{.*\}",
            r"[\w$]*\s?[{\[(]+",
            // Where Bats says that it was.
            r"\((?:in|from) .*, line \d+[),]",
        ];
        Regex::new(&format!("^(?:{})$", shapes.join("|"))).expect("a constant pattern")
    });
    WRAPPING.is_match(line)
}
