//! Chooses the lines that say what failed: frames, code, test names and the runner's own talk are put aside.

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

/// Most frames that are kept.
const MAX_FRAMES: usize = 512;
/// Longest source that says where a failure was noticed.
const MAX_CODE_BYTES: usize = 160;
/// What pytest puts before each line of its own.
const MARK: &[u8] = b"E   ";

static MARKED_LINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\nE   "));

/// What stays of a line.
#[derive(Clone, Copy)]
pub(super) struct LinePart<'l> {
    /// Trimmed.
    pub(super) text: &'l [u8],
    /// Only blanks stood around it: it is a message by itself, too.
    pub(super) whole: bool,
}

/// A frame of the stack, and what is known of its place.
#[derive(Clone, Copy)]
struct SeenFrame<'t> {
    frame: Frame<'t>,
    /// As printed.
    body: &'t [u8],
    /// The source there, where it stands below the frame.
    code: &'t [u8],
}

/// Reads lines in order and hands out those that stay.
#[derive(Default)]
pub(super) struct Selector<'t> {
    block: SkippedBlock,
    /// pytest marks what it says with `E`; with such lines in the text, all others are context.
    marked: bool,
    /// Function of the last numbered or Go frame, whose place is on the next line.
    function: &'t [u8],
    frames: Vec<SeenFrame<'t>>,
    /// The source that a runner quotes for the line that failed.
    code: &'t [u8],
    /// The last line of a quoted source.
    numbered: &'t [u8],
    /// There was a frame, of whatever code.
    pub(super) has_frame: bool,
    /// The line before was a frame.
    below_frame: bool,
}

impl<'t> Selector<'t> {
    /// Looks at the whole text for what decides about every line; `may_be_marked`: below its first line may be a mark.
    pub(super) fn new(text: &[u8], may_be_marked: bool) -> Self {
        let marked = text.starts_with(MARK) || may_be_marked && MARKED_LINE.find(text).is_some();
        Self { marked, ..Self::default() }
    }

    /// The innermost in-app frame: file and function.
    pub(super) fn frame(&self) -> Option<(&'t [u8], &'t [u8])> {
        self.innermost(stack_frame::is_in_app).map(|seen| (seen.frame.file, seen.frame.function))
    }

    /// The place in the project, or in its tests, where the failure was noticed, as one line: the source there, which stays
    /// when lines above it come and go, else file, function and line.
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

    /// The part of the line that stays; `line` is without control characters.
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
        // A frame that was cut off, or of a kind that nobody knows.
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
            // PHPUnit's, of one line, is not indented, as those of RSpec and Mocha are: `1) CartTest::testTotal`.
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

    /// Whether the line belongs to the open block; closes the block where it ends.
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

    /// Whether the line only tells how things went along; never so of what pytest marks.
    pub(super) fn is_progress(&self, part: &[u8]) -> bool {
        !self.marked && progress_lines::is_progress(part)
    }

    /// Runners quote the source and mark the line that failed, or point at it from below.
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

    /// Python puts the source below the frame.
    fn record_source_below(&mut self, body: &'t [u8]) {
        if std::mem::take(&mut self.below_frame)
            && let Some(last) = self.frames.last_mut().filter(|seen| seen.frame.outer_first)
        {
            last.code = body;
        }
    }

    fn record_frame(&mut self, frame: Frame<'t>, body: &'t [u8]) {
        (self.has_frame, self.below_frame) = (true, true);
        // Of an endless recursion the last one is kept.
        if self.frames.len() == MAX_FRAMES {
            self.frames.pop();
        }
        self.frames.push(SeenFrame { frame, body, code: b"" });
    }
}

impl SeenFrame<'_> {
    /// File, function and line.
    fn file_function_line(&self) -> String {
        let Frame { file, function, .. } = self.frame;
        let last = |text: &'_ [u8], is_end: fn(&u8) -> bool| text.rsplit(is_end).next().unwrap_or_default().to_vec();
        let line = stack_frame::line_after(self.body, file);
        let file = last(file, |byte| matches!(byte, b'/' | b'\\'));
        let mut function = last(function, |byte| matches!(byte, b'.' | b' '));
        // The compiler counts them: `lambda$testTotal$3`.
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

/// Whether the line is a trimmed message as a whole, whatever stands before it.
pub(crate) fn is_whole_message(line: &[u8]) -> bool {
    let trimmed = line.trim_ascii().len() == line.len();
    trimmed && kind(line) == LineKind::Message(0) && !progress_lines::is_progress(line) && !line.starts_with(MARK)
}

/// Whether a message, which is one as a whole, is sure to stay with placeholders in it: cheap, and most are.
///
/// No beginning and no end that `kind` knows has a `<` or a `>`, so they fit or fail as they did. Left out are the lines of
/// which `kind` asks more than that.
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
