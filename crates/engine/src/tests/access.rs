//! Tokens and the audit log of a team server.

use crate::{access, tests::prelude::*};

fn token(id: &str, name: &str, scope: Scope) -> CreateTokenParams {
    CreateTokenParams {
        id: id.to_owned(),
        name: name.to_owned(),
        digest: "0".repeat(64),
        scope,
        projects: None,
        expires_in_days: None,
    }
}

#[test]
fn tokens_can_be_created_used_and_revoked() {
    let world = World::new();
    let params = CreateTokenParams {
        projects: Some(vec!["shop".to_owned(), "till".to_owned()]),
        expires_in_days: Some(30),
        ..token("one", "Ada", Scope::Write)
    };
    let made = access::create_token(&world.engine, &world.context(), &params).unwrap();
    assert_eq!((made.scope, made.projects.as_deref()), (Scope::Write, params.projects.as_deref()));
    assert_eq!(made.expires_at.as_deref(), Some("2026-03-28T10:00:01.000Z"));
    access::create_token(&world.engine, &world.context(), &token("two", "CI", Scope::Read)).unwrap();

    let id = IdParams { id: "one".to_owned() };
    access::note_token_used(&world.engine, &world.context(), &id).unwrap();
    assert!(access::revoke_token(&world.engine, &world.context(), &id).unwrap().revoked);
    assert!(!access::revoke_token(&world.engine, &world.context(), &id).unwrap().revoked);
    let tokens = access::tokens(&world.engine, &world.context(), &NoParams {}).unwrap().tokens;
    let states: Vec<_> = tokens
        .iter()
        .map(|token| (token.id.as_str(), token.last_used_at.is_some(), token.revoked_at.is_some()))
        .collect();
    assert_eq!(states, [("one", true, true), ("two", false, false)]);
}

#[test]
fn a_token_without_a_name_is_rejected() {
    let world = World::new();
    let refused = access::create_token(&world.engine, &world.context(), &token("one", " ", Scope::Read));
    assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidInput);
}

#[test]
fn the_audit_log_lists_the_newest_entries_first() {
    let world = World::new();
    for (action, is_denied) in [("editPattern", false), ("markFix", true)] {
        let project = Some("shop".to_owned());
        let entry = AuditParams { token_id: Some("one".to_owned()), project, action: action.to_owned(), is_denied };
        access::note_audit(&world.engine, &world.context(), &entry).unwrap();
    }
    let log = access::audit_log(&world.engine, &world.context(), &AuditLogParams { limit: None }).unwrap();
    let entries: Vec<_> = log.entries.iter().map(|entry| (entry.action.as_str(), entry.is_denied)).collect();
    assert_eq!(entries, [("markFix", true), ("editPattern", false)]);
    let one = access::audit_log(&world.engine, &world.context(), &AuditLogParams { limit: Some(1) }).unwrap();
    assert_eq!(one.entries.len(), 1);
}
