//! Defines the error for a user's regular expression that does not compile.

/// A user's regular expression that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct PatternError {
    /// Name of the rule or pattern.
    pub name: String,
    /// The reason, without the pattern, because the pattern may contain the secret that it should match.
    pub reason: String,
}

impl PatternError {
    /// Creates the error. `name` must be short and contain no secret.
    pub(crate) fn new(name: String, error: &regex::Error) -> Self {
        let text = error.to_string();
        let reason = text.rsplit("error: ").next().unwrap_or_default();
        let reason = if matches!(error, regex::Error::Syntax(_)) { reason.trim() } else { &text };
        // Unicode tables are not included because they would be a tenth of the size of the engine.
        let advice = if reason.starts_with("Unicode property") {
            "; \\p{..} is not supported; list the characters instead, such as [A-Z]"
        } else {
            ""
        };
        Self { name, reason: format!("{reason}{advice}") }
    }
}
