//! Turns one raw failure text into stable text: what changes from run to run becomes a placeholder.
//!
//! `output` chooses the lines that say what failed; `walk` walks each of them once, `placeholders` names the placeholders.

mod names;
mod placeholders;
mod walk;
mod word;

use crate::{
    output::{CleanText, Output, OutputLine, lines, progress_lines, salient},
    text::bytes::{are_equal, character_end},
};
use memchr::memmem;
pub(crate) use names::VOLATILE;
pub use names::is_placeholder_name;
use std::borrow::Cow;
use walk::WalkOutcome;

/// Longest normalized text: enough for every message a person reads, small enough for an index.
const MAX_TEXT_BYTES: usize = 2048;
/// Longest headline.
const MAX_HEADLINE_BYTES: usize = 300;
/// Most lines that are written.
const MAX_LINES: usize = 64;
/// Longest cause that is written at the end of a text that is full.
const MAX_CAUSE_BYTES: usize = 256;
/// Most passes over what the first one wrote; each of them sees a few KiB and nearly always changes nothing.
const MAX_PASSES: usize = 4;

/// What of a failure text stays the same when it happens again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Normalized {
    /// The salient part (headline, without ANSI codes, stack frames and code frames) with placeholders; bounded.
    pub text: String,
    /// The first line of the redacted raw text that says what went wrong, for people; bounded, no placeholders.
    pub headline: String,
    /// Innermost in-app frame as `file:function`, placeholders applied, where the text has a stack.
    pub frame: Option<String>,
    /// Where the failure was noticed, for a message that many failures of one test have: the source there, or file,
    /// function and line.
    pub site: Option<String>,
    /// Exact HTTP statuses of which `text` has only the class, in order.
    pub statuses: Vec<u16>,
}

impl Normalized {
    /// What is signed: the text, and where it says too little, the place.
    pub fn identity(&self) -> Cow<'_, str> {
        match &self.site {
            Some(site) => Cow::Owned([&self.text, "\nat ", site].concat()),
            None => Cow::Borrowed(&self.text),
        }
    }
}

/// One pass over the text, and where the first does not show that nothing would change, a short one over its result:
/// what is normalized must stay so when it comes again.
pub fn normalize(text: &str) -> Normalized {
    let mut first = Writer::with_room_for(text.len());
    let (frame, site) = first.pass(text.as_bytes());
    if !first.sure {
        first.out = normalize_again(first.out, first.settled);
    }
    first.statuses.dedup();
    Normalized { text: string(first.out), headline: first.headline, frame, site, statuses: first.statuses }
}

/// One line with placeholders, whatever it says.
pub(crate) fn line(line: &str) -> String {
    let mut out = Vec::with_capacity(line.len());
    walk::write_line(line.as_bytes(), &mut out, &mut Vec::new());
    string(out)
}

/// Passes over the text until nothing changes; bit `n` of `known` says that the `n`th line does not.
fn normalize_again(mut out: Vec<u8>, known: u64) -> Vec<u8> {
    let mut again = Writer::with_room_for(out.len());
    again.known = known;
    for _ in 0..MAX_PASSES {
        again.clear();
        again.pass(&out);
        again.known = 0;
        if again.out == out {
            break;
        }
        std::mem::swap(&mut again.out, &mut out);
    }
    out
}

/// The line without what a language offers in place of a name that there is not: that differs with what else there is.
/// Python and TypeScript: `Did you mean: 'total'?`; Go: `(type Cart has no field or method Total, but does have total)`.
fn without_hint(line: &[u8]) -> &[u8] {
    let hint = match line.last() {
        Some(b'?') => memmem::find(line, b". Did you mean"),
        Some(b')') => memmem::find(line, b" has no field or method ").and_then(|at| memchr::memrchr(b'(', &line[..at])),
        _ => None,
    };
    hint.map_or(line, |at| line[..at].trim_ascii_end())
}

