//! Builds the message of a failure, which contains the compared values.

use super::headline::{is_diff_legend, is_unrelated_to_error};
use crate::display;
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of lines of a message.
const MAX_LINES: usize = 12;

/// Maximum length of a line. The middle of a longer line, such as a printed object, is omitted.
pub const MAX_LINE_CHARS: usize = 240;

/// A longer value is shortened to the part that differs from the other value, with some text before and after that
/// part.
const LONG_VALUE_CHARS: usize = 80;
const DIFFERENCE_CONTEXT_CHARS: usize = 24;

/// Returns the first lines, and the later lines that contain values. `…` marks omitted text.
pub(super) fn build_message(lines: &[String], max_chars: usize) -> String {
    let mut out = String::new();
    // Limit the length of a line with a value, so that two values and the line above them fit.
    let longest = (max_chars * 2 / 5).min(MAX_LINE_CHARS);
    let (mut taken, mut skipped) = (0, false);
    let marks = find_diff_marks(lines);
    let lines = &marks.map_or_else(|| shorten_labelled_values(lines), |marks| pair_diff_lines(lines, marks));
    let has_values = |at: usize| contains_values(&lines[at], marks) || at > 0 && announces_value(&lines[at - 1]);
    let first_values = (0..lines.len()).find(|&at| has_values(at));
    let is_around = |at: usize| is_diff_legend(&lines[at]) || is_unrelated_to_error(&lines[at]) && !has_values(at);
    let is_all_around = (0..lines.len()).all(is_around);
    for (number, line) in lines.iter().enumerate() {
        if is_around(number) && !(is_all_around && number == 0) {
            continue;
        }
        // Lines before the values describe what was compared. Later lines are dropped unless they contain values.
        let fits =
            taken < MAX_LINES && (number < 3 || first_values.is_none_or(|first| number < first) || has_values(number));
        let line = display::sanitize_line_keeping_ends(line, if has_values(number) { longest } else { MAX_LINE_CHARS });
        let left = max_chars.saturating_sub(out.chars().count() + usize::from(!out.is_empty()));
        let was_shortened = line == "…";
        if was_shortened || !fits || left == 0 || (taken > 0 && line.chars().count() > left) {
            skipped = true;
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&display::truncate_chars(&line, left));
        taken += 1;
    }
    if skipped && out.chars().count() + 2 <= max_chars {
        out.push_str("\n…");
    }
    out
}

/// Returns the marks of the two sides if the lines contain a diff.
fn find_diff_marks(lines: &[String]) -> Option<[char; 2]> {
    let begins = |mark: char| lines.iter().any(|line| line.starts_with(mark));
    if lines.iter().any(|line| line == "Diff < left / right > :") {
        return Some(['<', '>']);
    }
    // Require both marks, because a dash alone also starts an item of a list.
    (begins('+') && begins('-')).then_some(['+', '-'])
}

/// Puts each line of a diff directly above the corresponding line of the other side. Otherwise, the whole expected side
/// would come first, and there would be no room for the actual side.
fn pair_diff_lines(lines: &[String], marks: [char; 2]) -> Vec<String> {
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
                    out.extend([shorten_to_difference(line, counterpart), shorten_to_difference(counterpart, line)]);
                }
                (line, counterpart) => out.extend(line.or(counterpart).cloned()),
            }
        }
    }
    out
}

/// Shortens long values to their difference if they have labels on adjacent lines (`left: …`, `right: …`) or are on the
/// same line.
fn shorten_labelled_values(lines: &[String]) -> Vec<String> {
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
            (line.0 != next.0).then(|| [shorten_to_difference(line, next), shorten_to_difference(next, line)])
        });
        match pair {
            Some(pair) => {
                out.extend(pair);
                rest = &below[1..];
            }
            None => out.push(shorten_expected_and_actual(line)),
        }
    }
    out
}

/// Shortens the values in `expected: <…> but was: <…>` to their difference if they are long.
fn shorten_expected_and_actual(line: &str) -> String {
    let values = || {
        let (before, values) = line.split_once("expected: <")?;
        let (expected, actual) = values.split_once("> but was: <")?;
        let (actual, after) = actual.rsplit_once('>')?;
        let (expected, actual) = (("", expected), ("", actual));
        let [shown, other] = [shorten_to_difference(expected, actual), shorten_to_difference(actual, expected)];
        Some(format!("{before}expected: <{shown}> but was: <{other}>{after}"))
    };
    values().unwrap_or_else(|| line.to_owned())
}

/// Shortens a long value to its difference from the other value, with some text around the difference. Keeps the mark
/// before the value.
fn shorten_to_difference((mark, value): (&str, &str), (_, other): (&str, &str)) -> String {
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

/// Checks for a label with its value on the next line, such as `want:`.
fn announces_value(line: &str) -> bool {
    line.ends_with(':') && contains_values(line, None)
}

/// Checks for a line with an expected or an actual value.
fn contains_values(line: &str, marks: Option<[char; 2]>) -> bool {
    static EXPECTED_OR_ACTUAL_VALUE: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"(?i)^(?:(?:but )?(?:expected|received|actual|got|want(?:ed)?|was|left|right|diff|returned|difference)\b",
            r"|-> |=> |<|(?:not )?to (?:equal|be|have|contain|match)|(?:code: +(?:assert|refute)|arguments:))|!==|!=|===|==| but was | to (?:be|equal|have|match) ",
        );
        Regex::new(pattern).expect("a constant pattern")
    });
    marks.is_some_and(|marks| line.starts_with(marks)) || EXPECTED_OR_ACTUAL_VALUE.is_match(line)
}
