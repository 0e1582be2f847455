//! Finds the kind of a single line, to separate messages from the output of runners, compilers and CI systems. `lines`
//! also uses the lines around a line.

use super::{
    line_kind::{LineKind, SkippedBlock},
    runtime_lines::{is_native_frame, kind_of_exit_code, kind_of_node_warning, kind_of_quoted_source},
    upper_case_lines::kind_of_upper_case_line,
};
use crate::{
    output::{
        salient_lines,
        stack_frame::{self, StackFrame},
    },
    text::bytes::{PrefixList, byte_at, digits_end, find_byte, run_end},
};

/// Checks for an error property that has more information than the message: its cause or its code.
pub(in crate::output) fn is_informative_property(body: &[u8]) -> bool {
    static INFORMATIVE_PROPERTIES: PrefixList<3> = PrefixList::new(["[cause]: ", "[errors]: ", "code: "]);
    INFORMATIVE_PROPERTIES.matches_start(body) && body.strip_suffix(b",").unwrap_or(body) != b"code: 'ERR_ASSERTION'"
}

pub(in crate::output) fn find_line_kind(line: &[u8]) -> LineKind<'_> {
    let Some(&first) = line.first() else { return LineKind::Noise };
    if first == b'a' && line.starts_with(b"at ") && line.ends_with(b" {") {
        return LineKind::OpensBlock(SkippedBlock::Properties(0));
    }
    let decoration = !first.is_ascii_alphabetic() && is_decoration(line);
    // Surefire prints this heading of a test: `total(com.acme.CartTest)  Time elapsed: 0.01 s  <<< FAILURE!`.
    let surefire = line.ends_with(b"!") && (line.ends_with(b"<<< FAILURE!") || line.ends_with(b"<<< ERROR!"));
    if decoration || surefire || is_gradle_test(line) || is_tasty_test(line) {
        return LineKind::Noise;
    }
    let colon = find_byte(line, b':');
    if let Some(frame) = stack_frame::parse_frame(line, colon) {
        return LineKind::Frame(frame);
    }
    if is_tool_setup_line(line) {
        return LineKind::Noise;
    }
    let found = match first {
        // Playwright prints the path of an attachment on the next line.
        b'a' if line.starts_with(b"attachment #") => Some(LineKind::OpensBlock(SkippedBlock::Paragraph)),
        b'-' | b'=' | b'_' | b'[' => kind_of_framed_line(line),
        b'>' | b'|' | b'0'..=b'9' => kind_of_code_or_heading(line),
        b'n' | b't' | b's' | b'g' | b'h' | b'c' | b'd' | b'l' | b'e' | b'r' => kind_of_lower_case_line(line),
        b'A'..=b'Z' => kind_of_upper_case_line(line),
        b'#' | b'.' | b'$' | b'*' => kind_of_marked_line(line),
        b'/' => kind_of_quoted_source(line),
        b'f' => kind_of_quoted_source(line).or_else(|| kind_of_lower_case_line(line)),
        b'(' => kind_of_node_warning(line),
        0xc3 | 0xe2 | 0xef | 0xf0 => kind_of_symbol_line(line),
        _ => None,
    };
    found.unwrap_or_else(|| find_message(line, colon))
}

