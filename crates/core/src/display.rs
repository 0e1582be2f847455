//! Makes text safe to show to an agent or on a terminal: removes escape sequences, and control, invisible and
//! direction-changing characters. `redact` removes secrets, and the viewer's page escapes HTML.

use std::borrow::Cow;

/// Removes escape sequences; every other character stays.
pub fn strip_escapes(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in memchr::memchr_iter(ESC, bytes) {
        if at >= from {
            out.push_str(&text[from..at]);
            from = at + escape_length(bytes, at);
        }
    }
    out.push_str(&text[from..]);
    out
}

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
/// Maximum length of an escape sequence, which is longer than any real sequence. The limit prevents that a lone ESC
/// removes the text after it.
const MAX_SEQUENCE_BYTES: usize = 256;

/// Returns the length in bytes of the escape sequence at `at`, which must be ESC: CSI, OSC and other strings, two-byte
/// escapes.
pub fn escape_length(text: &[u8], at: usize) -> usize {
    let rest = &text[at..text.len().min(at + MAX_SEQUENCE_BYTES)];
    match rest.get(1) {
        Some(b'[') => 2 + control_sequence_length(&rest[2..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string_sequence_length(rest),
        Some(b'(' | b')' | b'*' | b'+' | b'#' | b'%' | b' ') if rest.get(2).is_some_and(u8::is_ascii_graphic) => 3,
        Some(0x30..=0x7e) => 2,
        _ => 1,
    }
}

/// Returns the length of a control sequence: parameters, intermediate bytes and the final byte.
fn control_sequence_length(rest: &[u8]) -> usize {
    let parameters = rest.iter().take_while(|byte| (0x20..=0x3f).contains(*byte)).count();
    parameters + usize::from(rest.get(parameters).is_some_and(|byte| (0x40..=0x7e).contains(byte)))
}

/// Returns the length of a string sequence up to BEL or `ESC \`, or 2 if the end is missing.
fn string_sequence_length(rest: &[u8]) -> usize {
    let end = rest
        .iter()
        .enumerate()
        .skip(2)
        .find(|&(at, &byte)| byte == BEL || byte == b'\n' || (byte == ESC && rest.get(at + 1) == Some(&b'\\')));
    match end {
        Some((at, &BEL)) => at + 1,
        Some((at, &ESC)) => at + 2,
        _ => 2,
    }
}

/// Removes escape sequences and control, invisible and direction-changing characters. Line breaks, tabs and characters
/// that combine emoji stay. The host uses the same rule; `tests/vectors/visible.jsonl` tests both.
pub fn sanitize_text(text: &str) -> Cow<'_, str> {
    let Some(first) = find_unwanted(text) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut at = first;
    let mut joins = false;
    while let Some(letter) = text[at..].chars().next() {
        if letter == '\u{1b}' {
            at += escape_length(text.as_bytes(), at);
            continue;
        }
        at += letter.len_utf8();
        match letter {
            // A terminal would overwrite the line at a lone carriage return.
            '\r' => out.push_str(if text[at..].starts_with('\n') { "" } else { "\n" }),
            ZERO_WIDTH_JOINER | EMOJI_SELECTOR => {
                joins = true;
                out.push(letter);
            }
            _ if is_unwanted(letter) => {}
            _ => out.push(letter),
        }
    }
    Cow::Owned(if joins { remove_stray_joiners(&out) } else { out })
}

/// Zero-width joiner, which combines two emoji, for example a woman and a laptop to a technician.
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// Variation selector that shows the character before it as an emoji.
const EMOJI_SELECTOR: char = '\u{fe0f}';
/// Encloses the digit before it in a keycap.
const ENCLOSING_KEYCAP: char = '\u{20e3}';

/// Removes joiners that are not between two emoji and selectors that are not after an emoji, because there they are
/// invisible and could hide data.
fn remove_stray_joiners(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut before = None;
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        let stays = match letter {
            EMOJI_SELECTOR => {
                before.is_some_and(is_emoji) || (before.is_some_and(can_have_keycap) && next == Some(ENCLOSING_KEYCAP))
            }
            ZERO_WIDTH_JOINER => {
                before.is_some_and(|before| before == EMOJI_SELECTOR || is_emoji(before)) && next.is_some_and(is_emoji)
            }
            _ => true,
        };
        if stays {
            out.push(letter);
            before = Some(letter);
        }
    }
    out
}

fn can_have_keycap(letter: char) -> bool {
    letter.is_ascii_digit() || letter == '#' || letter == '*'
}

