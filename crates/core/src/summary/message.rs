//! The message of a failure with the values in it.

use super::headline::{is_diff_legend, is_wrapping};
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Lines of a message.
const MAX_LINES: usize = 12;

/// Longest line; of a dumped object its middle can be spared.
pub const MAX_LINE_CHARS: usize = 240;

/// The first lines, and of those further down the ones that hold values. What is left out is marked with `…`.
pub(super) fn message(lines: &[String], most: usize) -> String {
    let mut out = String::new();
    let (mut taken, mut skipped) = (0, false);
    // A dash alone begins items of lists, too.
    let begins = |mark: char| lines.iter().any(|line| line.starts_with(mark));
    let has_diff = begins('+') && begins('-');
    let is_values = |at: usize| is_values(&lines[at], has_diff) || at > 0 && announces_value(&lines[at - 1]);
    let first_values = (0..lines.len()).find(|&at| is_values(at));
    for (number, line) in lines.iter().enumerate() {
        if taken > 0 && (is_diff_legend(line) || is_wrapping(line) && !is_values(number)) {
            continue;
        }
        // Before the values stands what was asked for; after them, all that is not more of them can wait.
        let fits =
            taken < MAX_LINES && (number < 3 || first_values.is_none_or(|first| number < first) || is_values(number));
        let line = display::line_with_ends(line, MAX_LINE_CHARS);
        let left = most.saturating_sub(out.chars().count() + usize::from(!out.is_empty()));
        if !fits || left == 0 || (taken > 0 && line.chars().count() > left) {
            skipped = true;
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&display::shortened(&line, left));
        taken += 1;
    }
    if skipped && out.chars().count() + 2 <= most {
        out.push_str("\n…");
    }
    out
}

/// `want:`, with the value on the next line.
fn announces_value(line: &str) -> bool {
    line.ends_with(':') && is_values(line, false)
}

/// Whether the line holds what was expected, or what came.
fn is_values(line: &str, has_diff: bool) -> bool {
    static VALUES: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"(?i)^(?:(?:but )?(?:expected|received|actual|got|want(?:ed)?|was|left|right|diff|returned|difference)\b",
            r"|-> |=> |<)|!==|!=|===|==| but was | to (?:be|equal|have|match) ",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    has_diff && line.starts_with(['+', '-']) || VALUES.is_match(line)
}