/// Checks for a line that a tool prints only in some runs: because its cache is empty, its daemon does not run yet, or
/// a newer version of the tool exists.
fn is_tool_setup_line(line: &[u8]) -> bool {
    static STARTS: PrefixList<42> = PrefixList::new([
        // Maven, with and without its level.
        "Downloading from ",
        "Downloaded from ",
        "[INFO] Downloading from ",
        "[INFO] Downloaded from ",
        "Progress (1): ",
        // Gradle.
        "Starting a Gradle Daemon",
        "Daemon will be stopped at the end of the build",
        "Welcome to Gradle ",
        "Here are the highlights of this release:",
        "For more details see https://docs.gradle.org/",
        "Deprecated Gradle features were used in this build",
        "You can use '--warning-mode all'",
        "Download https://",
        "Configuration on demand is ",
        "Calculating task graph as no ",
        "Reusing configuration cache",
        // Go modules.
        "go: downloading ",
        "go: finding module for ",
        "go: found ",
        "go: extracting ",
        // npm and pnpm.
        "npm notice",
        "npm warn deprecated ",
        "npm WARN deprecated ",
        "Progress: resolved ",
        // pip.
        "[notice] ",
        "WARNING: You are using pip version ",
        "You should consider upgrading via ",
        "Requirement already satisfied: ",
        "Installing collected packages: ",
        "Successfully installed ",
        // Cargo.
        "Updating crates.io index",
        "Downloading crates ",
        "Downloaded ",
        "Blocking waiting for file lock on ",
        // Bundler, Composer, Mix, NuGet.
        "Fetching gem metadata from ",
        "Installing dependencies from lock file",
        "Resolving Hex dependencies",
        "Restored ",
        "Determining projects to restore",
        // Playwright and Docker.
        "Pulling from ",
        "Status: Downloaded newer image for ",
        "Digest: sha256:",
    ]);
    STARTS.matches_start(line)
}

/// Checks for Tasty's heading of a test: `addition:     FAIL`.
fn is_tasty_test(line: &[u8]) -> bool {
    line.ends_with(b" FAIL") && memchr::memmem::find(line, b":  ").is_some()
}

/// Checks for Gradle's heading of a test: `com.acme.CartTest > total FAILED`.
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

/// Finds the message after the place that Go's test log and `XCTest` print before a message.
fn find_message(line: &[u8], colon: Option<usize>) -> LineKind<'_> {
    let Some(colon) = colon else { return LineKind::Message(0) };
    let number = digits_end(line, colon + 1);
    // A place without a message: `AppTests.swift:12`, `test/Spec.hs:8:18:`.
    if number > colon + 1
        && let Some(file) = stack_frame::path_of_location_line(line.strip_suffix(b":").unwrap_or(line))
        && stack_frame::is_source_file(file)
    {
        return LineKind::Frame(StackFrame { file, ..StackFrame::default() });
    }
    // `/srv/shop/CartTests.swift:12: error: -[ShopTests.CartTests testTotal] : XCTAssertTrue failed`
    if line[..colon].ends_with(b".swift")
        && line[number..].starts_with(b": error: ")
        && let Some(end) = memchr::memmem::find(&line[number..], b" : ")
    {
        return LineKind::Message(number + end + 3);
    }
    if number == colon + 1 || byte_at(line, number) != b':' || !line[..colon].ends_with(b"_test.go") {
        return LineKind::Message(0);
    }
    // Keep the place of a compiler, which also has a column.
    let column = digits_end(line, number + 1);
    let number = if column > number + 1 && byte_at(line, column) == b':' { column } else { number };
    let from = run_end(line, number + 1, |byte| matches!(byte, b' ' | b'\t'));
    match find_line_kind(&line[from.min(line.len())..]) {
        LineKind::Message(more) => LineKind::Message(from + more),
        other => other,
    }
}

