//! Tests loops from the first event to the last.

use super::{
    apply_events, attempt_finished, attempt_started, begin_loop, command_start, error_named, error_start, fix_declared,
    fixable_error,
};
use crate::fix_loop::{
    Approach, CaseOutcomes, CircuitState, DecisionType, ErrorClass, EscalationReason, Event, FixError, FixState, Start,
    StateProblem, Status, Verdict, WarningKind, Weakening, WeakeningKind, advance, begin, compute_loop_id,
    validate_state,
};

fn failed_attempt(name: &str) -> Vec<Event> {
    vec![attempt_started(), attempt_finished(1, Some(fixable_error(name)))]
}

fn refusal_reason(state: &FixState, event: &Event) -> String {
    let advanced = advance(state, event, 0.0);
    assert_eq!(advanced.decision.kind, DecisionType::Refused, "{event:?}");
    assert_eq!(&advanced.state, state);
    advanced.decision.reason
}

#[test]
fn a_new_loop_has_the_defaults_of_the_contract() {
    let state = begin_loop(&command_start());
    assert_eq!((state.max_attempts, state.timeout_seconds, state.circuit_breaker.threshold), (5, 120, 3));
    assert_eq!((state.backoff_seconds, state.current_attempt, state.status), (1.0, 1, Status::Ready));
    assert_eq!(state.command_hash, compute_loop_id("npm test"));
    assert_eq!(begin_loop(&error_start(Some("npm test"))).max_attempts, 3);
}

#[test]
fn begin_names_missing_and_invalid_options() {
    let rows: [(&str, Start); 13] = [
        ("an error has no prompts", Start { auto: Some(true), ..error_start(None) }),
        ("Nothing to fix", Start { command: None, ..command_start() }),
        ("command is empty", Start { command: Some("  ".into()), ..command_start() }),
        ("error is empty", Start { error: Some(String::new()), ..error_start(None) }),
        ("desired is empty", Start { desired: "\n".into(), ..command_start() }),
        ("not both", Start { error: Some("x".into()), ..command_start() }),
        ("NUL", Start { command: Some("a\0b".into()), ..command_start() }),
        ("timeout must be from 1", Start { timeout_seconds: Some(-5.0), ..command_start() }),
        ("whole number", Start { max_attempts: Some(2.5), ..command_start() }),
        ("from 1 to 100; it is 1000000", Start { max_attempts: Some(1e6), ..command_start() }),
        ("from 1 to 3; it is 5", Start { max_attempts: Some(5.0), ..error_start(None) }),
        ("backoff must be from 0 to 60", Start { backoff_seconds: Some(f64::NAN), ..command_start() }),
        ("circuit_breaker", Start { circuit_breaker: Some(0.0), ..command_start() }),
    ];
    for (part, start) in rows {
        let error = start.error.as_ref().map(|_| fixable_error("first"));
        let problem = begin(&start, error.as_ref()).expect_err(part).to_string();
        assert!(problem.contains(part), "{problem}");
    }
}

#[test]
fn a_fixable_error_requires_a_fix_and_then_a_wait() {
    let (state, decision) = apply_events(begin_loop(&command_start()), &failed_attempt("a"));
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    assert_eq!(decision.approach.map(|step| step.name), Some(Approach::Direct));
    assert!(refusal_reason(&state, &attempt_started()).contains("Nothing was changed"));
    assert!(refusal_reason(&state, &Event::Waited).contains("The loop does not wait"));
    let (state, decision) = apply_events(state, &[fix_declared("1")]);
    assert_eq!((decision.kind, decision.delay_seconds), (DecisionType::Wait, 1.0));
    assert!(refusal_reason(&state, &attempt_started()).contains("delay is not over"));
    assert!(refusal_reason(&state, &fix_declared("2")).contains("Run it first"));
    let (state, decision) = apply_events(state, &[Event::Waited, attempt_started(), attempt_finished(0, None)]);
    assert_eq!((decision.kind, state.status), (DecisionType::Done, Status::Success));
    let [first, second] = &state.attempts[..] else { panic!("two attempts") };
    assert_eq!((first.fix_applied.as_deref(), first.fix_worked, first.fix_verified), (Some("fix 1"), Some(true), true));
    assert_eq!((second.exit_code, second.fix_applied.as_deref()), (0, None));
    assert_eq!(state.current_attempt, 2);
}

