//! Finds the kind of a single line and so separates the message from the output of runners, compilers and CI systems
//! around it. `lines` uses the lines around it.

use super::{
    line_kind::{LineKind, SkippedBlock},
    runtime_lines::{exit_code, is_native_frame, node_warning, quoted_source},
};
use crate::{
    output::stack_frame::{self, Frame},
    text::bytes::{Starts, at, digits, find, run},
};

/// Checks for an error property that has more information than the message: its cause or its code.
pub(in crate::output) fn is_telling_property(body: &[u8]) -> bool {
    static TELLING: Starts<3> = Starts::new(["[cause]: ", "[errors]: ", "code: "]);
    TELLING.begin(body) && body.strip_suffix(b",").unwrap_or(body) != b"code: 'ERR_ASSERTION'"
}

pub(in crate::output) fn kind(line: &[u8]) -> LineKind<'_> {
    let Some(&first) = line.first() else { return LineKind::Noise };
    if first == b'a' && line.starts_with(b"at ") && line.ends_with(b" {") {
        return LineKind::Opens(SkippedBlock::Properties(0));
    }
    let decoration = !first.is_ascii_alphabetic() && is_decoration(line);
    // Surefire's heading of a test: `total(com.acme.CartTest)  Time elapsed: 0.01 s  <<< FAILURE!`.
    let surefire = line.ends_with(b"!") && (line.ends_with(b"<<< FAILURE!") || line.ends_with(b"<<< ERROR!"));
    if decoration || surefire || is_gradle_test(line) {
        return LineKind::Noise;
    }
    let colon = find(line, b':');
    if let Some(frame) = stack_frame::parse(line, colon) {
        return LineKind::Frame(frame);
    }
    let found = match first {
        b'-' | b'=' | b'_' | b'[' => framed_line(line),
        b'>' | b'|' | b'0'..=b'9' => code_or_heading(line),
        b'n' | b't' | b's' | b'g' | b'h' | b'c' | b'd' | b'l' | b'e' | b'r' => lower(line),
        b'A'..=b'Z' => upper(line),
        b'#' | b'.' | b'$' | b'*' => marked(line),
        b'/' => quoted_source(line),
        b'f' => quoted_source(line).or_else(|| lower(line)),
        b'(' => node_warning(line),
        0xc3 | 0xe2 | 0xef | 0xf0 => symbol(line),
        _ => None,
    };
    found.unwrap_or_else(|| message(line, colon))
}

/// Gradle's heading of a test: `com.acme.CartTest > total FAILED`.
fn is_gradle_test(line: &[u8]) -> bool {
    let Some(heading) = line.strip_suffix(b" FAILED") else { return false };
    let Some(end) = memchr::memmem::find(heading, b" > ") else { return false };
    heading[0].is_ascii_alphabetic()
        && heading[..end].iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.'))
}

/// Checks for a line without letters and digits: rules, carets, brackets, box drawing. An empty value on one side of a
/// diff does not count.
fn is_decoration(line: &[u8]) -> bool {
    let value = line.strip_prefix(b"+").or_else(|| line.strip_prefix(b"-")).map(<[u8]>::trim_ascii_start);
    let value = value.map(|value| value.strip_suffix(b",").unwrap_or(value));
    if matches!(value, Some(b"''" | b"\"\"" | b"[]" | b"{}")) {
        return false;
    }
    let mut bytes = line.iter();
    // The first byte of U+2000 to U+2FFF: arrows, box drawing, dingbats.
    while let Some(&byte) = bytes.next() {
        if byte == 0xe2 {
            bytes.next();
            bytes.next();
        } else if byte.is_ascii_alphanumeric() || byte >= 0x80 {
            return false;
        }
    }
    true
}

/// Finds the message after the place that Go's test log puts before it.
fn message(line: &[u8], colon: Option<usize>) -> LineKind<'_> {
    let Some(colon) = colon else { return LineKind::Message(0) };
    let number = digits(line, colon + 1);
    if number == colon + 1 || at(line, number) != b':' || !line[..colon].ends_with(b"_test.go") {
        return LineKind::Message(0);
    }
    // A compiler also prints a column.
    let column = digits(line, number + 1);
    let number = if column > number + 1 && at(line, column) == b':' { column } else { number };
    let from = run(line, number + 1, |byte| matches!(byte, b' ' | b'\t'));
    match kind(&line[from.min(line.len())..]) {
        LineKind::Message(more) => LineKind::Message(from + more),
        other => other,
    }
}

