//! Normalizes a failure text: replaces the parts that change from run to run by placeholders.
//!
//! `output` chooses the lines that describe the failure, `walk` reads each line once, and `placeholders` defines the
//! placeholders.

mod placeholder_names;
mod placeholders;
mod walk;
mod word_context;

use crate::{
    output::{CleanText, Output, OutputLine, line_selector, progress_lines, salient_lines},
    text::bytes::{are_equal, floor_character_boundary},
};
use memchr::memmem;
pub(crate) use placeholder_names::VOLATILE_NAMES;
pub use placeholder_names::is_placeholder_name;
use std::borrow::Cow;
use walk::WalkOutcome;

/// Maximum length of the normalized text: enough for any message that a person reads, and small enough for a database
/// index.
const MAX_TEXT_BYTES: usize = 2048;
const MAX_HEADLINE_BYTES: usize = 300;
const MAX_LINES: usize = 64;
/// Maximum length of the deepest cause at the end of a text that is too long.
const MAX_CAUSE_BYTES: usize = 256;
/// Maximum number of passes after the first pass. Each pass reads a few KiB and almost never changes the text.
const MAX_PASSES: usize = 4;

/// The normalized text of a failure, which is the same in every occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NormalizedFailure {
    /// The lines that describe the failure, with placeholders, without escape sequences, stack frames and quoted
    /// source. At most `MAX_TEXT_BYTES` bytes.
    pub text: String,
    /// The first line of the redacted text that describes the failure, without placeholders. At most
    /// `MAX_HEADLINE_BYTES` bytes.
    pub headline: String,
    /// Innermost in-app frame as `file:function`, with placeholders. `None` if the text has no stack.
    pub frame: Option<String>,
    /// The place of the failure, if several failures of a test may have the same message. For a comparison: the source
    /// line, or file, function and line number. For an error of the runtime: file and function.
    pub site: Option<String>,
    /// The exact HTTP statuses, in order. `text` contains only their classes, for example `5xx`.
    pub statuses: Vec<u16>,
}

impl NormalizedFailure {
    /// Returns the text from which the signature is computed: the normalized text, plus the place of the failure if the
    /// text alone is too generic.
    pub fn signature_input(&self) -> Cow<'_, str> {
        match &self.site {
            Some(site) => Cow::Owned([&self.text, "\nat ", site].concat()),
            None => Cow::Borrowed(&self.text),
        }
    }
}

/// Normalizes a text. Normalizing the result again must not change the result, so further passes follow unless the
/// first pass proves that they would change nothing.
pub fn normalize(text: &str) -> NormalizedFailure {
    let mut first = NormalizedWriter::with_room_for(text.len());
    let (frame, site) = first.write_stable_part(text.as_bytes());
    if !first.is_stable {
        first.out = normalize_again(first.out, first.settled);
    }
    first.statuses.dedup();
    NormalizedFailure { text: into_string(first.out), headline: first.headline, frame, site, statuses: first.statuses }
}

/// Replaces the volatile parts of one line, even if the line does not describe a failure.
pub(crate) fn normalize_line(line: &str) -> String {
    let mut out = Vec::with_capacity(line.len());
    walk::write_line(line.as_bytes(), &mut out, &mut Vec::new());
    into_string(out)
}

/// Repeats passes over the text until nothing changes. Bit `n` of `stable_lines` is set if the `n`th line cannot
/// change.
fn normalize_again(mut out: Vec<u8>, stable_lines: u64) -> Vec<u8> {
    let mut again = NormalizedWriter::with_room_for(out.len());
    again.settled_input_lines = stable_lines;
    for _ in 0..MAX_PASSES {
        again.clear();
        again.write_stable_part(&out);
        again.settled_input_lines = 0;
        if again.out == out {
            break;
        }
        std::mem::swap(&mut again.out, &mut out);
    }
    out
}

/// Removes the suggestion of a compiler for an unknown name, because the suggestion depends on other names in the
/// program. Python and TypeScript print `Did you mean: 'total'?`; Go prints `(type Cart has no field or method Total,
/// but does have total)`.
fn remove_suggestion(line: &[u8]) -> &[u8] {
    let hint = match line.last() {
        Some(b'?') => memmem::find(line, b". Did you mean"),
        Some(b')') => memmem::find(line, b" has no field or method ").and_then(|at| memchr::memrchr(b'(', &line[..at])),
        _ => None,
    };
    hint.map_or(line, |at| line[..at].trim_ascii_end())
}