/// Checks for a character in a Unicode block of emoji, or for an emoji in another block.
fn is_emoji(letter: char) -> bool {
    matches!(letter,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{21aa}'
        | '\u{231a}'..='\u{23ff}'
        | '\u{24c2}'
        | '\u{25aa}'..='\u{27bf}'
        | '\u{2934}' | '\u{2935}'
        | '\u{2b05}'..='\u{2b55}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Returns the position of the first unwanted character. Most text is printable ASCII, so only other characters are
/// checked in detail.
fn find_unwanted(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at = find_special(text.as_bytes(), at)?;
        let letter = text[at..].chars().next()?;
        if is_unwanted(letter) {
            return Some(at);
        }
        at += letter.len_utf8();
    }
}

/// Returns the first byte from `from` on that is not printable ASCII, a line feed or a tab.
fn find_special(text: &[u8], from: usize) -> Option<usize> {
    const STRIDE_BYTES: usize = 64;
    let special = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let mut at = from;
    // The loop over a stride has no early exit, so that it compiles to a few vector instructions.
    while let Some(chunk) = text[at..].first_chunk::<STRIDE_BYTES>() {
        if chunk.iter().fold(false, |found, byte| found | special(byte)) {
            break;
        }
        at += STRIDE_BYTES;
    }
    text[at..].iter().position(special).map(|place| at + place)
}

fn is_unwanted(letter: char) -> bool {
    match letter {
        '\n' | '\t' | ' '..='~' => false,
        _ => letter.is_control() || is_invisible(letter),
    }
}

/// Checks for a character that is invisible, hides text, or changes the direction of the text after it.
fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        // The empty braille cell.
        | '\u{2800}'
        | '\u{3164}'
        // The private use area, whose characters are invisible without a special font.
        | '\u{e000}'..='\u{f8ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        // Format controls of Egyptian hieroglyphs, shorthand and musical notation.
        | '\u{13430}'..='\u{1343f}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        // Tags and variation selectors, which can hide whole sentences.
        | '\u{e0000}'..='\u{e0fff}'
        // The two private use planes.
        | '\u{f0000}'..='\u{10ffff}')
}

/// Returns a clean line of at most `limit` characters, with `…` for omitted text. White space becomes a single space,
/// except inside quotes and in a line of a diff, where it may be the difference between two values.
pub fn sanitize_line(text: &str, limit: usize) -> String {
    if text.len() <= limit && is_plain_line(text.as_bytes()) {
        return text.to_owned();
    }
    let clean = sanitize_text(text);
    let text = clean.trim();
    let is_diff = text.starts_with(['+', '-']);
    let mut out = String::new();
    let mut quote: Option<char> = None;
    let mut space = String::new();
    for (at, letter) in text.char_indices() {
        if letter.is_whitespace() {
            space.push(if letter == '\t' && quote.is_some() { '\t' } else { ' ' });
            continue;
        }
        let keeps = quote.is_some() || is_diff && out.len() > 1;
        match space.len() {
            0 => {}
            _ if keeps => out.push_str(&space.replace('\t', "\\t")),
            _ => out.push(' '),
        }
        space.clear();
        quote = match quote {
            Some(open) if open == letter => None,
            None if opens_quote(&text[at..], letter, out.chars().next_back()) => Some(letter),
            other => other,
        };
        out.push(letter);
        if out.len() > limit.saturating_mul(4) {
            break;
        }
    }
    truncate_chars(&out, limit)
}

/// Checks whether `letter` is a quote that is closed on the same line. A quote inside a word does not count, as in
/// `didn't`. `rest` starts with `letter`.
fn opens_quote(rest: &str, letter: char, before: Option<char>) -> bool {
    let is_quote = matches!(letter, '\'' | '"' | '`') && before.is_none_or(|before| !before.is_alphanumeric());
    is_quote && rest.lines().next().is_some_and(|line| line[letter.len_utf8()..].contains(letter))
}

/// Returns a clean line of at most `limit` characters. Replaces the middle of a longer line with `…` and keeps both
/// ends, because a comparison may have one value before a printed object and the other value after the object.
pub fn sanitize_line_keeping_ends(text: &str, limit: usize) -> String {
    let whole = sanitize_line(text, usize::MAX);
    let length = whole.chars().count();
    if length <= limit {
        return whole;
    }
    let tail = limit / 3;
    let head = limit.saturating_sub(tail + 1);
    whole.chars().take(head).chain(std::iter::once('…')).chain(whole.chars().skip(length - tail)).collect()
}