fn framed_line(line: &[u8]) -> Option<LineKind<'_>> {
    static STARTS: Starts<10> = Starts::new([
        "--- FAIL:",
        "--- PASS:",
        "--- SKIP:",
        "=== RUN",
        "=== PAUSE",
        "=== CONT",
        "=== NAME",
        "[ RUN ",
        "[  FAILED",
        "[       OK",
    ]);
    let framed = (line.starts_with(b"====") || line.starts_with(b"____") || line.starts_with(b"----"))
        && line.ends_with(&line[..3]);
    let place = line.starts_with(b"--> ");
    let repeated = line.starts_with(b"[Previous line repeated ") || line.starts_with(b"[Checks API] ");
    (framed || repeated || place || STARTS.begin(line) || is_maven(line)).then_some(LineKind::Noise)
}

/// Checks for Maven's output around every failure.
fn is_maven(line: &[u8]) -> bool {
    static HELP: Starts<12> = Starts::new([
        "Tests run:",
        "COMPILATION ERROR :",
        "Please refer to ",
        "See dump files ",
        "-> [Help ",
        "[Help ",
        "To see the full stack trace of the errors, re-run Maven",
        "Re-run Maven using ",
        "For more information about the errors and possible solutions",
        "After correcting the problems, you can resume the build",
        "  mvn <",
        "mvn <",
    ]);
    static STEPS: Starts<5> = Starts::new(["Tests run:", "BUILD FAILURE", "Reactor Summary", "Final Memory:", "--- "]);
    if let Some(message) = line.strip_prefix(b"[ERROR]") {
        return message.is_empty() || message.strip_prefix(b" ").is_some_and(|message| HELP.begin(message));
    }
    let Some(message) = line.strip_prefix(b"[INFO] ") else { return false };
    // `orders ............. FAILURE [  1.583 s]`
    STEPS.begin(message) || line.ends_with(b"]") && memchr::memmem::find(message, b".. FAILURE [").is_some()
}

/// `> 12 | code`, `12 | code`, `| ^`, `1) heading`, and Gradle's output for every build.
fn code_or_heading(line: &[u8]) -> Option<LineKind<'_>> {
    static AFTER_COUNT: Starts<2> = Starts::new([" actionable task", ": Task failed with an exception."]);
    static TALK: Starts<3> = Starts::new(["Task :", "Run with --", "Get more help at "]);
    if line.strip_prefix(b"> ").is_some_and(is_script) {
        return Some(LineKind::Opens(SkippedBlock::Script));
    }
    let start = run(line, 0, |byte| matches!(byte, b'>' | b' '));
    let end = digits(line, start);
    if start == 2 && TALK.begin(&line[2..]) || start == 0 && end > 0 && AFTER_COUNT.begin(&line[end..]) {
        return Some(LineKind::Noise);
    }
    if start == 0 && end > 0 && is_count(&line[end..]) {
        return Some(LineKind::Noise);
    }
    // TAP's plan: `1..3`.
    if start == 0
        && line[end..].strip_prefix(b"..").is_some_and(|rest| !rest.is_empty() && digits(rest, 0) == rest.len())
    {
        return Some(LineKind::Noise);
    }
    if start == 0 && is_native_frame(line, end) {
        return Some(LineKind::Noise);
    }
    let bar = run(line, end, |byte| byte == b' ');
    let code = at(line, bar) == b'|' && at(line, bar + 1) != b'|';
    if code {
        return Some(LineKind::Noise);
    }
    if start == 0 && end > 0 && line[end..].starts_with(b") ") {
        let done = line.ends_with(b":");
        return Some(if done { LineKind::Noise } else { LineKind::Opens(SkippedBlock::Heading(6)) });
    }
    None
}

