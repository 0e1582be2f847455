//! Chooses the lines that describe the failure; skips frames, code, test names and other output of the runner.

use super::{
    line::{
        line_kind::{LineKind, SkippedBlock},
        runner_lines::{is_telling_property, kind},
        runtime_lines::quoted_code,
    },
    progress_lines,
    stack_frame::{self, Frame},
};
use crate::text::bytes::{at, character_end, digits, find, run};
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Maximum number of frames that are kept.
const MAX_FRAMES: usize = 512;
/// Maximum bytes of the source that identifies where a failure was noticed.
const MAX_CODE_BYTES: usize = 160;
/// pytest's mark before each line of an error.
const MARK: &[u8] = b"E   ";

static MARKED_LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\nE   "));

/// The part of a line that stays.
#[derive(Clone, Copy)]
pub(super) struct LinePart<'l> {
    /// Trimmed.
    pub(super) text: &'l [u8],
    /// Set if only blanks were removed, so the part is a message by itself.
    pub(super) whole: bool,
}

/// A stack frame with its place.
#[derive(Clone, Copy)]
struct SeenFrame<'t> {
    frame: Frame<'t>,
    /// The frame as printed.
    body: &'t [u8],
    /// The source line, if it is printed below the frame.
    code: &'t [u8],
}

/// Reads lines in order and returns the parts that stay.
#[derive(Default)]
pub(super) struct Selector<'t> {
    block: SkippedBlock,
    /// Set if pytest marks error lines with `E`; all other lines are then context.
    marked: bool,
    /// Function of the last numbered or Go frame, whose place is on the next line.
    function: &'t [u8],
    frames: Vec<SeenFrame<'t>>,
    /// Source that a runner quotes for the line that failed.
    code: &'t [u8],
    /// Last line of a quoted source.
    numbered: &'t [u8],
    /// Set after the first frame, of any code.
    pub(super) has_frame: bool,
    /// Set if the line before was a frame.
    below_frame: bool,
}

impl<'t> Selector<'t> {
    /// Searches the text for facts that apply to every line. `may_be_marked`: a line below the first may have pytest's
    /// mark.
    pub(super) fn new(text: &[u8], may_be_marked: bool) -> Self {
        let marked = text.starts_with(MARK) || may_be_marked && MARKED_LINE.find(text).is_some();
        Self { marked, ..Self::default() }
    }

