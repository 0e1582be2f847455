//! Prepares the text for the rules: without escape sequences and CI line prefixes, and with the exception type at the
//! start if the text does not name it. The stored text does not change, so offsets are mapped back to the original
//! text.

use super::Span;
use crate::{display::escape_length, failure::event::FailureEvent, output::line_decorations::ci_prefix};
use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

const ESC: u8 = 0x1b;

/// The text for the rules, which can map offsets back to the original text.
#[derive(Debug)]
pub(super) struct EventView<'a> {
    original: &'a str,
    bytes: Cow<'a, [u8]>,
    /// Length in bytes of the exception type that was added at the start.
    prefix: usize,
    /// The start of each run of kept bytes, as an offset into `bytes` and an offset into the original. Empty if no byte
    /// was removed.
    runs: Vec<(usize, usize)>,
}

impl<'a> EventView<'a> {
    pub(super) fn new(event: &'a FailureEvent) -> Self {
        let original = event.text.as_str();
        let headed =
            event.exception_type.as_deref().filter(|head| !head.is_empty() && !names_exception_type(original, head));
        let stamped = ci_prefix::has_prefixes(original.as_bytes());
        if headed.is_none() && !stamped && memchr(ESC, original.as_bytes()).is_none() {
            return Self { original, bytes: Cow::Borrowed(original.as_bytes()), prefix: 0, runs: Vec::new() };
        }
        let mut kept = Vec::with_capacity(original.len() + headed.map_or(0, str::len) + 2);
        if let Some(head) = headed {
            kept.extend_from_slice(head.as_bytes());
            kept.extend_from_slice(b": ");
        }
        let prefix = kept.len();
        let runs = strip_escapes_and_prefixes(original.as_bytes(), stamped, &mut kept);
        Self { original, bytes: Cow::Owned(kept), prefix, runs }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Maps `start..end` to a range of the original text. Returns `None` if the range ends inside the added exception
    /// type.
    pub(super) fn original_span(&self, start: usize, end: usize) -> Option<Span> {
        if end <= self.prefix {
            return None;
        }
        let start = self.original.floor_char_boundary(self.original_offset(start.max(self.prefix)));
        // Look up the last byte instead of the end, because an escape sequence may follow the last byte.
        let end = self.original.ceil_char_boundary(self.original_offset(end.saturating_sub(1).max(self.prefix)) + 1);
        (start < end).then_some(Span { start, end })
    }

    fn original_offset(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|&(kept, _)| kept <= at).checked_sub(1);
        let (kept, origin) = run.map_or((self.prefix, 0), |index| self.runs[index]);
        origin + (at - kept)
    }
}

/// Checks whether the text names the exception type. Searches only the start of the text, because the type is in the
/// headline.
fn names_exception_type(text: &str, head: &str) -> bool {
    const MAX_HEADLINE_SEARCH_BYTES: usize = 4096;
    let text = text.as_bytes();
    memmem::find(&text[..text.len().min(MAX_HEADLINE_SEARCH_BYTES)], head.as_bytes()).is_some()
}

/// Appends `text` to `kept` without escape sequences and, if `stamped`, without the CI prefix of each line. Returns the
/// start of each kept run as offsets into `kept` and into `text`.
fn strip_escapes_and_prefixes(text: &[u8], stamped: bool, kept: &mut Vec<u8>) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut at = if stamped { ci_prefix::prefix_length(text) } else { 0 };
    while at < text.len() {
        let rest = &text[at..];
        let stop = if stamped { memchr2(ESC, b'\n', rest) } else { memchr(ESC, rest) };
        let breaks = stop.is_some_and(|stop| rest[stop] == b'\n');
        let until = stop.map_or(text.len(), |stop| at + stop + usize::from(breaks));
        if until > at {
            runs.push((kept.len(), at));
            kept.extend_from_slice(&text[at..until]);
        }
        at = until + if breaks { ci_prefix::prefix_length(&text[until..]) } else { escape_length(text, until) };
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::EventView;
    use crate::failure::event::FailureEvent;

    fn event(text: &str) -> FailureEvent {
        FailureEvent { text: text.to_owned(), ..FailureEvent::default() }
    }

    #[test]
    fn escape_sequences_are_removed_and_offsets_map_back() {
        let event = event("\u{1b}[31mred\u{1b}[0m and \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!");
        let view = EventView::new(&event);
        assert_eq!(view.bytes(), b"red and link!");
        let span = view.original_span(8, 12).expect("inside the text");
        assert_eq!(&event.text[span.start..span.end], "link");
    }

    #[test]
    fn exception_type_is_prepended_but_is_not_evidence() {
        let event = FailureEvent { exception_type: Some("java.net.ConnectException".into()), ..event("no answer") };
        let view = EventView::new(&event);
        assert_eq!(view.bytes(), b"java.net.ConnectException: no answer");
        assert_eq!(view.original_span(0, 9), None);
        let span = view.original_span(9, 36).expect("reaches into the text");
        assert_eq!(&event.text[span.start..span.end], "no answer");
    }

    #[test]
    fn ci_line_prefixes_are_removed() {
        let stamp = "2026-01-02T10:00:00.1234567Z ";
        let event = event(&format!("{stamp}a \u{1b}[31mred\n{stamp}\u{1b}[0mconnect ECONNREFUSED\n"));
        let view = EventView::new(&event);
        assert_eq!(view.bytes(), b"a red\nconnect ECONNREFUSED\n");
        let span = view.original_span(14, 26).expect("inside the text");
        assert_eq!(&event.text[span.start..span.end], "ECONNREFUSED");
    }

    #[test]
    fn unterminated_escape_removes_only_itself() {
        let event = event("\u{1b}[connect ECONNREFUSED");
        assert!(EventView::new(&event).bytes().ends_with(b"ECONNREFUSED"));
    }
}