/// `shop@1.2.3 test`, `@acme/shop@1.2.3 test /srv/shop`, `test:unit`: npm and pnpm print the script and its folder.
fn is_script(line: &[u8]) -> bool {
    let mut words = line.split(|&byte| byte == b' ');
    let (Some(package), script, folder) = (words.next(), words.next(), words.next()) else { return false };
    let named = |word: &[u8]| {
        !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || b":_-./".contains(byte))
    };
    let Some(script) = script else { return named(package) };
    let version = memchr::memrchr(b'@', package).map(|at| &package[at + 1..]);
    let path = folder.is_none_or(|folder| folder.contains(&b'/') || folder.contains(&b'\\'));
    version.is_some_and(|version| digits(version, 0) > 0) && named(script) && path
}

/// The text after the number in `1 failed, 2 passed in 0.12s` (pytest), `2 failing` (Mocha), `3 examples, 1 failure`
/// (`RSpec`), `1 / 1 (100%)` (PHPUnit).
fn is_count(rest: &[u8]) -> bool {
    static SUMMARIES: Starts<4> = Starts::new([" failing", " passing", " example, ", " examples, "]);
    let pytest = rest.starts_with(b" failed") || rest.starts_with(b" passed") || rest.starts_with(b" error");
    let percent = rest.starts_with(b" / ") && rest.ends_with(b"%)");
    pytest && memchr::memmem::find(rest, b" in ").is_some() || SUMMARIES.begin(rest) || percent
}

fn lower(line: &[u8]) -> Option<LineKind<'_>> {
    static NOISE: Starts<28> = Starts::new([
        "rspec ./",
        // assert_cmd prints the command before its output.
        "command=`",
        "stdin=`",
        "stdout=`",
        "stdout=\"\"",
        "stderr=`",
        "stderr=\"\"",
        "failing tests:",
        "test at ",
        "error: |-",
        "stdout | ",
        "stderr | ",
        "error: test failed, to rerun pass ",
        "severity: ",
        "hint: ",
        "signal: ~",
        "failureType: ",
        "note: run with `RUST_BACKTRACE",
        "note: Some details are omitted",
        "not ok ",
        "created by ",
        "exit status 1",
        "duration_ms:",
        "location: ",
        "locale: ",
        "stack: |-",
        "test result: ",
        "test_case.go",
    ]);
    if line.starts_with(b"node:") || line.starts_with(b"file:///") {
        return quoted_source(line);
    }
    // The list of names after the failures. The first `failures:` has an empty line after it, so nothing is skipped
    // there.
    if line == b"failures:" || line == b"successes:" {
        return Some(LineKind::Opens(SkippedBlock::Paragraph));
    }
    if line == b"stack backtrace:" || line.starts_with(b"goroutine ") && line.ends_with(b"]:") {
        return Some(LineKind::Opens(SkippedBlock::Stack));
    }
    // Quoted if a test prints a program's output.
    if line.starts_with(b"thread '") || line.starts_with(b"thread \\'") {
        return panicked(line);
    }
    if let Some(code) = line.strip_prefix(b"exitcode: ") {
        return Some(exit_code(code));
    }
    // assert_cmd's exit code.
    if line.strip_prefix(b"code=").is_some_and(|code| code.iter().all(u8::is_ascii_digit)) {
        return Some(LineKind::Noise);
    }
    // JUnit 4's description of a test: `method(package.Class)`.
    let running =
        line.strip_prefix(b"running ").is_some_and(|rest| rest.ends_with(b" test") || rest.ends_with(b" tests"));
    // `test clips ... FAILED`, `test_read (tests.test_config.ConfigTest.test_read) ... ERROR`
    let ended =
        [&b" ... FAILED"[..], b" ... ERROR", b" ... FAIL", b" --- FAILED"].iter().any(|end| line.ends_with(end));
    if running || ended {
        return Some(LineKind::Noise);
    }
    let described = line.ends_with(b")") && is_described(line);
    (described || NOISE.begin(line)).then_some(LineKind::Noise)
}

fn is_described(line: &[u8]) -> bool {
    let Some(open) = memchr::memchr(b'(', line) else { return false };
    let class = &line[open + 1..line.len() - 1];
    let name = |text: &[u8]| {
        !text.is_empty()
            && text.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'[' | b']'))
    };
    let capital = class.rsplit(|&byte| byte == b'.').next().is_some_and(|last| at(last, 0).is_ascii_uppercase());
    name(&line[..open]) && name(class) && class.contains(&b'.') && capital
}

