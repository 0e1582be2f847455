//! Turns one raw failure text into stable text: what changes from run to run becomes a placeholder.
//! Does not: read files, know SQL, decide what matches.
//!
//! `lines` chooses the lines that say what failed, `scan` walks each of them once, `table` names the placeholders.

mod bytes;
mod clean;
mod frames;
mod ids;
mod lines;
mod net;
mod numbers;
mod paths;
mod scan;
mod table;
mod time;

use lines::Selector;

/// Longest normalized text: enough for every message a person reads, small enough for an index.
const MAX_TEXT: usize = 2048;
/// Longest part of one line that counts.
const MAX_LINE: usize = 8192;
/// Longest headline.
const MAX_HEADLINE: usize = 300;
/// Most lines that are compared for repetition.
const MAX_LINES: usize = 64;

/// What of a failure text stays the same when it happens again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Normalized {
    /// The salient part (headline, without ANSI codes, stack frames and code frames) with placeholders; bounded.
    pub text: String,
    /// The first line of the redacted raw text that says what went wrong, for people; bounded, no placeholders.
    pub headline: String,
    /// Innermost in-app frame as `file:function`, placeholders applied, where the text has a stack.
    pub frame: Option<String>,
    /// Exact HTTP statuses of which `text` has only the class, in order.
    pub statuses: Vec<u16>,
}

/// One pass over the text.
pub fn normalize(text: &str) -> Normalized {
    let mut selector = Selector::new(text.as_bytes());
    let mut writer = Writer::default();
    walk(text.as_bytes(), |line| {
        if let Some(line) = selector.take(line) {
            writer.write(line);
        }
    });
    let frame = selector.frame().map(|(file, function)| frame_text(file, function));
    if writer.out.is_empty() {
        // Nothing but frames and headings: then they are what there is.
        writer.everything = true;
        walk(text.as_bytes(), |line| writer.write(line.trim_ascii()));
    }
    writer.finish(frame)
}

/// Hands out each line, bounded and without control characters.
fn walk(text: &[u8], mut each: impl FnMut(&[u8])) {
    let mut scratch = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length);
        let line = &text[start..end.min(start + MAX_LINE)];
        each(clean::clean(line, &mut scratch));
        start = end + 1;
    }
}

#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    headline: String,
    statuses: Vec<u16>,
    /// Where each written line begins and ends.
    lines: Vec<(usize, usize)>,
    full: bool,
    /// Frames and headings are written too.
    everything: bool,
}

impl Writer {
    fn write(&mut self, line: &[u8]) {
        if self.full || line.is_empty() {
            return;
        }
        let before = self.out.len();
        if before > 0 {
            self.out.push(b'\n');
        }
        let begin = self.out.len();
        scan::write_line(line, &mut self.out, &mut self.statuses);
        let written = &self.out[begin..];
        let again = self.lines.iter().any(|&(start, end)| self.out[start..end] == *written);
        // What a second pass would put aside must not be written.
        let unstable = !self.everything && !lines::stays(written);
        if again || unstable || written.is_empty() {
            self.out.truncate(before);
            return;
        }
        if self.headline.is_empty() {
            self.headline = bounded(line, MAX_HEADLINE);
        }
        self.lines.push((begin, self.out.len()));
        self.full = self.out.len() >= MAX_TEXT || self.lines.len() >= MAX_LINES;
    }

    fn finish(mut self, frame: Option<String>) -> Normalized {
        self.out.truncate(cut(&self.out, MAX_TEXT));
        self.statuses.dedup();
        let text = String::from_utf8_lossy(&self.out).trim().to_owned();
        Normalized { text, headline: self.headline, frame, statuses: self.statuses }
    }
}

/// Where to cut so that no word and no character is cut in two.
fn cut(text: &[u8], limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    let space = text[..limit].iter().rposition(|byte| matches!(byte, b' ' | b'\n'));
    space.unwrap_or_else(|| (0..limit).rev().find(|&end| text[end] & 0xc0 != 0x80).unwrap_or(0))
}

fn bounded(line: &[u8], limit: usize) -> String {
    let end = if line.len() <= limit {
        line.len()
    } else {
        (0..limit).rev().find(|&end| line[end] & 0xc0 != 0x80).unwrap_or(0)
    };
    String::from_utf8_lossy(&line[..end]).into_owned()
}

fn frame_text(file: &[u8], function: &[u8]) -> String {
    let mut out = Vec::new();
    scan::write_line(file, &mut out, &mut Vec::new());
    out.push(b':');
    scan::write_line(function, &mut out, &mut Vec::new());
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