#[test]
fn a_repeated_fix_is_refused() {
    let mut events = failed_attempt("a");
    events.extend([fix_declared("1"), Event::Waited]);
    events.extend(failed_attempt("b"));
    let (state, _) = apply_events(begin_loop(&command_start()), &events);
    assert!(refusal_reason(&state, &fix_declared("1")).contains("tried after attempt 1"));
    let nothing = Event::FixDeclared {
        description: "hm".into(),
        digest: None,
        files: Vec::new(),
        outside: Some("  ".into()),
        approach: None,
    };
    assert!(refusal_reason(&state, &nothing).contains("Nothing changed"));
    let why = state.attempts[0].why_failed.as_deref();
    assert_eq!(why, Some("now fails with TypeError: b"));
}

#[test]
fn an_outside_change_is_accepted_once_with_a_warning() {
    let outside = |what: &str| Event::FixDeclared {
        description: "started postgres".into(),
        digest: None,
        files: Vec::new(),
        outside: Some(what.into()),
        approach: None,
    };
    let (state, _) = apply_events(begin_loop(&command_start()), &failed_attempt("a"));
    let advanced = advance(&state, &outside("service postgresql start"), 0.0);
    assert_eq!(advanced.decision.kind, DecisionType::Wait);
    assert_eq!(advanced.warnings[0].kind, WarningKind::ChangeNotSeen);
    assert!(!advanced.state.attempts[0].fix_verified);
    let mut events = vec![Event::Waited];
    events.extend(failed_attempt("b"));
    let (state, _) = apply_events(advanced.state, &events);
    assert!(refusal_reason(&state, &outside("Service PostgreSQL start")).contains("tried after attempt 1"));
}

#[test]
fn three_equal_errors_open_the_circuit_until_it_is_reset() {
    let mut events = failed_attempt("a");
    for number in 1..3 {
        events.extend([fix_declared(&number.to_string()), Event::Waited]);
        events.extend(failed_attempt("a"));
    }
    let (state, decision) = apply_events(begin_loop(&command_start()), &events);
    assert_eq!(decision.escalation, Some(EscalationReason::CircuitBreakerOpened));
    assert_eq!(state.circuit_breaker.state, CircuitState::Open);
    for event in [attempt_started(), fix_declared("9"), Event::Resumed, Event::Cancelled, Event::Waited] {
        assert!(refusal_reason(&state, &event).contains("circuit is open"));
    }
    let (state, decision) = apply_events(state, &[Event::CircuitReset]);
    assert_eq!((decision.kind, state.circuit_breaker.error_hashes.len()), (DecisionType::ApplyFix, 0));
    let mut events = vec![fix_declared("9"), Event::Waited];
    events.extend(failed_attempt("a"));
    let (_, decision) = apply_events(state, &events);
    assert_eq!(decision.kind, DecisionType::ApplyFix, "counted anew since the reset");
}

#[test]
fn full_jitter_draws_from_zero_to_the_full_delay() {
    let state = begin_loop(&Start { jitter: Some(true), backoff_seconds: Some(8.0), ..command_start() });
    let (state, _) = apply_events(state, &[attempt_started()]);
    let end = attempt_finished(1, Some(error_named("x", ErrorClass::Transient)));
    for (random, wanted) in [(0.0, 0.0), (0.25, 2.0), (0.999, 7.992)] {
        let delay = advance(&state, &end, random).decision.delay_seconds;
        assert!((delay - wanted).abs() < 1e-9, "{delay}");
    }
}

