//! Tests the fix loop: `properties` for any events and any state, `walks` for whole loops.

mod properties;
mod walks;

use super::{
    AppliedFix, ClassReason, ErrorClass, Event, FixError, FixState, Start, advance, begin,
    event::{AdvanceResult, Decision},
};
use crate::Category;

/// Creates an error of this class. Its hash is its name.
fn error_named(name: &str, class: ErrorClass) -> FixError {
    FixError {
        error_type: "TypeError".to_owned(),
        error_class: class,
        class_because: ClassReason { rule: "test".to_owned(), words: None },
        category: Category::Unknown,
        error_hash: name.to_owned(),
        headline: format!("TypeError: {name}"),
        location: None,
        frames: Vec::new(),
        failing_tests: Vec::new(),
        waiting_for_input: false,
        prompt: None,
        text: name.to_owned(),
        normalized: name.to_owned(),
        family_signature: name.to_owned(),
    }
}

fn fixable_error(name: &str) -> FixError {
    error_named(name, ErrorClass::Fixable)
}

fn attempt_started() -> Event {
    Event::AttemptStarted { timestamp: None, snapshot: None }
}

fn attempt_finished(exit_code: i32, error: Option<FixError>) -> Event {
    Event::AttemptFinished {
        exit_code,
        timed_out: false,
        duration_seconds: 1.0,
        error: error.map(Box::new),
        timestamp: None,
        weakened: Vec::new(),
        ran: None,
    }
}

fn fix_declared(digest: &str) -> Event {
    Event::FixDeclared {
        description: format!("fix {digest}"),
        digest: Some(digest.to_owned()),
        files: Vec::new(),
        outside: None,
        approach: None,
    }
}

fn command_start() -> Start {
    Start {
        command: Some("npm test".to_owned()),
        desired: "passes".to_owned(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        ..Start::default()
    }
}

fn error_start(test: Option<&str>) -> Start {
    Start {
        command: None,
        error: Some("TypeError: first".to_owned()),
        test: test.map(ToOwned::to_owned),
        ..command_start()
    }
}

/// Applies the events, each of which must be allowed, and returns the final state and decision.
fn apply_events(mut state: FixState, events: &[Event]) -> (FixState, Decision) {
    let mut decision = super::next_step(&state).decision;
    for event in events {
        let AdvanceResult { state: next, decision: made, .. } = advance(&state, event, 0.5);
        assert_ne!(made.kind, super::DecisionType::Refused, "{event:?}: {}", made.reason);
        assert_eq!(super::validate_state(&next), Ok(()), "{event:?}");
        (state, decision) = (next, made);
    }
    (state, decision)
}

fn begin_loop(start: &Start) -> FixState {
    let error = start.error.as_ref().map(|_| fixable_error("first"));
    begin(start, error.as_ref()).expect("a valid start")
}

fn pending_fix(state: &FixState) -> Option<&AppliedFix> {
    state.pending_fix.as_ref()
}
