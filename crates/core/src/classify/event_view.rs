//! The text as the rules see it: no ANSI sequences, nothing that a CI system put before each line, the exception type in
//! front where the text does not name it.
//! What is stored stays as it is; offsets lead back into the event's own text.

use super::Span;
use crate::{display::escape_length, failure::event::FailureEvent, output::marks::ci_prefix};
use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

const ESC: u8 = 0x1b;

/// A text free of escape sequences, with the way back to the original offsets.
#[derive(Debug)]
pub(super) struct EventView<'a> {
    original: &'a str,
    bytes: Cow<'a, [u8]>,
    /// Length of what was put in front and is not in the original.
    prefix: usize,
    /// Where a run of kept bytes starts: in `bytes`, and in the original. Empty when nothing was taken out.
    runs: Vec<(usize, usize)>,
}

impl<'a> EventView<'a> {
    pub(super) fn new(event: &'a FailureEvent) -> Self {
        let original = event.text.as_str();
        let headed = event.exception_type.as_deref().filter(|head| !head.is_empty() && !mentions(original, head));
        let stamped = ci_prefix::are_in(original.as_bytes());
        if headed.is_none() && !stamped && memchr(ESC, original.as_bytes()).is_none() {
            return Self { original, bytes: Cow::Borrowed(original.as_bytes()), prefix: 0, runs: Vec::new() };
        }
        let mut kept = Vec::with_capacity(original.len() + headed.map_or(0, str::len) + 2);
        if let Some(head) = headed {
            kept.extend_from_slice(head.as_bytes());
            kept.extend_from_slice(b": ");
        }
        let prefix = kept.len();
        let runs = strip(original.as_bytes(), stamped, &mut kept);
        Self { original, bytes: Cow::Owned(kept), prefix, runs }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The span of the original text that `start..end` of the view came from; none if it lies before the text.
    pub(super) fn original_span(&self, start: usize, end: usize) -> Option<Span> {
        if end <= self.prefix {
            return None;
        }
        let start = self.original.floor_char_boundary(self.offset(start.max(self.prefix)));
        // The last byte is looked up, not the one after it: an escape sequence may stand between the two.
        let end = self.original.ceil_char_boundary(self.offset(end.saturating_sub(1).max(self.prefix)) + 1);
        (start < end).then_some(Span { start, end })
    }

    fn offset(&self, at: usize) -> usize {
        let run = self.runs.partition_point(|&(kept, _)| kept <= at).checked_sub(1);
        let (kept, origin) = run.map_or((self.prefix, 0), |index| self.runs[index]);
        origin + (at - kept)
    }
}

/// True where the text names the type itself; only its start is looked at, for the type stands in the headline.
fn mentions(text: &str, head: &str) -> bool {
    const HEADLINE_REACH_BYTES: usize = 4096;
    let text = text.as_bytes();
    memmem::find(&text[..text.len().min(HEADLINE_REACH_BYTES)], head.as_bytes()).is_some()
}

/// Appends `text` without escape sequences, and without what stands before each line where it is `stamped`; answers where
/// each kept run starts in `kept` and in `text`.
fn strip(text: &[u8], stamped: bool, kept: &mut Vec<u8>) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut at = if stamped { ci_prefix::length(text) } else { 0 };
    while at < text.len() {
        let rest = &text[at..];
        let stop = if stamped { memchr2(ESC, b'\n', rest) } else { memchr(ESC, rest) };
        let breaks = stop.is_some_and(|stop| rest[stop] == b'\n');
        let until = stop.map_or(text.len(), |stop| at + stop + usize::from(breaks));
        if until > at {
            runs.push((kept.len(), at));
            kept.extend_from_slice(&text[at..until]);
        }
        at = until + if breaks { ci_prefix::length(&text[until..]) } else { escape_length(text, until) };
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
    fn escape_sequences_go_and_offsets_lead_back() {
        let event = event("\u{1b}[31mred\u{1b}[0m and \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\!");
        let view = EventView::new(&event);
        assert_eq!(view.bytes(), b"red and link!");
        let span = view.original_span(8, 12).expect("inside the text");
        assert_eq!(&event.text[span.start..span.end], "link");
    }

    #[test]
    fn the_exception_type_stands_in_front_and_is_no_evidence() {
        let event = FailureEvent { exception_type: Some("java.net.ConnectException".into()), ..event("no answer") };
        let view = EventView::new(&event);
        assert_eq!(view.bytes(), b"java.net.ConnectException: no answer");
        assert_eq!(view.original_span(0, 9), None);
        let span = view.original_span(9, 36).expect("reaches into the text");
        assert_eq!(&event.text[span.start..span.end], "no answer");
    }

    #[test]
    fn what_stands_before_each_line_goes_too() {
        let stamp = "2026-01-02T10:00:00.1234567Z ";
        let event = event(&format!("{stamp}a \u{1b}[31mred\n{stamp}\u{1b}[0mconnect ECONNREFUSED\n"));
        let view = EventView::new(&event);
        assert_eq!(view.bytes(), b"a red\nconnect ECONNREFUSED\n");
        let span = view.original_span(14, 26).expect("inside the text");
        assert_eq!(&event.text[span.start..span.end], "ECONNREFUSED");
    }

    #[test]
    fn an_escape_without_an_end_takes_nothing_with_it() {
        let event = event("\u{1b}[connect ECONNREFUSED");
        assert!(EventView::new(&event).bytes().ends_with(b"ECONNREFUSED"));
    }
}