/// Checks for words of printable ASCII with single spaces, as in nearly every name.
fn is_plain_line(text: &[u8]) -> bool {
    let edge = |byte: Option<&u8>| byte == Some(&b' ');
    text.iter().all(|byte| matches!(byte, b' '..=b'~'))
        && !edge(text.first())
        && !edge(text.last())
        && memchr::memmem::find(text, b"  ").is_none()
}

/// Returns at most `limit` characters. If text was omitted, the last character is `…`.
pub fn truncate_chars(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(std::iter::once('…')).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{sanitize_line, sanitize_line_keeping_ends, sanitize_text, strip_escapes, truncate_chars};
    use proptest::prelude::*;

    #[test]
    fn escape_and_control_characters_are_removed() {
        let rows = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;https://x.example\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("a\u{1b}(Bb", "ab"),
            ("lone \u{1b}", "lone "),
            ("unclosed \u{1b}]0;never ends", "unclosed 0;never ends"),
            ("bell\u{7} back\u{8}space", "bell backspace"),
            ("c1 \u{9b}31m", "c1 31m"),
            ("over\rwritten\r\nnext", "over\nwritten\nnext"),
            ("tab\tand\nline stay", "tab\tand\nline stay"),
        ];
        for (text, wanted) in rows {
            assert_eq!(sanitize_text(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn invisible_characters_are_removed() {
        assert_eq!(sanitize_text("a\u{200b}b\u{202e}c\u{2066}d\u{feff}e\u{ad}f"), "abcdef");
        let hidden: String = "ignore".bytes().filter_map(|byte| char::from_u32(0xe0000 + u32::from(byte))).collect();
        assert_eq!(sanitize_text(&format!("shown{hidden}")), "shown");
        assert_eq!(sanitize_text("写真 é ü — “quoted”"), "写真 é ü — “quoted”");
    }

    #[test]
    fn matches_shared_visible_vectors() {
        for row in include_str!("../../../tests/vectors/visible.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let (text, wanted) = (row["text"].as_str().unwrap(), row["visible"].as_str().unwrap());
            assert_eq!(sanitize_text(text), wanted, "{}", row["name"]);
            let framed = format!("before {text} after");
            assert_eq!(sanitize_text(&framed), format!("before {wanted} after"), "{}, framed", row["name"]);
        }
    }

    #[test]
    fn line_is_bounded() {
        assert_eq!(sanitize_line("  first\n\tsecond \u{1b}[1mthird\u{1b}[0m ", 40), "first second third");
        assert_eq!(sanitize_line("abcdef", 4), "abc…");
        assert_eq!(sanitize_line("", 4), "");
        for (spaced, wanted) in [
            ("'a  b' !==  'a b'", "'a  b' !== 'a b'"),
            ("expected \"a\tb\"\t to  equal", "expected \"a\\tb\" to equal"),
            ("it  didn't  say 'so  ", "it didn't say 'so"),
            ("-   a  b", "- a  b"),
        ] {
            assert_eq!(sanitize_line(spaced, 40), wanted);
        }
        for spaced in [" a b", "a b ", "a  b", " ", "a\tb"] {
            assert_eq!(sanitize_line(spaced, 40), spaced.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        assert_eq!(truncate_chars("üüüü", 4), "üüüü");
        assert_eq!(truncate_chars("üüüüü", 4), "üüü…");
    }

    #[test]
    fn long_line_keeps_its_ends() {
        assert_eq!(
            sanitize_line_keeping_ends("expected  #<Response> to match /x/", 40),
            "expected #<Response> to match /x/"
        );
        assert_eq!(sanitize_line_keeping_ends("abcdefghij", 7), "abcd…ij");
        assert_eq!(sanitize_line_keeping_ends("üüüüüüüüüü", 7), "üüüü…üü");
        assert_eq!(sanitize_line_keeping_ends("abc", 1), "…");
    }

    #[test]
    fn without_escapes_keeps_other_characters() {
        assert_eq!(strip_escapes("\u{1b}[1mab\u{1b}[0m\u{200b}\rcd"), "ab\u{200b}\rcd");
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent(text in prop_oneof![any::<String>(), "[👩💻❤1#\u{200d}\u{fe0f}\u{20e3}\u{200b}\u{1b}\\[m\r\na]{0,12}"]) {
            let once = sanitize_text(&text).into_owned();
            prop_assert_eq!(sanitize_text(&once), once.clone());
            prop_assert_eq!(memchr::memchr(0x1b, once.as_bytes()), None);
        }
    }
}