    /// Returns file and function of the innermost in-app frame.
    pub(super) fn frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.innermost(stack_frame::is_in_app).map(|seen| (seen.frame.file, seen.frame.function))
    }

    /// Returns the place in the project or its tests where the failure was noticed, as one line. The source line is
    /// preferred because it does not change when lines above it do; otherwise the result is file, function and line
    /// number.
    pub(super) fn site(&self) -> Option<String> {
        let seen = self.innermost(stack_frame::is_project);
        let code = seen.map(|seen| seen.code).filter(|code| !code.is_empty()).unwrap_or(self.code);
        if code.is_empty() { seen.map(SeenFrame::file_function_line) } else { Some(one_line(code)) }
    }

    fn innermost(&self, is_wanted: fn(&Frame<'_>) -> bool) -> Option<&SeenFrame<'t>> {
        let wanted = |seen: &&SeenFrame<'_>| is_wanted(&seen.frame);
        let last = self.frames.iter().rfind(|seen| seen.frame.outer_first && is_wanted(&seen.frame));
        last.or_else(|| self.frames.iter().find(wanted))
    }

    /// Returns the part of the line that stays. `line` must have no control characters.
    pub(super) fn kept_part(&mut self, line: &'t [u8]) -> Option<LinePart<'t>> {
        let indent = run(line, 0, |byte| matches!(byte, b' ' | b'\t'));
        let body = line[indent..].trim_ascii_end();
        if self.marked {
            let Some(rest) = line.strip_prefix(MARK).or_else(|| (line == b"E").then_some(b"")) else {
                if let LineKind::Frame(frame) = kind(body) {
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
        if self.is_inside(body, indent) {
            return None;
        }
        // A truncated frame, or a frame of an unknown kind.
        let stack = std::mem::take(&mut self.below_frame) && body.starts_with(b"at ");
        if stack && !matches!(kind(body), LineKind::Frame(_) | LineKind::Opens(_)) {
            self.below_frame = true;
            return None;
        }
        if self.code.is_empty() {
            self.record_source(body);
        }
        match kind(body) {
            LineKind::Message(from) => return Some(LinePart { text: &body[from..], whole: from == 0 && !self.marked }),
            LineKind::Text(text) => return Some(LinePart { text, whole: false }),
            LineKind::Frame(frame) => {
                self.record_frame(frame, body);
                if frame.outer_first {
                    self.block = SkippedBlock::Deeper(indent);
                }
            }
            LineKind::Noise => {}
            // PHPUnit's heading has one line and no indentation, unlike those of RSpec and Mocha: `1)
            // CartTest::testTotal`.
            LineKind::Opens(SkippedBlock::Heading(_)) if indent == 0 && memchr::memmem::find(body, b"::").is_some() => {
            }
            LineKind::Opens(SkippedBlock::Deeper(_)) => self.block = SkippedBlock::Deeper(indent),
            LineKind::Opens(SkippedBlock::Properties(_)) => {
                self.has_frame = true;
                self.block = SkippedBlock::Properties(indent);
            }
            LineKind::Opens(block) => self.block = block,
        }
        None
    }

    /// Checks whether the line belongs to the open block, and closes the block at its end.
    fn is_inside(&mut self, body: &'t [u8], indent: usize) -> bool {
        match self.block {
            SkippedBlock::None => return false,
            SkippedBlock::Paragraph if !body.is_empty() => return true,
            SkippedBlock::Script => {
                self.block = SkippedBlock::None;
                return body.starts_with(b"> ");
            }
            SkippedBlock::Stack if !body.is_empty() => {
                self.stack_line(body);
                return self.block == SkippedBlock::Stack;
            }
            SkippedBlock::Deeper(outer) if indent > outer && !body.is_empty() => {
                self.record_source_below(body);
                return true;
            }
            SkippedBlock::Properties(stack) if body != b"}" || indent >= stack => {
                return !is_telling_property(body);
            }
            SkippedBlock::Properties(_) => {
                self.block = SkippedBlock::None;
                return true;
            }
            SkippedBlock::Heading(left) if left > 0 && !body.is_empty() && !body.starts_with(b"Failure/Error:") => {
                self.block = if body.ends_with(b":") { SkippedBlock::None } else { SkippedBlock::Heading(left - 1) };
                return true;
            }
            _ => self.block = SkippedBlock::None,
        }
        false
    }

    fn stack_line(&mut self, body: &'t [u8]) {
        if body.starts_with(b"note: ") {
            self.block = SkippedBlock::None;
        } else if let Some(file) = stack_frame::bare_place(body.strip_prefix(b"at ").unwrap_or(body)) {
            let function = std::mem::take(&mut self.function);
            self.record_frame(Frame { file, function, outer_first: false }, body);
        } else {
            self.function = stack_frame::bare_function(body);
        }
    }

    /// Checks for a line about normal progress. Lines that pytest marks are never progress.
    pub(super) fn is_progress(&self, part: &[u8]) -> bool {
        !self.marked && progress_lines::is_progress(part)
    }

    /// Records the failed source: runners mark the line in the quoted source, or point at it from below.
    fn record_source(&mut self, body: &'t [u8]) {
        match at(body, 0) {
            b'>' | b'F' => self.code = quoted_code(body).unwrap_or_default(),
            b'0'..=b'9' => {
                let number = digits(body, 0);
                if at(body, number) == b'|' {
                    self.numbered = &body[number + 1..];
                }
            }
            b'|' if body[1..].trim_ascii() == b"^" => self.code = self.numbered,
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

    fn record_frame(&mut self, frame: Frame<'t>, body: &'t [u8]) {
        (self.has_frame, self.below_frame) = (true, true);
        // For an endless recursion, replace the last frame.
        if self.frames.len() == MAX_FRAMES {
            self.frames.pop();
        }
        self.frames.push(SeenFrame { frame, body, code: b"" });
    }
}

impl SeenFrame<'_> {
    /// Returns `file:function:line`.
    fn file_function_line(&self) -> String {
        let Frame { file, function, .. } = self.frame;
        let last = |text: &'_ [u8], is_end: fn(&u8) -> bool| text.rsplit(is_end).next().unwrap_or_default().to_vec();
        let line = stack_frame::line_after(self.body, file);
        let file = last(file, |byte| matches!(byte, b'/' | b'\\'));
        let mut function = last(function, |byte| matches!(byte, b'.' | b' '));
        // The compiler numbers lambdas: `lambda$testTotal$3`.
        while function.last().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'$') {
            function.pop();
        }
        String::from_utf8_lossy(&[&file[..], &function, line].join(&b':')).into_owned()
    }
}

fn one_line(code: &[u8]) -> String {
    let words: Vec<&[u8]> = code.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let code = words.join(&b' ');
    String::from_utf8_lossy(&code[..character_end(&code, MAX_CODE_BYTES)]).into_owned()
}

/// Checks whether the whole line is a trimmed message, regardless of the lines before it.
pub(crate) fn is_whole_message(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii().len() == line.len();
    trimmed && kind(line) == LineKind::Message(0) && !progress_lines::is_progress(line) && !line.starts_with(MARK)
}

/// Checks cheaply whether a message stays a message after placeholders were written into it; `false` means unknown.
///
/// No prefix or suffix in `kind` contains `<` or `>`, so placeholders do not change whether they match. Lines for which
/// `kind` checks more than a prefix or suffix are excluded.
pub(crate) fn is_whole_message_with_placeholders(written: &[u8]) -> bool {
    let begins = match at(written, 0) {
        b'a' | b'f' | b't' | b'F' => false,
        b'-' => at(written, 1) == b' ',
        first => first.is_ascii_alphabetic() || matches!(first, b'<' | b'"' | b'+' | b'{' | b'('),
    };
    let ends = !matches!(written.last(), Some(b'!' | b':' | b'-' | b'D'));
    let place = |colon: usize| matches!(at(written, colon + 1), b'0'..=b'9' | b'<' | b'\\');
    begins && ends && !find(written, b':').is_some_and(place) && !progress_lines::is_progress(written)
}
