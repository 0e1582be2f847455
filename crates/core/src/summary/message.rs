//! The message of a failure with the values in it.

use super::headline::{is_diff_legend, is_wrapping};
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Lines of a message.
const MAX_LINES: usize = 12;

/// Longest line; of a dumped object its middle can be spared.
pub const MAX_LINE_CHARS: usize = 240;

/// A longer line of a diff is shown around what differs, with so much before and after it.
const LONG_DIFF_LINE_CHARS: usize = 80;
const DIFFERENCE_CONTEXT_CHARS: usize = 24;

/// The first lines, and of those further down the ones that hold values. What is left out is marked with `…`.
pub(super) fn message(lines: &[String], most: usize) -> String {
    let mut out = String::new();
    let (mut taken, mut skipped) = (0, false);
    // A dash alone begins items of lists, too.
    let begins = |mark: char| lines.iter().any(|line| line.starts_with(mark));
    let has_diff = begins('+') && begins('-');
    let paired = if has_diff { paired(lines) } else { Vec::new() };
    let lines = if has_diff { &paired } else { lines };
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

/// The lines with each one of a diff above its counterpart: all that was expected, and then all that came, would leave no
/// room for the second.
fn paired(lines: &[String]) -> Vec<String> {
    let mark = |line: &String| line.chars().next().filter(|mark| matches!(mark, '+' | '-'));
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut sides = lines.chunk_by(|line, next| mark(line) == mark(next)).peekable();
    while let Some(side) = sides.next() {
        let is_counterpart = |other: &&[String]| mark(&side[0]).is_some() && mark(&other[0]).is_some();
        let other = sides.next_if(is_counterpart).unwrap_or_default();
        for at in 0..side.len().max(other.len()) {
            match (side.get(at), other.get(at)) {
                (Some(line), Some(counterpart)) => {
                    out.extend([around_difference(line, counterpart), around_difference(counterpart, line)]);
                }
                (line, counterpart) => out.extend(line.or(counterpart).cloned()),
            }
        }
    }
    out
}

/// A long line of a diff from shortly before to shortly after what differs, behind its mark.
fn around_difference(line: &str, counterpart: &str) -> String {
    let (line, counterpart): (Vec<char>, Vec<char>) = (line.chars().collect(), counterpart.chars().collect());
    let equal = |pair: &(&char, &char)| pair.0 == pair.1;
    let before = line.iter().zip(&counterpart).skip(1).take_while(equal).count() + 1;
    let rest = line.len().min(counterpart.len()).saturating_sub(before);
    let after = line.iter().rev().zip(counterpart.iter().rev()).take(rest).take_while(equal).count();
    let from = before.saturating_sub(DIFFERENCE_CONTEXT_CHARS);
    let to = (line.len() - after + DIFFERENCE_CONTEXT_CHARS).min(line.len());
    let (from, to) = if line.len() > LONG_DIFF_LINE_CHARS { (from.max(1), to) } else { (1, line.len()) };
    let left_out = |is_cut: bool| if is_cut { "…" } else { "" };
    let shown: String = line[from..to].iter().collect();
    [&String::from(line[0]), left_out(from > 1), &shown, left_out(to < line.len())].concat()
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
