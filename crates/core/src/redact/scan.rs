//! The state that matchers share: the text, the spans found so far, byte sets and boundaries.

pub(super) use crate::text::bytes::Set;

/// A secret's span in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: &'static str,
    /// Set if the secret's format identifies it instead of a name beside it; the kind of such a span wins over an
    /// overlapping span.
    pub(super) sure: bool,
}

/// The state of a pass over a text.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    pub(super) text: &'t [u8],
    pub(super) spans: Vec<Span>,
    /// End of the names that were checked, because one name contains several keywords (`secret_access_key`).
    pub(super) names_done: usize,
    /// Hits before these offsets are inside a span that was found by format (`covered`) or by name (`told`). Skipping
    /// them keeps adversarial texts linear.
    pub(super) covered: usize,
    pub(super) told: usize,
    /// End of the cookies and key objects that were checked, for the same reason.
    pub(super) cookies_done: usize,
    pub(super) objects_done: usize,
    /// End of the base64 texts that were checked.
    pub(super) encoded_done: usize,
    /// End of the key lines without a block that were checked.
    pub(super) fragments_done: usize,
    /// End of the JSON manifests that were checked.
    pub(super) manifests_done: usize,
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            spans: Vec::new(),
            names_done: 0,
            covered: 0,
            told: 0,
            cookies_done: 0,
            objects_done: 0,
            encoded_done: 0,
            fragments_done: 0,
            manifests_done: 0,
        }
    }

    /// Adds a secret that its format identifies.
    pub(super) fn add_by_format(&mut self, kind: &'static str, start: usize, end: usize) {
        if start < end {
            self.spans.push(Span { start, end, kind, sure: true });
            self.covered = self.covered.max(end);
        }
    }

    /// Adds a secret that a name or a header identifies.
    pub(super) fn add_by_name(&mut self, kind: &'static str, start: usize, end: usize) {
        if start < end {
            self.spans.push(Span { start, end, kind, sure: false });
            self.told = self.told.max(end);
        }
    }

    /// Allows the next matchers to search the spans that were found so far.
    pub(super) fn forget_places(&mut self) {
        (self.covered, self.told) = (0, 0);
    }

    pub(super) fn at(&self, index: usize) -> u8 {
        self.text.get(index).copied().unwrap_or(0)
    }

    pub(super) fn before(&self, index: usize) -> u8 {
        index.checked_sub(1).map_or(0, |previous| self.at(previous))
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        self.text.get(start..end.min(self.text.len())).unwrap_or_default()
    }

    /// Returns the end of the run of `set` from `start`, at most `max` bytes long.
    pub(super) fn run(&self, start: usize, set: &Set, max: usize) -> usize {
        let limit = self.text.len().min(start.saturating_add(max));
        let mut end = start;
        while end < limit && set.has(self.text[end]) {
            end += 1;
        }
        end
    }

    /// Returns the start of the run of `set` that ends at `end`, at most `max` bytes long.
    pub(super) fn run_back(&self, end: usize, set: &Set, max: usize) -> usize {
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
        if at == 0 || !ALNUM.has(self.text[at - 1]) {
            return true;
        }
        let back = |count: usize| at.checked_sub(count).map_or(0, |index| self.text[index]);
        let hex = |count: usize| HEX_ANY.has(back(count));
        (back(2) == b'\\' && matches!(back(1), b'n' | b'r' | b't' | b'f'))
            || (back(3) == b'%' && hex(2) && hex(1))
            || (back(6) == b'\\' && back(5) == b'u' && (1..=4).all(hex))
    }

    /// Checks whether a token may end here.
    pub(super) fn ends_token(&self, at: usize) -> bool {
        !ALNUM.has(self.at(at))
    }
}

pub(super) static ALNUM: Set = Set::new("A-Za-z0-9");
pub(super) static UPPER_ALNUM: Set = Set::new("A-Z0-9");
pub(super) static LOWER_ALNUM: Set = Set::new("a-z0-9");
pub(super) static DIGIT: Set = Set::new("0-9");
pub(super) static HEX: Set = Set::new("a-f0-9");
pub(super) static HEX_ANY: Set = Set::new("a-fA-F0-9");
/// `\w` and `-`: base64url without padding.
pub(super) static WORD: Set = Set::new("A-Za-z0-9_-");
/// Base64url with dots and padding: tokens of several parts.
pub(super) static DOTTED: Set = Set::new("A-Za-z0-9_.=~-");
/// Base64 with padding.
pub(super) static BASE64: Set = Set::new("A-Za-z0-9+/=");
/// Base64, base64url, dots and percent escapes.
pub(super) static LOOSE: Set = Set::new("A-Za-z0-9_+/=%.~-");
pub(super) static BLANK: Set = Set::new(" \t");