struct NormalizedWriter {
    out: Vec<u8>,
    headline: String,
    statuses: Vec<u16>,
    /// End offset of each written line.
    ends: [u16; MAX_LINES],
    lines: usize,
    /// The bits of all written lines; see [`line_bit`].
    seen: [u64; 4],
    /// Bit `n` is set if another pass cannot change the `n`th written line.
    settled: u64,
    /// Set if another pass cannot change the lines or the choice of lines.
    is_stable: bool,
    /// `settled` of the pass that wrote the input, or 0 in the first pass.
    settled_input_lines: u64,
}

impl NormalizedWriter {
    fn with_room_for(length: usize) -> Self {
        let room = length.min(MAX_TEXT_BYTES) + 64;
        let (headline, statuses) = (String::new(), Vec::new());
        Self {
            out: Vec::with_capacity(room),
            headline,
            statuses,
            ends: [0; MAX_LINES],
            lines: 0,
            seen: [0; 4],
            settled: 0,
            is_stable: true,
            settled_input_lines: 0,
        }
    }

    fn clear(&mut self) {
        self.out.clear();
        self.statuses.clear();
        (self.lines, self.seen, self.settled) = (0, [0; 4], 0);
    }

    /// Writes the lines that describe the failure, with placeholders. Returns the innermost in-app frame and, for a
    /// generic message, the place of the failure.
    fn write_stable_part(&mut self, text: &[u8]) -> (Option<String>, Option<String>) {
        let text = CleanText::new(text);
        let output = Output::read(&text, false);
        let mut cause = self.write_all(&output);
        if output.has_progress && !progress_lines::mentions_failure(&self.out) {
            self.clear();
            self.headline.clear();
            self.is_stable = false;
            cause = self.write_all(&Output::read(&text, true));
        }
        if self.out.is_empty() {
            self.is_stable = false;
            // The text has only frames and headings, so write all lines.
            text.lines().for_each(|line| self.write_line(line.trim_ascii(), false, false));
        }
        match cause {
            Some(cause) => self.end_with_cause(cause),
            None => self.cut_text(MAX_TEXT_BYTES),
        }
        let frame = output.innermost_app_frame().map(|(file, function)| normalize_frame(file, function));
        let site = if output.has_frame() && salient_lines::is_generic_runtime_message(&self.out) {
            // Without the line number, because lines above may be added or removed.
            output.innermost_project_frame().map(|(file, function)| normalize_frame(file, function))
        } else if salient_lines::is_generic_message(&self.out) {
            output.failure_place()
        } else {
            None
        };
        (frame, site)
    }

    /// Replaces the end of a full text with the deepest cause, because the deepest cause is the actual error.
    fn end_with_cause(&mut self, cause: &[u8]) {
        let (mut line, mut statuses) = (Vec::new(), Vec::new());
        walk::write_line(cause, &mut line, &mut statuses);
        let last = self.line_start();
        let is_last = self.out[last..] == line;
        if !is_last && self.out.split(|&byte| byte == b'\n').any(|written| written == line) {
            return self.cut_text(MAX_TEXT_BYTES);
        }
        if is_last || self.lines == MAX_LINES {
            self.out.truncate(last.saturating_sub(1));
        }
        line.truncate(cut_position(&line, MAX_CAUSE_BYTES));
        self.out.truncate(cut_position(&self.out, MAX_TEXT_BYTES - line.len() - 1));
        self.out.push(b'\n');
        self.out.append(&mut line);
        self.statuses.append(&mut statuses);
        (self.settled, self.is_stable) = (0, false);
    }

    fn cut_text(&mut self, limit: usize) {
        let end = cut_position(&self.out, limit);
        if end < self.out.len() {
            self.out.truncate(end);
            self.recheck_last_line();
        }
    }

    /// Checks again whether the last line is stable, because its end was cut off.
    fn recheck_last_line(&mut self) {
        while self.lines > 0 && self.line_start() >= self.out.len() {
            self.lines = self.lines.saturating_sub(1);
        }
        let begin = self.line_start();
        let (line, mut again) = (&self.out[begin..], Vec::new());
        walk::write_line(line, &mut again, &mut Vec::new());
        let stays = again == line && line_selector::is_whole_message(line);
        self.lines = self.lines.saturating_sub(1);
        self.settled &= !(u64::MAX << self.lines);
        self.is_stable &= stays && !self.is_repeated_line(begin);
    }

    /// Returns the start of the last written line.
    fn line_start(&self) -> usize {
        if self.lines < 2 { 0 } else { usize::from(self.ends[self.lines - 2]) + 1 }
    }

