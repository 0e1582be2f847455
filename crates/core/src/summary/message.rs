//! The message of a failure with the values in it.

use super::headline::{is_diff_legend, is_wrapping};
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Lines of a message.
const MAX_LINES: usize = 12;

/// Longest line; of a dumped object its middle can be spared.
pub const MAX_LINE_CHARS: usize = 240;

/// A longer value is shown around what differs from the other, with so much before and after it.
const LONG_VALUE_CHARS: usize = 80;
const DIFFERENCE_CONTEXT_CHARS: usize = 24;

/// The first lines, and of those further down the ones that hold values. What is left out is marked with `…`.
pub(super) fn message(lines: &[String], most: usize) -> String {
    let mut out = String::new();
    // Two values have room beside what announces them.
    let longest = (most * 2 / 5).min(MAX_LINE_CHARS);
    let (mut taken, mut skipped) = (0, false);
    let marks = diff_marks(lines);
    let lines = &marks.map_or_else(|| labelled(lines), |marks| paired(lines, marks));
    let is_values = |at: usize| is_values(&lines[at], marks) || at > 0 && announces_value(&lines[at - 1]);
    let first_values = (0..lines.len()).find(|&at| is_values(at));
    let is_around = |at: usize| is_diff_legend(&lines[at]) || is_wrapping(&lines[at]) && !is_values(at);
    let is_all_around = (0..lines.len()).all(is_around);
    for (number, line) in lines.iter().enumerate() {
        if is_around(number) && !(is_all_around && number == 0) {
            continue;
        }
        // Before the values stands what was asked for; after them, all that is not more of them can wait.
        let fits =
            taken < MAX_LINES && (number < 3 || first_values.is_none_or(|first| number < first) || is_values(number));
        let line = display::line_with_ends(line, if is_values(number) { longest } else { MAX_LINE_CHARS });
        let left = most.saturating_sub(out.chars().count() + usize::from(!out.is_empty()));
        let was_shortened = line == "…";
        if was_shortened || !fits || left == 0 || (taken > 0 && line.chars().count() > left) {
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

/// What the lines of a diff begin with, where there is one.
fn diff_marks(lines: &[String]) -> Option<[char; 2]> {
    let begins = |mark: char| lines.iter().any(|line| line.starts_with(mark));
    if lines.iter().any(|line| line == "Diff < left / right > :") {
        return Some(['<', '>']);
    }
    // A dash alone begins items of lists, too.
    (begins('+') && begins('-')).then_some(['+', '-'])
}

/// The lines with each one of a diff above its counterpart: all that was expected, and then all that came, would leave no
/// room for the second.
fn paired(lines: &[String], marks: [char; 2]) -> Vec<String> {
    let mark = |line: &String| line.chars().next().filter(|mark| marks.contains(mark));
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut sides = lines.chunk_by(|line, next| mark(line) == mark(next)).peekable();
    while let Some(side) = sides.next() {
        let is_counterpart = |other: &&[String]| mark(&side[0]).is_some() && mark(&other[0]).is_some();
        let other = sides.next_if(is_counterpart).unwrap_or_default();
        for at in 0..side.len().max(other.len()) {
            match (side.get(at), other.get(at)) {
                (Some(line), Some(counterpart)) => {
                    let (line, counterpart) = (line.split_at(1), counterpart.split_at(1));
                    out.extend([around_difference(line, counterpart), around_difference(counterpart, line)]);
                }
                (line, counterpart) => out.extend(line.or(counterpart).cloned()),
            }
        }
    }
    out
}

/// The lines with long values shown around what differs, where one stands above the other: `left: …`, `right: …`; or both
/// in one line.
fn labelled(lines: &[String]) -> Vec<String> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = r"(?i)^(?:(?:but )?(?:expected|received|actual|got|want(?:ed)?|was|left|right)\b[\w ]*:)\s*";
        Regex::new(pattern).expect("a constant pattern")
    });
    let split = |line: &'_ String| LABEL.find(line).map(|label| label.end());
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let [line, below @ ..] = rest {
        rest = below;
        let pair = below.first().and_then(|next| {
            let (line, next) = (line.split_at(split(line)?), next.split_at(split(next)?));
            (line.0 != next.0).then(|| [around_difference(line, next), around_difference(next, line)])
        });
        match pair {
            Some(pair) => {
                out.extend(pair);
                rest = &below[1..];
            }
            None => out.push(both_around_difference(line)),
        }
    }
    out
}

/// `expected: <…> but was: <…>` with long values shown around what differs.
fn both_around_difference(line: &str) -> String {
    let values = || {
        let (before, values) = line.split_once("expected: <")?;
        let (expected, actual) = values.split_once("> but was: <")?;
        let (actual, after) = actual.rsplit_once('>')?;
        let (expected, actual) = (("", expected), ("", actual));
        let [shown, other] = [around_difference(expected, actual), around_difference(actual, expected)];
        Some(format!("{before}expected: <{shown}> but was: <{other}>{after}"))
    };
    values().unwrap_or_else(|| line.to_owned())
}

/// A long value from shortly before to shortly after what differs, behind its mark.
fn around_difference((mark, value): (&str, &str), (_, other): (&str, &str)) -> String {
    let (value, other): (Vec<char>, Vec<char>) = (value.chars().collect(), other.chars().collect());
    let equal = |pair: &(&char, &char)| pair.0 == pair.1;
    let before = value.iter().zip(&other).take_while(equal).count();
    let rest = value.len().min(other.len()) - before;
    let after = value.iter().rev().zip(other.iter().rev()).take(rest).take_while(equal).count();
    let from = before.saturating_sub(DIFFERENCE_CONTEXT_CHARS);
    let to = (value.len() - after + DIFFERENCE_CONTEXT_CHARS).min(value.len());
    let (from, to) = if value.len() > LONG_VALUE_CHARS { (from, to) } else { (0, value.len()) };
    let left_out = |is_cut: bool| if is_cut { "…" } else { "" };
    let shown: String = value[from..to].iter().collect();
    [mark, left_out(from > 0), &shown, left_out(to < value.len())].concat()
}

/// `want:`, with the value on the next line.
fn announces_value(line: &str) -> bool {
    line.ends_with(':') && is_values(line, None)
}

/// Whether the line holds what was expected, or what came.
fn is_values(line: &str, marks: Option<[char; 2]>) -> bool {
    static VALUES: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"(?i)^(?:(?:but )?(?:expected|received|actual|got|want(?:ed)?|was|left|right|diff|returned|difference)\b",
            r"|-> |=> |<)|!==|!=|===|==| but was | to (?:be|equal|have|match) ",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    marks.is_some_and(|marks| line.starts_with(marks)) || VALUES.is_match(line)
}
