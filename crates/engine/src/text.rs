//! Texts made fit for messages and for comparing.
//! Does not: bound, redact or take out invisible characters (`argus_core` does).

use argus_core::display;

/// What somebody sent, in a message: one line, short, visible.
pub(crate) fn quoted(text: &str) -> String {
    display::line(text, 200)
}

/// The same for texts that differ in case and spacing alone.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{folded, quoted};

    #[test]
    fn quotes_in_one_line_and_folds_case_and_spacing() {
        assert_eq!(quoted("run\n-\u{1b}[31mx"), "run -x");
        assert_eq!(folded("  Raise  the\nTimeout "), "raise the timeout");
    }
}
