//! Recognizes output of runtimes around a failure: the source that threw the error, warnings, exit codes, native
//! frames. `runner_lines` recognizes output of runners.

use super::line_kind::{LineKind, SkippedBlock};
use crate::{
    output::stack_frame::{self, StackFrame},
    text::bytes::{byte_at, digits_end, find_byte, run_end},
};

/// Returns the failed source that a runner quotes: `> 12 | expect(total).toBe(3)`,
/// `Failure/Error: expect(total).to eq(3)`.
pub(in crate::output) fn find_failed_source(line: &[u8]) -> Option<&[u8]> {
    if let Some(code) = line.strip_prefix(b"Failure/Error: ") {
        return Some(code);
    }
    let number = run_end(line, 1, |byte| byte == b' ');
    let end = digits_end(line, number);
    let bar = run_end(line, end, |byte| byte == b' ');
    (byte_at(line, 0) == b'>' && end > number && byte_at(line, bar) == b'|').then(|| &line[bar + 1..])
}

/// Checks for numbered source (`  12 | code`, `> 13 | code`), the `^` line below it, and `Failure/Error: code` of Ruby
/// specs.
pub(crate) fn is_quoted_code(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii_start();
    if trimmed.starts_with(b"Failure/Error:") {
        return true;
    }
    let number = trimmed.strip_prefix(b">").unwrap_or(trimmed).trim_ascii_start();
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && number[digits..].trim_ascii_start().starts_with(b"|")
}

/// Finds the kind of the place that Node prints above quoted source: `/srv/cart.js:12`, the line, a caret, an empty
/// line.
pub(super) fn kind_of_quoted_source(line: &[u8]) -> Option<LineKind<'_>> {
    const SOURCE_EXTENSIONS: [&[u8]; 6] = [b".js", b".mjs", b".cjs", b".ts", b".mts", b".tsx"];
    if find_byte(line, b' ').is_some() {
        return None;
    }
    // Excludes frames without a function, as PHPUnit, testify and Ginkgo print them.
    if let Some(file) = stack_frame::path_of_location_line(line).filter(|file| stack_frame::is_source_file(file)) {
        return Some(LineKind::Frame(StackFrame { file, function: b"", outer_first: false }));
    }
    let place = || line.strip_prefix(b"node:").and_then(stack_frame::text_before_number);
    let file = stack_frame::path_of_location_line(line).or_else(place)?;
    let source = line.starts_with(b"node:") || SOURCE_EXTENSIONS.iter().any(|extension| file.ends_with(extension));
    source.then_some(LineKind::OpensBlock(SkippedBlock::Paragraph))
}

/// Finds the kind of `(node:812) [DEP0137] DeprecationWarning: message` and of the hint below it.
pub(super) fn kind_of_node_warning(line: &[u8]) -> Option<LineKind<'_>> {
    if line.starts_with(b"(Use `node --trace-") {
        return Some(LineKind::Noise);
    }
    let start = line.strip_prefix(b"(node:").and_then(|rest| memchr::memmem::find(rest, b") "))?;
    let warning = memchr::memmem::find(&line[start..], b"Warning: ")?;
    let is_label = !line[start..start + warning].contains(&b':') || line[..start + warning].ends_with(b"Deprecation");
    is_label.then_some(LineKind::Noise)
}

/// Finds the kind of a line with an exit code. An exit code has information only if the test crashed. The code of a
/// crash depends on the operating system.
pub(super) fn kind_of_exit_code(code: &[u8]) -> LineKind<'static> {
    match code {
        b"-11" | b"139" | b"3221225477" | b"-1073741819" | b"0xC0000005" => LineKind::StableText(b"killed by SIGSEGV"),
        // V8 aborts with a trap, an illegal instruction or SIGABRT, depending on the operating system.
        b"-6" | b"-5" | b"-4" | b"134" | b"133" | b"132" | b"2147483651" | b"3221226505" | b"0x80000003" => {
            LineKind::StableText(b"killed by SIGABRT")
        }
        b"-9" | b"137" => LineKind::StableText(b"killed by SIGKILL"),
        _ => LineKind::Noise,
    }
}

/// Checks for a frame of native code: ` 3: 0x55d0c2a1 node::Assert(node::AssertionInfo const&) [node]`,
/// `#3 0x55d0c2a1 in total cart.c:12`. The name is optional. `number` is the end of the frame's number.
pub(super) fn is_native_frame(line: &[u8], number: usize) -> bool {
    let colon = if byte_at(line, number) == b':' { number + 1 } else { number };
    let start = run_end(line, colon, |byte| byte == b' ');
    let digits = if byte_at(line, start) == b'0' && byte_at(line, start + 1) == b'x' { start + 2 } else { start };
    let end = run_end(line, digits, |byte| byte.is_ascii_hexdigit());
    let hexadecimal = line[start..].starts_with(b"<HEX>") || line[start..].starts_with(b"<HASH>");
    number > 0 && start > number && (hexadecimal || end - digits >= 6 && (digits > start || colon > number))
}
