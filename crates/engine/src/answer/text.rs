//! Texts made fit for messages and for comparing.
//! Where no analyzer is given, the project's own secrets are not known; what is stored, and the error of a call, goes
//! through the engine's.

use argus_core::{Analyzer, display, redact::Redactor};
use std::borrow::Cow;

/// A message of this program, which may quote what somebody sent.
pub(crate) fn message(text: &str) -> String {
    Redactor::built_in().redacted(&unescaped(text)).into_string()
}

/// The same without the project's own secrets.
pub(crate) fn redacted_by(analyzer: &Analyzer, text: &str) -> String {
    analyzer.redact_whole(&unescaped(text)).into_string()
}

/// Without `\u{200b}` and its like: a quote escapes what cannot be seen, and a secret with it inside is not found.
fn unescaped(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("\\u{");
    let mut out = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let escape = part.split_once('}').and_then(|(code, rest)| Some((u32::from_str_radix(code, 16).ok()?, rest)));
        match escape.and_then(|(code, rest)| Some((char::from_u32(code)?, rest))) {
            Some((letter, rest)) if display::clean(letter.encode_utf8(&mut [0; 4])).is_empty() => out.push_str(rest),
            _ => out.extend(["\\u{", part]),
        }
    }
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// What somebody sent, in a message: one line, short, visible, without secrets.
pub(crate) fn quoted(text: &str) -> String {
    beginning(text, 200)
}

/// The same of so many characters.
pub(crate) fn beginning(text: &str, most: usize) -> String {
    Redactor::built_in().redacted(&unescaped(text)).line(most).into_string()
}

/// The same for texts that differ in case and spacing alone.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{folded, message, quoted};

    #[test]
    fn quotes_in_one_line_and_folds_case_and_spacing() {
        assert_eq!(quoted("run\n-\u{1b}[31mx"), "run -x");
        assert_eq!(message("a \\u{200b}b \\u{e9} \\u{zz} \\u{"), "a b \\u{e9} \\u{zz} \\u{");
        assert_eq!(folded("  Raise  the\nTimeout "), "raise the timeout");
    }
}