fn kind_of_framed_line(line: &[u8]) -> Option<LineKind<'_>> {
    static STARTS: PrefixList<10> = PrefixList::new([
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
    // Ginkgo's verdict before the message: `[FAILED] Expected`.
    if let Some(mark) = [&b"[FAILED] "[..], b"[PANICKED] ", b"[TIMEDOUT] "].iter().find(|mark| line.starts_with(mark)) {
        return Some(LineKind::Message(mark.len()));
    }
    (framed || repeated || place || STARTS.matches_start(line) || is_maven_boilerplate(line)).then_some(LineKind::Noise)
}

/// Checks for a line that Maven prints around every failure.
fn is_maven_boilerplate(line: &[u8]) -> bool {
    static MAVEN_HELP_STARTS: PrefixList<12> = PrefixList::new([
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
    static MAVEN_STEP_STARTS: PrefixList<5> =
        PrefixList::new(["Tests run:", "BUILD FAILURE", "Reactor Summary", "Final Memory:", "--- "]);
    if let Some(message) = line.strip_prefix(b"[ERROR]") {
        return message.is_empty()
            || message.strip_prefix(b" ").is_some_and(|message| MAVEN_HELP_STARTS.matches_start(message));
    }
    let Some(message) = line.strip_prefix(b"[INFO] ") else { return false };
    // `orders ............. FAILURE [  1.583 s]`
    MAVEN_STEP_STARTS.matches_start(message)
        || line.ends_with(b"]") && memchr::memmem::find(message, b".. FAILURE [").is_some()
}

/// Finds the kind of `> 12 | code`, `12 | code`, `| ^`, `1) heading`, and of the lines that Gradle prints for every
/// build.
fn kind_of_code_or_heading(line: &[u8]) -> Option<LineKind<'_>> {
    static AFTER_COUNT: PrefixList<2> = PrefixList::new([" actionable task", ": Task failed with an exception."]);
    static GRADLE_HINTS: PrefixList<3> = PrefixList::new(["Task :", "Run with --", "Get more help at "]);
    if line.strip_prefix(b"> ").is_some_and(is_script_heading) {
        return Some(LineKind::OpensBlock(SkippedBlock::Script));
    }
    let start = run_end(line, 0, |byte| matches!(byte, b'>' | b' '));
    let end = digits_end(line, start);
    if start == 2 && GRADLE_HINTS.matches_start(&line[2..])
        || start == 0 && end > 0 && AFTER_COUNT.matches_start(&line[end..])
    {
        return Some(LineKind::Noise);
    }
    if start == 0 && end > 0 && is_summary_count(&line[end..]) {
        return Some(LineKind::Noise);
    }
    // TAP's plan: `1..3`.
    if start == 0
        && line[end..].strip_prefix(b"..").is_some_and(|rest| !rest.is_empty() && digits_end(rest, 0) == rest.len())
    {
        return Some(LineKind::Noise);
    }
    if start == 0 && is_native_frame(line, end) {
        return Some(LineKind::Noise);
    }
    let bar = run_end(line, end, |byte| byte == b' ');
    let code = byte_at(line, bar) == b'|' && byte_at(line, bar + 1) != b'|';
    if code {
        return Some(LineKind::Noise);
    }
    if start == 0 && end > 0 && line[end..].starts_with(b") ") {
        // TestCafe prints a list of errors without names.
        if salient_lines::starts_with_error_type(&line[end + 2..]) {
            return Some(LineKind::Message(end + 2));
        }
        let done = line.ends_with(b":");
        return Some(if done { LineKind::Noise } else { LineKind::OpensBlock(SkippedBlock::Heading(6)) });
    }
    None
}

/// Checks for the script and its folder as npm and pnpm print them: `shop@1.2.3 test`, `@acme/shop@1.2.3 test
/// /srv/shop`, `test:unit`.
fn is_script_heading(line: &[u8]) -> bool {
    let mut words = line.split(|&byte| byte == b' ');
    let (Some(package), script, folder) = (words.next(), words.next(), words.next()) else { return false };
    let named = |word: &[u8]| {
        !word.is_empty() && word.iter().all(|byte| byte.is_ascii_alphanumeric() || b":_-./".contains(byte))
    };
    let Some(script) = script else { return named(package) };
    let version = memchr::memrchr(b'@', package).map(|at| &package[at + 1..]);
    let path = folder.is_none_or(|folder| folder.contains(&b'/') || folder.contains(&b'\\'));
    version.is_some_and(|version| digits_end(version, 0) > 0) && named(script) && path
}

/// Checks for the text after the number in `1 failed, 2 passed in 0.12s` (pytest), `2 failing` (Mocha), `3 examples, 1
/// failure` (`RSpec`), `1 / 1 (100%)` (PHPUnit).
fn is_summary_count(rest: &[u8]) -> bool {
    static SUMMARIES: PrefixList<4> = PrefixList::new([" failing", " passing", " example, ", " examples, "]);
    let pytest = rest.starts_with(b" failed") || rest.starts_with(b" passed") || rest.starts_with(b" error");
    let percent = rest.starts_with(b" / ") && rest.ends_with(b"%)");
    pytest && memchr::memmem::find(rest, b" in ").is_some() || SUMMARIES.matches_start(rest) || percent
}

fn kind_of_lower_case_line(line: &[u8]) -> Option<LineKind<'_>> {
    static NOISE_STARTS: PrefixList<31> = PrefixList::new([
        "rspec ./",
        // ExUnit and Lua.
        "stacktrace:",
        "stack traceback:",
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
        "testing.go:",
    ]);
    if line.starts_with(b"node:") || line.starts_with(b"file:///") {
        return kind_of_quoted_source(line);
    }
    // The list of names after the failures. After the first `failures:`, there is an empty line, so no line is skipped.
    if line == b"failures:" || line == b"successes:" {
        return Some(LineKind::OpensBlock(SkippedBlock::Paragraph));
    }
    if line == b"stack backtrace:" || line.starts_with(b"goroutine ") && line.ends_with(b"]:") {
        return Some(LineKind::OpensBlock(SkippedBlock::Stack));
    }
    // The line is in quotes if a test prints the output of a program.
    if line.starts_with(b"thread '") || line.starts_with(b"thread \\'") {
        return kind_of_panic_line(line);
    }
    if let Some(code) = line.strip_prefix(b"exitcode: ") {
        return Some(kind_of_exit_code(code));
    }
    // assert_cmd's exit code.
    if line.strip_prefix(b"code=").is_some_and(|code| code.iter().all(u8::is_ascii_digit)) {
        return Some(LineKind::Noise);
    }
    // JUnit 4 describes a test as `method(package.Class)`.
    let running =
        line.strip_prefix(b"running ").is_some_and(|rest| rest.ends_with(b" test") || rest.ends_with(b" tests"));
    // `test clips ... FAILED`, `test_read (tests.test_config.ConfigTest.test_read) ... ERROR`
    let ended =
        [&b" ... FAILED"[..], b" ... ERROR", b" ... FAIL", b" --- FAILED"].iter().any(|end| line.ends_with(end));
    if running || ended {
        return Some(LineKind::Noise);
    }
    let described = line.ends_with(b")") && is_junit_description(line);
    (described || NOISE_STARTS.matches_start(line)).then_some(LineKind::Noise)
}

fn is_junit_description(line: &[u8]) -> bool {
    let Some(open) = memchr::memchr(b'(', line) else { return false };
    let class = &line[open + 1..line.len() - 1];
    let name = |text: &[u8]| {
        !text.is_empty()
            && text.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'[' | b']'))
    };
    let capital = class.rsplit(|&byte| byte == b'.').next().is_some_and(|last| byte_at(last, 0).is_ascii_uppercase());
    name(&line[..open]) && name(class) && class.contains(&b'.') && capital
}

