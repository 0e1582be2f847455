//! Finds the kind of a line that starts with an upper-case letter: headings, summaries, progress and results of
//! runners.

use super::line_kind::{LineKind, SkippedBlock};
use crate::{
    output::stack_frame::{self, StackFrame},
    text::bytes::{PrefixList, digits_end, run_end},
};

const RECURSION_ERROR: &[u8] = b"RecursionError: maximum recursion depth exceeded";
const MISSING_WORKSPACE: &[u8] = b"failed: no workspace for ";

/// Starts of lines that runners and build servers print beside failures.
static NOISE_STARTS: PrefixList<64> = PrefixList::new([
    "Failures:",
    "Finished in ",
    "Randomized with seed ",
    "Run options: ",
    "PHPUnit ",
    "Runtime: ",
    "Configuration: ",
    "Time: ",
    "There was ",
    "There were ",
    "FAILURES!",
    "ERRORS!",
    "Test '",
    "Tests: ",
    "Random Seed: ",
    "RUN  v",
    "Test Files  ",
    "Tests  ",
    "Test Files <",
    "Start at  ",
    "Duration  ",
    "Snapshots  ",
    "Test Suites: ",
    "Tests:  ",
    "Ran all test suites",
    "Ran <NUM> test",
    "FAILED (failures=",
    "FAILED (errors=",
    "Compiling ",
    "Emitted 'error' event on ",
    "Location: ",
    "Archiving artifacts",
    "Recording test results",
    "Collecting metadata...",
    "Metadata collection done.",
    "Notifying upstream projects of job completion",
    "Sending e-mails to: ",
    "Performing Post build task...",
    "Build step 'Execute shell' marked build as failure",
    "Match found for :",
    "Finished: ",
    "Sending interrupt signal to process",
    "Traceback (most recent call last)",
    "During handling of the above exception",
    "The above exception was the direct cause",
    "Tests run:",
    "Test:  ",
    "Test: \t",
    "Stack Trace:",
    "Error Message:",
    "FAIL  ",
    "FAIL\t",
    "FAIL: ",
    "Stack trace:",
    "Captured ",
    "Call log:",
    "Node.js v",
    "FAILURE: Build ",
    "BUILD FAILED in ",
    "Run with --stacktrace option",
    "TAP version ",
    // Hypothesis prints the failing input in an encoded form.
    "You can reproduce this example by temporarily adding @reproduce_failure(",
    // Behave repeats the step with its duration.
    "Failing step: ",
    // hspec.
    "To rerun use: ",
]);

/// Finds the kind of a line that starts with an upper-case letter.
pub(super) fn kind_of_upper_case_line(line: &[u8]) -> Option<LineKind<'_>> {
    if let Some(kind) = kind_of_section_line(line) {
        return Some(kind);
    }
    let ran = line
        .strip_prefix(b"Ran ")
        .map(|rest| digits_end(rest, 0))
        .is_some_and(|end| line[4 + end..].starts_with(b" test"));
    // `Finished `test` profile [unoptimized + debuginfo] target(s) in 0.5s`, `Running tests/text.rs
    // (target/debug/deps/text-1)`
    let cargo = line.starts_with(b"Running ") && line.ends_with(b")") || line.starts_with(b"Finished `");
    // `FAILED tests/test_cart.py::test_total - assert 3 == 4` of pytest repeats an earlier message.
    let summary = line
        .strip_prefix(b"FAILED ")
        .or_else(|| line.strip_prefix(b"ERROR "))
        .is_some_and(|rest| memchr::memmem::find(rest, b".py::").is_some());
    if ran || cargo || summary {
        return Some(LineKind::Noise);
    }
    // Jenkins adds the name of the build, which contains the job and the machine.
    if line.starts_with(b"ERROR: Step ")
        && let Some(start) = memchr::memmem::find(line, MISSING_WORKSPACE)
    {
        return Some(LineKind::StableText(&line[..start + MISSING_WORKSPACE.len() - 5]));
    }
    // The text after this message differs between runs.
    if line.starts_with(RECURSION_ERROR) {
        return Some(LineKind::StableText(&line[..RECURSION_ERROR.len()]));
    }
    // pytest prints progress such as `F   [100%]`.
    if line.ends_with(b"%]") && run_end(line, 0, |byte| b"FE.sx".contains(&byte)) > 0 {
        return Some(LineKind::Noise);
    }
    if let b'E' | b'F' | b'P' = line[0] {
        let kind = kind_of_verdict_line(line);
        if kind.is_some() || line.starts_with(b"Error: ") {
            return kind;
        }
    }
    if line == b"Failed examples:" {
        return Some(LineKind::OpensBlock(SkippedBlock::Paragraph));
    }
    // RSpec prints documentation such as `takes (FAILED - 1)`.
    (is_timed_heading(line) || NOISE_STARTS.matches_start(line)).then_some(LineKind::Noise)
}

