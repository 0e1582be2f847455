//! Tests properties that hold for any sequence of events and for any state file.

use super::{begin_loop, command_start, error_named, error_start, pending_fix};
use crate::fix_loop::{
    Approach, CaseOutcomes, CircuitState, DecisionType, ErrorClass, Event, FileChange, FixState, MAX_DELAY_SECONDS,
    Mode, Start, Status, Verdict, Weakening, WeakeningKind, advance, compute_delay, next_step, validate_state,
};
use proptest::prelude::*;
use serde_json::Value;

fn any_class() -> impl Strategy<Value = ErrorClass> {
    prop_oneof![4 => Just(ErrorClass::Fixable), 3 => Just(ErrorClass::Transient), 1 => Just(ErrorClass::Permanent)]
}

fn any_finish() -> impl Strategy<Value = Event> {
    let weakening =
        Weakening { file: "a.test.ts".into(), line: 1, kind: WeakeningKind::TestSkipped, text: "it.skip".into() };
    let given = ("[abc]", any_class(), 0_usize..4, prop::bool::weighted(0.1));
    let given = given.prop_map(|(name, class, tests, waiting_for_input)| {
        let failing_tests = (0..tests).map(|number| format!("test {number}")).collect();
        crate::fix_loop::FixError { failing_tests, waiting_for_input, ..error_named(&name, class) }
    });
    let code = prop_oneof![5 => Just(1), 1 => Just(0), 1 => any::<i32>()];
    let weak = prop::bool::weighted(0.3);
    let cases = prop::collection::vec("[xy]", 0..2);
    (code, prop::bool::weighted(0.2), any::<f64>(), prop::option::weighted(0.9, given), weak, cases).prop_map(
        move |(exit_code, timed_out, duration_seconds, error, weak, cases)| Event::AttemptFinished {
            exit_code,
            timed_out,
            duration_seconds,
            error: error.map(Box::new),
            timestamp: None,
            weakened: if weak { vec![weakening.clone()] } else { Vec::new() },
            ran: Some(CaseOutcomes { failed: cases.clone(), ..CaseOutcomes::default() }),
        },
    )
}

fn any_fix() -> impl Strategy<Value = Event> {
    let approach = prop_oneof![Just(None), Just(Some(Approach::Direct)), Just(Some(Approach::Alternative))];
    let digest = prop_oneof![6 => "[0-9]{1,2}".prop_map(Some), 1 => Just(None)];
    (prop::option::weighted(0.9, "[a-z]{3}"), digest, prop::option::weighted(0.2, "[xyz ]"), approach).prop_map(
        |(description, digest, outside, approach)| Event::FixDeclared {
            description: description.unwrap_or_default(),
            digest,
            files: vec![FileChange { path: "a.ts".into(), change: "one line".into() }],
            outside,
            approach,
        },
    )
}

fn any_event() -> impl Strategy<Value = Event> {
    let verdict =
        prop_oneof![Just(Verdict::Accept), Just(Verdict::Reject), Just(Verdict::Continue), Just(Verdict::Stop)];
    prop_oneof![
        8 => Just(super::attempt_started()),
        8 => any_finish(),
        8 => any_fix(),
        6 => Just(Event::Waited),
        2 => prop::option::of("[12]").prop_map(|digest| Event::InputsProvided { digest, inputs: None }),
        1 => Just(Event::CircuitReset),
        2 => verdict.prop_map(|verdict| Event::HumanDecided { verdict, note: None, timestamp: None }),
        1 => Just(Event::NoChangeMade),
        1 => Just(Event::FixVerified { how: "seen".into(), timestamp: None, weakened: Vec::new() }),
        1 => Just(Event::Cancelled),
        2 => Just(Event::Resumed),
    ]
}

fn any_start() -> impl Strategy<Value = Start> {
    let numbers = (1_u32..=6, 0.0..=60.0, 1_u32..=4);
    (any::<bool>(), any::<bool>(), numbers, any::<bool>(), any::<bool>()).prop_map(
        |(error, test, (attempts, backoff, threshold), jitter, strict)| {
            let start = if error { error_start(test.then_some("npm test")) } else { command_start() };
            let attempts = if error { attempts.min(3) } else { attempts };
            Start {
                max_attempts: Some(f64::from(attempts)),
                backoff_seconds: Some(backoff),
                circuit_breaker: Some(f64::from(threshold)),
                jitter: Some(jitter),
                strict_progress: Some(strict),
                ..start
            }
        },
    )
}

