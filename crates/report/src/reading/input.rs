//! Converts the bytes of a report into a stream of valid UTF-8. The source may be UTF-8 with errors, UTF-16 or Latin-1.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

/// The result of looking at the first bytes.
pub(crate) struct Head {
    /// The decoded beginning.
    pub(crate) text: String,
}

impl<R: BufRead> Input<R> {
    /// Reads the beginning and detects the encoding. Returns an error for an empty or binary source.
    pub(crate) fn open(mut reader: R) -> Result<(Self, Head), ReportErrorKind> {
        let mut head = Vec::new();
        reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(ReportErrorKind::Io)?;
        let (encoding, mark) = encoding_of(&head);
        if encoding == Encoding::Utf8 && is_binary(&head) {
            return Err(ReportErrorKind::Binary);
        }
        let text = decode_head(&head[mark..], encoding);
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

    /// Number of invalid byte sequences that were replaced by U+FFFD.
    pub(crate) fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Makes at least `length` bytes available at once, unless the source ends before.
    pub(crate) fn ensure(&mut self, length: usize) -> io::Result<()> {
        if self.fill_buf()?.len() >= length {
            return Ok(());
        }
        let mut ahead = Vec::with_capacity(length + 4);
        while ahead.len() < length {
            let chunk = self.fill_buf()?;
            let Some(first) = chunk.first() else { break };
            let character = width(*first).min(chunk.len());
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
            Encoding::Windows1252 => self.refill_windows1252(),
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

    fn refill_windows1252(&mut self) -> io::Result<()> {
        let chunk = self.source.fill_buf()?;
        let length = chunk.len().min(CHUNK_BYTES);
        let text: String = chunk[..length].iter().copied().map(windows1252).collect();
        self.decoded = text.into_bytes();
        self.source.consume(length);
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

/// Length of the character that begins with this byte.
fn width(first: u8) -> usize {
    match first {
        0xF0.. => 4,
        0xE0.. => 3,
        0xC0.. => 2,
        _ => 1,
    }
}

/// The encoding, and the length of its byte order mark.
fn encoding_of(head: &[u8]) -> (Encoding, usize) {
    match head {
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8, 3),
        [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
        [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
        [b'<' | b'{', 0, ..] => (Encoding::Utf16Le, 0),
        [0, b'<' | b'{', ..] => (Encoding::Utf16Be, 0),
        _ if declares_latin1(head) => (Encoding::Windows1252, 0),
        _ => (Encoding::Utf8, 0),
    }
}

/// Returns true for `<?xml version="1.0" encoding="ISO-8859-1"?>`, which older Java and PHP tools write. Windows-1252
/// is a superset of it.
fn declares_latin1(head: &[u8]) -> bool {
    let Some(end) = head.iter().take(200).position(|&byte| byte == b'>') else { return false };
    let declaration = String::from_utf8_lossy(&head[..end]).to_ascii_lowercase();
    declaration.starts_with("<?xml")
        && ["iso-8859-1\"", "iso-8859-1'", "windows-1252", "us-ascii", "cp1252", "latin1"]
            .iter()
            .any(|name| declaration.contains(name))
        // Some tools declare Latin-1 but write UTF-8, so text that is valid UTF-8 is treated as UTF-8.
        && std::str::from_utf8(head).map_or_else(|fault| fault.error_len().is_some(), |_| false)
}

/// Returns true if the first bytes contain NUL or too many control characters. NUL further inside may be a test's
/// output.
fn is_binary(head: &[u8]) -> bool {
    let start = &head[..head.len().min(1024)];
    let odd = start.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B)).count();
    let gzip_or_zip = start.starts_with(&[0x1F, 0x8B]) || start.starts_with(b"PK\x03\x04");
    gzip_or_zip || start.iter().take(16).any(|&byte| byte == 0) || odd * 10 > start.len()
}

fn decode_head(head: &[u8], encoding: Encoding) -> String {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = head.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match encoding {
        Encoding::Utf8 => String::from_utf8_lossy(head).into_owned(),
        Encoding::Utf16Le => wide(u16::from_le_bytes),
        Encoding::Utf16Be => wide(u16::from_be_bytes),
        Encoding::Windows1252 => head.iter().copied().map(windows1252).collect(),
    }
}

/// Latin-1 is the first block of Unicode. Windows-1252 has printable characters in place of some control codes.
fn windows1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}