#[test]
fn a_permanent_error_escalates_immediately() {
    let denied = error_named("x", ErrorClass::Permanent);
    let (state, decision) =
        apply_events(begin_loop(&command_start()), &[attempt_started(), attempt_finished(1, Some(denied.clone()))]);
    assert_eq!(decision.escalation, Some(EscalationReason::PermanentError));
    assert!(refusal_reason(&state, &attempt_started()).contains("A human must decide"));
    let go_on = Event::HumanDecided { verdict: Verdict::Continue, note: Some("rotated".into()), timestamp: None };
    let (_, decision) = apply_events(state, &[go_on]);
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    let state = begin(&error_start(None), Some(&denied)).expect("a valid start");
    assert_eq!(state.escalation, Some(EscalationReason::PermanentError));
}

#[test]
fn a_fix_without_a_verification_escalates() {
    let (state, decision) = apply_events(begin_loop(&error_start(None)), &[fix_declared("1")]);
    assert_eq!((decision.kind, state.status), (DecisionType::Escalate, Status::Unverified));
    let verdict = |verdict| Event::HumanDecided { verdict, note: None, timestamp: Some("2026-01-02".into()) };
    let (accepted, decision) = apply_events(state.clone(), &[verdict(Verdict::Accept)]);
    assert_eq!((decision.kind, accepted.attempts[0].fix_worked), (DecisionType::Done, Some(true)));
    let (_, decision) = apply_events(state, &[verdict(Verdict::Reject)]);
    assert_eq!(decision.approach.map(|step| step.name), Some(Approach::Defensive));
}

#[test]
fn a_green_run_with_weaker_tests_is_suspicious() {
    let (state, _) = apply_events(
        begin_loop(&command_start()),
        &[failed_attempt("a"), vec![fix_declared("1"), Event::Waited, attempt_started()]].concat(),
    );
    let weakened =
        vec![Weakening { file: "a.test.ts".into(), line: 3, kind: WeakeningKind::TestSkipped, text: "it.skip".into() }];
    let green = Event::AttemptFinished {
        exit_code: 0,
        timed_out: false,
        duration_seconds: 1.0,
        error: None,
        timestamp: None,
        weakened,
        ran: None,
    };
    let (state, decision) = apply_events(state, &[green]);
    assert_eq!((decision.kind, state.status), (DecisionType::Escalate, Status::Suspicious));
    let verdict = |verdict| Event::HumanDecided { verdict, note: None, timestamp: None };
    assert_eq!(apply_events(state.clone(), &[verdict(Verdict::Accept)]).0.status, Status::Success);
    let (rejected, decision) = apply_events(state, &[verdict(Verdict::Reject)]);
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    assert_eq!(rejected.attempts[0].fix_worked, Some(false));
    assert_eq!(rejected.current_attempt, 3);
}

/// Returns the events of an attempt with these results of its cases.
fn attempt_with_cases(exit_code: i32, passed: &[&str], failed: &[&str], weakened: &[WeakeningKind]) -> Vec<Event> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let weakening =
        |kind: &WeakeningKind| Weakening { file: "a.test.ts".into(), line: 3, kind: *kind, text: "x".into() };
    let error = (exit_code != 0).then(|| Box::new(fixable_error("a")));
    let end = Event::AttemptFinished {
        exit_code,
        timed_out: false,
        duration_seconds: 1.0,
        error,
        timestamp: None,
        weakened: weakened.iter().map(weakening).collect(),
        ran: Some(CaseOutcomes { passed: names(passed), failed: names(failed), ..CaseOutcomes::default() }),
    };
    vec![attempt_started(), end]
}

