//! Tokens and the audit log of a team server, in the server's own database. The host creates and compares secrets;
//! this database stores only their digests.

use crate::{
    Engine, EngineError, ErrorCode,
    answer::time_format::{DAY_MS, format_iso},
    contract::{
        AuditEntry, AuditLog, AuditLogParams, AuditParams, CreateTokenParams, IdParams, NoParams, RevokeTokenResult,
        Scope, Token, TokensResult,
    },
};
use argus_core::{CallContext, display};
use argus_store::{
    Tx,
    access::{audit, tokens},
};

/// Maximum number of characters of a name of a person or a machine.
const MAX_NAME_CHARS: usize = 100;

/// Maximum number of audit log entries in an answer.
const MAX_AUDIT_ENTRIES: u32 = 10_000;
const DEFAULT_AUDIT_ENTRIES: u32 = 100;

/// Adds a token. Returns an error if its name is empty.
pub fn create_token(engine: &Engine, context: &CallContext, params: &CreateTokenParams) -> Result<Token, EngineError> {
    let name = display::sanitize_line(&engine.analyzer.redact(&params.name), MAX_NAME_CHARS);
    if name.is_empty() {
        return Err(EngineError::invalid_input("name is empty. Name the owner of the token."));
    }
    let token = tokens::Token {
        id: params.id.clone(),
        name,
        digest: params.digest.clone(),
        scope: params.scope.as_str().to_owned(),
        projects: params.projects.as_ref().map(|projects| projects.join(" ")),
        created_at: context.now_ms,
        expires_at: params.expires_in_days.map(|days| context.now_ms + i64::from(days) * DAY_MS),
        revoked_at: None,
        last_used_at: None,
    };
    engine.write(context, |tx: &mut Tx<'_>| Ok(tokens::add(tx, &token)?))?;
    convert_token(token)
}

/// Returns all tokens, with the digests of their secrets.
pub fn tokens(engine: &Engine, context: &CallContext, _: &NoParams) -> Result<TokensResult, EngineError> {
    let all = engine.read(context, |tx: &mut Tx<'_>| Ok(tokens::list(tx)?))?;
    Ok(TokensResult { tokens: all.into_iter().map(convert_token).collect::<Result<_, _>>()? })
}

/// Revokes a token, effective immediately.
pub fn revoke_token(
    engine: &Engine,
    context: &CallContext,
    params: &IdParams,
) -> Result<RevokeTokenResult, EngineError> {
    let body = |tx: &mut Tx<'_>| Ok(tokens::revoke(tx, &params.id, context.now_ms)?);
    Ok(RevokeTokenResult { revoked: engine.write(context, body)? })
}

/// Stores the current time as the last use of a token.
pub fn note_token_used(engine: &Engine, context: &CallContext, params: &IdParams) -> Result<(), EngineError> {
    engine.write(context, |tx: &mut Tx<'_>| Ok(tokens::set_last_used_at(tx, &params.id, context.now_ms)?))
}

/// Adds an entry to the audit log.
pub fn note_audit(engine: &Engine, context: &CallContext, params: &AuditParams) -> Result<(), EngineError> {
    let line = |text: &str| display::sanitize_line(&engine.analyzer.redact(text), MAX_NAME_CHARS);
    let entry = audit::AuditRow {
        at: context.now_ms,
        token_id: params.token_id.as_deref().map(line),
        project: params.project.as_deref().map(line),
        action: line(&params.action),
        is_denied: params.is_denied,
    };
    engine.write(context, |tx: &mut Tx<'_>| Ok(audit::add_entry(tx, &entry)?))
}

/// Returns the newest entries of the audit log.
pub fn audit_log(engine: &Engine, context: &CallContext, params: &AuditLogParams) -> Result<AuditLog, EngineError> {
    let limit = params.limit.unwrap_or(DEFAULT_AUDIT_ENTRIES).min(MAX_AUDIT_ENTRIES);
    let newest = engine.read(context, |tx: &mut Tx<'_>| Ok(audit::list_newest(tx, limit)?))?;
    let entries = newest.into_iter().map(|audit::AuditRow { at, token_id, project, action, is_denied }| AuditEntry {
        at: format_iso(at),
        token_id,
        project,
        action,
        is_denied,
    });
    Ok(AuditLog { entries: entries.collect() })
}

fn convert_token(token: tokens::Token) -> Result<Token, EngineError> {
    let tokens::Token { id, name, digest, scope, projects, created_at, expires_at, revoked_at, last_used_at } = token;
    Ok(Token {
        id,
        name,
        digest,
        scope: Scope::parse(&scope)?,
        projects: projects.map(|projects| projects.split(' ').map(ToOwned::to_owned).collect()),
        created_at: format_iso(created_at),
        expires_at: expires_at.map(format_iso),
        revoked_at: revoked_at.map(format_iso),
        last_used_at: last_used_at.map(format_iso),
    })
}

impl Scope {
    const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Edit, Self::Admin];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Admin => "admin",
        }
    }

    fn parse(stored: &str) -> Result<Self, EngineError> {
        let scope = Self::ALL.into_iter().find(|scope| scope.as_str() == stored);
        scope.ok_or_else(|| EngineError::new(ErrorCode::DatabaseCorrupt, "A token has an unknown scope."))
    }
}
