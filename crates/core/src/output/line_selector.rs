//! Chooses the lines that describe the failure. Skips frames, source code, test names and other output of the runner.

use super::{
    frame_owner,
    line::{
        line_kind::{LineKind, SkippedBlock},
        runner_lines::{find_line_kind, is_informative_property},
        runtime_lines::find_failed_source,
    },
    progress_lines, salient_lines,
    stack_frame::{self, StackFrame},
};
use crate::text::bytes::{PrefixList, byte_at, digits_end, find_byte, floor_character_boundary, run_end};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Maximum number of frames that are kept.
const MAX_FRAMES: usize = 512;
/// Maximum length of the source line that identifies the place of a failure.
const MAX_CODE_BYTES: usize = 160;
/// pytest's mark before each line of an error.
const PYTEST_MARK: &[u8] = b"E   ";

static PYTEST_MARK_BELOW_FIRST_LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\nE   "));

/// The part of a line that stays.
#[derive(Clone, Copy)]
pub(super) struct LinePart<'l> {
    /// The trimmed part.
    pub(super) text: &'l [u8],
    /// Set if only blanks were removed.
    pub(super) whole: bool,
    /// Set if the runner printed the line as the message of a failed test, as in Go's test log or in a list of Robot
    /// Framework.
    pub(super) is_reported: bool,
}

/// A stack frame with its place.
#[derive(Clone, Copy)]
struct SeenFrame<'t> {
    frame: StackFrame<'t>,
    /// The frame as printed.
    body: &'t [u8],
    /// The source line, if it is printed below the frame.
    code: &'t [u8],
}

/// Reads lines in order and returns the parts that stay.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the lines before")]
pub(super) struct LineSelector<'t> {
    block: SkippedBlock,
    /// Set if pytest marks error lines with `E`. All other lines are then context.
    has_pytest_marks: bool,
    /// Function of the last numbered frame or Go frame. The location of such a frame is on the next line.
    function: &'t [u8],
    frames: Vec<SeenFrame<'t>>,
    /// The source of the line that failed, as quoted by a runner.
    code: &'t [u8],
    /// The last line of quoted source.
    last_numbered_code: &'t [u8],
    /// Set after the line above Robot Framework's numbered list of messages.
    has_list: bool,
    /// Set after a heading of `ExUnit`, because all lines before the heading are output of the program.
    pub(super) drops_previous_lines: bool,
    /// Set after the first line of a Rust panic. The lines before it are output of the program, unless they contain an
    /// error.
    pub(super) has_panicked: bool,
    /// The place that Go's test log prints before the first message.
    reported: Option<SeenFrame<'t>>,
    /// Set after the first stack frame of any code.
    pub(super) has_frame: bool,
    /// Set if the line before was a stack frame.
    below_frame: bool,
}

impl<'t> LineSelector<'t> {
    /// Creates a selector for the text. `may_be_marked`: a line after the first may have pytest's mark.
    pub(super) fn new(text: &[u8], may_be_marked: bool) -> Self {
        let marked =
            text.starts_with(PYTEST_MARK) || may_be_marked && PYTEST_MARK_BELOW_FIRST_LINE.find(text).is_some();
        Self { has_pytest_marks: marked, ..Self::default() }
    }