#[test]
fn success_requires_that_failed_cases_pass() {
    let red = || attempt_with_cases(1, &["b"], &["a.py > a"], &[]);
    let green = |passed: &[&str], failed: &[&str]| {
        [vec![fix_declared("1"), Event::Waited], attempt_with_cases(0, passed, failed, &[])].concat()
    };
    let rows: [(&str, Vec<Event>, Status); 6] = [
        ("passed", green(&["a.py > a", "b"], &[]), Status::Success),
        ("in another file", green(&["c.py > a"], &[]), Status::Success),
        ("did not run", green(&["b"], &[]), Status::Suspicious),
        ("nothing ran", green(&[], &[]), Status::Suspicious),
        ("failed with exit code 0", green(&["b"], &["a.py > a"]), Status::Suspicious),
        ("another failed with exit code 0", green(&["a.py > a"], &["b"]), Status::Suspicious),
    ];
    for (name, events, status) in rows {
        let (state, decision) = apply_events(begin_loop(&command_start()), &[red(), events].concat());
        assert_eq!(state.status, status, "{name}");
        assert_eq!(decision.kind == DecisionType::Done, status == Status::Success, "{name}");
    }
    let suite = || attempt_with_cases(1, &[], &["a.py > (suite)"], &[]);
    for (passed, status) in [("a.py > a", Status::Success), ("b.py > a", Status::Suspicious)] {
        let (state, _) = apply_events(begin_loop(&command_start()), &[suite(), green(&[passed], &[])].concat());
        assert_eq!(state.status, status, "a.py is loaded when {passed} passed");
    }
    let mut printed = red();
    let Some(Event::AttemptFinished { ran: Some(ran_before), .. }) = printed.last_mut() else {
        panic!("it ends a run")
    };
    ran_before.omits_passed = true;
    let (state, _) = apply_events(begin_loop(&command_start()), &[printed, green(&[], &[])].concat());
    assert_eq!(state.status, Status::Success, "passed cases have no names");
    for (file, status) in [("a.py", Status::Success), ("b.py", Status::Suspicious)] {
        let mut events = green(&[], &[]);
        let Some(Event::AttemptFinished { ran: Some(ran), .. }) = events.last_mut() else { panic!("it ends a run") };
        ran.passed_files.push(file.to_owned());
        let (state, _) = apply_events(begin_loop(&command_start()), &[red(), events].concat());
        assert_eq!(state.status, status, "all tests of {file} passed");
    }
    let (state, _) = apply_events(begin_loop(&command_start()), &attempt_with_cases(0, &[], &["a"], &[]));
    assert_eq!(state.status, Status::Suspicious, "in the first run too");
    let (state, _) = apply_events(
        begin_loop(&command_start()),
        &[red(), vec![fix_declared("1"), Event::Waited, attempt_started(), attempt_finished(0, None)]].concat(),
    );
    assert_eq!(state.status, Status::Success, "nobody listened");
}

#[test]
fn restored_tests_or_a_reason_resolve_a_suspicious_run() {
    let words = |text: &str| Event::FixDeclared {
        description: text.to_owned(),
        digest: None,
        files: Vec::new(),
        outside: None,
        approach: None,
    };
    let cheated = |kind: WeakeningKind| {
        let events =
            [failed_attempt("a"), vec![fix_declared("1"), Event::Waited], attempt_with_cases(0, &[], &[], &[kind])]
                .concat();
        apply_events(begin_loop(&command_start()), &events).0
    };
    let state = cheated(WeakeningKind::TestChanged);
    assert!(refusal_reason(&state, &words("")).contains("Restore the tests"));
    let restored = [vec![fix_declared("2"), Event::Waited], attempt_with_cases(0, &[], &[], &[])].concat();
    let (done, _) = apply_events(state.clone(), &restored);
    assert_eq!((done.status, done.attempts.len(), done.attempts[0].fix_worked), (Status::Success, 3, Some(false)));
    let explained =
        |kind| [vec![words("3 % are due now"), Event::Waited], attempt_with_cases(0, &[], &[], &[kind])].concat();
    let (done, _) = apply_events(state, &explained(WeakeningKind::TestChanged));
    assert_eq!((done.status, done.stated_reason.as_deref()), (Status::Success, Some("3 % are due now")));
    for kind in
        [WeakeningKind::TestSkipped, WeakeningKind::TestDeleted, WeakeningKind::HookChanged, WeakeningKind::Mocked]
    {
        let (still, _) = apply_events(cheated(kind), &explained(kind));
        assert_eq!(still.status, Status::Suspicious, "{kind:?} needs a person");
    }
    let (state, _) =
        apply_events(cheated(WeakeningKind::TestChanged), &[words("a reason"), Event::Waited, attempt_started()]);
    let (state, _) =
        apply_events(state, &[attempt_finished(1, Some(fixable_error("b"))), fix_declared("3"), Event::Waited]);
    assert_eq!(state.stated_reason, None, "a reason is for what was there");
}

