//! Makes JSON text safe to stream: strings are bounded, and invalid content in strings is replaced.
//!
//! A test's output may contain NUL, lone surrogates from a cut emoji, or fifty megabytes. Reading must
//! continue after each of them.

use std::io::{self, BufRead, Read};

use crate::reading::input::Input;

/// Bytes to keep from the beginning and the end of a string, in escaped form. No text that is stored
/// later is longer.
const HEAD_BYTES: usize = 128 * 1024;
const TAIL_BYTES: usize = 48 * 1024;

/// Reads an [`Input`] and returns JSON whose strings are valid and bounded.
pub(crate) struct JsonGuard<R> {
    input: Input<R>,
    out: Vec<u8>,
    position: usize,
    state: StringState,
    /// A high surrogate that waits for its low half.
    high: Option<u32>,
    /// Length of the current string in bytes.
    length: usize,
    tail: Vec<u8>,
    /// Number of bytes that were removed from the current string.
    dropped: usize,
    surrogates: u64,
    /// True for one value per line. A line break then ends a string that was not closed.
    lines: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringState {
    Outside,
    Inside,
    Escape,
    /// Inside `\uXXXX`: number of digits so far, and their value.
    Unicode(u8, u32),
}

impl<R: BufRead> JsonGuard<R> {
    pub(crate) fn new(input: Input<R>) -> Self {
        Self {
            input,
            out: Vec::new(),
            position: 0,
            state: StringState::Outside,
            high: None,
            length: 0,
            tail: Vec::new(),
            dropped: 0,
            surrogates: 0,
            lines: false,
        }
    }

    /// Creates a guard for input with one value per line. Lines in between may contain other text.
    pub(crate) fn lines(input: Input<R>) -> Self {
        Self { lines: true, ..Self::new(input) }
    }