/// `thread 'x' (12) panicked at src/a.rs:1:2:`; older toolchains print the message on the same line.
fn panicked(line: &[u8]) -> Option<LineKind<'_>> {
    let start = memchr::memmem::find(line, b" panicked at ")? + 13;
    let rest = &line[start..];
    if let Some(place) = rest.strip_suffix(b":").and_then(stack_frame::bare_place) {
        return Some(LineKind::Frame(Frame { file: place, function: b"", outer_first: false }));
    }
    Some(LineKind::Message(start))
}

const RECURSION: &[u8] = b"RecursionError: maximum recursion depth exceeded";
const NO_WORKSPACE: &[u8] = b"failed: no workspace for ";

fn upper(line: &[u8]) -> Option<LineKind<'_>> {
    static NOISE: Starts<61> = Starts::new([
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
    ]);
    // Go prints all options of a program after a wrong option.
    if line.starts_with(b"Usage of ") && line.ends_with(b":") {
        return Some(LineKind::Opens(SkippedBlock::Deeper(0)));
    }
    if line.starts_with(b"Use -v to get ") || line == b"Full diff:" {
        return Some(LineKind::Noise);
    }
    let ran =
        line.strip_prefix(b"Ran ").map(|rest| digits(rest, 0)).is_some_and(|end| line[4 + end..].starts_with(b" test"));
    // `Finished `test` profile [unoptimized + debuginfo] target(s) in 0.5s`, `Running tests/text.rs (target/debug/deps/text-1)`
    let cargo = line.starts_with(b"Running ") && line.ends_with(b")") || line.starts_with(b"Finished `");
    // `FAILED tests/test_cart.py::test_total - assert 3 == 4` repeats an earlier message.
    let summary = line
        .strip_prefix(b"FAILED ")
        .or_else(|| line.strip_prefix(b"ERROR "))
        .is_some_and(|rest| memchr::memmem::find(rest, b".py::").is_some());
    if ran || cargo || summary {
        return Some(LineKind::Noise);
    }
    // Jenkins appends the build, which contains the job and the machine.
    if line.starts_with(b"ERROR: Step ")
        && let Some(start) = memchr::memmem::find(line, NO_WORKSPACE)
    {
        return Some(LineKind::Text(&line[..start + NO_WORKSPACE.len() - 5]));
    }
    // The depth at which the overflow is noticed varies.
    if line.starts_with(RECURSION) {
        return Some(LineKind::Text(&line[..RECURSION.len()]));
    }
    // pytest's progress: `F   [100%]`.
    if line.ends_with(b"%]") && run(line, 0, |byte| b"FE.sx".contains(&byte)) > 0 {
        return Some(LineKind::Noise);
    }
    if let b'E' | b'F' | b'P' = line[0] {
        let kind = verdict_line(line);
        if kind.is_some() || line.starts_with(b"Error: ") {
            return kind;
        }
    }
    if line == b"Failed examples:" {
        return Some(LineKind::Opens(SkippedBlock::Paragraph));
    }
    // RSpec's documentation: `takes (FAILED - 1)`.
    (is_timed_heading(line) || NOISE.begin(line)).then_some(LineKind::Noise)
}

/// Handles lines that start with a verdict: `FAIL`, `Failure/Error:`, `Error Trace:`.
fn verdict_line(line: &[u8]) -> Option<LineKind<'_>> {
    if line == b"FAIL" || line == b"PASS" || line == b"FAILED" || line == b"Failure:" || line == b"Error:" {
        return Some(LineKind::Noise);
    }
    if line.starts_with(b"Failure/Error:") {
        return Some(LineKind::Opens(SkippedBlock::Paragraph));
    }
    if line.starts_with(b"Error Trace:") {
        return Some(LineKind::Opens(SkippedBlock::None));
    }
    if line.starts_with(b"FAIL ")
        && (line.contains(&b'>') || line.contains(&b'/') || line.contains(&b'.'))
        && !line.contains(&b':')
    {
        return Some(LineKind::Noise);
    }
    // testify's label with a tab or several spaces after it.
    let rest = line.strip_prefix(b"Error: ")?;
    let gap = run(rest, 0, |byte| matches!(byte, b' ' | b'\t'));
    (gap > 0).then_some(LineKind::Message(7 + gap))
}

