//! The only form in which a text from outside is stored, logged, sent or shown, and the only one that is cut.
//! Only the redactor makes this type.

use super::{Redaction, Redactor};
use crate::{display, text::bound};
use serde::Serialize;
use std::{fmt, ops::Deref};

/// A text without invisible characters and secrets. Whoever cuts one cuts this: half a secret looks like none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Redacted(String);

impl Redactor {
    /// The text as it may leave, however long.
    pub fn redacted(&self, text: &str) -> Redacted {
        Redacted::of(self.redact(text))
    }
}

impl Redacted {
    /// What the redactor answered. For this crate alone, or anybody could make one of any text.
    pub(crate) fn of(redaction: Redaction<'_>) -> Self {
        Self(redaction.text.into_owned())
    }

    /// Head and tail where it has more than `most` bytes; the text says so.
    #[must_use]
    pub fn bounded_to(self, most: usize) -> Self {
        Self(bound::bound_to(&self.0, most).into_owned())
    }

    /// At most `most` bytes of the end, from the beginning of a line or word.
    #[must_use]
    pub fn tail(self, most: usize) -> Self {
        Self(bound::tail(&self.0, most).to_owned())
    }

    /// One line of at most `most` characters, with `…` where something was left out.
    #[must_use]
    pub fn line(&self, most: usize) -> Self {
        Self(display::line(&self.0, most))
    }

    /// Without white space at both ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        Self(self.0.trim().to_owned())
    }

    /// The text itself, where it is stored or sent.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<Redacted> for String {
    fn from(text: Redacted) -> Self {
        text.0
    }
}

impl Deref for Redacted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
