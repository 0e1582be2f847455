//! What a person looks at first of a failure: the line that says what went wrong, and the message with its values.
//! What is signed is the stable text of `normalize`; where it happened is found by `failure_locations`.

mod failure_locations;
mod headline;
mod message;

pub use failure_locations::{FailureLocations, SourceLocation, failure_locations, stack_files};
pub use message::MAX_LINE_CHARS as MAX_MESSAGE_LINE_CHARS;

use crate::output::{CleanText, Output, progress_lines};

/// What JavaScript makes of an object that nobody printed.
const UNPRINTED: &str = "[object Object]";
/// Lines of a text that is nothing but headings and frames.
const MAX_HEADING_LINES: usize = 12;

/// Longest headline.
pub const MAX_HEADLINE_CHARS: usize = 300;

/// The lines that are the failure, as they were printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    lines: Vec<String>,
}

impl Summary {
    /// Reads a redacted text.
    pub fn read(text: &str) -> Self {
        let clean = CleanText::of(text.as_bytes());
        let mut output = Output::read(&clean, false);
        let said: Vec<&[u8]> = output.lines.iter().map(|line| line.part).collect();
        if output.has_progress && !progress_lines::mentions_failure(&said.join(&b'\n')) {
            output = Output::read(&clean, true);
        }
        let mut lines: Vec<String> = Vec::with_capacity(output.lines.len());
        for line in &output.lines {
            let line = String::from_utf8_lossy(line.part.trim_ascii()).into_owned();
            // How often a thing was said is no part of what failed.
            if !line.is_empty() && line != UNPRINTED && !is_frame(&line) && !lines.contains(&line) {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            // Nothing but headings, frames and source: then what stands below the source, or all there is.
            let all: Vec<&[u8]> = clean.lines().take(MAX_HEADING_LINES).map(<[u8]>::trim_ascii).collect();
            let below = all.iter().position(|line| is_caret(line)).map_or(0, |at| at + 1);
            let shown = all[below..].iter().map(|line| String::from_utf8_lossy(line).into_owned());
            lines.extend(shown.filter(|line| !line.is_empty() && (below == 0 || !line.starts_with("at "))));
        }
        Self { lines }
    }

    /// The lines, in order.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The error in one line of at most [`MAX_HEADLINE_CHARS`] characters; empty where no line says what went wrong.
    pub fn headline(&self) -> String {
        headline::headline(&self.lines)
    }

    /// The error with the values that an assertion compared, in at most so many characters.
    pub fn message(&self, most: usize) -> String {
        message::message(&self.lines, most)
    }
}

/// A message in fewer characters; its values are what stays.
pub fn shortened_message(message: &str, most: usize) -> String {
    if message.chars().count() <= most {
        return message.to_owned();
    }
    let lines: Vec<String> = message.lines().map(str::to_owned).collect();
    message::message(&lines, most)
}

/// What points at the place in a line of source.
fn is_caret(line: &[u8]) -> bool {
    !line.is_empty() && line.iter().all(|byte| matches!(byte, b'^' | b'~' | b' '))
}

/// A frame of Ruby without what `Output` knows it by: ``./spec/cart_spec.rb:5:in `new'``.
fn is_frame(line: &str) -> bool {
    // Behind the name of an uncaught error's first frame stands its message.
    let position = line.split_once(":in ").filter(|_| line.ends_with('\'')).map(|(position, _)| position);
    position.is_some_and(|position| !position.contains(' ') && position.ends_with(|last: char| last.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
