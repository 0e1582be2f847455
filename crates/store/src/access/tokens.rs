//! Access tokens of a server. Secrets are not stored, only their digests.

use crate::{Tx, error::StoreError};

/// A token without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Public part of the token.
    pub id: String,
    /// Name of the owner.
    pub name: String,
    /// SHA-256 of the secret, hex.
    pub digest: String,
    /// Highest permission of the token.
    pub scope: String,
    /// Names of projects, separated by spaces. `None` means all projects.
    pub projects: Option<String>,
    /// UTC milliseconds, like all times in this file.
    pub created_at: i64,
    /// `None` if the token does not expire.
    pub expires_at: Option<i64>,
    /// `None` if the token is not revoked.
    pub revoked_at: Option<i64>,
    /// `None` if the token was never used.
    pub last_used_at: Option<i64>,
}

/// Adds a new token.
pub fn add(tx: &mut Tx<'_>, token: &Token) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO tokens (id, name, digest, scope, projects, created_at, expires_at) \
                       VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let Token { id, name, digest, scope, projects, created_at, expires_at, .. } = token;
    let values = [
        id.into(),
        name.into(),
        digest.into(),
        scope.into(),
        projects.into(),
        (*created_at).into(),
        (*expires_at).into(),
    ];
    tx.execute_deferred(SQL, &values)?;
    Ok(())
}

/// Returns all tokens, oldest first.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<Token>, StoreError> {
    const SQL: &str = "SELECT id, name, digest, scope, projects, created_at, expires_at, revoked_at, last_used_at \
                       FROM tokens ORDER BY key";
    let rows = tx.query(SQL, &[])?;
    rows.into_iter()
        .map(|mut row| {
            Ok(Token {
                id: row.read()?,
                name: row.read()?,
                digest: row.read()?,
                scope: row.read()?,
                projects: row.read()?,
                created_at: row.read()?,
                expires_at: row.read()?,
                revoked_at: row.read()?,
                last_used_at: row.read()?,
            })
        })
        .collect()
}

/// Revokes a token. Returns false if no token has this id or it was already revoked.
pub fn revoke(tx: &mut Tx<'_>, id: &str, now: i64) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
    Ok(tx.execute(SQL, &[id.into(), now.into()])? > 0)
}

/// Stores when a token was used. The stored time never decreases, because the clock of one of several servers may be
/// slow.
pub fn set_last_used_at(tx: &mut Tx<'_>, id: &str, at: i64) -> Result<(), StoreError> {
    const SQL: &str =
        "UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
    tx.execute_deferred(SQL, &[id.into(), at.into()])?;
    Ok(())
}
