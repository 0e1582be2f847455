//! The type of redacted text. Text from outside may be stored, logged, sent, shown or cut only in this form, and only
//! the redactor can create it.

use super::{Redaction, Redactor};
use crate::{display, text::bound};
use serde::Serialize;
use std::{fmt, ops::Deref};

/// A text without invisible characters and secrets. Redact a text before cutting it, because the redactor does not
/// recognize a half of a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RedactedText(String);

impl Redactor {
    /// Returns the redacted text in full length.
    pub fn redact_text(&self, text: &str) -> RedactedText {
        RedactedText::from_redaction(self.redact(text))
    }
}

impl RedactedText {
    /// Converts a result of the redactor. Restricted to this crate, because otherwise any text could become a
    /// `Redacted`.
    pub(crate) fn from_redaction(redaction: Redaction<'_>) -> Self {
        Self(redaction.text.into_owned())
    }

    /// Keeps the head and the tail if the text has more than `max_bytes` bytes, with a note between them.
    #[must_use]
    pub fn bounded_to(self, max_bytes: usize) -> Self {
        Self(bound::truncate_middle_to(&self.0, max_bytes).into_owned())
    }

    /// Returns at most `max_bytes` bytes of the end, starting at a line or a word.
    #[must_use]
    pub fn tail(self, max_bytes: usize) -> Self {
        Self(bound::tail(&self.0, max_bytes).to_owned())
    }

    /// Returns one line of at most `max_chars` characters, with `…` for omitted text.
    #[must_use]
    pub fn to_single_line(&self, max_chars: usize) -> Self {
        Self(display::sanitize_line(&self.0, max_chars))
    }

    /// Removes white space at both ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        Self(self.0.trim().to_owned())
    }

    /// Returns the text for storing or sending.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<RedactedText> for String {
    fn from(text: RedactedText) -> Self {
        text.0
    }
}

impl Deref for RedactedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RedactedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
