//! The error for a user's regular expression that does not compile.

/// A user's regular expression that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct PatternError {
    /// Name of the rule or pattern.
    pub name: String,
    /// The regex compiler's reason, without the pattern, because a pattern may contain the secret that it must hide.
    pub reason: String,
}

impl PatternError {
    /// `name` must be short and free of secrets.
    pub(crate) fn new(name: String, error: &regex::Error) -> Self {
        let text = error.to_string();
        let reason = text.rsplit("error: ").next().unwrap_or_default();
        let reason = if matches!(error, regex::Error::Syntax(_)) { reason.trim() } else { &text };
        // Unicode tables are left out because they would be a tenth of the engine's size.
        let advice = if reason.starts_with("Unicode property") {
            "; \\p{..} is not supported here, name the characters instead, such as [A-Z]"
        } else {
            ""
        };
        Self { name, reason: format!("{reason}{advice}") }
    }
}
