//! Defines the state that matchers share: the text and the spans found so far. Also defines sets of bytes.

pub(super) use crate::text::bytes::ByteSet;

/// The byte range of a secret in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    /// Set if the secret was recognized by its format and not by a name beside it. The kind of this span then wins over
    /// that of an overlapping span.
    pub(super) is_found_by_format: bool,
}

/// The state of a pass over a text.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    pub(super) spans: Vec<Span>,
    /// End of the names that were checked, because a name may contain several keywords (`secret_access_key`).
    pub(super) names_done: usize,
    /// Keywords before these offsets are inside a span that was found by format or by name. Matchers skip these
    /// keywords so that hostile texts take linear time.
    pub(super) format_end: usize,
    pub(super) name_end: usize,
    /// End of the cookies and of the JSON web keys that were checked, so that hostile texts take linear time.
    pub(super) cookies_done: usize,
    pub(super) web_keys_done: usize,
    /// End of the base64 texts that were checked.
    pub(super) encoded_done: usize,
    /// End of the lines of a private key without BEGIN and END lines that were checked.
    pub(super) key_lines_done: usize,
    /// End of the JSON manifests that were checked.
    pub(super) manifests_done: usize,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            spans: Vec::new(),
            names_done: 0,
            format_end: 0,
            name_end: 0,
            cookies_done: 0,
            web_keys_done: 0,
            encoded_done: 0,
            key_lines_done: 0,
            manifests_done: 0,
        }
    }

    /// Adds a secret that was recognized by its format.
    pub(super) fn add_by_format(&mut self, kind: &'static str, start: usize, end: usize) {
        if start < end {
            self.spans.push(Span { start, end, kind, is_found_by_format: true });
            self.format_end = self.format_end.max(end);
        }
    }

    /// Adds a secret that was recognized by a name or a header.
    pub(super) fn add_by_name(&mut self, kind: &'static str, start: usize, end: usize) {
        if start < end {
            self.spans.push(Span { start, end, kind, is_found_by_format: false });
            self.name_end = self.name_end.max(end);
        }
    }

    /// Allows the next matchers to search the spans that were found so far.
    pub(super) fn reset_skipping(&mut self) {
        (self.format_end, self.name_end) = (0, 0);
    }

    pub(super) fn byte_at(&self, index: usize) -> u8 {
        self.text.get(index).copied().unwrap_or(0)
    }

    pub(super) fn byte_before(&self, index: usize) -> u8 {
        index.checked_sub(1).map_or(0, |previous| self.byte_at(previous))
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        self.text.get(start..end.min(self.text.len())).unwrap_or_default()
    }

    /// Returns the end of the run of `set` from `start`, at most `max` bytes long.
    pub(super) fn run_end(&self, start: usize, set: &ByteSet, max: usize) -> usize {
        let limit = self.text.len().min(start.saturating_add(max));
        let mut end = start;
        while end < limit && set.has(self.text[end]) {
            end += 1;
        }
        end
    }

    /// Returns the start of the run of `set` that ends at `end`, at most `max` bytes long.
    pub(super) fn run_start(&self, end: usize, set: &ByteSet, max: usize) -> usize {
        let limit = end.saturating_sub(max);
        let mut start = end;
        while start > limit && set.has(self.text[start - 1]) {
            start -= 1;
        }
        start
    }

    pub(super) fn starts_with(&self, index: usize, wanted: &[u8]) -> bool {
        self.text.get(index..).is_some_and(|rest| rest.starts_with(wanted))
    }

    /// Checks whether a token may start here: no alphanumeric character precedes it, or that character belongs to an
    /// escape (`\n`, `%3D`, `\u003d`).
    pub(super) fn starts_token(&self, at: usize) -> bool {
        if at == 0 || !ALPHANUMERIC.has(self.text[at - 1]) {
            return true;
        }
        let back = |count: usize| at.checked_sub(count).map_or(0, |index| self.text[index]);
        let hex = |count: usize| ANY_CASE_HEX.has(back(count));
        (back(2) == b'\\' && matches!(back(1), b'n' | b'r' | b't' | b'f'))
            || (back(3) == b'%' && hex(2) && hex(1))
            || (back(6) == b'\\' && back(5) == b'u' && (1..=4).all(hex))
    }

    /// Checks whether a token may end here.
    pub(super) fn ends_token(&self, at: usize) -> bool {
        !ALPHANUMERIC.has(self.byte_at(at))
    }
}

pub(super) static ALPHANUMERIC: ByteSet = ByteSet::new("A-Za-z0-9");
pub(super) static UPPER_ALPHANUMERIC: ByteSet = ByteSet::new("A-Z0-9");
pub(super) static LOWER_ALPHANUMERIC: ByteSet = ByteSet::new("a-z0-9");
pub(super) static DIGIT: ByteSet = ByteSet::new("0-9");
pub(super) static LOWER_HEX: ByteSet = ByteSet::new("a-f0-9");
pub(super) static ANY_CASE_HEX: ByteSet = ByteSet::new("a-fA-F0-9");
/// `\w` and `-`: base64url without padding.
pub(super) static BASE64URL: ByteSet = ByteSet::new("A-Za-z0-9_-");
/// Base64url with dots and padding: tokens of several parts.
pub(super) static BASE64URL_OR_DOT: ByteSet = ByteSet::new("A-Za-z0-9_.=~-");
/// Base64 with padding.
pub(super) static BASE64: ByteSet = ByteSet::new("A-Za-z0-9+/=");
/// Base64, base64url, dots and percent escapes.
pub(super) static ENCODED_TEXT: ByteSet = ByteSet::new("A-Za-z0-9_+/=%.~-");
pub(super) static BLANK: ByteSet = ByteSet::new(" \t");
