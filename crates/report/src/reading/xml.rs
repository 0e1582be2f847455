//! A streaming XML reader for reports. Text arrives in pieces, so that a huge text node needs no memory.
//!
//! The reader is forgiving, because many reports are written by string concatenation: a stray `<` or `&` is text, a
//! missing end tag is handled by the caller, and only the five predefined entities and character references are
//! expanded. General XML libraries are not used, because they hold a whole text node in memory and stop at the first
//! error. Namespace prefixes are removed, DTDs are skipped, and well-formedness is not checked.

mod tag;
#[cfg(test)]
mod tests;
pub(crate) mod walk;

use std::io::{self, BufRead};

use memchr::{memchr, memchr_iter, memchr2};

use crate::reading::input::{self, Input};
use tag::MAX_ENTITY_BYTES;
use tag::TagScan;
use tag::entity_value;

pub(crate) use tag::Tag;

/// A piece of the report.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A start tag. An empty element is followed by a [`Token::Close`].
    Open(&'a Tag),
    /// Name of an end tag.
    Close(&'a str),
    /// A piece of decoded text.
    Text(&'a str),
    /// End of the report.
    End,
}

/// State of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReaderState {
    Content,
    /// The next token is the end tag of an empty element.
    Empty,
    CharacterData,
}

/// Reads tokens from a report.
pub(crate) struct XmlReader<R> {
    input: Input<R>,
    state: ReaderState,
    tag: Tag,
    /// Decoded text that differs from the source.
    piece: String,
    line: u64,
    faults: Vec<&'static str>,
}

impl<R: BufRead> XmlReader<R> {
    pub(crate) fn new(input: Input<R>) -> Self {
        Self {
            input,
            state: ReaderState::Content,
            tag: Tag::default(),
            piece: String::new(),
            line: 1,
            faults: Vec::new(),
        }
    }

    /// Returns the line number of the next token.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Returns an error that occurred since the last call. Each kind of error is returned once.
    pub(crate) fn take_fault(&mut self) -> Option<&'static str> {
        self.faults.pop()
    }

    pub(crate) fn replaced(&self) -> u64 {
        self.input.replacement_count()
    }

    /// Reads the next token.
    pub(crate) fn next(&mut self) -> io::Result<Token<'_>> {
        match self.state {
            ReaderState::Empty => {
                self.state = ReaderState::Content;
                return Ok(Token::Close(self.tag.name()));
            }
            ReaderState::CharacterData => {
                if self.read_character_data()? {
                    return Ok(Token::Text(&self.piece));
                }
            }
            ReaderState::Content => {}
        }
        loop {
            let Some(first) = self.peek()? else { return Ok(Token::End) };
            match first {
                b'<' => {
                    self.take(1);
                    match self.read_markup()? {
                        Markup::Open => return Ok(Token::Open(&self.tag)),
                        Markup::Close => return Ok(Token::Close(self.tag.name())),
                        Markup::Text => return Ok(Token::Text(&self.piece)),
                        Markup::Nothing => {}
                    }
                }
                b'&' => {
                    self.read_entity()?;
                    return Ok(Token::Text(&self.piece));
                }
                _ => {
                    self.read_text_run()?;
                    return Ok(Token::Text(&self.piece));
                }
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Consumes bytes that contain no line break.
    fn take(&mut self, amount: usize) {
        self.input.consume(amount);
    }

    fn read_text_run(&mut self) -> io::Result<()> {
        self.piece.clear();
        let chunk = self.input.fill_buf()?;
        let length = memchr2(b'<', b'&', chunk).unwrap_or(chunk.len());
        self.piece.push_str(input::text(&chunk[..length]));
        self.advance(length);
        Ok(())
    }

    /// Consumes the `length` bytes that `piece` ends with, and counts their lines.
    fn advance(&mut self, length: usize) {
        let start = self.piece.len() - length;
        self.line += memchr_iter(b'\n', &self.piece.as_bytes()[start..]).count() as u64;
        self.input.consume(length);
    }

    /// Reads markup after `<`.
    fn read_markup(&mut self) -> io::Result<Markup> {
        match self.peek()? {
            Some(b'!') => self.read_declaration(),
            Some(b'?') => {
                self.skip_past(b"?>")?;
                Ok(Markup::Nothing)
            }
            Some(b'/') => {
                self.take(1);
                self.read_tag()?;
                self.tag.empty = false;
                Ok(Markup::Close)
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' || byte >= 0x80 => {
                self.read_tag()?;
                if self.tag.empty {
                    self.state = ReaderState::Empty;
                }
                Ok(Markup::Open)
            }
            _ => {
                self.note_fault("a `<` that begins no tag is read as text");
                "<".clone_into(&mut self.piece);
                Ok(Markup::Text)
            }
        }
    }

    fn read_declaration(&mut self) -> io::Result<Markup> {
        let start = self.peek_bytes(b"![CDATA[".len())?;
        if start.starts_with(b"!--") {
            self.take(3);
            self.skip_past(b"-->")?;
            return Ok(Markup::Nothing);
        }
        if start == b"![CDATA[" {
            self.take(start.len());
            self.state = ReaderState::CharacterData;
            return Ok(if self.read_character_data()? { Markup::Text } else { Markup::Nothing });
        }
        self.skip_doctype()?;
        Ok(Markup::Nothing)
    }

    /// Returns the next `length` bytes, or fewer at the end of the report, without consuming them.
    ///
    /// [`Input::make_available`] joins them if they are split across chunks.
    fn peek_bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        self.input.make_available(length)?;
        let chunk = self.input.fill_buf()?;
        Ok(chunk[..length.min(chunk.len())].to_vec())
    }

    /// Skips a document type with its entity definitions, because entities are not expanded.
    fn skip_doctype(&mut self) -> io::Result<()> {
        let mut depth = 0_u32;
        let mut quote = None;
        while let Some(byte) = self.peek()? {
            self.line += u64::from(byte == b'\n');
            self.take(1);
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'[') => {
                    self.note_fault(
                        "the definitions of the document type are ignored; their entities are kept as text",
                    );
                    depth += 1;
                }
                (None, b']') => depth = depth.saturating_sub(1),
                (None, b'>') if depth == 0 => return Ok(()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Consumes everything up to and including `end`.
    fn skip_past(&mut self, end: &[u8]) -> io::Result<()> {
        let mut matched = 0;
        while let Some(byte) = self.peek()? {
            self.line += u64::from(byte == b'\n');
            self.take(1);
            if byte == end[matched] {
                matched += 1;
                if matched == end.len() {
                    return Ok(());
                }
            } else if !(byte == b'-' && matched == 2) {
                // `--->` also ends a comment: after `--`, another `-` still matches.
                matched = usize::from(byte == end[0]);
            }
        }
        self.note_fault("a comment or instruction is not closed");
        Ok(())
    }

    /// Reads the next piece of a CDATA section into `piece`. Returns false if the section ended.
    fn read_character_data(&mut self) -> io::Result<bool> {
        self.piece.clear();
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                self.state = ReaderState::Content;
                return Ok(!self.piece.is_empty());
            }
            let length = memchr(b']', chunk).unwrap_or(chunk.len());
            if length > 0 {
                self.piece.push_str(input::text(&chunk[..length]));
                self.advance(length);
                return Ok(true);
            }
            if self.read_character_data_end()? {
                self.state = ReaderState::Content;
                return Ok(!self.piece.is_empty());
            }
        }
    }

    /// At a `]`: consumes `]]>` and returns true, or moves the bracket into `piece` and returns false.
    fn read_character_data_end(&mut self) -> io::Result<bool> {
        let ahead = self.peek_bytes(3)?;
        if ahead == b"]]>" {
            self.take(3);
            return Ok(true);
        }
        self.take(1);
        self.piece.push(']');
        Ok(false)
    }

    /// At a `&`: decodes the entity into `piece`, or keeps the text.
    fn read_entity(&mut self) -> io::Result<()> {
        let ahead = self.peek_bytes(MAX_ENTITY_BYTES)?;
        let name = memchr(b';', &ahead).and_then(|end| std::str::from_utf8(&ahead[1..end]).ok());
        self.piece.clear();
        match name.map(|name| (name, entity_value(name))) {
            Some((name, Some(character))) => {
                self.piece.push(character);
                self.take(name.len() + 2);
            }
            other => {
                if other.is_some_and(|(name, _)| is_entity_name(name)) {
                    self.note_fault("an unknown entity is kept as text");
                }
                self.piece.push('&');
                self.take(1);
            }
        }
        Ok(())
    }

    /// Reads everything up to the `>` of a tag into `tag`.
    fn read_tag(&mut self) -> io::Result<()> {
        self.tag.raw.clear();
        let mut scan = TagScan::default();
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                self.note_fault("the report ends inside a tag");
                break;
            }
            let length = scan.push(chunk, &mut self.tag.raw);
            self.line += memchr_iter(b'\n', &chunk[..length]).count() as u64;
            self.input.consume(length);
            if scan.closed {
                break;
            }
        }
        if scan.cut {
            self.note_fault("an attribute is too long and was cut");
        }
        self.tag.parse_attributes();
        self.tag.empty = scan.last == b'/';
        Ok(())
    }

    fn note_fault(&mut self, fault: &'static str) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

enum Markup {
    Open,
    Close,
    Text,
    Nothing,
}

fn is_entity_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'.' | b'-'))
}
