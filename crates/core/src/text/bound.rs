//! Bounds a text: head and tail stay, the middle goes, and the text says so.
//! What is stored is redacted first. A source that is too large to be held whole is cut before that: never inside a
//! line or a word, and to several times what is stored, so that what a secret is known by is usually still there. A
//! secret whose beginning is farther away than that is not found.

use std::borrow::Cow;

/// Longer error texts are cut. A failure's headline and its stack fit many times over.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Room for the line that says so, so that a bounded text is not cut again.
const NOTE_BYTES: usize = 64;

/// The text without NUL bytes, at most [`MAX_TEXT_BYTES`] bytes and one line that says how much was left out.
pub fn bound(text: &str) -> Cow<'_, str> {
    bound_to(text, MAX_TEXT_BYTES)
}

/// The same for another number of bytes: three quarters of the beginning and one of the end.
pub fn bound_to(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most + NOTE_BYTES {
        return without_nul(text);
    }
    let (head, tail) = (head(text, most / 4 * 3), tail(text, most / 4));
    let left_out = text.len() - head.len() - tail.len();
    let joined = format!("{head}\n[... {left_out} bytes left out ...]\n{tail}");
    Cow::Owned(without_nul(&joined).into_owned())
}

/// At most so many bytes of the beginning, up to the end of a line or word.
pub fn head(text: &str, most: usize) -> &str {
    if text.len() <= most { text } else { &text[..cut_back(text, floor(text, most), cut_tolerance(most))] }
}

/// At most so many bytes of the end, from the beginning of a line or word.
pub fn tail(text: &str, most: usize) -> &str {
    if text.len() <= most {
        text
    } else {
        &text[cut_forward(text, ceil(text, text.len() - most), cut_tolerance(most))..]
    }
}

/// How far a cut moves to find the end of a line, which no token crosses.
fn cut_tolerance(most: usize) -> usize {
    (most / 8).clamp(64, 8 * 1024)
}

/// UTF-16 read as bytes has a NUL after every letter; a database column may end at one.
fn without_nul(text: &str) -> Cow<'_, str> {
    match memchr::memchr(0, text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace('\0', "")),
    }
}

/// The head ends before a line, else a word, that reaches over the cut.
fn cut_back(text: &str, at: usize, slack: usize) -> usize {
    let from = floor(text, at.saturating_sub(slack));
    let window = &text[from..at];
    let cut = window.rfind('\n').or_else(|| window.rfind(is_break));
    cut.map_or(from, |place| from + place)
}

/// The tail begins after a line, else a word, that reaches over the cut.
fn cut_forward(text: &str, at: usize, slack: usize) -> usize {
    let to = ceil(text, text.len().min(at + slack));
    let window = &text[at..to];
    let cut = window.find('\n').or_else(|| window.rfind(is_break));
    cut.map_or(to, |place| at + place + 1)
}

/// One byte long each, so that the byte after it begins a character.
fn is_break(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | ',' | ';' | '&')
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{MAX_TEXT_BYTES, bound};
    use crate::redact::Redactor;
    use proptest::prelude::*;

    /// Longer than the bound, with `secret` standing across the byte at `at`.
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
    fn says_how_much_was_left_out() {
        let text = "x\n".repeat(MAX_TEXT_BYTES);
        let bounded = bound(&text);
        let line = bounded.lines().find(|line| line.starts_with("[...")).unwrap();
        let left_out: usize = line.split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(bounded.len(), text.len() - left_out + line.len() + 2);
        assert!(bounded.len() <= MAX_TEXT_BYTES + line.len() + 2);
    }

    #[test]
    fn a_short_text_is_not_touched() {
        assert!(matches!(bound("Error: no"), std::borrow::Cow::Borrowed("Error: no")));
        assert_eq!(bound("E\0r\0r\0"), "Err");
    }

    #[test]
    fn secrets_at_the_cuts_still_go() {
        let redactor = Redactor::new(&[]).unwrap();
        let token = format!("token=gh{}_Fake1Fake2Fake3Fake4Fake5Fake6Fake7", "p");
        let texts = [key_block(), token];
        for (secret, at) in texts.iter().flat_map(|text| [(text, 192 * 1024), (text, 2 * MAX_TEXT_BYTES - 64 * 1024)]) {
            for shift in [0, 7, 200, 1000] {
                let text = long_text(secret, at - shift);
                let clean = redactor.redact(&bound(&text)).text.into_owned();
                assert!(!clean.contains("FakeKey0") && !clean.contains("Fake3"), "{at} {shift}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn bounded_whatever_comes(piece in "\\PC{1,40}", count in 1_usize..40_000) {
            let text = piece.repeat(count);
            let bounded = bound(&text);
            prop_assert!(bounded.len() <= MAX_TEXT_BYTES + 64);
            prop_assert_eq!(bound(&bounded), bounded.clone());
        }
    }
}