/// Finds the kind of `thread 'x' (12) panicked at src/a.rs:1:2:`. Older toolchains print the message on the same line.
fn kind_of_panic_line(line: &[u8]) -> Option<LineKind<'_>> {
    let start = memchr::memmem::find(line, b" panicked at ")? + 13;
    let rest = &line[start..];
    if let Some(place) = rest.strip_suffix(b":").and_then(stack_frame::path_of_location_line) {
        return Some(LineKind::Frame(StackFrame { file: place, function: b"", outer_first: false }));
    }
    Some(LineKind::Message(start))
}

fn kind_of_marked_line(line: &[u8]) -> Option<LineKind<'_>> {
    static GRADLE_HEADINGS: PrefixList<4> =
        PrefixList::new(["* What went wrong:", "* Exception is:", "* Try:", "* Get more help at "]);
    if let Some(command) = line.strip_prefix(b"##[") {
        return kind_of_workflow_command(command);
    }
    // TAP prints counts such as `# pass 3`.
    let counts = line
        .strip_prefix(b"# ")
        .map(|rest| &rest[run_end(rest, 0, |byte| byte.is_ascii_lowercase() || byte == b'_')..]);
    if counts.is_some_and(|rest| {
        rest.len() > 1 && (rest == b" <NUM>" || rest[1..].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.'))
    }) {
        return Some(LineKind::Noise);
    }
    if let Some(frame) = line.strip_prefix(b"#")
        && is_native_frame(frame, digits_end(frame, 0))
    {
        return Some(LineKind::Noise);
    }
    // Node prints `# node[812]: void node::Total(Isolate*) at ../src/cart.cc:12`, with a spelling of the function that
    // depends on the compiler.
    let asserted = line.starts_with(b"# ") && memchr::memmem::find(line, b"]: ").is_some();
    if asserted && memchr::memmem::find(line, b" at ").is_some() && stack_frame::text_before_number(line).is_some() {
        return Some(LineKind::Noise);
    }
    let more = line.starts_with(b"... ") && (line.ends_with(b" more") || line.ends_with(b"common frames omitted"));
    (more
        || line.starts_with(b"# Subtest:")
        || line.starts_with(b"#FailureMessage ")
        || GRADLE_HEADINGS.matches_start(line))
    .then_some(LineKind::Noise)
}