    /// Returns file and function of the innermost in-app frame.
    pub(super) fn innermost_app_frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.innermost_frame(frame_owner::is_app_frame).map(|seen| (seen.frame.file, seen.frame.function))
    }

    /// Returns file and function of the innermost in-app frame, otherwise of the innermost frame of the tests.
    pub(super) fn innermost_project_frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.innermost_app_frame().or_else(|| {
            self.innermost_frame(frame_owner::is_project_frame).map(|seen| (seen.frame.file, seen.frame.function))
        })
    }

    /// Returns the place of the failure in the project or its tests, as one line: the source line if it is known,
    /// because it does not change when other lines are edited. Otherwise: file, function and line number.
    pub(super) fn failure_place(&self) -> Option<String> {
        let seen = self.innermost_frame(frame_owner::is_project_frame).or(self.reported.as_ref());
        let code = seen.map(|seen| seen.code).filter(|code| !code.is_empty()).unwrap_or(self.code);
        if code.is_empty() { seen.map(SeenFrame::file_function_line) } else { Some(join_lines(code)) }
    }

    fn innermost_frame(&self, is_wanted: fn(&StackFrame<'_>) -> bool) -> Option<&SeenFrame<'t>> {
        let wanted = |seen: &&SeenFrame<'_>| is_wanted(&seen.frame);
        let last = self.frames.iter().rfind(|seen| seen.frame.outer_first && is_wanted(&seen.frame));
        last.or_else(|| self.frames.iter().find(wanted))
    }

    /// Returns the part of the line that stays. `line` must have no control characters.
    pub(super) fn select_kept_part(&mut self, line: &'t [u8]) -> Option<LinePart<'t>> {
        let indent = run_end(line, 0, |byte| matches!(byte, b' ' | b'\t'));
        let body = line[indent..].trim_ascii_end();
        if self.has_pytest_marks {
            let Some(rest) = line.strip_prefix(PYTEST_MARK).or_else(|| (line == b"E").then_some(b"")) else {
                if let LineKind::Frame(frame) = find_line_kind(body) {
                    self.record_frame(frame, body);
                } else if let Some(code) = line.strip_prefix(b">") {
                    self.code = code;
                } else {
                    self.record_source_below(body);
                }
                return None;
            };
            return self.select_part(rest.trim_ascii(), 0);
        }
        self.select_part(body, indent)
    }

    fn select_part(&mut self, body: &'t [u8], indent: usize) -> Option<LinePart<'t>> {
        if self.is_inside_block(body, indent) {
            return None;
        }
        // Skip a truncated frame or a frame of an unknown kind.
        let stack = std::mem::take(&mut self.below_frame) && body.starts_with(b"at ");
        if stack && !matches!(find_line_kind(body), LineKind::Frame(_) | LineKind::OpensBlock(_)) {
            self.below_frame = true;
            return None;
        }
        if self.code.is_empty() {
            self.record_source(body);
        }
        if body == b"Several failures occurred:" {
            self.has_list = true;
            return None;
        }
        match find_line_kind(body) {
            LineKind::Message(from) => {
                let is_reported = from > 0 && self.record_test_log_place(body);
                return Some(LinePart { text: &body[from..], whole: from == 0 && !self.has_pytest_marks, is_reported });
            }
            LineKind::StableText(text) => return Some(LinePart { text, whole: false, is_reported: false }),
            LineKind::Frame(frame) => {
                self.record_frame(frame, body);
                self.has_panicked |= is_panic_line(body);
                if frame.outer_first {
                    self.block = SkippedBlock::IndentedLines(indent);
                }
            }
            LineKind::Noise => {}
            LineKind::OpensBlock(SkippedBlock::Heading(_)) if self.has_list => {
                let text = find_byte(body, b' ').map_or(body, |space| &body[space + 1..]);
                return Some(LinePart { text, whole: false, is_reported: true });
            }
            LineKind::OpensBlock(SkippedBlock::Heading(left)) if is_exunit_heading(body) => {
                self.drops_previous_lines = true;
                self.block = SkippedBlock::Heading(left);
            }
            // The heading of PHPUnit has a single line and no indentation, unlike those of RSpec and Mocha: `1)
            // CartTest::testTotal`.
            LineKind::OpensBlock(SkippedBlock::Heading(_))
                if indent == 0 && memchr::memmem::find(body, b"::").is_some() => {}
            LineKind::OpensBlock(SkippedBlock::IndentedLines(_)) => self.block = SkippedBlock::IndentedLines(indent),
            LineKind::OpensBlock(SkippedBlock::Properties(_)) => {
                self.has_frame = true;
                self.block = SkippedBlock::Properties(indent);
            }
            LineKind::OpensBlock(block) => self.block = block,
        }
        None
    }

    /// Checks whether the line belongs to the open block, and closes the block at its end.
    fn is_inside_block(&mut self, body: &'t [u8], indent: usize) -> bool {
        match self.block {
            SkippedBlock::None => return false,
            SkippedBlock::Paragraph if !body.is_empty() => return true,
            SkippedBlock::Script => {
                self.block = SkippedBlock::None;
                return body.starts_with(b"> ");
            }
            SkippedBlock::Stack if !body.is_empty() => {
                self.read_stack_line(body);
                return self.block == SkippedBlock::Stack;
            }
            SkippedBlock::IndentedLines(outer) if indent > outer && !body.is_empty() => {
                self.record_source_below(body);
                return true;
            }
            SkippedBlock::Properties(stack) if body != b"}" || indent >= stack => {
                return !is_informative_property(body);
            }
            SkippedBlock::Properties(_) => {
                self.block = SkippedBlock::None;
                return true;
            }
            SkippedBlock::Heading(left) if left > 0 && !body.is_empty() && !ends_heading(body) => {
                // ExUnit prints the place of the test below the heading.
                let is_last = body.ends_with(b":") || stack_frame::path_of_location_line(body).is_some();
                self.block = if is_last { SkippedBlock::None } else { SkippedBlock::Heading(left - 1) };
                return true;
            }
            _ => self.block = SkippedBlock::None,
        }
        false
    }

    /// Checks for a line of the test log of Go or `XCTest`, and records the place of the first such line.
    fn record_test_log_place(&mut self, body: &'t [u8]) -> bool {
        let is_test = |file: &&[u8]| file.ends_with(b"_test.go") || file.ends_with(b".swift");
        let file = find_byte(body, b':').map(|colon| &body[..colon]).filter(is_test);
        if let (Some(file), None) = (file, &self.reported) {
            let frame = StackFrame { file, ..StackFrame::default() };
            self.reported = Some(SeenFrame { frame, body, code: b"" });
        }
        file.is_some()
    }

    fn read_stack_line(&mut self, body: &'t [u8]) {
        if body.starts_with(b"note: ") {
            self.block = SkippedBlock::None;
        } else if let Some(file) = stack_frame::path_of_location_line(body.strip_prefix(b"at ").unwrap_or(body)) {
            let function = std::mem::take(&mut self.function);
            self.record_frame(StackFrame { file, function, outer_first: false }, body);
        } else {
            self.function = stack_frame::function_of_frame_header(body);
        }
    }

    /// Checks for a line about normal progress. Lines that pytest marks are never progress.
    pub(super) fn is_progress(&self, part: &[u8]) -> bool {
        !self.has_pytest_marks && progress_lines::is_progress_line(part)
    }

    /// Records the source of the line that failed. Runners mark this line in quoted source, or print a caret below the
    /// line.
    fn record_source(&mut self, body: &'t [u8]) {
        match byte_at(body, 0) {
            b'>' | b'F' => self.code = find_failed_source(body).unwrap_or_default(),
            b'0'..=b'9' => {
                let number = digits_end(body, 0);
                if byte_at(body, number) == b'|' {
                    self.last_numbered_code = &body[number + 1..];
                }
            }
            b'|' if body[1..].trim_ascii() == b"^" => self.code = self.last_numbered_code,
            _ => {}
        }
    }

    /// Records the source that Python prints below a frame.
    fn record_source_below(&mut self, body: &'t [u8]) {
        if std::mem::take(&mut self.below_frame)
            && let Some(last) = self.frames.last_mut().filter(|seen| seen.frame.outer_first)
        {
            last.code = body;
        }
    }

    fn record_frame(&mut self, frame: StackFrame<'t>, body: &'t [u8]) {
        (self.has_frame, self.below_frame) = (true, true);
        // If there are too many frames, as in an endless recursion, replace the last frame.
        if self.frames.len() == MAX_FRAMES {
            self.frames.pop();
        }
        self.frames.push(SeenFrame { frame, body, code: b"" });
    }
}

/// Checks for `thread 'x' panicked at src/a.rs:1:2:`. The message is on the next line.
fn is_panic_line(body: &[u8]) -> bool {
    body.starts_with(b"thread '") && memchr::memmem::find(body, b" panicked at ").is_some()
}

/// Checks for a heading of `ExUnit`: `1) test adds (CartTest)`.
fn is_exunit_heading(body: &[u8]) -> bool {
    let name = &body[digits_end(body, 0)..];
    [&b") test "[..], b") property ", b") doctest "].iter().any(|start| name.starts_with(start)) && name.ends_with(b")")
}

/// Checks for a line below a heading that belongs to the error: `Failure/Error:` of `RSpec`, the values of hspec, the
/// error itself or its first frame.
fn ends_heading(body: &[u8]) -> bool {
    static STARTS: PrefixList<5> =
        PrefixList::new(["Failure/Error:", "expected: ", "uncaught exception: ", "predicate failed on: ", "Falsif"]);
    STARTS.matches_start(body)
        || salient_lines::starts_with_error_type(body)
        || matches!(find_line_kind(body), LineKind::Frame(_))
}

impl SeenFrame<'_> {
    /// Returns `file:function:line`.
    fn file_function_line(&self) -> String {
        let StackFrame { file, function, .. } = self.frame;
        let last = |text: &'_ [u8], is_end: fn(&u8) -> bool| text.rsplit(is_end).next().unwrap_or_default().to_vec();
        let line = stack_frame::line_number_after(self.body, file);
        let file = last(file, |byte| matches!(byte, b'/' | b'\\'));
        let mut function = last(function, |byte| matches!(byte, b'.' | b' '));
        // The compiler numbers lambdas: `lambda$testTotal$3`.
        while function.last().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'$') {
            function.pop();
        }
        String::from_utf8_lossy(&[&file[..], &function, line].join(&b':')).into_owned()
    }
}

fn join_lines(code: &[u8]) -> String {
    let words: Vec<&[u8]> = code.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let code = words.join(&b' ');
    String::from_utf8_lossy(&code[..floor_character_boundary(&code, MAX_CODE_BYTES)]).into_owned()
}

/// Checks whether the whole line is a trimmed message, regardless of the lines before it.
pub(crate) fn is_whole_message(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii().len() == line.len();
    trimmed
        && find_line_kind(line) == LineKind::Message(0)
        && !progress_lines::is_progress_line(line)
        && !line.starts_with(PYTEST_MARK)
}

/// Checks cheaply whether a message is still a message after parts of it were replaced by placeholders. `false` means
/// unknown.
///
/// No prefix or suffix that `find_kind` checks contains `<` or `>`, so placeholders do not change whether the prefixes
/// and suffixes match. Lines for which `find_kind` checks more than a prefix or suffix are excluded.
pub(crate) fn is_whole_message_with_placeholders(written: &[u8]) -> bool {
    let begins = match byte_at(written, 0) {
        b'a' | b'f' | b't' | b'F' => false,
        b'-' => byte_at(written, 1) == b' ',
        first => first.is_ascii_alphabetic() || matches!(first, b'<' | b'"' | b'+' | b'{' | b'('),
    };
    let ends = !matches!(written.last(), Some(b'!' | b':' | b'-' | b'D'));
    let place = |colon: usize| matches!(byte_at(written, colon + 1), b'0'..=b'9' | b'<' | b'\\');
    begins && ends && !find_byte(written, b':').is_some_and(place) && !progress_lines::is_progress_line(written)
}