/// Checks the properties of one step after any history.
fn check_step(before: &FixState, event: &Event, random: f64) -> Result<FixState, TestCaseError> {
    let advanced = advance(before, event, random);
    let (after, decision) = (advanced.state, advanced.decision);
    prop_assert_eq!(validate_state(&after), Ok(()), "{:?} on {:?} gives {:?}", event, before, &after);
    prop_assert!(!decision.reason.is_empty());
    if decision.kind == DecisionType::Refused {
        prop_assert_eq!(before, &after);
        return Ok(after);
    }
    prop_assert_eq!(&decision, &next_step(&after).decision);
    prop_assert!(after.attempts.len() <= after.max_attempts as usize);
    prop_assert!(after.attempts.len() <= before.attempts.len() + 1);
    if before.circuit_breaker.state == CircuitState::Open {
        prop_assert_eq!(event, &Event::CircuitReset, "an open circuit lets nothing through");
    }
    prop_assert!((0.0..=MAX_DELAY_SECONDS).contains(&decision.delay_seconds));
    let wanted = compute_delay(after.initial_backoff_seconds, u32::try_from(after.attempts.len()).unwrap());
    if decision.kind == DecisionType::Wait && after.jitter {
        prop_assert!(decision.delay_seconds <= wanted + 1e-3);
    } else if decision.kind == DecisionType::Wait {
        prop_assert!((decision.delay_seconds - wanted).abs() < 2e-3);
    }
    if after.status == Status::Running {
        check_run_is_allowed(before)?;
    }
    if let Event::FixDeclared { digest: Some(digest), .. } = event {
        let known = before.attempts.iter().filter_map(|attempt| attempt.fix_digest.as_ref());
        prop_assert!(known.filter(|known| *known == digest).count() == 0, "the same fix twice");
    }
    Ok(after)
}

/// Checks that the command does not run again without a change, except after a transient error.
fn check_run_is_allowed(state: &FixState) -> Result<(), TestCaseError> {
    let Some(last) = state.attempts.last() else { return Ok(()) };
    let free = last.error_class == Some(ErrorClass::Transient) || last.waiting_for_input;
    prop_assert!(free || pending_fix(state).is_some(), "runs unchanged: {:?}", state);
    Ok(())
}

/// Replaces a value of a state. Returns `None` if the result is not a state.
fn replace_value(state: &FixState, path: usize, value: &Value) -> Option<FixState> {
    let mut json = serde_json::to_value(state).expect("a state is JSON");
    let object = json.as_object_mut().expect("an object");
    let key = object.keys().nth(path % object.len())?.clone();
    object.insert(key, value.clone());
    serde_json::from_value(json).ok()
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_u32..200).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "ready",
            "running",
            "needs_fix",
            "waiting",
            "needs_inputs",
            "unverified",
            "success",
            "suspicious",
            "escalated",
            "cancelled",
            "command",
            "error",
            "circuit_breaker_opened",
        ])
        .prop_map(Value::from),
    ];
    prop_oneof![5 => leaf, 1 => Just(Value::Array(Vec::new())), 1 => Just(serde_json::json!({}))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn rules_hold_for_any_events(
        start in any_start(),
        events in prop::collection::vec((any_event(), 0.0..1.0), 0..60),
    ) {
        let mut state = begin_loop(&start);
        prop_assert_eq!(validate_state(&state), Ok(()));
        let mut runs = 0_u32;
        for (event, random) in &events {
            let after = check_step(&state, event, *random)?;
            runs += u32::from(after.attempts.len() > state.attempts.len());
            let file = serde_json::to_string(&after).expect("a state is JSON");
            let read: FixState = serde_json::from_str(&file).expect("what was written can be read");
            prop_assert_eq!(&read, &after);
            state = after;
        }
        prop_assert!(runs <= state.max_attempts);
    }

    /// No edit of a state file may cause a panic, and a loop with an accepted state must follow the rules.
    #[test]
    fn rules_hold_for_any_accepted_file(
        start in any_start(),
        events in prop::collection::vec((any_event(), 0.0..1.0), 0..20),
        changes in prop::collection::vec((any::<usize>(), any_value()), 1..4),
        later in prop::collection::vec((any_event(), any::<f64>()), 0..20),
    ) {
        let mut state = begin_loop(&start);
        for (event, random) in &events {
            state = advance(&state, event, *random).state;
        }
        for (path, value) in &changes {
            state = replace_value(&state, *path, value).unwrap_or(state);
        }
        for (event, random) in &later {
            if validate_state(&state).is_ok() {
                let random = if random.is_finite() { random.rem_euclid(1.0) } else { 0.5 };
                state = check_step(&state, event, random)?;
            } else {
                state = advance(&state, event, *random).state;
            }
        }
    }

    #[test]
    fn backoff_doubles_up_to_a_minute(initial in 0.0..=60.0_f64, failures in 1_u32..200) {
        let (now, next) = (compute_delay(initial, failures), compute_delay(initial, failures + 1));
        prop_assert!((0.0..=MAX_DELAY_SECONDS).contains(&now));
        prop_assert!((next - (2.0 * now).min(MAX_DELAY_SECONDS)).abs() < 2e-3);
    }

    #[test]
    fn error_mode_makes_at_most_three_attempts(events in prop::collection::vec((any_event(), 0.0..1.0), 0..80)) {
        let mut state = begin_loop(&error_start(Some("npm test")));
        for (event, random) in &events {
            state = advance(&state, event, *random).state;
        }
        prop_assert_eq!(state.mode, Mode::Error);
        prop_assert!(state.attempts.len() <= 3);
    }
}