/// Finds the kind of a workflow command of GitHub Actions or Azure Pipelines: `##[group]Run npm test`, `##[error]text`.
fn kind_of_workflow_command(command: &[u8]) -> Option<LineKind<'_>> {
    let name = memchr::memchr(b']', command)?;
    match &command[..name] {
        b"group" | b"endgroup" | b"command" | b"section" | b"debug" => Some(LineKind::Noise),
        b"error" if command[name + 1..].starts_with(b"Process completed with exit code ") => Some(LineKind::Noise),
        // The length of the name, of `##[` and of `]`.
        b"error" | b"warning" => Some(LineKind::Message(name + 4)),
        _ => None,
    }
}

/// Finds the kind of a line that starts with a symbol, such as a heading with a mark and the name of a test.
fn kind_of_symbol_line(line: &[u8]) -> Option<LineKind<'_>> {
    static MARKS: PrefixList<11> =
        PrefixList::new(["⎯⎯⎯", "● ", "✕ ", "× ", "✗ ", "✖ ", "✘ ", "❌ ", "↓ ", "ℹ ", "﹣ "]);
    // Vitest prints `❯ test/cart.test.js (3 tests | 1 failed) 12ms`, or a message that it repeats in full later.
    let counted = line.starts_with("❯ ".as_bytes()) && memchr::memmem::find(line, b" test").is_some();
    if counted && memchr::memmem::find(line, b" (").is_some() || line.starts_with("→ ".as_bytes()) {
        return Some(LineKind::Noise);
    }
    // xo prints the same mark before a finding, with the place before the message: `✖  3:7  'x' is never used.
    // no-unused-vars`.
    let found = line.strip_prefix("✖ ".as_bytes()).map(<[u8]>::trim_ascii_start);
    if found.is_some_and(is_line_and_column) {
        return None;
    }
    MARKS.matches_start(line).then_some(LineKind::Noise)
}

/// Checks for `3:7` and a space at the start.
fn is_line_and_column(text: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let line = digits(text);
    let column = text[line..].strip_prefix(b":").map_or(0, digits);
    line > 0 && column > 0 && text.get(line + 1 + column) == Some(&b' ')
}
