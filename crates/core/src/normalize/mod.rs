//! Turns one raw failure text into stable text: what changes from run to run becomes a placeholder.
//! Does not: read files, know SQL, decide what matches.

/// What of a failure text stays the same when it happens again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Normalized {
    /// The salient part (headline, without ANSI codes, stack frames and code frames) with placeholders; bounded.
    pub text: String,
    /// The first line of the redacted raw text that says what went wrong, for people; bounded, no placeholders.
    pub headline: String,
    /// Innermost in-app frame as `file:function`, placeholders applied, where the text has a stack.
    pub frame: Option<String>,
}

/// One pass over the text.
pub fn normalize(text: &str) -> Normalized {
    Normalized { text: text.to_owned(), headline: text.lines().next().unwrap_or_default().to_owned(), frame: None }
}
