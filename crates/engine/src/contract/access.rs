//! Types for access tokens and the audit log of a team's server.

use super::{Deserialize, Serialize};

contract! {
    /// Permissions of a token. Each scope includes the previous scopes.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum Scope {
        /// Search and read.
        Read,
        /// Record runs, fixes, incidents and outcomes.
        Write,
        /// Change learned data: name, merge, split, judge.
        Edit,
        /// Manage tokens, read metrics and the audit log.
        Admin,
    }

    /// A new token. The secret stays with the caller.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct CreateTokenParams {
        /// Public part of the token. The holder sends it with each request.
        pub id: String,
        /// Name of the holder: a person or a machine.
        pub name: String,
        /// SHA-256 of the secret, hex.
        pub digest: String,
        /// Highest scope of the token.
        pub scope: Scope,
        /// Allowed projects. Default: all.
        pub projects: Option<Vec<String>>,
        /// Days until it expires. Default: never.
        pub expires_in_days: Option<u32>,
    }

    /// A stored token.
    pub struct Token {
        /// Public part of the token.
        pub id: String,
        /// Name of the holder.
        pub name: String,
        /// SHA-256 of the secret, hex.
        pub digest: String,
        /// Highest scope of the token.
        pub scope: Scope,
        /// Allowed projects. Null for all.
        pub projects: Option<Vec<String>>,
        /// Time of creation, ISO 8601.
        pub created_at: String,
        /// Time of expiry, or null if the token never expires.
        pub expires_at: Option<String>,
        /// Time of revocation, or null if the token is not revoked.
        pub revoked_at: Option<String>,
        /// Time of the last use, to the minute, or null if the token was never used.
        pub last_used_at: Option<String>,
    }

    /// All tokens of a server.
    pub struct TokensResult {
        /// Tokens, oldest first, including revoked tokens.
        pub tokens: Vec<Token>,
    }

    /// Result of revoking a token.
    pub struct RevokeTokenResult {
        /// False if no token has this id, or if the token was revoked before.
        pub revoked: bool,
    }

    /// An action for the audit log.
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct AuditParams {
        /// Token that was used. Absent if the request had no known token.
        pub token_id: Option<String>,
        /// Project of the action. Absent if the action concerns no project.
        pub project: Option<String>,
        /// Name of the call, `token create` or `login`.
        pub action: String,
        /// True if the action was denied.
        pub is_denied: bool,
    }

    /// Size of the requested part of the audit log.
    #[derive(Default)]
    #[cfg_attr(feature = "types", ts(optional_fields = nullable))]
    pub struct AuditLogParams {
        /// Number of entries. Default: 100.
        pub limit: Option<u32>,
    }

    /// Newest entries of the audit log.
    pub struct AuditLog {
        /// Entries, newest first.
        pub entries: Vec<AuditEntry>,
    }

    /// An entry of the audit log.
    pub struct AuditEntry {
        /// Time, ISO 8601.
        pub at: String,
        /// Token that was used. Null without a known token.
        pub token_id: Option<String>,
        /// Project of the action, or null if the action concerns no project.
        pub project: Option<String>,
        /// Name of the action.
        pub action: String,
        /// True if the action was denied.
        pub is_denied: bool,
    }
}