struct Writer {
    out: Vec<u8>,
    headline: String,
    statuses: Vec<u16>,
    /// Where each written line ends.
    ends: [u16; MAX_LINES],
    lines: usize,
    /// What `mark` makes of the lines that were written.
    seen: [u64; 4],
    /// Bit `n`: the `n`th line that was written does not change when it comes again.
    settled: u64,
    /// All that was written stays when it comes again, lines as well as the choice of them.
    sure: bool,
    /// What `settled` was for the text that is read; 0 where nothing is known.
    known: u64,
}

impl Writer {
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
            sure: true,
            known: 0,
        }
    }

    fn clear(&mut self) {
        self.out.clear();
        self.statuses.clear();
        (self.lines, self.seen, self.settled) = (0, [0; 4], 0);
    }

    /// Writes what stays of the text; answers the innermost in-app frame, and where a failure was noticed whose message says
    /// little.
    fn pass(&mut self, text: &[u8]) -> (Option<String>, Option<String>) {
        let text = CleanText::of(text);
        let output = Output::read(&text, false);
        let mut cause = self.write_all(&output);
        if output.has_progress && !progress_lines::mentions_failure(&self.out) {
            self.clear();
            self.headline.clear();
            self.sure = false;
            cause = self.write_all(&Output::read(&text, true));
        }
        if self.out.is_empty() {
            self.sure = false;
            // Nothing but frames and headings: then they are what there is.
            text.lines().for_each(|line| self.write_line(line.trim_ascii(), false, false));
        }
        match cause {
            Some(cause) => self.end_with(cause),
            None => self.cut(MAX_TEXT_BYTES),
        }
        let frame = output.frame().map(|(file, function)| frame_text(file, function));
        let site = if salient::is_generic(&self.out) { output.site() } else { None };
        (frame, site)
    }

    /// Gives the end of the text, which is full, to the deepest cause, which is what failed.
    fn end_with(&mut self, cause: &[u8]) {
        let (mut line, mut statuses) = (Vec::new(), Vec::new());
        walk::write_line(cause, &mut line, &mut statuses);
        let last = self.line_start();
        let is_last = self.out[last..] == line;
        if !is_last && self.out.split(|&byte| byte == b'\n').any(|written| written == line) {
            return self.cut(MAX_TEXT_BYTES);
        }
        if is_last || self.lines == MAX_LINES {
            self.out.truncate(last.saturating_sub(1));
        }
        line.truncate(cut(&line, MAX_CAUSE_BYTES));
        self.out.truncate(cut(&self.out, MAX_TEXT_BYTES - line.len() - 1));
        self.out.push(b'\n');
        self.out.append(&mut line);
        self.statuses.append(&mut statuses);
        (self.settled, self.sure) = (0, false);
    }

    fn cut(&mut self, limit: usize) {
        let end = cut(&self.out, limit);
        if end < self.out.len() {
            self.out.truncate(end);
            self.cut_line();
        }
    }

    /// The last line has lost its end: looks again at what is left of it.
    fn cut_line(&mut self) {
        while self.lines > 0 && self.line_start() >= self.out.len() {
            self.lines = self.lines.saturating_sub(1);
        }
        let begin = self.line_start();
        let (line, mut again) = (&self.out[begin..], Vec::new());
        walk::write_line(line, &mut again, &mut Vec::new());
        let stays = again == line && lines::is_whole_message(line);
        self.lines = self.lines.saturating_sub(1);
        self.settled &= !(u64::MAX << self.lines);
        self.sure &= stays && !self.is_repeated_line(begin);
    }

    /// Where the last written line begins.
    fn line_start(&self) -> usize {
        if self.lines < 2 { 0 } else { usize::from(self.ends[self.lines - 2]) + 1 }
    }

    /// Writes the lines that say what failed; answers the deepest cause where the text was full before it.
    fn write_all<'t>(&mut self, output: &Output<'t>) -> Option<&'t [u8]> {
        self.sure &= !output.is_pruned;
        let mut cause = None;
        for &OutputLine { part, number, is_untouched, is_message, is_cause } in &output.lines {
            let known = is_untouched && number < MAX_LINES && self.known >> number & 1 != 0;
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

    /// Writes a line unless it was written before. `known`: walking it changes nothing; `message`: it is one that tells of
    /// no progress, whatever stands before it.
    fn write_line(&mut self, line: &[u8], known: bool, message: bool) {
        let line = without_hint(line);
        if line.is_empty() || self.is_full() {
            return;
        }
        let (before, statuses) = (self.out.len(), self.statuses.len());
        if before > 0 {
            self.out.push(b'\n');
        }
        let begin = self.out.len();
        let WalkOutcome { settled, respaced } = if known {
            self.out.extend_from_slice(line);
            WalkOutcome { settled: true, respaced: false }
        } else {
            walk::write_line(line, &mut self.out, &mut self.statuses)
        };
        let (part, mark) = mark(&self.out[begin..]);
        if self.out.len() == begin || self.seen[part] & mark != 0 && self.is_repeated_line(begin) {
            self.out.truncate(before);
            self.statuses.truncate(statuses);
            return;
        }
        if self.headline.is_empty() {
            self.headline = string(line[..character_end(line, MAX_HEADLINE_BYTES)].to_vec());
        }
        self.seen[part] |= mark;
        self.ends[self.lines] = u16::try_from(self.out.len()).unwrap_or(u16::MAX);
        let written = &self.out[begin..];
        let unchanged = are_equal(written, line);
        let settled = settled || unchanged;
        self.settled |= u64::from(settled) << self.lines;
        let message = message && (unchanged || !respaced && lines::is_whole_message_with_placeholders(written));
        debug_assert!(!message || lines::is_whole_message(written), "{}", String::from_utf8_lossy(written));
        self.sure = self.sure && settled && (message || lines::is_whole_message(written));
        self.lines += 1;
    }

    /// Whether the line from `begin` was written before: how often a thing was tried is no part of what failed.
    fn is_repeated_line(&self, begin: usize) -> bool {
        let (mut start, line) = (0, &self.out[begin..]);
        self.ends[..self.lines].iter().any(|&end| {
            let known = start..usize::from(end);
            start = known.end + 1;
            known.len() == line.len() && are_equal(&self.out[known], line)
        })
    }
}

