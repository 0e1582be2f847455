//! Prepares texts for messages and for comparisons. Functions without an analyzer redact only by the built-in secret
//! patterns. Stored texts and errors of calls are also redacted by the project's own patterns.

use argus_core::{Analyzer, display, redact::Redactor};
use std::borrow::Cow;

/// Redacts a message of this program, because it may quote the caller's text.
pub(crate) fn redact_message(text: &str) -> String {
    Redactor::built_in().redact_text(&remove_invisible_escapes(text)).into_string()
}

/// Like [`redact_message`], but also redacts secrets that match the project's own patterns.
pub(crate) fn redact_with(analyzer: &Analyzer, text: &str) -> String {
    analyzer.redact_without_limit(&remove_invisible_escapes(text)).into_string()
}

/// Removes escapes of invisible characters such as `\u{200b}`. Debug formatting writes these characters as
/// escapes, and the redactor would not recognize a secret that contains an escape.
fn remove_invisible_escapes(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("\\u{");
    let mut out = String::from(parts.next().unwrap_or_default());
    for part in parts {
        let escape = part.split_once('}').and_then(|(code, rest)| Some((u32::from_str_radix(code, 16).ok()?, rest)));
        match escape.and_then(|(code, rest)| Some((char::from_u32(code)?, rest))) {
            Some((letter, rest)) if display::sanitize_text(letter.encode_utf8(&mut [0; 4])).is_empty() => {
                out.push_str(rest);
            }
            _ => out.extend(["\\u{", part]),
        }
    }
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Quotes a caller's text in a message: a single line of at most 200 visible characters without secrets.
pub(crate) fn quote(text: &str) -> String {
    quote_beginning(text, 200)
}

/// Like [`quote`], but with at most `most` characters.
pub(crate) fn quote_beginning(text: &str, most: usize) -> String {
    Redactor::built_in().redact_text(&remove_invisible_escapes(text)).to_single_line(most).into_string()
}

/// Normalizes case and spacing for comparisons.
pub(crate) fn fold_case_and_spacing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{fold_case_and_spacing, quote, redact_message};

    #[test]
    fn quote_returns_one_line_and_folding_ignores_case_and_spacing() {
        assert_eq!(quote("run\n-\u{1b}[31mx"), "run -x");
        assert_eq!(redact_message("a \\u{200b}b \\u{e9} \\u{zz} \\u{"), "a b \\u{e9} \\u{zz} \\u{");
        assert_eq!(fold_case_and_spacing("  Raise  the\nTimeout "), "raise the timeout");
    }
}