    /// Writes the lines that describe the failure. Returns the deepest cause if the text was full before the line of
    /// this cause.
    fn write_all<'t>(&mut self, output: &Output<'t>) -> Option<&'t [u8]> {
        self.is_stable &= !output.is_pruned;
        let mut cause = None;
        for &OutputLine { part, line_index: number, is_untouched, is_message, is_cause, .. } in &output.lines {
            let known = is_untouched && number < MAX_LINES && self.settled_input_lines >> number & 1 != 0;
            let full = self.is_full();
            self.write_line(part, known, is_message);
            if is_cause && (full || self.out.len() > MAX_TEXT_BYTES) {
                cause = Some(part);
            }
        }
        cause
    }

    fn is_full(&self) -> bool {
        self.lines == MAX_LINES || self.out.len() >= MAX_TEXT_BYTES
    }

    /// Writes a line unless it was written before. `known`: normalizing the line changes nothing. `message`: the line
    /// is a failure message and not progress output, regardless of its prefix.
    fn write_line(&mut self, line: &[u8], known: bool, message: bool) {
        let line = remove_suggestion(line);
        if line.is_empty() || self.is_full() {
            return;
        }
        let (before, statuses) = (self.out.len(), self.statuses.len());
        if before > 0 {
            self.out.push(b'\n');
        }
        let begin = self.out.len();
        let WalkOutcome { is_line_stable: settled, spaces_collapsed: respaced } = if known {
            self.out.extend_from_slice(line);
            WalkOutcome { is_line_stable: true, spaces_collapsed: false }
        } else {
            walk::write_line(line, &mut self.out, &mut self.statuses)
        };
        let (part, mark) = line_bit(&self.out[begin..]);
        if self.out.len() == begin || self.seen[part] & mark != 0 && self.is_repeated_line(begin) {
            self.out.truncate(before);
            self.statuses.truncate(statuses);
            return;
        }
        if self.headline.is_empty() {
            self.headline = into_string(line[..floor_character_boundary(line, MAX_HEADLINE_BYTES)].to_vec());
        }
        self.seen[part] |= mark;
        self.ends[self.lines] = u16::try_from(self.out.len()).unwrap_or(u16::MAX);
        let written = &self.out[begin..];
        let unchanged = are_equal(written, line);
        let settled = settled || unchanged;
        self.settled |= u64::from(settled) << self.lines;
        let message = message && (unchanged || !respaced && line_selector::is_whole_message_with_placeholders(written));
        debug_assert!(!message || line_selector::is_whole_message(written), "{}", String::from_utf8_lossy(written));
        self.is_stable = self.is_stable && settled && (message || line_selector::is_whole_message(written));
        self.lines += 1;
    }

    /// Checks whether the line that starts at `begin` was written before. Repeated lines are removed because the number
    /// of attempts does not identify a failure.
    fn is_repeated_line(&self, begin: usize) -> bool {
        let (mut start, line) = (0, &self.out[begin..]);
        self.ends[..self.lines].iter().any(|&end| {
            let known = start..usize::from(end);
            start = known.end + 1;
            known.len() == line.len() && are_equal(&self.out[known], line)
        })
    }
}

/// Returns one of 256 bits, chosen by the length and the last bytes of a line. If the bit is not set in `seen`, the
/// line is new, and no comparison is needed.
fn line_bit(line: &[u8]) -> (usize, u64) {
    let last = line.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let length = u32::try_from(line.len()).unwrap_or(0);
    // Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing.
    let hash = (last ^ length).wrapping_mul(0x9e37_79b1) >> 24;
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// Returns where to cut the text so that no character is split, and no word unless the word is very long.
fn cut_position(text: &[u8], limit: usize) -> usize {
    const MAX_WORD_BYTES: usize = 64;
    if text.len() <= limit {
        return text.len();
    }
    let from = limit.saturating_sub(MAX_WORD_BYTES);
    let space = text[from..limit].iter().rposition(|byte| matches!(byte, b' ' | b'\n'));
    space.map_or_else(|| floor_character_boundary(text, limit), |at| from + at)
}

/// Converts bytes to a string. The bytes are invalid UTF-8 only if a character was cut.
fn into_string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn normalize_frame(file: &[u8], function: &[u8]) -> String {
    let mut out = Vec::new();
    // Use only the file name, because a checkout has another path on each machine, and reporters print paths relative
    // to different folders.
    let start = file.iter().rposition(|byte| matches!(byte, b'/' | b'\\')).map_or(0, |slash| slash + 1);
    let file = &file[start..];
    walk::write_line(file, &mut out, &mut Vec::new());
    out.push(b':');
    walk::write_line(function, &mut out, &mut Vec::new());
    into_string(out)
}

#[cfg(test)]
mod tests;