/// One of 256 bits, by the length of the line and its last bytes: most lines are seen by it not to be repeated.
fn mark(line: &[u8]) -> (usize, u64) {
    let last = line.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let length = u32::try_from(line.len()).unwrap_or(0);
    // Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing.
    let hash = (last ^ length).wrapping_mul(0x9e37_79b1) >> 24;
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// Where to cut so that no character is cut in two, and no word but a very long one.
fn cut(text: &[u8], limit: usize) -> usize {
    const MAX_WORD_BYTES: usize = 64;
    if text.len() <= limit {
        return text.len();
    }
    let from = limit.saturating_sub(MAX_WORD_BYTES);
    let space = text[from..limit].iter().rposition(|byte| matches!(byte, b' ' | b'\n'));
    space.map_or_else(|| character_end(text, limit), |at| from + at)
}

/// A line may have been cut inside a character; all else is UTF-8 as it came.
fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn frame_text(file: &[u8], function: &[u8]) -> String {
    let mut out = Vec::new();
    // The name alone: a checkout lies elsewhere on each machine, and a reporter may print it relative to anything.
    let start = file.iter().rposition(|byte| matches!(byte, b'/' | b'\\')).map_or(0, |slash| slash + 1);
    let file = &file[start..];
    walk::write_line(file, &mut out, &mut Vec::new());
    out.push(b':');
    walk::write_line(function, &mut out, &mut Vec::new());
    string(out)
}

#[cfg(test)]
mod tests;
