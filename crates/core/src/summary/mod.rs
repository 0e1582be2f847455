//! What a person looks at first of a failure: the line that says what went wrong, and the message with its values.
//! Does not: change what is signed (`normalize` has the stable text), or say where it happened; `place` does.

mod headline;
mod message;
mod place;

pub use place::{Place, Places, places};

use crate::output::{Clean, Output, progress};

/// Longest headline.
pub const MAX_HEADLINE: usize = 300;

/// The lines that are the failure, as they were printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    lines: Vec<String>,
}

impl Summary {
    /// Reads a redacted text.
    pub fn read(text: &str) -> Self {
        let clean = Clean::of(text.as_bytes());
        let mut output = Output::read(&clean, false);
        let said: Vec<&[u8]> = output.lines.iter().map(|line| line.part).collect();
        if output.has_progress && !progress::speaks_of_trouble(&said.join(&b'\n')) {
            output = Output::read(&clean, true);
        }
        let mut lines: Vec<String> = Vec::with_capacity(output.lines.len());
        for line in &output.lines {
            let line = String::from_utf8_lossy(line.part.trim_ascii()).into_owned();
            // How often a thing was said is no part of what failed.
            if !line.is_empty() && !lines.contains(&line) {
                lines.push(line);
            }
        }
        Self { lines }
    }

    /// The lines, in order.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The error in one line of at most [`MAX_HEADLINE`] characters; empty where no line says what went wrong.
    pub fn headline(&self) -> String {
        headline::headline(&self.lines)
    }

    /// The error with the values that an assertion compared, in at most so many characters.
    pub fn message(&self, most: usize) -> String {
        message::message(&self.lines, most)
    }
}

#[cfg(test)]
mod tests;