#[test]
fn a_description_verifies_a_fix_without_a_command() {
    let (state, _) = apply_events(begin_loop(&error_start(None)), &[fix_declared("1")]);
    let verified = |how: &str, weakened| Event::FixVerified { how: how.to_owned(), timestamp: None, weakened };
    assert!(refusal_reason(&state, &verified(" ", Vec::new())).contains("description of the verification is empty"));
    let (done, decision) = apply_events(state.clone(), &[verified("Opened the page", Vec::new())]);
    assert_eq!((decision.kind, done.verified_by.as_deref()), (DecisionType::Done, Some("Opened the page")));
    let weakened = vec![Weakening { file: "a".into(), line: 1, kind: WeakeningKind::TestDeleted, text: "x".into() }];
    assert_eq!(apply_events(state, &[verified("Looked", weakened)]).0.status, Status::Suspicious);
    assert!(
        refusal_reason(&begin_loop(&command_start()), &verified("Looked", Vec::new()))
            .contains("does not wait for a verification")
    );
}

#[test]
fn a_loop_without_changes_escalates_and_can_resume() {
    let (state, _) = apply_events(begin_loop(&command_start()), &failed_attempt("a"));
    let (idle, decision) = apply_events(state.clone(), &[Event::NoChangeMade]);
    assert_eq!((decision.kind, idle.escalation), (DecisionType::Escalate, Some(EscalationReason::NoChangeMade)));
    assert_eq!(apply_events(idle, &[Event::Resumed]).0, state);
    assert!(refusal_reason(&begin_loop(&command_start()), &Event::NoChangeMade).contains("does not wait for a change"));
}

#[test]
fn a_prompt_requires_new_inputs() {
    let asks = FixError { waiting_for_input: true, ..error_named("prompt", ErrorClass::Transient) };
    let provide = |digest: &str| Event::InputsProvided { digest: Some(digest.into()), inputs: Some("a.yaml".into()) };
    let (state, decision) =
        apply_events(begin_loop(&command_start()), &[attempt_started(), attempt_finished(124, Some(asks.clone()))]);
    assert_eq!(decision.kind, DecisionType::ProvideInputs);
    assert!(refusal_reason(&state, &attempt_started()).contains("inputs"));
    let again = [provide("1"), Event::Waited, attempt_started(), attempt_finished(124, Some(asks))];
    let (state, decision) = apply_events(state, &again);
    assert_eq!((decision.kind, state.inputs.as_deref()), (DecisionType::ProvideInputs, Some("a.yaml")));
    assert!(refusal_reason(&state, &provide("1")).contains("Provide other inputs"));
}

#[test]
fn oscillation_warns_and_ends_a_strict_loop() {
    let events: Vec<Event> = ["a", "b", "a", "b"]
        .iter()
        .enumerate()
        .flat_map(|(number, name)| {
            let fix = (number > 0).then(|| [fix_declared(&number.to_string()), Event::Waited]);
            fix.into_iter().flatten().chain(failed_attempt(name))
        })
        .collect();
    let (state, decision) = apply_events(begin_loop(&command_start()), &events);
    assert_eq!(decision.kind, DecisionType::ApplyFix);
    let warnings = crate::fix_loop::next_step(&state).warnings;
    assert_eq!(warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(), [WarningKind::Oscillation]);
    let (state, decision) =
        apply_events(begin_loop(&Start { strict_progress: Some(true), ..command_start() }), &events);
    assert_eq!(decision.escalation, Some(EscalationReason::CircuitBreakerOpened));
    assert!(decision.reason.contains("errors alternate"), "{}", decision.reason);
    assert_eq!(state.circuit_breaker.state, CircuitState::Open);
}

