//! Texts made fit for storing and for messages: bounded, without invisible characters.
//! Does not: redact; the analyzer does.

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

/// The beginning of a text, at most so many bytes, with an ellipsis where something is missing.
pub(crate) fn head(text: &str, limit: usize) -> String {
    if text.len() <= limit { text.to_owned() } else { format!("{}…", &text[..floor(text, limit)]) }
}

/// Without control and direction characters and the invisible ones that can hide words from a reader.
pub(crate) fn visible(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c)).collect()
}

/// What somebody sent, in a message: one line, short, visible.
pub(crate) fn quoted(text: &str) -> String {
    let line: String = visible(text).chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    head(line.trim(), 200)
}

/// The same for texts that differ in case and spacing alone.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Zero-width spaces, marks and overrides of direction, joiners but the one that emoji need.
        // The last range is a whole alphabet that no font shows.
        '\u{200b}'
        | '\u{200c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => c.is_control(),
    }
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
    use super::{bound, folded, head, quoted, tail, visible};

    #[test]
    fn cuts_at_character_borders() {
        let text = "é".repeat(100);
        assert!(bound(&text, 50).contains("[... cut ...]"));
        assert_eq!(bound("short", 50), "short");
        assert_eq!(head(&text, 3), "é…");
        assert_eq!(tail("one\ntwo two two two", 16), "two two two two");
    }

    #[test]
    fn hides_nothing_from_the_reader() {
        assert_eq!(visible("a\u{202e}b\u{0}c\u{e0041}\u{200b}d\n"), "abcd\n");
        assert_eq!(quoted("run\n-\u{1b}[31mx"), "run -[31mx");
        assert_eq!(folded("  Raise  the\nTimeout "), "raise the timeout");
    }
}
