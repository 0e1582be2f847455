//! Selects the part of a command's output to keep if the command wrote no report: the block that describes the error.
//!
//! Compilers print the first error first; test runners and package managers print the cause last. Progress lines and
//! summaries surround both. Each line is therefore checked for an error, and the block around the lines that describe
//! errors is kept. `argus-core` classifies and normalizes.

use crate::cpp_frameworks::extract_failed_assertions;
use argus_core::{bound, display::strip_escapes};

/// Maximum size of the kept text.
const MAX_BYTES: usize = 16 * 1024;
/// Number of lines to look at from the end, because a failed build prints the error near its end.
const MAX_LINES: usize = 4_000;
/// Maximum number of lines to keep before the first and after the last line that describes an error.
const MAX_CONTEXT_LINES_BEFORE: usize = 3;
const MAX_CONTEXT_LINES_AFTER: usize = 12;
/// Number of last lines to keep if no line describes an error.
const MAX_LINES_WITHOUT_ERROR: usize = 40;

/// Returns the salient part of a command's output, at most 16 KiB of whole lines.
pub fn extract_error_excerpt(output: &str) -> String {
    if let Some(assertions) = extract_failed_assertions(output) {
        return bound_lines(&assertions.lines().collect::<Vec<_>>());
    }
    // Looks at more text than is kept, so that the first of many errors is still found.
    let start = output.len().saturating_sub(64 * MAX_BYTES);
    let output = &output[output.ceil_char_boundary(start)..];
    let all: Vec<&str> = output.lines().map(str::trim_end).collect();
    let lines = &all[all.len().saturating_sub(MAX_LINES)..];
    let kept = find_error_range(lines)
        .map_or_else(|| &lines[lines.len().saturating_sub(MAX_LINES_WITHOUT_ERROR)..], |(from, to)| &lines[from..to]);
    bound_lines(kept)
}

/// Returns the block that describes the error: the index of its first line, and the index after its last line.
fn find_error_range(lines: &[&str]) -> Option<(usize, usize)> {
    let all: Vec<usize> = (0..lines.len()).filter(|&at| describes_error(lines[at])).collect();
    let causes: Vec<usize> = all.iter().copied().filter(|&at| !is_final_build_message(&lines[at..])).collect();
    let telling = if causes.is_empty() { all } else { causes };
    let last = *telling.last()?;
    // A Python traceback or a Go panic is kept from its first line to its end.
    if let Some(head) = find_traceback_start(lines, last) {
        return Some((head, (last + 1 + MAX_CONTEXT_LINES_AFTER).min(lines.len())));
    }
    // Errors of the same tool are close together, so go back while the gaps are small.
    let mut first = last;
    for &at in telling.iter().rev() {
        if first - at > 40 {
            break;
        }
        first = at;
    }
    Some((
        first.saturating_sub(count_context_lines_before(lines, first)),
        (last + 1 + count_context_lines_after(lines, last)).min(lines.len()),
    ))
}

/// Returns the first line of the traceback that ends at or near `last`.
fn find_traceback_start(lines: &[&str], last: usize) -> Option<usize> {
    let from = last.saturating_sub(200);
    let head = |line: &str| {
        let line = strip_escapes(line);
        line.starts_with("Traceback (most recent call last)")
            || line.starts_with("panic: ")
            || line.starts_with("fatal error: ")
    };
    let heads: Vec<usize> = (from..=last).filter(|&at| head(lines[at])).collect();
    // Chained exceptions are a single failure.
    let newest = *heads.last()?;
    let chained =
        |at: &&usize| newest - **at < 120 && lines[**at..newest].iter().any(|line| is_exception_chain_line(line));
    Some(heads.iter().find(chained).copied().unwrap_or(newest))
}

fn is_exception_chain_line(line: &str) -> bool {
    line.contains("During handling of the above exception") || line.contains("was the direct cause of the following")
}

/// Returns the number of lines that introduce the first line with an error, without a blank line in between.
fn count_context_lines_before(lines: &[&str], first: usize) -> usize {
    if let Some(count) = count_quoted_source_lines(lines, first).or_else(|| count_short_traceback_lines(lines, first)) {
        return count;
    }
    lines[first.saturating_sub(MAX_CONTEXT_LINES_BEFORE)..first]
        .iter()
        .rev()
        .take_while(|line| introduces_error(line) && !is_noise(line))
        .count()
}