#[test]
fn tests_that_keep_failing_give_a_warning() {
    let red = |name: &str, tests: &[&str]| {
        let failing_tests = tests.iter().map(|&test| test.to_owned()).collect();
        attempt_finished(1, Some(FixError { failing_tests, ..fixable_error(name) }))
    };
    let run = |last: &[&str]| {
        let events = [
            attempt_started(),
            red("1", &["a", "b"]),
            fix_declared("1"),
            Event::Waited,
            attempt_started(),
            red("2", &["a", "c"]),
            fix_declared("2"),
            Event::Waited,
            attempt_started(),
            red("3", last),
        ];
        crate::fix_loop::next_step(&apply_events(begin_loop(&command_start()), &events).0).warnings
    };
    let stuck = run(&["a", "b", "c"]);
    assert_eq!(stuck[0].kind, WarningKind::NoProgress);
    assert_eq!(stuck[0].text, "No progress: at least 2 tests failed in each of the last 3 attempts.");
    assert_eq!(run(&["a"]), []);
}

#[test]
fn a_killed_loop_resumes_a_limited_number_of_times() {
    let (mut state, _) = apply_events(begin_loop(&command_start()), &[attempt_started()]);
    assert!(refusal_reason(&state, &attempt_started()).contains("already running"));
    for _ in 0..2 {
        let (next, decision) = apply_events(state, &[Event::Resumed]);
        assert_eq!((decision.kind, decision.attempt), (DecisionType::Run, 1));
        state = apply_events(next, &[attempt_started()]).0;
    }
    let warnings = advance(&state, &Event::Resumed, 0.0).warnings;
    assert_eq!(warnings[0].text, "Attempt 1 was cut off before it ended.");
    let (state, decision) = apply_events(state, &[Event::Resumed]);
    assert_eq!(decision.escalation, Some(EscalationReason::InterruptedTooOften));
    let go_on = Event::HumanDecided { verdict: Verdict::Continue, note: None, timestamp: None };
    assert_eq!(apply_events(state, &[go_on]).1.kind, DecisionType::Run);
}

#[test]
fn a_cancelled_loop_resumes_in_its_old_state() {
    let (state, _) = apply_events(begin_loop(&command_start()), &failed_attempt("a"));
    let (cancelled, _) = apply_events(state.clone(), &[Event::Cancelled]);
    assert_eq!(cancelled.status, Status::Cancelled);
    assert!(refusal_reason(&cancelled, &attempt_started()).contains("Resume it first"));
    assert_eq!(apply_events(cancelled, &[Event::Resumed]).0, state);
}

#[test]
fn inconsistent_states_are_refused() {
    let (good, _) = apply_events(begin_loop(&command_start()), &failed_attempt("a"));
    assert_eq!(validate_state(&good), Ok(()));
    let edits: [fn(&mut FixState); 16] = [
        |state| state.version = 0,
        |state| state.max_attempts = 4_000_000,
        |state| state.status = Status::Ready,
        |state| state.attempts[0].number = 7,
        |state| state.current_attempt = 9,
        |state| state.current_attempt = 1,
        |state| state.backoff_seconds = f64::INFINITY,
        |state| state.circuit_breaker.error_hashes = vec!["a".into(); 3],
        |state| state.circuit_breaker.error_hashes = vec!["b".into()],
        |state| state.escalation = Some(EscalationReason::CircuitBreakerOpened),
        |state| {
            state.status = Status::Escalated;
            state.escalation = Some(EscalationReason::CircuitBreakerOpened);
        },
        |state| state.circuit_breaker.state = CircuitState::Open,
        |state| state.status = Status::NeedsInputs,
        |state| state.escalation = Some(EscalationReason::StoppedByHuman),
        |state| {
            state.status = Status::Escalated;
            state.escalation = Some(EscalationReason::InterruptedTooOften);
        },
        |state| state.attempts[0].error_hash = None,
    ];
    for (number, edit) in edits.iter().enumerate() {
        let mut state = good.clone();
        edit(&mut state);
        assert!(matches!(validate_state(&state), Err(StateProblem::Damaged(_))), "edit {number}");
    }
    assert_eq!(validate_state(&FixState { version: 2, ..good.clone() }), Err(StateProblem::NewerVersion(2)));
    let other = FixState { command: Some("rm -rf build".into()), ..good };
    assert_eq!(validate_state(&other), Err(StateProblem::DifferentCommand("rm -rf build".into())));
}
