//! A start tag of a report: its bounded text, name and attributes, and the entities in attribute values.
//! [`crate::reading::xml`] reads the bytes.

use std::ops::Range;

use memchr::{memchr, memchr3};

use crate::reading::input;

/// Bytes to keep of an attribute value. The body of a failure has the full text.
const MAX_VALUE_BYTES: usize = 64 * 1024;
/// Bytes to keep of a tag with its values, not counting the last value.
const MAX_TAG_BYTES: usize = 128 * 1024;
/// Maximum length of an entity. A `&` without a `;` within this distance is text.
pub(crate) const MAX_ENTITY_BYTES: usize = 32;

/// A start tag.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) raw: String,
    name: Range<usize>,
    attributes: Vec<(Range<usize>, Range<usize>)>,
    pub(crate) empty: bool,
}

impl Tag {
    /// Returns the name without namespace prefix.
    pub(crate) fn name(&self) -> &str {
        local_name(&self.raw[self.name.clone()])
    }

    /// Returns the decoded value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let (_, value) = self.attributes.iter().find(|(key, _)| &self.raw[key.clone()] == name)?;
        Some(decode_entities(&self.raw[value.clone()]))
    }

    /// Returns the decoded value of an attribute, or `None` if it is blank.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.attribute(name).filter(|value| !value.trim().is_empty())
    }

    /// Names of the attributes in the order of the report.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|(key, _)| &self.raw[key.clone()])
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(key, _)| &self.raw[key.clone()] == name)
    }

    /// Finds name and attributes in `raw`, the text between `<` and `>`.
    pub(crate) fn parse_attributes(&mut self) {
        self.attributes.clear();
        let trimmed = self.raw.trim_end();
        let end = trimmed.strip_suffix('/').unwrap_or(trimmed).len();
        let bytes = self.raw.as_bytes();
        let mut at = skip_while(bytes, 0, end, |byte| !byte.is_ascii_whitespace());
        self.name = 0..at;
        loop {
            at = skip_while(bytes, at, end, |byte| byte.is_ascii_whitespace());
            let start = at;
            at = skip_while(bytes, at, end, |byte| !byte.is_ascii_whitespace() && byte != b'=');
            if at == start {
                if at >= end {
                    return;
                }
                // A value without a name; skip the `=`.
                at += 1;
                continue;
            }
            let key = start..at;
            at = skip_while(bytes, at, end, |byte| byte.is_ascii_whitespace());
            if bytes.get(at) != Some(&b'=') || at >= end {
                self.attributes.push((key, at..at));
                continue;
            }
            at = skip_while(bytes, at + 1, end, |byte| byte.is_ascii_whitespace());
            let value = value_range(bytes, at, end);
            at = (value.end + usize::from(at < end && is_quote(bytes[at]))).min(end);
            self.attributes.push((key, value));
        }
    }
}

fn skip_while(bytes: &[u8], from: usize, end: usize, matches: impl Fn(u8) -> bool) -> usize {
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
    at..skip_while(bytes, at, end, |byte| !byte.is_ascii_whitespace())
}

fn local_name(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Finds the end of a tag across chunks and keeps its text within limits.
#[derive(Default)]
pub(crate) struct TagScan {
    quote: Option<u8>,
    /// Length of the current attribute value.
    value: usize,
    /// The last byte outside quotes. A `/` marks an empty element.
    pub(crate) last: u8,
    pub(crate) closed: bool,
    pub(crate) cut: bool,
}

impl TagScan {
    /// Takes the bytes that belong to the tag from `bytes` and returns their number.
    pub(crate) fn push(&mut self, bytes: &[u8], raw: &mut String) -> usize {
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
            self.append_within_limits(input::text(&bytes[at..end]), raw);
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

    fn append_within_limits(&mut self, text: &str, raw: &mut String) {
        let room = match self.quote {
            Some(_) => MAX_VALUE_BYTES.saturating_sub(self.value),
            None => MAX_TAG_BYTES.saturating_sub(raw.len()),
        };
        let room = room.min((MAX_TAG_BYTES + MAX_VALUE_BYTES).saturating_sub(raw.len()));
        let kept = text.floor_char_boundary(room.min(text.len()));
        raw.push_str(&text[..kept]);
        self.cut |= kept < text.len();
        self.value += kept;
        if self.quote.is_none() {
            self.last = text.bytes().next_back().unwrap_or(self.last);
        }
    }
}

/// Returns the character that an entity represents: one of XML's five entities, or a character reference including
/// control characters.
pub(crate) fn entity_value(name: &str) -> Option<char> {
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
            // A surrogate or a code beyond Unicode is not a character, but it must not stop the reading.
            Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
    }
}

/// Decodes the entities of an attribute value.
fn decode_entities(value: &str) -> String {
    let mut decoded = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        decoded.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        let window = &tail.as_bytes()[..tail.len().min(MAX_ENTITY_BYTES)];
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