/// Checks for the heading that Go's race detector prints above a stack: `Write at 0x00c0000b4010 by goroutine 8:`,
/// `Previous read at …:`, `Goroutine 7 (running) created at:`.
fn is_go_race_access(line: &[u8]) -> bool {
    static STARTS: PrefixList<5> =
        PrefixList::new(["Write at ", "Read at ", "Previous write at ", "Previous read at ", "Goroutine "]);
    line.ends_with(b":")
        && STARTS.matches_start(line)
        && (memchr::memmem::find(line, b" by ").is_some() || line.ends_with(b") created at:"))
}

/// Finds the kind of headings of sections and summaries, and of steps that did not fail.
fn kind_of_section_line(line: &[u8]) -> Option<LineKind<'_>> {
    // Behave and unittest print the output of a failed test below this heading.
    if matches!(line, b"Captured stdout:" | b"Captured stderr:" | b"Captured logging:" | b"Stdout:" | b"Stderr:") {
        return Some(LineKind::OpensBlock(SkippedBlock::Paragraph));
    }
    if is_go_race_access(line) {
        return Some(LineKind::OpensBlock(SkippedBlock::Stack));
    }
    // After an unknown option, Go prints all options of a program.
    if line.starts_with(b"Usage of ") && line.ends_with(b":") {
        return Some(LineKind::OpensBlock(SkippedBlock::IndentedLines(0)));
    }
    if line.starts_with(b"Use -v to get ") || line.starts_with(b"Use -p '") || line == b"Full diff:" {
        return Some(LineKind::Noise);
    }
    let noise = is_passed_or_skipped_step(line) || line == b"CallStack (from HasCallStack):";
    noise.then_some(LineKind::Noise)
}

/// Checks for a step of a Cucumber scenario in JUnit XML that did not fail: `Given an empty
/// cart....................passed`.
fn is_passed_or_skipped_step(line: &[u8]) -> bool {
    [&b"...passed"[..], b"...skipped"].iter().any(|end| line.ends_with(end))
}

/// Finds the kind of a line that starts with a result: `FAIL`, `Failure/Error:`, `Error Trace:`.
fn kind_of_verdict_line(line: &[u8]) -> Option<LineKind<'_>> {
    if line == b"FAIL" || line == b"PASS" || line == b"FAILED" || line == b"Failure:" || line == b"Error:" {
        return Some(LineKind::Noise);
    }
    if line.starts_with(b"Failure/Error:") {
        return Some(LineKind::OpensBlock(SkippedBlock::Paragraph));
    }
    if let Some(place) = line.strip_prefix(b"Error Trace:") {
        let file = stack_frame::path_of_location_line(place.trim_ascii());
        return Some(
            file.map_or(LineKind::Noise, |file| LineKind::Frame(StackFrame { file, ..StackFrame::default() })),
        );
    }
    if line.starts_with(b"FAIL ")
        && (line.contains(&b'>') || line.contains(&b'/') || line.contains(&b'.'))
        && !line.contains(&b':')
    {
        return Some(LineKind::Noise);
    }
    // testify prints labels with a tab or several spaces after them.
    let rest = line.strip_prefix(b"Error: ")?;
    let gap = run_end(rest, 0, |byte| matches!(byte, b' ' | b'\t'));
    (gap > 0).then_some(LineKind::Message(7 + gap))
}

/// Checks for a heading such as `Failed Shop.CartTests.Total [12 ms]` or `ERROR: test_total (test_cart.CartTest)`.
fn is_timed_heading(line: &[u8]) -> bool {
    let dotnet = line.starts_with(b"Failed ") && line.ends_with(b"]") && line.contains(&b'[');
    let unittest = line.starts_with(b"ERROR: test") && line.ends_with(b")");
    dotnet || unittest
}
