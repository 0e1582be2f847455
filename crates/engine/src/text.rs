//! Texts made fit for storing and for messages: bounded, folded.
//! Does not: redact (the analyzer does) or take out invisible characters (`argus_core::display` does).

use argus_core::display;

/// Cuts the middle out of a long text, at character borders, and says so.
pub(crate) fn bound(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = floor(text, limit / 4 * 3);
    let tail = ceil(text, text.len() - limit / 4);
    format!("{}\n[... cut ...]\n{}", &text[..head], &text[tail..])
}

/// The end of a long text, from a line's begin where one is near.
pub(crate) fn tail(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = &text[ceil(text, text.len() - limit)..];
    end.find('\n').filter(|line| *line < limit / 4).map_or(end, |line| &end[line + 1..])
}

/// What somebody sent, in a message: one line, short, visible.
pub(crate) fn quoted(text: &str) -> String {
    display::line(text, 200)
}

/// The same for texts that differ in case and spacing alone.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
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
    use super::{bound, folded, quoted, tail};

    #[test]
    fn cuts_at_character_borders() {
        let text = "é".repeat(100);
        assert!(bound(&text, 50).contains("[... cut ...]"));
        assert_eq!(bound("short", 50), "short");
        assert_eq!(tail("one\ntwo two two two", 16), "two two two two");
    }

    #[test]
    fn quotes_in_one_line_and_folds_case_and_spacing() {
        assert_eq!(quoted("run\n-\u{1b}[31mx"), "run -x");
        assert_eq!(folded("  Raise  the\nTimeout "), "raise the timeout");
    }
}
