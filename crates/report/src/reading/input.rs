//! Converts the bytes of a report into a stream of valid UTF-8. The source may be UTF-8 with errors, UTF-16, or in an
//! encoding that the report declares and the host decodes.
//! At most one chunk is in memory.

use std::io::{self, BufRead, Cursor, Read};

use crate::error::ReportErrorKind;

/// Number of bytes to look at before parsing. Enough for a license comment before an XML root.
const HEAD_BYTES: u64 = 16 * 1024;
/// Number of bytes to decode at a time.
const CHUNK_BYTES: usize = 16 * 1024;

/// The source with its first bytes put back.
type Source<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// Returns only valid UTF-8: every `fill_buf` ends on a character boundary.
pub(crate) struct Input<R> {
    source: Source<R>,
    encoding: Encoding,
    /// Number of bytes at the start of the source's buffer that are known to be valid UTF-8.
    valid: usize,
    /// Decoded text that must be read before the source's buffer.
    decoded: Vec<u8>,
    position: usize,
    replaced: u64,
}

enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// Declared in the report and decoded by the host.
    Declared(Box<dyn Decoder>),
}

/// Decodes a text in pieces, like `TextDecoder` of JavaScript.
pub trait Decoder {
    /// Decodes the next bytes. Invalid bytes become U+FFFD. With `is_last`, the text ends with them.
    fn decode(&mut self, bytes: &[u8], is_last: bool) -> String;
}

/// Opens a decoder for a label of the Encoding Standard, for example `shift_jis`. Returns `None` if it is unknown.
/// Source: <https://encoding.spec.whatwg.org/#names-and-labels>.
pub type OpenDecoder = fn(label: &str) -> Option<Box<dyn Decoder>>;

/// The result of looking at the first bytes.
pub(crate) struct Head {
    /// The decoded beginning.
    pub(crate) text: String,
}

impl<R: BufRead> Input<R> {
    /// Reads the beginning and detects the encoding. Returns an error for an empty or binary source.
    pub(crate) fn open(mut reader: R, decoders: Option<OpenDecoder>) -> Result<(Self, Head), ReportErrorKind> {
        let mut head = Vec::new();
        reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(ReportErrorKind::Io)?;
        let (mut encoding, mark) = detect_encoding(&head, decoders);
        if matches!(encoding, Encoding::Utf8) && is_binary(&head) {
            return Err(ReportErrorKind::Binary);
        }
        let text = decode_head(&head[mark..], &mut encoding);
        // The head is decoded again as a part of the report.
        let (encoding, _) = detect_encoding(&head, decoders);
        // No report begins with this much white space, and an endless source of it must not be read completely.
        if text.trim().is_empty() {
            return Err(ReportErrorKind::Empty);
        }
        let mut start = Cursor::new(head);
        start.set_position(mark as u64);
        let source = start.chain(reader);
        let input = Self { source, encoding, valid: 0, decoded: Vec::new(), position: 0, replaced: 0 };
        Ok((input, Head { text }))
    }

    /// Returns the number of invalid byte sequences that were replaced by U+FFFD.
    pub(crate) fn replacement_count(&self) -> u64 {
        self.replaced
    }

    /// Makes at least `length` bytes available at once, unless the source ends before.
    pub(crate) fn make_available(&mut self, length: usize) -> io::Result<()> {
        if self.fill_buf()?.len() >= length {
            return Ok(());
        }
        let mut ahead = Vec::with_capacity(length + 4);
        while ahead.len() < length {
            let chunk = self.fill_buf()?;
            let Some(first) = chunk.first() else { break };
            let character = character_length(*first).min(chunk.len());
            ahead.extend_from_slice(&chunk[..character]);
            self.consume(character);
        }
        // Text that was decoded but not yet read comes afterwards.
        ahead.extend_from_slice(&self.decoded[self.position..]);
        self.decoded = ahead;
        self.position = 0;
        Ok(())
    }

    /// Makes sure that bytes are available, unless the source is at its end.
    fn refill(&mut self) -> io::Result<()> {
        if self.position < self.decoded.len() || self.valid > 0 {
            return Ok(());
        }
        self.decoded.clear();
        self.position = 0;
        match self.encoding {
            Encoding::Utf8 => self.refill_utf8(),
            Encoding::Utf16Le => self.refill_utf16(u16::from_le_bytes),
            Encoding::Utf16Be => self.refill_utf16(u16::from_be_bytes),
            Encoding::Declared(_) => self.refill_declared(),
        }
    }

    fn refill_utf8(&mut self) -> io::Result<()> {
        let chunk = self.source.fill_buf()?;
        // A report in memory is a single chunk, so it is checked in pieces.
        let piece = &chunk[..chunk.len().min(CHUNK_BYTES)];
        match std::str::from_utf8(piece) {
            Ok(text) => self.valid = text.len(),
            Err(fault) if fault.valid_up_to() > 0 => self.valid = fault.valid_up_to(),
            Err(fault) => match fault.error_len() {
                Some(length) => {
                    self.source.consume(length);
                    self.replace();
                }
                None => self.join_split_character()?,
            },
        }
        Ok(())
    }

