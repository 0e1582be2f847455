//! A streaming XML reader for reports: text arrives in pieces, so that a huge text node costs no memory.
//!
//! Forgiving, for reports are written by string concatenation: a stray `<` or `&` is text, a missing end tag is the
//! reader's business, and no entity is ever expanded beyond the five of XML and character references. That is why this
//! is no general XML library: those hold a whole text node at once and stop at the first fault.
//! Does not: check well-formedness, know namespaces (prefixes are cut off), or read a DTD.

use std::io::{self, BufRead};
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2, memchr3};

use crate::input::{self, Input};

/// What is kept of one attribute value; the body of a failure says the same in full.
const VALUE: usize = 64 * 1024;
/// What is kept of one tag, values included, before the last one.
const TAG: usize = 128 * 1024;
/// The longest entity that is looked for; a `&` without a `;` this near is text.
const ENTITY: usize = 32;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A start tag; an empty element is followed by its own [`Token::Close`].
    Open(&'a Tag),
    /// An end tag's name.
    Close(&'a str),
    /// A piece of text, decoded.
    Text(&'a str),
    /// The end of the report.
    End,
}

/// One start tag.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    raw: String,
    name: Range<usize>,
    attributes: Vec<(Range<usize>, Range<usize>)>,
    empty: bool,
}

impl Tag {
    /// The name without its prefix.
    pub(crate) fn name(&self) -> &str {
        local(&self.raw[self.name.clone()])
    }

    /// An attribute's value, decoded.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.iter().find(|(key, _)| &self.raw[key.clone()] == name)?;
        Some(decode(&self.raw[value.clone()]))
    }

    /// The same, `None` where it is blank.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.attribute(name).filter(|value| !value.trim().is_empty())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(key, _)| &self.raw[key.clone()] == name)
    }

    /// Finds name and attributes in `raw`, which is what stands between `<` and `>`.
    fn index(&mut self) {
        self.attributes.clear();
        let trimmed = self.raw.trim_end();
        let end = trimmed.strip_suffix('/').unwrap_or(trimmed).len();
        let bytes = self.raw.as_bytes();
        let mut at = skip(bytes, 0, end, |byte| !byte.is_ascii_whitespace());
        self.name = 0..at;
        loop {
            at = skip(bytes, at, end, |byte| byte.is_ascii_whitespace());
            let start = at;
            at = skip(bytes, at, end, |byte| !byte.is_ascii_whitespace() && byte != b'=');
            if at == start {
                if at >= end {
                    return;
                }
                // A value without a name: step over the `=`.
                at += 1;
                continue;
            }
            let key = start..at;
            at = skip(bytes, at, end, |byte| byte.is_ascii_whitespace());
            if bytes.get(at) != Some(&b'=') || at >= end {
                self.attributes.push((key, at..at));
                continue;
            }
            at = skip(bytes, at + 1, end, |byte| byte.is_ascii_whitespace());
            let value = value_range(bytes, at, end);
            at = (value.end + usize::from(at < end && is_quote(bytes[at]))).min(end);
            self.attributes.push((key, value));
        }
    }
}

fn skip(bytes: &[u8], from: usize, end: usize, matches: impl Fn(u8) -> bool) -> usize {
    (from..end).find(|&at| !matches(bytes[at])).unwrap_or(end)
}

fn is_quote(byte: u8) -> bool {
    byte == b'"' || byte == b'\''
}

fn value_range(bytes: &[u8], at: usize, end: usize) -> Range<usize> {
    if at < end && is_quote(bytes[at]) {
        let close = memchr(bytes[at], &bytes[at + 1..end]).map_or(end, |found| at + 1 + found);
        return at + 1..close;
    }
    at..skip(bytes, at, end, |byte| !byte.is_ascii_whitespace())
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Content,
    /// The end tag of an empty element is owed.
    Empty,
    CharacterData,
}

/// Reads tokens from a report.
pub(crate) struct XmlReader<R> {
    input: Input<R>,
    state: State,
    tag: Tag,
    /// Decoded text that does not stand in the source as it is.
    piece: String,
    line: u64,
    faults: Vec<&'static str>,
}

impl<R: BufRead> XmlReader<R> {
    pub(crate) fn new(input: Input<R>) -> Self {
        Self { input, state: State::Content, tag: Tag::default(), piece: String::new(), line: 1, faults: Vec::new() }
    }