    /// Returns the number of replacements: invalid bytes and lone surrogates.
    pub(crate) fn replaced(&self) -> u64 {
        self.input.replacement_count() + self.surrogates
    }

    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        self.position = 0;
        // A long string may consume whole chunks without output, so continue until there is output.
        while self.out.is_empty() {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                return Ok(());
            }
            // Copied so that the state can be changed at the same time. Chunks are small.
            let chunk = chunk[..chunk.len().min(32 * 1024)].to_vec();
            self.input.consume(chunk.len());
            let mut rest = chunk.as_slice();
            while !rest.is_empty() {
                let used = self.step(rest);
                rest = &rest[used..];
            }
        }
        Ok(())
    }

    /// Handles at least one byte and returns the number of handled bytes.
    fn step(&mut self, bytes: &[u8]) -> usize {
        match self.state {
            StringState::Outside => {
                let quote = memchr::memchr(b'"', bytes);
                let used = quote.map_or(bytes.len(), |at| at + 1);
                self.out.extend_from_slice(&bytes[..used]);
                if quote.is_some() {
                    self.state = StringState::Inside;
                    self.length = 0;
                }
                used
            }
            StringState::Inside => self.read_string(bytes),
            StringState::Escape => {
                self.read_escape(bytes[0]);
                1
            }
            StringState::Unicode(digits, value) => {
                self.read_unicode_escape(digits, value, bytes[0]);
                1
            }
        }
    }

    fn read_string(&mut self, bytes: &[u8]) -> usize {
        let special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
        let plain = bytes.iter().position(special).unwrap_or(bytes.len());
        if plain > 0 {
            self.replace_lone_surrogate();
            self.append(&bytes[..plain]);
            return plain;
        }
        match bytes[0] {
            b'\\' => self.state = StringState::Escape,
            b'"' => {
                self.replace_lone_surrogate();
                self.close_string();
            }
            b'\n' if self.lines => {
                self.replace_lone_surrogate();
                self.close_string();
                self.out.pop();
                self.out.push(b'\n');
            }
            control => {
                self.replace_lone_surrogate();
                self.append(format!("\\u{control:04x}").as_bytes());
            }
        }
        1
    }

    fn read_escape(&mut self, byte: u8) {
        if byte == b'u' {
            self.state = StringState::Unicode(0, 0);
            return;
        }
        self.replace_lone_surrogate();
        self.state = StringState::Inside;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.append(&[b'\\', byte]),
            // Not a valid escape, so the backslash is kept as text.
            byte if byte < 0x20 => self.append(format!("\\\\\\u{byte:04x}").as_bytes()),
            byte => self.append(&[b'\\', b'\\', byte]),
        }
    }

    fn read_unicode_escape(&mut self, digits: u8, value: u32, byte: u8) {
        let Some(digit) = char::from(byte).to_digit(16) else {
            // There are fewer than four hex digits, so the escape becomes U+FFFD and the text continues.
            self.replace_lone_surrogate();
            self.append("\u{FFFD}".as_bytes());
            self.surrogates += 1;
            self.state = StringState::Inside;
            if byte == b'"' {
                self.close_string();
            } else if byte == b'\\' {
                self.state = StringState::Escape;
            } else if byte >= 0x20 {
                self.append(&[byte]);
            }
            return;
        };
        let value = value * 16 + digit;
        if digits < 3 {
            self.state = StringState::Unicode(digits + 1, value);
            return;
        }
        self.state = StringState::Inside;
        match (self.high.take(), value) {
            (Some(high), 0xDC00..=0xDFFF) => self.append(format!("\\u{high:04x}\\u{value:04x}").as_bytes()),
            (high, _) => {
                self.high = high;
                self.replace_lone_surrogate();
                self.push_code_unit(value);
            }
        }
    }

    fn push_code_unit(&mut self, value: u32) {
        match value {
            0xD800..=0xDBFF => self.high = Some(value),
            0xDC00..=0xDFFF => {
                self.surrogates += 1;
                self.append("\u{FFFD}".as_bytes());
            }
            _ => self.append(format!("\\u{value:04x}").as_bytes()),
        }
    }

    /// Replaces a high surrogate without its low half by U+FFFD.
    fn replace_lone_surrogate(&mut self) {
        if self.high.take().is_some() {
            self.surrogates += 1;
            self.append("\u{FFFD}".as_bytes());
        }
    }

    /// Appends complete escapes or complete characters of a string.
    fn append(&mut self, bytes: &[u8]) {
        let room = HEAD_BYTES.saturating_sub(self.length);
        self.length += bytes.len();
        if bytes.len() <= room {
            self.out.extend_from_slice(bytes);
            return;
        }
        let escaped = bytes[0] == b'\\';
        let cut = if escaped { 0 } else { prefix_length_at_boundary(bytes, room) };
        self.out.extend_from_slice(&bytes[..cut]);
        self.tail.extend_from_slice(&bytes[cut..]);
        if self.tail.len() > 2 * TAIL_BYTES + 64 * 1024 {
            self.shorten_tail();
        }
    }

    /// Removes the beginning of the tail up to a boundary between escapes or characters.
    fn shorten_tail(&mut self) {
        let wanted = self.tail.len().saturating_sub(TAIL_BYTES);
        let mut at = 0;
        while at < wanted {
            at += unit_length(&self.tail[at..]);
        }
        self.tail.drain(..at.min(self.tail.len()));
        self.dropped += at;
    }

    fn close_string(&mut self) {
        if !self.tail.is_empty() {
            self.shorten_tail();
            if self.dropped > 0 {
                let note = format!("\\n[... {} bytes left out ...]\\n", self.dropped);
                self.out.extend_from_slice(note.as_bytes());
            }
            self.out.append(&mut self.tail);
        }
        self.dropped = 0;
        self.out.push(b'"');
        self.state = StringState::Outside;
    }
}

/// Returns the length of the longest prefix with at most `length` bytes that ends at a character boundary.
fn prefix_length_at_boundary(bytes: &[u8], length: usize) -> usize {
    let mut at = length.min(bytes.len());
    while at > 0 && at < bytes.len() && bytes[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}

/// Returns the length of the escape or character that `bytes` begins with.
fn unit_length(bytes: &[u8]) -> usize {
    match bytes {
        // A surrogate pair must not be split.
        [b'\\', b'u', b'd', b'8'..=b'9' | b'a'..=b'b', ..] => 12,
        [b'\\', b'u', ..] => 6,
        [b'\\' | 0xC0..=0xDF, ..] => 2,
        [0xF0..=0xFF, ..] => 4,
        [0xE0..=0xEF, ..] => 3,
        _ => 1,
    }
}

impl<R: BufRead> Read for JsonGuard<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.out.len() {
            self.refill()?;
        }
        let rest = &self.out[self.position..];
        let length = rest.len().min(target.len());
        target[..length].copy_from_slice(&rest[..length]);
        self.position += length;
        Ok(length)
    }
}