    /// Reads a character that is split across two chunks byte by byte.
    fn join_split_character(&mut self) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(4);
        while bytes.len() < 4 {
            let Some(&byte) = self.source.fill_buf()?.first() else { break };
            bytes.push(byte);
            match std::str::from_utf8(&bytes) {
                Ok(_) => {
                    self.source.consume(1);
                    self.decoded = bytes;
                    return Ok(());
                }
                // The last byte begins another character and stays in the source.
                Err(fault) if fault.error_len().is_some() => break,
                Err(_) => self.source.consume(1),
            }
        }
        self.replace();
        Ok(())
    }

    fn replace(&mut self) {
        self.replaced += 1;
        self.decoded.extend_from_slice("\u{FFFD}".as_bytes());
    }

    fn refill_utf16(&mut self, unit: fn([u8; 2]) -> u16) -> io::Result<()> {
        let mut units = Vec::with_capacity(CHUNK_BYTES / 2);
        while units.len() < CHUNK_BYTES / 2 {
            let Some(next) = self.read_unit(unit)? else { break };
            units.push(next);
        }
        // A surrogate pair must not be split, so its second half is read too.
        if units.last().is_some_and(|last| (0xD800..0xDC00).contains(last)) {
            units.extend(self.read_unit(unit)?);
        }
        for character in char::decode_utf16(units) {
            let character = character.unwrap_or_else(|_| {
                self.replaced += 1;
                char::REPLACEMENT_CHARACTER
            });
            self.decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(())
    }

    /// Returns `None` at the end. A single leftover byte is dropped.
    fn read_unit(&mut self, unit: fn([u8; 2]) -> u16) -> io::Result<Option<u16>> {
        let mut bytes = [0; 2];
        for byte in &mut bytes {
            let Some(&next) = self.source.fill_buf()?.first() else { return Ok(None) };
            *byte = next;
            self.source.consume(1);
        }
        Ok(Some(unit(bytes)))
    }

    fn refill_declared(&mut self) -> io::Result<()> {
        let Encoding::Declared(decoder) = &mut self.encoding else { return Ok(()) };
        // A character may be split across chunks, so a chunk can decode to nothing.
        while self.decoded.is_empty() {
            let chunk = self.source.fill_buf()?;
            let length = chunk.len().min(CHUNK_BYTES);
            let text = decoder.decode(&chunk[..length], length == 0);
            self.replaced += text.matches(char::REPLACEMENT_CHARACTER).count() as u64;
            self.decoded = text.into_bytes();
            self.source.consume(length);
            if length == 0 {
                break;
            }
        }
        Ok(())
    }
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.refill()?;
        if self.position < self.decoded.len() {
            return Ok(&self.decoded[self.position..]);
        }
        let valid = self.valid;
        let chunk = self.source.fill_buf()?;
        Ok(&chunk[..valid.min(chunk.len())])
    }

    fn consume(&mut self, amount: usize) {
        if self.position < self.decoded.len() {
            self.position += amount;
        } else {
            self.valid -= amount;
            self.source.consume(amount);
        }
    }
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let length = chunk.len().min(target.len());
        target[..length].copy_from_slice(&chunk[..length]);
        self.consume(length);
        Ok(length)
    }
}

/// Converts a piece of [`Input`] to text. The piece must begin and end at character boundaries, as ASCII delimiters do.
pub(crate) fn text(piece: &[u8]) -> &str {
    std::str::from_utf8(piece).unwrap_or_default()
}

/// Returns the length of the character that begins with this byte.
fn character_length(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// Returns the encoding, and the length of its byte order mark.
fn detect_encoding(head: &[u8], decoders: Option<OpenDecoder>) -> (Encoding, usize) {
    match head {
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
        [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
        [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
        [b'<' | b'{', 0, ..] => (Encoding::Utf16Le, 0),
        [0, b'<' | b'{', ..] => (Encoding::Utf16Be, 0),
        _ => (
            read_declared_encoding(head)
                .zip(decoders)
                .and_then(|(label, open)| open(&label))
                .map_or(Encoding::Utf8, Encoding::Declared),
            0,
        ),
    }
}

/// Returns the label of `<?xml version="1.0" encoding="Shift_JIS"?>`. Returns `None` if the bytes themselves show the
/// encoding, because some tools declare UTF-16 or Latin-1 but write UTF-8.
fn read_declared_encoding(head: &[u8]) -> Option<String> {
    let is_utf8 = std::str::from_utf8(head).map_or_else(|fault| fault.error_len().is_none(), |_| true);
    let end = head.iter().take(200).position(|&byte| byte == b'>')?;
    let declaration = String::from_utf8_lossy(&head[..end]).to_ascii_lowercase();
    let value =
        declaration.strip_prefix("<?xml")?.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let label = value.get(1..)?.split(['"', '\'']).next()?.trim();
    let is_shown = label.starts_with("utf") || (is_utf8 && !head.is_ascii());
    (!is_shown).then(|| label.to_owned())
}

/// Returns true if the first bytes contain NUL or too many control characters. NUL further inside may be a test's
/// output.
fn is_binary(head: &[u8]) -> bool {
    let start = &head[..head.len().min(1024)];
    let odd = start.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B)).count();
    let gzip_or_zip = start.starts_with(&[0x1F, 0x8B]) || start.starts_with(b"PK\x03\x04");
    gzip_or_zip || start.iter().take(16).any(|&byte| byte == 0) || odd * 10 > start.len()
}

fn decode_head(head: &[u8], encoding: &mut Encoding) -> String {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = head.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(head).into_owned(),
        Encoding::Utf16Le => wide(u16::from_le_bytes),
        Encoding::Utf16Be => wide(u16::from_be_bytes),
        Encoding::Declared(decoder) => decoder.decode(head, false),
    }
}
