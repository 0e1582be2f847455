//! Summarizes a failure for a person: the line that describes the error, and the message with its values. `normalize`
//! creates the text for signing, and `failure_locations` finds the place of the failure.

mod failure_locations;
mod headline;
mod message;

pub use failure_locations::{FailureLocations, SourceLocation, find_failure_locations, list_stack_files};
pub use message::MAX_LINE_CHARS as MAX_MESSAGE_LINE_CHARS;

use crate::output::{CleanText, Output, progress_lines, salient_lines};

/// The text that JavaScript prints for an object without a string form.
const UNPRINTED_OBJECT: &str = "[object Object]";
/// Maximum number of lines of a text that has only headings and frames.
const MAX_HEADING_LINES: usize = 12;

/// Maximum length of a headline in characters.
pub const MAX_HEADLINE_CHARS: usize = 300;

/// The lines of a failure as they were printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    lines: Vec<String>,
}

impl Summary {
    /// Reads a redacted text.
    pub fn read(text: &str) -> Self {
        let clean = CleanText::new(text.as_bytes());
        let mut output = Output::read(&clean, false);
        let said: Vec<&[u8]> = output.lines.iter().map(|line| line.part).collect();
        if output.has_progress && !progress_lines::mentions_failure(&said.join(&b'\n')) {
            output = Output::read(&clean, true);
        }
        let mut lines: Vec<String> = Vec::with_capacity(output.lines.len());
        for line in &output.lines {
            let line = String::from_utf8_lossy(line.part.trim_ascii()).into_owned();
            // Skip repetitions, because the number of copies does not describe the failure.
            if !line.is_empty() && line != UNPRINTED_OBJECT && !lines.contains(&line) {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            // The text has only headings, frames and quoted source, so use the lines below the source, or all lines.
            let all: Vec<&[u8]> = clean.lines().take(MAX_HEADING_LINES).map(<[u8]>::trim_ascii).collect();
            let below = all.iter().position(|line| is_caret_line(line)).map_or(0, |at| at + 1);
            let shown = all[below..].iter().map(|line| String::from_utf8_lossy(line).into_owned());
            lines.extend(shown.filter(|line| !line.is_empty() && (below == 0 || !line.starts_with("at "))));
        }
        Self { lines }
    }

    /// Returns the lines in order.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns the error as one line of at most [`MAX_HEADLINE_CHARS`] characters, or an empty string if no line
    /// describes the error.
    pub fn headline(&self) -> String {
        headline::choose_headline(&self.lines)
    }

    /// Returns the error with the compared values, in at most `most` characters.
    pub fn message(&self, most: usize) -> String {
        message::build_message(&self.lines, most)
    }
}

/// Checks whether the form of a line marks it as an error: `TypeError: no`, `fatal: no`.
pub fn is_error_line(line: &str) -> bool {
    salient_lines::looks_like_error(line.trim().as_bytes())
}

/// Shortens a message to `most` characters and keeps its values.
pub fn shorten_message(message: &str, most: usize) -> String {
    if message.chars().count() <= most {
        return message.to_owned();
    }
    let lines: Vec<String> = message.lines().map(str::to_owned).collect();
    message::build_message(&lines, most)
}

/// Checks for a line that points at a position in the source above it.
fn is_caret_line(line: &[u8]) -> bool {
    !line.is_empty() && line.iter().all(|byte| matches!(byte, b'^' | b'~' | b' '))
}

#[cfg(test)]
mod tests;