/// Returns the number of lines of the location, source line and caret that Node prints before an error, with or without
/// an empty line after them. For a module that could not be linked, no other location is printed.
fn count_quoted_source_lines(lines: &[&str], first: usize) -> Option<usize> {
    let caret = lines[..first].iter().rposition(|line| !line.trim().is_empty())?;
    let is_caret = lines[caret].trim().bytes().all(|byte| byte == b'^');
    let place = caret.checked_sub(2).filter(|_| is_caret && first - caret <= 2)?;
    // Mocha prints a text such as `Exception during run: ` before the location.
    let (file, number) = lines[place].rsplit(": ").next()?.rsplit_once(':')?;
    (!file.contains(' ') && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(first - place)
}

/// Returns the number of lines of the frames in the format of pytest: `src/shop/core.py:45: in <module>`, each followed
/// by its source line. For a file that could not be imported, no other location is printed.
fn count_short_traceback_lines(lines: &[&str], first: usize) -> Option<usize> {
    let is_frame = |line: &str| {
        let number =
            line.split_once(": in ").and_then(|(position, _)| position.rsplit_once(':')).map(|(_, number)| number);
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let belongs = |line: &str| line.starts_with([' ', '\t']) || is_frame(line);
    let count = lines[..first].iter().rev().take_while(|line| belongs(line)).count();
    lines[first - count..first].iter().any(|line| is_frame(line)).then_some(count)
}

/// Returns true for lines such as `In function 'main':`, a path on its own line, or indented lines. Any other line
/// before would wrongly become the headline.
fn introduces_error(line: &str) -> bool {
    let is_path = line.contains(['/', '\\']) && !line.contains(' ');
    let is_aside = line.trim().starts_with('(') && line.ends_with(')');
    line.ends_with(':') || is_path || (line.starts_with([' ', '\t']) && !line.trim().is_empty() && !is_aside)
}

/// Returns the number of lines to keep after the last line with an error (frames, code, hints), up to the first noise.
fn count_context_lines_after(lines: &[&str], last: usize) -> usize {
    lines[last + 1..].iter().take(MAX_CONTEXT_LINES_AFTER).take_while(|line| !is_noise(line)).count()
}

/// Returns true if a line describes the error.
fn describes_error(line: &str) -> bool {
    let line = strip_escapes(line);
    let line = line.trim();
    if line.is_empty() || line == "[ERROR]" || is_noise(line) || is_success_summary(line) {
        return false;
    }
    ERROR_LINE_STARTS.iter().any(|start| line.starts_with(start))
        || ERROR_LINE_PARTS.iter().any(|part| line.contains(part))
        || is_exception_line(line)
        || is_failed_gradle_test(line)
}

/// Returns true for the final messages of Maven, Gradle and make about failed tests. They only repeat an earlier
/// failure, with the output of later modules in between.
fn is_final_build_message(lines: &[&str]) -> bool {
    let gradle = || lines.iter().take(4).any(|line| line.starts_with("> There were failing tests"));
    strip_escapes(lines[0]).ends_with(": There are test failures.")
        || lines[0].starts_with("* What went wrong") && gradle()
        || is_make_message(lines[0])
}

/// Returns true for `make[1]: *** [Makefile:3: check] Error 2` and for messages about the directory.
fn is_make_message(line: &str) -> bool {
    let line = strip_escapes(line);
    let Some((_, said)) = line.split_once(": ").filter(|(name, _)| name.starts_with("make")) else { return false };
    said.starts_with("*** [") && said.contains("] Error ")
        || said.starts_with("Entering directory ")
        || said.starts_with("Leaving directory ")
}

/// Returns true for `shop.CartTest > totals FAILED` from Gradle.
fn is_failed_gradle_test(line: &str) -> bool {
    line.ends_with(" FAILED") && line.contains(" > ") && !line.starts_with("> Task")
}

/// Beginnings of lines that describe an error.
const ERROR_LINE_STARTS: [&str; 28] = [
    "error:",
    "error during build:",
    "✘ [ERROR]",
    "error[",
    "Error:",
    "ERROR:",
    "ERROR ",
    "[ERROR]",
    "E   ",
    "FAILED",
    "FAIL\t",
    "FAIL:",
    "--- FAIL",
    "not ok",
    "fatal:",
    "fatal error:",
    "Fatal error",
    "panic:",
    "panicked at",
    "Traceback (most recent",
    "npm ERR!",
    "npm error",
    "make: ***",
    "make[",
    "CMake Error",
    "* What went wrong",
    "Caused by:",
    "Uncaught ",
];

/// Parts of lines that describe an error: `file:line: error`, the formats of TypeScript and eslint, and messages of
/// linkers, shells and kernels.
const ERROR_LINE_PARTS: [&str; 26] = [
    ": error:",
    ": error TS",
    " error TS",
    ": fatal error",
    ": error CS",
    ": error C",
    ": error MSB",
    " panicked at ",
    "undefined reference to",
    "cannot find package",
    "no required module provides",
    "command not found",
    "No such file or directory",
    "Permission denied",
    "Segmentation fault",
    "core dumped",
    "Killed",
    "Out of memory",
    "out of memory",
    "Connection refused",
    "ECONNREFUSED",
    "Cannot find module",
    "SyntaxError:",
    "  error  ",
    "assertion failed",
    "Operation not permitted",
];

/// Returns true for `ModuleNotFoundError: No module named 'x'`, `java.net.ConnectException: ...` or
/// `main.go:3:2: undefined: x`. Node adds a code after the name: `TypeError [ERR_INVALID_URL]: Invalid URL`.
fn is_exception_line(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let name = name.split_once(" [").filter(|(_, code)| code.ends_with(']')).map_or(name, |(name, _)| name);
    crate::formats::junit::is_exception(name) || is_go_position(name)
}

/// Returns true for `./main.go:3:28`, because Go reports errors without a word such as `error`.
fn is_go_position(name: &str) -> bool {
    let mut parts = name.rsplitn(3, ':');
    let number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    number(parts.next())
        && number(parts.next())
        && parts.next().is_some_and(|path| path.rsplit('.').next() == Some("go"))
}

/// Returns true for a summary of success, for example `0 errors`.
fn is_success_summary(line: &str) -> bool {
    ["0 errors", "0 failed", "0 failures", "no errors", "Found 0 "].iter().any(|none| line.contains(none))
        && !line.starts_with("error")
}

/// Returns true for lines at the end of every failed run that only point to other places.
fn is_noise(line: &str) -> bool {
    let line = strip_escapes(line);
    let line = line.trim_start();
    NOISE_LINE_STARTS.iter().any(|noise| line.starts_with(noise))
        || NOISE_LINE_PARTS.iter().any(|elsewhere| line.contains(elsewhere))
}

const NOISE_LINE_PARTS: [&str; 3] =
    ["A complete log of this run can be found in", "for the individual test results.", "dump files (if any exist)"];

const NOISE_LINE_STARTS: [&str; 26] = [
    "npm ERR! A complete log",
    "npm error A complete log",
    "npm ERR!     /",
    "npm error code ELIFECYCLE",
    "npm ERR! code ELIFECYCLE",
    "npm ERR! errno",
    "npm error errno",
    "npm ERR! Exit status",
    "npm error Lifecycle script",
    "npm error command ",
    "npm error path ",
    "npm error workspace",
    "npm error location",
    "npm warn",
    "error Command failed with exit code",
    "info Visit https://yarnpkg.com",
    "[ERROR] Re-run Maven",
    "[ERROR] After correcting the problems",
    "[ERROR]   mvn <",
    "[ERROR] To see the full stack trace",
    "[ERROR] For more information",
    "[ERROR] -> [Help",
    "[ERROR] [Help",
    "* Try:",
    "* Get more help",
    "For more information about this error, try",
];

/// Keeps whole lines within the limit, from the beginning and from the end.
fn bound_lines(lines: &[&str]) -> String {
    let blank = |line: &&&str| line.is_empty();
    let from = lines.iter().take_while(blank).count();
    let to = lines.len() - lines[from..].iter().rev().take_while(blank).count();
    bound::truncate_middle_to(&lines[from..to.max(from)].join("\n"), MAX_BYTES).into_owned()
}