/// `Failed Shop.CartTests.Total [12 ms]`, `ERROR: test_total (test_cart.CartTest)`.
fn is_timed_heading(line: &[u8]) -> bool {
    let dotnet = line.starts_with(b"Failed ") && line.ends_with(b"]") && line.contains(&b'[');
    let unittest = line.starts_with(b"ERROR: test") && line.ends_with(b")");
    dotnet || unittest
}

fn marked(line: &[u8]) -> Option<LineKind<'_>> {
    static GRADLE: Starts<4> = Starts::new(["* What went wrong:", "* Exception is:", "* Try:", "* Get more help at "]);
    if let Some(command) = line.strip_prefix(b"##[") {
        return workflow_command(command);
    }
    // TAP's counts: `# pass 3`.
    let counts =
        line.strip_prefix(b"# ").map(|rest| &rest[run(rest, 0, |byte| byte.is_ascii_lowercase() || byte == b'_')..]);
    if counts.is_some_and(|rest| {
        rest.len() > 1 && (rest == b" <NUM>" || rest[1..].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
    }) {
        return Some(LineKind::Noise);
    }
    if let Some(frame) = line.strip_prefix(b"#")
        && is_native_frame(frame, digits(frame, 0))
    {
        return Some(LineKind::Noise);
    }
    // `# node[812]: void node::Total(Isolate*) at ../src/cart.cc:12`; each compiler spells the function differently.
    let asserted = line.starts_with(b"# ") && memchr::memmem::find(line, b"]: ").is_some();
    if asserted && memchr::memmem::find(line, b" at ").is_some() && stack_frame::before_number(line).is_some() {
        return Some(LineKind::Noise);
    }
    let more = line.starts_with(b"... ") && (line.ends_with(b" more") || line.ends_with(b"common frames omitted"));
    (more || line.starts_with(b"# Subtest:") || line.starts_with(b"#FailureMessage ") || GRADLE.begin(line))
        .then_some(LineKind::Noise)
}

/// Workflow commands of GitHub Actions and Azure Pipelines between the lines of a step: `##[group]Run npm test`,
/// `##[error]text`.
fn workflow_command(command: &[u8]) -> Option<LineKind<'_>> {
    let name = memchr::memchr(b']', command)?;
    match &command[..name] {
        b"group" | b"endgroup" | b"command" | b"section" | b"debug" => Some(LineKind::Noise),
        b"error" if command[name + 1..].starts_with(b"Process completed with exit code ") => Some(LineKind::Noise),
        // The length of the name, of `##[` and of `]`.
        b"error" | b"warning" => Some(LineKind::Message(name + 4)),
        _ => None,
    }
}

/// Headings of test runners: a mark and the test's name.
fn symbol(line: &[u8]) -> Option<LineKind<'_>> {
    static MARKS: Starts<11> = Starts::new(["⎯⎯⎯", "● ", "✕ ", "× ", "✗ ", "✖ ", "✘ ", "❌ ", "↓ ", "ℹ ", "﹣ "]);
    // Vitest: `❯ test/cart.test.js (3 tests | 1 failed) 12ms`, or the message before its full form.
    let counted = line.starts_with("❯ ".as_bytes()) && memchr::memmem::find(line, b" test").is_some();
    if counted && memchr::memmem::find(line, b" (").is_some() || line.starts_with("→ ".as_bytes()) {
        return Some(LineKind::Noise);
    }
    // xo uses the same mark for a finding, with the place before the message: `✖  3:7  'x' is never used.
    // no-unused-vars`.
    let found = line.strip_prefix("✖ ".as_bytes()).map(<[u8]>::trim_ascii_start);
    if found.is_some_and(is_line_and_column) {
        return None;
    }
    MARKS.begin(line).then_some(LineKind::Noise)
}

/// Checks for `3:7` and a space at the start.
fn is_line_and_column(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let line = digits(text);
    let column = text[line..].strip_prefix(b":").map_or(0, digits);
    line > 0 && column > 0 && text.get(line + 1 + column) == Some(&b' ')
}
