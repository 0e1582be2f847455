//! Limits the length of a text: keeps the head and the tail, and replaces the middle with a note.
//!
//! Redact a text before storing it. A source that is too large for memory is cut before redaction to several times the
//! stored size. Cut such a source between lines or words, so that the keyword before a secret usually remains. A secret
//! whose start was cut off is not found.

use std::borrow::Cow;

/// Maximum length of an error text. The headline and the stack of a failure are many times shorter.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Maximum length of the note about omitted bytes. A text that exceeds the limit by at most this length is not cut,
/// because it may already contain the note.
const MAX_NOTE_BYTES: usize = 64;

/// Returns the text without NUL bytes, at most [`MAX_TEXT_BYTES`] bytes long plus a line with the number of omitted
/// bytes.
pub fn truncate_middle(text: &str) -> Cow<'_, str> {
    truncate_middle_to(text, MAX_TEXT_BYTES)
}

/// Like [`truncate_middle`], with another limit. Three quarters of the limit are used for the head and a quarter for
/// the tail.
pub fn truncate_middle_to(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes + MAX_NOTE_BYTES {
        return remove_nul(text);
    }
    let (head, tail) = (head(text, max_bytes / 4 * 3), tail(text, max_bytes / 4));
    let left_out = text.len() - head.len() - tail.len();
    let joined = format!("{head}\n[... {left_out} bytes left out ...]\n{tail}");
    Cow::Owned(remove_nul(&joined).into_owned())
}

/// Returns at most `max_bytes` bytes of the start, up to the end of a line or word.
pub fn head(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        text
    } else {
        &text[..move_cut_back(text, previous_boundary(text, max_bytes), cut_tolerance(max_bytes))]
    }
}

/// Returns at most `max_bytes` bytes of the end, from the start of a line or word.
pub fn tail(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        text
    } else {
        &text[move_cut_forward(text, next_boundary(text, text.len() - max_bytes), cut_tolerance(max_bytes))..]
    }
}

/// Returns the number of bytes by which a cut may move to reach the end of a line. The end of a line is a safe place,
/// because tokens do not continue on the next line.
fn cut_tolerance(max_bytes: usize) -> usize {
    (max_bytes / 8).clamp(64, 8 * 1024)
}

/// Removes NUL bytes: UTF-16 that is read as bytes has a NUL after every letter, and a database column may end at a
/// NUL.
fn remove_nul(text: &str) -> Cow<'_, str> {
    match memchr::memchr(0, text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace('\0', "")),
    }
}

/// Moves the end of the head back to the start of the line that crosses the cut, otherwise of the word.
fn move_cut_back(text: &str, at: usize, slack: usize) -> usize {
    let from = previous_boundary(text, at.saturating_sub(slack));
    let window = &text[from..at];
    let cut = window.rfind('\n').or_else(|| window.rfind(is_break));
    cut.map_or(from, |place| from + place)
}

/// Moves the start of the tail forward to the end of the line that crosses the cut, otherwise of the word.
fn move_cut_forward(text: &str, at: usize, slack: usize) -> usize {
    let to = next_boundary(text, text.len().min(at + slack));
    let window = &text[at..to];
    let cut = window.find('\n').or_else(|| window.rfind(is_break));
    cut.map_or(to, |place| at + place + 1)
}

/// Checks for a character that ends a word. These characters are one byte long, so that the next byte starts a
/// character.
fn is_break(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | ',' | ';' | '&')
}

fn previous_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn next_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{MAX_TEXT_BYTES, truncate_middle};
    use crate::redact::Redactor;
    use proptest::prelude::*;

    /// Returns a text longer than the limit in which `secret` crosses the byte at `at`.
    fn long_text(secret: &str, at: usize) -> String {
        let filler = "INFO request served in 12 ms\n";
        let before = filler.repeat((at - secret.len() / 2) / filler.len());
        format!("{before}{secret}\n{}", filler.repeat((2 * MAX_TEXT_BYTES - before.len()) / filler.len()))
    }

    fn key_block() -> String {
        let line = "MIIFakeKey0123456789".repeat(4)[..64].to_owned();
        let body = [line.as_str(); 40].join("\n");
        format!("-----BEGIN RSA PRIVATE {0}-----\n{body}\n-----END RSA PRIVATE {0}-----", "KEY")
    }

    #[test]
    fn note_states_the_omitted_bytes() {
        let text = "x\n".repeat(MAX_TEXT_BYTES);
        let bounded = truncate_middle(&text);
        let line = bounded.lines().find(|line| line.starts_with("[...")).unwrap();
        let left_out: usize = line.split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(bounded.len(), text.len() - left_out + line.len() + 2);
        assert!(bounded.len() <= MAX_TEXT_BYTES + line.len() + 2);
    }

    #[test]
    fn short_text_is_unchanged() {
        assert!(matches!(truncate_middle("Error: no"), std::borrow::Cow::Borrowed("Error: no")));
        assert_eq!(truncate_middle("E\0r\0r\0"), "Err");
    }

    #[test]
    fn secrets_at_the_cuts_are_redacted() {
        let redactor = Redactor::new(&[]).unwrap();
        let token = format!("token=gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
        let texts = [key_block(), token];
        for (secret, at) in texts.iter().flat_map(|text| [(text, 192 * 1024), (text, 2 * MAX_TEXT_BYTES - 64 * 1024)]) {
            for shift in [0, 7, 200, 1000] {
                let text = long_text(secret, at - shift);
                let clean = redactor.redact(&truncate_middle(&text)).text.into_owned();
                assert!(!clean.contains("FakeKey0") && !clean.contains("Fake3"), "{at} {shift}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_text_is_bounded(piece in "\\PC{1,40}", count in 1_usize..40_000) {
            let text = piece.repeat(count);
            let bounded = truncate_middle(&text);
            prop_assert!(bounded.len() <= MAX_TEXT_BYTES + 64);
            prop_assert_eq!(truncate_middle(&bounded), bounded.clone());
        }
    }
}
