//! Who may use the memories of a team's server, and what was done with that.

use super::{Deserialize, Serialize};

contract! {
    /// What a token may do. Each holds those before it.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum Scope {
        /// Search and look.
        Read,
        /// Record runs, fixes, incidents and outcomes.
        Write,
        /// Change what was learned: name, merge, split, judge.
        Edit,
        /// Manage tokens, read metrics and the audit log.
        Admin,
    }

    /// A new token. The secret stays with the caller.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct CreateTokenParams {
        /// The public part, which is part of what its holder sends.
        pub id: String,
        /// Whose it is: a person, a machine.
        pub name: String,
        /// SHA-256 of the secret, hex.
        pub digest: String,
        /// The highest of what it may do.
        pub scope: Scope,
        /// The projects it may be used for. Default: all.
        pub projects: Option<Vec<String>>,
        /// Days until it expires. Default: it does not.
        pub expires_in_days: Option<u32>,
    }

    /// A token as it is kept.
    pub struct Token {
        /// The public part.
        pub id: String,
        /// Whose it is.
        pub name: String,
        /// SHA-256 of the secret, hex.
        pub digest: String,
        /// The highest of what it may do.
        pub scope: Scope,
        /// Null: all.
        pub projects: Option<Vec<String>>,
        /// ISO 8601, as all times.
        pub created_at: String,
        /// Null: it does not expire.
        pub expires_at: Option<String>,
        /// Null: it is not revoked.
        pub revoked_at: Option<String>,
        /// Null: it was never used. To the minute.
        pub last_used_at: Option<String>,
    }

    /// All tokens of a server.
    pub struct TokensResult {
        /// The oldest first, revoked ones too.
        pub tokens: Vec<Token>,
    }

    /// Whether a token could be revoked.
    pub struct RevokeTokenResult {
        /// False: there is none of this id, or it was revoked before.
        pub revoked: bool,
    }

    /// Something that was done with a token, or denied.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct AuditParams {
        /// Absent: no token, or none that is known.
        pub token_id: Option<String>,
        /// Absent: it was about no project.
        pub project: Option<String>,
        /// The call's name, `token create`, `login`.
        pub action: String,
        /// It was not done.
        pub is_denied: bool,
    }

    /// How much of the audit log.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct AuditLogParams {
        /// Default: 100.
        pub limit: Option<u32>,
    }

    /// The newest of the audit log.
    pub struct AuditLog {
        /// The newest first.
        pub entries: Vec<AuditEntry>,
    }

    /// One line of the audit log.
    pub struct AuditEntry {
        /// ISO 8601.
        pub at: String,
        /// Null: no token, or none that is known.
        pub token_id: Option<String>,
        /// Null: it was about no project.
        pub project: Option<String>,
        /// What it was.
        pub action: String,
        /// It was not done.
        pub is_denied: bool,
    }
}
