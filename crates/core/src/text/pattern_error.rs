//! What a user is told of a regular expression that does not compile.

/// A user's regular expression that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct PatternError {
    /// Name of the rule or pattern.
    pub name: String,
    /// What the regex compiler says, without the pattern: that may name the very secret that must not be seen.
    pub reason: String,
}

impl PatternError {
    /// `name` without secrets, and short.
    pub(crate) fn new(name: String, error: &regex::Error) -> Self {
        let text = error.to_string();
        let reason = text.rsplit("error: ").next().unwrap_or_default();
        let reason = if matches!(error, regex::Error::Syntax(_)) { reason.trim() } else { &text };
        // Their tables would be a tenth of the engine.
        let advice = if reason.starts_with("Unicode property") {
            "; \\p{..} is not supported here, name the characters instead, such as [A-Z]"
        } else {
            ""
        };
        Self { name, reason: format!("{reason}{advice}") }
    }
}