    /// The line the next token begins on.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Faults met since the last call, each once.
    pub(crate) fn take_fault(&mut self) -> Option<&'static str> {
        self.faults.pop()
    }

    pub(crate) fn replaced(&self) -> u64 {
        self.input.replaced()
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> io::Result<Token<'_>> {
        match self.state {
            State::Empty => {
                self.state = State::Content;
                return Ok(Token::Close(self.tag.name()));
            }
            State::CharacterData => {
                if self.character_data()? {
                    return Ok(Token::Text(&self.piece));
                }
            }
            State::Content => {}
        }
        loop {
            let Some(first) = self.peek()? else { return Ok(Token::End) };
            match first {
                b'<' => {
                    self.take(1);
                    match self.markup()? {
                        Markup::Open => return Ok(Token::Open(&self.tag)),
                        Markup::Close => return Ok(Token::Close(self.tag.name())),
                        Markup::Text => return Ok(Token::Text(&self.piece)),
                        Markup::Nothing => {}
                    }
                }
                b'&' => {
                    self.entity()?;
                    return Ok(Token::Text(&self.piece));
                }
                _ => {
                    self.text_run()?;
                    return Ok(Token::Text(&self.piece));
                }
            }
        }
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Consumes bytes that hold no line break.
    fn take(&mut self, amount: usize) {
        self.input.consume(amount);
    }

    fn text_run(&mut self) -> io::Result<()> {
        self.piece.clear();
        let chunk = self.input.fill_buf()?;
        let length = memchr2(b'<', b'&', chunk).unwrap_or(chunk.len());
        self.piece.push_str(input::text(&chunk[..length]));
        self.advance(length);
        Ok(())
    }

    /// Consumes `length` bytes of the chunk that `piece` ends with, counting lines.
    fn advance(&mut self, length: usize) {
        let start = self.piece.len() - length;
        self.line += memchr_iter(b'\n', &self.piece.as_bytes()[start..]).count() as u64;
        self.input.consume(length);
    }

    /// After a `<`.
    fn markup(&mut self) -> io::Result<Markup> {
        match self.peek()? {
            Some(b'!') => self.declaration(),
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
                    self.state = State::Empty;
                }
                Ok(Markup::Open)
            }
            _ => {
                self.fault("a `<` that begins no tag is read as text");
                "<".clone_into(&mut self.piece);
                Ok(Markup::Text)
            }
        }
    }

    fn declaration(&mut self) -> io::Result<Markup> {
        let start = self.lookahead(b"![CDATA[".len())?;
        if start.starts_with(b"!--") {
            self.take(3);
            self.skip_past(b"-->")?;
            return Ok(Markup::Nothing);
        }
        if start == b"![CDATA[" {
            self.take(start.len());
            self.state = State::CharacterData;
            return Ok(if self.character_data()? { Markup::Text } else { Markup::Nothing });
        }
        self.skip_doctype()?;
        Ok(Markup::Nothing)
    }

    /// Up to `length` bytes ahead, without consuming them where the chunk has them all.
    ///
    /// At a chunk's end fewer may be visible; a declaration cut there is put together in [`Input`]'s favour by reading
    /// byte-wise, which the small lookahead makes cheap.
    fn lookahead(&mut self, length: usize) -> io::Result<Vec<u8>> {
        self.input.ensure(length)?;
        let chunk = self.input.fill_buf()?;
        Ok(chunk[..length.min(chunk.len())].to_vec())
    }

    /// A document type is skipped, entity definitions included: nothing here expands them.
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
                    self.fault("a document type with definitions is ignored; its entities are kept as text");
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
                // `--->` also ends a comment: after `--` another `-` stays matched.
                matched = usize::from(byte == end[0]);
            }
        }
        self.fault("a comment or instruction is not closed");
        Ok(())
    }

    /// The next piece of a CDATA section in `piece`; false when it ended without one.
    fn character_data(&mut self) -> io::Result<bool> {
        self.piece.clear();
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                self.state = State::Content;
                return Ok(!self.piece.is_empty());
            }
            let length = memchr(b']', chunk).unwrap_or(chunk.len());
            if length > 0 {
                self.piece.push_str(input::text(&chunk[..length]));
                self.advance(length);
                return Ok(true);
            }
            if self.closes_character_data()? {
                self.state = State::Content;
                return Ok(!self.piece.is_empty());
            }
        }
    }

    /// At a `]`: consumes `]]>` and says true, or moves the brackets into `piece`.
    fn closes_character_data(&mut self) -> io::Result<bool> {
        let ahead = self.lookahead(3)?;
        if ahead == b"]]>" {
            self.take(3);
            return Ok(true);
        }
        self.take(1);
        self.piece.push(']');
        Ok(false)
    }

    /// After a `&` or at one: the decoded character, or the text itself, in `piece`.
    fn entity(&mut self) -> io::Result<()> {
        let ahead = self.lookahead(ENTITY)?;
        let name = memchr(b';', &ahead).and_then(|end| std::str::from_utf8(&ahead[1..end]).ok());
        self.piece.clear();
        match name.map(|name| (name, entity_value(name))) {
            Some((name, Some(character))) => {
                self.piece.push(character);
                self.take(name.len() + 2);
            }
            other => {
                if other.is_some_and(|(name, _)| is_entity_name(name)) {
                    self.fault("an unknown entity is kept as text");
                }
                self.piece.push('&');
                self.take(1);
            }
        }
        Ok(())
    }

    /// Reads up to the `>` that ends a tag into `tag`.
    fn read_tag(&mut self) -> io::Result<()> {
        self.tag.raw.clear();
        let mut scan = TagScan::default();
        loop {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                self.fault("the report ends inside a tag");
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
            self.fault("an attribute is too long and was cut");
        }
        self.tag.index();
        self.tag.empty = scan.last == b'/';
        Ok(())
    }

    fn fault(&mut self, fault: &'static str) {
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

/// Finds the end of a tag over several chunks, keeping its text within bounds.
#[derive(Default)]
struct TagScan {
    quote: Option<u8>,
    /// Length of the attribute value being read.
    value: usize,
    /// The last byte outside of quotes; a `/` makes the element empty.
    last: u8,
    closed: bool,
    cut: bool,
}

impl TagScan {
    /// Takes what belongs to the tag from `chunk` and says how much that was.
    fn push(&mut self, bytes: &[u8], raw: &mut String) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let (length, delimiter) = match self.quote {
                Some(open) => (memchr(open, rest), open),
                None => match memchr3(b'>', b'"', b'\'', rest) {
                    Some(found) => (Some(found), rest[found]),
                    None => (None, 0),
                },
            };
            let end = at + length.unwrap_or(rest.len());
            self.keep(input::text(&bytes[at..end]), raw);
            if length.is_none() {
                return bytes.len();
            }
            at = end + 1;
            if delimiter == b'>' && self.quote.is_none() {
                self.closed = true;
                return at;
            }
            self.quote = if self.quote.is_some() { None } else { Some(delimiter) };
            self.value = 0;
            self.last = delimiter;
            raw.push(char::from(delimiter));
        }
        at
    }

    fn keep(&mut self, text: &str, raw: &mut String) {
        let room = match self.quote {
            Some(_) => VALUE.saturating_sub(self.value),
            None => TAG.saturating_sub(raw.len()),
        };
        let room = room.min((TAG + VALUE).saturating_sub(raw.len()));
        let kept = text.floor_char_boundary(room.min(text.len()));
        raw.push_str(&text[..kept]);
        self.cut |= kept < text.len();
        self.value += kept;
        if self.quote.is_none() {
            self.last = text.bytes().next_back().unwrap_or(self.last);
        }
    }
}

/// The character an entity stands for: XML's five and character references, control characters included.
fn entity_value(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            // A surrogate or a code beyond Unicode is no character; it must not stop the report.
            Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
    }
}

fn is_entity_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'.' | b'-'))
}

/// An attribute's value with its entities decoded.
fn decode(value: &str) -> String {
    let mut decoded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        decoded.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let window = &tail.as_bytes()[..tail.len().min(ENTITY)];
        let found = memchr(b';', window).and_then(|end| entity_value(&tail[..end]).map(|character| (character, end)));
        if let Some((character, end)) = found {
            decoded.push(character);
            rest = &tail[end + 1..];
        } else {
            decoded.push('&');
            rest = tail;
        }
    }
    decoded.push_str(rest);
    decoded
}
